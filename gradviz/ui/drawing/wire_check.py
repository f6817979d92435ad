"""Whether a drawing with one more wire can run: asked of the worker while the wire is still in the hand. Questions of a
pointer that moves on overtake each other; one whose wire was let go is answered in any case."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from gradviz.document.drawing import Drawing

Then = Callable[[str], None]  # the reason why not, "" for none
REMEMBERED = 16


@dataclass(eq=False)
class _Question:
    candidate: Drawing
    kept: bool
    thens: list[Then] = field(default_factory=list)


class WireChecks:
    """The questions that wait for an answer, and the latest answers."""

    def __init__(self, ask: Callable[[Drawing, Then], None]) -> None:
        self._ask = ask
        self._now: _Question | None = None
        self._next: deque[_Question] = deque()
        self._known: deque[tuple[Drawing, str]] = deque(maxlen=REMEMBERED)

    def ask(self, candidate: Drawing, then: Then, *, keep: bool = False) -> None:
        """Call `then` with the reason why this can't run; one that is not kept may be overtaken and never answered."""
        for known, reason in self._known:
            if known == candidate:
                then(reason)
                return
        for question in (self._now, *self._next):
            if question is not None and question.candidate == candidate:
                question.thens.append(then)
                question.kept = question.kept or keep
                return
        question = _Question(candidate, keep, [then])
        if self._now is not None and self._now.kept:
            self._next = deque(one for one in self._next if one.kept)
            self._next.append(question)
        else:
            self._send(question)

    def _send(self, question: _Question) -> None:
        self._now = question
        self._ask(question.candidate, lambda reason: self._answered(question, reason))

    def _answered(self, question: _Question, reason: str) -> None:
        if question is not self._now:
            return
        self._now = None
        self._known.append((question.candidate, reason))
        for then in question.thens:
            then(reason)
        if self._now is None and self._next:
            self._send(self._next.popleft())
