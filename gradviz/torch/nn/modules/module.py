"""`nn.Module`: what a model is made of. Registration and traversal are inherited (`registry.py`), hooks and the call
are in `calling.py`. Here are `state_dict` and `load_state_dict`, from names to tensors and back, with PyTorch's
messages about missing and unexpected keys and different shapes; the methods about devices and memory; and the class
that combines all of this under PyTorch's names."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import device
from gradviz.engine.kernel.graph import RemovableHandle
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.state import paused
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.signatures import refusal
from gradviz.torch.nn.modules import calling
from gradviz.torch.nn.modules.calling import (
    MIXED_HOOKS,
    add_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from gradviz.torch.nn.modules.registry import Registry, start_module
from gradviz.torch.nn.parameter import Parameter, give_data, is_lazy

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


# --- devices and memory: there is one device, and nothing is compiled ---


P = TypeVar("P", bound="Places")


def _moved(tensor: Tensor, *args: object, **kwargs: object) -> Tensor:
    try:
        return tensor.to(*args, **kwargs)
    except NotImplementedError as error:
        raise NotImplementedError(
            f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from "
            "meta to a different device."
        ) from None


class Places(Registry):
    """Methods for devices, memory and submodules."""

    def _apply(self: P, fn: Any, recurse: bool = True) -> P:
        raise NotImplementedError

    def cpu(self: P) -> P:
        """Return the module itself, which is on the CPU already."""
        return self

    def cuda(self: P, device: object = None) -> P:
        """Refused, as by PyTorch without CUDA, for a module that has parameters."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: P, device: object = None) -> P:
        """Refused for a module that has parameters."""
        return self._apply(lambda t: t.to("xpu"))

    def share_memory(self: P) -> P:
        """Return the module itself: there is only one process."""
        return self

    def to_empty(self: P, *, device: object, recurse: bool = True) -> P:
        """Give parameters and buffers new memory with arbitrary contents."""
        return self._apply(lambda t: T["empty_like"](t, device=device), recurse=recurse)

    def compile(self, *args: object, **options: object) -> None:
        """Nothing is compiled, so that every operation remains visible."""

    def set_submodule(self, target: str, module: object, strict: bool = False) -> None:
        """Set the submodule at a dotted path."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        *path, name = target.split(".")
        if not isinstance(module, Registry):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent: Places = self
        for part in path:
            if not hasattr(parent, part):
                raise AttributeError(parent._get_name() + " has no attribute `" + part + "`")
            parent = getattr(parent, part)
            if not isinstance(parent, Registry):
                raise AttributeError("`" + part + "` is not an nn.Module")
        if strict and not hasattr(parent, name):
            raise AttributeError(parent._get_name() + " has no attribute `" + name + "`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Registry):
            raise AttributeError("`" + name + "` is not an nn.Module")
        setattr(parent, name, module)


__all__ = [
    "Module",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

Self = TypeVar("Self", bound="Module")

COMPLEX_WARNING = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
    "if a complex module does not work as expected."
)


class Module(Places):
    """The base class of everything that has parameters and a `forward`."""

    _version = 1
    call_super_init = False
    _is_full_backward_hook: bool | None = None
    training: bool

    def __init__(self, *args: object, **kwargs: object) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{self._get_name()}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{self._get_name()}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        start_module(self)
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; every subclass defines its own."""
        raise NotImplementedError(f'Module [{self._get_name()}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return calling.observed_call(self, args, kwargs)

    # --- text ---

    def extra_repr(self) -> str:
        """The text between the parentheses of its representation."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not children:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"

    # --- modes and gradients ---

    def train(self: Self, mode: bool = True) -> Self:
        """Set training mode for this module and all below it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: Self) -> Self:
        """Set evaluation mode for this module and all below it."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Change `requires_grad` of all parameters."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        for param in self.parameters():
            clear_grad(param, set_to_none)

    # --- conversion ---

    def apply(self: Self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` on every module below and then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        if recurse:
            for child in self.children():
                child._apply(fn, recurse)
        with no_grad():
            for param in self._parameters.values():
                if param is not None:
                    give_data(param, fn(param))
                    if param._grad is not None:
                        give_data(param._grad, fn(param._grad))
            for name, buffer in self._buffers.items():
                if buffer is None:
                    continue
                if is_lazy(buffer):
                    give_data(buffer, fn(buffer))
                else:
                    self._buffers[name] = fn(buffer)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating point parameters and buffers to a dtype; there is only one device."""
        layout = kwargs.pop("memory_format", None)
        if layout is not None:  # of weights of images; the others stay as they are
            self._apply(lambda t: t.to(memory_format=layout) if t.ndim in (4, 5) else t)
        given = map(dtypes.meant, (*args, *kwargs.values()))
        wanted = [a for a in given if isinstance(a, dtypes.dtype)]
        wanted += [a.dtype for a in args if isinstance(a, Tensor)]
        with paused():
            stand_in = T["empty"](0)
        if refused := refusal("Tensor.to", (stand_in, *args), kwargs):
            raise refused
        if not wanted:
            for each in (*args, *kwargs.values()):
                if isinstance(each, str | int) and not isinstance(each, bool):
                    device(each)  # an unknown name is refused, also without anything to move
            return self._apply(lambda t: _moved(t, *args, **kwargs))
        kind = wanted[0]
        if kind.rank < 2:
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}")
        if kind.is_complex:
            warnings.warn(COMPLEX_WARNING, stacklevel=2)
        return self._apply(lambda t: t.to(kind) if t.dtype.rank >= 2 else t)

    def float(self: Self) -> Self:
        """Convert to float32."""
        return _to_float(self, dtypes.float32)

    def double(self: Self) -> Self:
        """Convert to float64."""
        return _to_float(self, dtypes.float64)

    def half(self: Self) -> Self:
        """Convert to float16."""
        return _to_float(self, dtypes.float16)

    def bfloat16(self: Self) -> Self:
        """Convert to bfloat16."""
        return _to_float(self, dtypes.bfloat16)

    def type(self: Self, dst_type: Any) -> Self:
        """Convert everything to a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    # --- state ---

    def state_dict(self, *args: object, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Names to tensors, for parameters and persistent buffers."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            return self.state_dict(**{"destination": destination, "prefix": prefix, "keep_vars": keep_vars, **given})
        return collect(self, destination, prefix, keep_vars)

    def load_state_dict(self, state_dict: object, strict: bool = True, assign: bool = False) -> IncompatibleKeys:
        """Copy values into parameters and buffers by name."""
        return load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: object, prefix: str, keep_vars: bool) -> None:
        save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: object,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing: Any,
        unexpected: Any,
        errors: Any,
    ) -> None:
        load_own(self, state_dict, prefix, local_metadata, strict, (missing, unexpected, errors))

    def get_extra_state(self) -> Any:
        """Additional state to save; override together with `set_extra_state`."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: object) -> None:
        """Restore what `get_extra_state` returned."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    # --- hooks ---

    def register_forward_pre_hook(
        self, hook: object, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; its return value replaces the arguments."""
        return add_hook(self.__dict__, "_forward_pre_hooks", hook, prepend, _with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook: object, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; its return value replaces the output."""
        flags = {"_with_kwargs": with_kwargs, "_always_called": always_call}
        return add_hook(self.__dict__, "_forward_hooks", hook, prepend, **flags)

    def register_full_backward_pre_hook(self, hook: object, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the gradients go through the module."""
        return add_hook(self.__dict__, "_backward_pre_hooks", hook, prepend)

    def register_backward_hook(self, hook: object) -> RemovableHandle:
        """The old form: `hook(module, grad_input, grad_output)` at the node that made the output."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(MIXED_HOOKS)
        self._is_full_backward_hook = False
        return add_hook(self.__dict__, "_backward_hooks", hook, False)

    def register_full_backward_hook(self, hook: object, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients have gone through the module."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(MIXED_HOOKS)
        self._is_full_backward_hook = True
        return add_hook(self.__dict__, "_backward_hooks", hook, prepend)

    def register_state_dict_pre_hook(self, hook: object) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the state is collected."""
        return add_hook(self.__dict__, "_state_dict_pre_hooks", hook, False)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after the state is collected."""
        hook._from_public_api = True
        return add_hook(self.__dict__, "_state_dict_hooks", hook, False)

    def _register_state_dict_hook(self, hook: object) -> RemovableHandle:
        """The private form: the hook's return value replaces the state."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return add_hook(self.__dict__, "_state_dict_hooks", hook, False)

    def _register_load_state_dict_pre_hook(self, hook: Any, with_module: bool = False) -> RemovableHandle:
        """The private form: the hook is not given the module, unless it asks for it."""
        return self.register_load_state_dict_pre_hook(hook if with_module else lambda _, *given: hook(*given))

    def register_load_state_dict_pre_hook(self, hook: object) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, ...)` before the state is loaded."""
        return add_hook(self.__dict__, "_load_state_dict_pre_hooks", hook, False)

    def register_load_state_dict_post_hook(self, hook: object) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after the state is loaded."""
        return add_hook(self.__dict__, "_load_state_dict_post_hooks", hook, False)


def clear_grad(param: Tensor, set_to_none: bool) -> None:
    """Drop the gradient of one parameter, or fill it with zeros."""
    grad = param._grad if isinstance(param, Tensor) else None
    if grad is None:
        return
    if set_to_none:
        param.grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _to_float(module: Self, kind: dtypes.dtype) -> Self:
    return module._apply(lambda t: t.to(kind) if t.dtype.is_floating_point else t)
