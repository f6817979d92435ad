"""Opening and closing groups on the canvas: by a double click, by Enter, at their triangles, or on the way to something
inside. What is open is kept by the session; `view` draws it. The place that the user looks at stays where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from gradviz.session.folding import Folding, Presentation
from gradviz.ui.canvas.gestures import Gestures
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene


class Unfolding(Gestures):
    """A surface whose groups open and close."""

    refolded = Signal(object)  # the Folding that the user made

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self.animated = False
        self._drawing = Presentation()
        self._anchor: tuple[str, int] | None = None  # what stays where it is in the next drawing
        self._pressed = QPoint()
        self._turned = False  # the click that may become a double click has opened or closed a group

    def set_drawing(self, drawing: Presentation) -> None:
        """Draw the graph folded and turned so."""
        if drawing != self._drawing:
            self._drawing = drawing
            self._draw_anew()

    def _draw_anew(self) -> None:
        """See `view`."""
        raise NotImplementedError

    # -- opening and closing

    def toggle_group(self) -> None:
        """Open the selected group, or close the open one that is selected or holds the selection."""
        if self._scene is not None:
            self._toggle(self._scene, self._scene.groups.at(self._scene.selected))

    def _toggle(self, scene: Scene, group: int) -> None:
        if group < 0:
            return
        key = frozenset((scene.groups.all.key[group],))
        folding = self._drawing.folding
        opens = scene.groups.is_closed(group)
        self._anchor = ("group", int(scene.groups.all.index[group]))
        self._wanted = self._anchor
        scene.select(*self._anchor)
        self._refold(folding.with_open(key) if opens else folding.with_closed(key))
        self.nodeSelected.emit(*self._anchor)

    def reveal(self, kind: str, index: int) -> bool:
        """Open the groups around a tensor, operation or group; False if nothing had to be opened."""
        scene = self._scene
        closed = scene.groups.closed_around(kind, index) if scene is not None else []
        if scene is None or not closed:
            return False
        self._wanted = self._anchor = (kind, index)
        self._refold(self._drawing.folding.with_open(frozenset(scene.groups.all.key[group] for group in closed)))
        return True

    def _refold(self, folding: Folding) -> None:
        self.set_drawing(replace(self._drawing, folding=folding))
        self.refolded.emit(folding)

    # -- keeping the place

    def _held_place(self) -> tuple[tuple[str, int], tuple[float, float]] | None:
        """What should stay where it is in the next drawing, and where on the screen that is."""
        scene = self._scene
        if scene is None:
            return None
        middle = self._camera.to_world(self.width() / 2, self.height() / 2)
        for thing in (self._anchor, scene.selection, scene.thing_near(*middle)):
            place = scene.corner_of(*thing) if thing is not None else None
            if thing is not None and place is not None:
                return thing, self._camera.to_screen(*place)
        return None

    def _hold_place(self, held: tuple[tuple[str, int], tuple[float, float]] | None) -> None:
        """Move the camera so that it is there in the new drawing too."""
        place = self._scene.corner_of(*held[0]) if self._scene is not None and held is not None else None
        if held is None or place is None:
            return
        scale = self._camera.scale
        x, y = held[1]
        self.flight.stop()
        self._look(self._kept(replace(self._camera, left=place[0] - x / scale, top=place[1] - y / scale).moved(0, 0)))

    # -- mouse and keys

    def _thing_at(self, pixel: QPoint) -> int:
        """The item under a pixel, or the frame whose title it is (-2 - frame), -1 for nothing."""
        return self._scene.thing_at(self._camera, pixel) if self._scene is not None else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        self._turned = False
        super().mousePressEvent(event)

    def _click(self, item: int, shift: bool) -> None:
        scene = self._scene
        item = self._thing_at(self._pressed) if item < 0 else item
        if scene is not None and scene.groups.is_triangle(item, self._camera, self._pressed):
            self._turned = True
            self._toggle(scene, scene.groups.at(item))
            return
        super()._click(item, shift)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._turned or self._scene is None:
            return
        thing = self._thing_at(event.position().toPoint())
        group = self._scene.groups.at(thing) if thing < -1 or self._scene.groups.is_group(thing) else -1
        if group >= 0:
            self._toggle(self._scene, group)
        else:
            super().mouseDoubleClickEvent(event)

    def _open_selection(self) -> None:
        scene = self._scene
        if scene is not None and (scene.selected < -1 or scene.groups.is_group(scene.selected)):
            self.toggle_group()
        else:
            super()._open_selection()
