"""How time and memory grow with the graph: `python -m benchmarks.growth NAME OPERATIONS` builds a chain of that many
operations on numbers, runs it backward once, and prints the seconds of CPU and the bytes at the peak, in JSON. Each
size has a process of its own, because a process never gives its peak back. `growth_rows` runs them all."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.contender import recorded, torch_of
from benchmarks.workloads import chain

SIZES = {10_000: 5, 100_000: 3, 1_000_000: 1}  # operations: how often it is measured


def growth_rows(pythons: Mapping[str, str], environment: Mapping[str, str]) -> Iterator[str]:
    """One line for each contender and size: per operation, the time and the bytes; and the growth of the time."""
    for name, python in pythons.items():
        first = 0.0
        for size, times in SIZES.items():
            command = [python, "-m", "benchmarks.growth", name, str(size)]
            root = Path(__file__).parents[1]
            runs = [json.loads(subprocess.check_output(command, cwd=root, env=environment)) for _ in range(times)]
            seconds, peak = (statistics.median(run[i] for run in runs) / size for i in (0, 1))
            first = first or seconds
            yield f"{name:12}{size:>12,}{seconds * 1e6:12.2f} µs{peak:12.0f} bytes{seconds / first:12.2f}"


def peak_memory() -> int:
    """The most bytes that this process had in memory so far."""
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(name: str, operations: int) -> None:
    one_round = chain(torch_of(name), operations)
    small = chain(torch_of(name), 100)  # what is made once is not counted
    for each in (small, one_round):
        gc.collect()
        before, start = peak_memory(), time.process_time()
        if name == "recording":
            recorded(each, send=True)
        else:
            each()
        result = time.process_time() - start, peak_memory() - before
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
