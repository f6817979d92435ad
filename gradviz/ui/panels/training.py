"""The training page: losses, printed numbers, the norm of each gradient, how far updates move each parameter, and the
distributions of one gradient and of the selected tensor, over the iterations of a loop. Of two runs that are compared,
both have their curves in the same charts. Clicking a curve goes to that step; stepping moves the line in all charts.
`session.timeline.training_curves` finds the curves and `ui.charts` draws them; both are loaded when the page first has
something to show."""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.state import MOMENT, Selection, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.tasks import Task
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.timeline.iterations import Series
    from gradviz.session.timeline.training_curves import Axis, Parameter, Spread, TrainingCurves
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.charts import Chart, Line

HINT = "Run a training loop, or open a recording of one: after three backward calls its losses, gradients and updates "
HINT += "are drawn here, iteration by iteration."
HIDDEN = "The curves tell of later steps: they are here again when you stop predicting (Ctrl+Alt+Q)."
READING = "Reading the training …"
AGAIN = 700  # milliseconds between looks at a run in progress
MOST_SHOWN = 8  # parameters that are shown until the user chooses others
NARROWEST, LOWEST = 250, 118  # minimum size of a chart in pixels
GROWN = Slice("trace", "steps", "run", "predict", "what_if")  # what has to be read again
BESIDE = "Thin lines: {run}"
LOSSES, PRINTED, GRADIENTS, UPDATES, NORMS, SPREAD = "Loss", "Printed", "Gradient norm", "Update / weight", "Norm", ""
TIMES, VALUES = "Seconds per update", "Values"
ORDER = (LOSSES, GRADIENTS, UPDATES, SPREAD, VALUES, NORMS, PRINTED, TIMES)


@dataclass(frozen=True, eq=False)
class Found:
    """What is known about a trace, including the updates of parameters and the distribution of a gradient once they are
    shown."""

    trace: Trace
    steps: int
    curves: TrainingCurves | None
    beside: Found | None = None  # the other of two runs that are compared: its curves and updates
    updates: dict[str, Series] = field(default_factory=dict)
    spread: tuple[str, Spread] | None = None
    values: tuple[int, Spread] | None = None  # of what was made where the selected tensor was made


def look_for(
    found: Found, chosen: str, shown: frozenset[str] | None, selected: int = -1
) -> Generator[float, None, Found]:
    """Find what is to be shown and not known yet: for the parameters in `shown` (None means the first ones), for the
    `chosen` one, and for the tensor that is selected, -1 for none."""
    importlib.import_module("gradviz.ui.charts")  # here, so that the window need not wait for it
    from gradviz.session.timeline.iterations import LEAST
    from gradviz.session.timeline.training_curves import repeated, spread

    now = yield from _with_curves(found, shown)
    curves = now.curves
    if curves is None:
        return found
    beside = found.beside
    if beside is not None:
        names = shown if shown is not None else first_shown(found.trace, curves)
        beside = yield from _with_curves(beside, names)
    seen = found.spread
    one = next((each for each in curves.parameters if each.name == chosen), None) or next(iter(curves.parameters), None)
    if one is not None and (seen is None or seen[0] != one.name):
        seen = one.name, (yield from spread(found.trace, one.gradient.steps, one.gradients))
    values = found.values
    if selected != (values[0] if values is not None else -1):
        values = None
        steps, made = repeated(found.trace, selected, found.steps)
        if len(steps) >= LEAST:
            values = selected, (yield from spread(found.trace, steps, made))
    is_new = now is not found or beside is not found.beside or seen is not found.spread or values is not found.values
    return replace(now, beside=beside, spread=seen, values=values) if is_new else found


def _with_curves(found: Found, shown: frozenset[str] | None) -> Generator[float, None, Found]:
    """The same with its curves, and with the updates of the parameters in `shown` (None means the first ones)."""
    from gradviz.session.timeline.training_curves import training_curves, update_ratio

    curves = found.curves or training_curves(found.trace, found.steps)
    yield 0.1
    if curves is None:
        return found
    names = shown if shown is not None else first_shown(found.trace, curves)
    updates = dict(found.updates)
    for each in curves.parameters:
        if each.name in names and each.name not in updates:
            updates[each.name] = yield from update_ratio(found.trace, each)
    is_new = found.curves is None or len(updates) > len(found.updates)
    return replace(found, curves=curves, updates=updates) if is_new else found


def first_shown(trace: Trace, curves: TrainingCurves) -> frozenset[str]:
    """The parameters with the most elements."""

    def size(one: Parameter) -> int:
        return -int(trace.values.count[one.gradients[-1]])

    return frozenset(one.name for one in sorted(curves.parameters, key=size)[:MOST_SHOWN])


class CurveList(QListWidget):
    """All curves by name, each with a sample of its line. Ticked ones are drawn, and the current one is highlighted."""

    chose = Signal()
    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Curves: Space shows or hides one, Enter selects the parameter in the graph")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.currentItemChanged.connect(self.chose)
        self.itemChanged.connect(self.ticked)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.setFont(look.sans(theme, 12))
        self.setIconSize(QSize(theme.px(34), theme.px(12)))
        self.setFixedWidth(theme.px(190))

    @property
    def chosen(self) -> str:
        """The highlighted curve, "" for none."""
        item = self.currentItem()
        return item.text() if item is not None else ""

    @property
    def shown(self) -> frozenset[str]:
        """The ticked ones."""
        items = [self.item(row) for row in range(self.count())]
        return frozenset(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)

    def show_curves(self, curves: TrainingCurves, shown: frozenset[str], first: str, theme: Theme) -> None:
        """List these, with the parameters in `shown` ticked; `first` is highlighted if nothing was before."""
        from gradviz.ui.charts import Style

        others = [one.name for one in (*curves.losses, *curves.others, *curves.times)]
        parameters = {one.name for one in curves.parameters}
        hidden = {self.item(row).text() for row in range(self.count())} - self.shown
        chosen = self.chosen or first
        with QSignalBlocker(self):
            self.clear()
            for number, name in enumerate(dict.fromkeys([*others, *(one.name for one in curves.parameters)])):
                item = QListWidgetItem(QIcon(Style(number).sample(theme)), name, self)
                is_on = name in shown if name in parameters else name not in hidden
                item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
                item.setToolTip(look.tip(name))
                if name == chosen:
                    self.setCurrentItem(item)

    def lines(self, every: Iterable[Series], beside: tuple[str, Axis] | None = None) -> list[Line]:
        """The ticked ones, as a chart draws them; those of the run `beside` with its name and iterations."""
        from gradviz.ui.charts import Line, Style

        rows, shown = {self.item(row).text(): row for row in range(self.count())}, self.shown
        name, axis = beside or ("", None)
        return [
            Line(
                f"{one.name} ({name})" if name else one.name, one.steps, one.numbers, Style(rows[one.name]),
                one.name == self.chosen and axis is None, axis,
            )
            for one in every
            if one.name in shown
        ]  # fmt: skip


class TrainingPanel(Panel):
    """A list of the curves on the left and charts on the right; computed only while visible."""

    shows = Slice(*MOMENT, "run", "predict", "selection", "what_if")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.found: Found | None = None
        self.charts: dict[str, Chart] = {}
        self.task = Task()
        self.task.ended.connect(self._take)
        self._asked: Found | None = None  # what the task is working on
        self._shown: frozenset[str] | None = None  # the ticked parameters, None if the user has not chosen
        self._log: bool | None = None  # None if the user has not chosen
        self._again = QTimer(self, singleShot=True, interval=AGAIN)
        self._again.timeout.connect(self._look)
        self._rest: Iterator[None] = iter(())  # charts that still have to be drawn
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._draw_next)
        self.hint = QLabel(HINT, wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
        self.names = CurveList()
        self.names.chose.connect(self._more)
        self.names.ticked.connect(self._tick)
        self.names.itemActivated.connect(self._select)
        self.beside = QLabel(wordWrap=True)  # names the other run
        self.log = look.CheckBox("Log scale")
        self.log.clicked.connect(self._set_log)
        self._body = self._make_body()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 8, 8)
        column.addWidget(self.hint)
        column.addWidget(self._body, 1)
        self._body.setVisible(False)
        self.set_theme(context.theme)

    def _make_body(self) -> QWidget:
        body, left = QWidget(), QVBoxLayout()
        left.addWidget(self.log)
        left.addWidget(self.names, 1)
        left.addWidget(self.beside)
        self._place = QWidget()
        self._grid = QGridLayout(self._place)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(6)
        self._area = _scrolled(self._place)
        row = QHBoxLayout(body)
        row.setContentsMargins(0, 0, 0, 0)
        row.addLayout(left, 0)
        row.addWidget(self._area, 1)
        return body

    @property
    def focus_target(self) -> QWidget:
        return self.names if self._body.isVisibleTo(self) else self

    @property
    def is_settled(self) -> bool:
        """Whether no work is in progress."""
        return self._asked is None and not self._again.isActive() and not self._turns.isActive()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.hint.setFont(look.sans(theme, 12.5))
        self.beside.setFont(look.sans(theme, look.SMALL))
        self.names.set_theme(theme)
        for chart in self.charts.values():
            chart.set_theme(theme)
        self._show_found()

    # -- finding the curves

    def show_state(self, before: State, after: State) -> None:
        if not self.isVisible():
            return
        if before is after or GROWN.differs(before, after):
            self._follow(after)
        elif before.selection != after.selection:
            self._ask_of_selected()
        for chart in self.charts.values():
            chart.go_to(after.cursor)

    def showEvent(self, event: QShowEvent) -> None:
        """Show what happened in the meantime."""
        super().showEvent(event)
        state = self.context.shell.store.state
        self.show_state(state, state)
        self._ask_of_selected()

    def _ask_of_selected(self) -> None:
        """Another tensor may be selected."""
        if self._asked is None and self.found is not None and self.found.curves is not None:
            self._ask(self.found)

    def _follow(self, state: State) -> None:
        known, hides = self.found, state.predict.on
        self.hint.setText(HIDDEN if hides else HINT)
        if state.trace is None or not state.steps or hides:
            self._leave()
            if self.found is not None or not hides:
                self.found = None
                self._show_found()
        elif (
            known is None or known.trace.run is not state.trace.run or known.steps != state.steps
            or _trace_of(known.beside) is not _trace_of(_beside(state))
        ):  # fmt: skip
            if state.run.is_running and known is not None:
                if not self._again.isActive():
                    self._again.start()
            else:
                self._look()

    def _look(self) -> None:
        """Find what is to be shown of the present trace."""
        state = self.context.shell.store.state
        if state.trace is not None and state.steps:
            self._ask(Found(state.trace.as_now(), state.steps, None, _beside(state)))

    def _ask(self, about: Found) -> None:
        self._again.stop()
        self._asked = about
        self.context.shell.layout_progress.update(self, READING)
        state = self.context.shell.store.state
        self.task.begin(look_for(about, self.names.chosen, self._shown, _selected(state)))

    def give_up(self) -> None:
        """Stop reading."""
        self._leave()

    def end(self) -> None:
        self._leave()
        self.task.close()

    def _leave(self) -> None:
        self._again.stop()
        self._turns.stop()
        self.task.cancel()
        self._asked = None
        self.context.shell.layout_progress.update(self, "")

    def _take(self, found: object, _: str) -> None:
        self._asked = None
        self.context.shell.layout_progress.update(self, "")
        if isinstance(found, Found) and found is not self.found:
            self.found = found
            self._show_found()

    # -- showing them

    def _show_found(self) -> None:
        found = self.found
        curves = found.curves if found is not None else None
        self.hint.setVisible(curves is None)
        self._body.setVisible(curves is not None)
        self._turns.stop()
        if found is not None and curves is not None:
            shown = self._shown if self._shown is not None else first_shown(found.trace, curves)
            self.names.show_curves(curves, shown, found.spread[0] if found.spread else "", self.theme)
            self._redraw(found, curves)

    def _redraw(self, found: Found, curves: TrainingCurves) -> None:
        """Draw one chart after the other, each in its own turn of the event loop: keys and paints come in between."""
        self._rest = self._draw(found, curves)
        self._turns.start()

    def _draw_next(self) -> None:
        if next(self._rest, self) is self:
            self._turns.stop()

    def _chart(self, title: str) -> Chart:
        """A chart, created if necessary, which takes more than a frame."""
        if title not in self.charts:
            from gradviz.ui.charts import Chart

            chart = self.charts[title] = Chart(title, self.theme, can_be_log=title not in (SPREAD, VALUES))
            chart.picked.connect(self._go)
            first = next(iter(self.charts.values()))
            if chart is not first:
                chart.item.setXLink(first.item)
        return self.charts[title]

    def _draw(self, found: Found, curves: TrainingCurves) -> Iterator[None]:
        from gradviz.ui.charts import is_wide

        theirs, beside = _theirs(found, self.context.shell.store.state)
        self.beside.setText(BESIDE.format(run=beside[0]) if beside else "")
        self.beside.setVisible(beside is not None)
        for title, every in _series(found, curves).items():
            lines = self.names.lines(every) + self.names.lines(theirs.get(title, ()), beside)
            if lines or title in self.charts:
                chart = self._chart(title)
                chart.set_log(is_wide(lines) if self._log is None else self._log)
                chart.show_lines(curves.axis, lines)
                yield
        for title, (name, spread) in _spreads(found).items():
            if spread is not None or title in self.charts:
                self._chart(title).show_spread(curves.axis, spread, name)
                yield
        cursor = self.context.shell.store.state.cursor
        for chart in self.charts.values():
            chart.go_to(cursor)
        self.log.setChecked(any(chart.log for chart in self.charts.values()))
        self._arrange()

    def _arrange(self) -> None:
        """As many charts side by side as there is room for; those with nothing to show are left out."""
        inside = [self.charts[title] for title in ORDER if title in self.charts]
        full = [one for one in inside if one.lines or one.spread is not None]
        room, low = self._area.viewport().size(), self.theme.px(LOWEST)
        columns = max(1, min(len(full), room.width() // self.theme.px(NARROWEST)))
        rows = max(1, -(-len(full) // columns))
        height = max(low, room.height() // rows - 6) if room.height() // rows > low else max(low, room.height() - 6)
        for chart in self.charts.values():
            self._grid.removeWidget(chart)
            chart.setParent(self._place)
            chart.setVisible(chart in full)
        for at, chart in enumerate(full):
            chart.setFixedHeight(height)
            self._grid.addWidget(chart, at // columns, at % columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    # -- what the user does

    def _tick(self) -> None:
        self._shown = self.names.shown
        self._more()

    def _more(self) -> None:
        """Show the chosen curve once it is known."""
        if self.found is not None and self.found.curves is not None:
            self._redraw(self.found, self.found.curves)
            self._ask(self.found)

    def _set_log(self, log: bool) -> None:
        self._log = log
        self._show_found()

    def _select(self, item: QListWidgetItem) -> None:
        curves = self.found.curves if self.found is not None else None
        one = next((one for one in curves.parameters if one.name == item.text()), None) if curves is not None else None
        if one is not None:
            self.context.shell.store.select(Selection("tensor", one.tensor))

    def _go(self, step: int) -> None:
        store = self.context.shell.store
        store.play(False)
        store.move(step + 1)


def _scrolled(place: QWidget) -> QScrollArea:
    """An area without frame or background that scrolls to any part of `place`."""
    area = QScrollArea()
    area.setWidget(place)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for each in (area, area.viewport(), place):
        each.setAutoFillBackground(False)
    area.setStyleSheet("QScrollArea { background: transparent; }")
    return area


def _series(found: Found, curves: TrainingCurves) -> dict[str, tuple[Series, ...]]:
    """The curves of each chart."""
    parameters = curves.parameters
    return {
        LOSSES: curves.losses,
        GRADIENTS: tuple(one.gradient for one in parameters),
        UPDATES: tuple(found.updates[one.name] for one in parameters if one.name in found.updates),
        NORMS: tuple(one.norm for one in parameters),
        PRINTED: curves.others,
        TIMES: curves.times,
    }


def _spreads(found: Found) -> dict[str, tuple[str, Spread | None]]:
    """The title and the distribution of each chart that has one."""
    name, gradient = found.spread or ("", None)
    tensor, values = found.values or (-1, None)
    selected = found.trace.naming.name(tensor, found.steps) if tensor >= 0 else ""
    return {SPREAD: (f"Gradient of {name}", gradient), VALUES: (f"Values of {selected}", values)}


def _beside(state: State) -> Found | None:
    """The other of two runs that are compared, nothing read yet; None if there is none."""
    other = state.what_if
    if other is None or other.trace is None or other.comparison is None:
        return None
    return Found(other.trace, other.steps, None)


def _theirs(found: Found, state: State) -> tuple[dict[str, tuple[Series, ...]], tuple[str, Axis] | None]:
    """The curves of the other run for each chart, its name and its iterations."""
    other, compared = found.beside, state.what_if
    if other is None or other.curves is None or compared is None:
        return {}, None
    return _series(other, other.curves), (compared.short_titles[1], other.curves.axis)


def _trace_of(found: Found | None) -> Trace | None:
    return found.trace if found is not None else None


def _selected(state: State) -> int:
    """The tensor that the user has selected, the result of an operation; -1 if that has none."""
    thing, trace = state.selection, state.trace
    if thing is None or trace is None or thing.kind not in ("tensor", "node"):
        return -1
    made = [thing.index] if thing.kind == "tensor" else trace.outputs_of(thing.index)
    return int(made[0]) if len(made) else -1
