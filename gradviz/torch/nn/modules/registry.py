"""The contents of a Module: its parameters, buffers and submodules by name, how attributes become entries, and
traversal. Nothing is computed here; calling is in `calling.py`, saving and loading in `module.py`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS
from gradviz.torch.nn.modules.calling import registered
from gradviz.torch.nn.parameter import Buffer, Parameter

if TYPE_CHECKING:
    from gradviz.torch.nn.modules.module import Module


def typename(value: object) -> str:
    """The type of a value in PyTorch's messages: "torch.FloatTensor", "int", "torch.nn.modules.linear.Linear"."""
    if isinstance(value, Tensor):
        return "torch.nn.parameter.Parameter" if isinstance(value, Parameter) else value.dtype.label
    kind: Any = value if isinstance(value, FunctionType | BuiltinFunctionType) else type(value)
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", "__builtin__") else f"{module}.{kind.__qualname__}"


class Registry:
    """Three ordered dictionaries with attribute access."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def _get_name(self) -> str:
        return type(self).__name__

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None reserves the name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _refuse_name(self, "parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param if param is None else registered(self, "parameter", name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but not trained."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _refuse_name(self, "buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = registered(self, "buffer", name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name."""
        if module is not None and not isinstance(module, Registry):
            name = f"{module.__module__}.{module.__qualname__}" if isinstance(module, type) else typename(module)
            for home, known in (("torch._VariableFunctionsClass", FUNCTIONS), ("torch.nn.functional", FUNCTIONAL)):
                if isinstance(module, FunctionType) and known.get(module.__name__) is module:
                    name = f"{home}.{module.__name__}"
                    break
            raise TypeError(f"{name} is not a Module subclass")
        _refuse_name(self, "module", name, self._modules)
        self._modules[name] = registered(self, "module", name, module)

    register_module = add_module

    # --- attributes ---

    if not TYPE_CHECKING:  # a type checker can't know the type of an attribute

        def __getattr__(self, name: str) -> Any:
            for kind in ("_parameters", "_buffers", "_modules"):
                known = self.__dict__.get(kind)
                if known is not None and name in known:
                    return known[name]
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    else:

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _forget(self, name, own, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Registry):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            _forget(self, name, own, self._parameters, self._buffers)
            own["_modules"][name] = registered(self, "module", name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._modules[name] = registered(self, "module", name, None)
        elif isinstance(value, Buffer) or name in own.get("_buffers", ()):
            _set_buffer(self, name, value)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for known in (self._parameters, self._buffers, self._modules):
            if name in known:
                del known[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        keys = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(key for key in keys if not key[0].isdigit())

    # --- walking ---

    def _named_members(
        self, members: Callable[[Any], Iterable[tuple[str, object]]], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for owner_name, owner in owners:
            for name, value in members(owner):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield owner_name + ("." if owner_name else "") + name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Every parameter with its dotted name."""
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Every buffer with its dotted name."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Direct submodules with their names, each once."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[object] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and everything below it, depth first, with dotted names."""
        seen = set() if memo is None else memo
        waiting: list[tuple[str, Any]] = [(prefix, self)]
        while waiting:
            name, module = waiting.pop()
            if module in seen:
                continue
            if remove_duplicate:
                seen.add(module)
            yield name, module
            below = [(name + ("." if name else "") + key, m) for key, m in module._modules.items() if m is not None]
            waiting.extend(reversed(below))

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and everything below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    # --- members by path ---

    def get_submodule(self, target: str) -> Module:
        """The module at a dotted path."""
        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Registry):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found  # type: ignore[no-any-return]

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path."""
        _, name, found = _member(self, target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path."""
        owner, name, found = _member(self, target)
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found  # type: ignore[no-any-return]


for _name in """named_parameters parameters named_buffers buffers named_children children named_modules
    modules""".split():
    getattr(Registry, _name).__qualname__ = f"Module.{_name}"  # which printing one of these generators shows


# Functions, because a user's module may have methods of any name.


def start_module(module: object) -> None:
    """Give a module its empty dictionaries."""
    own = module.__dict__
    own.update(training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set())
    for name in (
        "_backward_pre_hooks", "_backward_hooks", "_is_full_backward_hook", "_forward_hooks",
        "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
        "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
        "_load_state_dict_post_hooks",
    ):  # fmt: skip
        own[name] = OrderedDict() if name != "_is_full_backward_hook" else None
    own["_modules"] = {}


def _refuse_name(module: object, kind: str, name: str, known: dict[str, Any]) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    if kind == "module" and hasattr(module, name) and name not in known:
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        suffix = f", got: {name}" if kind == "module" else ""
        raise KeyError(f'{kind} name can\'t contain "."{suffix}')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if hasattr(module, name) and name not in known:
        raise KeyError(f"attribute '{name}' already exists")


def _set_buffer(module: object, name: str, value: str) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(
            f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
        )
    kept = value.persistent if isinstance(value, Buffer) else name not in module._non_persistent_buffers_set
    module.register_buffer(name, value, kept)


def _forget(module: Any, name: str, *known: dict[str, Any]) -> None:
    for each in known:
        each.pop(name, None)
    module._non_persistent_buffers_set.discard(name)


def _member(module: Any, target: str) -> tuple[Module, str, Any]:
    path, _, name = target.rpartition(".")
    owner = module.get_submodule(path)
    if not hasattr(owner, name):
        raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
    return owner, name, getattr(owner, name)
