"""Groups on the canvas collapse into one box and expand again: by double click, by Enter, by their triangles, or when
something inside is revealed. The session keeps which ones are open; `trace_view` draws them. The place the user is
looking at stays put."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gradviz.session.folding import Folding, Presentation
from gradviz.ui.canvas.selection import ItemSelection
from gradviz.ui.canvas.surface import Surface
from gradviz.ui.canvas.viewport import Viewport

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

Held = tuple[tuple[str, int], tuple[float, float]]


class Collapse(QObject):
    """Opens and closes the groups of a scene."""

    changed = Signal()  # the presentation changed, so the graph has to be laid out again
    refolded = Signal(object)  # the Folding chosen by the user

    def __init__(self, widget: QWidget, surface: Surface, viewport: Viewport, selection: ItemSelection) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self._viewport = viewport
        self._selection = selection
        self.presentation = Presentation()
        self.anchor: tuple[str, int] | None = None  # what stays in place in the next layout

    def present(self, presentation: Presentation) -> None:
        """Use this folding and orientation."""
        if presentation != self.presentation:
            self.presentation = presentation
            self.changed.emit()

    # -- opening and closing

    def toggle_selected(self) -> None:
        """Open the selected group, or close the open group that is selected or contains the selection."""
        scene = self._surface.scene
        if scene is not None:
            self.toggle(scene, scene.groups.at(scene.selected))

    def toggle(self, scene: Scene, group: int) -> None:
        """Open or close a group of the scene; -1 is none."""
        if group < 0:
            return
        key = frozenset((scene.groups.all.key[group],))
        folding = self.presentation.folding
        opens = scene.groups.is_closed(group)
        self.anchor = self._selection.wanted = ("group", int(scene.groups.all.index[group]))
        scene.select(*self.anchor)
        chosen = self.anchor
        self._refold(folding.with_open(key) if opens else folding.with_closed(key))
        self._selection.chosen.emit(*chosen)

    def reveal(self, kind: str, index: int) -> bool:
        """Open the groups around a tensor, operation or group; False if nothing had to be opened."""
        scene = self._surface.scene
        closed = scene.groups.closed_around(kind, index) if scene is not None else []
        if scene is None or not closed:
            return False
        self.anchor = self._selection.wanted = (kind, index)
        keys = frozenset(scene.groups.all.key[group] for group in closed)
        self._refold(self.presentation.folding.with_open(keys))
        return True

    def _refold(self, folding: Folding) -> None:
        self.present(replace(self.presentation, folding=folding))
        self.refolded.emit(folding)

    # -- keeping the place

    def held_place(self) -> Held | None:
        """What should stay in place in the next layout, and where it is on screen."""
        scene, camera = self._surface.scene, self._surface.camera
        if scene is None:
            return None
        middle = camera.to_world(self._widget.width() / 2, self._widget.height() / 2)
        for thing in (self.anchor, scene.selection, scene.thing_near(*middle)):
            place = scene.corner_of(*thing) if thing is not None else None
            if thing is not None and place is not None:
                return thing, camera.to_screen(*place)
        return None

    def hold_place(self, held: Held | None) -> None:
        """Move the camera so that it appears at the same place in the new layout."""
        scene, camera = self._surface.scene, self._surface.camera
        place = scene.corner_of(*held[0]) if scene is not None and held is not None else None
        if held is None or place is None:
            return
        x, y = held[1]
        left, top = place[0] - x / camera.scale, place[1] - y / camera.scale
        self._viewport.jump(replace(camera, left=left, top=top).moved(0, 0))
