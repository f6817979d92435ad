"""Record what real PyTorch does in the backward passes of our own programs: run it with a Python that has PyTorch
2.13.0, its matplotlib and ml_dtypes, `python -m tests.recorder.record_events`. Each program runs unmodified under the
recorder of jobs, in a fork; what it did is in `events.json.xz`, which `test_oracle` compares with our engine."""

from __future__ import annotations

import ast
import contextlib
import json
import lzma
import os
import signal
import sys
import tempfile
from pathlib import Path

from tests.recorder.events import events

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXPECTED = "2.13.0"
GOLDEN = HERE / "events.json.xz"
SECONDS = 120
UNOBSERVED = {  # PyTorch takes other ways in these, or refuses, where a mode observes it: a graph is seen when it runs
    "corpus/higher_max_min_second",
    "corpus/misc_attention_by_hand",
    "programs/extending_torch",
    "programs/nets_mini_gpt",
    "programs/torch_attention_modules",
}


def programs() -> list[Path]:
    """All that are compared: every example, and of the many other programs those in the golden file, nearly half. A
    further one is not chosen by itself: its key is to be added there."""
    chosen = json.loads(lzma.decompress(GOLDEN.read_bytes()))
    many = sorted((ROOT / "tests" / "snippets").glob("*/*.py"))
    examples = sorted((ROOT / "resources" / "examples").glob("*.py"))
    return [*examples, *(path for path in many if key(path) in chosen)]


def key(path: Path) -> str:
    """What a program is called in the golden file."""
    return f"{path.parent.name}/{path.stem}"


def record(path: Path, folder: Path) -> list[str] | None:
    """The events of one program; None where it was not recorded."""
    from gradviz.trace.table.encoding import TraceFormatError
    from gradviz.trace.table.recording import load

    out = folder / f"{path.stem}.gvtrace"
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        _run(path, out, folder)
    os.waitpid(child, 0)
    with contextlib.suppress(OSError, TraceFormatError):
        found = load(out)
        return events(found.trace) if found.ending is not None else None
    return None


def _run(path: Path, out: Path, folder: Path) -> None:
    try:
        import torch

        from gradviz.recorder.forward import Forward
        from gradviz.recorder.job import Job, Wishes
        from gradviz.recorder.script import run

        if key(path) in UNOBSERVED:
            Forward.__enter__ = lambda self: self
            Forward.__exit__ = lambda *_: None
        os.chdir(folder)
        torch.manual_seed(0)  # as our own run does
        nothing = open(os.devnull, "r+")  # noqa: SIM115  the process ends with it
        sys.stdin = sys.stdout = sys.stderr = nothing
        text = path.read_text(encoding="utf-8")
        run(path, text, ast.parse(text), Job(out, text, str(path), Wishes()), [])
    finally:
        os._exit(0)


def main() -> None:
    """Record all."""
    import matplotlib
    import torch
    import torch._dynamo  # here, and the recorder, so that no fork has to

    import gradviz.recorder.job  # noqa: F401

    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    matplotlib.use("template")
    torch.set_num_threads(1)
    found = {}
    with tempfile.TemporaryDirectory() as name:
        for path in programs():
            found[key(path)] = record(path, Path(name))
    text = json.dumps({"torch": EXPECTED, **found}, ensure_ascii=False, indent=0)
    GOLDEN.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    missing = [name for name, each in found.items() if each is None]
    sys.stdout.write(f"{len(found)} programs, not recorded: {', '.join(missing) or 'none'}\n")


if __name__ == "__main__":
    main()
