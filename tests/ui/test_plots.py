"""The panel of plots: what a run drew is there at its step, one after the other, with keys, hover, copies and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.document.documents import text_of
from gradviz.session.comparison.proposals import Proposal
from gradviz.session.state import Phase
from gradviz.ui.figures.painter import _in_lines, paint_figure
from gradviz.ui.panels.output import LargePlot, PlotsPanel
from gradviz.worker.process.events import Figure
from tests.driver import RUN_TIMEOUT, Pilot

TRAINING = """
import torch
import matplotlib.pyplot as plt
w = torch.tensor(1.0, requires_grad=True)
losses = []
for epoch in range(5):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    losses.append(loss.item())
    if epoch == 0:
        plt.bar(["w"], [w.item()]); plt.title("first step"); plt.show()
plt.plot(losses, label="loss")
plt.title("Training"); plt.xlabel("epoch"); plt.legend()
plt.show()
print("end")
"""


def panel(pilot: Pilot) -> PlotsPanel:
    return pilot.window.shell.plots


@pytest.fixture
def plotted(pilot: Pilot) -> Pilot:
    pilot.type_snippet(TRAINING)
    assert pilot.run() is Phase.OK
    return pilot


def test_a_training_run_that_ends_with_its_plot(plotted: Pilot) -> None:
    shown = panel(plotted)
    assert shown.isVisible(), "the first plots come to the front"
    assert plotted.window.panel_area.cards["right"].tabs.tabText(1) == "Plots (2)"
    assert shown.choice.currentText() == "2 · Training"
    figure = shown.view.figure
    assert figure is not None
    assert list(figure.axes[0].layers[0].columns["y"].round(3)) == [4.0, 2.56, 1.638, 1.049, 0.671]
    assert not shown.view.hasFocus(), "the keyboard stays where it was"


def test_before_its_step_a_plot_is_not_there(plotted: Pilot) -> None:
    shown = panel(plotted)
    first, second = plotted.state.run.figures
    plotted.window.store.move(second.step - 1)
    assert [shown.choice.itemText(i) for i in range(shown.choice.count())] == ["1 · first step"]
    plotted.window.store.move(0)
    assert shown.nothing.isVisible()
    assert shown.nothing.text() == f"The first plot comes at step {first.step}."
    plotted.window.store.move(plotted.state.steps)
    assert shown.choice.count() == 2


def test_keys_turn_and_a_click_goes_to_the_step(plotted: Pilot) -> None:
    shown = panel(plotted)
    shown.focus_target.setFocus()
    QTest.keyClick(shown.view, Qt.Key.Key_PageUp)
    assert shown.current is plotted.state.run.figures[0]
    QTest.keyClick(shown.view, Qt.Key.Key_PageDown)
    assert shown.current is plotted.state.run.figures[1]
    plotted.window.commands.do("plots.previous")
    QTest.mouseClick(shown.where, Qt.MouseButton.LeftButton)
    assert plotted.state.cursor == plotted.state.run.figures[0].step
    assert shown.where.accessibleName().startswith("Go to line 14, step ")


def test_the_number_under_the_mouse_and_by_keys(plotted: Pilot) -> None:
    shown = panel(plotted)
    shown.view.grab()
    (placed,) = shown.view._placed
    spot = QPointF(placed.x.at(2.0) + 3, placed.y.at(1.6384) - 2)
    assert shown.view.number_at(spot)[0] == "loss: x = 2, y = 1.6384"
    QTest.mouseMove(shown.view, QPoint(round(spot.x()), round(spot.y())))
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert shown.number.whole == "loss: x = 1, y = 2.56"
    shown.turn(-1)
    shown.view.grab()
    (placed,) = shown.view._placed
    assert shown.view.number_at(QPointF(placed.x.at(0.0), placed.y.at(0.5)))[0] == "−0.4 to 0.4: 0 to 1.4"


def test_copied_saved_and_large(plotted: Pilot, tmp_path: Path) -> None:
    shown = panel(plotted)
    plotted.window.commands.do("plots.copy")
    assert QApplication.clipboard().image().width() == 1024
    for name in ("plot.png", "plot.svg"):
        shown.save_picture(str(tmp_path / name))
    assert QImage(str(tmp_path / "plot.png")).height() == 768
    assert "Training" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
    shown.save_picture(str(tmp_path / "no" / "plot.png"))
    assert "could not be written" in plotted.state.notice.sentence
    plotted.window.commands.do("plots.larger")
    (large,) = plotted.window.findChildren(LargePlot)
    assert large.view.figure is shown.current
    large.reject()


def test_a_run_without_plots_says_how_to_make_one(plotted: Pilot) -> None:
    assert plotted.run_again("import torch\nx = torch.ones(2)\n") is Phase.OK
    shown = panel(plotted)
    assert shown.nothing.text().startswith("No plots. A snippet makes one with matplotlib")
    assert not plotted.window.commands.actions["plots.save"].isEnabled()
    assert plotted.window.panel_area.cards["right"].tabs.tabText(1) == "Plots"


def test_plots_without_any_tensor(pilot: Pilot) -> None:
    pilot.type_snippet("import matplotlib.pyplot as plt\nplt.plot([1, 2])\n")
    assert pilot.run() is Phase.OK
    assert panel(pilot).choice.count() == 1


PLOTS = {
    "nan": "plt.plot([float('nan')] * 3)",
    "infinite": "plt.plot([1, float('inf'), 2, -float('inf')])",
    "huge": "plt.plot([1e308, -1e308])",
    "log of nothing": "plt.semilogy([0, -1])",
    "empty bars": "plt.bar([], [])",
    "one pixel": "plt.imshow([[5]]); plt.colorbar()",
    "nan image": "plt.imshow([[float('nan')] * 2]); plt.colorbar()",
    "grid": "f, a = plt.subplots(8, 8)",
    "twin": "plt.plot([1]); plt.gca().twinx().plot([1e9])",
    "words": "plt.text(0, 0, '\\u0623\\n' * 20); plt.title('\\U0001f600' * 400)",
    "flat": "plt.plot([0.0] * 5); plt.xlim(3, 3)",
    "ticks": "plt.plot([1]); plt.xticks(range(400), ['a long name'] * 400)",
    "legend": "for i in range(60): plt.plot([i], label='x' * 90)\nplt.legend()",
}


def test_odd_plots_are_painted_at_any_size(pilot: Pilot) -> None:
    pilot.type_snippet("import matplotlib.pyplot as plt\n" + "\nplt.show()\n".join(PLOTS.values()) + "\n")
    assert pilot.run() is Phase.OK
    assert len(pilot.state.run.figures) == len(PLOTS)
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QPainter

    for figure in pilot.state.run.figures:
        for wide, high in ((1, 1), (60, 40), (300, 90), (500, 400)):
            image = QImage(wide, high, QImage.Format.Format_RGB32)
            painter = QPainter(image)
            paint_figure(painter, figure, QRectF(0, 0, wide, high), pilot.window.theme)
            painter.end()
            assert image.width() == wide


def test_a_title_set_over_the_second_axes_has_room(pilot: Pilot) -> None:
    pilot.type_snippet("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.gca().twinx()\nplt.title('Both')\n")
    assert pilot.run() is Phase.OK
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QPainter

    image = QImage(400, 300, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    placed = paint_figure(painter, pilot.state.run.figures[0], QRectF(0, 0, 400, 300), pilot.window.theme)
    painter.end()
    assert placed[0].area.top() > 18


def test_a_title_that_is_too_long_goes_on_in_the_next_line(qapp: QApplication) -> None:
    metrics = QFontMetrics(QApplication.font())
    title = "Channel 0 of the input picture"
    lines = _in_lines(metrics, title, metrics.horizontalAdvance("of the input picture") + 1).split("\n")
    assert len(lines) == 2 and " ".join(lines) == title
    assert _in_lines(metrics, title, 10_000) == title
    assert _in_lines(metrics, "first\nsecond", 10_000) == "first\nsecond"
    narrow = _in_lines(metrics, title, metrics.horizontalAdvance("Channel") + 1).split("\n")
    assert len(narrow) == 3 and narrow[0] == "Channel" and narrow[-1].endswith("…")


def test_a_what_if_keeps_its_plots_apart(plotted: Pilot) -> None:
    changed = Proposal("with a rate of 0.2", 10, text_of(plotted.state.document).replace("0.1 *", "0.2 *"))
    with plotted.qtbot.waitSignal(plotted.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        plotted.window.shell.what_if_runner.start(changed)
    plotted.qtbot.waitUntil(lambda: plotted.window.canvas.is_settled, timeout=RUN_TIMEOUT)
    written = plotted.state.run.figures
    assert plotted.state.what_if is not None
    other = plotted.state.what_if.run.figures
    assert len(written) == len(other) == 2
    assert panel(plotted).current is written[1]
    plotted.window.commands.do("run.swap_runs")
    assert panel(plotted).current is other[1]
    plotted.window.commands.do("run.close_what_if")
    assert panel(plotted).current is written[1]


def test_a_plot_that_cannot_be_read_ends_the_run(pilot: Pilot) -> None:
    pilot.type_snippet("while True:\n    pass\n")
    pilot.press("F5")
    pilot.qtbot.waitUntil(lambda: pilot.state.run.is_running, timeout=RUN_TIMEOUT)
    pilot.window.shell.runner.live._handle(Figure({"title": "<b>", "axes": []}, b""))
    assert pilot.state.run.phase is Phase.DIED
    assert "could not be decoded (malformed plot" in pilot.state.run.sentence


LONG_TRAINING = """
import torch
import matplotlib.pyplot as plt
w = torch.tensor(1.0, requires_grad=True)
while True:
    for number in range(3):
        loss = (w - 3) ** 2
        loss.backward()
        plt.plot([number, w.grad.item()])
        plt.title(f"epoch {number}")
        plt.show()
    input("more?")
"""


def test_plots_are_there_while_the_run_goes_on(qtbot: QtBot, plotted: Pilot) -> None:
    """Three plots, then it waits; after an answer there are three more."""
    shown, runner, former = panel(plotted), plotted.window.shell.runner, plotted.state.run.figures
    plotted.type_snippet(LONG_TRAINING)
    runner.run()
    assert plotted.state.run.figures == former, "those of the trace that is still shown"
    qtbot.waitUntil(lambda: shown.choice.count() == 3 and runner.live.asked is not None, timeout=RUN_TIMEOUT)
    assert plotted.state.run.is_running
    assert shown.choice.currentText() == "3 · epoch 2"
    assert plotted.window.panel_area.cards["right"].tabs.tabText(1) == "Plots (3)"
    shown.turn(-1)
    runner.live.answer("yes")
    qtbot.waitUntil(lambda: shown.choice.count() == 6 and runner.live.asked is not None, timeout=RUN_TIMEOUT)
    assert shown.choice.currentText() == "2 · epoch 1", "it is looked at"
    shown.turn(4)
    runner.live.answer("yes")
    qtbot.waitUntil(lambda: shown.choice.count() == 9, timeout=RUN_TIMEOUT)
    assert shown.choice.currentIndex() == 8, "the latest is followed"
    with qtbot.waitSignal(runner.ended, timeout=RUN_TIMEOUT):
        runner.stop()
    assert shown.choice.count() == 9
