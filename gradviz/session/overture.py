"""The overture: a user who has never seen a run is shown one in five seconds, from the first operation to the loss, the
pulse at which `backward()` begins, and back to the leaves; then the cursor rests at the first backward step. This
module decides whether it is shown, and what is shown when; `ui.services.overture` moves the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.state import Phase, State

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

FORWARD, PULSE, BACKWARD, LAST = 1.9, 0.9, 1.9, 0.3  # seconds of each part; the last picture stays a moment
SECONDS = FORWARD + PULSE + BACKWARD + LAST


@dataclass(frozen=True)
class Beat:
    """What is shown at a moment: "forward", "pulse" or "backward", and its progress."""

    part: str
    over: float
    cursor: int


@dataclass(frozen=True)
class Overture:
    """Cursors: where `backward()` begins, after its first node, and after all of it; and the tensor that it starts
    from."""

    loss: int
    rest: int
    end: int
    root: int

    def at(self, seconds: float) -> Beat | None:
        """What is shown after this many seconds, None when it is over."""
        if seconds < FORWARD:
            over = seconds / FORWARD
            return Beat("forward", over, min(int(over * (self.loss + 1)), self.loss))
        if seconds < FORWARD + PULSE:
            return Beat("pulse", (seconds - FORWARD) / PULSE, self.loss)
        over = min((seconds - FORWARD - PULSE) / BACKWARD, 1.0)
        cursor = self.loss + min(1 + int(over * (self.end - self.loss)), self.end - self.loss)
        return Beat("backward", over, cursor) if seconds < SECONDS else None


def overture(trace: Trace) -> Overture | None:
    """The overture for a trace: for its first backward call. None without one."""
    from gradviz.trace.table.kinds import Kind

    if not len(trace.calls):
        return None
    loss, roots = int(trace.calls.step[0]) + 1, trace.roots_of(0)
    rest = trace.next_of(Kind.BACKWARD, loss)
    end = min(int(trace.call_end(0)) + 1, len(trace))
    return Overture(loss, rest, end, int(roots[0])) if rest is not None and rest <= end and len(roots) else None


def begins(before: State, after: State) -> bool:
    """Whether a run has just ended well, the user has done nothing meanwhile, and no overture was shown yet."""
    is_free = not (after.stage.on or after.predict.on or after.breakpoints.points or after.playing)
    has_run = before.run.is_running and after.run.phase is Phase.OK
    is_plain = after.drawing is None and after.what_if is None and not after.is_recording
    wanted = after.view.overture and after.view.animated
    return wanted and has_run and is_plain and is_free and after.cursor == after.steps > 0
