"""Tries a drawing out before it is made: with the wire that is still in the hand, can it run? The newest question wins;
one that is overtaken is never answered. What is said of it is in `session.trial`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing
from gradviz.session.state import Phase
from gradviz.session.store import Store
from gradviz.session.wire_check import Tried, forward_only, reason
from gradviz.ui.live_run import LiveRun
from gradviz.ui.worker_bridge import refusal
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Done

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Then = Callable[[str], None]


class Trial(QObject):
    """Runs candidates in a worker that is used again and again."""

    def __init__(self, store: Store, pool: Callable[[], WorkerPool]) -> None:
        super().__init__()
        self._store = store
        self._asked: tuple[Drawing, Then] | None = None  # runs now
        self._next: tuple[Drawing, Then] | None = None
        self._before: tuple[str, Tried] | None = None  # how the drawing ended as it is, by its code
        self._first = False  # what runs now is the drawing as it is
        self.live = LiveRun(pool)
        self.live.ended.connect(self._finish)

    def ask(self, candidate: Drawing, then: Then) -> None:
        """Call `then` with the reason why this can't run, "" if it can, if it is no worse than what is there, or if
        nothing may run before the user chose Run."""
        if not self._store.state.is_trusted:
            then("")
            return
        self._next = candidate, then
        if not self.live.is_running:
            self._go_on()

    def drop(self) -> None:
        """Forget all questions."""
        self._asked = self._next = None
        self.live.drop()

    def _go_on(self) -> None:
        self._asked, self._next = self._next, None
        if self._asked is None:
            return
        candidate, then = self._asked
        tried = forward_only(candidate)
        if not code_of(tried).spans or refusal(tried):
            self._asked = None
            then("")
            return
        self.live.start(text_of(tried), self._store.state.title)

    def _finish(self, done: Done) -> None:
        trace, asked = self.live.trace, self._asked
        assert trace is not None
        if asked is None:
            return
        tried = Tried(Phase(done.status), done.detail.last_line or done.detail.sentence)
        if self._first:
            self._first = False
            now = self._store.state.drawing
            if now is not None:
                self._before = text_of(forward_only(now)), tried
            self._next = self._next or asked
            self._go_on()
            return
        if tried.phase is Phase.OK or self._next is not None:
            said = ""
        elif self._is_known():
            said = self._reason(asked[0], tried, trace)
        else:
            self._try_as_it_is()
            return
        self._asked = None
        if self._next is None:
            asked[1](said)
        else:
            self._go_on()

    def _reason(self, candidate: Drawing, tried: Tried, trace: Trace) -> str:
        before = self._before[1] if self._before is not None else None
        return reason(forward_only(candidate), tried, trace, before)

    def _is_known(self) -> bool:
        """Whether it is known how the drawing ends as it is."""
        now = self._store.state.drawing
        return now is None or (self._before is not None and self._before[0] == text_of(forward_only(now)))

    def _try_as_it_is(self) -> None:
        now = self._store.state.drawing
        assert now is not None
        self._first = True
        self.live.start(text_of(forward_only(now)), self._store.state.title)
