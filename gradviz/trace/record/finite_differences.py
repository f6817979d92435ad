"""A gradient by finite differences: the snippet runs repeatedly with one element of a leaf slightly larger and slightly
smaller, and the root of the backward call is read each time. `Search` observes the recorded run and finds when the leaf
is first read by something that leads to that call; `Nudge` observes an unrecorded run and changes the element just
before. The worker runs them (`runner.py`), and `gradviz.session.inspect.three_ways` describes the result.

Note [When an element is nudged] A leaf of a training loop has a different value in each iteration: the gradient is that
of its value when the graph of this call was built. So the moment is found by counting the engine's reports, which are
the same in all runs, as are the random numbers. Everything before the leaf is read stays unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.graph import edge_of
from gradviz.engine.kernel.state import Observer
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.backward import count_arrivals
from gradviz.trace.record.chains import Question
from gradviz.trace.table.values import precision

if TYPE_CHECKING:
    from gradviz.trace.record.recorder import Recorder

MOST_ELEMENTS = 400
BENT = 0.1  # relative difference of the one-sided slopes from which half the distance is tried as well


class Watch:
    """An observer that counts reports and examines their tensors; the methods are created below."""

    def __init__(self, question: Question, recorder: Recorder | None) -> None:
        self.count = 0
        self.calls = 0
        self._question = question
        self._recorder = recorder

    def noted(self, name: str, given: tuple[Any, ...]) -> None:
        """A report that was counted."""

    def begins(self, roots: Sequence[Tensor], seeds: Sequence[Tensor | None]) -> None:
        """The backward call that was asked about."""


def _report(name: str) -> Callable[..., None]:
    def report(self: Watch, *given: Any, **named: Any) -> None:
        self.count += 1
        if self._recorder is not None:
            getattr(self._recorder, name)(*given, **named)
        self.noted(name, given)
        if name == "backward_begin":
            self.calls += 1
            if self.calls - 1 == self._question.call:
                self.begins(given[0], given[1])

    return report


for _name in (name for name, each in vars(Observer).items() if callable(each) and not name.startswith("_")):
    setattr(Watch, _name, _report(_name))


def _tensors(given: tuple[Any, ...]) -> Iterator[Tensor]:
    for each in given:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from (one for one in each if isinstance(one, Tensor))


def _value(roots: Sequence[Tensor], weights: Sequence[Any]) -> float:
    """What is differentiated: the root, or the sum of its elements times the given gradients."""
    return float(sum(np.sum(root._data.astype(np.float64) * by) for root, by in zip(roots, weights, strict=True)))


class Search(Watch):
    """Finds when the leaf is read. `event` is the report after which it is nudged, 0 if it can't be."""

    def __init__(self, question: Question, recorder: Recorder) -> None:
        super().__init__(question, recorder)
        self.event = 0
        self.seen: tuple[int, int] = (0, 0)  # the first report with the leaf, and its place in it
        self.here = 0.0
        self.weights: tuple[Any, ...] = ()
        self.leaf: Tensor | None = None
        self._reads: list[tuple[int, int]] = []

    def noted(self, name: str, given: tuple[Any, ...]) -> None:
        """Look for the leaf, and then for what reads it."""
        if self.leaf is None:
            for place, each in enumerate(_tensors(given)):
                if each._tag == self._question.tensor:
                    self.leaf, self.seen = each, (self.count, place)
                    break
        tracked = name == "forward" and self.leaf is not None and given[3] is not None
        if tracked and any(each is self.leaf for each in given[1]):
            self._reads.append((self.count, given[3]._tag))

    def begins(self, roots: Sequence[Tensor], seeds: Sequence[Tensor | None]) -> None:
        """The first reader that leads to the call."""
        leaf = self.leaf
        edges = [edge for edge in map(edge_of, roots) if edge is not None]
        leading = {node._tag for node in count_arrivals(edges)}
        read = min((count for count, node in self._reads if node in leading), default=0)
        if leaf is None or read <= self.seen[0] or not leaf._data.flags.writeable:
            return
        if any(np.dtype(each._data.dtype).kind in "cbiu" for each in (*roots, leaf)):
            return
        self.event = read - 1
        given = zip(roots, seeds, strict=True)
        self.weights = tuple(np.ones(()) if by is None else by._data.astype(np.float64).copy() for _, by in given)
        self.here = _value(roots, self.weights)


class Nudge(Watch):
    """Changes one element of the leaf by `by`, and ends the run at the call. `value` is None if that was not
    reached."""

    def __init__(self, question: Question, found: Search, element: int, by: float) -> None:
        super().__init__(question, None)
        self.value: float | None = None
        self.moved = 0.0  # the actual change, after rounding to the leaf's dtype
        self._found, self._element, self._by = found, element, by
        self._leaf: Tensor | None = None

    def noted(self, name: str, given: tuple[Any, ...]) -> None:
        """Find the leaf; change it when it is time."""
        if self.count == self._found.seen[0]:
            self._leaf = next((each for at, each in enumerate(_tensors(given)) if at == self._found.seen[1]), None)
        if self.count == self._found.event and self._leaf is not None:
            data = self._leaf._data
            place = np.unravel_index(self._element, data.shape)
            before = float(data[place])
            data[place] = before + self._by
            self.moved = float(data[place]) - before

    def begins(self, roots: Sequence[Tensor], seeds: Sequence[Tensor | None]) -> None:
        """That was all."""
        self.value = _value(roots, self._found.weights)
        raise SystemExit


def distance(leaf: Any, element: int) -> float:
    """The distance at which rounding and curvature contribute about equally: the cube root of the precision times the
    magnitude of the number, or of its neighbours if it is much smaller."""
    numbers = np.abs(leaf.astype(np.float64).reshape(-1))
    finite = numbers[np.isfinite(numbers)]
    usual = float(np.sqrt(np.mean(finite**2))) if len(finite) else 1.0
    size = max(float(numbers[element]) if np.isfinite(numbers[element]) else 0.0, usual / 4) or 1.0
    return float(2.0 ** np.round(np.log2(size * precision(leaf.dtype) ** (1 / 3))))


def differences(found: Search, again: Callable[[Nudge], None], recorder: Recorder) -> None:
    """Run for each element, and write the results as rows of `nudges`."""
    if not found.event or found.leaf is None:
        return
    leaf = found.leaf._data.copy()
    for element in range(min(leaf.size, MOST_ELEMENTS)):
        by = distance(leaf, element)
        if _both(found, again, recorder, element, by):
            _both(found, again, recorder, element, by / 2)


def _both(found: Search, again: Callable[[Nudge], None], recorder: Recorder, element: int, by: float) -> bool:
    """Slightly more and slightly less; whether the one-sided slopes differ."""
    up, down = (Nudge(found._question, found, element, sign * by) for sign in (1, -1))
    for each in (up, down):
        again(each)
    if up.value is None or down.value is None or not up.moved or not down.moved:
        return False
    recorder.nudged(element, up.moved, -down.moved, up.value, down.value, found.here)
    right, left = (up.value - found.here) / up.moved, (down.value - found.here) / down.moved
    return not abs(right - left) <= BENT * max(abs(right), abs(left))
