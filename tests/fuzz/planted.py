"""A target in which an input in some is a crash, a hang or an error: what the search by `many` must find."""

from __future__ import annotations

import os
import signal


def kind(data: bytes) -> str:
    """What becomes of an input."""
    return {0: "crash", 1: "hang", 2: "error"}.get(data[0] % 16, "")


def one_input(data: bytes) -> None:
    """Do it."""
    if kind(data) == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    while kind(data) == "hang":
        pass
    assert kind(data) != "error", "planted"
