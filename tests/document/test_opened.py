"""What `gradviz.open_recording` gives: the graph, the tensors and the steps of a recording, and a sentence where there
is nothing to give."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest

import gradviz
from gradviz.document.files import recordings
from gradviz.document.opened import Recording, Step
from gradviz.session.inspect.why import in_words
from gradviz.session.timeline.outline import holders
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.recording import About, Ending, RecordingWriter, batches_of
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.contributions import sender_name
from gradviz.trace.words.explain import step_title
from tests.trace.running import run

ROOT = Path(__file__).parents[2]

TWICE = """
import torch
w = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
with torch.no_grad():
    w -= 0.5 * w.grad
"""


def saved(source: str, path: Path) -> Path:
    trace = run(source)
    with open(path, "wb") as file:
        writer = RecordingWriter(file, About(source, "a.py", "GradViz"))
        for batch in batches_of(trace):
            writer.batch(batch)
        writer.end(Ending())
    return path


@pytest.fixture
def twice(tmp_path: Path) -> Recording:
    return gradviz.open_recording(saved(TWICE, tmp_path / "run.gvtrace"))


def test_steps_are_rows(twice: Recording) -> None:
    steps = twice.steps()
    assert len(steps) == len(twice) and [step.number for step in steps] == [*range(1, len(twice) + 1)]
    assert steps[:3] == [
        Step(1, "leaf", 3, "", "w", -1),
        Step(2, "forward", 4, "MulBackward0", steps[1].tensor, -1),
        Step(3, "forward", 4, "SumBackward0", steps[2].tensor, -1),
    ]
    assert [step.operation for step in steps if step.kind == "backward"] == ["SumBackward0", "MulBackward0"]
    assert {step.call for step in steps if step.kind in ("backward", "accumulate")} == {0}
    assert "MulBackward0" in repr(steps[1]) and repr(twice) == f"<Recording of a.py: {len(twice)} steps>"


def test_a_tensor_is_an_array_as_it_was_at_a_step(twice: Recording) -> None:
    np.testing.assert_array_equal(twice.tensor("w", 1), [2, 3])
    np.testing.assert_array_equal(twice.tensor("w"), [0, 0])
    np.testing.assert_array_equal(twice.tensor("w.grad"), [4, 6])
    assert twice.tensor("loss") == 13 and twice.tensor("loss").dtype == np.float32
    twice.tensor("w", 1)[:] = 99
    np.testing.assert_array_equal(twice.tensor("w", 1), [2, 3], "a copy was changed")
    assert twice.names() == ["w", "loss"] and twice.names(1) == ["w"]


def test_what_is_not_there_is_said(twice: Recording) -> None:
    with pytest.raises(KeyError, match=r"no tensor is called 'v' at step 1; there are: w"):
        twice.tensor("v", 1)
    with pytest.raises(ValueError, match=r"w\.grad is None at step 2"):
        twice.tensor("w.grad", 2)
    for step in (-1, 10_000):
        with pytest.raises(IndexError, match="there is no step"):
            twice.graph(step)
    with pytest.raises(IndexError, match="there is no step 0"):
        twice.sentence(0)


def test_of_what_was_too_large_there_is_only_a_summary(tmp_path: Path) -> None:
    source = "import torch\nw = torch.zeros(70_000, requires_grad=True)\n"
    recording = gradviz.open_recording(saved(source, tmp_path / "run.gvtrace"))
    with pytest.raises(ValueError, match=r"only a summary of w was kept: \(70000,\) all 0"):
        recording.tensor("w")


def test_the_graph_has_everything_on_it(twice: Recording) -> None:
    graph = twice.graph(len(twice))
    assert isinstance(graph, networkx.MultiDiGraph)
    label = {name: data["label"] for name, data in graph.nodes(data=True)}
    w, mul = (next(name for name, each in label.items() if each == said) for said in ("w", "MulBackward0"))
    assert graph.nodes[w]["grad"] == [4.0, 6.0] and graph.nodes[mul]["ran_backward"]
    assert sorted(data["slot"] for data in graph.get_edge_data(w, mul).values()) == [0, 1]
    assert [data["grad"] for data in graph.get_edge_data(w, mul).values()] == [[2.0, 3.0], [2.0, 3.0]]
    assert [data["output"] for _, _, data in graph.out_edges(mul, data=True)] == [0]
    assert len(twice.graph(0)) == 0 and len(twice.graph(1)) == 1


def test_a_step_in_words(twice: Recording) -> None:
    accumulate = next(step for step in twice.steps() if step.kind == "accumulate")
    assert "[4, 6]" in twice.sentence(accumulate.number)


def test_a_recording_that_breaks_off_opens_to_where_it_is_whole(tmp_path: Path) -> None:
    path = saved(TWICE, tmp_path / "run.gvtrace")
    path.write_bytes(path.read_bytes()[:-40])
    recording = gradviz.open_recording(str(path))
    assert len(recording) and recording.about.maker == "GradViz"


def test_no_recording_is_an_error_of_python(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        gradviz.open_recording(tmp_path / "none.gvtrace")
    (tmp_path / "odd.gvtrace").write_text("something else")
    with pytest.raises(ValueError, match="it is not a recording"):
        gradviz.open_recording(tmp_path / "odd.gvtrace")
    with pytest.raises(OSError, match="is a folder"):
        gradviz.open_recording(tmp_path)


def test_importing_gradviz_is_light_and_opening_needs_no_qt(tmp_path: Path) -> None:
    path = saved(TWICE, tmp_path / "run.gvtrace")
    code = f"""
import sys, gradviz
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("numpy", "networkx", "PySide6", "pyqtgraph")))
gradviz.open_recording({str(path)!r}).tensor("w")
print("PySide6" in sys.modules, "networkx" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "False False"]


def test_the_window_reads_the_same_file(tmp_path: Path) -> None:
    path = saved(TWICE, tmp_path / "run.gvtrace")
    assert len(recordings.read(path).trace) == len(gradviz.open_recording(path))


NET = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
h = net(torch.ones(1, 2))
with torch.no_grad():
    torch.relu(h)
(h * h).sum().backward()
"""


def test_every_name_that_is_shown_finds_its_tensor(tmp_path: Path) -> None:
    recording = gradviz.open_recording(saved(NET, tmp_path / "run.gvtrace"))
    for name in ("net[0].weight", "0.weight", "net.0.weight"):
        assert recording.tensor(name).shape == (2, 2) and recording.tensor(f"{name}.grad").shape == (2, 2)
    assert {"net[0].weight", "net[1].bias", "h"} <= {*recording.names()}
    shown = {data["label"]: name for name, data in recording.graph().nodes(data=True) if data["kind"] != "operation"}
    assert "net[1].weight" in shown
    for label, name in shown.items():
        np.testing.assert_array_equal(recording.tensor(label), recording.tensor(name))
    for step in recording.steps():
        if step.tensor:
            recording.tensor(step.tensor)
            recording.tensor(step.tensor, step.number)


@pytest.mark.parametrize(
    ("asked", "near"), [("net[0].wieght", "net[0].weight"), ("weight", "net[0].weight"), ("net.0.bias2", "net[0].bias")]
)
def test_a_name_that_nothing_has_is_answered_with_near_ones(tmp_path: Path, asked: str, near: str) -> None:
    recording = gradviz.open_recording(saved(NET, tmp_path / "run.gvtrace"))
    with pytest.raises(KeyError, match="similar are: ") as error:
        recording.tensor(asked)
    assert near in str(error.value)


def test_the_graph_goes_to_other_programs(tmp_path: Path) -> None:
    recording = gradviz.open_recording(saved(NET, tmp_path / "run.gvtrace"))
    graph = recording.graph()
    again = networkx.node_link_graph(
        json.loads(json.dumps(networkx.node_link_data(graph, edges="edges"))), edges="edges"
    )
    assert networkx.utils.graphs_equal(again, graph)
    networkx.write_graphml(recording.graph(plain=True), tmp_path / "net.graphml")
    read = networkx.read_graphml(tmp_path / "net.graphml")
    assert {data["label"] for _, data in read.nodes(data=True)} == {data["label"] for _, data in graph.nodes(data=True)}
    assert read.number_of_edges() == graph.number_of_edges()


def in_two_files(path: Path) -> Path:
    """A recording of a job that imports its model: the operation of line 3 ran on line 7 of net/model.py."""
    trace, writer = Trace(""), Writer()
    text = writer.text
    file = writer.add("files", text("net/model.py"), text("\n" * 6 + "    return x * 2\n"))
    inner = writer.add("sites", 3, 6, 3, 14, text("x * 2"))
    writer.add("elsewhere", inner, file, 7, 11, 7, 16)
    outer = writer.add("sites", 2, 4, 2, 8, text("ones"))
    for step, (kind, site) in enumerate(((Kind.LEAF, outer), (Kind.FORWARD, inner))):
        writer.add("steps", kind, step - 1, step, site, -1, 0)
        value = writer.value(np.ones(1, np.float32))
        writer.add("tensors", step, step - 1, 0, value, step, 0, True, not step, False, -1, site)
    writer.add("nodes", 1, text("mul"), text("MulBackward0"), text("×"), inner, -1, text(""), 1, -1, 0)
    writer.add("saved", 1, 0, text("self"), 0, -1, 4, 0, 0)
    trace.extend(writer.take())
    source = "import torch\nx = torch.ones(1)\ny = net(x)\n"
    recordings.write(path, trace, About(source, "train.py", "PyTorch 2.13.0"), Ending())
    return path


def test_a_step_belongs_to_the_file_that_was_running(tmp_path: Path) -> None:
    recording = gradviz.open_recording(in_two_files(tmp_path / "run.gvtrace"))
    assert [(each.line, each.file) for each in recording.steps()] == [(2, ""), (7, "net/model.py")]
    operation = next(data for _, data in recording.graph().nodes(data=True) if data["kind"] == "operation")
    assert (operation["line"], operation["file"]) == (7, "net/model.py")
    titles = [step_title(recording._trace.frame_at(at)) for at in (1, 2)]
    assert titles[0].endswith("(line 2)") and titles[1].endswith("(line 7 of net/model.py)")
    trace = recording._trace
    assert "net/model.py:7: mul made x * 2 [step 2]" in (told := in_words(trace.frame_at(2), 1))
    assert "mul on line 7 of net/model.py computed it." in told and "line 3" not in told
    assert sender_name(trace.frame_at(2), 0) == "MulBackward0 (line 7 of net/model.py)"
    assert [each.operation for each in holders(trace, 2)] == ["MulBackward0 (line 7 of net/model.py)"]
