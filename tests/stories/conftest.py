"""Fixtures of the stories; `tests/ui` has the same."""

from tests.window_fixtures import answers, pilot, sample, window

__all__ = ["answers", "pilot", "sample", "window"]
