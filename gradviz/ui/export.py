"""The canvas at one step as a file: SVG, PDF or PNG, all painted by the code that paints the screen. `export` is the
command line's: it runs the snippet first. `write` is for a trace that is there already.

Note [Large pictures]
A card takes half a millisecond and seven kilobytes of SVG. So a picture of thousands of them is painted as the screen
paints them from further away: with names and main values only, or as blocks. It is then said what was left out."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.disk import shown
from gradviz.document.documents import Document, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.files.opening import load
from gradviz.ui.startup import import_obstacle, obstacle
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintDevice

    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.scene import Scene
    from gradviz.worker.process.events import Done

STATUS = {"ok": 0, "raised": 1, "refused": 1, "limit": 2, "stopped": 130, "died": 3}
FAILED = 1
MARGIN = 28.0
PNG_SCALE = 2.0
LARGEST_SIDE = 16_000  # pixels of a PNG, and the size that an SVG asks for
MOST_PIXELS = 40_000_000  # of a PNG
QUICK_PNG = 85  # Qt's word for the first of nine degrees of compression: the others take most of the time
PDF_DOTS = 144
LARGEST_PAGE = 14_400.0  # points: readers of PDF show no larger page
MOST_WHOLE, MOST_NAMED = 3_000, 9_000  # boxes that are painted whole, and with name and main value
NAMED, BLOCKS = 0.5, 0.15  # the zooms at which the screen does so
FORMATS = (".svg", ".png", ".pdf")


def export(source_path: Path | str, out: Path | str, step: str | int | None = None) -> int:
    """Run a snippet or drawing and draw it at a step (a number, or "end") into a file; the status is that of a run."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        document, trace, done = _run(Path(source_path))
        hindrance = obstacle()
        if hindrance is not None:
            raise UserError(hindrance)
        cursor = len(trace) if step is None or step == "end" else int(step)
        drawing = document if isinstance(document, Drawing) else None
        for sentence in write(trace, cursor, Path(out), drawing=drawing):
            sys.stderr.write(f"gradviz: {sentence}\n")
    except UserError as error:
        sys.stderr.write(f"gradviz: {error}\n")
        return FAILED
    except ImportError as error:
        sys.stderr.write(f"gradviz: {import_obstacle(error)}\n")
        return FAILED
    if done.status != "ok":
        sys.stderr.write(f"gradviz: {done.detail.sentence}\n")
    return STATUS[done.status]


def _run(path: Path) -> tuple[Document, Trace, Done]:
    """A document and the trace of it, whatever became of the run."""
    from gradviz.document.files import recordings
    from gradviz.trace.table.trace import Trace
    from gradviz.worker.process.client import pool_of_a_command
    from gradviz.worker.process.events import Done
    from gradviz.worker.process.headless import follow

    name = shown(path.name)
    if recordings.is_recording(path):
        found = recordings.read(path)
        if not len(found.trace.tensors):
            raise UserError(f"{name} holds no tensor: there is nothing to draw.")
        return recordings.document_of(found), found.trace, Done("ok")
    contents = load(path)
    document = contents.document
    if contents.sentence(name):
        sys.stderr.write(f"gradviz: {contents.sentence(name)}\n")
    if document.is_blank:
        raise UserError(f"{name} is empty: there is nothing to draw.")
    trace = Trace(text_of(document))
    with pool_of_a_command() as pool:
        done = follow(pool, text_of(document), name, trace, show_output=False)
    if not len(trace.tensors):
        raise UserError(f"{name} made no tensor: there is nothing to draw. {done.detail.sentence}".strip())
    return document, trace, done


def write(
    trace: Trace, cursor: int, out: Path, theme: Theme = LIGHT, drawing: Drawing | None = None
) -> tuple[str, ...]:
    """Draw the graphs that are shown at a cursor, those of a drawing at its places. What is simpler in the picture than
    it would be in a small one comes back as sentences; UserError where the file cannot be written."""
    from PySide6.QtGui import QGuiApplication

    if out.suffix.lower() not in FORMATS:
        raise UserError(f"{out.name}: the name must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    try:
        out.touch()
        scene = _scene(trace, cursor, theme) if drawing is None else _drawn_scene(drawing, trace, cursor, theme)
        page = {".svg": _svg, ".png": _png, ".pdf": _pdf}[out.suffix.lower()](scene, out, theme)
        said = (scene.placed.note, _left_out(scene, page, out.name), _edges_left_out(scene, page, out.name))
        return tuple(sentence for sentence in said if sentence)
    except OSError as error:
        raise UserError(f"{out} could not be written: {error.strerror or error}.") from error
    finally:
        del application


def _scene(trace: Trace, cursor: int, theme: Theme) -> Scene:
    from gradviz.layout.flat import Layouter
    from gradviz.ui.canvas.diagram import build
    from gradviz.ui.canvas.diagram_layout import lay_out
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.canvas.sizes import Ruler

    ruler = Ruler()
    scene = Scene(lay_out(build(trace, ruler), ruler, Layouter()), theme)
    scene.move_to(cursor)
    return scene


def _drawn_scene(drawing: Drawing, trace: Trace, cursor: int, theme: Theme) -> Scene:
    from gradviz.session.drawn import drawn
    from gradviz.ui.drawing.scene_builder import SceneBuilder

    scene = SceneBuilder(theme).scene(drawing, drawn(drawing, trace), trace, None)
    scene.move_to(cursor)
    return scene


@dataclass(frozen=True)
class _Page:
    """A picture: where it begins in the world and how large that part is, how many units of the device a pixel of the
    world has, and the zoom at which the screen shows as much as is painted."""

    left: float
    top: float
    width: float
    height: float
    scale: float
    detail: float


def _page(scene: Scene, largest: float, scale: float = 1.0, most_pixels: float = float("inf")) -> _Page:
    """All of a scene, at this scale or as much smaller as it takes that no side is longer than `largest`."""
    from gradviz.ui.canvas.painter import WHOLE

    left, top, right, bottom = scene.extent() or (0.0, 0.0, 100.0, 60.0)
    width, height = right - left + 2 * MARGIN, bottom - top + 2 * MARGIN
    scale = min(scale, largest / width, largest / height, (most_pixels / (width * height)) ** 0.5)
    boxes = scene.boxes
    detail = 1.0 if boxes <= MOST_WHOLE else NAMED if boxes <= MOST_NAMED else BLOCKS
    if most_pixels < float("inf") and scale < WHOLE:  # smaller pixels than these there are not
        detail = min(detail, scale)
    return _Page(left - MARGIN, top - MARGIN, width, height, scale, detail)


def _left_out(scene: Scene, page: _Page, name: str) -> str:
    """What the picture does not have because it is of so much; "" for nothing."""
    from gradviz.ui.canvas.edge_painter import MIDDLE
    from gradviz.ui.canvas.painter import WHOLE

    if page.detail >= WHOLE:
        return ""
    how = "as blocks without words" if page.detail < MIDDLE else "with their names and main values only"
    return f"{name} shows its {scene.boxes:,} boxes {how}, because the graph is so large; a window shows all of it."


def _edges_left_out(scene: Scene, page: _Page, name: str) -> str:
    """How many edges the picture has where it has not all; "" for all."""
    from gradviz.ui.canvas.placed import PAGE

    seen = scene.moment.edges
    painted = seen & scene.placed.density.painted(page.detail, PAGE)[0]
    if painted.sum() == seen.sum():
        return ""
    return f"{name} shows {painted.sum():,} of {seen.sum():,} edges: more of them could not be told apart."


def _paint(scene: Scene, page: _Page, device: QPaintDevice, theme: Theme) -> None:
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QColor, QPainter

    from gradviz.ui.canvas.camera import Camera
    from gradviz.ui.canvas.placed import PAGE

    area = QRectF(0, 0, page.width * page.detail, page.height * page.detail)
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("the file is not open for writing")
    with painter:  # Qt ends the program when a picture goes while it is being painted
        painter.scale(page.scale / page.detail, page.scale / page.detail)
        painter.fillRect(area, QColor(theme.canvas))
        camera = Camera(page.detail, page.left, page.top)
        scene.painter.budget = PAGE
        painter.save()
        scene.paint_edges(painter, camera, area)
        painter.restore()
        scene.paint_rest(painter, camera, area, 0.0, None)


def _svg(scene: Scene, out: Path, theme: Theme) -> _Page:
    from PySide6.QtCore import QRectF, QSizeF
    from PySide6.QtSvg import QSvgGenerator

    page = _page(scene, LARGEST_SIDE)
    generator = QSvgGenerator()
    generator.setFileName(str(out))
    generator.setSize((QSizeF(page.width, page.height) * page.scale).toSize())
    generator.setViewBox(QRectF(0, 0, page.width * page.scale, page.height * page.scale))
    generator.setTitle("Graph drawn by GradViz")
    generator.setDescription(scene.description())
    _paint(scene, page, generator, theme)
    return page


def _pdf(scene: Scene, out: Path, theme: Theme) -> _Page:
    from PySide6.QtCore import QMarginsF, QSizeF
    from PySide6.QtGui import QPageSize, QPdfWriter

    page = _page(scene, LARGEST_PAGE / 0.75)
    writer = QPdfWriter(str(out))
    writer.setTitle("Graph drawn by GradViz")
    writer.setResolution(PDF_DOTS)
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    size = QSizeF(page.width, page.height) * page.scale
    writer.setPageSize(QPageSize(size * 0.75, QPageSize.Unit.Point))
    _paint(scene, replace(page, scale=page.scale * PDF_DOTS / 96), writer, theme)
    return page


def _png(scene: Scene, out: Path, theme: Theme) -> _Page:
    from PySide6.QtGui import QImage

    page = _page(scene, LARGEST_SIDE, PNG_SCALE, MOST_PIXELS)
    width, height = max(1, round(page.width * page.scale)), max(1, round(page.height * page.scale))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    _paint(scene, page, image, theme)
    if not image.save(str(out), quality=QUICK_PNG if page.detail <= BLOCKS else -1):
        raise OSError("the picture could not be saved")
    return page
