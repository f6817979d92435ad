"""The recorder of real PyTorch where there is none: nothing of it is imported by itself, and what it needs is said.
What it records is checked with PyTorch by `check_jobs`, and compared with our engine in `test_oracle`."""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz
from gradviz import notebook
from gradviz.document.files import recordings
from gradviz.recorder import script, too_old
from gradviz.recorder.output import Output, guarded
from gradviz.recorder.sites import JobSites
from gradviz.session.doctor.lessons import diagnose
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.recording import About, RecordingWriter
from gradviz.trace.table.schema import GATHERED
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import Summary
from gradviz.trace.words.error_explanation import given
from gradviz.trace.words.explain import explain
from gradviz.trace.words.jsonable import trace_json
from tests.trace.running import run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ALIKE = {"ord=2"}  # "ord=2.0"
WITHOUT = "import sys; sys.modules['torch'] = None; "


def python(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


def test_importing_gradviz_imports_neither_numpy_nor_the_recorder() -> None:
    done = python(
        "-c", "import sys, gradviz; print(sorted(m for m in sys.modules if m.startswith(('numpy', 'gradviz'))))"
    )
    assert done.stdout == "['gradviz']\n"


@pytest.mark.parametrize("call", ["gradviz.record('x')", "gradviz.show(1)"])
def test_without_pytorch_it_is_said_what_is_missing(call: str) -> None:
    done = python("-c", f"{WITHOUT}import gradviz; {call}")
    assert done.stderr.endswith("ImportError: This records real PyTorch: install torch in this environment.\n")


def test_the_command_without_pytorch_or_without_a_script(tmp_path: Path) -> None:
    good, bad = tmp_path / "train.py", tmp_path / "bad.py"
    good.write_text("import torch\n")
    bad.write_text("def\n")
    for path, why in ((good, "Recording needs PyTorch"), (bad, "can't be read"), (tmp_path / "no.py", "can't be read")):
        done = python("-c", f"{WITHOUT}from gradviz.recorder.script import main; sys.exit(main([{str(path)!r}]))")
        assert done.returncode == 2 and why in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.glob("*.gvtrace"))


def test_each_job_that_was_checked_was_recorded() -> None:
    lines = (HERE / "jobs.txt").read_text().splitlines()
    whole = re.compile(r"(\w+): the same in 4 ways; status \d; steps (?:[1-9]\d*(?:\+[1-9]\d*)*, ){3}\d+(?:\+\d+)*")
    checked = [found[1] for line in lines if (found := whole.fullmatch(line))]
    assert len(checked) == len(lines) and sorted(checked) == sorted(each.stem for each in HERE.glob("jobs/**/*.py"))


@pytest.mark.parametrize(
    ("version", "why"),
    [("2.4.1+cu121", "Recording needs PyTorch 2.5 or newer: this is 2.4.1+cu121."), ("2.5.0a0", ""), ("2.13.0", "")],
)
def test_an_old_pytorch_is_refused(version: str, why: str) -> None:
    assert too_old(version) == why


class Part:
    """A part of the recorder that the job calls, after one batch was written and while the next is made."""

    def __init__(self, path: Path) -> None:
        self.calls, self.writer = 0, Writer(1_000_000)
        self.output = Output(path, About("print(1)", "train.py"), self.writer)
        self._add_step()
        self.output.write(1)
        self.writer.add("steps", Kind.PRINT, -1, -1, -1, -1, 1)  # its text is still missing

    def _add_step(self) -> None:
        self.writer.add("steps", Kind.PRINT, -1, -1, -1, -1, self.writer.count("texts"))
        self.writer.add("texts", 0, self.writer.text("out"), self.writer.text("1\n"))

    @guarded
    def called(self, work: Callable[[], Any]) -> Any:
        self.calls += 1
        return work()


def failing(error: BaseException) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


def endless() -> None:
    endless()


def test_an_error_of_the_recorder_ends_the_recording_and_not_the_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = Part(tmp_path / "it.gvtrace")
    assert part.called(lambda: 3) == 3
    assert part.called(failing(KeyError("x"))) is None and part.calls == 2
    assert part.called(lambda: 3) is None and part.called(failing(ValueError())) is None and part.calls == 2
    part.output.tell()  # as at the end of the job
    found = recordings.read(tmp_path / "it.gvtrace")
    assert len(found.trace) == 1 and found.ending is not None and found.ending.status == "stopped"
    assert found.ending.sentence.startswith("The recorder failed (KeyError: 'x' in test_interface.py, line ")
    assert found.ending.sentence.endswith("): the recording ends here, and the job goes on.")
    assert capsys.readouterr().err == f"gradviz: {found.ending.sentence}\n"
    assert found.ending.sentence in recordings.document_of(found).origin


def test_what_comes_from_outside_while_a_step_is_recorded_reaches_the_job(tmp_path: Path) -> None:
    def on_signal(*_: object) -> None:
        raise TimeoutError("too slow")

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        raising = {TimeoutError: lambda: signal.raise_signal(signal.SIGINT), SystemExit: failing(SystemExit())}
        for kind, work in raising.items():
            part = Part(tmp_path / f"{kind.__name__}.gvtrace")
            with pytest.raises(kind):
                part.called(work)
            found = recordings.read(tmp_path / f"{kind.__name__}.gvtrace")
            assert len(found.trace) == 1 and found.ending is not None
            assert found.ending.sentence.startswith(kind.__name__) and "came while" in found.ending.sentence
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_recorder_at_the_limit_of_recursion_says_so_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = Part(tmp_path / "it.gvtrace")
    assert part.called(endless) is None and not capsys.readouterr().err
    part.output.tell()
    assert "(RecursionError)" in capsys.readouterr().err
    assert "RecursionError" in getattr(recordings.read(tmp_path / "it.gvtrace").ending, "sentence", "")


def test_a_disk_that_is_full_ends_the_recording_and_not_the_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(tmp_path / "it.gvtrace")
    monkeypatch.setattr(RecordingWriter, "_write", lambda *_: failing(OSError(28, "No space left on device"))())
    assert part.called(lambda: part.output.write(1)) is None
    assert "No space left on device" in capsys.readouterr().err
    found = recordings.read(tmp_path / "it.gvtrace")
    assert len(found.trace) == 1 and found.ending is None


def test_a_child_process_leaves_the_file_to_its_parent(tmp_path: Path) -> None:
    part = Part(tmp_path / "it.gvtrace")
    before = (tmp_path / "it.gvtrace").read_bytes()
    part.output.leave()
    assert part.called(lambda: 3) is None and part.called(failing(ValueError())) is None
    part.output.tell()
    assert (tmp_path / "it.gvtrace").read_bytes() == before
    part.output._file.close()


def test_the_command_says_what_it_takes() -> None:
    done = python("-m", "gradviz.record", "--help")
    assert done.returncode == 0 and "Run a PyTorch script as it is" in done.stdout


def test_iterations_are_chosen_in_the_words_of_a_run() -> None:
    chosen = script._parser().parse_args(["--steps", "first:2,every:10,last:1,14-15", "train.py"]).steps
    assert [each for each in range(20) if chosen.takes(each, 18 - each)] == [0, 1, 10, 14, 15, 18]
    with pytest.raises(argparse.ArgumentTypeError, match="'1-' names no iterations"):
        script._choice("0,1-")


def test_a_module_is_found_as_python_finds_it(tmp_path: Path) -> None:
    package = tmp_path / "project"
    package.mkdir()
    for name in ("__init__", "__main__", "train"):
        (package / f"{name}.py").write_text("")
    code = f"import sys; sys.path[0] = {str(tmp_path)!r}; from gradviz.recorder.script import _spec_of\n"
    code += "for name in ('project.train', 'project'): print(_spec_of(name).name, _spec_of(name).parent)"
    assert python("-c", code).stdout == "project.train project\nproject.__main__ project\n"
    for name, why in (
        ("no_such", "there is no module no_such"),
        ("json", "no module json.__main__"),
        ("math", "Python"),
    ):
        with pytest.raises(ImportError, match=why):
            script._spec_of(name)
    with pytest.raises(ImportError, match="no_such"):
        script._spec_of("no_such.train")


def test_the_name_of_a_module_is_an_option_of_the_command() -> None:
    options = script._parser().parse_args(["-o", "out.gvtrace", "-m", "project.train", "-m", "--values", "3"])
    assert options.is_module and options.script == "project.train" and options.arguments == ["-m", "--values", "3"]
    assert not script._parser().parse_args(["train.py", "-m"]).is_module


def test_a_traceback_is_that_of_the_job_alone() -> None:
    def made(name: str, body: str, **known: object) -> Any:
        known["__name__"] = name
        exec(f"def called():\n    {body}\n", known)
        return known["called"]

    inner = made("train", "raise ValueError('it is too large')")
    ours = made("gradviz.recorder.job", "inner()", inner=inner)
    compiler = made("torch._dynamo.eval_frame", "ours()", ours=ours)
    job = made("__main__", "compiler()", compiler=made("torch._compile", "compiler()", compiler=compiler))
    alone = made("torch._compile", "inner()", inner=inner)  # of a job that calls the compiler itself
    for outer, expected in ((job, ["__main__", "train"]), (alone, ["torch._compile", "train"])):
        with pytest.raises(ValueError, match="it is too large") as raised:
            outer()
        at, found = script.own_frames(raised.tb), []
        while at is not None:
            found.append(at.tb_frame.f_globals["__name__"])
            at = at.tb_next
        assert found[1:] == expected


def test_files_of_the_job_are_those_beside_the_script_and_below_where_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"scripts/train.py": "import net\nnet.forward()\n", "scripts/beside.py": "", "model/net.py": ""}
    texts |= {"env/site-packages/net.py": "", "../elsewhere.py": ""}
    for name, text in texts.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or "import inspect\ndef here(): return found(inspect.currentframe())\n")
    monkeypatch.chdir(tmp_path / "project")
    writer = Writer()
    sites = JobSites(writer, texts["scripts/train.py"], str(tmp_path / "project/scripts/train.py"))
    shown = []
    for name in [*texts][1:]:
        known: dict[str, Any] = {"found": lambda frame: sites._search(frame, frame.f_code)}
        path = tmp_path / "project" / name
        exec(compile(path.read_text(), os.path.abspath(path), "exec"), known)
        shown.append(known["here"]() >= 0)
    assert shown == [True, True, False, False]
    trace = Trace()
    trace.extend(writer.take())
    assert trace.files.name.tolist() == ["beside.py", "model/net.py"]


def test_several_processes_have_a_file_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert script._out(None, Path("a/train.py")) == Path("train.gvtrace")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert script._out(tmp_path / "job.gvtrace", Path("train.py")) == tmp_path / "job" / "rank1.gvtrace"
    assert (tmp_path / "job").is_dir()


class Shell:
    """Of a notebook."""

    def __init__(self) -> None:
        self.magic: dict[str, Callable[[str, str], notebook.Page | None]] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magic[f"{kind} {name}"] = function


def test_a_cell_of_a_notebook_becomes_a_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def export(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        text = Path(command[4]).read_text(encoding="utf-8")
        if text:
            Path(command[6]).write_text(f"<script>{text}</script>", encoding="utf-8")
        return subprocess.CompletedProcess(command, int(not text), "", "" if text else "It is empty.\n")

    monkeypatch.setattr("subprocess.run", export)
    shell = Shell()
    gradviz.load_ipython_extension(shell)
    page = shell.magic["cell gradviz"]("", 'print("é")\n')
    assert page is not None and page.text == '<script>print("é")\n</script>'
    frame = page._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;script') and "<script" not in frame
    assert shell.magic["cell gradviz"]("", "") is None and capsys.readouterr().err == "It is empty.\n"


def test_what_the_ranks_of_a_job_exchange_is_told() -> None:
    writer, trace = Writer(), Trace()
    text, values = writer.text, [writer.value(np.asarray(each, np.float32)) for each in (1, 3)]
    for step, kind in enumerate((Kind.LEAF, Kind.COLLECTIVE)):
        writer.add("steps", kind, -1, 0, -1, -1, 0)
        writer.add("grads", step, 0, values[step], -1)
    writer.add("tensors", 0, -1, 0, values[0], 0, 0, True, True, True, -1, -1)
    writer.add("names", 0, 0, text("w"), text(""), 0)
    writer.add("writes", 1, 0, values[1], 1)
    writer.add("collectives", 1, text("all_reduce"), text("2 elements, 2 ranks"))
    trace.extend(writer.take())
    found = explain(trace.frame_at(2))
    assert (found.title, found.sentence) == (
        "all_reduce",
        "all_reduce: 2 elements, 2 ranks. w.grad: 1 → 3; w: 1 → 3.",
    )
    assert trace_json(trace)["steps"][1]["name"] == "all_reduce"


def test_values_of_which_little_or_nothing_was_kept() -> None:
    writer = Writer()
    writer.unkept((300, 2), "bfloat16")
    writer.summarised((1000, 1), np.arange(6, dtype=np.float32).reshape(6, 1), Summary(-1.0, 2.0, 0.5, 3.0, 0))
    writer.value(np.float32(4.0) * np.ones(2, np.float32))
    writer.unkept((), "int64")
    trace = Trace()
    trace.extend(writer.take())
    nothing, some, whole, scalar = (trace.store.get(at) for at in range(4))
    assert (nothing.shape, nothing.dtype, nothing.is_known, nothing.array) == ((300, 2), "bfloat16", False, None)
    assert nothing.written() == "(300, 2), of which no value was kept"
    assert (some.shape, some.norm, some.edges.shape, some.is_known) == ((1000, 1), 3.0, (6, 1), True)
    assert whole.array is not None and whole.array.tolist() == [4.0, 4.0]
    assert scalar.scalar is None and scalar.shape == ()
    assert trace.value_flag.tolist() == [1, 1, 1, 1], "what is not known is not marked as NaN or zero"


@pytest.mark.parametrize("rank", [0, 1])
def test_gathered_parameters_are_not_said_to_be_missing_from_the_optimizer(rank: int) -> None:
    """Of `jobs/ranks/fsdp2.py`, recorded under PyTorch 2.13: the optimizer has the shards."""
    trace = recordings.read(HERE / "fsdp2" / f"rank{rank}.gvtrace").trace
    assert any(str(name).endswith(GATHERED) for name in trace.names.name) and diagnose(trace) == ()


@pytest.mark.parametrize("rank", [0, 1])
def test_how_fsdp_gathers_parameters_is_an_exchange_and_no_more(rank: int) -> None:
    trace = recordings.read(HERE / "fsdp2" / f"rank{rank}.gvtrace").trace
    assert {*trace.nodes.op} == {"t", "addmm", "relu", "slice", "sub", "pow", "mean"}
    assert {*trace.collectives.name} == {"all_gather_into_tensor", "reduce_scatter_tensor"}
    frame = trace.frame_at(len(trace))
    named = {frame.name(each): each for each in range(len(trace.tensors))}
    latest = max(each for each in range(len(trace.tensors)) if frame.name(each).endswith("t()"))
    gathered = next(tensor for name, tensor in named.items() if name == f"model[2].weight{GATHERED}")
    value, transposed = frame.value(gathered), frame.value(latest)
    assert value is not None and transposed is not None and value.norm == transposed.norm, "that of the last iteration"


def test_an_error_of_a_job_says_what_the_operation_was_given() -> None:
    theirs = given(recordings.load(HERE / "refused.gvtrace").trace)  # by `record_samples`
    ours = given(run((HERE / "jobs" / "refused.py").read_text(encoding="utf-8")))
    assert {(name, shape) for name, shape, _ in ours} == {("h", (4, 16)), ("head.weight", (2, 32)), ("head.bias", (2,))}
    assert {(name, shape) for name, shape, _ in theirs} == {
        ("h", (4, 16)), ("head.weight.t()", (32, 2)), ("head.bias", (2,)),
    }  # fmt: skip


def test_a_graph_that_was_made_before_is_told_with_its_names_and_the_parameters_that_its_nodes_saved() -> None:
    trace = recordings.load(HERE / "before.gvtrace").trace  # by `record_samples`
    assert "max=9, min=-9" in trace.nodes.params
    told = [explain(trace.frame(at + 1)).sentence for at in range(len(trace))]
    assert "The backward pass starts at loss with the implicit gradient 1." in told
    assert any("softmax() = e^(x.pow(3))" in each and "= [0.0009111, 0.9991]" in each for each in told), "saved"
    assert not any("will fail" in each for each in told)
    for words in (
        "∂loss/∂shared = grad = [1, 1]; through this use of y: grad · 3 = [1, 1] × 3 = [3, 3].",
        "(grad where y.sub() > 0, else grad · 0.5) = ([1, 1] where [-1.999, -1.001] > 0, else [1, 1] × 0.5) = "
        "[0.5, 0.5].",
        "∂loss/∂(x.pow(3)) = y · (grad − Σ(grad · y)) = [0, 0].",
        "∂loss/∂x = grad · 3 · x² = [0, 0] × 3 × [1, 2]² = [0, 0].",
    ):
        assert any(each.endswith(words) for each in told), words


def test_a_loss_that_was_made_before_has_its_graph_though_its_node_tells_less_than_the_operation_makes() -> None:
    trace = recordings.load(HERE / "classified.gvtrace").trace  # by `record_samples`
    ran = [str(trace.nodes.name[trace.steps.node[at]]) for at in np.flatnonzero(trace.steps.kind == Kind.BACKWARD)]
    expected = ["NllLossBackward0", "LogSoftmaxBackward0", "NativeLayerNormBackward0", "AddmmBackward0", "TBackward0"]
    assert ran == expected
    (root,) = trace.roots_of(0)
    assert trace.nodes.name[trace.tensors.producer[root]] == "NllLossBackward0"


def said_of(trace: Trace) -> dict[tuple[int, str], tuple[str, str]]:
    """By line and operation of the forward pass: its parameters, and what is said of it, but for what it keeps."""
    found = {}
    for step in np.flatnonzero(trace.steps.kind == Kind.FORWARD).tolist():
        node = int(trace.steps.node[step])
        said = explain(trace.frame(step + 1)).sentence.partition(" is made for the backward pass")[0]
        found[int(trace.steps.line[step]), str(trace.nodes.op[node])] = str(trace.nodes.params[node]), said
    return found


def test_modules_that_a_list_or_an_object_holds_have_the_names_that_they_have_there() -> None:
    trace = recordings.load(HERE / "held.gvtrace").trace
    frame = trace.frame(len(trace))
    leaves = {frame.name(each) for each in range(len(trace.tensors)) if trace.tensors.is_parameter[each]}
    owners = ("nets[0]", "nets[1]", "self.actor", "self.critic")
    assert leaves == {f"{owner}.fc.{name}" for owner in owners for name in ("weight", "bias")}


def test_operations_of_pytorch_have_the_parameters_that_ours_have_and_are_explained_by_them() -> None:
    """What a call left to its default counts, too: the mean of a loss, the dimension of `cat`."""
    theirs = said_of(recordings.load(HERE / "parameters.gvtrace").trace)  # by `record_samples`
    ours = said_of(run((HERE / "jobs" / "parameters.py").read_text(encoding="utf-8")))
    assert ours.keys() - theirs.keys() == set()
    for at, (parameters, said) in ours.items():
        switched_off = [each for each in parameters.split(", ") if each.endswith("=False")]
        known = theirs[at][0].split(", ")
        missing = {each for each in parameters.split(", ") if each not in switched_off and each not in known}
        assert missing - ALIKE == set(), at
        assert theirs[at][1] == said


def test_results_that_nobody_sees_are_not_taken_for_those_of_later_operations() -> None:
    """Of a group norm, its means and 1 / σ, which no variable can hold."""
    trace = recordings.load(HERE / "parameters.gvtrace").trace
    told = [explain(trace.frame(at + 1)).sentence for at in range(len(trace))]
    assert [each.rsplit(" keeps ")[-1] for each in told if "NativeGroupNormBackward0 is made" in each] == [
        "square, the means and 1 / √(variance + ε)."
    ]


def test_a_job_is_told_as_a_snippet_with_the_same_text_is() -> None:
    """With results that retain their gradient, modules in modules, a custom function, a `.grad` that is used, hooks of
    modules, nodes and leaves, a dropout, writes through views, and an edge of the graph as a root; what the custom
    function itself computes is observed, too."""
    told = []
    text = (HERE / "jobs" / "retained_and_nested.py").read_text(encoding="utf-8")
    for trace in (recordings.load(HERE / "retained_and_nested.gvtrace").trace, run(text)):
        told.append([explain(trace.frame(at + 1)).sentence for at in range(len(trace))])
    assert [each for each in told[0] if each in told[1]] == told[1]


def test_what_pytorch_overwrites_inside_of_one_call_is_told_as_new() -> None:
    """The cells of a GRU and an LSTM, which overwrite their own results; what is overwritten has been copied first."""
    text = (HERE / "jobs" / "cells.py").read_text(encoding="utf-8")
    told = []
    for trace in (recordings.load(HERE / "cells.gvtrace").trace, run(text)):
        assert not (trace.steps.kind == Kind.INPLACE).any()
        said = [explain(trace.frame(at + 1)).sentence.replace("a copy of ", "") for at in range(len(trace))]
        told.append([re.sub(r"-?\d+(\.\d+)?(e-\d+)?", "0", each) for each in said])  # the last digits differ
    assert told[0] == told[1] and len(told[0]) > 300


def test_within_an_update_a_closure_sees_what_has_been_updated_so_far() -> None:
    text = (HERE / "jobs" / "lbfgs.py").read_text(encoding="utf-8")
    line = 1 + next(at for at, each in enumerate(text.splitlines()) if each.lstrip().startswith("loss ="))
    theirs, ours = said_of(recordings.load(HERE / "lbfgs.gvtrace").trace), said_of(run(text))
    for at in [each for each in ours if each[0] == line]:
        assert theirs[at][1] == ours[at][1]
    assert len([each for each in ours if each[0] == line]) >= 4


def test_after_iterations_that_were_not_recorded_everything_is_true_again() -> None:
    """An update is computed from what is shown before it, with Adam's averages and counts."""
    trace = recordings.load(HERE / "mlp_adam.gvtrace").trace
    (gap,) = np.flatnonzero(trace.steps.kind == Kind.GAP).tolist()
    told = explain(trace.frame(gap + 1)).sentence
    assert told.startswith("2 iterations, update 2 to update 3, ran without being recorded. What changed meanwhile: ")
    again = run((HERE / "jobs" / "mlp_adam.py").read_text(encoding="utf-8"))
    said = []
    for each in (trace, again):
        update = np.flatnonzero(each.steps.kind == Kind.OPTIMIZER).tolist()[-1]
        sentence = explain(each.frame(update + 1)).sentence
        said.append([sentence.partition(" = ")[0], *map(float, re.findall(r"-?\d+\.\d+", sentence))])
    assert said[0][0] == said[1][0] and said[0][1:] == pytest.approx(said[1][1:], rel=2e-3) and len(said[0]) > 10
