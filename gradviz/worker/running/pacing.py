"""Which iterations of a training are recorded: those that the user chose, and of a run that is too long to be recorded
in full, every so many and the last ones; the rest runs at full speed. After seven tenths of the run's time, code that
can shorten a run is told so.

An iteration is one of the loop that calls `backward()`, counted across the loops around it. The first is always
recorded, as it shows which loop that is. When a recording reaches half of what it may use, only every so many
iterations are recorded, so that the rest fits; much earlier if the rest is many times what fits. If it does not fit, or
if no loop trains, recording ends, at the beginning of an iteration if one comes. What is printed and drawn is shown all
the same, and one sentence says what is missing.

A loop that trains and could not come to its end in the time that is left ends early, and so do loops after it, so that
the code that follows runs with what was learned: it prints and draws what a run that is stopped would not. `while True`
with a `break` and a loop over `itertools.count`, of which nobody knows when they end, end when the time is nearly over.
Sentences say that, too. How a gap is recorded is in `gradviz.trace.record.gaps`, how much a run may use in
`process.limits`, and who ends it in `process.run`; nothing here does.

Note [The same gaps again] A question about a recording is answered by running the snippet again, up to a call or an
operation that is identified by its number. So the run has the same gaps: they are stored with the turns, one for each
iteration of loops that train, at which they began and ended; a loop that was ended is ended again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradviz.engine.kernel.state import state
from gradviz.trace.record.chosen import Choice
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.schema import ENDS_HERE, SOME_ONLY

SHARE = 0.25  # of a run's time in which steps may be recorded
LATE = 0.7  # of the time, after which a run should come to its end
NEARLY = 0.8  # of the steps and bytes at which a run would be stopped
FEWEST = 2_000  # steps: this few do not take long
PATIENCE = 2.0  # seconds of processor time within which an iteration should begin
EARLY, MANY = 1 / 16, 8  # of what a recording may use; how many times what fits, so that it is thinned out early
HALF, FULL, TOO_MUCH = 0.5, 1.0, 1.125  # of what a recording may use: skip some, skip all but the last, skip all
BEYOND = TOO_MUCH - FULL
LAST = 3  # iterations that are always recorded
ROUND = (1, 2, 5)

ENDS = ENDS_HERE + "{why}. The run goes on at full speed, and what it prints and draws is shown.{more}"
THINS = (
    SOME_ONLY + "{why}. Of those that follow {which}{last}; the others run at full speed, and what they print and draw "
    "is shown.{more}"
)
NO_LAST = "The last iterations are not recorded: how many there will be is not known before they have run.\n"
CUT = (
    "{loop} ends here, after {count} of {total} iterations: the rest would take {rest:,.0f} seconds of processor time, "
    "and the run has {left:.0f} left. What follows it runs.{more}"
)
CUT_OPEN = (
    "{loop} ends here, after {count} iterations: how many would follow is not known, and the run has {left:.0f} "
    "seconds of processor time left. What follows it runs.{more}"
)
TRAINS, ANOTHER = "The loop that trains", "The loop after it, too,"
LONGER = " Run Again with More Time (--time-limit on the command line) trains longer."
AFTERWARDS = 0.05  # of a run's time in which steps after a loop that was ended may be recorded
FOR_THE_REST = 0.15  # of a run's time, which is left when a loop of unknown length is ended
WATCHED = 0.25  # of the time that is left, after which it is clear how fast such a loop is
MORE = " Run Again with More Time (--time-limit on the command line) records more."
Span = tuple[int, int]  # turns at which a gap began and ended, -1: its loop ended, -2: the run ended
CUT_AT = -3  # minus the turn at which the loop was ended: the gap ended with it


@dataclass(frozen=True)
class Bounds:
    """What the program allows a run."""

    cpu_seconds: float = 60.0
    steps: int = 1_000_000
    recorded_bytes: int = 512_000_000

    @classmethod
    def of(cls, limits: Mapping[str, Any]) -> Bounds:
        """Return the bounds in a request; the usual ones for what it does not mention."""
        usual = cls()
        return cls(
            float(limits.get("cpu_seconds", usual.cpu_seconds)),
            int(limits.get("steps", usual.steps)),
            int(limits.get("recorded_bytes", usual.recorded_bytes)),
        )


@dataclass(frozen=True)
class Plan:
    """What to record of a run, and the arguments of the script."""

    bounds: Bounds = Bounds()
    choice: Choice | None = None  # None: all that fits
    gaps: Sequence[Span] = ()  # of the recording that the question is about
    arguments: Sequence[str] = ()

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Plan:
        """Return the plan in a request."""
        chosen = request.get("iterations")
        gaps = [(int(begin), int(end)) for begin, end in request.get("gaps") or ()]
        arguments = [str(each) for each in request.get("arguments") or ()]
        return cls(Bounds.of(request["limits"]), Choice.of(str(chosen)) if chosen else None, gaps, arguments)


USUAL = Plan()


class Turns:
    """Pauses and resumes a recorder where iterations begin. Subclasses decide what is skipped."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._turn = -1
        recorder.on_turn(self._turned, self._left)

    def _turned(self) -> None:
        self._turn += 1
        if self._recorder.gap_is_left:
            self._resume(-1)

    def _left(self) -> None:
        """Called after a loop: what follows the training is recorded again."""
        if self._recorder.gap_is_left:
            self._resume(-1)

    def _pause(self) -> None:
        """Pause, unless reports are stopped for a moment, and whoever stopped them would start them again."""
        if state.observer is not None and state.running is None:
            self._recorder.pause(self._turn)

    def _resume(self, turn: int) -> None:
        if state.observer is None and state.running is None:
            self._recorder.resume(turn)


class Again(Turns):
    """Repeats the gaps of a recording, see Note [The same gaps again]."""

    def __init__(self, recorder: Recorder, gaps: Sequence[Span]) -> None:
        super().__init__(recorder)
        self._ends = dict(gaps)
        self._end = -1

    def _turned(self) -> None:
        self._turn += 1
        ends_with_loop = self._end == -1 or self._end <= CUT_AT
        if self._recorder.in_gap and (self._turn == self._end or (ends_with_loop and self._recorder.gap_is_left)):
            self._resume(self._turn)
        if not self._recorder.in_gap and self._turn in self._ends:
            self._pause()
            self._end = self._ends[self._turn]
        if self._turn == CUT_AT - self._end:
            self._recorder.end_loops()

    def _left(self) -> None:
        if self._end == -1 or self._end <= CUT_AT:
            super()._left()


class Pace(Turns):
    """The pace of one run. `tick` comes about every 50 ms, between any two bytecodes of the snippet."""

    def __init__(
        self,
        bounds: Bounds,
        recorder: Recorder,
        say: Callable[[str], None],
        hurry: Callable[[], None],
        choice: Choice | None = None,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        super().__init__(recorder)
        self._bounds, self._choice = bounds, choice
        self._say, self._hurry, self._clock = say, hurry, clock
        self._begun = self._looked = clock()
        self._steps = self._recorded = 0
        self._recording = 0.0  # seconds in which steps were recorded
        self._used, self._why = 0.0, ""  # of what a recording may use
        self._since = 0.0  # when it became too much
        self._every, self._ask_at, self._limit = 1, EARLY, FULL
        self._began_at: float | None = None  # when the last iteration that trains began
        self._paced: tuple[int, float] | None = None  # a turn, and when it began: what follows it shows the pace
        self._paced_late: tuple[int, float] | None = None  # the first one after data sets became short
        self._longest = 0.0  # of the turns since then, what lies between two passes over the data included
        self._cut_at = -1  # the turn at which a loop was ended
        self._watched: dict[object, tuple[int, float, float]] = {}  # when later loops began, and how much time was left
        self._counts: dict[object, int] = {}  # iterations of each loop so far
        self._passes: dict[object, int] = {}  # backward passes so far, by loop, when its latest iteration began
        self._is_halfway = self._is_late = self._is_over = self._said_last = False

    def tick(self, sent: int) -> None:
        """Check the time; `sent` bytes of the recording have been sent so far."""
        now = self._clock()
        if not self._is_late and now - self._begun > LATE * self._bounds.cpu_seconds:
            self._is_late = True
            self._hurry()
        if not self._is_halfway and now - self._begun > LATE / 2 * self._bounds.cpu_seconds:
            self._is_halfway, self._paced = True, None
        if self._is_over:
            return
        if self._used >= self._limit:
            if now - self._since > PATIENCE:
                self._end()
            return
        if self._recorder.step > self._steps:
            self._recording += now - self._looked
        self._looked, self._steps = now, self._recorder.step
        self._used, self._why = max(self._shares(sent))
        self._since = now
        if self._used >= self._limit:
            self._recorder.tell_every_turn()

    def _shares(self, sent: int) -> list[tuple[float, str]]:
        """Return the share used of each thing that a recording may use, with the words for it."""
        bounds, steps = self._bounds, self._steps
        seconds = f"recording has taken {self._recording:.1f} of the {bounds.cpu_seconds:g} seconds that the run has"
        return [
            (steps / (NEARLY * bounds.steps), f"the recording has {steps:,} steps"),
            (sent / (NEARLY * bounds.recorded_bytes), f"the recording has {sent // 1_000_000:,} MB"),
            (self._recording / (SHARE * bounds.cpu_seconds) if steps > FEWEST else 0.0, seconds),
        ]

    def _turned(self) -> None:
        super()._turned()
        recorder = self._recorder
        place = recorder.turning
        if self._is_over and recorder.training is None:
            self._look_for_training(place)
        index = self._counts[place] = self._counts.get(place, recorder.training_index) + 1
        trains = place is recorder.training
        left = recorder.iterations_left if trains else -1
        if trains:
            self._end_in_time(index, left)
        elif self._is_over and self._cut_at >= 0 and recorder.is_in_one_loop:
            self._cut_another(place)
        if self._is_over or self._cut_at == self._turn:
            recorder.skip()
            return
        if trains and self._used > self._ask_at:
            self._thin(index, left)
        if self._used >= self._limit and not recorder.in_gap and recorder.is_between_backwards:
            self._end()
        if not trains or self._is_over:
            return
        if self._takes(index, left):
            self._recorded += 1
            if recorder.in_gap:
                self._resume(self._turn)
            return
        if not recorder.in_gap:
            self._pause()
        if recorder.in_gap:
            recorder.skip()

    def _look_for_training(self, place: object) -> None:
        """Recording ended before the first backward pass: the loop that trains is one between whose turns one ran."""
        before, self._passes[place] = self._passes.get(place, state.passes), state.passes
        if before < state.passes:
            self._recorder.takes_for_training()
            self._counts.pop(place)

    def _end_in_time(self, index: int, left: int) -> None:
        """Let this iteration be the last one, where the rest does not fit, if it is late, or if another one as long as
        the last one would leave too little for what follows."""
        now = self._clock()
        before, self._began_at = self._began_at, now
        if before is None:
            return
        self._paced = self._paced_late or self._paced or (self._turn - 1, before)
        if self._paced_late:
            self._longest = max(self._longest, now - before)
        elif self._is_late:
            self._paced_late = self._turn, now
        needed = 2 * (now - before) + FOR_THE_REST * self._bounds.cpu_seconds
        if left > 0 and (self._is_late or needed > self._bounds.cpu_seconds - (now - self._begun)):
            self._cut(index, left, *self._paced, now)
        elif left < 0 and needed > self._bounds.cpu_seconds - (now - self._begun):
            self._cut_open(index, now)

    def _cut(self, index: int, left: int, turn: int, since: float, now: float) -> None:
        """End the loops that train if their rest does not fit, at the pace `since` the beginning of a turn."""
        one = (now - since) / (self._turn - turn)
        rest, seconds = left * one + self._longest, self._bounds.cpu_seconds - (now - self._begun)
        if rest <= seconds or 0.0 < self._recorder.left_of_loop * one <= seconds or not self._recorder.end_loops():
            return  # it fits, or the innermost loop does: the others end with its last iteration
        if self._cut_at < 0:
            self._say_cut(TRAINS, index, left, rest, seconds, LONGER)
        self._was_cut()

    def _cut_open(self, index: int, now: float) -> None:
        """End loops that train for an unknown time when just enough is left for what follows them."""
        if not self._recorder.end_loops():
            return
        if self._cut_at < 0:
            seconds = self._bounds.cpu_seconds - (now - self._begun)
            self._say(CUT_OPEN.format(loop=TRAINS, count=f"{index + 1:,}", left=seconds, more=LONGER))
        self._was_cut()

    def _was_cut(self) -> None:
        if self._cut_at < 0:
            self._recording = max(self._recording, (SHARE - AFTERWARDS) * self._bounds.cpu_seconds)
        self._cut_at = self._turn
        if not self._recorder.in_gap:
            self._pause()

    def _cut_another(self, place: object) -> None:
        """End a loop after the training in the same way, once nothing is recorded."""
        now, index, left = self._clock(), self._recorder.index_in_loop, self._recorder.iterations_left
        first, since, seconds = self._watched.setdefault(
            place, (index, now, self._bounds.cpu_seconds - now + self._begun)
        )
        if left <= 0 or now - since < WATCHED * seconds:
            return
        rest, seconds = left * (now - since) / (index - first), seconds - (now - since)
        if rest > seconds and self._recorder.end_loops():
            self._say_cut(ANOTHER, index, left, rest, seconds, "")

    def _say_cut(self, loop: str, index: int, left: int, rest: float, seconds: float, more: str) -> None:
        numbers = {"count": f"{index + 1:,}", "total": f"{index + 1 + left:,}", "rest": rest, "left": seconds}
        self._say(CUT.format(loop=loop, **numbers, more=more))

    def _resume(self, turn: int) -> None:
        if self._is_over:  # also after the loop in which it ended
            return
        super()._resume(CUT_AT - self._cut_at if turn == -1 and self._cut_at >= 0 else turn)

    def _takes(self, index: int, left: int) -> bool:
        if index == 0:
            return True
        if self._choice is not None:
            if self._choice.last and left < 0 and not self._said_last:
                self._said_last = True
                self._say(NO_LAST)
            if not self._choice.takes(index, left):
                return False
        return 0 <= left < LAST or (self._every > 0 and index % self._every == 0)

    def _thin(self, index: int, left: int) -> None:
        """Skip iterations, so that what follows fits."""
        used, room, before = self._used, FULL - self._used, self._every
        needs_time = "seconds" in self._why
        wanted = left if self._choice is None else self._choice.most(index, left)
        needed = used / max(self._recorded, 1) * wanted / before if before else 0.0
        if used <= HALF and needed <= MANY * room:
            self._ask_at = min(2 * used, HALF)
            return
        self._ask_at = used + room / 2 if room > 0 else 2 * used
        if room <= 0:
            self._every = 0
        elif left < 0:
            self._every = 10 * before
        elif before:
            if needed <= room:
                return
            self._every = before * _rounded(needed / (0.9 * room))
        self._limit = max(TOO_MUCH, used + BEYOND if needs_time else 0)
        if self._every != before == 1:
            which = f"every {_ordinal(self._every)} is recorded" if self._every else "none is recorded"
            last = (f", and the last {LAST} are" if self._every else f" but the last {LAST}") if left >= 0 else ""
            self._say(THINS.format(why=self._why, which=which, last=last, more=MORE if needs_time else ""))

    def _end(self) -> None:
        if state.observer is None or state.running is not None:
            return
        self._is_over = True
        self._say(ENDS.format(why=self._why, more=MORE if "seconds" in self._why else ""))
        self._recorder.pause(self._turn)

    def _left(self) -> None:
        if not self._is_over:
            super()._left()
            if not self._recorder.is_in_loop:
                self._counts = dict.fromkeys(self._counts, -1)


def begin(
    plan: Plan,
    recorder: Recorder,
    say: Callable[[str], None],
    drawn: tuple[Callable[[float], None], Callable[[], None]],
    *,
    asks: bool,
) -> Pace | None:
    """Follow the plan; without a pace if somebody `asks` about another recording, which has its gaps already. The code
    that draws data sets is told when the time will nearly be over, in seconds of processor time, and when it is."""
    if asks:
        Again(recorder, plan.gaps)
        return None
    expect, hurry = drawn
    expect(time.process_time() + LATE * plan.bounds.cpu_seconds)
    return Pace(plan.bounds, recorder, say, hurry, plan.choice)


def _rounded(number: float) -> int:
    """Round up to the next of 2, 5, 10, 20, 50, …"""
    unit = 1
    while True:
        for each in ROUND:
            if unit * each >= max(number, 2):
                return unit * each
        unit *= 10


def _ordinal(number: int) -> str:
    return "second" if number == 2 else f"{number}th"
