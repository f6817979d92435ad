"""Many runs after each other leave nothing behind: `python -m benchmarks.aims thousand` measures a thousand, with the
memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.worker.process.client import WorkerPool
from tests.worker.conftest import run_in

RUNS = 60
LISTED = Path("/proc/self/fd")  # where there is no such list, threads and processes are counted


def belongings(pool: WorkerPool) -> tuple[int, int, int]:
    """Descriptors, threads and workers, when what ends has ended and the spare is ready."""
    for worker in tuple(pool._workers):
        if worker not in pool._spares:
            worker.join()
    (spare,) = pool._spares
    assert spare.wait_ready(60)
    for thread in threading.enumerate():
        if thread.name == "gradviz-run":
            thread.join()
    descriptors = len(list(LISTED.iterdir())) if LISTED.is_dir() else 0
    return descriptors, threading.active_count(), len(pool._workers)


@pytest.mark.parametrize("source", ["print(1)", "1 / 0", "import os"])
def test_runs_in_a_row_leave_no_descriptor_thread_or_process(make_pool: Callable[..., WorkerPool], source: str) -> None:
    pool = make_pool()
    run_in(pool, source)
    before = belongings(pool)
    for _ in range(RUNS // 3):
        run_in(pool, source)
    assert belongings(pool) == before
