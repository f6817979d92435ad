"""A drag that comes to the edge of the canvas."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from tests.ui.drawing_hand import Hand, W


def test_a_drag_that_is_held_at_the_edge_scrolls_until_it_ends(qtbot: QtBot) -> None:
    hand = Hand(qtbot)
    start = hand.node(W)
    hand.pull(start, QPoint(990, 300))
    auto_scroll, camera = hand.hands.auto_scroll, hand.view.camera
    assert auto_scroll.is_going
    for _ in range(10):
        auto_scroll.scroll()
    assert hand.view.camera.left > camera.left + 50
    hand.release(QPoint(990, 300))
    assert not auto_scroll.is_going
    assert abs(hand.node(W).x() - 990) <= 10  # it is under the pointer
    assert hand.undone() == "Move w"


def test_a_drag_within_the_canvas_scrolls_nothing(qtbot: QtBot) -> None:
    hand = Hand(qtbot)
    camera = hand.view.camera
    hand.pull(hand.out(W), QPoint(700, 500))
    assert not hand.hands.auto_scroll.is_going
    hand.hands.cancel()
    assert hand.view.camera == camera
