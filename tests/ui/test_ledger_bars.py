"""The ledger of a `.grad` as bars: what is left from earlier backward calls is seen, and told in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.session.inspect.ledger import MOST_BARS, Bar, bars
from gradviz.session.state import Selection
from gradviz.trace.table.trace import Trace
from gradviz.ui.panels.inspector import array_table
from gradviz.ui.panels.ledger_bars import NORM, WITH_CHART, WITH_WORDS, LedgerBars, elements
from gradviz.ui.theme import DARK, LIGHT, Theme
from tests.driver import Pilot
from tests.trace.running import run

NO_ZERO_GRAD = """import torch
w = torch.tensor(3., requires_grad=True)
for epoch in range(3):
    (w * (epoch - 0.5)).backward()
w.grad = None
(w * 5).backward()
"""
VECTOR = """import torch
v = torch.tensor([1., 2.], requires_grad=True)
for epoch in range(3):
    (v * torch.tensor([1., -3.])).sum().backward()
"""
ODD = """import torch
{}
for epoch in range(3):
    {}
"""


def bars_of(trace: Trace, tensor: int = 0) -> tuple[Bar, ...]:
    return bars(trace.frame(len(trace)), tensor)


def plain(value: object) -> float:
    return math.nan if value is None else float(value.scalar)  # type: ignore[attr-defined]


def test_what_is_left_and_what_is_added_makes_the_gradient() -> None:
    found = bars_of(run(NO_ZERO_GRAD))
    assert [(plain(bar.added), plain(bar.total), bar.calls) for bar in found] == [
        (-0.5, -0.5, 0),
        (0.5, 0.0, 1),
        (1.5, 1.5, 2),
        (5.0, 5.0, 0),
    ]
    assert [bar.left is None for bar in found] == [True, False, False, True]
    assert [bar.cleared for bar in found] == [False, False, False, True]


def test_only_what_has_happened_is_shown() -> None:
    trace = run(NO_ZERO_GRAD)
    counts = [len(bars(trace.frame(cursor), 0)) for cursor in range(len(trace) + 1)]
    assert counts[0] == 0 and counts == sorted(counts) and counts[-1] == 4


def test_of_a_long_training_the_latest_are_shown_with_what_was_left() -> None:
    trace = run(VECTOR.replace("range(3)", "range(400)"))
    found = bars_of(trace)
    assert len(found) == MOST_BARS
    for bar in found:
        assert bar.left is not None and bar.added is not None and bar.total is not None
        assert np.allclose(bar.left.array + bar.added.array, bar.total.array)  # type: ignore[operator]
    assert found[-1].calls == 399


def hover(at: QPointF) -> QMouseEvent:
    """The pointer rests there; given to the chart itself, so that no tooltip waits behind it."""
    no = Qt.MouseButton.NoButton
    return QMouseEvent(QEvent.Type.MouseMove, at, at, no, no, Qt.KeyboardModifier.NoModifier)


@pytest.fixture
def shown(pilot: Pilot) -> LedgerBars:
    pilot.run_again(NO_ZERO_GRAD)
    pilot.window.store.select(Selection("tensor", 0))
    found = pilot.window.panel_area.panels["inspector"]._bars  # type: ignore[attr-defined]
    assert isinstance(found, LedgerBars) and found.isVisible()
    return found


def test_hover_and_keys_tell_of_a_bar_and_lead_to_its_step(pilot: Pilot, shown: LedgerBars) -> None:
    chart = shown.chart
    assert shown.words.text().endswith("5, with nothing left from before")
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert shown.words.text().endswith("0 left from 2 earlier backward() calls; + 1.5 makes 1.5")
    chart.mouseMoveEvent(hover(QPointF(chart.box(1).center().x(), 20)))
    assert chart.at == 1
    step = shown._bars[1].step
    QTest.keyClick(chart, Qt.Key.Key_Return)
    assert pilot.state.cursor == step
    assert len(shown._bars) == 2, "at that step the later calls have not come"
    assert "1 earlier backward() call;" in chart.accessibleDescription()


def test_another_thing_has_no_bars(pilot: Pilot, shown: LedgerBars) -> None:
    pilot.window.store.select(Selection("node", 0))
    assert not shown.isVisible()


def test_an_element_of_an_array_can_be_chosen(qtbot: QtBot) -> None:
    panel = LedgerBars(LIGHT)
    qtbot.addWidget(panel)
    found = bars_of(run(VECTOR))
    panel.show_bars(found, "v")
    assert elements(found) == ["[0]", "[1]"]
    assert "norm" in panel.words.text() and "makes" not in panel.words.text(), "norms do not add up"
    panel.choice.setCurrentText("[1]")
    panel.choice.activated.emit(2)
    assert panel.words.text().endswith("-6 left from 2 earlier backward() calls; − 3 makes -9")
    panel.show_bars(found[:2], "v")
    assert panel.choice.currentText() == "[1]", "what was chosen stays"
    panel.show_bars(bars_of(run(NO_ZERO_GRAD)), "w")
    assert panel.choice.currentText() == NORM and panel.choice.isHidden()


def test_a_low_panel_leaves_the_room_to_its_text(qtbot: QtBot) -> None:
    panel = LedgerBars(LIGHT)
    qtbot.addWidget(panel)
    panel.show_bars(bars_of(run(NO_ZERO_GRAD)), "w")
    seen = []
    for room in (WITH_WORDS, WITH_WORDS - 1, WITH_CHART - 1):
        panel.fit(room, LIGHT)
        seen.append((not panel.isHidden(), not panel.words.isHidden()))
    assert seen[:2] == [(True, True), (True, False)] and not seen[2][0]
    panel.show_bars((), "w")
    panel.fit(WITH_WORDS, LIGHT)
    assert panel.isHidden(), "without a ledger there is nothing to show"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_is_left_is_hatched_and_what_is_added_solid(qtbot: QtBot, theme: Theme) -> None:
    panel = LedgerBars(theme)
    qtbot.addWidget(panel)
    panel.chart.show_bars([(6.0, 6.0, 12.0)], ["one"])
    panel.chart.resize(40, panel.chart.height())
    picture, box = panel.chart.grab().toImage(), panel.chart.box(0)
    ink = QColor(theme.gradient)
    middle = range(round(box.left()) + 4, round(box.right()) - 3)

    def share(rows: range) -> float:
        seen = [picture.pixelColor(x, y) == ink for x in middle for y in rows]
        return sum(seen) / len(seen)

    height = panel.chart.height()
    assert share(range(12, height // 2 - 4)) == 1.0
    assert 0.0 < share(range(height // 2 + 4, height - 12)) < 0.6


@pytest.mark.parametrize(
    ("made", "body"),
    [
        ("a = torch.tensor([0., 1.], requires_grad=True)", "(a.sqrt() * 0).sum().backward()"),
        ("a = torch.tensor(1 + 2j, requires_grad=True)", "(a * a.conj()).real.backward()"),
        ("a = torch.zeros(0, requires_grad=True)", "a.sum().backward()"),
        ("a = torch.ones(200, 30, requires_grad=True)", "(a * 1e30).sum().backward()"),
        ("a = torch.tensor(1., requires_grad=True)", "(a * float('inf')).backward()"),
        ("a = torch.tensor(0., requires_grad=True)", "(a * 0).backward()"),
    ],
)
def test_odd_gradients_are_drawn(qtbot: QtBot, made: str, body: str) -> None:
    panel = LedgerBars(LIGHT)
    qtbot.addWidget(panel)
    found = bars_of(run(ODD.format(made, body)))
    assert len(found) == 3
    panel.show_bars(found, "a")
    panel.resize(240, 160)
    assert not panel.grab().isNull() and panel.words.text()


def test_a_vector_on_one_line_has_both_brackets() -> None:
    assert array_table("[1, 2]", 60) == "[1&nbsp;2]"


def test_a_long_name_has_room_beside_the_choice_of_an_element(qtbot: QtBot) -> None:
    shown = LedgerBars(LIGHT)
    qtbot.addWidget(shown)
    shown.show_bars(bars_of(run(VECTOR)), "net[0].weight")
    shown.resize(240, 300)
    shown.show()
    qtbot.waitExposed(shown)
    title = shown.title
    room = title.fontMetrics().boundingRect(0, 0, title.width(), 999, Qt.TextFlag.TextWordWrap, title.text())
    assert title.wordWrap() and room.height() <= title.height()
