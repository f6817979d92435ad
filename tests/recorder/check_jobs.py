"""Real PyTorch jobs with and without the recorder: each prints the same numbers, bit for bit, or the same error, and
its recording has steps and knows parameters and gradients as they are in the end; those in `jobs/ranks` run in two
processes, which have a recording each. Run it with a Python that has PyTorch and ml_dtypes:
`python -m tests.recorder.check_jobs NAME`. The jobs are the files in `jobs/`, all if none is named; what it says is
then in `jobs.txt`. Each runs in a fork, so that PyTorch is imported once. With `--faults N`, the recorder fails N times
in each, now here and now there, and the job is the same for all that."""

from __future__ import annotations

import argparse
import ast
import importlib
import itertools
import os
import random
import runpy
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import gradviz

if TYPE_CHECKING:
    from gradviz.recorder.job import Wishes
    from gradviz.trace.table.recording import Recording

HERE = Path(__file__).parent
JOBS = sorted((HERE / "jobs").rglob("*.py"))
KEPT: dict[str, object] = {}
RANKS = 2  # processes of the jobs in `jobs/ranks`


def outcomes(work: Callable[[], int], folder: Path, ranks: int) -> list[tuple[int, str]]:
    """Of each rank, status and all that was printed, with the last line of an error."""
    sys.stdout.flush()
    os.environ["MASTER_PORT"] = str(_free_port())
    children = [_begun(work, folder / f"told{rank}.txt", rank, ranks) for rank in range(ranks)]
    found = []
    for rank, child in enumerate(children):
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        lines = (folder / f"told{rank}.txt").read_text().splitlines()
        left_out = ("Traceback", "  ", "/", "W1", "gradviz: ")  # where an error or a warning came from is another file
        found.append((status, "\n".join(line for line in lines if not line.startswith(left_out))))
    return found


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _begun(work: Callable[[], int], told: Path, rank: int, ranks: int) -> int:
    child = os.fork()
    if not child:
        if ranks > 1:
            os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks))
        with open(told, "w") as file:
            os.dup2(file.fileno(), 1)
            sys.stdout = sys.stderr = os.fdopen(1, "w", closefd=False)
            status = 99
            try:
                status = work()
            except SystemExit as error:
                status = int(error.code or 0)
            except BaseException as error:  # noqa: BLE001  what a script raises is what is compared
                status = 1
                traceback.print_exception(error)
            sys.stdout.flush()
        os._exit(status)
    return child


def bare(job: Path) -> int:
    """The job as it is. What it leaves stays, as in a recorded job: where a DDP module goes after its process group
    has gone, PyTorch now and then waits for one of its own threads for ever."""
    KEPT.update(runpy.run_path(str(job), run_name="__main__"))
    return 0


def keep_parameters(path: Path) -> None:
    """Save what the script that has run calls its parameters, and their gradients, as they are now."""
    import torch

    found = {}
    owners = {name: each for name, each in vars(sys.modules["__main__"]).items() if isinstance(each, torch.nn.Module)}
    for owner, module in owners.items():
        for name, x in module.named_parameters():
            for end, each in (("", x), (".grad", x.grad)):
                if type(each) in (torch.Tensor, torch.nn.Parameter) and each.dtype is torch.float32:
                    found[f"{owner}.{name}{end}"] = np.empty(0) if each.is_sparse else each.detach().numpy()
    np.savez(path, **found)


def stale(file: Path, state: Path) -> list[str]:
    """The parameters and gradients that a recording knows otherwise than they were in the end."""
    recording = gradviz.open_recording(file)
    found = []
    with np.load(state) as real:
        for name in real.files:
            try:
                if real[name].size and not np.array_equal(recording.tensor(name), real[name], equal_nan=True):
                    found.append(name)
            except (KeyError, ValueError):  # another name, not recorded, or too large
                continue
    return found


def check(job: Path, folder: Path) -> str:
    """What became of a job."""
    from gradviz.document.snippet import ranks_of
    from gradviz.recorder.job import Job, Wishes
    from gradviz.recorder.script import _out, run
    from gradviz.trace.table.recording import load

    ranks = RANKS if job.parent.name == "ranks" else 1
    expected = outcomes(lambda: bare(job), folder, ranks)
    steps, out, text = [], folder / f"{job.stem}.gvtrace", job.read_text()
    state = folder / "state.npz"
    for wishes in (Wishes(), Wishes(values="summary"), Wishes(values="none"), Wishes(steps={1})):

        def work() -> int:
            made = Job(_out(out, job), text, str(job), wishes)  # noqa: B023  called at once
            status = run(job, text, ast.parse(text), made, [])
            keep_parameters(state)
            return status

        found = outcomes(work, folder, ranks)
        if found != expected:
            return f"{job.stem}: differs with {wishes}: {found} instead of {expected}"
        if ranks == 1 and wishes == Wishes() and (other := stale(out, state)):
            return f"{job.stem}: differs: the recording has other values of {', '.join(other)}"
        files = ranks_of(out.with_suffix("")) or [out]
        recordings = [load(file) for file in files]
        if told := _missed(wishes, recordings):
            return f"{job.stem}: differs with {wishes}: {told}"
        steps.append("+".join(str(len(each.trace)) for each in recordings))
    return f"{job.stem}: the same in 4 ways; status {expected[0][0]}; steps {', '.join(steps)}"


def _missed(wishes: Wishes, recordings: list[Recording]) -> str:
    """What is wrong with recordings whose job was the same: the recorder failed, or recorded nothing."""
    for each in recordings:
        if each.ending is None or each.ending.status == "stopped":
            return each.ending.sentence if each.ending else "the recording has no end"
        if wishes.steps is None and len(each.trace) < 2:  # one may be the error with which it ends
            return "nothing was recorded"
    return ""


def check_faults(job: Path, folder: Path, times: int) -> str:
    """What becomes of a job in which the recorder fails so many times, at random places."""
    from gradviz.document.snippet import ranks_of
    from gradviz.recorder.job import Job, Wishes
    from gradviz.recorder.script import _out, run
    from gradviz.trace.table.recording import load

    ranks = RANKS if job.parent.name == "ranks" else 1
    expected = outcomes(lambda: bare(job), folder, ranks)
    out, text, ended = folder / f"{job.stem}.gvtrace", job.read_text(), 0
    for seed in range(times):

        def work() -> int:
            where = plant(random.Random(f"{job.stem} {seed}"))  # noqa: B023  called at once
            (folder / "where.txt").write_text(where)
            made = Job(_out(out, job), text, str(job), Wishes(values=("full", "summary")[seed % 2]))  # noqa: B023
            return run(job, text, ast.parse(text), made, [])

        found = outcomes(work, folder, ranks)
        where = (folder / "where.txt").read_text()
        if found != expected:
            return f"{job.stem}: differs with a fault in {where}: {found} instead of {expected}"
        for rank, file in enumerate(ranks_of(out.with_suffix("")) or [out]):
            ending = load(file).ending  # None where the end is what could not be written
            told = (
                (folder / f"told{rank}.txt").read_text().count(f"gradviz: The recorder failed (RuntimeError: {PLANTED}")
            )
            is_planted = ending is None or (ending.status == "stopped" and PLANTED in ending.sentence)
            if told != int(is_planted):
                return f"{job.stem}: differs with a fault in {where}: {ending} was told {told} times"
            ended += is_planted
    return f"{job.stem}: the same in {times} ways; {ended} recordings ended early"


PLANTED = "a planted fault"
CALLED = (  # by everything that the recorder does
    "gradviz.trace.table.encoding.Writer.value",
    "gradviz.trace.table.recording.RecordingWriter.batch",
    "gradviz.trace.table.recording.RecordingWriter.end",
    "gradviz.recorder.rows.Rows.known",
    "gradviz.recorder.rows.Rows.attach",
    "gradviz.recorder.rows.Rows.step",
    "gradviz.recorder.rows.Rows.name",
    "gradviz.recorder.rows.Rows.wrote",
    "gradviz.recorder.sites.JobSites.here",
    "gradviz.recorder.values.Values.__call__",
    "gradviz.recorder.values.Values.forget",
    "gradviz.trace.record.location.RegionStack.enter",
    "gradviz.trace.record.location.RegionStack.exit",
    "gradviz.recorder.backward.Backward._arrive",
    "gradviz.recorder.backward.Backward._reread",
    "gradviz.recorder.backward.Backward.keep_grad",
)


def plant(rng: random.Random) -> str:
    """Let a random part of the recorder fail when it is called for the n-th time; says where."""
    module, kind, name = rng.choice(CALLED).rsplit(".", 2)
    owner, at = getattr(importlib.import_module(module), kind), int(2 ** rng.uniform(0, 8))
    original, calls = getattr(owner, name), itertools.count(1)

    def failing(*args: object, **kwargs: object) -> object:
        if next(calls) == at:
            raise RuntimeError(PLANTED)
        return original(*args, **kwargs)

    setattr(owner, name, failing)
    return f"{kind}.{name}, call {at}"


def main() -> int:
    """Check all, or those that are named; 1 if one differs. With `--faults N`, the recorder fails N times in each."""
    import torch
    import torch._dynamo  # so that no fork has to

    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", GLOO_SOCKET_IFNAME="lo")
    lines, options = [], argparse.ArgumentParser()
    options.add_argument("names", nargs="*")
    options.add_argument("--faults", type=int, default=0)
    wanted = options.parse_args()
    sys.argv[1:] = []  # which jobs would take for their own
    with tempfile.TemporaryDirectory() as name:
        for job in JOBS:
            if not wanted.names or job.stem in wanted.names:
                folder = Path(name)
                lines.append(check_faults(job, folder, wanted.faults) if wanted.faults else check(job, folder))
                sys.stdout.write(f"{lines[-1]}\n")
                sys.stdout.flush()
    if not wanted.names and not wanted.faults:
        (HERE / "jobs.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(any("differs" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
