"""The window of one plot: zooming at the mouse and by keys, moving, and back to the whole; shared and second axes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.state import Phase
from gradviz.trace.figures import Axes
from gradviz.ui.figures.view import HOW, FigureView, ZoomView
from gradviz.ui.panels.output import LargePlot
from tests.driver import Pilot

PLOT = "import matplotlib.pyplot as plt\n"
CURVE = PLOT + "plt.plot([0, 10, 20], [0, 5, 10], label='loss')\nplt.xlim(0, 20); plt.ylim(0, 10)\nplt.show()\n"


def shown(pilot: Pilot, text: str) -> ZoomView:
    pilot.type_snippet(text)
    assert pilot.run() is Phase.OK
    pilot.window.commands.do("plots.larger")
    (large,) = pilot.window.findChildren(LargePlot)
    large.view.grab()
    return large.view


def ends(view: FigureView, number: int = 0) -> tuple[tuple[float, float], tuple[float, float]]:
    view.grab()
    placed = view._placed[number]
    return (placed.x.low, placed.x.high), (placed.y.low, placed.y.high)


def axes_of(view: FigureView) -> tuple[Axes, ...]:
    assert view.figure is not None
    return view.figure.axes


def wheel(view: ZoomView, place: QPointF, notches: int) -> None:
    none = Qt.KeyboardModifier.NoModifier
    turned = QPoint(0, 120 * notches)
    event = QWheelEvent(
        *(place, QPointF(view.mapToGlobal(place.toPoint())), QPoint(), turned),
        *(Qt.MouseButton.NoButton, none, Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(view, event)


def test_the_wheel_zooms_at_the_mouse_and_home_shows_all(pilot: Pilot) -> None:
    view = shown(pilot, CURVE)
    area = view._placed[0].area
    wheel(view, QPointF(area.left() + area.width() / 4, area.center().y()), 1)
    x, y = ends(view)
    assert x == pytest.approx((1, 17)), "what is at the mouse, 5, stays there"
    assert y == pytest.approx((1, 9))
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert ends(view) == ((0, 20), (0, 10))
    wheel(view, QPointF(2, 2), 1)
    assert ends(view) == ((0, 20), (0, 10)), "there are no axes"


def test_dragging_moves_and_a_double_click_shows_all(pilot: Pilot) -> None:
    view = shown(pilot, CURVE)
    area = view._placed[0].area
    begin = area.center().toPoint()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=begin)
    QTest.mouseMove(view, begin - QPoint(60, 0))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=begin)
    moved = 60 / area.width() * 20
    x, y = ends(view)
    assert x == pytest.approx((moved, 20 + moved))
    assert y == pytest.approx((0, 10))
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=begin)
    assert ends(view) == ((0, 20), (0, 10))


def test_the_same_by_keys(pilot: Pilot) -> None:
    view = shown(pilot, CURVE)
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert ends(view)[0] == pytest.approx((2, 18))
    QTest.keyClick(view, Qt.Key.Key_Minus)
    assert ends(view)[0] == pytest.approx((0, 20))
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert ends(view)[0][0] > 1
    QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert ends(view)[1][0] > 0.5
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view._spot is None, "the first point is no longer in sight"
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view._spot is not None


def test_axes_with_the_same_limits_keep_them_the_same(pilot: Pilot) -> None:
    view = shown(
        pilot, PLOT + "_, (a, b) = plt.subplots(1, 2, sharex=True)\na.plot([0, 4])\nb.plot([0, 4])\nplt.show()\n"
    )
    before = ends(view, 1)
    view.zoom(1, view._placed[0].area.center())
    assert ends(view, 0)[0] == ends(view, 1)[0] != before[0]
    assert ends(view, 1)[1] == before[1], "y is not shared"


def test_logarithms_and_a_second_axes_zoom_in_their_own_numbers(pilot: Pilot) -> None:
    view = shown(
        pilot, PLOT + "plt.semilogy([1, 10, 100])\nplt.ylim(1, 100)\nplt.twinx().plot([0, 1])\nplt.ylim(0, 1)\n"
    )
    view.zoom(-1, view._placed[0].area.center())
    assert ends(view, 0)[1] == pytest.approx((10**-0.25, 10**2.25))
    assert ends(view, 1)[1] == pytest.approx((-0.125, 1.125))


@pytest.mark.parametrize(
    "drawn", ["plt.loglog([1, 10], [1e-9, 1e9])", "plt.imshow([[1, 2], [3, 4]])", "plt.plot([1e308, -1e308])"]
)
def test_nobody_gets_beyond_the_numbers(qtbot: QtBot, pilot: Pilot, drawn: str) -> None:
    view = shown(pilot, f"{PLOT}{drawn}\nplt.show()\n")
    for steps in (400, -400, 5000, -5000):
        for _ in range(40):
            view.zoom(steps / 40, view._placed[0].area.center())
            (low, high), _y = ends(view)
            assert -1e300 <= low < high <= 1e300 or drawn.endswith("-1e308])"), steps
        QTest.keyClick(view, Qt.Key.Key_Home)
        assert axes_of(view) == axes_of(pilot.window.shell.plots.view), "the whole figure again"


def test_the_window_says_how(pilot: Pilot) -> None:
    view = shown(pilot, CURVE)
    from gradviz.ui.panels.comparison_view import Elided

    assert HOW in [label.whole for label in view.window().findChildren(Elided)]


def test_two_steps_before_it_is_painted_are_two_steps(pilot: Pilot) -> None:
    view = shown(pilot, CURVE)
    area = view._placed[0].area
    view.zoom(1, area.center())
    view.zoom(1, area.center())
    assert ends(view)[0] == pytest.approx((10 - 0.8**2 * 10, 10 + 0.8**2 * 10), abs=0.05), (
        "but for the names of the ticks"
    )
