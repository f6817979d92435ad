"""The code of a drawing in the snippet panel. It follows the drawing. Typed code becomes the drawing after a short
pause, if it can be drawn, and keeps its wording until the focus leaves. Picked nodes are marked in the code, and the
caret picks the node whose expression it is in. The widgets belong to `editor`; `parse` reads the code."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QLabel

from gradviz.commands.row import Shell
from gradviz.document.code.parse import read
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.session.inspect.sources import Place
from gradviz.session.state import State
from gradviz.session.store import TYPING
from gradviz.ui.panels.code_edit import SNIPPET_HINT, CodeEdit

PAUSE = 300  # milliseconds without a key press after which typed code is read
DRAWING_HINT = "The drawing as code; you can edit it here too."
KEPT = "Until then the drawing stays unchanged."
GOES = "These lines are dropped when you leave the code; Edit as Text (Ctrl+Shift+T) keeps them."
WENT = "It has been removed from the code."
MOST = 3  # sentences that are shown


class DrawingCode(QObject):
    """Connects a code editor with the drawing of the session; `sentence` is the label below the code."""

    def __init__(self, shell: Shell, code: CodeEdit, sentence: QLabel) -> None:
        super().__init__(code)
        self._shell = shell
        self._code = code
        self._sentence = sentence
        self._typed: Drawing | None = None  # the drawing that the text in the editor was parsed into
        self._passed_over = ""  # what was typed but is not part of the drawing
        self._refused = False  # the text can't be drawn
        self._writing = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self.take)
        code.left.connect(self._left)
        code.cursorPositionChanged.connect(self._pick)

    @property
    def _drawing(self) -> Drawing | None:
        return self._shell.store.state.drawing

    def edited(self) -> None:
        """The user has typed something."""
        self._code.picked.show(())
        self._pause.start()

    def take(self) -> None:
        """Turn the typed code into the drawing, or say why that is not possible."""
        self._pause.stop()
        drawing = self._drawing
        if drawing is None:
            return
        try:
            reading = read(self._code.toPlainText(), drawing)
        except UserError as error:
            self._refused = True
            self._say(f"{error} {KEPT}")
            return
        self._refused = False
        self._passed_over = " ".join(reading.passed_over[:MOST])
        self._say(f"{self._passed_over} {GOES}" if self._passed_over else "")
        self._typed = reading.drawing
        self._shell.store.edit(TYPING, reading.drawing)

    def show_state(self, before: State, after: State) -> None:
        """Follow the drawing and its picked nodes."""
        drawing = after.drawing
        hint = SNIPPET_HINT if drawing is None else DRAWING_HINT
        if self._code.placeholderText() != hint:
            self._code.setPlaceholderText(hint)
        if drawing is None:
            self._forget()
            self._code.picked.show(())
            return
        changed = before is after or before.document is not drawing
        if changed and drawing != self._typed:
            self._forget()
            self._write(text_of(drawing))
        if changed or before.picked != after.picked:
            self._mark(drawing, after.picked)

    @property
    def is_current(self) -> bool:
        """Whether the code in the editor is exactly that of the drawing."""
        return self._typed is None and not self._pause.isActive()

    def _write(self, text: str) -> None:
        """Show this code without letting the moving caret pick anything."""
        self._writing = True
        self._code.set_text(text)
        self._writing = False

    def forget_typing(self) -> bool:
        """Replace typed code that can't be drawn by the code of the drawing; False if there is none."""
        if self._pause.isActive():
            self.take()
        if not self._refused or self._drawing is None:
            return False
        self._forget()
        self._write(text_of(self._drawing))
        return True

    def _forget(self) -> None:
        self._typed = None
        self._refused = False
        self._pause.stop()
        self._say("")

    def _say(self, sentence: str) -> None:
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))

    def _left(self) -> None:
        """The focus went elsewhere: rewrite the code as the drawing has it. Code that can't be drawn stays, to be
        corrected."""
        if self._pause.isActive():
            self.take()
        if self._typed is not None and self._drawing is not None and not self._refused:
            self._typed = None
            self._write(text_of(self._drawing))
            self._say(f"{self._passed_over} {WENT}" if self._passed_over else "")
            self._mark(self._drawing, self._shell.store.state.picked)

    def _mark(self, drawing: Drawing, picked: frozenset[int]) -> None:
        same = self._code.toPlainText() == text_of(drawing)
        spans = [span for span in code_of(drawing).spans if span.node in picked] if same else []
        self._code.picked.show(tuple(Place(span.line, span.col, span.end_line, span.end_col) for span in spans))
        if spans and not self._code.hasFocus():
            self._code.reveal(spans[0].line)

    def _pick(self) -> None:
        """Pick the node at the caret, if the user put it there."""
        drawing = self._drawing
        if drawing is None or self._writing or not self._code.hasFocus() or not self.is_current:
            return
        if self._code.toPlainText() != text_of(drawing):
            return
        cursor = self._code.textCursor()
        node = node_at(drawing, cursor.blockNumber() + 1, cursor.positionInBlock())
        if node and self._shell.store.state.picked != {node}:
            self._shell.store.pick(frozenset({node}))


def node_at(drawing: Drawing, line: int, col: int) -> int:
    """The node that the code at a place refers to: the one with that name, otherwise that of the innermost expression;
    0 for none."""
    text = text_of(drawing).split("\n")[line - 1]
    start, end = col, col
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    word = text[start:end]
    names = dict(code_of(drawing).names)
    if word and (start == 0 or text[start - 1] != ".") and text[end : end + 1] != "(":
        for node in drawing.nodes:
            if word in names.get(node.id, ()) and not text[end:].startswith("=") and not text.lstrip().startswith("#"):
                return node.id
    inside = [
        span.node
        for span in code_of(drawing).spans
        if (span.line, span.col) <= (line, col) <= (span.end_line, span.end_col)
    ]
    return inside[-1] if inside else 0
