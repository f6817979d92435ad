"""The recorder of real PyTorch where there is none: nothing of it is imported by itself, and what it needs is said.
What it records is checked with PyTorch by `check_jobs`, and compared with our engine in `test_oracle`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz
from gradviz import notebook
from gradviz.recorder import script
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import Summary
from gradviz.trace.words.explain import explain
from gradviz.trace.words.jsonable import trace_json

ROOT = Path(__file__).parents[2]
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


def test_the_command_says_what_it_takes() -> None:
    done = python("-m", "gradviz.record", "--help")
    assert done.returncode == 0 and "Run a PyTorch script as it is" in done.stdout


def test_iterations_are_chosen_in_the_words_of_a_run() -> None:
    chosen = script._parser().parse_args(["--steps", "first:2,every:10,last:1,14-15", "train.py"]).steps
    assert [each for each in range(20) if chosen.takes(each, 18 - each)] == [0, 1, 10, 14, 15, 18]
    with pytest.raises(argparse.ArgumentTypeError, match="'1-' names no iterations"):
        script._choice("0,1-")


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
