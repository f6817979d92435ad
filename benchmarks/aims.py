"""What the program must reach at the sizes that people bring: `python -m benchmarks.aims` measures every aim in a
process of its own and prints one line each; with names, only those. Times are CPU time of the window's thread where
it says so, because the machine may be shared; else they are on the wall. How each is measured is in `in_window.py`,
`exporting.py`, `starting.py` and `remembering.py`."""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Aim:
    """`function` of a module of this package is called in a new process, `rounds` times; it prints JSON: a number for
    each of its lines."""

    name: str
    module: str
    rounds: int = 1


@dataclass(frozen=True)
class Line:
    """One number: what it is, in which unit, and at most how much it should be (None: it is told, not judged)."""

    what: str
    unit: str
    value: float
    aim: float | None = None


AIMS = (
    Aim("recurrence_100", "in_window", rounds=5),
    Aim("recurrence_1000", "in_window", rounds=3),
    Aim("stepping", "in_window"),
    Aim("scrubbing", "in_window"),
    Aim("away", "in_window"),
    Aim("million", "in_window"),
    Aim("comparing", "in_window"),
    Aim("key_press", "runs"),
    Aim("training_2000", "runs", rounds=3),
    Aim("training_network", "runs", rounds=3),
    Aim("transfer", "runs", rounds=3),
    Aim("thousand", "runs"),
    Aim("slider", "drawing_live", rounds=3),
    Aim("drawing_100", "drawn"),
    Aim("drawing_500", "drawn"),
    Aim("layout_of_models", "laying_out"),
    Aim("layout_of_large_graphs", "laying_out"),
    Aim("large_pictures", "exporting"),
    Aim("start", "starting"),
    Aim("run_a_file", "starting"),
    Aim("large_values_again", "remembering"),
    Aim("per_node", "remembering"),
    Aim("opened_and_closed", "remembering"),
)


def measured(aim: Aim) -> list[Line]:
    """The lines of an aim, each the median over its rounds."""
    rounds = [_once(aim) for _ in range(aim.rounds)]
    return [
        Line(each[0].what, each[0].unit, statistics.median(line.value for line in each), each[0].aim)
        for each in zip(*rounds, strict=True)
    ]


def _once(aim: Aim) -> list[Line]:
    command = [sys.executable, "-m", "benchmarks.aims", "--here", aim.name]
    found = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True).stdout
    return [Line(**line) for line in json.loads(found.splitlines()[-1])]


def aim_rows(names: Sequence[str] = ()) -> Iterator[str]:
    """One text for each number."""
    for aim in AIMS:
        if not names or aim.name in names:
            try:
                lines = measured(aim)
            except (subprocess.CalledProcessError, ValueError, IndexError) as error:
                yield f"{aim.name:<88} could not be measured ({error})"
                continue
            yield from (_text(line) for line in lines)


def _text(line: Line) -> str:
    if line.aim is None:
        return f"{line.what:<88}{line.value:>12,.1f} {line.unit}"
    verdict = "reached" if line.value <= line.aim else "MISSED"
    return f"{line.what:<88}{line.value:>12,.1f} {line.unit:<8}{'≤':>4}{line.aim:>10,.1f}  {verdict}"


def main(arguments: list[str]) -> None:
    """Measure here, or let each be measured in a process of its own."""
    if arguments[:1] == ["--here"]:
        aim = next(aim for aim in AIMS if aim.name == arguments[1])
        lines: list[Line] = getattr(importlib.import_module(f"benchmarks.{aim.module}"), aim.name)()
        print(json.dumps([vars(line) for line in lines]))
        return
    for row in aim_rows(arguments):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
