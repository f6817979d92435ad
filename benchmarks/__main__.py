"""`make bench`: prints a table of medians over interleaved rounds, in CPU time on one thread, with ratios to the NumPy
floor and to real PyTorch where an interpreter with it is at hand (--torch-python, GRADVIZ_TORCH_PYTHON, or the running
one); then how time and memory grow with the graph, and the aims of `aims.py`. Every contender must first find the
floor's losses and gradients."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.aims import aim_rows
from benchmarks.contender import CONTENDERS
from benchmarks.growth import growth_rows
from benchmarks.problems import PROBLEMS
from benchmarks.scrubbing import scrubbing_rows

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")}
ENVIRONMENT = {**os.environ, **ONE_THREAD, "DEV": "CPU"}
SLOW, FEW = 0.5, 3  # a round that takes longer, in seconds, is measured only so many times
TOLERANCE = 1e-3  # of a result's size
BEYOND = 1.1  # what recording may cost beyond the budget for values, as a multiple of what it costs within it


class Contender:
    """The near end of a process that runs benchmarks/contender.py."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        self.times: dict[str, list[float]] = {key: [] for key in PROBLEMS}
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.contender", name],
            cwd=ROOT,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        first = self._answer()
        self.absent: str = first.get("absent", "")
        self.version: str = first.get("version", "")
        self.missing: dict[str, str] = first.get("missing", {})

    def check(self, workload: str) -> list[list[float]]:
        """Run a first round; its loss and gradients, each as (size, product with a wave)."""
        found: list[list[float]] = self._ask("check", workload)
        return found

    def measure(self, workload: str) -> None:
        """One more round, unless it is slow and was measured often enough."""
        times = self.times[workload]
        if workload not in self.missing and not (len(times) >= FEW and times[0] > SLOW):
            times.append(self._ask("time", workload))

    def median(self, workload: str) -> float | None:
        times = self.times[workload]
        return statistics.median(times) if times else None

    def close(self) -> None:
        self._process.communicate()

    def _ask(self, order: str, workload: str) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order} {workload}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The contender {self.name} ended without an answer; its message is above.")
        return json.loads(line)


def check(contenders: list[Contender], floor: Contender) -> None:
    """Refuse to compare what does not compute the same."""
    for workload in PROBLEMS:
        expected = floor.check(workload)
        for each in contenders:
            if each is floor or workload in each.missing:
                continue
            pairs = zip(each.check(workload), expected, strict=True)
            if any(abs(found[i] - right[i]) > TOLERANCE * (1e-3 + right[0]) for found, right in pairs for i in (0, 1)):
                raise SystemExit(f"{each.name} finds another loss or gradient than NumPy in {workload}.")


def print_table(contenders: list[Contender], floor: Contender) -> None:
    """Milliseconds, and the same as multiples of PyTorch's and of the floor's."""
    known = {each.name: each for each in contenders}
    _print_part("ms of CPU, median", contenders, lambda each, workload: (each.median(workload) or 0) * 1e3)
    for against in (known.get("pytorch"), floor):
        if against is not None:
            _print_part(
                f"times {against.name}",
                contenders,
                lambda each, workload, by=against: (each.median(workload) or 0) / by.median(workload),
            )
    if "sending" in known and "beyond" in known:
        print(f"beyond the value budget / sending, aim {BEYOND}")
        for workload in PROBLEMS:
            pairs = zip(known["beyond"].times[workload], known["sending"].times[workload], strict=True)
            ratio = statistics.median(beyond / within for beyond, within in pairs)
            print(f"{workload:18}{ratio:11.2f}  {'reached' if ratio <= BEYOND else 'MISSED'}")
        print()
    for each in contenders:
        for reason in dict.fromkeys(each.missing.values()):
            print(f"  — {', '.join(w for w, why in each.missing.items() if why == reason)}: {reason}")
        print(f"{each.name}: {each.version}")


def _print_part(title: str, contenders: list[Contender], number: Any) -> None:
    print(f"{title:18}" + "".join(f"{each.name:>11}" for each in contenders))
    for workload in PROBLEMS:
        cells = [f"{number(each, workload):11.2f}" if each.times[workload] else f"{'—':>11}" for each in contenders]
        print(f"{workload:18}" + "".join(cells))
    print()


def present(pythons: dict[str, str]) -> list[Contender]:
    """The contenders that are here; of each other one, a sentence."""
    found = []
    for name, python in pythons.items():
        contender = Contender(name, python)
        if contender.absent:
            print(f"{name} is left out: {contender.absent}")
            contender.close()
        else:
            found.append(contender)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--torch-python", default=os.environ.get("GRADVIZ_TORCH_PYTHON"), help="a Python with torch")
    parser.add_argument("--only", default="", help="contenders, with commas between; numpy is always there")
    parser.add_argument("--no-growth", action="store_true", help="without the graphs of up to a million operations")
    options = parser.parse_args()
    names = [name for name in CONTENDERS if name == "numpy" or not options.only or name in options.only.split(",")]
    pythons = dict.fromkeys(names, sys.executable)
    if options.torch_python and "pytorch" in pythons:
        pythons["pytorch"] = options.torch_python
    elif not importlib.util.find_spec("torch"):
        print("Real PyTorch was not found: make bench TORCH_PYTHON=/path/to/python adds it and the ratios.")
        pythons.pop("pytorch", None)
    contenders = present(pythons)
    floor = contenders[-1]
    check(contenders, floor)
    for _ in range(options.rounds):
        for workload in PROBLEMS:
            for contender in contenders:
                contender.measure(workload)
    for contender in contenders:
        contender.close()
    print_table(contenders, floor)
    if not options.no_growth:
        print("a chain of         operations     time of one    memory of one   time grows")
        for line in growth_rows({n: p for n, p in pythons.items() if n in CONTENDERS[:3]}, ENVIRONMENT):
            print(line, flush=True)
        for name, milliseconds in scrubbing_rows():
            print(f"{name:56} {milliseconds:10.3f} ms")
        for row in aim_rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
