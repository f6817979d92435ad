"""Modules that hold others: `Sequential`, `ModuleList`, `ModuleDict`, `ParameterList`, `ParameterDict`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain
from typing import Any

from gradviz.engine.kernel.messages import plain_numbers
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter


def _position(index: int, count: int) -> int:
    """A position among so many, as an index from the front. A function, because derived classes may use any name."""
    (position,) = plain_numbers((index,))
    if not -count <= position < count:
        raise IndexError(f"index {position} is out of range")
    return position % count


class _ByIndex(Module):
    """Modules under the names "0", "1", …"""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())  # type: ignore[arg-type]

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, str(_position(index, len(self))), module)

    def __delitem__(self, index: Any) -> None:
        gone = range(len(self))[index] if isinstance(index, slice) else [_position(index, len(self))]
        for position in gone:
            delattr(self, str(position))
        self._renumber_impl(list(self._modules.values()))

    def _renumber_impl(self, modules: Iterable[Module | None]) -> None:
        self.__dict__["_modules"] = {str(i): module for i, module in enumerate(modules)}

    def append(self, module: Module) -> _ByIndex:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: object) -> Any:
        """Remove a module and return it."""
        found = self[key]
        del self[key]
        return found

    def __getitem__(self, index: object) -> Any:
        raise NotImplementedError


def _name(modules: Sequential, index: int) -> str:
    return list(modules._modules)[_position(index, len(modules))]


def _factor(modules: Sequential, count: object) -> int:
    """How often the modules are repeated."""
    if not isinstance(count, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(modules)} and {type(count)}")
    if count <= 0:
        raise ValueError(f"Non-positive multiplication factor {count} for {type(modules)}")
    return count


class Sequential(_ByIndex):
    """Modules that are called one after the other."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[_name(self, index)]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, _name(self, index), module)

    def __delitem__(self, index: Any) -> None:
        gone = list(self._modules)[index] if isinstance(index, slice) else [_name(self, index)]
        for name in gone:
            delattr(self, name)
        self._renumber_impl(list(self._modules.values()))

    def __add__(self, other: object) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*list(self) * _factor(self, other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        return self.extend(list(self) * (_factor(self, other) - 1))

    def insert(self, index: int, module: Module) -> Sequential:
        """Insert a module at a position."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        at = index + len(self) if index < 0 else index
        for place in range(len(self), at, -1):  # by number: PyTorch refuses names in the same way
            self._modules[str(place)] = self._modules[str(place - 1)]
        self._modules[str(at)] = module
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def forward(self, input: Tensor) -> Tensor:
        for module in self:
            input = module(input)
        return input


class ModuleList(_ByIndex):
    """A list of modules; it can't be called itself."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[str(_position(index, len(self)))]

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before a position."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber_impl(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in modules:
            self.append(module)
        return self

    def __repr__(self) -> str:
        blocks: list[tuple[int, int, str]] = []
        for index, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1] = (blocks[-1][0], index, text)
            else:
                blocks.append((index, index, text))
        if not blocks:
            return f"{self._get_name()}()"
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in blocks
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(line.replace("\n", "\n  ") for line in lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules."""

    def __init__(self, modules: object = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module | None:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module | None:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: object) -> None:
        """Add or replace modules, from a mapping or from pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, "
                f"but got {type(modules).__name__}"
            )
        for name, module in _pairs(modules, "ModuleDict"):
            self[name] = module


def _pairs(given: Any, what: str) -> Iterator[tuple[str, Any]]:
    """Names and values, of a mapping or of a sequence of pairs."""
    if isinstance(given, Mapping | ModuleDict | ParameterDict):
        yield from given.items()
        return
    for at, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{what} update sequence element #{at} should be Iterable; is{type(pair).__name__}")
        name, *values = pair
        if len(values) != 1:
            raise ValueError(f"{what} update sequence element #{at} has length {len(values) + 1}; 2 is required")
        yield name, values[0]


def _held(name: int, value: object) -> str:
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({name}): {kind} containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(Module):
    """A list of parameters; tensors become parameters, other values are kept as they are."""

    def __init__(self, values: Iterable[object] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(len(self)))])
        return getattr(self, str(_position(index, len(self))))

    def __setitem__(self, index: Any, value: object) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(_position(index, len(self))), value)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __iadd__(self, values: Iterable[object]) -> ParameterList:
        return self.extend(values)

    def append(self, value: object) -> ParameterList:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[object]) -> ParameterList:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(_held(index, value) for index, value in enumerate(self))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters."""

    def __init__(self, parameters: object = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, str(key))

    def __setitem__(self, key: str, value: object) -> None:
        self._keys[key] = None
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(key), value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace parameters, from a mapping or from pairs."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, "
                f"but got {type(parameters).__name__}"
            )
        pairs: Iterable[tuple[str, Any]] = _pairs(parameters, "ParameterDict")
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs)
        for name, value in pairs:
            self[name] = value

    def get(self, key: str, default: object = None) -> Any:
        """Return a parameter, or `default`."""
        if key not in self:
            return default
        return self[key]

    def setdefault(self, key: str, default: object = None) -> Any:
        """Return a parameter, which is set to `default` if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, object]:
        """Remove the newest parameter and return it with its name."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self) -> None:
        """Remove all parameters."""
        for key in list(self._keys):
            del self[key]

    def copy(self) -> ParameterDict:
        """Return another dictionary of the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def fromkeys(self, keys: Iterable[str], default: object = None) -> ParameterDict:
        """Return a dictionary with one value for all names."""
        return ParameterDict([(key, default) for key in keys])

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __or__(self, other: ParameterDict) -> ParameterDict:
        found = self.copy()
        found.update(other)
        return found

    def extra_repr(self) -> str:
        lines = []
        for key, value in self.items():
            if isinstance(value, Tensor):
                kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
                size = "x".join(map(str, value.shape))
                lines.append(f"  ({key}): {kind} containing: [{value.dtype.label} of size {size}]")
            else:
                lines.append(f"  ({key}): Object of type: {type(value).__name__}")
        return "\n".join(lines)

    def __call__(self, input: object) -> Any:
        raise RuntimeError("ParameterDict should not be called.")
