"""What the snippet has shown up to the cursor: the output panel has what it has printed, or on request everything, with
standard error in another colour; the panel of plots what it has drawn with matplotlib, one plot at a time.
`gradviz.ui.figures` paints them and is loaded with the first plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QKeySequence, QResizeEvent, QShortcut, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.disk import shown
from gradviz.document.errors import UserError
from gradviz.lists import quantity, size_text
from gradviz.session.output import count, lengths, no_plots_text, pieces, plot_place, plot_title, visible_plots
from gradviz.session.state import MOMENT, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.comparison_view import Elided
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme
from gradviz.worker.terminal import plain

if TYPE_CHECKING:
    from gradviz.trace.figures import Figure
    from gradviz.ui.figures.view import FigureView
    from gradviz.worker.process.events import Written


LIVE = object()


class _Printed(QPlainTextEdit):
    """Text whose last line that is not empty stays in view: in another width lines break elsewhere."""

    def show_end(self) -> None:
        """Scroll there."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        while not cursor.block().text().strip() and cursor.movePosition(QTextCursor.MoveOperation.PreviousBlock):
            pass
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self.setTextCursor(cursor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.ensureCursorVisible()


class OutputPanel(Panel):
    """Read-only text; unchanged text is not rewritten."""

    shows = Slice("predict", "run", "live", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._trace: object = None  # whose output is shown; LIVE during a run
        self._count = 0  # how many prints are shown
        self._lengths = [0]
        self.text = _Printed()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Output of the snippet")
        self.text.setPlaceholderText("(nothing printed)")
        self.text.setUndoRedoEnabled(False)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.whole = look.CheckBox("&Later steps, too")
        self.whole.setToolTip("Show everything the run printed, not only what was printed before this step.")
        self.whole.toggled.connect(self._again)
        self.files = QPushButton()
        self.files.setToolTip("What the run wrote into its folder. Save one file, or all of them.")
        self.files.setMenu(QMenu(self.files))
        self.files.hide()
        row = QHBoxLayout()
        row.addWidget(self.whole, 1)
        row.addWidget(self.files)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 10, 8)
        column.addWidget(self.text, 1)
        column.addLayout(row)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.text

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.text.setFont(look.mono(theme, 12.5))
        self.text.viewport().setFont(self.text.font())  # Qt paints the placeholder in this font
        self._trace = None
        self.text.clear()
        self._again()

    def _again(self) -> None:
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.run.written is not after.run.written:
            self._show_files(after)
        predicts = after.predict.on  # then nothing must be revealed of later steps
        self.whole.setEnabled(not predicts)
        if after.run.is_running and after.live and not predicts:
            self._show_live(plain(after.live))
        elif moved(before, after) or before.run is not after.run or before.predict.on != predicts:
            if after.trace is not self._trace:
                self._trace, self._count = after.trace, 0
                self._lengths = lengths(after.trace) if after.trace is not None else [0]
                self.text.clear()
            self._show(count(after, whole=self.whole.isChecked() and not predicts))

    def _show_files(self, state: State) -> None:
        """The files that the run wrote into its folder; choosing one saves it."""
        files, menu = state.run.written, self.files.menu()
        menu.clear()
        if sum(each.can_be_saved for each in files) > 1:
            self._offer(menu, "Save All, into a Folder…", "all")
            menu.addSeparator()
        for at, each in enumerate(files):
            self._offer(menu, f"{shown(each.name)} · {_kind(each)}", str(at) if each.can_be_saved else "")
        self.files.setText(f"The run wrote {quantity(len(files), 'file')}")
        self.files.setVisible(bool(files))

    def _offer(self, menu: QMenu, title: str, which: str) -> None:
        action = menu.addAction(title.replace("&", "&&"))
        action.setEnabled(bool(which))
        action.triggered.connect(lambda: self.context.shell.attachments.save_written(which))

    def _show_live(self, live: str) -> None:
        """What the current run has printed so far, scrolled to the end."""
        shown = self.text.toPlainText() if self._trace is LIVE else ""
        self._trace = LIVE
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if live.startswith(shown) and shown:
            cursor.insertText(live[len(shown) :])
        else:
            self.text.setPlainText(live)
            cursor.movePosition(QTextCursor.MoveOperation.End)
        self.text.show_end()

    def _show(self, wanted: int) -> None:
        """Append what has been printed since, or remove what had not been printed yet."""
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if wanted < self._count:
            cursor.setPosition(self._lengths[wanted], QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        elif wanted > self._count:
            trace = self.context.shell.store.state.trace
            assert trace is not None
            for piece in pieces(trace, self._count, wanted):
                colour = QTextCharFormat()
                colour.setForeground(QColor(self.theme.error if piece.stream == "err" else self.theme.text))
                cursor.insertText(piece.text, colour)
        if wanted != self._count:
            self._count = wanted
            self.text.show_end()


def _kind(written: Written) -> str:
    """The size of a file, or why it can't be saved."""
    if written.is_object:
        return "Python objects, which stay in the run"
    return size_text(written.size) + ("" if written.can_be_saved else ", too large to be saved")


# --- Plots ---

LARGE = (860, 640)
FILTER = "PNG picture (*.png);;SVG drawing (*.svg)"


class PlotsPanel(Panel):
    """One plot, its position among the others, and a line with the number under the mouse."""

    shows = Slice("run", "trace", "cursor")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.figures: tuple[Figure, ...] = ()
        self._view: FigureView | None = None
        self.nothing = QLabel()
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.nothing)
        self.choice = look.DropDown()
        self.choice.setAccessibleName("Plot")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(6)
        self.choice.currentIndexChanged.connect(self._chosen)
        self.previous, self.next = self._arrow("‹", "Previous plot (Page Up)", -1), self._arrow("›", "Next plot", 1)
        self.next.setToolTip("Next plot (Page Down)")
        self.where = QPushButton()
        self.where.setFlat(True)
        self.where.setToolTip("Go to the step at which this plot was shown.")
        self.where.clicked.connect(self.go_to_step)
        self.number = Elided()
        self.number.setAccessibleName("Number under the mouse")
        self.bar = QWidget()
        row = QHBoxLayout(self.bar)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for each, stretch in ((self.previous, 0), (self.choice, 1), (self.next, 0), (self.where, 0)):
            row.addWidget(each, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 3, 6, 4)
        column.setSpacing(2)
        column.addWidget(self.bar)
        column.addWidget(self.stack, 1)
        column.addWidget(self.number)
        for key, step in ((Qt.Key.Key_PageUp, -1), (Qt.Key.Key_PageDown, 1)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda step=step: self.turn(step))
        self.set_theme(context.theme)

    def _arrow(self, sign: str, name: str, step: int) -> QToolButton:
        button = QToolButton()
        button.setText(sign)
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(lambda: self.turn(step))
        return button

    def minimumSizeHint(self) -> QSize:
        """Small, because the card may have little room."""
        return QSize(160, 90)

    @property
    def view(self) -> FigureView:
        """The plot, created on first use, because it needs NumPy."""
        if self._view is None:
            from gradviz.ui.figures.view import FigureView

            self._view = FigureView(self.theme, self.number.say)
            self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            self.stack.addWidget(self._view)
        return self._view

    @property
    def focus_target(self) -> QWidget:
        return self.view if self.figures else self

    @property
    def current(self) -> Figure | None:
        """The plot being shown."""
        index = self.choice.currentIndex()
        return self.figures[index] if 0 <= index < len(self.figures) else None

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.nothing.setFont(look.sans(theme, 12.5))
        self.number.setFont(look.sans(theme, 11.5))
        self.where.setFont(look.sans(theme, 11.5))
        self.choice.setFont(look.sans(theme, 12))
        self._again()

    def show_state(self, before: State, after: State) -> None:
        if (
            before is after
            or before.run is not after.run
            or before.cursor != after.cursor
            or before.trace is not after.trace
        ):
            self._again()

    def _again(self) -> None:
        state = self.context.shell.store.state
        figures = visible_plots(state)
        if figures != self.figures:
            chosen, last = self.choice.currentIndex(), len(self.figures) - 1
            same_run = bool(figures) and figures[:1] == self.figures[:1]
            follows = len(figures) - 1 > last and (chosen == last or not state.run.is_running)
            self.figures = figures
            self.choice.blockSignals(True)
            self.choice.clear()
            self.choice.addItems([plot_title(figure, number) for number, figure in enumerate(figures)])
            self.choice.setCurrentIndex(min(chosen, len(figures) - 1) if same_run and not follows else len(figures) - 1)
            self.choice.blockSignals(False)
        self.nothing.setText(no_plots_text(state))
        self._chosen()

    def _chosen(self) -> None:
        figure, index = self.current, self.choice.currentIndex()
        self.bar.setVisible(figure is not None)
        self.number.setVisible(figure is not None)
        if figure is None:
            self.stack.setCurrentWidget(self.nothing)
            return
        self.number.say("")
        self._name_place()
        self.where.setAccessibleName(f"Go to {plot_place(figure)}")
        self.previous.setEnabled(index > 0)
        self.next.setEnabled(index + 1 < len(self.figures))
        self.view.show_figure(figure, self.theme)
        self.stack.setCurrentWidget(self.view)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """If there is little room, the line of the snippet is left out."""
        super().resizeEvent(event)
        self._name_place()

    def _name_place(self) -> None:
        if self.current is not None:
            wide = self.width() > self.theme.px(340)
            self.where.setText(plot_place(self.current) if wide else f"step {self.current.step:,}")
            self.where.setVisible(self.width() > self.theme.px(200))

    # for the commands

    def turn(self, step: int) -> None:
        """Show the next plot, or the previous one."""
        if self.figures:
            self.choice.setCurrentIndex(min(max(self.choice.currentIndex() + step, 0), len(self.figures) - 1))

    def go_to_step(self) -> None:
        """Move the cursor to where the plot was shown."""
        if self.current is not None:
            self.context.shell.store.play(False)
            self.context.shell.store.move(self.current.step)

    def copy_picture(self) -> None:
        """Put the plot on the clipboard."""
        from gradviz.ui.figures.painter import picture

        if self.current is not None:
            QApplication.clipboard().setImage(picture(self.current))
            self.context.shell.store.say("Copied the plot as a picture.")

    def save_picture(self, name: str = "") -> None:
        """Write the plot to a file; asks for its name if none is given."""
        from gradviz.ui.figures.painter import FORMATS, write

        figure = self.current
        if figure is None:
            return
        if not name:
            name, chosen = QFileDialog.getSaveFileName(self, "Save Plot", "plot.png", FILTER)
            if name and Path(name).suffix.lower() not in FORMATS:
                name += ".svg" if "svg" in chosen else ".png"
        if name:
            try:
                write(figure, Path(name))
            except UserError as error:
                self.context.shell.store.say(str(error))
                return
            self.context.shell.store.say(f"Saved {Path(name).name}.")

    def enlarge(self) -> None:
        """Show the plot in a window of its own."""
        if self.current is not None:
            LargePlot(self.window(), self.current, self.theme).open()


class LargePlot(QDialog):
    """One plot, enlarged, to zoom and pan."""

    def __init__(self, parent: QWidget, figure: Figure, theme: Theme) -> None:
        from gradviz.ui.figures.view import HOW, ZoomView

        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(figure.name or "Plot")
        number, how = Elided(), Elided()
        for line in (number, how):
            line.setFont(look.sans(theme, 12))
        number.setAccessibleName("Number under the mouse")
        how.setObjectName("muted")
        how.say(HOW)
        self.view = ZoomView(theme, number.say)
        self.view.show_figure(figure, theme.scaled(theme.scale * 1.15))
        column = QVBoxLayout(self)
        column.addWidget(self.view, 1)
        column.addWidget(number)
        column.addWidget(how)
        self.resize(*LARGE)
        self.view.setFocus()
