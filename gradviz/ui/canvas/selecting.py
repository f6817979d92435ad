"""What is selected on the canvas and what stands out on it: by signal when the user did it, by call when the program
does. `gestures` has the mouse and the keys for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.hovering import Hovering
from gradviz.ui.canvas.viewport import LEGIBLE, OPENED
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.lineage import Family
    from gradviz.session.search import Hits
    from gradviz.ui.canvas.scene import Scene


class Selecting(Hovering):
    """A surface with a selection."""

    nodeSelected = Signal(str, int)  # "tensor" or "node", and its number in the trace
    nothingSelected = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self._wanted: tuple[str, int] | None = None  # what is selected, whether or not it is drawn yet
        self._family: Family | None = None
        self._hits: Hits | None = None

    @property
    def selection(self) -> tuple[str, int] | None:
        """What is selected: ("tensor" or "node", its number)."""
        return self._scene.selection if self._scene is not None else None

    def select(self, kind: str, index: int) -> None:
        """Select a tensor or node, from outside: no signal."""
        self._wanted = (kind, index)
        if self._scene is not None:
            self._scene.select(kind, index)
            self._announce(self._scene)
            self.update()

    def clear_selection(self) -> None:
        """Select nothing, from outside: no signal."""
        self._wanted = None
        if self._scene is not None:
            self._scene.select_item(-1)
            self.update()

    def center_on(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle."""
        place = self._scene.place_of(self._scene.find(kind, index)) if self._scene is not None else None
        if place is not None:
            self._fitted = False
            self._fly(self._aimed(self.flight.target(self._camera), place))

    def show_thing(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle, large enough to read."""
        scene, scale = self._scene, self._camera.scale
        place = scene.place_of(scene.find(kind, index)) if scene is not None else None
        if place is not None:
            self._fitted = False
            near = scale if scale >= LEGIBLE * self._theme.scale else OPENED * self._theme.scale
            self._fly(self._aimed(Camera(near, self._camera.left, self._camera.top), place))

    def fit_selection(self) -> None:
        """The selection, or the current step, in view and large enough to read."""
        if self._scene is not None:
            chosen = self._scene.selected
            self.fit_items([chosen] if chosen >= 0 else list(self._scene.moment.current))

    def show_details(self) -> None:
        """The card with everything about the selection, as if the pointer rested on it."""
        if self._scene is not None:
            item = self._scene.selected if self._scene.selected >= 0 else self._scene.start_item()
            self.show_card(item)

    def show_family(self, family: Family | None) -> None:
        """Let everything but these operations and tensors fade; None for nothing."""
        nothing, self._family = family is None and self._family is None, family
        if self._scene is not None and not nothing:
            self._scene.marks.show_family(family)
            self._repaint_all()

    def show_hits(self, hits: Hits | None) -> None:
        """Mark what a search has found."""
        self._hits = hits
        if self._scene is not None:
            self._scene.marks.show_hits(hits)
            self.update()

    def _mark_again(self) -> None:
        """The scene is new: what stood out stands out in it too."""
        if self._scene is not None:
            self._scene.marks.show_family(self._family)
            self._scene.marks.show_hits(self._hits)
        self.cameraChanged.emit()

    def _choose(self, item: int) -> None:
        """Select by mouse or keyboard."""
        scene = self._scene
        if scene is None:
            return
        scene.select_item(item)
        self._wanted = scene.selection
        self._announce(scene)
        self.update()
        if scene.selection is None:
            self.nothingSelected.emit()
        else:
            kind, index = scene.selection
            self.nodeSelected.emit(kind, index)

    def _announce(self, scene: Scene) -> None:
        """Tell a screen reader what is selected."""
        said = scene.words(scene.selected) if scene.selected >= 0 else None
        text = f"Selected: {said.title}, {said.kind}" if said is not None else ""
        self.setAccessibleDescription(f"{scene.description()}. {text}".removesuffix(". "))
        if text and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
