"""Anomaly mode: `set_detect_anomaly` and `detect_anomaly`. The checks are in `validate.py`."""

from __future__ import annotations

import warnings

from gradviz.engine.state import state


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
