"""Export and Copy Picture in the window: the canvas as it is (folding, step, selection, theme) in a dialog with a
preview and options, written in a thread with progress and Cancel. The file formats are in `export`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.disk import shown as shown_name
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing
from gradviz.session.folding import Presentation
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.clipboard import empty_data
from gradviz.ui.sharing.export import FORMATS, Format, Options, writing
from gradviz.ui.sharing.picture import PNG_SCALE, Shown, image_of, png, svg
from gradviz.ui.tasks import Task
from gradviz.ui.theme import THEMES, Theme

if TYPE_CHECKING:
    from gradviz.session.store import Store
    from gradviz.ui.panels.graph import GraphPanel

PREVIEW = (460, 340)  # pixels
LARGEST_COPY = 8_000  # maximum side in pixels of a picture on the clipboard
SCALES = (0.25, 8.0)
PICTURES = (".svg", ".pdf", ".png")
SIZED = (*PICTURES, ".webp", ".gif", ".mp4")
CHOICES = (
    *(("As in this window", ""), ("Light", "light"), ("Dark", "dark")),
    *(("For a projector", "projector"), ("High contrast", "contrast")),
)


class Questions(Protocol):
    """Asks where a file goes."""

    def export_name(self, suggestion: str, title: str) -> str: ...


def shown_now(state: State, canvas: GraphPanel, theme: Theme) -> Shown | None:
    """What is on the canvas, for reading in another thread; None before there is a graph."""
    if state.trace is None or not len(state.trace.tensors):
        return None
    trace, view = state.trace.as_now(), state.view
    drawing = state.traced if isinstance(state.traced, Drawing) else None
    scene = canvas.view.scene if drawing is None else None
    placed = None
    if scene is not None and scene.trace is state.trace:
        diagram = scene.placed.diagram  # its trace is the window's, whose latest frame others use
        structure = replace(diagram.structure, trace=trace)
        placed = replace(scene.placed, diagram=replace(diagram, structure=structure))
    return Shown(
        trace, state.cursor, state.title, text_of(state.traced), drawing, THEMES[theme.name],
        Presentation(state.folding, view.vertical, view.direct_uses), state.selection, 1.0, view.every_step, placed,
    )  # fmt: skip


def _preview(what: Shown) -> Generator[float, None, QImage]:
    yield 0.0
    image, _, _ = image_of(what, "", 2.0, 2 * PREVIEW[0])
    return image


class ExportDialog(QDialog):
    """What is written and how; the preview follows."""

    def __init__(self, parent: QWidget, what: Shown, questions: Questions, then: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._what, self._questions, self._then = what, questions, then
        self._out = Path()
        self.task, self.previews = Task(), Task()
        self.task.told.connect(self._show_progress)
        self.task.ended.connect(self._written)
        self.previews.ended.connect(self._show_preview)
        self._make_options()
        self.preview = QLabel("…")
        self.preview.setFixedSize(*PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.preview.setAccessibleName("Preview")
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.progress = QProgressBar()
        self.progress.setVisible(False)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.write = self.buttons.addButton("&Export…", QDialogButtonBox.ButtonRole.AcceptRole)
        self.write.clicked.connect(self._ask)
        self.buttons.rejected.connect(self._leave)
        row = QHBoxLayout()
        row.addWidget(self.preview)
        row.addLayout(self._form)
        column = QVBoxLayout(self)
        column.addLayout(row)
        for widget in (self.note, self.progress, self.buttons):
            column.addWidget(widget)
        self._follow()

    def _make_options(self) -> None:
        self.kind, self.theme, self.scale = look.DropDown(), look.DropDown(), QDoubleSpinBox()
        for row in FORMATS:
            self.kind.addItem(row.title, row)
        for title, name in CHOICES:
            self.theme.addItem(title, name)
        self.scale.setRange(*SCALES)
        self.scale.setSingleStep(0.25)
        self.scale.setValue(1.0)
        self.scale.setSuffix(" ×")
        self.scale.setMinimumHeight(self.kind.sizeHint().height())
        self.selected = look.CheckBox("&Frame around what is selected")
        self.selected.setChecked(self._what.selection is not None)
        self.every = look.CheckBox("Stop at steps &without news, too")
        self.every.setChecked(self._what.every_step)
        self._form = QFormLayout()
        self._form.addRow("&Kind", self.kind)
        self._form.addRow("&Colours", self.theme)
        self._form.addRow("&Size", self.scale)
        self._form.addRow(self.selected)
        self._form.addRow(self.every)
        for combo in (self.kind, self.theme):
            combo.currentIndexChanged.connect(self._follow)
        self.scale.valueChanged.connect(self._follow)
        for box in (self.selected, self.every):
            box.toggled.connect(self._follow)

    @property
    def format(self) -> Format:
        """The selected kind of file."""
        return FORMATS[self.kind.currentIndex()]

    @property
    def shown(self) -> Shown:
        """What will be written."""
        theme = THEMES.get(str(self.theme.currentData()), self._what.theme)
        selection = self._what.selection if self.selected.isChecked() else None
        scale = self.scale.value() if self.format.suffix in SIZED else 1.0
        every = self.every.isChecked()
        return replace(self._what, theme=theme, selection=selection, scale=scale, every_step=every)

    def _follow(self) -> None:
        """An option changed: disable what does not matter for this kind, and update the preview."""
        suffix, whole = self.format.suffix, self.format.whole_run
        self.scale.setEnabled(suffix in SIZED)
        self.selected.setEnabled(suffix in PICTURES and self._what.selection is not None)
        self.every.setEnabled(whole)
        self.write.setEnabled(not self.format.obstacle)
        stops = len(self.shown.stops)
        about = f"All {stops:,} stops of the run." if whole else f"Step {self._what.cursor:,}, as on the canvas."
        self.note.setText(self.format.obstacle or about)
        self.previews.begin(_preview(self.shown))

    def _show_preview(self, image: object, _: str) -> None:
        if isinstance(image, QImage):
            fitted = image.scaled(
                *PREVIEW, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            self.preview.setPixmap(QPixmap.fromImage(fitted))

    def _ask(self) -> None:
        """Ask where to write, then write."""
        suffix = self.format.suffix
        stem = Path(self._what.name).stem or "graph"
        name = self._questions.export_name(f"{stem}{suffix}", f"{self.format.title} (*{suffix})")
        if not name:
            return
        self._out = Path(name) if Path(name).suffix.lower() == suffix else Path(f"{name}{suffix}")
        theme = str(self.theme.currentData()) or (None if suffix == ".html" else self._what.theme.name)
        self._set_busy(True)
        self.task.begin(writing(self.shown, self._out, Options(theme=theme)))

    def _show_progress(self, part: float) -> None:
        self.progress.setValue(round(100 * part))

    def _set_busy(self, busy: bool) -> None:
        self.progress.setVisible(busy)
        self.progress.setValue(0)
        self.write.setEnabled(not busy)
        for widget in (self.kind, self.theme, self.scale, self.selected, self.every):
            widget.setEnabled(not busy)

    def _written(self, notes: object, sentence: str) -> None:
        self._set_busy(False)
        if sentence:
            self._follow()
            self.note.setText(sentence)
            return
        said = " ".join(notes) if isinstance(notes, tuple) else ""
        self._then(f"Exported {shown_name(self._out.name)}. {said}".rstrip())
        self.accept()

    def _leave(self) -> None:
        """Cancel writing; if there is nothing to cancel, close."""
        if self.progress.isVisible():
            self.task.cancel()
            self._set_busy(False)
            self._follow()
            self.note.setText("Cancelled: nothing was written.")
        else:
            self.reject()

    def done(self, result: int) -> None:
        """The dialog was closed in some way: stop everything."""
        self.task.cancel()
        self.previews.cancel()
        super().done(result)

    def stop(self) -> None:
        """Cancel the work in progress, and wait for its end."""
        self.task.close()
        self.previews.close()


def _copied(what: Shown) -> Generator[float, None, tuple[QImage, bytes, bytes]]:
    """A picture for the clipboard in three formats."""
    yield 0.0
    image, _, _ = image_of(what, "", PNG_SCALE, LARGEST_COPY)
    pixels, _ = png(what, "")
    drawn, _ = svg(what, "")
    return image, pixels, drawn


class Sharing(QObject):
    """Implements the commands' `Sharing` for one window."""

    def __init__(
        self,
        window: QWidget,
        store: Store,
        canvas: Callable[[], GraphPanel],
        theme: Callable[[], Theme],
        questions: Callable[[], Questions],
    ) -> None:
        super().__init__()
        self._window, self._store = window, store
        self._canvas, self._theme, self._questions = canvas, theme, questions
        self.copying = Task()
        self.copying.ended.connect(self._put)
        self.dialog: ExportDialog | None = None

    def export(self) -> None:
        """Ask what to write, and how."""
        what = shown_now(self._store.state, self._canvas(), self._theme())
        if what is not None:
            self.dialog = ExportDialog(self._window, what, self._questions(), self._store.say)
            self.dialog.open()

    def copy_picture(self) -> None:
        """Put what is on the canvas on the clipboard."""
        what = shown_now(self._store.state, self._canvas(), self._theme())
        if what is not None:
            self.copying.begin(_copied(what))

    def _put(self, found: object, sentence: str) -> None:
        if not isinstance(found, tuple):
            self._store.say(sentence or "The picture could not be made.")
            return
        image, pixels, drawn = found
        data = empty_data()
        data.setImageData(image)
        data.setData("image/png", pixels)
        data.setData("image/svg+xml", drawn)
        QApplication.clipboard().setMimeData(data)
        self._store.say("Copied the graph as a picture, PNG and SVG.")

    def close(self) -> None:
        """End everything that is still running."""
        self.copying.close()
        if self.dialog is not None:
            self.dialog.stop()
