"""A drawing runs after every change of it: through the real window and a real worker."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document import shaping
from gradviz.document.code.parse import parse
from gradviz.document.documents import text_of, with_text
from gradviz.document.drawing import BackwardCall, Drawing, Ref
from gradviz.document.snippet import Snippet
from gradviz.session.problem import problem
from gradviz.session.state import Phase, Selection
from gradviz.ui.actions import BEFORE_THE_BAR
from gradviz.ui.drawing import diagram
from gradviz.ui.panels.inspector import InspectorPanel
from gradviz.ui.window import MainWindow

W, X, MUL = 1, 2, 3
SLOW = 30_000  # milliseconds that a worker may take to start on a busy machine


def product(w: float = 3.0) -> Drawing:
    drawing, _ = shaping.new_leaf(Drawing(), -200, -60, data=w, name="w", requires_grad=True)
    drawing, _ = shaping.new_leaf(drawing, -200, 80, data=2.0, name="x")
    drawing, mul = shaping.new_operation(drawing, "mul", 0, 0)
    drawing = shaping.connect(shaping.connect(drawing, Ref(W), mul, 0), Ref(X), mul, 1)
    return shaping.add_call(drawing, Ref(mul))


class Live:
    """Someone who watches a drawing run."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window = window
        self.store = window.store
        self.qtbot = qtbot
        self.phases: list[Phase] = []
        window.store.subscribe(lambda _, after: self.phases.append(after.run.phase))

    def runs(self, act: Callable[[], None]) -> None:
        """Do it, and wait until it has run."""
        with self.qtbot.waitSignal(self.window.shell.live.ended, timeout=SLOW):
            act()

    def edit(self, change: Callable[[Drawing], Drawing], merge: str = "") -> None:
        self.store.edit("Change", change(self.drawing), merge=merge)

    @property
    def drawing(self) -> Drawing:
        assert self.store.state.drawing is not None
        return self.store.state.drawing

    def grad(self, name: str) -> str:
        state = self.store.state
        assert state.trace is not None
        frame = state.trace.frame(state.cursor)
        names = dict(zip(state.trace.names.name.tolist(), state.trace.names.tensor.tolist(), strict=True))
        found = frame.grad(names[name])
        return str(state.trace.value(found)) if isinstance(found, int) else str(found)


@pytest.fixture
def live(window: MainWindow, qtbot: QtBot) -> Live:
    return Live(window, qtbot)


def test_every_change_runs_and_what_leaves_the_code_the_same_does_not(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    state = live.store.state
    assert state.run.phase is Phase.OK and state.cursor == state.steps == 7
    first = state.trace
    live.phases.clear()
    live.edit(lambda drawing: shaping.move(drawing, {W}, 30, 0))
    live.qtbot.waitUntil(lambda: live.window.shell.live.is_settled)
    assert live.store.state.trace is first
    live.store.pick(frozenset({W}))
    live.runs(lambda: live.edit(lambda drawing: shaping.change_leaf(drawing, W, data=5.0)))
    assert Phase.RUNNING not in live.phases, "what takes no time is not shown as a run"
    state = live.store.state
    assert state.trace is not first and state.cursor == state.steps
    assert state.selection == Selection("tensor", 0) and state.picked == {W}
    assert not state.is_stale


def test_the_newest_value_wins(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    runs: list[str] = []
    live.window.shell.live.ended.connect(runs.append)
    for value in range(100):
        live.edit(lambda drawing, value=value: shaping.change_leaf(drawing, W, data=float(value)), "slider")
    live.store.seal()
    live.qtbot.waitUntil(lambda: live.window.shell.live.is_settled and not live.store.state.is_stale, timeout=SLOW)
    assert 1 <= len(runs) < 20
    assert "99." in text_of(live.store.state.traced)
    live.store.undo()
    assert "99." not in text_of(live.store.state.document)


def test_a_value_that_is_edited_leaves_the_diagram_as_it_is(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    live.runs(lambda: live.store.open(product(), None))
    made, draw = [], diagram.draw

    def noted(*given: object) -> diagram.Sketch:
        made.append(draw(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(diagram, "draw", noted)
    for value in (5.0, 6.0):
        live.runs(partial(live.edit, partial(shaping.change_leaf, id=W, data=value)))
    assert not made
    live.runs(partial(live.edit, partial(shaping.change_leaf, id=W, requires_grad=False)))
    assert made, "another kind of leaf is another diagram"


def test_panels_around_the_canvas_show_every_few_values_of_a_slider(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    live.store.pick(frozenset({W}))
    inspector = live.window.panel_area.panel("inspector")
    assert isinstance(inspector, InspectorPanel)
    shown: list[str] = []
    inspector.browser.textChanged.connect(lambda: shown.append(inspector.browser.toPlainText()))
    for value in range(24):
        live.edit(lambda drawing, value=value: shaping.change_leaf(drawing, W, data=float(value)), "slider")
    assert not shown, "the canvas comes first"
    live.qtbot.waitUntil(lambda: bool(shown) and "23" in shown[-1] and live.window.shell.live.is_settled, timeout=SLOW)
    assert len(shown) < 12
    shown.clear()
    live.store.move(1)
    assert shown, "a step is shown at once"


def test_words_on_edges_are_their_products_while_a_slider_moves(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    view = live.window.canvas.drawn.view

    def words() -> list[str]:
        view.grab()
        assert view.scene is not None
        return [pill.text for pill in view.scene.painter.pills.painted]

    def boxes() -> set[object]:
        assert view.scene is not None
        return {pill.box for pill in view.scene.painter.pills.painted}

    assert words() == ["1 · 2 = 2"], "the factor and the product"
    before = boxes()
    view._resting.setInterval(SLOW)  # the slider does not rest before this test has looked
    live.runs(lambda: live.edit(lambda drawing: shaping.change_leaf(drawing, X, data=2.5), "slider"))
    assert words() == ["2.5"]
    assert boxes() == before, "nothing moves but the number"
    live.runs(lambda: live.edit(lambda drawing: shaping.change_leaf(drawing, X, data=2.25), "slider"))
    assert words() == ["2.25"]
    view._resting.start(0)
    live.qtbot.waitUntil(lambda: words() == ["1 · 2.25 = 2.25"], timeout=SLOW)
    live.store.seal()
    live.runs(lambda: live.edit(lambda drawing: shaping.change_leaf(drawing, X, data=4.0)))
    assert words() == ["1 · 4 = 4"], "typed, not dragged"


def test_an_error_has_its_card_and_goes_with_the_next_edit(live: Live) -> None:
    wrong = parse("import torch\nw = torch.ones(2, requires_grad=True)\ny = w * 2\ny.backward()\n")
    live.runs(lambda: live.store.open(wrong, None))
    assert live.store.state.run.phase is Phase.RAISED
    assert "scalar" in live.store.state.run.sentence
    live.runs(lambda: live.edit(lambda drawing: shaping.remove_call(drawing, 0)))
    assert live.store.state.run.phase is Phase.OK


def test_the_fix_of_an_error_changes_the_drawing(live: Live) -> None:
    twice = "import torch\nw = torch.tensor(2.0, requires_grad=True)\ny = w * w\ny.backward()\ny.backward()\n"
    live.runs(lambda: live.store.open(parse(twice), None))
    found = problem(live.store.state)
    assert found is not None and found.text is not None and "freed" in found.why
    text = found.text
    live.runs(lambda: live.store.edit("Apply Fix", with_text(live.drawing, text)))
    assert [call.retain_graph for call in live.drawing.calls] == [True, None]
    assert live.store.state.run.phase is Phase.OK and problem(live.store.state) is None


def test_what_can_not_run_yet_is_no_error(live: Live) -> None:
    drawing, _ = shaping.new_operation(Drawing(), "mul", 0, 0)
    live.runs(lambda: live.store.open(drawing, None))
    assert live.store.state.run.phase is Phase.NEVER
    assert live.store.state.trace is None
    live.runs(lambda: live.edit(lambda now: shaping.new_leaf(now, 0, 99, data=1.0)[0]))
    assert live.store.state.run.phase is Phase.OK
    live.runs(lambda: live.edit(lambda now: shaping.delete(now, {node.id for node in now.nodes})))
    assert live.store.state.trace is None and live.store.state.steps == 0


def test_a_killed_worker_is_replaced(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    for worker in tuple(live.window.shell.live.pool._workers):
        worker.kill()
        worker.join()
    live.runs(lambda: live.edit(lambda drawing: shaping.change_leaf(drawing, W, data=5.0)))
    assert live.store.state.run.phase is Phase.OK


def test_the_run_command_and_stop_work_too(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    with live.qtbot.waitSignal(live.window.shell.runner.ended, timeout=SLOW):
        live.window.shell.runner.run()
    assert live.store.state.run.phase is Phase.OK and live.store.state.steps == 7
    live.runs(lambda: live.edit(lambda drawing: shaping.change_leaf(drawing, W, data=5.0)))
    assert live.store.state.run.phase is Phase.OK


def test_a_wire_is_tried_out(live: Live) -> None:
    leaves = "a = torch.ones(2, 3)\nb = torch.ones(4, 5)\nc = torch.ones(3, 2)\n"
    drawing = parse(f"import torch\n{leaves}d = torch.mm(a, c)\n")
    live.runs(lambda: live.store.open(drawing, None))
    _, b, c, d = (node.id for node in drawing.nodes)
    answers: list[str] = []
    for leaf in (b, c):
        live.window.shell.wire_trial.ask(
            shaping.connect(shaping.disconnect(drawing, d, 1), Ref(leaf), d, 1), answers.append
        )
        live.qtbot.waitUntil(lambda: not live.window.shell.wire_trial.live.is_running, timeout=SLOW)
    assert answers == ["mm: 2×3 with 4×5: the inner sizes 3 and 4 differ", ""]
    assert live.store.state.drawing == drawing


def test_the_backward_call_is_changed_in_the_toolbar(live: Live) -> None:
    live.window.resize(1700, 900)  # all of it has room, with any version of Qt
    live.runs(lambda: live.store.open(product(), None))
    bar = live.window.backward
    assert bar.which.text() == "y.backward("
    live.runs(bar.retain.click)
    assert live.drawing.calls == (BackwardCall(Ref(MUL), retain_graph=True),)
    live.runs(bar.add.click)
    assert len(live.drawing.calls) == 2 and bar.which.text() == "y.backward( 2/2"
    bar.gradient.setFocus()
    QTest.keyClicks(bar.gradient, "0.5")
    live.runs(lambda: QTest.keyClick(bar.gradient, Qt.Key.Key_Return))
    assert live.drawing.calls[1].gradient == 0.5
    QTest.keyClicks(bar.inputs, "nobody")
    QTest.keyClick(bar.inputs, Qt.Key.Key_Return)
    assert "There is no leaf" in live.store.state.notice.sentence
    assert live.drawing.calls[1].inputs is None
    bar.inputs.selectAll()
    QTest.keyClicks(bar.inputs, "w")
    QTest.keyClick(bar.inputs, Qt.Key.Key_Return)
    assert live.drawing.calls[1].inputs == (W,)
    bar.remove.click()
    bar.remove.click()
    assert live.drawing.calls == ()
    assert bar.add.text() == "+ backward()" and not bar.gradient.isVisible()
    for _ in range(6):
        live.store.undo()
    assert live.drawing.calls == (BackwardCall(Ref(MUL)),)


def test_the_bar_is_there_for_drawings_only(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    assert live.window.backward.isVisible()
    live.store.open(Snippet("x = 1\n"), None)
    live.qtbot.waitUntil(lambda: not live.window.backward.isVisible())


def shown(window: MainWindow) -> set[str]:
    return {place.objectName() for place in window.tools.actions() if place.isVisible()}


def test_the_bar_leaves_room_for_the_buttons_that_step(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    bar = live.window.backward
    live.window.resize(1280, 800)
    live.qtbot.waitUntil(bar.gradient.isVisible)
    assert set(BEFORE_THE_BAR) <= shown(live.window)
    live.window.resize(900, 640)
    live.qtbot.waitUntil(lambda: not bar.gradient.isVisible())
    assert set(BEFORE_THE_BAR) <= shown(live.window) and bar.which.text() == "y.backward(…)"
    live.window.resize(1280, 800)
    live.qtbot.waitUntil(bar.gradient.isVisible)


def test_a_narrow_bar_has_its_arguments_in_a_menu(live: Live) -> None:
    live.runs(lambda: live.store.open(product(), None))
    bar = live.window.backward
    live.window.resize(900, 640)
    live.qtbot.waitUntil(lambda: not bar.gradient.isVisible())
    menu = bar.which.menu()
    menu.aboutToShow.emit()
    actions = {action.text(): action for action in menu.actions() if action.text()}
    live.runs(actions["retain_graph"].trigger)
    assert live.drawing.calls == (BackwardCall(Ref(MUL), retain_graph=True),)
    actions["gradient and inputs…"].trigger()
    assert live.store.state.picked == {MUL}, "the inspector has them"
    actions["Remove this call"].trigger()
    assert live.drawing.calls == () and bar.add.isVisible()
