"""What can be placed in a drawing: one entry per operation of PyTorch that the engine has, with its ports and
parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gradviz.document.drawing import Literal


@dataclass(frozen=True)
class Port:
    """A tensor operand. `optional`: may stay open; `number`: takes a plain number too; `variadic`: any number of
    tensors, and the only port of its kind."""

    name: str
    optional: bool = False
    number: bool = False
    variadic: bool = False


@dataclass(frozen=True)
class Parameter:
    """An argument that is no tensor. `kind` says how it is edited: "int", "float", "bool", "number", "dim", "dims",
    "shape", "choice" (one of `choices`), "dtype", "text", "numbers", "index"."""

    name: str
    kind: str
    default: Literal = None
    required: bool = False
    optional: bool = False  # None is allowed
    choices: tuple[str, ...] = ()
    keyword_only: bool = False


@dataclass(frozen=True)
class Entry:
    """One operation. `key` is its dotted name under `torch` ("mul", "nn.functional.linear", "linalg.norm"), or
    "Tensor.view" for one that is a method only. `style` is how it is written: "operator" (with `operator`), "function",
    "method", "attribute" (`x.T`), "index" (`x[…]`)."""

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


@cache
def catalogue() -> Mapping[str, Entry]:
    """All entries by key, those used most first in each category."""
    return {}


def find(query: str, most: int = 30) -> tuple[Entry, ...]:
    """The entries that fit what was typed, best first; all of the common ones for nothing typed."""
    return ()
