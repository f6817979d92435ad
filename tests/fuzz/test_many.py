"""Very many inputs in processes of their own: a crash, a hang and an error are found and counted, and the search goes
on behind them. The targets that need a whole window are tried here with a few inputs."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz import planted
from tests.fuzz.many import data_of

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="it looks at processes as Linux and macOS have them")


def many(folder: Path, target: str, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "tests.fuzz.many", target, "--findings", str(folder), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    return done.returncode, done.stdout or done.stderr


@posix
def test_crashes_hangs_and_errors_are_found(tmp_path: Path) -> None:
    status, said = many(tmp_path, "planted", "--count", "40", "--seed", "5", "--hang", "0.3")
    expected = Counter(planted.kind(data_of(5, number)) for number in range(40))
    assert expected["crash"] and expected["hang"] and expected["error"], "the seed has all three"
    assert status == 1
    assert said.startswith(
        f"planted: 40 inputs, {expected['crash']} crashes, {expected['hang']} hangs, 1 kinds of errors"
    )
    names = [path.name for path in tmp_path.iterdir()]
    assert sum(name.startswith("crash-9-") for name in names) == expected["crash"]
    assert sum(name.startswith("hang-") for name in names) == expected["hang"]


@posix
@pytest.mark.parametrize("target", ["shown", "openings"])
def test_a_few_hostile_traces_and_damaged_files_in_the_window(tmp_path: Path, target: str) -> None:
    status, said = many(tmp_path, target, "--count", "4", "--seed", "7")
    assert said.startswith(f"{target}: 4 inputs, 0 crashes, 0 hangs, 0 kinds of errors"), said
    assert status == 0


@posix
def test_a_few_calls_with_hostile_objects(tmp_path: Path) -> None:
    status, said = many(tmp_path, "hostile_calls", "--count", "250", "--seed", "3", "--hang", "60")
    assert said.startswith("hostile_calls: 250 inputs, 0 crashes, 0 hangs, 0 kinds of errors"), said
    assert status == 0
