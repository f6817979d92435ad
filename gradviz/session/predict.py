"""Predicting: before a step that brings a number, a shape or a gradient, it is a "?" until somebody has said what it
will be. While a `Question` is open the cursor stays before its step, so that nothing on screen can give the answer
away: everything is a function of the cursor. Whatever shows later steps in other places (training curves, the doctor,
paths, the full output) is hidden while predicting.

`trace.words.questions` makes the question about a step; the functions here compute the next state, `commands.learning`
has the commands, and `ui.panels.explanation` the answer field."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.session.state import State
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.words.questions import Question

NEAR = 0.01  # relative error of a number that still counts as right
DIGITS = 2  # or it is right to this many digits
ACCEPTED = f"{NEAR * 100:.0f} % off, or right to {DIGITS} digits, is right; 1/3 may be typed."
LONGEST = 400  # characters of an answer


@dataclass(frozen=True)
class Predict:
    """Whether the user is predicting, the open question, and how the previous ones went."""

    on: bool = False
    asked: Question | None = None
    hints: int = 0  # hints given for the open question
    verdict: str = ""  # on the latest answer
    done: tuple[tuple[int, bool], ...] = ()  # the steps asked about in this run, and whether they were answered

    @property
    def told(self) -> tuple[str, ...]:
        """The hints given so far."""
        return self.asked.hints[: self.hints] if self.asked is not None else ()

    @property
    def score(self) -> str:
        """ "3 of 4 right"."""
        right = sum(right for _, right in self.done)
        return f"{right} of {len(self.done)} right" if self.done else "nothing answered yet"

    def anew(self) -> Predict:
        """The same, for another run."""
        return Predict(self.on)


# -- state transitions


def met(state: State, cursor: int) -> State:
    """The cursor goes to a step: going forward, it stops before one that has a question, and the question is open."""
    before = state.predict
    question = _question(state, cursor)
    if question is None:
        asked = before.asked if before.asked is not None and cursor == before.asked.start else None
        return replace(state, cursor=cursor, predict=replace(before, asked=asked, hints=0, verdict=""))
    if question == before.asked:
        return state
    opened = replace(before, asked=question, hints=0, verdict="")
    return replace(state, cursor=question.start, predict=opened, playing=False)


def _question(state: State, cursor: int) -> Question | None:
    """The question about the step that ends at a cursor; None if that is already known."""
    if state.trace is None or cursor <= state.cursor:
        return None
    start, end = _steps(state.trace, cursor, state.view.every_step)
    if any(step == end for step, _ in state.predict.done):
        return None
    from gradviz.trace.words.questions import question_in  # not before it is needed

    return question_in(state.trace, start, end, _brief)


def _brief(op: str) -> str:
    """What an operation does, in a few words; "" if there is no description."""
    from gradviz.document.catalogue import named
    from gradviz.trace.table.name_text import called_op

    names = (op, op.rstrip("_"), called_op(op), f"nn.functional.{called_op(op.rstrip('_'))}")
    return next((entry.brief for name in names if (entry := named(name)) is not None), "")


def _steps(trace: Trace, cursor: int, every: bool) -> tuple[int, int]:
    """The steps that are walked as one and end at a cursor."""
    start, end = (cursor - 1, cursor) if every else trace.fold_around(cursor)
    return (start, cursor) if end == cursor else (cursor - 1, cursor)


def answered(state: State, text: str) -> State:
    """The user has typed or picked an answer: if it is right, the step follows."""
    asked = state.predict.asked
    if asked is None:
        return state
    wrong = _fault(asked, text)
    if wrong:
        return replace(state, predict=replace(state.predict, verdict=wrong))
    return _closed(state, asked, right=True, verdict=f"✓ Right: {asked.subject} = {asked.answer}")


def shown(state: State) -> State:
    """Show the answer, which does not count as right."""
    asked = state.predict.asked
    return _closed(state, asked, right=False, verdict="Shown.") if asked is not None else state


def hinted(state: State) -> State:
    """Show one more hint."""
    asked, given = state.predict.asked, state.predict.hints
    more = asked is not None and given < len(asked.hints)
    return replace(state, predict=replace(state.predict, hints=given + 1)) if more else state


def withdrawn(state: State) -> State:
    """Close the question; it will come again."""
    return replace(state, predict=replace(state.predict, asked=None, hints=0, verdict=""))


def _closed(state: State, asked: Question, *, right: bool, verdict: str) -> State:
    done = (*state.predict.done, (asked.end, right))
    return replace(state, cursor=asked.end, predict=Predict(True, verdict=verdict, done=done))


# -- is it right?


def _fault(asked: Question, text: str) -> str:
    """What is wrong with an answer, "" for nothing."""
    if asked.choices:
        return "" if text == asked.answer else f"✗ Not {text}."
    given = typed_numbers(text, len(asked.numbers))
    if isinstance(given, str):
        return given
    if len(given) != len(asked.numbers):
        count = len(asked.numbers)
        return f"Type {'one number' if count == 1 else f'{count} numbers, such as {_sample(count)}'}."
    if all(map(is_right, given, asked.numbers, [asked.exact] * len(given))):
        return ""
    return f"✗ Not {' '.join(text.split())[:40]}."


def _sample(count: int) -> str:
    return ", ".join(str(number) for number in range(1, count + 1))


def typed_numbers(text: str, count: int) -> tuple[float, ...] | str:
    """The numbers in a text, with or without brackets and commas; otherwise a sentence that says which is not a
    number."""
    text = text[:LONGEST].replace("−", "-").replace("∞", "inf")
    if count == 1 and re.fullmatch(r"\s*[+-]?\d+,\d+\s*", text):
        text = text.replace(",", ".")
    found = []
    for word in re.findall(r"[^\s,;\[\]()]+", text):
        above, slash, below = word.partition("/")
        try:
            found.append(float(above) / float(below) if slash else float(above))
        except (ValueError, ZeroDivisionError):
            return f"“{word[:20]}” is not a number. Type one such as 0.5, -2 or 1/3."
    return tuple(found)


def is_right(given: float, right: float, exact: bool) -> bool:
    """Whether a number is close enough."""
    if math.isnan(right) or math.isnan(given):
        return math.isnan(right) and math.isnan(given)
    if given == right or exact or math.isinf(right) or math.isinf(given) or right == 0:
        return given == right or (right == 0 and not exact and abs(given) < 1e-6)
    if abs(right) < 1e-6 and given == 0:
        return True  # rounding errors
    return abs(given - right) <= NEAR * abs(right) or f"{given:.{DIGITS - 1}e}" == f"{right:.{DIGITS - 1}e}"
