"""Which steps the events list shows: words that must all occur in the text of a step, and `kind:`, `line:`, `name:`,
`step:`. Columns are searched first; the titles, which are slow to make, last and in pieces. Pure."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradviz.session.breakpoints.condition_values import kind_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

PIECE = 8192
BREATH = 64  # titles that are made between looks at the clock
FIELDS = ("kind", "line", "name", "step")
HELP = "Words to look for in a step. Narrow it down with kind:backward, line:9, line:3-7, name:w or step:100-200."
_OF_THE_OPERATION = (1, 2, 4, 7)  # Kind.FORWARD, INPLACE, BACKWARD, FREE: their titles speak of nothing else
_NUMBERS = re.compile(r"(\d+)(?:-(\d*))?$")


@dataclass(frozen=True)
class Query:
    """The parsed filter field."""

    words: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()  # ("kind", "backward")

    @property
    def is_empty(self) -> bool:
        """Whether every step is shown."""
        return not self.words and not self.fields


def query_of(text: str) -> Query:
    """Parse the filter field; a field without a value is ignored."""
    words, fields = [], []
    for word in text.lower().split():
        name, colon, value = word.partition(":")
        if colon and name in FIELDS:
            fields += [(name, value)] if value else []
        else:
            words.append(word)
    return Query(tuple(words), tuple(fields))


@dataclass
class Sieve:
    """One trace at one length under one query. Call `work` until it returns False."""

    trace: Trace
    query: Query
    steps: int
    found: list[int] = field(default_factory=list)  # steps from 0, ascending
    looked: int = 0

    def __post_init__(self) -> None:
        self._run = self._pieces()
        self._titles: dict[tuple[object, ...], str] = {}

    def work(self, seconds: float) -> bool:
        """Continue the search for about this long; False when everything has been searched."""
        end = time.perf_counter() + seconds
        return any(time.perf_counter() > end for _ in self._run)

    def _pieces(self) -> Iterator[None]:
        import numpy as np

        texts = _Texts(self.trace) if self.query.words or any(name == "name" for name, _ in self.query.fields) else None
        for first in range(0, self.steps, PIECE):
            last = min(first + PIECE, self.steps)
            mask = _in_fields(self.trace, self.query, texts, first, last)
            known = [texts.has(word, first, last) for word in self.query.words] if texts else []
            for place in np.flatnonzero(mask).tolist():
                open_words = [word for word, has in zip(self.query.words, known, strict=True) if not has[place]]
                if open_words and (place % BREATH) == 0:
                    yield
                if not open_words or self._in_title(first + place, open_words):
                    self.found.append(first + place)
            self.looked = last
            yield

    def _in_title(self, step: int, words: list[str]) -> bool:
        title = self._title(step)
        return all(word in title for word in words)

    def _title(self, step: int) -> str:
        """In lower case. Operations with the same name on the same line share a title, which is made once."""
        steps, nodes = self.trace.steps, self.trace.nodes
        kind, node = int(steps.kind[step]), int(steps.node[step])
        if node < 0 or kind not in _OF_THE_OPERATION:
            return title_of(self.trace, step).lower()
        key = (kind, nodes.op[node], nodes.name[node], nodes.symbol[node], int(nodes.line[node]))
        found = self._titles.get(key)
        if found is None:
            found = self._titles[key] = title_of(self.trace, step).lower()
        return found


def title_of(trace: Trace, step: int) -> str:
    """The title of a step. It uses a frame of its own, so that the trace's cached frame stays at the cursor."""
    from gradviz.trace.words.explain import step_title

    return step_title(trace.frame_at(step + 1))


def _in_fields(trace: Trace, query: Query, texts: _Texts | None, first: int, last: int) -> NDArray[Any]:
    import numpy as np

    mask = np.ones(last - first, bool)
    for name, value in query.fields:
        if name == "kind":
            kinds = [number for number, word in enumerate(kind_words()) if word.replace(" ", "_").startswith(value)]
            exact = [number for number in kinds if kind_words()[number] == value]
            mask &= np.isin(trace.steps.kind[first:last], exact or kinds)
        elif name == "name":
            assert texts is not None
            mask &= texts.named(value, first, last)
        else:
            numbers = _NUMBERS.match(value)
            column = trace.steps.line[first:last] if name == "line" else np.arange(first + 1, last + 1)
            if numbers is None:
                return np.zeros(last - first, bool)
            low, high = numbers[1], numbers[2] if numbers[2] is not None else numbers[1]
            mask &= (column >= int(low[:9])) & (column <= (int(high[:9]) if high else len(trace)))
    return mask


class _Texts:
    """Which steps certainly contain a word, from the columns: their kind, and the names of their operation and
    tensor."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._nodes: dict[str, NDArray[Any]] = {}
        self._tensors: dict[str, NDArray[Any]] = {}

    def has(self, word: str, first: int, last: int) -> NDArray[Any]:
        """Which of these steps have the word in their kind or their operation's name."""
        import numpy as np

        steps = self._trace.steps
        kinds = np.array([word in text for text in kind_words()])
        if word not in self._nodes:
            nodes = self._trace.nodes
            self._nodes[word] = np.append(_has(nodes.name, word) | _has(nodes.op, word), False)
        found: NDArray[Any] = kinds[steps.kind[first:last]] | self._nodes[word][steps.node[first:last]]
        return found

    def named(self, name: str, first: int, last: int) -> NDArray[Any]:
        """Which of these steps are about, or made, a tensor with this name."""
        import numpy as np

        trace = self._trace
        if name not in self._tensors:
            names = trace.names
            mask = np.zeros(len(trace.tensors) + 1, bool)
            mask[names.tensor[_is(names.name, name)]] = True
            by_node = np.zeros(len(trace.nodes) + 1, bool)
            made = trace.tensors.producer[mask[:-1]]
            by_node[made[made >= 0]] = True
            by_node[:-1] |= _is(trace.nodes.op, name) | _is(trace.nodes.name, name)
            self._tensors[name], self._nodes[f"name:{name}"] = mask, by_node
        tensors, nodes = self._tensors[name], self._nodes[f"name:{name}"]
        found: NDArray[Any] = tensors[trace.steps.tensor[first:last]] | nodes[trace.steps.node[first:last]]
        return found


def _has(column: NDArray[Any], word: str) -> NDArray[Any]:
    """Which texts contain a word, each distinct text tested once."""
    return _each(column, lambda text: word in text)


def _is(column: NDArray[Any], word: str) -> NDArray[Any]:
    return _each(column, lambda text: text == word)


def _each(column: NDArray[Any], holds: Any) -> NDArray[Any]:
    import numpy as np

    texts = column.tolist()
    known = {text: holds(str(text).lower()) for text in set(texts)}
    return np.fromiter((known[text] for text in texts), bool, len(texts))
