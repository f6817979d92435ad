"""Finds where breakpoints stop: over all steps, in pieces, so that a million steps never block the window. Pure;
`points` defines breakpoints, `conditions` and `condition_values` the meaning of conditions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradviz.session.breakpoints.condition_values import ABOUT, Things, kind_words, things
from gradviz.session.breakpoints.conditions import Condition, compiled
from gradviz.session.breakpoints.points import Breakpoint, ConditionError, Hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

PIECE = 8192  # steps whose columns are evaluated at once
BREATH = 32  # conditions that are evaluated individually between looks at the clock
MOST_HITS = 200_000  # with more, playback would stop at every step anyway


class Scan:
    """One trace at one length, one list of breakpoints. Call `work` until it returns False."""

    def __init__(self, trace: Trace, points: tuple[Breakpoint, ...]) -> None:
        self._steps = len(trace)
        self._looked = 0
        self._found: list[int] = []
        self._searches = [_Search(trace, point) for point in points]
        self._pieces = self._run()

    def work(self, seconds: float) -> bool:
        """Continue the search for about this long; False when everything has been searched."""
        import numpy as np

        end = time.perf_counter() + seconds
        with np.errstate(all="ignore"):  # not across a yield: other code computes between two pieces
            return any(time.perf_counter() > end for _ in self._pieces)

    @property
    def hits(self) -> Hits:
        """What has been found so far."""
        return Hits(
            tuple(self._found),
            tuple(search.count for search in self._searches),
            tuple(search.problem for search in self._searches),
            self._looked,
            self._steps,
        )

    def _run(self) -> Iterator[None]:
        for first in range(0, self._steps, PIECE):
            last = min(first + PIECE, self._steps)
            found: set[int] = set()
            for search in self._searches:
                if not search.is_idle:
                    yield from search.look(first, last, found)
            self._found += sorted(found)
            self._looked = last
            yield
            if len(self._found) > MOST_HITS:
                break
        self._looked = self._steps


@dataclass
class _Search:
    """The search for one breakpoint."""

    trace: Trace
    point: Breakpoint
    count: int = 0
    problem: str = ""

    def __post_init__(self) -> None:
        self._condition: Condition | None = None
        if self.point.condition:
            try:
                self._condition = compiled(self.point.condition, frozenset(kind_words()))
            except ConditionError as error:
                self.problem = error.sentence

    @property
    def is_idle(self) -> bool:
        """Whether it can't stop anywhere."""
        return not self.point.enabled or bool(self.problem)

    def look(self, first: int, last: int, found: set[int]) -> Iterator[None]:
        """Add the steps from `first` to `last` at which it stops."""
        import numpy as np

        mask = self._steps(first, last)
        if not mask.any():
            return
        steps = np.flatnonzero(mask) + first
        if self._condition is None and self._tensors is None:
            self._take(steps.tolist(), found)
            return
        rows = things(self.trace, first, last)
        rows = rows.kept(mask[rows.step - first] & self._is_about(rows))
        try:
            yield from self._ask(rows, found)
        except ConditionError as error:
            self.problem = error.sentence

    def _ask(self, rows: Things, found: set[int]) -> Iterator[None]:
        condition = self._condition
        if condition is not None:
            rows = self._by_columns(condition, rows)
        if condition is None or not condition.one:
            self._take(rows.step.tolist(), found)
            return
        known = -1
        for place in range(len(rows)):
            if place % BREATH == 0:
                yield
            if int(rows.step[place]) != known and condition.holds(rows.moment(place)):
                known = int(rows.step[place])
                self._take([known], found)

    def _by_columns(self, condition: Condition, rows: Things) -> Things:
        import numpy as np

        if condition.about:
            wanted = [ABOUT[name] for name in sorted(condition.about)]
            rows = rows.kept(np.isin(rows.about, wanted))
        for part in (*condition.many, *condition.needs):
            rows = rows.kept(condition.mask(part, rows, len(rows)))
        if condition.uses_norm:
            rows = rows.kept(rows.norm == rows.norm)
        return rows

    def _take(self, steps: list[int], found: set[int]) -> None:
        new = set(steps)
        self.count += len(new)
        found |= new

    def _steps(self, first: int, last: int) -> NDArray[Any]:
        """The steps that its line, kind and operation allow."""
        import numpy as np

        steps, point = self.trace.steps, self.point
        mask = np.ones(last - first, bool)
        if point.kind:
            mask &= steps.kind[first:last] == kind_words().index(point.kind)
        if point.is_line:  # as in a debugger: once each time the program reaches the line
            here = steps.line[max(0, first - 1) : last] == point.line
            before = here[:-1] if first else np.append(False, here[:-1])
            mask &= here[len(here) - len(mask) :]
            if not point.condition and not point.kind:
                mask &= ~before | self._anew[first:last]
        elif self._nodes is not None and self._tensors is None:
            mask &= np.append(self._nodes, False)[steps.node[first:last]]
            if not point.kind:
                mask &= np.isin(steps.kind[first:last], _RUNS)
        return mask

    def _is_about(self, rows: Things) -> NDArray[Any]:
        """Which things are the tensor that it names."""
        import numpy as np

        if self._tensors is None:
            return np.ones(len(rows), bool)
        found: NDArray[Any] = np.append(self._tensors, False)[rows.tensor]
        return found

    @cached_property
    def _anew(self) -> NDArray[Any]:
        """Steps that begin an iteration or a call: the program reaches the line again, even if it was already there."""
        import numpy as np

        regions = self.trace.regions
        begins = regions.step[np.isin(regions.kind, _COME_AGAIN)]
        found = np.zeros(len(self.trace), bool)
        found[begins[begins >= 0]] = True
        return found

    @cached_property
    def _tensors(self) -> NDArray[Any] | None:
        """The tensors with its name, None if it names none, or an operation."""
        import numpy as np

        if not self.point.name or self.point.line > 0:
            return None
        names = self.trace.names
        is_name = names.name == self.point.name
        if "." in self.point.name:
            owner, _, last = self.point.name.rpartition(".")
            is_name |= (names.owner == owner) & (names.name == last)
        rows = names.tensor[is_name]
        if not len(rows) and self._nodes is not None:
            return None
        found = np.zeros(len(self.trace.tensors), bool)
        found[rows] = True
        return found

    @cached_property
    def _nodes(self) -> NDArray[Any] | None:
        """The operations with its name, None if there are none."""
        import numpy as np

        nodes, point = self.trace.nodes, self.point
        if not point.name:
            return None
        found = (nodes.op == point.name) | (nodes.name == point.name)
        if point.line > 0:
            found &= nodes.line == point.line
        if point.nth:
            rows = np.flatnonzero(found)[point.nth - 1 : point.nth]
            found = np.zeros(len(nodes), bool)
            found[rows] = True
        return found if found.any() or point.line > 0 else None


_COME_AGAIN = (1, 3)  # RegionKind.FUNCTION, ITERATION
_RUNS = (1, 2, 4)  # Kind.FORWARD, INPLACE, BACKWARD: where an operation runs
