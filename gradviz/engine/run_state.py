"""What modules keep while a program runs: modes, defaults, hooks of all modules, the random numbers.

A module that keeps something registers, where it makes it, how to make it new; `begin` does that before each run. So a
run finds everything as in a new process, and nobody has a list of what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[[], object])

_renewals: list[Callable[[], object]] = []


def on_new_run(renew: F) -> F:
    """Call this before each run; a decorator."""
    _renewals.append(renew)
    return renew


def begin() -> None:
    """Make everything as in a new process."""
    for renew in _renewals:
        renew()
