"""Finds operations and tensors of a trace by what a person types: a name, an operation, a module, a line, a shape, a
dtype, "nan", "freed". Pure, on the trace and not on the picture. `find` is fast enough for every key press: texts are
compared once per distinct text, never once per row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gradviz.session.groups import as_operation
from gradviz.session.state import Search, Selection, State

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

_TERM = re.compile(r"\[[^\]]*\]|\([^)]*\)|\S+")
_LINE = re.compile(r"(?:line:)?(\d+)")
_SHAPE = re.compile(r"\[[\d,\s]*\]|\(\d*(?:,\s*\d*)*\)|\d+(?:[x×]\d+)+")
_EXPRESSION = re.compile(r"[^\w.]")
WORDS = ("nan", "inf", "freed", "leaf", "parameter")


@dataclass(frozen=True, eq=False)
class Hits:
    """The results, best first (where the text is the whole name), then in order of creation."""

    is_node: Flags
    index: Ints

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, nth: int) -> Selection:
        return Selection("node" if self.is_node[nth] else "tensor", int(self.index[nth]))

    @property
    def nodes(self) -> Ints:
        """The operations among them."""
        return self.index[self.is_node]

    @property
    def tensors(self) -> Ints:
        """The tensors among them."""
        return self.index[~self.is_node]

    def place_of(self, thing: Selection | None) -> int:
        """The index of a thing among the hits, -1 for none."""
        if thing is None:
            return -1
        found = np.flatnonzero((self.index == thing.index) & (self.is_node == (thing.kind == "node")))
        return int(found[0]) if len(found) else -1


NOTHING = Hits(np.empty(0, bool), np.empty(0, np.int64))


@dataclass(eq=False)
class _Found:
    """The rows that a term has found, and those that it names in full."""

    nodes: Flags
    tensors: Flags
    exact_nodes: Flags
    exact_tensors: Flags

    def __and__(self, other: _Found) -> _Found:
        return _Found(
            self.nodes & other.nodes,
            self.tensors & other.tensors,
            self.exact_nodes & other.exact_nodes,
            self.exact_tensors & other.exact_tensors,
        )

    def __or__(self, other: _Found) -> _Found:
        return _Found(
            self.nodes | other.nodes,
            self.tensors | other.tensors,
            self.exact_nodes | other.exact_nodes,
            self.exact_tensors | other.exact_tensors,
        )


class _Column:
    """A column of texts with few distinct values, which are each tested once."""

    def __init__(self, texts: list[Any]) -> None:
        number: dict[Any, int] = {}
        self.codes = np.fromiter((number.setdefault(text, len(number)) for text in texts), np.int64, len(texts))
        self.distinct = [str(text).lower() for text in number]

    def where(self, test: Callable[[str], bool]) -> Flags:
        """The rows whose text passes a test."""
        passed = np.fromiter(map(test, self.distinct), bool, len(self.distinct))
        return passed[self.codes] if len(self.codes) else np.zeros(0, bool)


class Index:
    """The texts of a trace of one length, each column made on first use."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.length = len(trace)
        self._columns: dict[str, _Column] = {}
        self.latest: tuple[tuple[str, int], Hits] | None = None

    def column(self, table: str, name: str) -> _Column:
        """A column of texts."""
        key = f"{table}.{name}"
        if key not in self._columns:
            self._columns[key] = _Column(getattr(getattr(self.trace, table), name).tolist())
        return self._columns[key]

    def names(self) -> _Column:
        """The names of tensors, those of parameters with their module."""
        if "names" not in self._columns:
            names = self.trace.names
            pairs = zip(names.owner.tolist(), names.name.tolist(), strict=True)
            self._columns["names"] = _Column([f"{owner}.{name}" if owner else name for owner, name in pairs])
        return self._columns["names"]

    def empty(self) -> _Found:
        """Nothing found."""
        nodes, tensors = len(self.trace.nodes), len(self.trace.tensors)
        return _Found(*(np.zeros(count, bool) for count in (nodes, tensors, nodes, tensors)))


_INDEXES: WeakKeyDictionary[Trace, Index] = WeakKeyDictionary()


def _index(trace: Trace) -> Index:
    known = _INDEXES.get(trace)
    if known is None or known.length != len(trace):
        known = _INDEXES[trace] = Index(trace)
    return known


def find(trace: Trace, query: str, cursor: int) -> Hits:
    """The rows that match every word of the query; "freed" refers to the cursor, everything else to the whole trace."""
    terms = _TERM.findall(query)
    if not terms or not len(trace):
        return NOTHING
    index = _index(trace)
    key = query, cursor if "freed" in query.lower() else -1
    if index.latest is not None and index.latest[0] == key:
        return index.latest[1]
    found = _term(index, terms[0], cursor)
    for term in terms[1:]:
        found = found & _term(index, term, cursor)
    if len(terms) > 1:  # "w * x"
        found = found | _text(index, " ".join(query.split()).lower())
    hits = _ordered(trace, found)
    index.latest = key, hits
    return hits


def _ordered(trace: Trace, found: _Found) -> Hits:
    nodes, tensors = np.flatnonzero(found.nodes), np.flatnonzero(found.tensors)
    index = np.concatenate((nodes, tensors))
    is_node = np.arange(len(index)) < len(nodes)
    step = np.concatenate((trace.nodes.step[nodes], trace.tensors.step[tensors]))
    worse = ~np.concatenate((found.exact_nodes[nodes], found.exact_tensors[tensors]))
    order = np.lexsort((~is_node, step, worse))
    return Hits(is_node[order], index[order])


def _term(index: Index, term: str, cursor: int) -> _Found:
    word, found = term.lower(), index.empty()
    line, trace = _LINE.fullmatch(word), index.trace
    if line:
        found.nodes[:] = trace.nodes.line == int(line[1])
        found.tensors[:] = trace.tensors.line == int(line[1])
    elif _SHAPE.fullmatch(word):
        shape = tuple(map(int, re.findall(r"\d+", word)))
        found.tensors[:] = index.column("tensors", "shape").where(str(shape).__eq__)
    elif word in WORDS:
        _word(trace, word, cursor, found)
    else:
        return _text(index, word)
    return found


def _word(trace: Trace, word: str, cursor: int, found: _Found) -> None:
    if word == "freed":
        found.nodes[trace.saved.node[trace.saved.freed < cursor]] = True
    elif word == "leaf":
        requires = trace.tensors.requires_grad.copy()
        requires[trace.flags.tensor[trace.flags.requires_grad]] = True
        found.tensors[:] = trace.tensors.is_leaf & requires
    elif word == "parameter":
        found.tensors[:] = trace.tensors.is_parameter
    else:
        _not_finite(trace, np.isnan if word == "nan" else np.isinf, found)


def _not_finite(trace: Trace, test: Callable[[Any], Any], found: _Found) -> None:
    """Tensors whose value or gradient is not finite at any time, and operations that sent such a gradient."""
    bad = np.append(test(trace.values.norm), False)  # the last entry is that of value -1, none
    found.tensors[:] = bad[trace.tensors.value]
    for table, value in ((trace.writes, "value"), (trace.grads, "value"), (trace.arrivals, "total")):
        rows = bad[getattr(table, value)]
        tensors = table.tensor[rows]
        found.tensors[tensors[tensors >= 0]] = True
    nodes = trace.flows.node[bad[trace.flows.value]]
    found.nodes[nodes[nodes >= 0]] = True


def _text(index: Index, word: str) -> _Found:
    trace, found = index.trace, index.empty()
    for name in ("op", "name", "symbol", "scope"):
        column = index.column("nodes", name)
        found.nodes |= column.where(lambda text: word in text)
        found.exact_nodes |= column.where(word.__eq__)
    dtype = index.column("tensors", "dtype")
    found.tensors |= dtype.where(lambda text: text.startswith(word) and len(word) > 2)
    _named(index, word, found)
    if word.endswith(".grad"):
        owner = index.empty()
        _named(index, word.removesuffix(".grad"), owner)
        has = trace.tensors.grad_of >= 0
        found.tensors[has] |= owner.tensors[trace.tensors.grad_of[has]]
    source = np.append(index.column("sites", "source").where(lambda text: word in text), False)
    if _EXPRESSION.search(word):  # "w * x" and "relu(" are searched for in the code, "w" is not
        found.nodes |= source[trace.nodes.site]
        found.tensors |= source[trace.tensors.site]
    return found


def _named(index: Index, word: str, found: _Found) -> None:
    """The tensors with this name at any time; a name without its module counts, too."""
    trace, column = index.trace, index.names()
    found.tensors[trace.names.tensor[column.where(lambda text: word in text)]] = True
    found.exact_tensors[trace.names.tensor[column.where(word.__eq__)]] = True
    unnamed = np.ones(len(trace.tensors), bool)
    unnamed[trace.names.tensor] = False
    leaf = trace.tensors.producer < 0
    label = np.append(index.column("sites", "source").where(word.__eq__), False)
    found.tensors |= unnamed & leaf & label[trace.tensors.site]


# the search bar's text and behaviour


def hits_of(state: State) -> Hits:
    """The hits of the present search."""
    if state.trace is None or not state.steps:
        return NOTHING
    return find(state.trace, state.search.query, state.cursor)


def current(state: State) -> Selection | None:
    """The current hit."""
    hits = hits_of(state)
    return hits[min(state.search.at, len(hits) - 1)] if len(hits) and state.search.at >= 0 else None


def stepped(state: State, step: int) -> Search:
    """The search at its next (1) or previous (-1) hit, or at the first if none has been visited."""
    count = len(hits_of(state))
    if not count:
        return replace(state.search, at=-1)
    at = state.search.at
    return replace(state.search, at=(at + step) % count if at >= 0 else (0 if step > 0 else count - 1))


def coming(state: State, thing: Selection) -> int | None:
    """The cursor at which a thing becomes visible if it is not visible now, otherwise None."""
    trace = state.trace
    if trace is None:
        return None
    thing = as_operation(trace, thing)
    frame = trace.frame(state.cursor)
    shown = frame.shown_nodes if thing.kind == "node" else frame.shown_tensors
    if shown[thing.index]:
        return None
    table = trace.nodes if thing.kind == "node" else trace.tensors
    return min(max(int(table.step[thing.index]) + 1, 1), state.steps)


def is_future(state: State, thing: Selection) -> bool:
    """Whether the thing has not been made yet."""
    assert state.trace is not None
    table = state.trace.nodes if thing.kind == "node" else state.trace.tensors
    return bool(table.step[thing.index] >= state.cursor)


def count_text(state: State) -> str:
    """ "3 of 17", "17 found", "none"; empty without a query."""
    if not state.search.query.strip():
        return ""
    count = len(hits_of(state))
    if not count:
        return "nothing found"
    at = min(state.search.at, count - 1)
    return f"{at + 1:,} of {count:,}" if at >= 0 else f"{count:,} found"


def name_of(state: State, thing: Selection) -> str:
    """The name of a hit."""
    assert state.trace is not None
    if thing.kind == "node":
        from gradviz.trace.table.trace import node_name

        return node_name(state.trace, thing.index)
    return state.trace.frame(state.cursor).name(thing.index)
