"""Stories of someone who draws with the mouse; the keyboard is used for numbers only. The numbers that are expected are
those of PyTorch 2.13."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from gradviz.document.documents import text_of
from gradviz.document.drawing import Leaf, Operation, Ref
from gradviz.session.store import Store
from gradviz.ui.backward_bar import BackwardBar
from gradviz.ui.editors.node import LeafEditor
from gradviz.ui.services.recovery import RecoveryKeeper
from tests.driver import LEFT, NO_KEYS, Pilot

ROOT = Path(__file__).parents[2]
W = TypeVar("W", bound=QWidget)


def seen(pilot: Pilot, kind: type[W]) -> W:
    """The only widget of this kind that is seen."""
    (widget,) = (one for one in pilot.window.findChildren(kind) if one.isVisible())
    return widget


def learn(pilot: Pilot, name: str) -> None:
    """Switch requires_grad on in the inspector."""
    pilot.pick(name)
    box = seen(pilot, LeafEditor).grad
    QTest.mouseClick(box, LEFT, NO_KEYS, QPoint(8, box.height() // 2))
    leaf = pilot.drawing.by_id[pilot.named(name)]
    assert isinstance(leaf, Leaf) and leaf.requires_grad


def test_a_network_of_two_inputs_two_hidden_and_one_output(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.place("leaf:matrix", 80, 90)
    pilot.place("leaf:vector", 80, 240)
    pilot.place("leaf:vector", 80, 390)
    matrix, inputs, outer = (node.name for node in pilot.drawing.nodes if isinstance(node, Leaf))
    pilot.set_value(inputs, "[0.5, -0.25]")
    pilot.set_value(outer, "[2.0, -1.0]")
    for at, (op, place) in enumerate((("matmul", (230, 160)), ("tanh", (230, 300)), ("dot", (230, 440)))):
        assert pilot.place(op, *place) == 4 + at
    for source, target, port in ((matrix, "matmul", 0), (inputs, "matmul", 1), ("matmul", "tanh", 0)):
        pilot.wire(source, target, port)
    pilot.wire(outer, "dot", 0)
    pilot.wire("tanh", "dot", 1)
    learn(pilot, matrix)
    learn(pilot, outer)
    pilot.pick("dot")
    pilot.click(seen(pilot, BackwardBar).add)
    assert [call.root for call in pilot.drawing.calls] == [Ref(pilot.named("dot"))]
    pilot.settle()
    assert pilot.grad(matrix) == "[[1, -0.5], [-0.3932, 0.1966]]"
    assert pilot.grad(outer) == "[0, 0.4621]"


def test_a_circle_is_refused_with_its_reason_at_the_pointer(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.place("neg", 120, 120)
    pilot.place("tanh", 120, 300)
    pilot.wire("neg", "tanh")
    before = pilot.drawing
    pilot.wire("tanh", "neg")
    pilot.expect_refusal("That would make a circle: ")
    ground, bubble = pilot.hands.ground, pilot.hands.ground.overlay._bubble
    assert bubble is not None
    away = bubble[1] - ground.pixel(ground.geometry.port_in(pilot.named("neg"), 0))
    assert away.manhattanLength() < 2
    assert pilot.drawing == before


def test_what_was_drawn_saved_and_drawn_on_is_there_after_a_kill(pilot: Pilot, tmp_path: Path) -> None:
    file, kept = tmp_path / "net.gradviz", tmp_path / "kept"
    places = {name: str(tmp_path) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    command = [sys.executable, "-m", "tests.stories.drawn_and_killed", str(file), str(kept)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | places, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL
    pilot.answers.to_open = [str(file)]
    pilot.press("Ctrl+O")
    saved = pilot.drawing
    assert "y = w * x" in text_of(saved) and [node.id for node in saved.nodes] == [1, 2, 3]
    keeper = RecoveryKeeper(Store(), kept)
    pilot.window.shell.recovery.left_behind = keeper.left_behind
    keeper.answered()
    keeper.close()
    pilot.answers.to_recover = [True]
    pilot.window.offer_recovery()
    assert pilot.state.path == file and pilot.state.is_dirty
    assert [node for node in pilot.drawing.nodes if node.id <= 3][:2] == list(saved.nodes[:2])
    last = pilot.drawing.nodes[-1]
    assert isinstance(last, Operation) and (last.op, last.inputs) == ("tanh", (Ref(3),))
    pilot.run()
    assert pilot.state.traced == pilot.drawing
