"""Anomaly mode: `set_detect_anomaly` and `detect_anomaly`. The checks are in `validate.py`;
where the forward call was is found here."""

from __future__ import annotations

import sys
import traceback
import warnings
from types import FrameType

from gradviz.engine.state import state

_NO_FILE = ("<string>", "<frozen ")


class set_detect_anomaly:
    """Switch anomaly mode at once; as a context manager the former state comes back at its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = (state.anomaly, state.anomaly_nan)
        state.anomaly, state.anomaly_nan = mode, check_nan

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        state.anomaly, state.anomaly_nan = self.previous


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return state.anomaly


class detect_anomaly:
    """While this is open, an error in a backward names the forward line that made the node."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
            "for debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.previous = (state.anomaly, state.anomaly_nan)
        state.anomaly, state.anomaly_nan = True, self.check_nan

    def __exit__(self, *exc: object) -> None:
        state.anomaly, state.anomaly_nan = self.previous


def forward_stack() -> list[str]:
    """Where the snippet is, for anomaly mode's message: its own lines, not those of the program around and below it."""
    frames = [each for each in traceback.walk_stack(sys._getframe()) if not _is_own(each[0])]
    return traceback.StackSummary.extract(reversed(frames)).format()


def _is_own(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    is_of_gradviz = type(name) is str and name.split(".")[0] == "gradviz"
    return is_of_gradviz or frame.f_code.co_filename.startswith(_NO_FILE)
