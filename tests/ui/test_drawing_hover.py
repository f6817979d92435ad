"""The card of a node of a drawing that has not run says why."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QSize
from PySide6.QtTest import QTest

from gradviz.document import shaping
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from tests.driver import RUN_TIMEOUT, Pilot


def opened(pilot: Pilot, drawing: Drawing) -> None:
    with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
        pilot.window.store.open(drawing, None)
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.drawn.view.viewport.extent is not None, timeout=RUN_TIMEOUT)


def is_at_rest(pilot: Pilot) -> None:
    """The card under the canvas has come, the canvas gave it the room, and its camera has arrived."""
    view = pilot.window.canvas.drawn.view
    seen: list[tuple[QSize, tuple[float, float], tuple[float, float]]] = []

    def stays() -> bool:
        seen.append((view.size(), view.camera.to_screen(0, 0), view.camera.to_screen(1, 1)))
        return len(seen) > 3 and seen[-1] == seen[-2] == seen[-3]

    pilot.qtbot.waitUntil(stays, timeout=RUN_TIMEOUT)


def card_over(pilot: Pilot, node: int) -> str:
    """Rest the pointer on a node; what its card says, "" without one."""
    is_at_rest(pilot)
    view = pilot.window.canvas.drawn.view
    there = view.drawing.by_id[node]
    x, y = view.camera.to_screen(there.x, there.y)
    QTest.mouseMove(view, QPointF(1, 1).toPoint())
    QTest.mouseMove(view, QPointF(x, y).toPoint())
    view.hover._resting.stop()
    view.hover._rested()
    return view.hover.card.text() if view.hover.card is not None and view.hover.card.item >= 0 else ""


def first(drawing: Drawing, op: str) -> int:
    return next(node.id for node in drawing.nodes if isinstance(node, Operation) and node.op == op)


def test_a_node_without_an_operand_says_what_it_needs(pilot: Pilot) -> None:
    drawing = Drawing((Leaf(1, "w", 3.0), Operation(2, "mul", (Ref(1), None), x=300)), next_id=3)
    opened(pilot, drawing)
    assert "mul needs other." in card_over(pilot, 2) and "has not run" in card_over(pilot, 2)
    view = pilot.window.canvas.drawn.view
    assert card_over(pilot, 1) and "has not run" not in card_over(pilot, 1)
    QTest.mouseMove(view, QPointF(1, 1).toPoint())
    assert view.hover.card is not None and view.hover.card.item < 0
    assert card_over(pilot, 2)
    with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
        pilot.window.store.edit("Set Number", shaping.set_number(drawing, 2, 1, 2))
    assert "has not run" not in (view.hover.card.text() if view.hover.card.item >= 0 else "")


@pytest.mark.parametrize(
    ("text", "op", "cursor", "words"),
    [
        ("x = torch.ones(2)\ny = x.exp()\n", "exp", 0, "It runs at a later step."),
        ("x = torch.ones(2)\ny = x.contiguous()\n", "Tensor.contiguous", 1, "nothing to compute"),
        ("x = torch.ones(2)\ny = x.mm(x)\nz = y.exp()\n", "mm", 2, "a vector of 2 elements"),
        ("x = torch.ones(2)\ny = x.mm(x)\nz = y.exp()\n", "exp", 2, "The run ended with an error before this."),
    ],
    ids=["later", "passed", "failed", "after"],
)
def test_every_reason_has_a_sentence(pilot: Pilot, text: str, op: str, cursor: int, words: str) -> None:
    drawing = parse(f"import torch\n{text}")
    opened(pilot, drawing)
    pilot.window.store.move(cursor)
    assert words in card_over(pilot, first(drawing, op))
