"""Recording of real PyTorch jobs: the only package that imports the real `torch`, and it is imported only when a job is
to be recorded. `job` assembles a recorder, `script` runs an unmodified file under it (`python -m gradviz.record`),
`interface` has the functions that the package `gradviz` offers. The rows are those of `gradviz.trace`, so a recording
can be stepped through like a run of a snippet."""

from __future__ import annotations

import os


def rank_of() -> tuple[int, int]:
    """The rank of this process and the number of processes in the job, as set by `torchrun`."""
    return int(os.environ.get("RANK", 0)), max(1, int(os.environ.get("WORLD_SIZE", 1)))


def too_old(version: str) -> str:
    """What to say of a PyTorch whose nodes do not know how many results they have; "" of a newer one."""
    first, second = (int(each) for each in version.split(".")[:2])
    return "" if (first, second) >= (2, 5) else f"Recording needs PyTorch 2.5 or newer: this is {version}."
