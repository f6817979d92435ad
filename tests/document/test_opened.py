"""What `gradviz.open_recording` gives: the graph, the tensors and the steps of a recording, and a sentence where there
is nothing to give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest

import gradviz
from gradviz.document.files import recordings
from gradviz.document.opened import Recording, Step
from gradviz.trace.table.recording import About, Ending, RecordingWriter, batches_of
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
