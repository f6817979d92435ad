"""The canvas at one step as a file: SVG, PDF or PNG, all painted by the code that paints the screen. `export` is the
command line's: it runs the snippet first. `write` is for a trace that is there already."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.documents import Document
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.file_names import shown
from gradviz.document.opening import load
from gradviz.ui.startup import import_obstacle, obstacle
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintDevice

    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.scene import Scene
    from gradviz.worker.events import Done

STATUS = {"ok": 0, "raised": 1, "refused": 1, "limit": 2, "stopped": 130, "died": 3}
FAILED = 1
MARGIN = 28.0
PNG_SCALE = 2.0
LARGEST_SIDE = 16_000  # pixels of a PNG
PDF_DOTS = 144
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
        write(trace, cursor, Path(out), drawing=document if isinstance(document, Drawing) else None)
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
    from gradviz.trace.trace import Trace
    from gradviz.worker.client import WorkerPool
    from gradviz.worker.follow import follow

    contents = load(path)
    document = contents.document
    name = shown(path.name)
    if contents.sentence(name):
        sys.stderr.write(f"gradviz: {contents.sentence(name)}\n")
    if document.is_blank:
        raise UserError(f"{name} is empty: there is nothing to draw.")
    pool, trace = WorkerPool(), Trace(document.text)
    try:
        done = follow(pool, document.text, name, trace, show_output=False)
    finally:
        pool.close()
    if not len(trace.tensors):
        raise UserError(f"{name} made no tensor: there is nothing to draw. {done.detail.sentence}".strip())
    return document, trace, done


def write(trace: Trace, cursor: int, out: Path, theme: Theme = LIGHT, drawing: Drawing | None = None) -> None:
    """Draw the graphs that are shown at a cursor, those of a drawing at its places; UserError where the file cannot be
    written."""
    from PySide6.QtGui import QGuiApplication

    if out.suffix.lower() not in FORMATS:
        raise UserError(f"{out.name}: the name must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    try:
        out.touch()
        scene = _scene(trace, cursor, theme) if drawing is None else _drawn_scene(drawing, trace, cursor, theme)
        {".svg": _svg, ".png": _png, ".pdf": _pdf}[out.suffix.lower()](scene, out, theme)
    except OSError as error:
        raise UserError(f"{out} could not be written: {error.strerror or error}.") from error
    finally:
        del application


def _scene(trace: Trace, cursor: int, theme: Theme) -> Scene:
    from gradviz.layout.ladder import Layouter
    from gradviz.ui.canvas.diagram import build
    from gradviz.ui.canvas.laying import lay_out
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.canvas.sizes import Ruler

    ruler = Ruler()
    layouter = Layouter()
    try:
        placed = lay_out(build(trace, ruler), ruler, layouter)
    finally:
        layouter.close()
    scene = Scene(placed, theme)
    scene.move_to(cursor)
    return scene


def _drawn_scene(drawing: Drawing, trace: Trace, cursor: int, theme: Theme) -> Scene:
    from gradviz.session.drawn import drawn
    from gradviz.ui.drawing.sketching import Sketching

    scene = Sketching(theme).scene(drawing, drawn(drawing, trace), trace, None)
    scene.move_to(cursor)
    return scene


def _size(scene: Scene) -> tuple[float, float]:
    left, top, right, bottom = scene.extent() or (0.0, 0.0, 100.0, 60.0)
    return right - left + 2 * MARGIN, bottom - top + 2 * MARGIN


def _paint(scene: Scene, device: QPaintDevice, theme: Theme, scale: float) -> None:
    """Everything, at `scale` units of the device to one of the world."""
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QColor, QPainter

    from gradviz.ui.canvas.camera import Camera

    width, height = _size(scene)
    left, top, _, _ = scene.extent() or (0.0, 0.0, 0.0, 0.0)
    area = QRectF(0, 0, width, height)
    painter = QPainter(device)
    if not painter.isActive():
        raise OSError("the file is not open for writing")
    painter.scale(scale, scale)
    painter.fillRect(area, QColor(theme.canvas))
    camera = Camera(1.0, left - MARGIN, top - MARGIN)
    painter.save()
    scene.paint_edges(painter, camera, area)
    painter.restore()
    scene.paint_rest(painter, camera, area, 0.0, None)
    painter.end()


def _svg(scene: Scene, out: Path, theme: Theme) -> None:
    from PySide6.QtCore import QRectF, QSizeF
    from PySide6.QtSvg import QSvgGenerator

    width, height = _size(scene)
    generator = QSvgGenerator()
    generator.setFileName(str(out))
    generator.setSize(QSizeF(width, height).toSize())
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle("Graph drawn by GradViz")
    generator.setDescription(scene.description())
    _paint(scene, generator, theme, 1.0)


def _pdf(scene: Scene, out: Path, theme: Theme) -> None:
    from PySide6.QtCore import QMarginsF, QSizeF
    from PySide6.QtGui import QPageSize, QPdfWriter

    width, height = _size(scene)
    writer = QPdfWriter(str(out))
    writer.setTitle("Graph drawn by GradViz")
    writer.setResolution(PDF_DOTS)
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setPageSize(QPageSize(QSizeF(width, height) * 0.75, QPageSize.Unit.Point))
    _paint(scene, writer, theme, PDF_DOTS / 96)


def _png(scene: Scene, out: Path, theme: Theme) -> None:
    from PySide6.QtGui import QImage

    width, height = _size(scene)
    scale = min(PNG_SCALE, LARGEST_SIDE / width, LARGEST_SIDE / height)
    image = QImage(max(1, round(width * scale)), max(1, round(height * scale)), QImage.Format.Format_RGB32)
    _paint(scene, image, theme, scale)
    if not image.save(str(out)):
        raise OSError("the picture could not be saved")
