"""Files for sharing a run: one row of `FORMATS` for each kind. `export` serves the command line and runs the snippet
first. `writing` is for an existing run and can be cancelled: no file is written before all of it is ready."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document import disk
from gradviz.document.disk import shown
from gradviz.document.documents import Document, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.files.opening import load
from gradviz.document.snippet import with_imported
from gradviz.session.folding import Presentation
from gradviz.ui.startup import import_obstacle, obstacle
from gradviz.ui.theme import LIGHT, THEMES, Theme

if TYPE_CHECKING:
    from gradviz.document.snippet import Attached
    from gradviz.session.folding import Folding
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.sharing.picture import Shown
    from gradviz.worker.process.events import Done

STATUS = {"ok": 0, "raised": 1, "refused": 1, "limit": 2, "stopped": 130, "died": 3}
FAILED, MISUSED = 1, 2
Work = Generator[float, None, tuple[bytes, tuple[str, ...]]]  # how much is done; the file, and what is to be said of it


@dataclass(frozen=True)
class Options:
    """Options of the command line besides the names."""

    step: str | int | None = None  # None: the last step; for a page, the first with gradients
    scale: float = 1.0
    theme: str | None = None
    every_step: bool = False
    vertical: bool = False
    files: tuple[Attached, ...] = ()  # files that the snippet reads or imports
    arguments: Sequence[str] = ()  # that it is called with


@dataclass(frozen=True)
class Format:
    """A kind of file. `work` receives what is shown, the name of the file, and the options."""

    suffix: str
    title: str
    work: Callable[[Shown, str, Options], Work]
    whole_run: bool = False
    needs: tuple[str, str] = ("", "")  # an optional library: the import, and its name

    @property
    def obstacle(self) -> str:
        """Why such a file can't be written here; "" if it can."""
        module, library = self.needs
        if not module or find_spec(module) is not None:
            return ""
        kind = self.suffix[1:].upper()
        return f"{kind} needs {library}, which is no part of GradViz. Choose .webp, or: pip install 'gradviz[film]'."


def _svg(what: Shown, name: str, _: Options) -> Work:
    from gradviz.ui.sharing.picture import svg

    yield 0.0
    return svg(what, name)


def _pdf(what: Shown, name: str, _: Options) -> Work:
    from gradviz.ui.sharing.picture import pdf

    yield 0.0
    return pdf(what, name)


def _png(what: Shown, name: str, _: Options) -> Work:
    from gradviz.ui.sharing.picture import png

    yield 0.0
    return png(what, name)


def _page(what: Shown, name: str, options: Options) -> Work:
    from gradviz.ui.sharing.page import PageWriter

    writer = PageWriter(what, options.theme or "system", at_cursor=options.step is not None)
    yield from writer.work()
    said = f"{name}: {writer.left_out[0].lower()}{writer.left_out[1:]}" if writer.left_out else ""
    return writer.text().encode(), (said,) if said else ()


def _data(what: Shown, form: str) -> Work:
    from gradviz.document import graph_data

    yield 0.0
    frame = what.trace.frame(what.cursor)
    return {"dot": graph_data.dot_bytes, "json": graph_data.json_bytes, "graphml": graph_data.graphml_bytes}[form](
        frame
    ), ()


def _film(what: Shown, name: str, form: str) -> Work:
    from gradviz.ui.sharing import film

    yield 0.0
    return (yield from {"webp": film.webp, "gif": film.gif, "mp4": film.mp4}[form](what, name))


FORMATS = (
    Format(".svg", "Picture, SVG", _svg),
    Format(".pdf", "Picture, PDF", _pdf),
    Format(".png", "Picture, PNG", _png),
    Format(".html", "Page that steps through the run, HTML", _page, whole_run=True),
    Format(".webp", "Film of the run, animated WebP", lambda what, name, _: _film(what, name, "webp"), whole_run=True),
    Format(".gif", "Film of the run, GIF", lambda what, name, _: _film(what, name, "gif"), True, ("PIL", "Pillow")),
    Format(".mp4", "Film of the run, MP4", lambda what, name, _: _film(what, name, "mp4"), True, ("av", "PyAV")),
    Format(".dot", "Graph for Graphviz, DOT", lambda what, _, __: _data(what, "dot")),
    Format(".json", "Graph as data, JSON", lambda what, _, __: _data(what, "json")),
    Format(".graphml", "Graph as data, GraphML", lambda what, _, __: _data(what, "graphml")),
)


def format_of(out: Path) -> Format:
    """The format for a file name; UserError if there is none."""
    found = next((row for row in FORMATS if row.suffix == out.suffix.lower()), None)
    if found is None:
        names = [row.suffix for row in FORMATS]
        raise UserError(f"{shown(out.name)}: the name must end in {', '.join(names[:-1])} or {names[-1]}.")
    if found.obstacle:
        raise UserError(f"{shown(out.name)}: {found.obstacle}")
    return found


def writing(what: Shown, out: Path, options: Options) -> Generator[float, None, tuple[str, ...]]:
    """Write a file; yields the progress from 0 to 1 and returns notes about the file. UserError if it is not
    possible."""
    kind = format_of(out)
    if not out.parent.is_dir():
        raise UserError(f"{out} could not be written: there is no such folder.")
    try:
        data, notes = yield from kind.work(what, out.name, options)
    except OSError as error:
        raise UserError(f"{out} could not be written: {error.strerror or error}.") from error
    disk.write_atomically(out, data)
    return notes


def write(
    trace: Trace, cursor: int, out: Path, theme: Theme = LIGHT, drawing: Drawing | None = None
) -> tuple[str, ...]:
    """Write a file of an existing run; returns notes as sentences."""
    format_of(out)
    hold = _application()
    from gradviz.ui.sharing.picture import Shown

    what = Shown(trace, cursor, out.stem, trace.source, drawing, theme)
    notes = finish(writing(what, out, Options(theme=theme.name)))
    del hold
    return notes


def finish(
    work: Generator[float, None, tuple[str, ...]], tell: Callable[[float], None] = lambda _: None
) -> tuple[str, ...]:
    """Run to the end; `tell` is called with the progress."""
    while True:
        try:
            tell(next(work))
        except StopIteration as end:
            notes: tuple[str, ...] = end.value
            return notes


def _application() -> object:
    from PySide6.QtGui import QGuiApplication

    from gradviz.ui import look

    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    look.load_fonts()
    return application


# -- the command line


def export(source_path: Path | str, out: Path | str, options: Options | None = None) -> int:
    """Run a snippet or drawing and write a file of it; returns the exit status of the run."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    options = options or Options()
    try:
        format_of(Path(out))
    except UserError as error:
        _say(str(error))
        return MISUSED
    try:
        document, folding, trace, done = _run(Path(source_path), options)
        hindrance = obstacle()
        if hindrance is not None:
            raise UserError(hindrance)
        for sentence in _write(document, folding, trace, Path(source_path), Path(out), options):
            _say(sentence)
    except UserError as error:
        _say(str(error))
        return FAILED
    except ImportError as error:
        _say(import_obstacle(error))
        return FAILED
    if done.status != "ok":
        _say(done.detail.sentence)
    return STATUS[done.status]


def _say(sentence: str) -> None:
    sys.stderr.write(f"gradviz: {sentence}\n")


def _write(
    document: Document, folding: Folding, trace: Trace, source_path: Path, out: Path, options: Options
) -> tuple[str, ...]:
    hold = _application()
    from gradviz.ui.sharing.picture import Shown

    step = options.step
    cursor = len(trace) if step is None or step == "end" else min(int(step), len(trace))
    drawing = document if isinstance(document, Drawing) else None
    theme = THEMES[options.theme or LIGHT.name]
    look = Presentation(folding, options.vertical)
    name = shown(source_path.name)
    what = Shown(trace, cursor, name, text_of(document), drawing, theme, look, None, options.scale, options.every_step)
    bar = _Bar(out.name)
    try:
        return finish(writing(what, out, options), bar.tell)
    finally:
        bar.end()
        del hold


class _Bar:
    """Progress on a terminal, in a line that disappears at the end."""

    def __init__(self, name: str) -> None:
        self._name = shown(name)
        self._shown = ""

    def tell(self, part: float) -> None:
        """Show the progress, from 0 to 1."""
        if sys.stderr.isatty():
            text = f"{self._name}: {part:4.0%}"
            if text != self._shown:
                sys.stderr.write(f"\r{text}")
                self._shown = text

    def end(self) -> None:
        """Remove the line."""
        if self._shown:
            sys.stderr.write("\r\033[K")


def _run(path: Path, options: Options) -> tuple[Document, Folding, Trace, Done]:
    """A document, how its graph is folded, and its trace, however the run ended."""
    from gradviz.classroom import limits
    from gradviz.document.documents import arguments_of, files_of
    from gradviz.document.files import recordings
    from gradviz.document.snippet import is_recording
    from gradviz.session.folding import Folding
    from gradviz.session.view_settings import folding_of
    from gradviz.trace.table.trace import Trace
    from gradviz.worker.process.client import pool_of_a_command
    from gradviz.worker.process.events import Done
    from gradviz.worker.process.headless import follow

    name = shown(path.name)
    if is_recording(path):
        found = recordings.read(path)
        if not len(found.trace.tensors):
            raise UserError(f"{name} holds no tensor: there is nothing to draw.")
        return recordings.document_of(found), Folding(), found.trace, Done("ok")
    contents = load(path)
    document = contents.document
    if contents.sentence(name):
        _say(contents.sentence(name))
    if document.is_blank:
        raise UserError(f"{name} is empty: there is nothing to draw.")
    text, arguments = text_of(document), options.arguments or arguments_of(document)
    trace = Trace(text)
    files = with_imported(text, path.parent, (*files_of(document), *options.files))
    with pool_of_a_command(limits()) as pool:
        done = follow(pool, text, name, trace, show_output=False, files=files, arguments=arguments)
    if not len(trace.tensors):
        raise UserError(f"{name} made no tensor: there is nothing to draw. {done.detail.sentence}".strip())
    return document, folding_of(contents.sight), trace, done
