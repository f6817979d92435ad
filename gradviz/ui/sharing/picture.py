"""The canvas at one step as a picture: SVG, PDF or PNG, painted by the same code as the screen. `Shown` is what is
shown and how; pages and films use it, too. Nothing here touches a file.

Note [Large pictures] A card takes half a millisecond and two kilobytes of SVG, so a picture of thousands of them is
painted like the screen from further away: with names and main values only, or as blocks. A sentence then says what was
left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QColor, QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter

from gradviz.session.folding import Presentation
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.edge_painter import MIDDLE
from gradviz.ui.canvas.painter import WHOLE
from gradviz.ui.canvas.placed import PAGE
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.sharing.svg import Sheet, png_of, svg_file
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.document.drawing import Drawing
    from gradviz.session.state import Selection
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.placed import Placed
    from gradviz.ui.canvas.structure import Excerpt

MARGIN = 36.0  # words on edges stand in it
PNG_SCALE = 2.0
LARGEST_SIDE = 16_000  # maximum side of a PNG in pixels, and of the nominal size of an SVG
MOST_PIXELS = 40_000_000  # of a PNG
QUICK_PNG = 85  # Qt's name for the lowest of nine levels of compression: the others take most of the time
PDF_DOTS = 144
LARGEST_PAGE = 14_400.0  # points: PDF readers show no larger page
MOST_WHOLE, MOST_NAMED = 3_000, 9_000  # items painted in full, and those with name and main value
NAMED, BLOCKS = 0.5, 0.15  # the zooms at which the screen paints like that


@dataclass(frozen=True)
class Shown:
    """What is shown of a run and how: a drawing in its places or a graph in this `presentation`, at a cursor, with a
    selection. `scale` enlarges pictures, films and prints."""

    trace: Trace
    cursor: int
    name: str = ""
    source: str = ""
    drawing: Drawing | None = None
    theme: Theme = LIGHT
    presentation: Presentation = field(default_factory=Presentation)
    selection: Selection | None = None
    scale: float = 1.0
    every_step: bool = False
    placed: Placed | None = None  # the layout at the cursor, if it already exists

    @property
    def stops(self) -> list[int]:
        """The cursors at which stepping stops."""
        ends = range(1, len(self.trace) + 1) if self.every_step else self.trace.folds.ends.tolist()
        return [0, *ends]

    def scene(self, theme: Theme, *, throughout: bool = False) -> Scene:
        """The graph in the colours of a theme, at the cursor; `throughout` the run if it will be moved from there."""
        if self.drawing is not None:
            scene = self._drawn_scene(theme)
        else:
            scene = Scene(self._everything if throughout else self._layout, theme)
        scene.painter.ink.least = 0.0  # a file may be enlarged, unlike a screen
        scene.move_to(self.cursor)
        if self.selection is not None:
            scene.select(self.selection.kind, self.selection.index)
        return scene

    @cached_property
    def _layout(self) -> Placed:
        from gradviz.ui.canvas.structure import excerpt_around

        return self.placed if self.placed is not None else self._laid_out(excerpt_around(self.trace, self.cursor))

    @cached_property
    def _everything(self) -> Placed:
        from gradviz.ui.canvas.structure import whole

        excerpt = self._layout.diagram.structure.excerpt
        return self._layout if excerpt.is_whole else self._laid_out(whole(self.trace))

    def _laid_out(self, excerpt: Excerpt) -> Placed:
        from gradviz.layout.flat import Layouter
        from gradviz.ui.canvas.diagram import build
        from gradviz.ui.canvas.diagram_layout import lay_out
        from gradviz.ui.canvas.sizes import Ruler

        ruler = Ruler()
        return lay_out(build(self.trace, ruler, self.presentation, excerpt), ruler, Layouter())

    def _drawn_scene(self, theme: Theme) -> Scene:
        from gradviz.session.drawn import drawn
        from gradviz.ui.drawing.scene import SceneBuilder

        assert self.drawing is not None
        builder = SceneBuilder(theme)
        builder.ink.least = 0.0
        return builder.scene(self.drawing, drawn(self.drawing, self.trace), self.trace, None)


@dataclass(frozen=True)
class _Page:
    """A picture: where it begins and how large it is in world coordinates, how many device units a world pixel has, and
    the zoom at which the screen shows the same level of detail."""

    left: float
    top: float
    width: float
    height: float
    scale: float
    detail: float


def _page(scene: Scene, largest: float, scale: float = 1.0, most_pixels: float = float("inf")) -> _Page:
    """All of a scene, at this scale or smaller if necessary for no side to exceed `largest`."""
    left, top, right, bottom = scene.extent() or (0.0, 0.0, 100.0, 60.0)
    width, height = right - left + 2 * MARGIN, bottom - top + 2 * MARGIN
    scale = min(scale, largest / width, largest / height, (most_pixels / (width * height)) ** 0.5)
    boxes = scene.boxes
    detail = 1.0 if boxes <= MOST_WHOLE else NAMED if boxes <= MOST_NAMED else BLOCKS
    if most_pixels < float("inf") and scale < WHOLE:  # pixels can't be smaller than this
        detail = min(detail, scale)
    return _Page(left - MARGIN, top - MARGIN, width, height, scale, detail)


def _left_out(scene: Scene, page: _Page, name: str) -> str:
    """What the picture leaves out because there is too much of it; "" for nothing."""
    if page.detail >= WHOLE:
        return ""
    how = "as blocks without words" if page.detail < MIDDLE else "with their names and main values only"
    return f"{name} shows its {scene.boxes:,} boxes {how}, because the graph is so large; a window shows all of it."


def _edges_left_out(scene: Scene, page: _Page, name: str) -> str:
    """How many edges the picture has if it does not have all of them; "" for all."""
    seen = scene.moment.edges
    painted = seen & scene.placed.density.painted(page.detail, PAGE)[0]
    if painted.sum() == seen.sum():
        return ""
    return f"{name} shows {painted.sum():,} of {seen.sum():,} edges: more of them could not be told apart."


def _paint(scene: Scene, page: _Page, device: QPaintDevice, theme: Theme) -> None:
    area = QRectF(0, 0, page.width * page.detail, page.height * page.detail)
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("there is no memory for the picture")
    with painter:  # Qt aborts if a picture is destroyed while it is being painted
        painter.scale(page.scale / page.detail, page.scale / page.detail)
        painter.fillRect(area, QColor(theme.canvas))
        camera = Camera(page.detail, page.left, page.top)
        scene.painter.budget = PAGE
        painter.save()
        scene.paint_edges(painter, camera, area)
        painter.restore()
        scene.paint_rest(painter, camera, area, 0.0, None)
        scene.paint_selection(painter, camera, True)


def svg(shown: Shown, name: str) -> tuple[bytes, tuple[str, ...]]:
    """The picture as SVG, and a note about it."""
    scene = shown.scene(shown.theme)
    page = _page(scene, LARGEST_SIDE, shown.scale)
    sheet = Sheet()
    _paint(scene, replace(page, scale=page.detail), sheet, shown.theme)
    box = (0.0, 0.0, page.width * page.detail, page.height * page.detail)
    words = ("Graph drawn by GradViz", scene.description())
    return svg_file(sheet.marks, box, page.scale / page.detail, words).encode(), _notes(scene, page, name)


def pdf(shown: Shown, name: str) -> tuple[bytes, tuple[str, ...]]:
    """The picture as a page of PDF, and a note about it."""
    scene = shown.scene(shown.theme)
    page = _page(scene, LARGEST_PAGE / 0.75, shown.scale)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle("Graph drawn by GradViz")
    writer.setResolution(PDF_DOTS)
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    size = QSizeF(page.width, page.height) * page.scale
    writer.setPageSize(QPageSize(size * 0.75, QPageSize.Unit.Point))
    _paint(scene, replace(page, scale=page.scale * PDF_DOTS / 96), writer, shown.theme)
    del writer
    return bytes(buffer.data().data()), _notes(scene, page, name)


def png(shown: Shown, name: str) -> tuple[bytes, tuple[str, ...]]:
    """The picture as PNG, and a note about it."""
    image, page, notes = image_of(shown, name, PNG_SCALE * shown.scale)
    return png_of(image, QUICK_PNG if page.detail <= BLOCKS else -1), notes


def image_of(shown: Shown, name: str, scale: float, largest: float = 0) -> tuple[QImage, _Page, tuple[str, ...]]:
    """The picture as pixels, at this scale or smaller if necessary for no side to exceed `largest`."""
    scene = shown.scene(shown.theme)
    page = _page(scene, largest or LARGEST_SIDE, scale, MOST_PIXELS)
    width, height = max(1, round(page.width * page.scale)), max(1, round(page.height * page.scale))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    _paint(scene, page, image, shown.theme)
    return image, page, _notes(scene, page, name)


def _notes(scene: Scene, page: _Page, name: str) -> tuple[str, ...]:
    said = (scene.placed.note, _left_out(scene, page, name), _edges_left_out(scene, page, name))
    return tuple(sentence for sentence in said if sentence)
