"""What can be placed in a drawing: one entry per PyTorch operation that the engine has, with its ports and parameters.
The data are in `resources/catalogue.json`, which `gradviz.engine.catalogue` generates; the engine is not needed here.
`find` looks up an operation by what a person types: a name, a part of one, an operator (`+`), a formula (`x^2`), a
synonym, a name with a typo."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from gradviz import RESOURCES
from gradviz.document.drawing import Literal, Operation, names_in_place

FAR = 20  # that much more used, `cross_entropy` is what "cross" means
_BIG = 1 << 20
FILE = RESOURCES / "catalogue.json"


@dataclass(frozen=True)
class Port:
    """A tensor operand. `optional`: may stay open; `number`: also takes a plain number; `variadic`: any number of
    tensors, and the last port, written as a list, or one after another if they are `spread`; `explicit`: if
    it stays open, None is written."""

    name: str
    optional: bool = False
    number: bool = False
    variadic: bool = False
    spread: bool = False
    keyword_only: bool = False
    explicit: bool = False


@dataclass(frozen=True)
class Parameter:
    """An argument that is not a tensor. `kind` says how it is edited: "int", "float", "bool", "number", "dim", "dims"
    (one or several), "ints" (one or several), "shape", "choice" (one of `choices`), "dtype", "text", "numbers",
    "index". `choices` of another kind are texts that are also possible. A `positional` one is written without its name,
    and a `spread` one as several arguments: `x.view(2, 3)`."""

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
    "Tensor.view" for one that is only a method. `style` is how it is written: "operator" (with `operator`), "function",
    "method", "attribute" (`x.T`), "index" (`x[…]`). `order` has the names of ports and parameters in the order of the
    signature, `aliases` the other names that PyTorch has for it, in the form of keys. `many` says how many outputs
    there are: see `outputs`; `more` are outputs that exist if an argument is given."""

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
    words: tuple[str, ...] = ()  # further search terms
    link: str = ""
    order: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()  # (parameter, output)
    many: str = ""
    used: int = 0  # in how many of 725 counted snippets
    gradients: tuple[tuple[str, str], ...] = ()  # (input, how a person writes its gradient)
    shares: bool = False  # its results may be memory of its operands

    @property
    def in_place(self) -> bool:
        """Whether it writes its result into its first operand: `x.add_(1)`."""
        return names_in_place(self.name)

    def port(self, name: str) -> Port | None:
        """Return the port with this name."""
        return next((each for each in self.ports if each.name == name), None)

    def param(self, name: str) -> Parameter | None:
        """Return the parameter with this name."""
        return next((each for each in self.params if each.name == name), None)


@cache
def catalogue() -> Mapping[str, Entry]:
    """Return all entries by key, those used most first in each category."""
    return MappingProxyType({each["key"]: _entry(each) for each in json.loads(FILE.read_text(encoding="utf-8"))})


@cache
def _names() -> Mapping[str, str]:
    known = {alias: entry.key for entry in catalogue().values() for alias in entry.aliases}
    return known | {key: key for key in catalogue()}


def named(name: str) -> Entry | None:
    """Return the entry that code calls by this name: "mul", "multiply", "nn.functional.relu", "Tensor.sum"."""
    key = _names().get(name)
    return None if key is None else catalogue()[key]


def outputs(entry: Entry, operation: Operation) -> tuple[str, ...]:
    """Return PyTorch's names for the outputs of this node: `x.max()` has one and `x.max(dim=0)` has two. If only a run
    can tell how many there are (`x.unbind()`), there are as many as have names."""
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


@dataclass(frozen=True)
class _Card:
    """The part of an entry that is compared with the query; `at` is its place among all, those used most first."""

    entry: Entry
    at: int
    name: str
    names: tuple[str, ...]
    parts: tuple[str, ...]
    words: frozenset[str]
    signs: frozenset[str]
    text: str
    all: str  # all texts that a query may be a part of


@cache
def _cards() -> tuple[_Card, ...]:
    order = sorted(catalogue().values(), key=lambda entry: -entry.used)
    return tuple(_card(entry, at) for at, entry in enumerate(order))


def _card(entry: Entry, at: int) -> _Card:
    name = entry.name.lower()
    names = {alias.rsplit(".", 1)[-1].lower() for alias in entry.aliases}
    signs = {entry.operator, entry.symbol, *(word for word in entry.words if not word.isalnum())} - {""}
    text = f"{entry.key} {entry.brief} {' '.join(entry.words)} {entry.category}".lower()
    parts = tuple(part for part in re.split(r"[_.\W]+", name) if part)
    words = frozenset(word.lower() for word in entry.words)
    lower = frozenset(map(str.lower, signs))
    initials = "".join(part[0] for part in parts)
    everything = " ".join((name, name.replace("_", ""), initials, *names, *words, *lower, text))
    return _Card(entry, at, name, tuple(sorted(names)), parts, words, lower, text, everything)


def find(query: str, most: int = 30) -> tuple[Entry, ...]:
    """Return the matching entries, best first; for an empty query, those used most."""
    wanted = _normal(query)
    if not wanted:
        return tuple(card.entry for card in _cards()[:most])
    said = wanted.split()
    likely = [card for card in _cards() if all(word in card.all for word in said)]
    ranked = sorted((rank, card.at) for card in likely if (rank := _rank(wanted, card)) < _BIG)
    if not ranked and len(wanted) > 2:
        ranked = sorted((rank, card.at) for card in _cards() if (rank := _slip(wanted, card)) < _BIG)
    return tuple(_cards()[at].entry for _, at in ranked[:most])


def _normal(query: str) -> str:
    text = " ".join(query.lower().split())
    for start in ("torch.", "nn.functional.", "f.", "tensor.", "x."):
        text = text.removeprefix(start)
    return text.removesuffix("(").removesuffix("()") or query.strip().lower()


def _rank(wanted: str, card: _Card) -> int:
    """Return the rank, 0 for the best match."""
    if wanted in card.signs:
        return 0 if wanted == card.entry.operator else 1
    if wanted == card.name or (wanted == card.parts[0] and card.entry.used > FAR * _used(wanted)):
        return 1
    if wanted in card.words or wanted in card.names:
        return 2
    if card.name.startswith(wanted):
        return 3
    if any(part.startswith(wanted) for part in card.parts):
        return 4
    if any(name.startswith(wanted) for name in (*card.names, *card.words)):
        return 5
    if len(wanted) > 1 and wanted == "".join(part[0] for part in card.parts):
        return 6
    if wanted in card.name or wanted.replace(" ", "") in card.name.replace("_", ""):
        return 7
    if len(wanted) > 2 and all(word in card.text for word in wanted.split()):
        return 8
    return _BIG


@cache
def _used(name: str) -> float:
    """Return the use count of the entry with exactly this name; no bound if there is none."""
    found = [card.entry.used for card in _cards() if card.name == name]
    return max(found) if found else float("inf")


def _slip(wanted: str, card: _Card) -> int:
    """Return how many letters are wrong, if that is few."""
    allowed = 1 if len(wanted) < 6 else 2
    letters = set(wanted)
    alike = [name for name in (card.name, *card.names) if len(letters.difference(name)) <= allowed]
    wrong = min((_distance(wanted, name[: len(wanted) + 1], allowed) for name in alike), default=_BIG)
    return wrong if wrong <= allowed else _BIG


def _distance(a: str, b: str, most: int) -> int:
    """Return the number of letters inserted, deleted, changed or swapped with their neighbour; counting stops above
    `most`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
        if min(row) > most:
            return most + 1
    return row[-1]
