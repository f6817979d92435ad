"""The explanation bar below the canvas: which step this is, one sentence with its numbers, and what comes next."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QTextBrowser, QVBoxLayout, QWidget

from gradviz.session.inspect.sources import call_texts
from gradviz.session.presenting import Stage, code_of_step
from gradviz.session.state import MOMENT, Slice, State
from gradviz.trace.table.kinds import Kind
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.words.questions import Question
    from gradviz.ui.panels.question import AnswerBar

LINES, NARROW_LINES, ERROR_LINES = 2, 3, 4  # of a step, of one in a narrow panel, of an error
NARROW = 800  # pixels of width; with larger text, the canvas needs what there is
SIDE = 14  # pixels of margin
PRINTED = 0.9  # of the size of a sentence; then lines of both fonts have the same height
BEFORE = "Nothing has run yet. Press Step (F10) for the first step."


class ExplanationPanel(Panel):
    """Two lines of text that can be selected and copied."""

    shows = Slice("view", "stage", "traced", "predict", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.setAccessibleName("Explanation of the current step")
        self.title = QLabel()
        self.sentence = QTextBrowser()  # a long message scrolls, so that the graph above keeps its size
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.sentence.setFrameShape(QFrame.Shape.NoFrame)
        self.sentence.document().setDocumentMargin(0)
        self.sentence.setAccessibleName("What happened in this step")
        self.call = QLabel()  # the arguments of the backward call, as many as fit
        self.call.setTextFormat(Qt.TextFormat.PlainText)
        self.call.setObjectName("call")
        self.call.setAccessibleName("Arguments of the backward call")
        self.call.setToolTip("The current backward call and its arguments.")
        self._calls: tuple[str, ...] = ()
        self._texts: tuple[str, ...] = ("",)  # what happened, with and without what comes next
        self._is_printed = False  # by the program, in columns
        self._lines = LINES
        self._has_head = True
        self._title = ""
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.call)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        self._column.addWidget(self.sentence)
        self._bar: AnswerBar | None = None  # created for the first prediction
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.sentence if self._bar is None or not self._bar.isVisibleTo(self) else self._bar.target

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        state = self.context.shell.store.state
        self.show_state(state, state)

    def _set_fonts(self, stage: Stage) -> None:
        """When presenting, as large as a strip below the graph allows, whatever the size of other text."""
        theme = look.on_stage(self.theme, self.window().height()) if stage.on else self.theme
        title, call, *sentence = (19.0, 19.0, 23.0, 20.0, 17.5, 15.0) if stage.on else (14.0, 12.0, 13.0)
        self.title.setFont(look.sans(theme, title, bold=True))
        self.call.setFont(look.mono(theme, call))
        self._fonts = [look.sans(theme, size) for size in sentence]
        self._printed = [look.mono(theme, size * PRINTED) for size in sentence]
        if self._bar is not None:
            self._bar.set_fonts(theme, 19.0 if stage.on else 13.0)
        edge = min(self.theme.px(7), 7)  # smaller text has less around it, so that the graph keeps its half
        self._column.setContentsMargins(SIDE, *((4, SIDE, 2) if stage.on else (edge, SIDE, edge)))

    def show_state(self, before: State, after: State) -> None:
        same = before.view.every_step == after.view.every_step and before.stage.on == after.stage.on
        if not (before is after or before.predict is not after.predict or moved(before, after)) and same:
            return
        self._show_bar(after)
        if before is after or before.stage.on != after.stage.on:
            self._set_fonts(after.stage)
        self._calls = (code_of_step(after),) if after.stage.on else call_texts(after)
        self._has_head = not (after.stage.on and after.predict.on and after.steps)
        for label in (self.title, self.call):
            label.setVisible(self._has_head)
        self._column.setSpacing(4 if self._has_head else 2)
        if after.trace is None or not after.steps:
            self._title = ""
            self._write_call()
            self._texts = ("",)
            self._write()
            return
        if after.predict.asked is not None:
            self._ask(after, after.predict.asked)
        else:
            self._tell(after, after.trace)
        if not self._has_head:  # the graph gets its room: the line of code follows, the step stands beside the score
            code = f"&nbsp;&nbsp; <span style='color:{self.theme.muted}'>{look.escape(self._calls[0])}</span>"
            self._texts = (f"{self._texts[0]}{code}", *self._texts)
        self._write()
        self._write_call()

    def _ask(self, after: State, asked: Question) -> None:
        """The question about a step, with the hints given so far, in place of what the step did."""
        self._is_printed = False
        self._title = f"Step {asked.end:,} of {after.steps:,} · {asked.title}"
        self.title.setToolTip(look.tip(self._title))
        muted = f"<br><span style='color:{self.theme.muted}'>"
        told = "".join(f"{muted}{look.escape(hint)}</span>" for hint in after.predict.told)
        self._texts = (f"<b>{look.escape(asked.prompt)}</b>{told}",)
        self._lines = ERROR_LINES

    def _tell(self, after: State, trace: Trace) -> None:
        """What the current step did."""
        from gradviz.trace.words.explain import explain_fold, fold_number  # not before the window was painted

        explanation = explain_fold(trace, after.cursor, after.view.every_step)
        number = f"Step {after.cursor:,}" if after.view.every_step else fold_number(trace, after.cursor)
        place = f"{number} of {after.steps:,}" if after.cursor else f"{after.steps:,} steps"
        self._title = f"{place} · {explanation.title}"
        self.title.setToolTip(look.tip(self._title))  # in case the window is too narrow for it
        following = f"Next: {explanation.next}" if explanation.next else ""
        tail = f"&nbsp;&nbsp; <span style='color:{self.theme.muted}'>{look.escape(following)}</span>"
        said = look.escape(explanation.sentence or BEFORE)
        flat = look.escape(" ".join(explanation.sentence.split()))  # printed text may have many lines
        self._is_printed = after.cursor > 0 and trace.steps.kind[after.cursor - 1] == Kind.PRINT
        self._texts = tuple(dict.fromkeys((said + tail, said, flat) if following else (said, flat or said)))
        self._lines = ERROR_LINES if after.cursor == trace.error_step else LINES

    def _show_bar(self, after: State) -> None:
        """Show the row for the answer, which is created for the first prediction."""
        shown = after.predict.on and after.steps > 0
        if shown and self._bar is None:
            from gradviz.ui.panels.question import AnswerBar

            self._bar = AnswerBar(self.context)
            self._column.addWidget(self._bar)
            self._set_fonts(after.stage)
        if self._bar is not None:
            self._bar.setVisible(shown)
            step = f"step {after.cursor:,} of {after.steps:,} · " if after.stage.on else ""
            self._bar.show_predict(after.predict, step)

    def _write(self) -> None:
        """What comes next is said only if there is room; an error may take more lines than a step. Nobody scrolls while
        presenting: what is too long is said in smaller letters, down to a third less."""
        line, least = QFontMetrics(self._fonts[0]).lineSpacing(), self._least
        for font, text in product(self._printed if self._is_printed else self._fonts, self._texts):
            self.sentence.setFont(font)
            self.sentence.setHtml(text)
            needed = self.sentence.document().size().height()
            if needed <= least * line + 2:
                break
        most = max(self._lines, least)
        lines = min(max(least, math.ceil((needed - 2) / line)), most)
        whole = needed if needed <= (most + 0.5) * line else 0  # bold words may be slightly taller
        self.sentence.setFixedHeight(math.ceil(max(lines * line + 2, whole)))

    @property
    def _least(self) -> int:
        """How many lines there are always, so that the graph above keeps its size from step to step."""
        is_narrow = self.width() < NARROW and self.theme.scale <= 1 and not self.context.shell.store.state.stage.on
        return NARROW_LINES if is_narrow else LINES

    def _write_call(self) -> None:
        """The title, and the longest form of the call that leaves it intact."""
        inside, words = self.width() - 2 * SIDE, self.title.fontMetrics()
        self.title.setText(words.elidedText(self._title, Qt.TextElideMode.ElideRight, inside))
        metrics = self.call.fontMetrics()
        room = inside - words.horizontalAdvance(self._title) - self.fontMetrics().height()
        fits = (text for text in self._calls if metrics.horizontalAdvance(text) <= room)
        self.call.setText(next(fits, ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        stage = self.context.shell.store.state.stage
        if stage.on:
            self._set_fonts(stage)
        self._write()
        self._write_call()
