"""What can be placed in a drawing: one entry per operation of PyTorch that the engine has, with its ports and
parameters. The data are `resources/catalogue.json`, which `gradviz.engine.catalogue` makes; the engine is not needed
here. How entries are looked for: `finding`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gradviz.document.drawing import Literal, Operation

FILE = Path(__file__).resolve().parents[2] / "resources" / "catalogue.json"


@dataclass(frozen=True)
class Port:
    """A tensor operand. `optional`: may stay open; `number`: takes a plain number too; `variadic`: any number of
    tensors, and the only port of its kind, written as a list, or one after another where they are `spread`;
    `explicit`: where it stays open, None is written."""

    name: str
    optional: bool = False
    number: bool = False
    variadic: bool = False
    spread: bool = False
    keyword_only: bool = False
    explicit: bool = False


@dataclass(frozen=True)
class Parameter:
    """An argument that is no tensor. `kind` says how it is edited: "int", "float", "bool", "number", "dim", "dims" (one
    or several), "ints" (one or several), "shape", "choice" (one of `choices`), "dtype", "text", "numbers", "index".
    `choices` of another kind are texts that are possible too. A person writes a `positional` one without its name, and
    a `spread` one as several arguments: `x.view(2, 3)`."""

    name: str
    kind: str
    default: Literal = None
    required: bool = False
    optional: bool = False  # None is allowed
    choices: tuple[str, ...] = ()
    keyword_only: bool = False
    positional: bool = False
    spread: bool = False


@dataclass(frozen=True)
class Entry:
    """One operation. `key` is its dotted name under `torch` ("mul", "nn.functional.linear", "linalg.norm"), or
    "Tensor.view" for one that is a method only. `style` is how it is written: "operator" (with `operator`), "function",
    "method", "attribute" (`x.T`), "index" (`x[…]`). `order` has the names of ports and parameters in the order of the
    signature, `aliases` the other names that PyTorch has for it, in the form of keys. Of what `many` says how many
    outputs there are: see `outputs`; `more` are outputs that are there once an argument is given."""

    key: str
    name: str
    category: str
    symbol: str
    brief: str
    formula: str
    ports: tuple[Port, ...]
    params: tuple[Parameter, ...] = ()
    outputs: tuple[str, ...] = ("result",)
    style: str = "function"
    operator: str = ""
    words: tuple[str, ...] = ()  # what else it is found by
    link: str = ""
    order: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()  # (parameter, output)
    many: str = ""
    used: int = 0  # in how many of 725 snippets that were counted
    gradients: tuple[tuple[str, str], ...] = ()  # (input, how a person writes its gradient)

    def port(self, name: str) -> Port | None:
        """The port of this name."""
        return next((each for each in self.ports if each.name == name), None)

    def param(self, name: str) -> Parameter | None:
        """The parameter of this name."""
        return next((each for each in self.params if each.name == name), None)


@cache
def catalogue() -> Mapping[str, Entry]:
    """All entries by key, those used most first in each category."""
    return MappingProxyType({each["key"]: _entry(each) for each in json.loads(FILE.read_text(encoding="utf-8"))})


@cache
def _names() -> Mapping[str, str]:
    known = {alias: entry.key for entry in catalogue().values() for alias in entry.aliases}
    return known | {key: key for key in catalogue()}


def named(name: str) -> Entry | None:
    """The entry that code calls by this name: "mul", "multiply", "nn.functional.relu", "Tensor.sum"."""
    key = _names().get(name)
    return None if key is None else catalogue()[key]


def outputs(entry: Entry, operation: Operation) -> tuple[str, ...]:
    """What the outputs of this node are called in PyTorch: `x.max()` has one and `x.max(dim=0)` has two. Where only a
    run can tell how many there are (`x.unbind()`), there are as many as have names."""
    given = {name: value for name, value in operation.params if value is not None and value is not False}
    if not entry.many:
        return entry.outputs + tuple(name for param, name in entry.more if param in given)
    value, count = given.get(entry.many), len(operation.names)
    if entry.many == "inputs":
        count = len(operation.inputs)
    elif isinstance(value, tuple):
        count = len(value) + (entry.many == "indices_or_sections")
    elif isinstance(value, int) and entry.many != "split_size_or_sections":
        count = value
    return tuple(f"output {at}" for at in range(max(1, min(count, 100))))


def _entry(data: dict[str, Any]) -> Entry:
    ports = tuple(Port(**each) for each in data.pop("ports"))
    params = tuple(Parameter(**_frozen(each)) for each in data.pop("params", ()))
    return Entry(ports=ports, params=params, **_frozen(data))


def _frozen(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in data.items()}


def _tuple(value: Any) -> Any:
    return tuple(_tuple(each) for each in value) if isinstance(value, list) else value


def find(query: str, most: int = 30) -> tuple[Entry, ...]:
    """The entries that fit what was typed, best first; all of the common ones for nothing typed."""
    from gradviz.document.finding import find as search

    return search(query, most)
