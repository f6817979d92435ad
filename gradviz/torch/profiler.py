"""`torch.profiler` and `torch.autograd.profiler`: contexts that count steps but measure nothing, because run times
under recording are meaningless; a requested table says so in a sentence."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

NOT_MEASURED = "GradViz does not measure run times: the recording of each step takes longer than the step."


class ProfilerActivity(enum.Enum):
    """What PyTorch can measure."""

    CPU, CUDA, XPU, MTIA, HPU, PrivateUse1 = range(6)


class ProfilerAction(enum.Enum):
    """What a schedule says about a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def supported_activities() -> set[ProfilerActivity]:
    """Return the CPU."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, **options: object
) -> Callable[[int], ProfilerAction]:
    """Which steps would be recorded."""
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if repeat > 0 and step >= repeat * length:
            return ProfilerAction.NONE
        at = step % length
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name: str, *args: object, **options: object) -> Callable[[object], None]:
    """Accepted: there is nothing to write."""
    return lambda profiler: None


class Events:
    """The result of a profile: no events, and a table that says why."""

    def table(self, *args: object, **options: object) -> str:
        """Return the sentence."""
        return NOT_MEASURED

    def key_averages(self, *args: object, **options: object) -> Events:
        """Return the object itself."""
        return self

    def total_average(self) -> Events:
        """Return the object itself."""
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return NOT_MEASURED

    self_cpu_time_total = 0.0
    cpu_time_total = 0.0


class profile(contextlib.ContextDecorator):
    """A context that measures nothing."""

    def __init__(self, *args: object, **options: Any) -> None:
        self._ready, self._schedule = options.get("on_trace_ready"), options.get("schedule")
        self.step_num = 0

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Hand on what was recorded last."""
        self._hand_on((ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE), self._action())

    def step(self) -> None:
        """Count a step, and hand on what the schedule has recorded before it."""
        before = self._action()
        self.step_num += 1
        self._hand_on((ProfilerAction.RECORD_AND_SAVE,), before)

    def _action(self) -> Any:
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self.step_num)

    def _hand_on(self, actions: tuple[ProfilerAction, ...], action: Any) -> None:
        if action in actions and callable(self._ready):
            self._ready(self)

    def events(self) -> Events:
        """Return no events."""
        return Events()

    @property
    def function_events(self) -> Events:
        """Return no events."""
        return Events()

    def key_averages(self, *args: object, **options: object) -> Events:
        """Return no events."""
        return Events()

    def total_average(self) -> Events:
        """Return no events."""
        return Events()

    def table(self, *args: object, **options: object) -> str:
        """Return the sentence."""
        return NOT_MEASURED

    def export_chrome_trace(self, path: str) -> None:
        """Write nothing."""

    def export_stacks(self, path: str, metric: str = "") -> None:
        """Write nothing."""

    self_cpu_time_total = 0.0


class record_function(contextlib.ContextDecorator):
    """A name for a part of a program; nothing is measured."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


class emit_nvtx(contextlib.nullcontext[None]):
    """Accepted: there is no GPU to mark."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        super().__init__()
