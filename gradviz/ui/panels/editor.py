"""The snippet panel: the code editor and, below it, the card of `error_card` that explains what went wrong.
`editor_drawing` keeps the code of a drawing up to date.

While a number in a snippet's text is held with the mouse, or after Alt+G, a card shows the curve of the root of
backward() against that number, with the tangent. `ui.drawing.sliders` paints the curve; `session.text_slope` writes
the program that computes it."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gradviz.commands.row import Shell
from gradviz.document.documents import arguments_of, files_of, text_of, with_text
from gradviz.lists import size_text
from gradviz.session.breakpoints.points import Breakpoint, toggled
from gradviz.session.inspect.sources import PROGRAM, step_place
from gradviz.session.state import STALE, Slice, State
from gradviz.session.store import TYPING
from gradviz.ui import look
from gradviz.ui.panels.code_edit import CodeEdit
from gradviz.ui.panels.error_card import ERROR, ErrorCard
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.inspect.sources import Place
    from gradviz.session.text_slope import Held
    from gradviz.ui.drawing.sliders import SlopeCard
    from gradviz.ui.panels.editor_drawing import DrawingCode
    from gradviz.ui.panels.trust_bar import TrustBar

HOLD = 450  # milliseconds until a press counts as holding
NO_CURVE = "Put the caret on a number of a snippet that has run and calls backward() to see the slope there."
GAP = 4
SHOWN = 8  # attached files that are listed by name


class TextSlope(QObject):
    """Watches an editor, and shows the card over it."""

    def __init__(self, editor: QPlainTextEdit, shell: Shell, theme: Theme) -> None:
        super().__init__(editor)
        self.theme = theme
        self._editor = editor
        self._shell = shell
        self._card: SlopeCard | None = None
        self._at = QTextCursor()
        self._pressed = QPoint()
        self._hold = QTimer(self, singleShot=True, interval=HOLD)
        self._hold.timeout.connect(lambda: self.ask(self._editor.cursorForPosition(self._pressed)))
        editor.viewport().installEventFilter(self)
        editor.installEventFilter(self)
        editor.textChanged.connect(self.let_go)

    @property
    def card(self) -> SlopeCard | None:
        """The card, while it is visible."""
        return self._card if self._card is not None and self._card.isVisible() else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self.let_go()
            self._pressed = event.position().toPoint()
            if event.button() == Qt.MouseButton.LeftButton:
                self._hold.start()
        elif kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            if (event.position().toPoint() - self._pressed).manhattanLength() > QApplication.startDragDistance():
                self._hold.stop()
        elif kind in (QEvent.Type.MouseButtonRelease, QEvent.Type.FocusOut):
            self.let_go()
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and watched is self._editor:
            self.let_go()
            if event.key() == Qt.Key.Key_G and event.modifiers() == Qt.KeyboardModifier.AltModifier:
                if not self.ask(self._editor.textCursor()):
                    self._shell.store.say(NO_CURVE)
                return True
        return False

    def ask(self, at: QTextCursor) -> bool:
        """Whether there will be a curve for the number at a place."""
        from gradviz.session.text_slope import FEWEST_POINTS, held_at, numbers_in, program, values_of

        state = self._shell.store.state
        text, can_run = text_of(state.document), state.is_trusted and not state.run.is_running
        if not can_run or state.trace is None or state.is_stale or state.drawing is not None or state.is_recording:
            return False
        held = held_at(text, at.blockNumber() + 1, at.positionInBlock())
        values = values_of(held, state.steps) if held is not None else ()
        if held is None or not values:
            return False
        self._at = at

        def take(printed: str) -> None:
            numbers = numbers_in(printed, len(values))
            if sum(map(math.isfinite, numbers)) >= FEWEST_POINTS:
                self._show(held, tuple(zip(values, numbers, strict=True)))

        self._shell.wire_trial.samples.ask(program(text, held, values), take)
        return True

    def _show(self, held: Held, points: tuple[tuple[float, float], ...]) -> None:
        from gradviz.session.text_slope import gradient_of
        from gradviz.ui.drawing.sliders import Slope, SlopeCard

        *curve, before, here, after = points
        trace = self._shell.store.state.trace
        grad = gradient_of(held, trace) if trace is not None else None
        measured = (after[1] - before[1]) / (after[0] - before[0])
        slope = Slope(held.value, here[1], measured if grad is None else grad, held.grad if grad is not None else "")
        self._card = self._card or SlopeCard(self._editor.viewport())
        finite = tuple(point for point in curve if math.isfinite(point[1]))
        self._card.show_slope(finite, slope, (held.name, held.root), self.theme)
        place, room = self._editor.cursorRect(self._at), self._editor.viewport().rect()
        below = place.bottom() + GAP
        top = below if below + self._card.height() <= room.height() else place.top() - GAP - self._card.height()
        left = min(place.left(), room.width() - self._card.width())
        self._card.move(max(left, 0), max(top, 0))
        self._card.show()
        self._card.raise_()

    def let_go(self) -> None:
        """Nothing is held any more."""
        self._hold.stop()
        if not self._at.isNull():
            self._at = QTextCursor()
            self._shell.wire_trial.samples.drop()
        if self._card is not None:
            self._card.hide()


class EditorPanel(Panel):
    """Shows the document, the line of the current step, and the problem of the latest run."""

    shows = Slice(
        "note", "doubt", "run", "cursor", "steps", "playing", "picked", "breakpoints", "doctor", "predict", "view",
        "stage", *STALE,
    )  # fmt: skip

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.code = CodeEdit(context.theme)
        self.slope = TextSlope(self.code, context.shell, context.theme)
        self.code.edited.connect(self._edited)
        self.code.break_clicked.connect(self._toggle_breakpoint)
        self.code.refused.connect(context.shell.store.say)
        self.note = QLabel()
        self.note.setObjectName("note")
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.RichText)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.note.linkActivated.connect(self._close_note)
        self.note.hide()
        self.place = QLabel(self)  # which file of a recorded job is shown, if it is not the program itself
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        self.place.hide()
        self.file = PROGRAM
        self.trust_bar: TrustBar | None = None  # created with the first document from elsewhere
        self._closed = ""  # the note that the user has closed
        self.refusal = QLabel()
        self.refusal.setObjectName("note")
        self.refusal.setWordWrap(True)
        self.refusal.setTextFormat(Qt.TextFormat.PlainText)
        self.refusal.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.refusal.hide()
        self.attached = QLabel()
        self.attached.setObjectName("note")
        self.attached.setWordWrap(True)
        self.attached.setTextFormat(Qt.TextFormat.RichText)
        self.attached.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.attached.linkActivated.connect(lambda name: context.shell.attachments.detach(name))
        self.attached.hide()
        self._of_drawing: DrawingCode | None = None  # created with the first drawing
        self.card = ErrorCard(context.shell, context.theme)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(4, 2, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.note)
        column.addWidget(self.place)
        column.addWidget(self.code, 1)
        column.addWidget(self.attached)
        column.addWidget(self.refusal)
        column.addWidget(self.card)

    @property
    def focus_target(self) -> QWidget:
        return self.code

    @property
    def caret(self) -> tuple[int, int]:
        """Line, from 1, and column, from 0, in characters."""
        cursor = self.code.textCursor()
        return cursor.blockNumber() + 1, cursor.positionInBlock()

    def show_place(self, place: Place) -> None:
        """Go to an expression and mark it briefly."""
        self.context.shell.focus("editor")
        self._show_file(self.context.shell.store.state, place.file)
        self.code.flash.show(place)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._set_code_theme(self.context.shell.store.state)
        self.slope.theme = theme
        self.card.set_theme(theme)
        if self.trust_bar is not None:
            self.trust_bar.set_theme(theme)
        self.note.setFont(look.sans(theme, 12.5))
        self.refusal.setFont(look.sans(theme, 12.5))

    def _set_code_theme(self, state: State) -> None:
        shown = look.on_stage(self.theme, self.screen().size().height()) if state.stage.on else self.theme
        self.code.set_theme(shown)

    def _drawing_code(self) -> DrawingCode:
        if self._of_drawing is None:
            from gradviz.ui.panels.editor_drawing import DrawingCode

            self._of_drawing = DrawingCode(self.context.shell, self.code, self.refusal)
        return self._of_drawing

    def _show_doubt(self, state: State) -> None:
        if self.trust_bar is None:
            from gradviz.ui.panels.trust_bar import TrustBar

            self.trust_bar = TrustBar(self.context)
            self.trust_bar.set_theme(self.theme)
            self._column.insertWidget(0, self.trust_bar)
            for button in (self.trust_bar.run, self.trust_bar.details):  # Tab follows the visual order
                if before := self.code.previousInFocusChain():
                    self.setTabOrder(before, button)
        if self.trust_bar.has_keyboard and state.is_trusted:
            self.code.setFocus()
        self.trust_bar.show_state(state)

    def _show_note(self, note: str) -> None:
        title, _, rest = note.partition("\n")
        bold = "<span style='font-weight:600'>{}</span><br>{}"
        close = f" <a href='close' style='color:{self.theme.focus}'>Close</a>" if self._is_of_drawing else ""
        self.note.setText(bold.format(look.escape(title), look.escape(rest) + close) if note else "")
        self.note.setFont(look.sans(self.theme, 12.5))

    def _show_attached(self, state: State) -> None:
        """The arguments and files of the snippet; the cross on one removes it."""
        arguments, files = arguments_of(state.document), files_of(state.document)
        called = f"Called with {look.escape(shlex.join(arguments))}" if arguments else ""
        one = "{name} <span style='color:{dim}'>{size}</span> <a href='{name}' style='color:{focus}'>✕</a>"
        listed = [
            one.format(
                name=look.escape(each.name),
                size=size_text(len(each.data)),
                dim=self.theme.muted,
                focus=self.theme.focus,
            )
            for each in files[:SHOWN]
        ]
        more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
        lines = [called, f"Attached: {', &nbsp;'.join(listed)}{more}" if files else ""]
        self.attached.setText("<br>".join(filter(None, lines)))
        self.attached.setFont(look.sans(self.theme, 12.5))
        self.attached.setVisible(any(lines))

    @property
    def _is_of_drawing(self) -> bool:
        return self.context.shell.store.state.drawing is not None

    def _close_note(self) -> None:
        self._closed = self.context.shell.store.state.note
        self.note.hide()

    @property
    def text(self) -> str:
        """The text in the editor, even if it is not part of the drawing."""
        return self.code.toPlainText()

    def forget_typing(self) -> bool:
        """Discard code typed for a drawing that can't be drawn; False if there is none."""
        return self._of_drawing is not None and self._is_of_drawing and self._of_drawing.forget_typing()

    def show_state(self, before: State, after: State) -> None:
        if before.stage.on != after.stage.on:
            self._set_code_theme(after)
        if before is after or before.note != after.note:
            self._show_note(after.note)
        if self._of_drawing is not None or after.drawing is not None:
            self._drawing_code().show_state(before, after)
        if after.drawing is None and (before is after or before.document is not after.document):
            self.file = PROGRAM
            self.code.set_text(text_of(after.document))
            self.place.hide()
            self.code.setReadOnly(after.is_recording)
            self._show_attached(after)
        caught = after.trace is not None and len(after.trace.caught) > 0  # then it depends on the cursor
        if ERROR.differs(before, after) or (caught and before.cursor != after.cursor):
            self.card.show_state(after)
        if self.trust_bar is not None or after.doubt:
            self._show_doubt(after)
        told = bool(after.note) and after.note != self._closed
        told = told and not after.doubt  # a stranger's text must not appear beside our note about the file
        self.note.setVisible(told and not self.card.is_shown)  # an error needs the room
        fits = self._of_drawing is None or self._of_drawing.is_current
        step = step_place(after) if fits and not after.is_stale else None
        if after.is_recording and (before is after or before.cursor != after.cursor):
            self._show_file(after, PROGRAM if step is None else step.file)
        self._mark(after, step)

    def _mark(self, state: State, step: Place | None) -> None:
        """Mark the lines of the current step, the error and the breakpoints, if they are in the file that is shown."""
        is_program = self.file == PROGRAM
        line = step.line if step is not None and step.file == self.file else -1
        self.code.mark_lines(step=line, error=self.card.line if is_program else -1)
        self.code.mark_breakpoints(state.breakpoints.lines() if is_program else {})

    def _show_file(self, state: State, file: int) -> None:
        """Show the program, or another file of a recorded job."""
        if file == self.file or state.trace is None:
            return
        self.file, files = file, state.trace.files
        self.code.set_text(text_of(state.document) if file == PROGRAM else str(files.source[file]))
        self.place.setText("" if file == PROGRAM else str(files.name[file]))
        self.place.setFont(look.mono(self.theme, 12.5))
        self.place.setVisible(file != PROGRAM)
        self._mark(state, step_place(state))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The card may take only part of the height."""
        super().resizeEvent(event)
        self.card.fit()

    def _toggle_breakpoint(self, line: int) -> None:
        store = self.context.shell.store
        if self.file != PROGRAM:
            store.say(f"Breakpoints are for lines of {store.state.title}, not of the files that it imports.")
            return
        stops = store.state.breakpoints
        store.stop_at(stops.with_points(toggled(stops.points, Breakpoint(line=line))))

    def _edited(self, text: str) -> None:
        store = self.context.shell.store
        if store.state.drawing is not None:
            self._drawing_code().edited()
        else:
            store.edit(TYPING, with_text(store.state.document, text))
