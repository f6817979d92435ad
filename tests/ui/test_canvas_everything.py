"""The canvas over all shipped examples at all steps, and under a monkey's random hands."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.ui.canvas.camera import fitting
from gradviz.ui.canvas.content import content
from gradviz.ui.canvas.hover_words import words
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.theme import DARK, LIGHT
from tests.trace.sample import sample_trace
from tests.ui.canvas_fixtures import ARRAYS, LOOP, STALE, run, scene_of, shown

EXAMPLES = sorted((Path(__file__).parents[2] / "resources" / "examples").glob("*.py"))
EVENTS = 500
KEYS = [getattr(Qt.Key, f"Key_{name}") for name in ("Left", "Right", "Up", "Down", "Return", "Escape", "A")]


def paint(scene: Scene, image: QImage) -> None:
    """Paint all of a scene, as the widget does."""
    area = QRectF(image.rect())
    extent = scene.extent()
    if extent is None:
        return
    camera = fitting(extent, area.width(), area.height())
    painter = QPainter(image)
    painter.save()
    scene.paint_edges(painter, camera, area)
    painter.restore()
    scene.paint_rest(painter, camera, area, 0.3, 1.0)
    painter.end()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem[:2])
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")
def test_every_example_at_every_step(qapp: QApplication, path: Path) -> None:
    trace = run(path.read_text(encoding="utf-8"))
    scene = scene_of(trace, theme=DARK)
    diagram, image = scene.placed.diagram, QImage(640, 400, QImage.Format.Format_RGB32)
    low = scene.placed.corner
    high = low + diagram.size
    for cursor in range(len(trace) + 1):
        scene.move_to(cursor)
        for item in np.flatnonzero(scene.moment.items).tolist():
            assert content(diagram, scene.moment.frame, item)
            assert words(diagram, scene.moment.frame, item).title
        together = scene.moment.graphs[diagram.graph]
        a, b = low[together], high[together]
        assert ((a[:, None] < b[None]) & (a[None] < b[:, None])).all(2).sum() == together.sum()
        if cursor % 5 == 0 or cursor == len(trace):
            paint(scene, image)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_hands_break_nothing(qtbot: QtBot, seed: int) -> None:
    dice = random.Random(seed)
    traces = [sample_trace(), *(run(source) for source in (ARRAYS, LOOP, STALE))]
    view = shown(qtbot, traces[0], 5)

    def at() -> QPoint:
        return QPoint(dice.randrange(view.width()), dice.randrange(view.height()))

    def turn() -> None:
        place, angle = QPointF(at()), QPoint(0, dice.choice((-480, -120, 120, 480)))
        QApplication.sendEvent(view, QWheelEvent(
            place, place, QPoint(), angle, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        ))  # fmt: skip

    def drag() -> None:
        start = at()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(view, at())
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at())

    hands = [
        lambda: view.set_cursor(dice.randrange(60)),
        lambda: view.set_cursor(view._cursor + dice.choice((-1, 1))),
        turn,
        drag,
        lambda: QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at()),
        lambda: QTest.keyClick(view, dice.choice(KEYS)),
        lambda: view.resize(dice.randrange(160, 1200), dice.randrange(120, 800)),
        lambda: view.set_theme(dice.choice((LIGHT, DARK)).scaled(dice.choice((1.0, 1.5)))),
        lambda: view.set_trace(dice.choice([*traces, None])),
        lambda: dice.choice(
            (view.viewport.fit, view.viewport.zoom_in, view.viewport.zoom_out, view.viewport.zoom_reset)
        )(),
        lambda: view.viewport.pan(dice.randrange(-900, 900), dice.randrange(-900, 900)),
        lambda: view.selection.select(dice.choice(("tensor", "node")), dice.randrange(-1, 40)),
        lambda: view.viewport.show_thing(dice.choice(("tensor", "node")), dice.randrange(-1, 40)),
        lambda: view.surface.motion.set_playing(dice.random() < 0.5),
    ]
    for _ in range(EVENTS):
        dice.choice(hands)()
        QApplication.processEvents()
    view.surface.motion.set_playing(False)
    assert view.grab().width() == view.width()
