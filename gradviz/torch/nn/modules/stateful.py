"""`state_dict` and `load_state_dict` of a Module: names to tensors and back, with PyTorch's messages about missing and
unexpected keys and different shapes. Functions of a Module; `module.py` has the methods that call them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradviz.torch.nn.modules.module import Module

EXTRA_STATE = "_extra_state"


class StateDict(OrderedDict[str, Any]):
    """An ordered dictionary that can carry `_metadata`, shown as OrderedDict."""

    _metadata: OrderedDict[str, dict[str, object]]


StateDict.__name__ = StateDict.__qualname__ = "OrderedDict"
StateDict.__module__ = "collections"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Keys):
    """What `load_state_dict` returns."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


def collect(module: Module, destination: object, prefix: str, keep_vars: bool) -> object:
    """Put the state of a module and of everything below it into `destination`."""
    if destination is None:
        destination = StateDict()
        destination._metadata = OrderedDict()
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in module._state_dict_pre_hooks.values():
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    for hook in module._state_dict_hooks.values():
        found = hook(module, destination, prefix, metadata)
        if found is not None and getattr(hook, "_from_public_api", False):
            raise RuntimeError("state_dict post-hook must return None")
        destination = destination if found is None else found
    return destination


def save_own(module: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    """The state of one module without its submodules."""
    for name, value in _own_state(module).items():
        destination[prefix + name] = value if keep_vars else value.detach()
    if _overrides(module, "get_extra_state"):
        destination[prefix + EXTRA_STATE] = module.get_extra_state()


def _own_state(module: Module) -> dict[str, Tensor]:
    kept = {name: b for name, b in module._buffers.items() if name not in module._non_persistent_buffers_set}
    return {name: value for name, value in (*module._parameters.items(), *kept.items()) if value is not None}


def load(module: Module, state_dict: object, strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy a state dict into a module and everything below it."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    metadata = getattr(state_dict, "_metadata", None) or {}
    _load_below(module, dict(state_dict), "", metadata, assign, (missing, unexpected, errors))
    if strict:
        for keys, what in ((unexpected, "Unexpected"), (missing, "Missing")):
            if keys:
                quoted = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{what} key(s) in state_dict: {quoted}. ")
    if errors:
        lines = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")
    return IncompatibleKeys(missing, unexpected)


Problems = tuple[list[str], list[str], list[str]]


def _load_below(
    module: Module, entries: dict[str, object], prefix: str, metadata: Any, assign: bool, problems: Problems
) -> None:
    local = dict(metadata.get(prefix[:-1], {}))
    if assign:
        local["assign_to_params_buffers"] = True
    module._load_from_state_dict(entries, prefix, local, True, *problems)
    for name, child in module._modules.items():
        if child is not None:
            below = prefix + name + "."
            part = {key: value for key, value in entries.items() if key.startswith(below)}
            _load_below(child, part, below, metadata, assign, problems)
    found = IncompatibleKeys(problems[0], problems[1])
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, found) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )


def load_own(
    module: Module, entries: Any, prefix: str, metadata: dict[str, object], strict: bool, problems: Problems
) -> None:
    """Fill the parameters and buffers of one module and note what does not fit."""
    missing, unexpected, errors = problems
    for hook in module._load_state_dict_pre_hooks.values():
        hook(module, entries, prefix, metadata, strict, missing, unexpected, errors)
    own = _own_state(module)
    for name, target in own.items():
        key = prefix + name
        if key in entries:
            _fill(module, name, key, target, entries[key], bool(metadata.get("assign_to_params_buffers")), errors)
        elif strict:
            missing.append(key)
    extra = prefix + EXTRA_STATE
    if _overrides(module, "set_extra_state"):
        if extra in entries:
            module.set_extra_state(entries[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in entries:
        unexpected.append(extra)
    if strict:
        unexpected.extend(_strangers(module, entries, prefix, extra, own))


def _strangers(module: Module, entries: Any, prefix: str, extra: str, own: dict[str, Tensor]) -> list[str]:
    found = []
    for key in entries:
        if key.startswith(prefix) and key != extra:
            first, dot, _ = key[len(prefix) :].partition(".")
            if first not in (module._modules if dot else own):
                found.append(key)
    return found


def _fill(module: Module, name: str, key: str, target: Tensor, value: Tensor, assign: bool, errors: list[str]) -> None:
    if not isinstance(value, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
        return
    if target.ndim == 0 and tuple(value.shape) == (1,):
        value = value[0]
    if tuple(value.shape) != tuple(target.shape):
        errors.append(
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        )
        return
    with no_grad():
        if not assign:
            target.copy_(value)
        elif isinstance(target, Parameter) and not isinstance(value, Parameter):
            setattr(module, name, Parameter(value, target.requires_grad))
        else:
            setattr(module, name, value)


def _overrides(module: Module, method: str) -> bool:
    """Whether a user's class defines `get_extra_state` or `set_extra_state`, which raise in Module."""
    return sum(method in vars(cls) for cls in type(module).__mro__) > 1
