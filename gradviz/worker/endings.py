"""In words: how a worker's process ended when nobody ended it on purpose."""

from __future__ import annotations

import os
import signal

_WINDOWS = {  # the statuses with which Windows ends a process, as far as they can happen to a worker
    0xC0000005: "it accessed memory that is not its own",
    0xC0000017: "Windows had no memory left",
    0xC000001D: "the processor does not know an instruction",
    0xC0000044: "it used up its processor time",
    0xC00000FD: "its stack overflowed",
    0xC0000135: "a library is missing",
    0xC0000142: "a library could not start",
    0xC000013A: "it was interrupted",
    0xC0000374: "its memory was damaged",
    0xC0000409: "it ended itself after a fatal error",
}


def how_it_ended(code: int | None, on_windows: bool = os.name == "nt") -> str:
    """What the exit status says, "" if nothing."""
    if not code:
        return ""
    if on_windows:
        return _WINDOWS.get(code & 0xFFFFFFFF, f"exit status {code & 0xFFFFFFFF:#x}" if code >> 16 else _status(code))
    if code > 0:
        return _status(code)
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _status(code: int) -> str:
    return f"exit status {code}"
