"""`torch.nn.utils.parametrize`: a parameter that is computed from others whenever it is read. The module gets its own
class with a property in place of the parameter, and keeps the originals under `parametrizations`. Reading, setting and
deleting a module's tensor under a name given as data is here, too: only a module can have one, and only under a name
that is not an attribute of every module."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn.modules.container import ModuleDict, ModuleList
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter, give_data

# --- a module's tensor by name ---


_EVERYWHERE = frozenset({*dir(Module), *vars(Module())})


def _checked(module: object, name: object) -> str:
    if not isinstance(module, Module):
        raise TypeError(f"expected a torch.nn.Module, not '{type(module).__name__}'")
    if type(name) is not str or name in _EVERYWHERE or name.startswith("__"):
        raise AttributeError(f"'{type(module).__name__}' object has no parameter '{name}'")
    return name


def held(module: Any, name: Any, *default: Any) -> Any:
    """Like getattr."""
    return getattr(module, _checked(module, name), *default)


def hold(module: object, name: object, value: object) -> None:
    """Like setattr."""
    setattr(module, _checked(module, name), value)


def drop(module: object, name: object) -> None:
    """Like delattr."""
    delattr(module, _checked(module, name))


__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_state: dict[str, Any] = {"depth": 0, "values": {}}


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Inside, a parametrized tensor is computed once."""
    _state["depth"] += 1
    try:
        yield
    finally:
        _state["depth"] -= 1
        if not _state["depth"]:
            _state["values"] = {}


def _maybe_set(dest: Tensor, src: Tensor) -> None:
    give_data(dest, src.detach() if src._base is None else src.detach().clone())


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and the original that the first of them takes."""

    original: Any

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new: Tensor = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, Tensor) and not isinstance(new, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if isinstance(new, Tensor):
            self._keep_one(original, new)
        else:
            self._keep_several(original, new)
        if not unsafe:
            self._check(shape, dtype)

    def _keep_one(self, original: Tensor, new: Tensor) -> None:
        if original.dtype != new.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )
        with no_grad():
            if new is not original:
                _maybe_set(original, new)
        self._add("original", original)

    def _keep_several(self, original: Tensor, new: Sequence[Tensor]) -> None:
        for i, each in enumerate(new):
            if not isinstance(each, Tensor):
                raise ValueError(
                    f"right_inverse must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(each).__name__}."
                )
            made = Parameter(each, original.requires_grad) if isinstance(original, Parameter) else each
            self._add(f"original{i}", made)

    def _add(self, name: str, tensor: Tensor) -> None:
        if isinstance(tensor, Parameter):
            self.register_parameter(name, tensor)
        else:
            self.register_buffer(name, tensor)

    def _check(self, shape: object, dtype: object) -> None:
        found = self()
        if not isinstance(found, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
        if found.dtype != dtype:
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized dtype: {dtype}\nparametrized dtype: {found.dtype}"
            )
        if found.shape != shape:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized shape: {shape}\nparametrized shape: {found.shape}"
            )

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the tensor becomes `value`."""
        with no_grad():
            new: Tensor = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                new = module.right_inverse(new)
            if self.is_tensor:
                _maybe_set(self.original, new)
                return
            for i, each in enumerate(new):
                _maybe_set(getattr(self, f"original{i}"), each)

    def forward(self) -> Any:
        """The tensor, computed from the originals."""
        modules = list(self)
        if self.is_tensor:
            x = modules[0](self.original)
        else:
            x = modules[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in modules[1:]:
            x = module(x)
        return x

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return Module.__call__(self, *args, **kwargs)


def _property(name: str) -> property:
    def read(self: Any) -> Any:
        if not _state["depth"]:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _state["values"]:
            _state["values"][key] = self.parametrizations[name]()
        return _state["values"][key]

    def write(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


_MADE = "_made_by_parametrize"  # marks classes that `_own_class` made: only these gain and lose properties


def _own_class(module: Module) -> None:
    """Give the module its own class, to which properties can be added."""
    cls = type(module)

    def deepcopied(self: object, memo: dict[int, object]) -> object:
        replica = self.__new__(self.__class__)
        memo[id(self)] = replica
        vars(replica).update(copy.deepcopy(vars(self), memo))
        return replica

    made = type(
        f"Parametrized{cls.__name__}",
        (cls,),
        {"__deepcopy__": deepcopied, "__module__": "torch.nn.utils.parametrize", _MADE: True},
    )
    module.__class__ = made


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module, or one of its tensors, is parametrized."""
    found = getattr(module, "parametrizations", None)
    if found is None or not isinstance(found, ModuleDict) or _MADE not in vars(type(module)):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a parameter or buffer through a module from now on."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        known: Any = module.parametrizations
        with no_grad():
            if hasattr(parametrization, "right_inverse") and not unsafe:
                before = held(module, tensor_name)
                if parametrization(before).shape != before.shape:
                    raise ValueError(
                        "Registering a parametrization may not change the shape of the tensor, unless the `unsafe` "
                        "flag is enabled."
                    )
        known[tensor_name].append(parametrization)
        known[tensor_name].unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    original = held(module, tensor_name)
    parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
    drop(module, tensor_name)
    if not is_parametrized(module):
        _own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = parametrizations
    return module


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Turn the tensor back into an ordinary one, with its present value or with the original."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    known: Any = module.parametrizations
    found = known[tensor_name]
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with no_grad():
                value = held(module, tensor_name)
                give_data(original, value.detach())
    else:
        if not leave_parametrized:
            raise ValueError(
                "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
                "sequence of tensors."
            )
        value = held(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    delattr(type(module), tensor_name)
    del known[tensor_name]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give another module the same parametrizations and originals."""
    if not is_parametrized(from_module):
        return to_module
    known: Any = from_module.parametrizations
    for name in list(known) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            hold(to_module, name, copy.deepcopy(held(from_module, name)))
        for each in known[name]:
            register_parametrization(to_module, name, each)
        theirs: Any = to_module.parametrizations
        if hasattr(known[name], "original"):
            theirs[name].original = known[name].original
        else:
            for i in range(known[name].ntensors):
                setattr(theirs[name], f"original{i}", getattr(known[name], f"original{i}"))
    return to_module
