"""`nn.Module`: what a model is made of. Registration and traversal are inherited (`registry.py`), saving and loading
are in `stateful.py`, hooks and the call in `calling.py`; this class combines them under PyTorch's names. The methods
about devices and memory are here, too."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import device
from gradviz.engine.kernel.graph import RemovableHandle
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.state import paused
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.signatures import refusal
from gradviz.torch.nn.modules import calling, stateful
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
from gradviz.torch.nn.parameter import give_data, is_lazy

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
        return stateful.collect(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: object, strict: bool = True, assign: bool = False
    ) -> stateful.IncompatibleKeys:
        """Copy values into parameters and buffers by name."""
        return stateful.load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: object, prefix: str, keep_vars: bool) -> None:
        stateful.save_own(self, destination, prefix, keep_vars)

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
        stateful.load_own(self, state_dict, prefix, local_metadata, strict, (missing, unexpected, errors))

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
