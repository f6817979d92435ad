"""What is selected on the canvas and what stands out there. Changes by the user emit signals, calls by the program do
not. `input` handles mouse and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.surface import Surface

if TYPE_CHECKING:
    from gradviz.session.inspect.lineage import Family
    from gradviz.session.inspect.search import Hits
    from gradviz.ui.canvas.scene import Scene


class ItemSelection(QObject):
    """The selected item of a surface, even if it is not drawn yet."""

    chosen = Signal(str, int)  # by the user: "tensor", "node" or "group", and its index in the trace
    cleared = Signal()  # by the user

    def __init__(self, widget: QWidget, surface: Surface) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self.wanted: tuple[str, int] | None = None  # what is selected, whether it is drawn yet or not
        self._family: Family | None = None
        self._hits: Hits | None = None

    @property
    def current(self) -> tuple[str, int] | None:
        """The selection: "tensor", "node" or "group", and its index."""
        scene = self._surface.scene
        return scene.selection if scene is not None else None

    # -- by the program

    def select(self, kind: str, index: int) -> None:
        """Select a tensor or node without a signal."""
        self.wanted = (kind, index)
        scene = self._surface.scene
        if scene is not None:
            scene.select(kind, index)
            self._announce(scene)
            self._widget.update()

    def clear(self) -> None:
        """Select nothing, without a signal."""
        self.wanted = None
        if self._surface.scene is not None:
            self._surface.scene.select_item(-1)
            self._widget.update()

    def restore(self, scene: Scene) -> None:
        """There is a new scene: select and highlight the same things there."""
        scene.marks.show_family(self._family)
        scene.marks.show_hits(self._hits)
        if self.wanted is not None:
            scene.select(*self.wanted)

    # -- by the user

    def choose(self, item: int) -> None:
        """Select an item by mouse or keyboard; -1 for nothing."""
        scene = self._surface.scene
        if scene is None:
            return
        scene.select_item(item)
        self.wanted = scene.selection
        self._announce(scene)
        self._widget.update()
        if scene.selection is None:
            self.cleared.emit()
        else:
            self.chosen.emit(*scene.selection)

    def _announce(self, scene: Scene) -> None:
        """Tell a screen reader what is selected."""
        said = scene.words(scene.selected) if scene.selected >= 0 else None
        text = f"Selected: {said.title}, {said.kind}" if said is not None else ""
        self._widget.setAccessibleDescription(f"{scene.description()}. {text}".removesuffix(". "))
        if text and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._widget, text))

    # -- what stands out

    def show_family(self, family: Family | None) -> None:
        """Fade everything except these operations and tensors; None for nothing."""
        nothing, self._family = family is None and self._family is None, family
        scene = self._surface.scene
        if scene is not None and not nothing:
            scene.marks.show_family(family)
            self._surface.repaint_all()

    def show_hits(self, hits: Hits | None) -> None:
        """Mark search hits."""
        self._hits = hits
        scene = self._surface.scene
        if scene is not None:
            scene.marks.show_hits(hits)
            self._widget.update()

    def forget_marks(self) -> None:
        """Drop highlights that belong to another trace than that of the next scene."""
        self._family = self._hits = None
