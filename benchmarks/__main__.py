"""`make bench`: prints a table of medians over interleaved rounds, in CPU time on one thread, with the ratio to real
PyTorch where an interpreter with it is at hand (--torch-python, GRADVIZ_TORCH_PYTHON, or the running one)."""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.scrubbing import scrubbing_rows
from benchmarks.workloads import SCALAR_OPERATIONS, WORKLOADS

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")}


class Contender:
    """The near end of a process that runs benchmarks/contender.py."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        self.times: dict[str, list[float]] = {key: [] for key in WORKLOADS}
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.contender", name],
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.version = self._answer()

    def measure(self, workload: str, keep: bool) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(workload + "\n")
        self._process.stdin.flush()
        seconds = float(self._answer())
        if keep:
            self.times[workload].append(seconds)

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The contender {self.name} ended without an answer; its message is above.")
        return line.strip()


def torch_python(asked: str | None) -> str | None:
    """The interpreter that has real PyTorch, if there is one."""
    if asked:
        return asked
    return sys.executable if importlib.util.find_spec("torch") else None


def print_table(contenders: list[Contender]) -> None:
    names = [contender.name for contender in contenders]
    reference = contenders[0] if names[0] == "pytorch" else None
    columns = [f"{name:>14}" for name in names]
    ratios = [f"{name + '/pytorch':>18}" for name in names[1:]] if reference else []
    print(f"{'ms of CPU, median':24}" + "".join(columns + ratios))
    for workload in WORKLOADS:
        medians = [statistics.median(contender.times[workload]) for contender in contenders]
        cells = [f"{median * 1e3:14.2f}" for median in medians]
        if reference:
            cells += [f"{median / medians[0]:18.2f}" for median in medians[1:]]
        print(f"{workload:24}" + "".join(cells))
    for contender in contenders:
        each = statistics.median(contender.times["scalars"]) / SCALAR_OPERATIONS
        print(f"{contender.name}: {each * 1e6:.2f} µs per scalar operation, build + backward ({contender.version})")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--torch-python", default=os.environ.get("GRADVIZ_TORCH_PYTHON"), help="a Python with torch")
    options = parser.parse_args()
    pythons = {"pytorch": torch_python(options.torch_python)}
    pythons |= dict.fromkeys(("engine", "recording", "sending"), sys.executable)
    contenders = [Contender(name, python) for name, python in pythons.items() if python]
    for number in range(options.rounds + 1):  # the first round warms up
        for workload in WORKLOADS:
            for contender in contenders:
                contender.measure(workload, keep=number > 0)
    for contender in contenders:
        contender.close()
    print_table(contenders)
    if contenders[0].name != "pytorch":
        print("Real PyTorch was not found: make bench TORCH_PYTHON=/path/to/python adds it and the ratio.")
    for name, milliseconds in scrubbing_rows():
        print(f"{name:56} {milliseconds:10.3f} ms")


if __name__ == "__main__":
    main()
