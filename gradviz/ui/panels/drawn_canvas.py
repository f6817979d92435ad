"""The canvas of a drawing in the middle of the window, with its mini-map and search bar, and the note that says why a
drawing from elsewhere has no values yet. `graph` shows it in place of the ordinary canvas when the document is a
drawing; `gradviz.ui.drawing` has what is on it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QWidget

from gradviz.document.drawing import Drawing
from gradviz.document.shaping import set_group_closed
from gradviz.session.drawn import drawing_of
from gradviz.session.state import Selection, State
from gradviz.session.trust_warnings import HOW, NOT_RUN
from gradviz.ui import look
from gradviz.ui.drawing.interactions import attach
from gradviz.ui.drawing.scene import only_values_differ
from gradviz.ui.drawing.sliders import Sliders
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.panels.canvas_overlays import CanvasOverlays
from gradviz.ui.panels.panel import Context, moved
from gradviz.ui.theme import Theme
from gradviz.worker.locks.layers import caution

GAP = 10  # pixels to the edges
WIDEST = 460  # at 100 %


class WaitingNote(QLabel):
    """At the bottom of a canvas; the mouse works through it."""

    def __init__(self, over: QWidget, theme: Theme) -> None:
        super().__init__(over)
        self.setObjectName("doubt")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._over = over
        over.installEventFilter(self)
        self.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self._widest = theme.px(WIDEST)
        self.setFont(look.sans(theme, 12.5))
        self._place()

    def show_state(self, state: State) -> None:
        """Say why there are no values, or hide."""
        if state.doubt:
            self.setText(f"{state.doubt} {NOT_RUN} {HOW} {caution()}".rstrip())
            self._place()
        self.setVisible(bool(state.doubt))

    def _place(self) -> None:
        width = max(80, min(self._widest, self._over.width() - 2 * GAP))
        height = self.heightForWidth(width)
        self.setGeometry((self._over.width() - width) // 2, self._over.height() - height - GAP, width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The canvas was resized."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


class DrawnCanvas(QObject):
    """Shows the drawing in a state."""

    def __init__(self, context: Context, theme: Theme, menu: list[QAction]) -> None:
        super().__init__()
        self._context = context
        self._shown: Drawing | None = None
        self.view = DrawingView(theme)
        self.view.selection.chosen.connect(self._select)
        self.view.selection.cleared.connect(self._select_nothing)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.view.addActions(menu)
        self.hands = attach(self.view, context.shell.store, theme, self._fits, context.do)
        self.sliders = Sliders(self.view, context.shell.store, theme, lambda: context.shell.wire_trial.samples)
        self.over = CanvasOverlays(context, self.view)
        self.over.set_theme(theme)
        self.waiting = WaitingNote(self.view, theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.view.set_theme(theme)
        self.hands.set_theme(theme)
        self.sliders.set_theme(theme)
        self.over.set_theme(theme)
        self.waiting.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        """Bring the canvas up to date, if the document is a drawing."""
        drawing = after.drawing
        if drawing is None:
            self._shown = None
            return
        view = self.view
        view.animated = after.view.animated
        if self._shown is None or _is_other(before, after):
            view.start_afresh()
            self.hands.ground.overlay.drop_bubble()
        other = self._shown is not drawing or before is after or before.traced is not after.traced
        if other and self._comes_soon(before, after):
            pass
        elif other or before.trace is not after.trace or before.steps != after.steps:
            view.put_cursor(after.cursor)
            in_hand = self._context.shell.store.is_merging
            view.show_drawing(drawing, drawing_of(after.traced, drawing), after.trace, moving=True, in_hand=in_hand)
            self._shown = drawing
        elif moved(before, after):
            view.set_cursor(after.cursor)
            self._shown = drawing
        view.surface.motion.set_playing(after.playing)
        if view.picked != after.picked:
            view.set_picked(after.picked)
        self.sliders.show_state(before, after)
        if before.selection != after.selection or before is after:
            if after.selection is None:
                view.selection.clear()
            else:
                view.selection.select(after.selection.kind, after.selection.index)
        self.over.show_state(before, after)
        self.waiting.show_state(after)

    def _comes_soon(self, before: State, after: State) -> bool:
        """While a slider moves, the drawing is shown once its values have arrived, not twice."""
        only_document = before.document is not after.document and before.trace is after.trace
        merging = self._context.shell.store.is_merging and before.run is after.run and after.trace is not None
        drawing = after.drawing
        return (
            only_document
            and merging
            and self._shown is not None
            and drawing is not None
            and only_values_differ(self._shown, drawing)
        )

    def toggle_group(self) -> None:
        """Open or close the groups that are picked, or that contain what is picked."""
        store = self._context.shell.store
        drawing, picked = store.state.drawing, store.state.picked
        if drawing is None:
            return
        changed = drawing
        for group in drawing.groups:
            if group.id in picked or group.members & picked:
                changed = set_group_closed(changed, group.id, not group.closed)
        store.edit("Open or Close Group", changed)

    def _fits(self, candidate: Drawing, then: Callable[[str], None]) -> None:
        self._context.shell.wire_trial.ask(candidate, then)

    def _select(self, kind: str, index: int) -> None:
        if kind != "group":  # those of a drawing are picked, see `toggle_group`
            self._context.shell.store.select(Selection(kind, index))

    def _select_nothing(self) -> None:
        self._context.shell.store.select(None)


def _is_other(before: State, after: State) -> bool:
    """Whether another document was opened: its list of edits is empty."""
    begun = before.document is not after.document or bool(before.undo_label or before.redo_label)
    return begun and not (after.undo_label or after.redo_label)
