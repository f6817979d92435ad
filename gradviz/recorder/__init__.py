"""Recording of real PyTorch jobs: the only package that imports the real `torch`, and it is imported only when a job is
to be recorded. `job` assembles a recorder, `script` runs an unmodified file under it (`python -m gradviz.record`),
`interface` has the functions that the package `gradviz` offers. The rows are those of `gradviz.trace`, so a recording
can be stepped through like a run of a snippet."""

from __future__ import annotations

import os


def rank_of() -> tuple[int, int]:
    """The rank of this process and the number of processes in the job, as set by `torchrun`."""
    return int(os.environ.get("RANK", 0)), max(1, int(os.environ.get("WORLD_SIZE", 1)))
