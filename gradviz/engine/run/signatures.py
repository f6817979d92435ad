"""PyTorch's errors for arguments that fit none of a function's signatures.

PyTorch parses the arguments of its own functions by signatures, before it looks at any value. The signatures of those
that GradViz has are recorded in `resources/pytorch_signatures.txt`, and the parser here follows PyTorch's. It runs only
after a function of the engine raised an error: if PyTorch would have refused the arguments, its words replace the
engine's. The caller is `api.py`."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from gradviz import RESOURCES
from gradviz.engine.kernel import devices, dtypes, memory
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.distributions import Generator
from gradviz.engine.run.overrides import WRITTEN_IN_PYTHON

_RECORDED = (RESOURCES / "pytorch_signatures.txt").read_text(encoding="utf-8")
_TITLES = {
    "Scalar": "Number", "int64_t": "int", "SymInt": "int", "double": "float", "TensorList": "tuple of Tensors",
    "c10::List<::std::optional<Tensor>>": "tuple of Tensors", "IntArrayRef": "tuple of ints",
    "SymIntArrayRef": "tuple of ints", "ArrayRef<double>": "tuple of floats", "ArrayRef<Scalar>": "tuple of Scalars",
    "ScalarList": "tuple of Scalars", "Generator": "torch.Generator", "Storage": "torch.Storage",
    "PyObject*": "object", "ScalarType": "torch.dtype", "Layout": "torch.layout", "Device": "torch.device",
    "MemoryFormat": "torch.memory_format", "std::string": "str", "c10::string_view": "str", "std::string_view": "str",
    "Dimname": "name", "DimnameList": "tuple of names", "Stream": "torch.Stream",
}  # fmt: skip
_OTHER_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
_TENSOR_OR_NUMBER = frozenset(
    f"{name}{end}"
    for name in "add div divide mul multiply sub subtract true_divide floor_divide copy to".split()
    for end in ("", "_")
)
_PARAMETER = re.compile(r"(\S+?)(?:\[(\d*)\])?(\?)? (\w+)(?:=(.*))?")
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8  # CPython's flags of a type


@dataclass(frozen=True)
class _Parameter:
    """One parameter of a signature; `kind` is PyTorch's name of its type."""

    name: str
    kind: str
    optional: bool
    none: bool  # accepts None
    keyword_only: bool
    broadcast: bool  # a single number stands for a list
    text: str

    @property
    def title(self) -> str:
        """The name of the type in messages."""
        return _TITLES.get(self.kind, self.kind)

    def given(self, keywords: Mapping[str, object]) -> str:
        """The keyword that passes it; "" if there is none."""
        return next((name for name in (self.name, *_OTHER_NAMES.get(self.name, ())) if name in keywords), "")


@dataclass(frozen=True)
class _Signature:
    """One way to call a function; a `hidden` one is matched, but not shown."""

    function: str
    parameters: tuple[_Parameter, ...]
    hidden: bool
    text: str

    @property
    def positional(self) -> int:
        """How many arguments may be positional."""
        return sum(not each.keyword_only for each in self.parameters)

    @property
    def least(self) -> int:
        """How many are required."""
        return sum(not each.optional for each in self.parameters)

    def read(self, args: Sequence[object], keywords: Mapping[str, object]) -> None:
        """Match the arguments; raises PyTorch's error if they do not fit."""
        name, spread = self.function, self.positional == 1 and self.parameters[0].kind in _INTS
        if len(args) > self.positional and not spread:
            self._too_many(len(args))
        at, left = 0, len(keywords)
        for index, each in enumerate(self.parameters):
            by_name = at >= len(args)
            if not by_name and each.keyword_only:
                self._too_many(len(args))
            keyword = each.given(keywords) if by_name else ""
            if by_name and not keyword:
                if not each.optional:
                    self._missing(index)
                continue
            value = keywords[keyword] if by_name else args[at]
            taken = (value is None and each.none) or _takes(each, value, name, index)
            if not taken and spread and at == 0 and not by_name and _takes_ints(args, False):
                _check_elements(name, each, args)
                at = len(args)
                continue
            if not taken and not by_name and len(args) > self.positional:
                self._too_many(len(args))
            if not taken:
                where = "" if by_name else f" (position {at + 1})"
                what = f"must be {each.title}, {_found(each, value, by_name)}"
                raise TypeError(f"{name}(): argument '{each.name}'{where} {what}")
            _check_elements(name, each, value)
            at, left = at + (not by_name), left - by_name
        if left:
            self._unknown(args, keywords)

    def _too_many(self, count: int) -> NoReturn:
        most, least = self.positional, self.least
        if least != most:
            raise TypeError(
                f"{self.function}() takes from {least} to {most} positional arguments but {count} were given"
            )
        raise TypeError(
            f"{self.function}() takes {most} positional argument{'s' * (most != 1)} but {count} "
            f"{'was' if count == 1 else 'were'} given"
        )

    def _missing(self, start: int) -> NoReturn:
        names = [f'"{each.name}"' for each in self.parameters[start:] if not each.optional]
        plural = "s" if len(names) == 1 else ""  # sic
        raise TypeError(
            f"{self.function}() missing {len(names)} required positional argument{plural}: {', '.join(names)}"
        )

    def _unknown(self, args: Sequence[object], keywords: Mapping[str, object]) -> NoReturn:
        names = [each.name for each in self.parameters]
        for key in keywords:
            if key not in names:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{key}'")
            if names.index(key) < len(args):
                raise TypeError(f"{self.function}() got multiple values for argument '{key}'")
        raise TypeError("invalid keyword arguments")


def refusal(key: str, args: Sequence[object], keywords: Mapping[str, object]) -> TypeError | None:
    """PyTorch's error for these arguments of a function; `key` is its place in the recorded list: `torch.add`."""
    if key in _passed_on():
        key, args, keywords = _inner(_passed_on()[key], args, keywords)
    if key not in _lines():
        return None
    known = _signatures(key)
    if key.startswith("Tensor."):
        if not args or not isinstance(args[0], Tensor):
            return _no_method_of(key, args)
        args = args[1:]
    try:
        if not known:
            _read_nothing(key, len(args), keywords)
        else:
            _read(known, args, keywords)
    except TypeError as refused:
        return refused
    return None


_NUMBER_KINDS = ("Scalar", "double", "int64_t", "SymInt")


def in_order(key: str, args: Sequence[object], keywords: Mapping[str, object]) -> Call | None:
    """The same call with arguments by place, as far as the signature that they fit allows, and with numbers for tensors
    that stand for one. None if that changes nothing."""
    offset = key.startswith("Tensor.")
    for each in _signatures(key) if in_c(key) else ():
        if not _fits(each, args[offset:], keywords):
            continue
        placed, named = list(args), dict(keywords)
        for parameter in each.parameters[len(args) - offset :]:
            name = parameter.given(named)
            if parameter.keyword_only or not name:
                break
            placed.append(named.pop(name))
        for at, (value, parameter) in enumerate(zip(placed[offset:], each.parameters, strict=False), start=offset):
            if isinstance(value, Tensor) and parameter.kind in _NUMBER_KINDS:
                placed[at] = value.item()
        changed = len(named) != len(keywords) or any(a is not b for a, b in zip(args, placed, strict=False))
        return (key, placed, named) if changed else None
    return None


def in_present_form(key: str, args: Sequence[object], keywords: Mapping[str, object]) -> Call | None:
    """The same call of a form that PyTorch keeps for old programs, with its factors by name: `addmm(beta, x, a, b)` is
    `addmm(x, a, b, beta=beta)`. Warns once, as PyTorch does; None for the forms of today."""
    offset = key.startswith("Tensor.")
    known = _signatures(key) if in_c(key) else ()
    older = [each for each in known if each.hidden and any(one.kind == "Scalar" for one in each.parameters)]
    if not older or not any(map(_is_number, args)):
        return None
    found = next((each for each in known if _fits(each, args[offset:], keywords)), None)
    if found not in older:
        return None
    present = "".join(f"\n\t{each.function}{each.text}" for each in known if not each.hidden)
    warn_once("older form", _OLDER_FORM.format(found.function, found.text, present))
    given = list(zip(found.parameters, args[offset:], strict=False))
    factors = {each.name: value for each, value in given if each.kind == "Scalar"}
    return key, [*args[:offset], *(value for each, value in given if each.kind != "Scalar")], {**keywords, **factors}


_OLDER_FORM = (
    "This overload of {0} is deprecated:\n\t{0}{1}\nConsider using one of the following signatures instead:{2} "
    "(Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp:1841.)"
)


def _fits(signature: _Signature, args: Sequence[object], keywords: Mapping[str, object]) -> bool:
    try:
        signature.read(args, keywords)
    except TypeError:
        return False
    return True


def in_c(key: str) -> bool:
    """Whether PyTorch parses the arguments of a function by signatures before anything else."""
    return bool(_lines().get(key))


def is_listed(key: str) -> bool:
    """Whether the arguments of a function are known, and be it that it has none."""
    return key in _lines()


def _inner(text: str, args: Sequence[object], keywords: Mapping[str, object]) -> Call:
    """The arguments that a function written in Python passes on to one that is not."""
    header, _, inner = text.partition(") -> ")
    name, _, wanted = inner.partition(": ")
    names = [part.partition("=")[0] for part in header.split(", ")]
    if len(args) > len(names) or not set(keywords) <= set(names[len(args) :]):
        return "", (), {}  # raises Python's own error
    given = {**dict.fromkeys(names, _ANYTHING), **dict(zip(names, args, strict=False)), **keywords}
    if any("=" not in part and given[part] is _ANYTHING for part in header.split(", ")):
        return "", (), {}
    return f"inner.{name}", tuple(given.get(each, _ANYTHING) for each in wanted.split()), {}


def _no_method_of(key: str, args: Sequence[object]) -> TypeError:
    """A method that was called through the class, on something else."""
    if not args:
        return TypeError(f"unbound method TensorBase.{key.removeprefix('Tensor.')}() needs an argument")
    return TypeError(
        f"descriptor '{key.removeprefix('Tensor.')}' for 'torch._C.TensorBase' objects doesn't apply to a "
        f"'{type_name(args[0])}' object"
    )


def _read_nothing(key: str, count: int, keywords: Mapping[str, object]) -> None:
    """A method that takes no arguments."""
    key = key.replace("Tensor.", "TensorBase.")
    if keywords:
        raise TypeError(f"{key}() takes no keyword arguments")
    if count:
        raise TypeError(f"{key}() takes no arguments ({count} given)")


def _read(known: Sequence[_Signature], args: Sequence[object], keywords: Mapping[str, object]) -> None:
    if len(known) == 1:
        known[0].read(args, keywords)
        return
    for each in known:
        try:
            each.read(args, keywords)
        except TypeError as refused:
            if str(refused).startswith("expected Tensor") or "failed to unpack" in str(refused):
                raise
        else:
            return
    count = len(args) + len(keywords)
    plausible = [each for each in known if each.least <= count <= len(each.parameters) and not each.hidden]
    if len(plausible) == 1:
        plausible[0].read(args, keywords)
    raise TypeError(listed(known[0].function, [each.text for each in known if not each.hidden], args, keywords))


# --- the signatures ---


@functools.cache
def _lines() -> dict[str, list[str]]:
    """The recorded lines of each function, by place and name."""
    found: dict[str, list[str]] = {}
    place = ""
    for line in _RECORDED.splitlines():
        if line.startswith("["):
            place = line.strip("[]")
        elif place in ("passed on", "overridden in Python"):
            continue
        elif line.endswith("()-"):
            found[f"{place}.{line[:-3]}"] = []
        elif line:
            name, _, rest = line.rpartition(": ")
            found.setdefault(f"{place}.{name or rest.partition('(')[0]}", []).append(rest)
    return found


@functools.cache
def _signatures(key: str) -> tuple[_Signature, ...]:
    """The signatures of one function, parsed on first use."""
    return tuple(sorted(map(_signature, _lines()[key]), key=operator.attrgetter("hidden")))


def _section(title: str) -> list[str]:
    return _RECORDED.partition(f"[{title}]\n")[2].partition("\n[")[0].splitlines()


for _line in _section("overridden in Python"):
    _function, _, _header = _line.partition("(")
    WRITTEN_IN_PYTHON[_function] = _header[:-1]


@functools.cache
def _passed_on() -> dict[str, str]:
    """The functions of `torch.nn.functional` that are written in Python, and what they call."""
    lines = _section("passed on")
    return {f"nn.functional.{name}": rest for name, _, rest in (line.partition("(") for line in lines)}


def _signature(text: str) -> _Signature:
    function, _, rest = text.partition("(")
    body, _, flag = rest.rpartition(")")
    parameters, only = [], False
    for part in re.split(r", (?![^\[({]*[\])}])", body) if body else []:
        if part == "*":
            only = True
            continue
        matched = _PARAMETER.fullmatch(part)
        assert matched is not None, text
        kind, size, none, name, default = matched.groups()
        shown = f"{_TITLES.get(kind, kind)} {name}" + ("" if default is None else f" = {default}")
        takes_none = none is not None or default == "None"
        parameters.append(_Parameter(name, kind, default is not None, takes_none, only, bool(size), shown))
    at = next((i for i, each in enumerate(parameters) if each.keyword_only), None)
    written = [each.text for each in parameters]
    if at is not None:
        written.insert(at, "*")
    return _Signature(function, tuple(parameters), bool(flag), f"({', '.join(written)})")


# --- which values a parameter accepts ---


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def _is_real(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) or _is_scalar_tensor(value)


def _is_int(value: object) -> bool:
    if isinstance(value, Tensor):
        return value.dtype.np.kind in "iu" and _is_scalar_tensor(value)
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_scalar_tensor(value: object) -> bool:
    return isinstance(value, Tensor) and not value._requires_grad and value.ndim == 0


def _is_index(value: object) -> bool:
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.np.kind in "iub"
    return hasattr(type(value), "__index__") and not isinstance(value, bool)


def _takes_ints(value: object, broadcast: bool) -> bool:
    if isinstance(value, (tuple, list)):
        return not value or _is_index(value[0])
    return broadcast and _is_int(value)


Call = tuple[str, Sequence[object], Mapping[str, object]]
_ANYTHING = object()  # an argument that is not looked at
_INTS = ("IntArrayRef", "SymIntArrayRef")
_PYTHON_TYPES = (float, int, bool, complex)
_TAKEN: dict[str, Callable[[object], bool]] = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "Scalar": lambda value: _is_number(value) or _is_scalar_tensor(value),
    "complex": lambda value: isinstance(value, complex) or _is_real(value),
    "double": _is_real,
    "int64_t": _is_int,
    "SymInt": _is_int,
    "DeviceIndex": _is_int,
    "bool": lambda value: isinstance(value, bool),
    "Generator": lambda value: isinstance(value, Generator),
    "Storage": lambda value: False,
    "ScalarType": lambda value: isinstance(value, dtypes.dtype) or any(value is each for each in _PYTHON_TYPES),
    "Layout": lambda value: isinstance(value, memory.layout),
    "MemoryFormat": lambda value: isinstance(value, memory.memory_format),
    "Device": lambda value: isinstance(value, (str, devices.device)) or _is_int(value),
    "Dimname": lambda value: isinstance(value, str),
    "DimnameList": lambda value: isinstance(value, (tuple, list)) and all(isinstance(each, str) for each in value),
    **dict.fromkeys(("std::string", "c10::string_view", "std::string_view"), lambda value: isinstance(value, str)),
    **dict.fromkeys(
        ("ScalarList", "ArrayRef<Scalar>", "ArrayRef<double>"),
        lambda value: isinstance(value, (tuple, list)) and all(map(_is_number, value)),
    ),
}


def _takes(parameter: _Parameter, value: object, function: str, index: int) -> bool:
    if value is _ANYTHING:
        return True
    if parameter.kind in _INTS:
        return _takes_ints(value, parameter.broadcast)
    if parameter.kind in ("TensorList", "c10::List<::std::optional<Tensor>>"):
        if not isinstance(value, (tuple, list)):
            return False
        for at, each in enumerate(value):
            if not isinstance(each, Tensor) and not (each is None and parameter.kind != "TensorList"):
                raise TypeError(f"expected Tensor as element {at} in argument {index}, but got {type_name(each)}")
        return True
    if parameter.kind == "Tensor" and function in _TENSOR_OR_NUMBER and _is_number(value):
        return True
    takes = _TAKEN.get(parameter.kind)
    return takes is None or takes(value)


def _check_elements(function: str, parameter: _Parameter, value: object) -> None:
    """Check only the first of a list of numbers when signatures are compared."""
    if parameter.kind not in _INTS or not isinstance(value, (tuple, list)):
        return
    items = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
    for at, each in enumerate(items):  # the stored items: a custom `__iter__` is used only by the operation itself
        if not (_is_index(each) or isinstance(each, bool)):
            raise TypeError(
                f"{function}(): argument '{parameter.name}' failed to unpack the object at pos {at + 1} with error "
                f'"type must be tuple of ints,but got {type_name(each)}"'
            )


def _found(parameter: _Parameter, value: object, by_name: bool) -> str:
    if not by_name and parameter.kind in _INTS and isinstance(value, (tuple, list)):
        return f"but found element of type {type_name(value[0])} at pos 0"
    return f"not {type_name(value)}"


def type_name(value: object) -> str:
    """The type name of a value in C: with its module, unless it was made in Python."""
    kind = type(value)
    name, home = kind.__name__, kind.__module__
    if isinstance(value, Tensor):
        return name
    in_c = not kind.__flags__ & _HEAP_TYPE or kind.__flags__ & _IMMUTABLE_TYPE
    if home in ("torch", "torch._C", "torch.return_types", "numpy") or (in_c and home != "builtins"):
        return f"{home}.{name}"
    return name


# --- the list of all signatures ---


_BUCKETS, _MASK, _FACTOR = 13, (1 << 64) - 1, 0xC6A4A7935BD1E995


def _in_hash_order(keywords: Mapping[str, object]) -> dict[str, object]:
    """The keywords in the order of a C++ table: each goes before those of its bucket, or else before all."""
    order: list[tuple[int, str]] = []
    for name in keywords:
        bucket = _hashed(name.encode()) % _BUCKETS
        at = next((at for at, (taken, _) in enumerate(order) if taken == bucket), 0)
        order.insert(at, (bucket, name))
    return {name: keywords[name] for _, name in order}


def _hashed(text: bytes) -> int:
    """The hash of a string in the C++ library that PyTorch is built with, a MurmurHash."""
    found = 0xC70F6907 ^ (len(text) * _FACTOR & _MASK)
    whole = len(text) & ~7
    for at in range(0, whole, 8):
        part = int.from_bytes(text[at : at + 8], "little") * _FACTOR & _MASK
        found = (found ^ ((part ^ part >> 47) * _FACTOR & _MASK)) * _FACTOR & _MASK
    if whole < len(text):
        found = (found ^ int.from_bytes(text[whole:], "little")) * _FACTOR & _MASK
    found = (found ^ found >> 47) * _FACTOR & _MASK
    return found ^ found >> 47


def listed(name: str, texts: Sequence[str], args: Sequence[object], keywords: Mapping[str, object]) -> str:
    """PyTorch's error for arguments that fit none of the forms of a function."""
    named = _in_hash_order(keywords)
    start = f"{name}() received an invalid combination of arguments - got "
    described = [type_name(each) for each in args] + [f"{key}={type_name(each)}" for key, each in named.items()]
    got = _bracketed(described, args)
    if len(texts) == 1:
        option = _parts(texts[0])
        if len(option) == len(described):
            unknown = _unmatched(option, named)
            if unknown:
                return f"{start.removesuffix('got ')}got unrecognized keyword arguments: {', '.join(unknown)}"
            got = _marked(option, args, named)
        elif unknown := _unmatched(option, named):
            return f"{start}unrecognized keyword arguments: {', '.join(unknown)}"
        return f"{start}{got}, but expected {texts[0]}"
    lines = [f"{start}{got}, but expected one of:"]
    why = "      didn't match because some of the"
    for text in texts:
        lines.append(f" * {text}")
        option = _parts(text)
        if len(option) == len(described):
            unknown = _unmatched(option, named)
            lines.append(
                f"{why} keywords were incorrect: {', '.join(unknown)}"
                if unknown
                else f"{why} arguments have invalid types: {_marked(option, args, named)}"
            )
    return "\n".join(lines) + "\n"


def _bracketed(described: Sequence[str], args: Sequence[object]) -> str:
    inside = "".join(f"{each}, " for each in described)
    return f"({inside[:-2] if args else inside})"


def _parts(text: str) -> list[tuple[str, str]]:
    """The (type, name) of each part between commas, parsed as PyTorch parses its own text: "*" counts, and a parameter
    with a default has the default as its name."""
    found = []
    for part in text[1:-1].split(", "):
        kind, _, name = part.rpartition(" ")
        found.append((kind or name, name))
    return found


def _unmatched(option: Sequence[tuple[str, str]], named: Mapping[str, object]) -> list[str]:
    known = [name for _, name in option[max(len(option) - len(named), 0) :]]
    return [key for key in named if key not in known]


def _marked(option: Sequence[tuple[str, str]], args: Sequence[object], named: Mapping[str, object]) -> str:
    """The given types, with those that differ from the expected ones between exclamation marks."""
    found = []
    for at, (kind, name) in enumerate(option):
        value = args[at] if at < len(args) else named[name]
        shown = ("" if at < len(args) else f"{name}=") + _described(value)
        expected = ("float", "int") if kind == "float" else (kind,)
        found.append(shown if type_name(value) in expected else f"!{shown}!")
    return _bracketed(found, args)


def _described(value: object) -> str:
    """The type of a value, with the types of its elements if it is a list."""
    kind = type_name(value)
    if isinstance(value, list):
        return f"{kind} of [{', '.join(map(type_name, value))}]"
    if isinstance(value, tuple):
        inside = ", ".join(map(type_name, value))
        return f"{kind} of ({inside}{',' if len(value) == 1 else ''})"
    return kind
