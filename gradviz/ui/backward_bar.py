"""The backward call of a drawing, in the toolbar as it would be written: `y.backward( gradient=None retain_graph ☐ …
)`, with every part editable in place. If there is no room, it becomes one button, `y.backward(…)`, whose menu has the
switches and leads to the inspector, which has all options at the root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from gradviz.document.drawing import BackwardCall, Drawing, Operation, Ref
from gradviz.document.entry import (
    read_gradient,
    read_inputs,
    root_name,
    write_gradient,
    write_inputs,
)
from gradviz.document.errors import UserError
from gradviz.document.shaping import add_call, change_call, check_root, remove_call, uses
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.ui import look
from gradviz.ui.editors.form import TextField
from gradviz.ui.theme import Theme

CHANGE, ADD, REMOVE = "Change Backward", "Add Backward", "Remove Backward"
LEAST, MOST = 4, 18  # characters that fit into a field
SIGN, ADD_WIDTH = 24, 108  # pixels for the "+" button and for "+ backward()"
GAP = 3  # pixels between two parts; between arguments there is more


class BackwardBar(QWidget):
    """Shows one of the backward calls of the drawing."""

    resized = Signal()  # it needs more or less room

    def __init__(self, store: Store, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("backward")
        self.setAccessibleName("Backward call")
        self._store = store
        self._theme = theme
        self._at = 0
        self._brief = False
        self._wide = 0
        self.which = QToolButton()
        self.which.setObjectName("which")
        self.which.setToolTip("Choose the backward call to show, or its root")
        self.which.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.which.setMenu(self._menu)
        self.gradient = TextField("gradient", self._take_gradient, hint="None")
        self.gradient.setToolTip("The gradient of the root, with the same shape; None means 1 for a single number.")
        self.retain = self._box("retain_graph", "Keep the saved buffers so that backward can run again")
        self.retain.setTristate(False)
        self.double = self._box("create_graph", "Build a graph of the backward pass, for second derivatives")
        self.inputs = TextField("inputs", self._take_inputs, hint="all")
        self.inputs.setToolTip("The leaves whose .grad is computed, by name; all of them if empty.")
        self.remove = self._button("×", "Remove this backward call", self._remove)
        self.remove.setProperty("sign", True)
        self.add = self._button("+", "Add another backward call after the existing ones", self._add)
        self._words = [QLabel(text) for text in ("gradient=", "inputs=", ")")]
        self._lay_out()
        for field in (self.gradient, self.inputs):
            field.said.connect(self._say)
        self.set_theme(theme)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 2, 0)
        row.setSpacing(GAP)
        self._arguments: list[QWidget] = [
            *(self._words[0], self.gradient, self.retain, self.double),
            *(self._words[1], self.inputs, self._words[2], self.remove),
        ]
        for part in (self.which, *self._arguments, self.add):
            if part in (self.retain, self.double, self._words[1]):
                row.addSpacing(2 * GAP)
            row.addWidget(part)

    def _box(self, name: str, help_: str) -> look.CheckBox:
        box = look.CheckBox(name)
        box.setAccessibleName(name)
        box.setToolTip(help_)
        box.clicked.connect(self._take_boxes)
        return box

    def _button(self, text: str, help_: str, then: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(help_)
        button.setAccessibleName(help_)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(then)
        return button

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self._theme = theme
        for part in self._words:
            part.setFont(look.mono(theme, 12))
        self._fit()

    def fit(self, room: int) -> int:
        """Choose the longest form that fits; returns the width that it takes."""
        if self.call is not None and self._brief != (room < self._wide):
            self._brief = room < self._wide
            self._show_call()
        return self.sizeHint().width()

    # what is shown

    @property
    def _drawing(self) -> Drawing:
        return self._store.state.drawing or Drawing()

    @property
    def call(self) -> BackwardCall | None:
        """The call being shown."""
        calls = self._drawing.calls
        self._at = min(self._at, max(len(calls) - 1, 0))
        return calls[self._at] if calls else None

    def show_state(self, before: State, after: State) -> None:
        """Show the current call."""
        drawing = after.drawing
        if drawing is None:
            return
        if before.drawing is not None and len(drawing.calls) == len(before.drawing.calls) + 1:
            self._at = len(drawing.calls) - 1
        self.add.setText("+" if self.call is not None else "+ backward()")
        self.add.setEnabled(self.call is not None or self._root(after) is not None)
        self._show_call()
        self.resized.emit()

    def _show_call(self) -> None:
        drawing, call = self._drawing, self.call
        self.which.setVisible(call is not None)
        self.add.setVisible(call is None or not self._brief)
        self._make_sign(call is not None)
        for part in self._arguments:
            part.setVisible(call is not None and not self._brief)
        if call is None:
            self._fit()
            return
        nth = f" {self._at + 1}/{len(drawing.calls)}" if len(drawing.calls) > 1 else ""
        text = f"{_short(root_name(drawing, call.root))}.backward("
        self.which.setText(f"{text}…){nth}" if self._brief else f"{text}{nth}")
        self.gradient.show_text(write_gradient(call))
        self.inputs.show_text(write_inputs(drawing, call))
        self.retain.setChecked(call.create_graph if call.retain_graph is None else call.retain_graph)
        self.double.setChecked(call.create_graph)
        self._fit()

    def _make_sign(self, is_sign: bool) -> None:
        """The button that adds a call: just a "+" beside an existing call, otherwise with its name."""
        if self.add.property("sign") != is_sign:
            self.add.setProperty("sign", is_sign)
            self.add.style().unpolish(self.add)
            self.add.style().polish(self.add)

    def _fit(self) -> None:
        """Make the fields as wide as their contents."""
        self.remove.setFixedWidth(self._theme.px(SIGN))
        self.add.setFixedWidth(self._theme.px(SIGN if self.call is not None else ADD_WIDTH))
        for field in (self.gradient, self.inputs):
            text = field.text() or field.placeholderText()
            wide = min(max(len(text), LEAST), MOST)
            field.setFixedWidth(self._theme.px(16) + wide * field.fontMetrics().horizontalAdvance("0"))
        if not self._brief:
            self._wide = self.sizeHint().width()

    # what the user does

    def _fill_menu(self) -> None:
        self._menu.clear()
        drawing = self._drawing
        for at, call in enumerate(drawing.calls):
            action = self._menu.addAction(f"{at + 1}. {root_name(drawing, call.root)}.backward()".replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(at == self._at)
            action.triggered.connect(lambda _=False, nth=at: self._choose(nth))
        if self._brief:
            self._fill_arguments()
        roots = [node for node in drawing.nodes if isinstance(node, Operation) and node.names]
        if roots:
            begin = self._menu.addMenu("Begin at")
            for node in roots:
                action = begin.addAction(node.names[0])
                action.triggered.connect(lambda _=False, id=node.id: self._begin_at(Ref(id)))

    def _fill_arguments(self) -> None:
        """Fill the menu with the other arguments."""
        self._menu.addSeparator()
        for box in (self.retain, self.double):
            action = self._menu.addAction(box.text())
            action.setCheckable(True)
            action.setChecked(box.isChecked())
            action.triggered.connect(box.click)
        self._menu.addAction("gradient and inputs…").triggered.connect(self._go_to_root)
        self._menu.addSeparator()
        self._menu.addAction("Add a call").triggered.connect(self._add)
        self._menu.addAction("Remove this call").triggered.connect(self._remove)

    def _go_to_root(self) -> None:
        """Go to the options in the inspector."""
        if self.call is not None:
            self._store.pick(frozenset({self.call.root.node}))

    def _choose(self, nth: int) -> None:
        self._at = nth
        self.show_state(self._store.state, self._store.state)

    def _begin_at(self, root: Ref) -> None:
        self._change(lambda call: replace(call, root=root))

    def _change(self, change: Callable[[BackwardCall], BackwardCall]) -> None:
        call = self.call
        if call is not None:
            self._store.edit(CHANGE, change_call(self._drawing, self._at, change(call)))

    def _take_gradient(self, text: str) -> None:
        self._change(lambda call: replace(call, gradient=read_gradient(text)))

    def _take_inputs(self, text: str) -> None:
        self._change(lambda call: replace(call, inputs=read_inputs(self._drawing, text)))

    def _take_boxes(self) -> None:
        create, retain = self.double.isChecked(), self.retain.isChecked()
        self._change(
            lambda call: replace(call, create_graph=create, retain_graph=_retain(call, create=create, retain=retain))
        )

    def _remove(self) -> None:
        if self.call is not None:
            self._store.edit(REMOVE, remove_call(self._drawing, self._at))

    def _add(self) -> None:
        root = self._root(self._store.state)
        if root is None:
            return
        try:
            check_root(self._drawing, root)
            self._store.edit(ADD, add_call(self._drawing, root))
        except UserError as error:
            self._say(str(error))

    def _root(self, state: State) -> Ref | None:
        """The root of another call: the selection, the root of the call shown, or the last result."""
        drawing = state.drawing or Drawing()
        picked = [node for node in drawing.nodes if node.id in state.picked and isinstance(node, Operation)]
        if len(picked) == 1:
            return Ref(picked[0].id)
        if self.call is not None:
            return self.call.root
        used = uses(drawing)
        ends = [node for node in drawing.nodes if isinstance(node, Operation) and not used[node.id]]
        return Ref(ends[-1].id) if ends else None

    def _say(self, sentence: str) -> None:
        if sentence:
            self._store.say(sentence)


def _short(name: str) -> str:
    """A name short enough to leave room for the rest."""
    return name if len(name) <= MOST else f"{name[: MOST - 1]}…"


def _retain(call: BackwardCall, *, create: bool, retain: bool) -> bool | None:
    """How `retain_graph` is written: None if the box has PyTorch's default."""
    if create != call.create_graph:
        return call.retain_graph
    return None if retain == create else retain
