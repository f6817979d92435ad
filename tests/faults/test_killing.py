"""The real program, killed a few times and started on what is left: see `killing`, which does it a hundred times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="processes are looked at as Linux shows them"
)


def test_nothing_is_lost_and_nothing_stays() -> None:
    command = [sys.executable, "-m", "tests.faults.killing", "3", "4"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 wrong" in done.stdout and "'starts'" in done.stdout
