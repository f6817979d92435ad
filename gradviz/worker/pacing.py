"""A run that is too long to be recorded whole: recording ends after a quarter of its time, or shortly before there is
too much of it, and the rest runs at full speed; and after seven tenths those are told who can make it shorter.

What is printed and drawn is shown all the same, and one sentence says where the recording ends: at the beginning of an
iteration of the loop that calls `backward()`, so that the last graph is whole. How much a run may use is in
`process.limits`, and who ends it in `process.run`; nothing here does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gradviz.engine.kernel.state import set_observer, state
from gradviz.trace.record.instrument import ITERATE
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.schema import ENDS_HERE

SHARE = 0.25  # of the time of a run in which steps may be recorded
LATE = 0.7  # of the time, after which it had better come to its end
NEARLY = 0.8  # of the steps and bytes at which a run would be stopped
FEWEST = 2_000  # steps: so few do not take long
PATIENCE = 2.0  # seconds of the processor in which an iteration should begin

ENDS = ENDS_HERE + "{why}. The run goes on at full speed, and what it prints and draws is shown.{more}"
MORE = " Run Again with More Time (--time-limit on the command line) records more."


@dataclass(frozen=True)
class Bounds:
    """What the program allows a run."""

    cpu_seconds: float = 60.0
    steps: int = 1_000_000
    recorded_bytes: int = 512_000_000

    @classmethod
    def of(cls, limits: Mapping[str, Any]) -> Bounds:
        """Those of a request; what it does not name is as usual."""
        usual = cls()
        return cls(
            float(limits.get("cpu_seconds", usual.cpu_seconds)),
            int(limits.get("steps", usual.steps)),
            int(limits.get("recorded_bytes", usual.recorded_bytes)),
        )


USUAL = Bounds()


class Pace:
    """Of one run. `tick` comes about every 50 ms, between any two bytecodes of the snippet."""

    def __init__(
        self,
        bounds: Bounds,
        recorder: Recorder,
        names: dict[str, Any],
        say: Callable[[str], None],
        hurry: Callable[[], None],
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._bounds, self._recorder, self._names = bounds, recorder, names
        self._say, self._hurry, self._clock = say, hurry, clock
        self._begun = self._looked = clock()
        self._steps = 0
        self._recording = 0.0  # seconds in which steps came
        self._why = ""
        self._since = 0.0
        self._iterate: Callable[[str, Any], None] = recorder.hooks()[ITERATE]  # type: ignore[assignment]
        self._is_late = self._is_over = False

    def tick(self, sent: int) -> None:
        """Look at the time; `sent` bytes of the recording have gone so far."""
        now = self._clock()
        if not self._is_late and now - self._begun > LATE * self._bounds.cpu_seconds:
            self._is_late = True
            self._hurry()
        if self._is_over:
            return
        if self._why:
            if now - self._since > PATIENCE:
                self._end()
            return
        if self._recorder.step > self._steps:
            self._recording += now - self._looked
        self._looked, self._steps = now, self._recorder.step
        self._why = self._reason(sent)
        if self._why:
            self._since = now
            self._names[ITERATE] = self._next_iteration

    def _reason(self, sent: int) -> str:
        bounds, steps = self._bounds, self._steps
        if steps > NEARLY * bounds.steps:
            return f"there are {steps:,} steps"
        if sent > NEARLY * bounds.recorded_bytes:
            return f"it has {sent // 1_000_000:,} MB"
        if steps > FEWEST and self._recording > SHARE * bounds.cpu_seconds:
            return f"it has taken {SHARE:.0%} of the {bounds.cpu_seconds:g} seconds that the run has"
        return ""

    def _next_iteration(self, name: str, value: Any) -> None:
        if not self._is_over and self._recorder.is_between_backwards:
            self._end()
        self._iterate(name, value)

    def _end(self) -> None:
        """Unless somebody has stopped the reports for a moment, who would start them again."""
        if state.observer is not self._recorder or state.running is not None:
            return
        self._is_over = True
        more = MORE if "seconds" in self._why else ""
        self._say(ENDS.format(why=self._why, more=more))
        set_observer(None)
        self._recorder.rest()
        self._names[ITERATE] = self._iterate
