"""`make mutants`: is every guard missed when it is gone? The rows of `guards` are tried one after the other: in a copy
of the sources in a temporary folder the guard is taken away, and the tests that concern it run there. One of them must
fail; else the guard has survived, and nothing would tell us if it was lost.

A row says nothing ("invalid") where the test that failed fails anyway, or where the program without the guard does not
even run a small snippet: then it failed for another reason.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.mutants.guards import GUARDS
from tests.mutants.rows import Guard

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", ".*_cache", ".hypothesis", ".benchmarks", "*.egg-info"
)
SECONDS = 180.0  # for the tests of one row: one that takes longer hangs, which is a way to fail
KILLED, SURVIVED, INVALID = "killed", "SURVIVED", "INVALID"
STILL_RUNS = "tests/worker/test_minimal_programs.py::test_a_small_snippet_runs"
FAILED = re.compile(r"^(?:[.sx]*FAILED (?P<test>.*)|ERROR (?P<place>.*?)(?: - .*)?)$", re.MULTILINE)


def execute(copy: Path, arguments: Sequence[str], seconds: float) -> tuple[int | None, str]:
    """Run Python in a copy; the exit status, None if it took too long, and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=copy,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            printed, _ = started.communicate(timeout=seconds)
            return started.returncode, printed
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return None, started.communicate()[0]


def end_what_is_left(copy: Path) -> None:
    """Without the guard that ends them, processes of the tests may go on for ever."""
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(copy).encode() in (each / "cmdline").read_bytes():
                os.kill(int(each.name), signal.SIGKILL)


def run_tests(copy: Path, tests: Sequence[str], seconds: float, *options: str) -> tuple[int | None, list[str]]:
    """The exit status of pytest, and what failed."""
    quiet = ("-q", "-rE", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist")
    status, printed = execute(copy, ["-m", "pytest", *quiet, *options, *tests], seconds)
    return status, [each["test"] or each["place"] for each in FAILED.finditer(printed)]


def copied(folder: Path) -> Path:
    """The sources once more, and what is imported there is theirs."""
    copy = Path(shutil.copytree(ROOT, folder, ignore=LEFT_OUT)).resolve()
    _, where = execute(copy, ["-c", "import gradviz; print(gradviz.__file__)"], SECONDS)
    assert Path(where.strip()).is_relative_to(copy), where
    return copy


def tried(guard: Guard, copy: Path) -> tuple[str, str]:
    """The verdict on one row, and by what."""
    place = copy / guard.file
    text = place.read_text(encoding="utf-8")
    if text.count(guard.old) != 1:
        return INVALID, "the edit does not fit the file"
    place.write_text(text.replace(guard.old, guard.new), encoding="utf-8")
    try:
        status, failed = run_tests(copy, (STILL_RUNS, *guard.tests), SECONDS, "-x")
    finally:
        place.write_text(text, encoding="utf-8")
        end_what_is_left(copy)
    if failed and failed[0] == STILL_RUNS:
        return INVALID, "without it the program runs nothing"
    if status == 0:
        return SURVIVED, ", ".join(guard.tests)
    if status is None:
        return KILLED, f"took longer than {SECONDS:g} s"
    fails = status == 1 or status < 0  # some break the memory of their own process, which ends when it is looked at
    return (KILLED, failed[0]) if fails and failed else (INVALID, f"pytest ended with {status}: {failed}")


def failing(tests: Sequence[str], copy: Path) -> list[str]:
    """What fails of these tests with all guards in place."""
    status, failed = run_tests(copy, tests, SECONDS + SECONDS * len(tests) / 10)
    if status not in (0, 1):
        raise SystemExit(f"pytest ended with {status}: {failed}")
    return failed


def all_tried(guards: Sequence[Guard], jobs: int) -> Counter[str]:
    """Try them, print each verdict as it comes, and count them."""
    with tempfile.TemporaryDirectory(prefix="gradviz-mutants-") as folder:
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(jobs):
            copies.put(copied(Path(folder, str(number))))

        def verdict(guard: Guard) -> tuple[str, str, float]:
            copy, begun = copies.get(), time.monotonic()
            try:
                return *tried(guard, copy), time.monotonic() - begun
            finally:
                copies.put(copy)

        counted: Counter[str] = Counter()
        killers: dict[str, list[Guard]] = {}
        with ThreadPoolExecutor(jobs) as pool:
            for guard, (word, by, seconds) in zip(guards, pool.map(verdict, guards), strict=True):
                counted[word] += 1
                if word == KILLED and "::" in by:
                    killers.setdefault(by, []).append(guard)
                told(word, guard, by, seconds)
        for test in failing(list(killers), copies.get()) if killers else ():
            for guard in killers[test]:
                counted[KILLED] -= 1
                counted[INVALID] += 1
                told(INVALID, guard, f"fails anyway: {test}", 0.0)
        return counted


def told(word: str, guard: Guard, by: str, seconds: float) -> None:
    """Print a verdict."""
    sys.stdout.write(f"{word:8}  {seconds:4.0f} s  {guard.name}\n{'':18}{by}\n")
    sys.stdout.flush()


def main() -> int:
    """Try the rows that are asked for; the exit status is 0 if all were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument(
        "--only", default="", help="rows with one of these texts, with commas between them, in their name or file"
    )
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    words = given.only.split(",")
    guards = [each for each in GUARDS if any(word in f"{each.file} {each.name}" for word in words)]
    if not guards:
        raise SystemExit(f"no row has one of {words} in its name or file")
    counted = all_tried(guards, given.jobs)
    sys.stdout.write(", ".join(f"{counted[word]} {word}" for word in (KILLED, SURVIVED, INVALID)) + "\n")
    return 0 if counted[KILLED] == len(guards) else 1


if __name__ == "__main__":
    sys.exit(main())
