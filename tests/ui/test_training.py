"""The training page: what it is loaded for, curves that follow the run, a click that goes to the step and a step that
moves the line, a million points, and what the keyboard does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.comparison.proposals import Proposal
from gradviz.session.state import Selection
from gradviz.session.timeline.training_curves import Axis, training_curves
from gradviz.ui.charts import COLUMNS, DASHES, SIGNS, Chart, Line, Style, is_wide
from gradviz.ui.panels.training import GRADIENTS, HINT, LOSSES, NORMS, PRINTED, SPREAD, UPDATES, VALUES, TrainingPanel
from gradviz.ui.theme import THEMES
from tests.document.test_opened import saved
from tests.driver import RUN_TIMEOUT, Pilot
from tests.session.test_training_curves import SGD
from tests.ui.test_startup import start

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

TWO = """
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(5):
    for i in range(4):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "largest", model[0].weight.abs().max().item())
"""


def page(pilot: Pilot) -> TrainingPanel:
    found = pilot.window.panel_area.panel("training")
    assert isinstance(found, TrainingPanel)
    return found


def settle(pilot: Pilot) -> TrainingPanel:
    found = page(pilot)
    pilot.qtbot.waitUntil(lambda: found.is_settled, timeout=RUN_TIMEOUT)
    return found


def opened(pilot: Pilot, source: str) -> TrainingPanel:
    pilot.type_snippet(source)
    pilot.run()
    pilot.window.shell.focus("training")
    return settle(pilot)


def point(chart: Chart, line: int, row: int) -> QPoint:
    """Where a point is on the plot, in pixels."""
    chart.window().grab()  # scales, which all charts share, are found when they are painted
    number = float(chart.lines[line].numbers[row])
    x = float(chart.axis.positions(np.array([chart.lines[line].steps[row] + 1]))[0]) if chart.axis else 0.0
    scene = chart.view.mapViewToScene(QPointF(x, float(np.log10(number)) if chart.log else number))
    found: QPoint = chart.plot.mapFromScene(scene)
    return found


def test_pyqtgraph_is_loaded_when_the_page_has_something_to_show(tmp_path: Path) -> None:
    code = """
import sys
from gradviz.ui.launch import application
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow
app = application()
window = MainWindow(Settings(Forgetful()))
window.show()
window.complete()
window.shell.focus("training")
app.processEvents()
print("pyqtgraph" in sys.modules)
import gradviz.ui.charts
loaded = [name for name in sys.modules if "OpenGL" in name and name.startswith("PySide6")]
print("pyqtgraph" in sys.modules, loaded)
window.close()
"""
    assert start(code, tmp_path, QT_QPA_PLATFORM="offscreen").stdout.splitlines() == ["False", "True []"]


def test_without_a_training_the_page_says_what_to_do(pilot: Pilot) -> None:
    found = opened(pilot, "x = 1")
    assert found.hint.isVisible() and found.hint.text() == HINT
    assert not found.charts


def test_the_charts_have_the_curves_of_the_run(pilot: Pilot) -> None:
    found = opened(pilot, TWO)
    names = ["0.weight", "0.bias", "2.weight", "2.bias"]
    lines = {title: [line.name for line in chart.lines] for title, chart in found.charts.items()}
    parameters = lines[GRADIENTS]
    assert [name.replace("model[", "").replace("]", "") for name in parameters] == names
    assert lines[UPDATES] == lines[NORMS] == parameters
    assert lines[LOSSES] == ["loss"] and lines[PRINTED] == ["largest"]
    assert found.charts[SPREAD].spread is not None
    assert all(len(line.numbers) == 20 for line in found.charts[UPDATES].lines)
    assert all(chart.isVisibleTo(found) for chart in found.charts.values())


def test_a_click_on_a_curve_goes_to_its_step_and_a_step_moves_the_line(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    chart = found.charts[GRADIENTS]
    assert chart.axis is not None
    for row in (3, 1):
        QTest.mouseClick(chart.plot.viewport(), LEFT, NO_KEYS, point(chart, 0, row))
        pilot.qtbot.waitUntil(lambda row=row: pilot.state.cursor == int(chart.lines[0].steps[row]) + 1)  # type: ignore[misc]
        expected = float(chart.axis.positions(np.array([pilot.state.cursor]))[0])
        assert [each.cursor_line.value() for each in found.charts.values()] == [expected] * len(found.charts)
        assert chart.label.said.startswith(f"t = {row}: w {chart.lines[0].numbers[row]:.4g}")
    pilot.step()
    assert chart.cursor_line.value() > expected


def test_a_value_is_said_to_be_of_the_iteration_that_made_it(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    chart = found.charts[GRADIENTS]
    later = int(chart.lines[0].steps[2])
    pilot.window.store.move(later)  # in t = 2, before it has a gradient
    assert chart.axis is not None and chart.axis.title(later - 1) == "t = 2"
    assert chart.label.said == f"t = 1: w {chart.lines[0].numbers[1]:.4g}"
    pilot.window.store.move(later + 1)
    assert chart.label.said == f"t = 2: w {chart.lines[0].numbers[2]:.4g}"


def test_the_value_under_the_mouse_is_said(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    chart = found.charts[GRADIENTS]
    chart.plot.scene().sigMouseMoved.emit(QPointF(chart.plot.mapToScene(point(chart, 0, 2))))
    assert chart.label.said == "t = 2: w 2.5" and len(chart.mark.getData()[0]) == 1
    QApplication.sendEvent(chart, QEvent(QEvent.Type.Leave))
    assert chart.label.said != "t = 2: w 2.5" and len(chart.mark.getData()[0]) == 0


def test_the_keyboard_goes_from_point_to_point(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    chart = found.charts[LOSSES]
    steps = chart.lines[0].steps.tolist()
    chart.setFocus()
    for key, step in ((Qt.Key.Key_Home, 0), (Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 2), (Qt.Key.Key_Left, 1)):
        QTest.keyClick(chart, key)
        assert pilot.state.cursor == steps[step] + 1
    QTest.keyClick(chart, Qt.Key.Key_End)
    assert pilot.state.cursor == steps[-1] + 1
    whole = np.ptp(chart.view.viewRange()[0])
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert np.ptp(chart.view.viewRange()[0]) < whole
    QTest.keyClick(chart, Qt.Key.Key_0)
    pilot.qtbot.waitUntil(lambda: bool(np.ptp(chart.view.viewRange()[0]) >= 0.9 * whole))


def test_what_is_not_ticked_is_not_drawn_and_what_is_chosen_stands_out(pilot: Pilot) -> None:
    found = opened(pilot, TWO)
    rows = {found.names.item(row).text(): row for row in range(found.names.count())}
    last = found.charts[GRADIENTS].lines[-1].name
    found.names.setCurrentRow(rows[last])
    settle(pilot)
    assert [line.name for line in found.charts[NORMS].lines if line.stands_out] == [last]
    assert found.charts[SPREAD].label.title == f"Gradient of {last}"
    found.names.setFocus()
    QTest.keyClick(found.names, Qt.Key.Key_Space)
    settle(pilot)
    assert last not in [line.name for line in found.charts[GRADIENTS].lines]
    QTest.keyClick(found.names, Qt.Key.Key_Space)
    settle(pilot)
    assert last in [line.name for line in found.charts[UPDATES].lines]
    QTest.keyClick(found.names, Qt.Key.Key_Return)
    selection, trace = pilot.state.selection, pilot.state.trace
    assert selection is not None and trace is not None
    assert selection.kind == "tensor" and trace.naming.name(selection.index, len(trace)) == last


def test_the_scale_is_logarithmic_where_that_shows_more_or_as_the_user_wants_it(pilot: Pilot) -> None:
    found = opened(pilot, SGD.replace("range(6)", "range(12)"))
    assert found.charts[LOSSES].log and found.charts[GRADIENTS].log and not found.charts[UPDATES].log
    assert found.log.isChecked() and not found.charts[SPREAD].log
    found.log.setFocus()
    QTest.keyClick(found.log, Qt.Key.Key_Space)
    settle(pilot)
    assert not any(chart.log for chart in found.charts.values())


def test_another_run_takes_the_place_of_the_curves(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    pilot.run_again(SGD.replace("range(6)", "range(9)"))
    settle(pilot)
    assert len(found.charts[LOSSES].lines[0].steps) == 9
    pilot.run_again("x = 2")
    settle(pilot)
    assert found.hint.isVisible()


def test_the_page_that_is_behind_another_one_reads_nothing(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    pilot.window.shell.focus("timeline")
    pilot.run_again(SGD.replace("range(6)", "range(9)"))
    assert found.is_settled and len(found.charts[LOSSES].lines[0].steps) == 6
    pilot.window.shell.focus("training")
    settle(pilot)
    assert len(found.charts[LOSSES].lines[0].steps) == 9


def test_charts_have_the_colours_and_sizes_of_the_theme(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    for name in THEMES:
        pilot.window.store.look(pilot.state.view.__class__(theme=name, text_scale=1.5))
        settle(pilot)
        theme = THEMES[name].scaled(1.5)
        assert found.charts
        for chart in found.charts.values():
            assert chart.plot.backgroundBrush().color() == QColor(theme.panel), name
            assert chart.item.getAxis("left").style["tickFont"].pixelSize() == theme.px(11.5), name
            assert QColor(chart.cursor_line.pen.color()) == QColor(theme.halo), name


def test_lines_differ_in_more_than_their_colour() -> None:
    assert len({*DASHES}) == len(DASHES) == len({*SIGNS}) == len(SIGNS) == 8


def many(count: int) -> tuple[Axis, Line]:
    steps = np.arange(count)
    numbers = 1 / (1.0 + steps) + 1e-3
    numbers[count // 2] = 40.0
    return Axis(np.append(steps, count), np.empty(0, object)), Line("loss", steps, numbers, Style(0))


def test_of_a_million_points_as_many_are_drawn_as_can_be_seen(qtbot: QtBot) -> None:
    chart = Chart("Loss", THEMES["light"])
    qtbot.addWidget(chart)
    chart.resize(600, 300)
    chart.show()
    axis, line = many(1_000_000)
    chart.show_lines(axis, [line])
    chart.grab()
    drawn, heights = chart.curves[0].curve.getData()
    assert len(drawn) < 20 * chart.width()
    assert max(heights) == 40.0, "an outlier is not lost"
    chart.view.setXRange(400_000, 400_100, padding=0)
    chart.grab()
    drawn, _ = chart.curves[0].curve.getData()
    assert 100 <= len(drawn) < 1_000, "each point, where there is room for it"


def test_a_logarithmic_scale_leaves_out_what_has_no_place_on_it(qtbot: QtBot) -> None:
    chart = Chart("Loss", THEMES["light"])
    qtbot.addWidget(chart)
    steps = np.arange(6)
    line = Line("loss", steps, np.array([1.0, 0.0, -1.0, np.nan, np.inf, 1e6]), Style(1))
    assert is_wide([line]) and not is_wide([])
    chart.set_log(True)
    chart.show_lines(Axis(np.arange(7), np.empty(0, object)), [line])
    chart.grab()
    assert chart.curves[0].getData()[0].tolist() == [1.0, 6.0]
    chart.show_lines(Axis(np.arange(7), np.empty(0, object)), [Line("nothing", steps, np.full(6, np.nan), Style(2))])
    chart.grab()
    assert chart.curves[0].getData()[0] is None


def test_a_long_spread_is_drawn_in_columns_that_keep_the_extremes(qtbot: QtBot) -> None:
    from gradviz.session.timeline.training_curves import Spread

    count = 10 * COLUMNS + 3
    levels = np.tile(np.arange(-3.0, 4.0)[:, None], (1, count))
    levels[0, 777], levels[-1, 1234] = -50, 60
    chart = Chart("", THEMES["dark"], can_be_log=False)
    qtbot.addWidget(chart)
    words = ("minimum", "5 %", "25 %", "median", "75 %", "95 %", "maximum")
    axis = Axis(np.arange(count + 1), np.empty(0, object))
    chart.show_spread(axis, Spread(np.arange(count), levels, words), "Gradient of w")
    edges = chart.curves[-7:]
    assert len(edges[0].getData()[0]) <= COLUMNS
    assert edges[0].getData()[1].min() == -50 and edges[-1].getData()[1].max() == 60
    assert set(edges[3].getData()[1].tolist()) == {0.0}
    chart.view.setXRange(700, 800, padding=0)
    assert len(edges[0].getData()[0]) <= 104 and edges[0].getData()[1].min() == -50


def test_a_thread_reads_the_curves_and_can_be_given_up(pilot: Pilot) -> None:
    found = opened(pilot, TWO)
    before = found.found
    found._look()
    assert not found.is_settled
    found.give_up()
    assert found.is_settled and found.found is before
    pilot.run()
    settle(pilot)
    assert found.found is not before


def test_a_recording_shows_the_training_that_was_recorded(pilot: Pilot, tmp_path: Path) -> None:
    path = saved(TWO, tmp_path / "job.gvtrace")
    pilot.window.files.open_path(path)
    pilot.qtbot.waitUntil(lambda: pilot.state.is_recording and pilot.state.steps > 0, timeout=RUN_TIMEOUT)
    pilot.window.shell.focus("training")
    found = settle(pilot)
    assert [len(chart.lines[0].steps) for title, chart in found.charts.items() if title != SPREAD][:2] == [20, 20]
    chart = found.charts[LOSSES]
    chart.picked.emit(int(chart.lines[0].steps[4]))
    assert pilot.state.cursor == chart.lines[0].steps[4] + 1


def test_where_a_gradient_was_kept_as_a_summary_its_spread_is_mean_and_deviation(pilot: Pilot) -> None:
    source = SGD.replace("torch.tensor([3.0, 4.0]", "torch.full((70_000,), 2.0")
    found = opened(pilot, source)
    spread = found.charts[SPREAD].spread
    assert spread is not None and spread.words[2] == "mean"
    assert len(found.charts[SPREAD].curves) == 5 + 2


def test_the_selected_output_of_a_layer_has_its_distribution_over_all_iterations(pilot: Pilot) -> None:
    page = opened(pilot, TWO)
    trace = pilot.state.trace
    assert trace is not None and VALUES not in page.charts
    made = np.flatnonzero((trace.nodes.op == "tanh")[trace.tensors.producer] & (trace.tensors.producer >= 0))
    pilot.window.store.select(Selection("tensor", int(made[7])))
    settle(pilot)
    chart = page.charts[VALUES]
    assert chart.isVisible() and chart.label.title == f"Values of {trace.naming.name(int(made[7]), pilot.state.steps)}"
    assert chart.spread is not None and len(chart.spread.steps) == len(made) == 20
    lowest = [float(trace.store.get(int(trace.tensors.value[one])).summary.low) for one in made]
    np.testing.assert_allclose(chart.spread.levels[0], lowest, rtol=1e-6)
    pilot.window.store.select(Selection("tensor", int(np.flatnonzero(trace.tensors.is_leaf)[0])))
    settle(pilot)
    assert not chart.isVisible() and page.found is not None and page.found.values is None


def compared(pilot: Pilot, changed: str) -> TrainingPanel:
    """The page once this text has run beside the one in the window."""
    runner = pilot.window.shell.what_if_runner
    with pilot.qtbot.waitSignal(runner.ended, timeout=RUN_TIMEOUT):
        runner.start(Proposal("another rate", 1, changed))
    pilot.window.shell.focus("training")
    return settle(pilot)


def test_two_runs_have_their_curves_in_the_same_charts(pilot: Pilot) -> None:
    found = opened(pilot, TWO)
    alone = {title: list(chart.lines) for title, chart in found.charts.items()}
    assert not found.beside.isVisible()
    compared(pilot, TWO.replace("0.05", "0.5"))
    assert found.beside.isVisible() and found.beside.text() == "Thin lines: changed"
    for title in (LOSSES, GRADIENTS, UPDATES, NORMS):
        mine, theirs = found.charts[title].lines[: len(alone[title])], found.charts[title].lines[len(alone[title]) :]
        assert [line.name for line in mine] == [line.name for line in alone[title]]
        assert [line.name for line in theirs] == [f"{line.name} (changed)" for line in mine]
        assert [line.style for line in theirs] == [line.style for line in mine]  # the same dashes and markers
        assert all(one.width < other.width for one, other in zip(theirs, mine, strict=True))
    beside = pilot.state.what_if
    assert beside is not None and beside.trace is not None
    curves = training_curves(beside.trace, beside.steps)
    assert curves is not None
    loss, other = found.charts[LOSSES].lines
    assert other.numbers.tolist() == curves.losses[0].numbers.tolist()
    assert other.numbers[0] == loss.numbers[0] and other.numbers[-1] != loss.numbers[-1]  # the same at first
    pilot.press("Ctrl+Shift+W")
    settle(pilot)
    assert [line.name for line in found.charts[LOSSES].lines] == ["loss"] and not found.beside.isVisible()


def test_a_click_on_a_curve_of_the_other_run_goes_to_the_same_iteration_of_this_one(pilot: Pilot) -> None:
    found = opened(pilot, SGD)
    compared(pilot, SGD.replace("range(6)", "range(9)").replace("for t", "extra = 1.0\nfor t"))
    chart = found.charts[LOSSES]
    other = chart.lines[1]
    assert len(other.numbers) == 9 and chart.axis is not None and chart.axis.length == 6
    assert chart.view.state["limits"]["xLimits"][1] > 9  # the longer run is seen to its end
    QTest.mouseClick(chart.plot.viewport(), LEFT, NO_KEYS, point(chart, 1, 2))
    pilot.qtbot.waitUntil(lambda: chart.axis is not None and chart.axis.title(pilot.state.cursor - 1) == "t = 2")
    assert int(other.steps[-1]) <= len(pilot.state.trace or ())


def test_the_other_of_two_lines_has_hollow_markers(qtbot: QtBot) -> None:
    axis = Axis(np.arange(4), np.empty(0, object))
    chart = Chart("Loss", THEMES["light"])
    qtbot.addWidget(chart)
    here = Line("loss", np.arange(3), np.array([3.0, 2.0, 1.0]), Style(0))
    there = Line(
        "loss (changed)",
        np.arange(0, 6, 2),
        np.array([3.0, 1.0, 0.5]),
        Style(0),
        beside=Axis(np.arange(0, 8, 2), axis.names),
    )
    chart.show_lines(axis, [here, there])
    filled, hollow = (curve.opts["symbolBrush"] for curve in chart.curves)
    assert filled is not None and hollow is None
    assert chart.lines[1].steps.tolist() == [0, 1, 2]  # of the iterations here
