"""What lies over the canvas and what is highlighted on it: mini-map, search bar, search hits, a lineage. It passes on
to the canvas what `session.inspect.search` and `session.inspect.lineage` find in a state; the canvas itself knows no
state. Next and previous are in `commands.search`.

The picture of the mini-map is painted once per layout and set of visible graphs; a step costs nothing, a camera move
one frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QTransform, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QLabel, QLineEdit, QToolButton, QWidget
from shiboken6 import Shiboken

from gradviz.commands.search import show_path
from gradviz.session.state import Lineage, Selection, State
from gradviz.ui import look
from gradviz.ui.canvas.camera import Box
from gradviz.ui.drawing.scene import same_structure
from gradviz.ui.panels.panel import Context, moved
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.inspect.lineage import Family
    from gradviz.ui.canvas.ink import Ink
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.canvas.view import CanvasView


# -- the mini-map: the whole graph as blocks, and the visible part as a frame that can be moved

MAP_WIDTH, HEIGHT = 168, 112  # at most
LEAST = 44
MAP_GAP = 12  # to the edges of the canvas
CURRENT_COUNTS = 20.0  # times as much as other cards, where the map would cover it
INSIDE = 6
SMALLEST_MAP = 4 * INSIDE  # anything smaller would be all margin
CORNER = 5.0
WIDEST_VIEW = 900.0  # width of the canvas in pixels below which the map shrinks
SMALLEST_BLOCK = 1.5  # pixels
ROOM = 3.0  # hidden on a canvas that is not this many times as large


class Minimap(QWidget):
    """Lies over a canvas and moves its camera."""

    def __init__(self, view: CanvasView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._picture: QPixmap | None = None
        self._shown: tuple[object, bytes, QSize] | None = None  # what the picture shows
        self._extent: Box = (0.0, 0.0, 1.0, 1.0)
        self.wanted = True
        self._held = False  # while the view is dragged it stays where it is
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Mini-map")
        self.setToolTip("Overview of the graph. Click or drag to move the view.")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()
        view.viewport.changed.connect(self.refresh)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._shown = None
        self.refresh()

    def refresh(self) -> None:
        """Follow the camera and the visible graphs; hidden if everything is in view."""
        scene, extent = self._view.scene, self._view.viewport.extent
        if not self.wanted or scene is None or extent is None or self._view.viewport.shows_everything:
            self.hide()
            return
        size = self._size_for(extent)
        is_tiny = min(size.width(), size.height()) < SMALLEST_MAP
        if is_tiny or size.width() * ROOM > self._view.width() or size.height() * ROOM > self._view.height():
            self.hide()
            return
        self._extent = extent
        if not self._held or self.size() != size:
            self.setGeometry(QRect(self._corner(scene, size), size))
        key = scene.placed.corner, scene.moment.graphs.tobytes(), size
        if self._shown is None or self._shown[0] is not key[0] or self._shown[1:] != key[1:]:
            self._shown = key
            self._picture = None
        self.show()
        self.update()

    def _corner(self, scene: Scene, size: QSize) -> QPoint:
        """Where it covers least of the cards, and least of all of the current one: where it is, else at the top right,
        else in another corner but the top left, which the search has."""
        right, bottom = self._view.width() - size.width() - MAP_GAP, self._view.height() - size.height() - MAP_GAP
        corners = [QPoint(right, MAP_GAP), QPoint(right, bottom), QPoint(MAP_GAP, bottom)]
        if self.isVisible() and self.pos() in corners:
            corners.sort(key=lambda corner: corner != self.pos())
        placed, here = scene.placed, scene.moment.graphs[scene.placed.diagram.graph]
        (left, top), (width, height) = placed.card_corner.T, placed.diagram.card.T
        weight = here.astype(float)
        weight[list(scene.moment.current)] *= CURRENT_COUNTS
        covered = []
        for corner in corners:  # column by column: with rows of two this would take longer than the step's painting
            x, y = self._view.camera.to_world(corner.x(), corner.y())
            end_x, end_y = self._view.camera.to_world(corner.x() + size.width(), corner.y() + size.height())
            across = np.minimum(left + width, end_x) - np.maximum(left, x)
            down = np.minimum(top + height, end_y) - np.maximum(top, y)
            covered.append(float((across.clip(0) * down.clip(0) * weight).sum()))
            if not covered[-1]:
                break
        return corners[int(np.argmin(covered))]

    def _size_for(self, extent: Box) -> QSize:
        """As large as allowed, in the shape of the graph."""
        across, down = max(extent[2] - extent[0], 1.0), max(extent[3] - extent[1], 1.0)
        part = min(1.0, self._view.width() / WIDEST_VIEW)  # a small canvas needs its room for itself
        width, height = round(MAP_WIDTH * part), round(HEIGHT * part)
        least = LEAST
        scale = min((width - 2 * INSIDE) / across, (height - 2 * INSIDE) / down)
        return QSize(
            max(least, round(across * scale) + 2 * INSIDE), max(least, round(down * scale) + 2 * INSIDE)
        ).boundedTo(QSize(width, height))

    def _transform(self) -> QTransform:
        """From world coordinates to the map."""
        left, top, right, bottom = self._extent
        across, down = max(right - left, 1.0), max(bottom - top, 1.0)
        scale = min((self.width() - 2 * INSIDE) / across, (self.height() - 2 * INSIDE) / down)
        x, y = (self.width() - across * scale) / 2, (self.height() - down * scale) / 2
        return QTransform(scale, 0, 0, scale, x - left * scale, y - top * scale)

    @property
    def frame(self) -> QRectF:
        """The part in view, in pixels of the map."""
        left, top = self._view.camera.to_world(0, 0)
        right, bottom = self._view.camera.to_world(self._view.width(), self._view.height())
        inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        seen = self._transform().mapRect(QRectF(QPointF(left, top), QPointF(right, bottom))).intersected(inside)
        return seen.adjusted(0, 0, max(0.0, 4 - seen.width()), max(0.0, 4 - seen.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            scene = self._view.scene
            if scene is None:
                return
            if self._picture is None:
                self._picture = self._painted(scene)
            painter.drawPixmap(0, 0, self._picture)
            focus = QColor(self._theme.focus)
            painter.setPen(QPen(focus, 1.5))
            focus.setAlphaF(0.14)
            painter.setBrush(focus)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawRect(self.frame)

    def _painted(self, scene: Scene) -> QPixmap:
        """The visible graphs in full, including what is still to come in them."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.canvas))
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.card_border), 1.0))
            painter.setBrush(QColor(self._theme.panel))
            painter.drawRoundedRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1), CORNER, CORNER)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setTransform(self._transform(), True)
            paint_blocks(painter, scene, scene.painter.ink, painter.transform().m11() / ratio)
            scene.paint_on_map(painter)
        return picture

    # -- moving the camera

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = True
        self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = False
        self.refresh()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        inverse, _ = self._transform().inverted()
        at = inverse.map(event.position())
        self._view.viewport.look_at(at.x(), at.y())

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y()
        if turn:
            (self._view.viewport.zoom_in if turn > 0 else self._view.viewport.zoom_out)()
        event.accept()


def paint_blocks(painter: QPainter, scene: Scene, ink: Ink, scale: float) -> None:
    """All items of the visible graphs as blocks in the colours of their kinds, with a few lines for their edges."""
    import numpy as np
    from shiboken6 import Shiboken

    from gradviz.ui.canvas.edge_painter import draw_lines, far_lines

    placed, diagram = scene.placed, scene.placed.diagram
    items = scene.moment.graphs[diagram.graph]
    infinity = float("inf")
    painter.setPen(ink.hairline("edge", 0.35))
    edges = items[diagram.edges[:, 1]] if len(diagram.edges) else np.zeros(0, bool)
    draw_lines(painter, far_lines(placed, (-infinity, -infinity, infinity, infinity), edges))
    painter.setPen(Qt.PenStyle.NoPen)
    for category, frame in ink.frames.items():
        chosen = np.flatnonzero(items & (diagram.category == category))
        if len(chosen):
            size = np.maximum(diagram.card[chosen], SMALLEST_BLOCK / scale)
            boxes = np.ascontiguousarray(np.column_stack((placed.card_corner[chosen], size)))
            painter.setBrush(frame.border)
            painter.drawRects(Shiboken.wrapInstance(boxes.ctypes.data, QRectF), len(boxes))  # type: ignore[call-overload]


# -- the search bar

GAP = 12
WIDEST = 470
PLACEHOLDER = "Find: name, mul, line:9, [2, 3], NaN, freed, leaf …"
KEYS = {
    Qt.Key.Key_Escape: "view.select_none",
    Qt.Key.Key_Return: "edit.find_next",
    Qt.Key.Key_Enter: "edit.find_next",
    Qt.Key.Key_Down: "edit.find_next",
    Qt.Key.Key_Up: "edit.find_previous",
}
BACK = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class SearchLine(QLineEdit):
    """A line edit that keeps the keys of a search for itself."""

    command = Signal(str)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._command(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = self._command(event)
        if command:
            self.command.emit(command)
        else:
            super().keyPressEvent(event)

    def _command(self, event: QKeyEvent) -> str:
        key, shift = Qt.Key(event.key()), Qt.KeyboardModifier.ShiftModifier
        keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in BACK and keys == shift:
            return "edit.find_previous"
        return KEYS.get(key, "") if keys == Qt.KeyboardModifier.NoModifier else ""


class SearchBar(QFrame):
    """Visible over the canvas while `state.search.open`."""

    def __init__(self, context: Context, over: QWidget) -> None:
        super().__init__(over)
        self._context = context
        self._theme = context.theme
        self._over = over
        self._before: QWidget | None = None  # what had the focus
        self.setObjectName("searchBar")
        self.setAccessibleName("Find on the graph")
        self.line = SearchLine()
        self.line.setPlaceholderText(PLACEHOLDER)
        self.line.setAccessibleName("Find on the graph")
        self.line.setClearButtonEnabled(True)
        self.line.textEdited.connect(self._edited)
        self.line.command.connect(context.do)
        self.count = QLabel()
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.jump = self._button("Go there", "edit.find_jump", "Go to the step at which it can be seen")
        self.jump.setObjectName("link")
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(8, 6, 6, 6)
        grid.setHorizontalSpacing(4)
        grid.setColumnStretch(0, 1)
        for column, widget in enumerate((
            self.line,
            self.count,
            self._button("▲", "edit.find_previous", "Previous"),
            self._button("▼", "edit.find_next", "Next"),
            self._button("✕", "view.select_none", "Close"),
        )):  # fmt: skip
            grid.addWidget(widget, 0, column)
        grid.addWidget(self.note, 1, 0, 1, 2)
        grid.addWidget(self.jump, 1, 2, 1, 3)
        self.hide()
        self.set_theme(context.theme)

    def _button(self, text: str, command: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(lambda: self._context.do(command))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.setStyleSheet(
            f"QFrame#searchBar {{ background: {theme.panel}; border: 1px solid {theme.card_border};"
            f" border-radius: {theme.px(8)}px; }}"
            f"QFrame#searchBar QLabel {{ color: {theme.muted}; }}"
            f"QFrame#searchBar QToolButton#link {{ color: {theme.link}; }}"
        )
        for widget in (self.count, self.note, self.jump):
            widget.setFont(look.sans(theme, 12))
        self.count.setMinimumWidth(self.count.fontMetrics().horizontalAdvance("nothing found"))
        self.place()

    def place(self) -> None:
        """At the top left corner of the canvas, leaving room for the mini-map."""
        room = self._over.width() - 3 * GAP - self._theme.px(MAP_WIDTH)
        self.setGeometry(GAP, GAP, min(self._theme.px(WIDEST), max(room, 280)), self.sizeHint().height())

    def show_state(self, before: State, after: State) -> None:
        """Open or close, and show how far the search is."""
        search = after.search
        if search.open and not self.isVisible():
            self._open()
        elif not search.open and self.isVisible():
            self._close()
        if search.open:
            if self.line.text() != search.query:
                self.line.setText(search.query)
            self._tell(after)

    def _tell(self, state: State) -> None:
        from gradviz.session.inspect import search

        self.count.setText(search.count_text(state))
        hit = search.current(state)
        when = search.coming(state, hit) if hit is not None else None
        for widget in (self.note, self.jump):
            widget.setVisible(when is not None)
        if hit is not None and when is not None:
            verb = "comes at" if search.is_future(state, hit) else "was seen at"
            self.note.setText(f"{search.name_of(state, hit)} {verb} step {when:,}")
        self._grid.activate()
        self.place()

    def take_keyboard(self) -> None:
        """Take the focus; the previous widget gets it back at the end."""
        if not self.isAncestorOf(QApplication.focusWidget() or self):
            self._before = QApplication.focusWidget()
        self.line.setFocus()
        self.line.selectAll()

    def _open(self) -> None:
        self.show()
        self.raise_()
        self.take_keyboard()

    def _close(self) -> None:
        focus = QApplication.focusWidget()
        had = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had:
            before = self._before if self._before is not None and Shiboken.isValid(self._before) else None
            (before if before is not None and before.isVisible() else self._over).setFocus()
        self._before = None

    def _edited(self, text: str) -> None:
        store = self._context.shell.store
        store.look_for(replace(store.state.search, query=text, at=-1))


class CanvasOverlays:
    """The overlays of one canvas."""

    def __init__(self, context: Context, view: CanvasView) -> None:
        self._context = context
        self._view = view
        self.minimap = Minimap(view, context.theme)
        self.bar = SearchBar(context, view)
        view.input.opened.connect(self._opened)
        view.input.other_end.connect(self._other_end)
        view.input.number_chosen.connect(self._ask)
        view.laid_out.connect(self._laid_out)
        view.viewport.changed.connect(self.bar.place)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.minimap.set_theme(theme)
        self.bar.set_theme(theme)
        self._show_question(self._context.shell.store.state)

    def show_state(self, before: State, after: State) -> None:
        """Bring everything up to date."""
        other = moved(before, after)
        if before.predict.asked is not after.predict.asked or (before is after and after.predict.on):
            self._show_question(after)
        self._view.viewport.present(after.stage.on)
        self._view.viewport.flight.wanted = self._view.surface.motion.wanted = after.view.animated
        if other or before.lineage != after.lineage or before.chain is not after.chain:
            self._show_lineage(before, after)
        if other or before.search != after.search:
            self._show_hits(before, after)
        if (other or before.origin is not after.origin) and (before.origin is not None or after.origin is not None):
            self._show_numbers(after)
        self.bar.show_state(before, after)
        self.minimap.wanted = after.view.minimap
        if other or before.view is not after.view:
            self.minimap.refresh()
            self._view.hover.refresh_card()

    def _show_question(self, state: State) -> None:
        """A "?" in place of the number to predict."""
        asked, surface = state.predict.asked, self._view.surface
        if asked is not None:
            from gradviz.ui.panels.explanation import QuestionMark

            surface.overlay = QuestionMark(asked, surface.theme)
            surface.repaint_all()
        elif state.what_if is None and surface.overlay is not None:
            surface.overlay = None
            surface.repaint_all()

    def _show_lineage(self, before: State, after: State) -> None:
        same = before.trace is after.trace and before.steps == after.steps and before.chain is after.chain
        if after.trace is None or (same and before.lineage == after.lineage and before is not after):
            return
        found = _standing_out(after)
        if found is not None or _standing_out(before) is not None or before.trace is not after.trace:
            self._view.selection.show_family(found)

    def _show_hits(self, before: State, after: State) -> None:
        if not after.search.open:
            if before.search.open or before.trace is not after.trace:
                self._view.selection.show_hits(None)
            return
        from gradviz.session.inspect.search import hits_of

        self._view.selection.show_hits(hits_of(after))

    def _laid_out(self, _: bool) -> None:
        """There is another layout of the same graph."""
        state = self._context.shell.store.state
        if state.origin is not None:
            self._show_numbers(state)

    def _show_numbers(self, state: State) -> None:
        """Highlight the number that is asked about, and those that it comes from."""
        from gradviz.ui.canvas.painter import Numbers

        scene, found = self._view.scene, state.origin
        if scene is not None:
            element = found.element if found is not None else None
            asked = (element.tensor, element.part, element.index) if element is not None else None
            lit = {(element.tensor, element.part): {element.index: 1.0}} if element is not None else {}
            scene.painter.numbers = Numbers(asked, lit | (found.lit if found is not None else {}))
            self._view.surface.repaint_all()

    def _ask(self, tensor: int, part: str, index: int) -> None:
        from gradviz.session.inspect.elements import Element

        if not self._view.is_current:
            return
        self._context.shell.elements.show(Element(tensor, part, index))
        self._context.shell.focus("elements")

    def _opened(self, kind: str, index: int) -> None:
        if self._view.is_current:
            self._context.shell.store.select(Selection(kind, index))
            self._context.do("view.source")

    def _other_end(self, kind: str, index: int) -> None:
        begun = self._context.shell.store.state.selection
        if self._view.is_current and begun is not None and "group" not in (begun.kind, kind):
            show_path(self._context.shell, Lineage("path", begun, Selection(kind, index)))


def _standing_out(state: State) -> Family | None:
    """What a lineage contains, or else the selected path of a gradient."""
    from gradviz.session.inspect.lineage import along, family

    chain = state.chain
    if state.trace is None:
        return None
    if state.lineage is not None:
        return family(state.trace, state.lineage)
    if chain is None or chain.paths is None or chain.at < 0:
        return None
    if chain.trace is not state.trace and not same_structure(chain.trace, state.trace):
        return None  # the paths of this run will be known shortly
    return along(state.trace, chain.paths.found[chain.at], chain.tensor)
