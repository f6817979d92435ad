"""The canvas of a drawing: the ordinary canvas, with every place taken from the drawing, so that what has not run is
there too. `scene` has what is painted, `geometry` where it is; what the mouse and the keys do to the drawing is
installed from outside, see `interactions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from gradviz.document.drawing import Drawing
from gradviz.session.folding import Presentation
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.view import CanvasView
from gradviz.ui.drawing.geometry import NOTHING, Geometry, Hit
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.session.drawn import Drawn
    from gradviz.trace.trace import Trace


class Interaction(Protocol):
    """What is asked first about everything that the user does on the canvas."""

    def handle(self, event: QEvent) -> bool:
        """Act on an event of the view; False leaves it to the canvas (pan, zoom, hover, select)."""


class DrawingView(CanvasView):
    """Shows a drawing, and at its nodes the trace of it at a cursor."""

    _interactions: tuple[Interaction, ...] = ()  # Qt asks for events while the base class is made

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Drawing")
        self._ink = Ink(theme)
        self._document = Drawing()
        self._drawn: Drawn | None = None
        self._geometry = Geometry(self._document, self._ink)
        self.picked: frozenset[int] = frozenset()
        self.hovered = NOTHING

    # -- what is shown

    @property
    def drawing(self) -> Drawing:
        """The drawing that is shown."""
        return self._document

    @property
    def geometry(self) -> Geometry:
        """Where everything of it is."""
        return self._geometry

    @property
    def drawn(self) -> Drawn | None:
        """Where its nodes are in the trace that is shown, None without one."""
        return self._drawn

    def show_drawing(self, drawing: Drawing, traced: Drawing | None, trace: Trace | None) -> None:
        """Show a drawing with the values of a trace of it; `traced` is the drawing as it was when that ran."""
        self._document = drawing
        self._geometry = Geometry(drawing, self._ink)
        self._repaint_all()

    def set_picked(self, picked: frozenset[int]) -> None:
        """These nodes, comments and groups are selected."""
        self.picked = picked
        self.update()

    def set_hovered(self, hit: Hit) -> None:
        """What is under the pointer: its ports are shown, with their names."""
        if hit != self.hovered:
            self.hovered = hit
            self.update()

    def set_drawing(self, drawing: Presentation) -> None:
        """A drawing has its own places and groups: nothing to do."""

    # -- what the user does

    def install(self, interaction: Interaction) -> None:
        """Ask this first about every event from now on."""
        self._interactions = (*self._interactions, interaction)

    def event(self, event: QEvent) -> bool:
        if any(interaction.handle(event) for interaction in self._interactions):
            return True
        return super().event(event)
