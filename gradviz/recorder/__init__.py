"""Recording of real PyTorch jobs: the only package that imports the real `torch`, and nobody imports it before a job is
to be recorded. `job` puts a recorder together, `script` runs an unmodified file under it (`python -m gradviz.record`),
`interface` is what the functions of the package `gradviz` call. The rows are those of `gradviz.trace`, so that a
recording is stepped through as a run of a snippet is."""

from __future__ import annotations

import os


def rank_of() -> tuple[int, int]:
    """Which of how many processes of the job this is, as `torchrun` says."""
    return int(os.environ.get("RANK", 0)), max(1, int(os.environ.get("WORLD_SIZE", 1)))
