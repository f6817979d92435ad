"""`torch.nn.utils.prune`: parameters with some elements masked to zero. The parameter is kept under `<name>_orig`, its
mask as the buffer `<name>_mask`, and a hook before `forward` puts their product in its place."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import give_data
from gradviz.torch.nn.utils.parametrize import drop, held, hold


class BasePruningMethod:
    """How a mask is computed, kept and applied."""

    PRUNING_TYPE = ""
    _tensor_name: str

    def __call__(self, module: Module, inputs: object) -> None:
        hold(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for tensor `t`, within an earlier mask."""
        raise NotImplementedError

    def apply_mask(self, module: Module) -> Any:
        """Mask times original."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = held(module, self._tensor_name + "_mask")
        orig = held(module, self._tensor_name + "_orig")
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(cls, module: Module, name: str, *args: object, importance_scores: Any = None, **kwargs: object) -> Any:
        """Prune a parameter, in addition to what has pruned it before."""
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        before = _method_of(module, name)
        if before is not None:
            key, old = before
            del module._forward_pre_hooks[key]
            container = old
            if not isinstance(old, PruningContainer):
                container = PruningContainer(old)
                container._tensor_name = name
            container.add_pruning_method(method)
            method = container
        orig = held(module, name)
        if importance_scores is not None and importance_scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter                 {name} of {module}"
            )
        scores = orig if importance_scores is None else importance_scores
        if before is None:
            del module._parameters[name]
            module.register_parameter(name + "_orig", orig)
            default = T["ones_like"](orig)
        else:
            default = held(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(scores, default_mask=default)
            module.register_buffer(name + "_mask", mask)
            hold(module, name, method.apply_mask(module))
        except Exception:
            if before is None:  # the parameter is what it was
                module.register_parameter(name, orig)
                del module._parameters[name + "_orig"]
            raise
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A tensor with its mask applied."""
        scores = t if importance_scores is None else importance_scores
        default = T["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Module) -> None:
        """Make the pruning permanent."""
        weight = self.apply_mask(module)
        if hasattr(module, self._tensor_name):
            drop(module, self._tensor_name)
        orig: Any = module._parameters[self._tensor_name + "_orig"]
        give_data(orig, weight.data)
        del module._parameters[self._tensor_name + "_orig"]
        del module._buffers[self._tensor_name + "_mask"]
        hold(module, self._tensor_name, orig)


def _method_of(module: Module, name: str) -> Any:
    found = None
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            found = key, hook
    return found


class PruningContainer(BasePruningMethod):
    """Several methods, one after the other."""

    def __init__(self, *args: object) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if args:
            self._tensor_name = args[0]._tensor_name if hasattr(args[0], "_tensor_name") else ""
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: object) -> None:
        """Add a method."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The newest method within the mask of the others."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "global":
            chosen: Any = (slice(None),) * len(t.shape)
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim if method.dim >= 0 else len(t.shape) + method.dim
            keep = mask.sum(dim=[d for d in range(len(t.shape)) if d != dim]) != 0
            chosen = tuple(keep if d == dim else slice(None) for d in range(len(t.shape)))
        elif method.PRUNING_TYPE == "unstructured":
            chosen = mask == 1
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        part = method.compute_mask(t[chosen], default_mask=mask[chosen])
        mask[chosen] = part.to(dtype=mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing, but gives the parameter a mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask unchanged."""
        return default_mask


class _Amount(BasePruningMethod):
    amount: Any

    def __init__(self, amount: object) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        whole = isinstance(amount, int)
        number = float(amount)
        if (whole and number < 0) or (not whole and not 0.0 <= number <= 1.0):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount = amount

    def _count(self, size: int) -> int:
        if isinstance(self.amount, int):
            if self.amount > size:
                raise ValueError(
                    f"amount={self.amount} should be smaller than the number of parameters to prune={size}"
                )
            return self.amount
        return round(float(self.amount) * size)


class RandomUnstructured(_Amount):
    """Prunes random elements."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask."""
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            prob = T["rand_like"](t)
            mask.view(-1)[T["topk"](prob.view(-1), k=count).indices] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the elements nearest to zero."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask."""
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            found = T["topk"](T["abs"](t).view(-1), k=count, largest=False)
            mask.view(-1)[found.indices] = 0
        return mask


class _Structured(_Amount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: object, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _count_along(self, t: Tensor) -> int:
        if self.dim >= t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        return self._count(t.shape[self.dim])

    def _masked(self, t: Tensor, default_mask: Tensor, kept: object) -> Tensor:
        mask = T["zeros_like"](t)
        place: list[object] = [slice(None)] * len(t.shape)
        place[self.dim] = kept
        mask[tuple(place)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes random slices along a dimension."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask."""
        count = self._count_along(t)
        if not count:
            return default_mask
        prob = T["rand"](t.shape[self.dim])
        kept = prob > T["kthvalue"](prob, k=count).values
        return self._masked(t, default_mask, kept)


class LnStructured(_Structured):
    """Prunes the slices along a dimension with the smallest norms."""

    def __init__(self, amount: object, n: object, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask."""
        count = self._count_along(t)
        if not count:
            return default_mask
        dims = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        norms = T["norm"](t, p=self.n, dim=dims)
        kept = T["topk"](norms, k=t.shape[self.dim] - count, largest=True).indices
        return self._masked(t, default_mask, kept)


class CustomFromMask(BasePruningMethod):
    """Prunes with a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask within the earlier one."""
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Give a parameter a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: object) -> Module:
    """Prune random elements."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: object, importance_scores: object = None) -> Module:
    """Prune the elements nearest to zero."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: object, dim: int) -> Module:
    """Prune random slices."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: object, n: object, dim: int, importance_scores: object = None
) -> Module:
    """Prune the slices with the smallest norms."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune with a mask."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[Any], pruning_method: Any, importance_scores: Any = None, **kwargs: object
) -> None:
    """Prune several parameters as if they were one vector."""
    pairs = list(parameters)
    scores = importance_scores or {}
    flat = [scores.get((module, name), held(module, name)) for module, name in pairs]
    relevant = T["cat"]([each.reshape(-1) for each in flat])
    default = T["cat"](
        [held(module, name + "_mask", T["ones_like"](held(module, name))).reshape(-1) for module, name in pairs]
    )
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    if isinstance(method, BasePruningMethod):  # else the container refuses it
        method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    final = container.compute_mask(relevant, default)
    at = 0
    for module, name in pairs:
        size = held(module, name).numel()
        custom_from_mask(module, name, mask=final[at : at + size].view_as(held(module, name)))
        at += size


def remove(module: Module, name: str) -> Module:
    """Make the pruning of a parameter permanent."""
    found = _method_of(module, name)
    if found is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    key, method = found
    method.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Module) -> bool:
    """Whether a parameter of the module, or of one below, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for _, below in module.named_modules()
        for hook in below._forward_pre_hooks.values()
    )


__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

for _found in tuple(globals().values()):
    if isinstance(_found, type) and _found.__module__ == __name__:
        _found.__module__ = __name__.removeprefix("gradviz.")  # shown by `print(type(pruning))`
