"""The monkey plays with the window for a while, and nothing breaks: no exception, no message from Qt, nothing left
running (the guard of guard.py sees to the last two). The long play is `python -m benchmarks.monkey`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.ui.window import MainWindow
from tests.monkey import Monkey, let_things_end


@pytest.mark.parametrize(("seed", "draws", "events"), [(1, False, 250), (2, True, 200)])
def test_whatever_a_monkey_does_nothing_breaks(
    window: MainWindow, tmp_path: Path, seed: int, draws: bool, events: int
) -> None:
    monkey = Monkey(window, seed, tmp_path, draws=draws)
    monkey.play(events)
    let_things_end(window)
    assert not monkey.broken, "\n\n".join(monkey.broken)
    assert monkey.done == events
    assert window.isVisible()
