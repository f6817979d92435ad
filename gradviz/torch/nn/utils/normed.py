"""The older `torch.nn.utils.weight_norm` and `spectral_norm`, which compute the weight in a hook before `forward`; the
current ones are in `parametrizations.py`."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter
from gradviz.torch.nn.utils.parametrizations import TRANSPOSED
from gradviz.torch.nn.utils.parametrize import drop, held, hold

M = TypeVar("M", bound=Module)


class WeightNorm:
    """The hook of `weight_norm`."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight of length `g` in the direction `v`."""
        return T["_weight_norm"](held(module, self.name + "_v"), held(module, self.name + "_g"), self.dim)

    def __call__(self, module: Module, inputs: object) -> None:
        hold(module, self.name, self.compute_weight(module))


def _hook_of(module: Module, kind: type, name: str) -> Any:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            return key, hook
    return None, None


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Separate length and direction of a weight (Salimans and Kingma, 2016)."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if _hook_of(module, WeightNorm, name)[1] is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = held(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(T["norm_except_dim"](weight, 2, hook.dim).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    hold(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Turn the weight back into an ordinary parameter."""
    key, hook = _hook_of(module, WeightNorm, name)
    if hook is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = hook.compute_weight(module)
    drop(module, name)
    del module._parameters[name + "_g"]
    del module._parameters[name + "_v"]
    hold(module, name, Parameter(weight.data))
    del module._forward_pre_hooks[key]
    return module


class SpectralNorm:
    """The hook of `spectral_norm`."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def as_matrix(self, weight: Tensor) -> Tensor:
        """The weight with its output dimension first."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Any:
        """The weight divided by its largest singular value, whose estimate may be improved first."""
        weight = held(module, self.name + "_orig")
        u, v = held(module, self.name + "_u"), held(module, self.name + "_v")
        matrix = self.as_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    F.normalize(T["mv"](matrix.t(), u), dim=0, eps=self.eps, out=v)
                    F.normalize(T["mv"](matrix, v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()
        sigma = T["dot"](u, T["mv"](matrix, v))
        return weight / sigma

    def __call__(self, module: Module, inputs: object) -> None:
        hold(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Divide a weight by its largest singular value (Miyato et al., 2018)."""
    if dim is None:
        dim = 1 if isinstance(module, TRANSPOSED) else 0
    if _hook_of(module, SpectralNorm, name)[1] is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    with no_grad():
        h, w = hook.as_matrix(weight).size()
        u = F.normalize(weight.new_empty(h).normal_(0, 1), dim=0, eps=eps)
        v = F.normalize(weight.new_empty(w).normal_(0, 1), dim=0, eps=eps)
    del module._parameters[name]
    module.register_parameter(name + "_orig", weight)
    hold(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Turn the weight back into an ordinary parameter."""
    key, hook = _hook_of(module, SpectralNorm, name)
    if hook is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with no_grad():
        weight = hook.compute_weight(module, do_power_iteration=False)
    drop(module, name)
    for suffix in ("_u", "_v", "_orig"):
        drop(module, name + suffix)
    module.register_parameter(name, Parameter(weight.detach()))
    del module._forward_pre_hooks[key]
    return module
