"""The list of all that keeps a file from running, in a window: with the mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.document.documents import text_of
from gradviz.session.state import Phase
from gradviz.ui.panels.editor import EditorPanel
from gradviz.ui.panels.graph import GraphPanel
from gradviz.ui.panels.obstacles import ObstacleList
from tests.driver import Pilot

FILE = """import mlflow, torch
from helper import double
x = torch.ones(1, requires_grad=True).cuda()
mlflow.init()
breakpoint()
x.sum().backward()
"""
LATE = "import torch\nimport mlflow\nx = torch.ones(1, requires_grad=True)\ny = x * 2\nmlflow.log({'y': y.item()})\n"


def page(pilot: Pilot) -> ObstacleList:
    found = pilot.window.findChild(ObstacleList)
    assert found is not None
    return found


def editor(pilot: Pilot) -> EditorPanel:
    found = pilot.window.findChild(EditorPanel)
    assert found is not None
    return found


def titles(pilot: Pilot) -> list[str]:
    return [row.obstacle.title for row in page(pilot).rows]


def test_all_is_listed_and_changed_by_one_press_that_can_be_undone(pilot: Pilot) -> None:
    assert pilot.run_again(FILE) is Phase.REFUSED
    shown = page(pilot)
    assert shown.isVisible() and titles(pilot) == ["cuda", "mlflow", "breakpoint()"]
    assert shown.title.text() == "3 things that this file uses are not available here"
    assert shown.rows[2].places[0].text() == "line 5" and "breakpoint()" in shown.rows[2].change.text()
    assert shown.all.text() == "Make All 3 Changes and Run"
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        shown.all.click()
    assert pilot.state.run.phase is Phase.OK and not shown.isVisible()
    text = "import torch\nfrom helper import double\nx = torch.ones(1, requires_grad=True)\nx.sum().backward()\n"
    assert text_of(pilot.state.document) == text
    pilot.window.store.undo()
    assert text_of(pilot.state.document) == FILE and not shown.isVisible()


def test_one_change_leaves_the_others_on_the_list(pilot: Pilot) -> None:
    pilot.run_again(FILE)
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        page(pilot).rows[2].buttons[0].click()
    assert pilot.state.run.phase is Phase.RAISED and titles(pilot) == ["cuda", "mlflow"]
    assert "stopped at line 3" in page(pilot).said.text()


def test_cuda_means_the_cpu_by_one_press(pilot: Pilot) -> None:
    pilot.run_again("import torch\nx = torch.ones(1, requires_grad=True).cuda()\nx.sum().backward()\n")
    assert titles(pilot) == ["cuda"]
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        page(pilot).rows[0].buttons[1].click()
    assert pilot.state.run.phase is Phase.OK and pilot.state.cuda_as_cpu


def test_a_module_is_attached_from_the_list(pilot: Pilot, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def double(x):\n    return 2 * x\n")
    pilot.answers.to_open = [str(tmp_path / "helper.py")]
    pilot.run_again("import torch\nfrom helper import double\nx = double(torch.ones(1, requires_grad=True))\n")
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        page(pilot).rows[0].buttons[0].click()
    assert pilot.state.run.phase is Phase.OK and pilot.answers.asked == ["Attach helper.py"]


def test_the_graph_is_behind_the_list(pilot: Pilot) -> None:
    pilot.run_again(LATE)
    shown = page(pilot)
    assert shown.isVisible() and shown.close_list.text() == "Show the Graph"
    shown.close_list.click()
    graph = pilot.window.findChild(GraphPanel)
    assert graph is not None and not shown.isVisible() and graph.view.isVisible()
    pilot.window.commands.do("run.obstacles")
    assert shown.isVisible()
    pilot.type_snippet("x = 1\n")
    assert not shown.isVisible(), "it is of another text"


def test_the_keyboard_reaches_every_line_and_button(pilot: Pilot) -> None:
    pilot.run_again(FILE)
    shown = page(pilot)
    pilot.window.shell.focus("canvas")
    assert shown.all.hasFocus()
    reached = set()
    for _ in range(30):
        pilot.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.add(QApplication.focusWidget())
    assert {button for row in shown.rows for button in row.buttons} | {shown.close_list} <= reached
    assert {place for row in shown.rows for place in row.places} <= reached
    shown.rows[2].places[0].setFocus()
    pilot.qtbot.keyClick(shown.rows[2].places[0], Qt.Key.Key_Space)
    assert editor(pilot).caret[0] == 5 and editor(pilot).code.hasFocus()


def test_what_is_shown_is_text(pilot: Pilot) -> None:
    """A stranger's names are no markup."""
    pilot.run_again("import mlflow\nmlflow.init('<img src=x><b>y</b>')\ncompile('<b>')\n")
    assert "&lt;img" in page(pilot).rows[0].change.text() and "<img" not in page(pilot).rows[0].change.text()


def test_one_thing_that_has_no_change_is_for_you(pilot: Pilot) -> None:
    pilot.run_again("from sklearn.datasets import fetch_openml\ndata = fetch_openml('iris')\nprint(data)\n")
    assert page(pilot).said.text() == "The run stopped at line 2. It is for you to change."
