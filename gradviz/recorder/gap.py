"""Iterations of a job that are not recorded. When recording goes on, whatever has changed is written as the effect of
one step, so that all values and gradients are true again, as `trace.record.gaps` does for a snippet."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from gradviz.recorder.backward import Backward
from gradviz.recorder.rows import Rows
from gradviz.recorder.values import memory_of, version_of
from gradviz.trace.record.gaps import AVERAGES, SQUARES
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.values import MATRIX


class Gap:
    """The latest gap, and what was known before it."""

    def __init__(self, rows: Rows, backward: Backward) -> None:
        self._rows, self._backward = rows, backward
        self._first = -1  # the update with which it began, -1 outside
        self._before: list[tuple[int, weakref.ref[Any], tuple[int, int], bool]] = []
        self._optimizers: dict[int, weakref.ref[Any]] = {}  # by identity

    def updates(self, optimizer: Any) -> None:
        """An optimizer makes an update that is recorded."""
        self._optimizers.setdefault(id(optimizer), weakref.ref(optimizer))

    def begin(self, first: int) -> None:
        """From this update on nothing is recorded."""
        self._first = first
        for number, reference in self._rows.entered.values():
            if (x := reference()) is not None:
                self._before.append((number, reference, self._state(x), _has_grad(x)))

    def end(self, after: int, *, is_over: bool = False) -> None:
        """Recording goes on with this update, or the job is over."""
        first, before, rows = self._first, self._before, self._rows
        self._first, self._before = -1, []
        if first < 0 or (is_over and after == first):
            return
        row = rows.writer.count("gaps")
        step = rows.step(Kind.GAP, -1, -1, row, rows.sites.here(2))
        rows.add("gaps", step, first, rows.text(f"update {first + 1:,}"))
        if is_over:
            return
        rows.value.forget()
        for number, reference, state, had_grad in sorted(before, key=lambda each: each[0]):
            if (x := reference()) is not None:
                self._write(step, number, x, state, had_grad)
        for each in self._optimizers.values():
            self._remember(step, each())
        rows.add("resumptions", step, row, after, rows.text(f"update {after:,}"), after - first)

    def _write(self, step: int, number: int, x: Any, state: tuple[int, int], had_grad: bool) -> None:
        rows, memory = self._rows, memory_of(x)
        if memory >= 0 and x.numel() and not x.untyped_storage().nbytes():
            rows.memory.refilled.add(memory)  # FSDP gave it back
            return
        if self._state(x) != state:
            rows.wrote(step, x)
        if had_grad or _has_grad(x):
            self._backward.holds(step, number, x.grad)
            if x.grad is not None:
                self._backward.keep_grad(x, number)

    def _remember(self, step: int, optimizer: Any) -> None:
        rows = self._rows
        for x, state in optimizer.state.items() if optimizer is not None else ():
            if isinstance(x, torch.Tensor) and (number := rows.known(x)) >= 0:
                averages = remembered(rows, state)
                rows.add("remembered", step, number, rows.text(type(optimizer).__name__), *averages)

    @staticmethod
    def _state(x: Any) -> tuple[int, int]:
        return memory_of(x), version_of(x)


def _has_grad(x: Any) -> bool:
    try:
        return bool(x.is_leaf and x.requires_grad and x.grad is not None)
    except RuntimeError:  # a view without a graph whose base was written to
        return False


def remembered(rows: Rows, state: Any) -> tuple[int, int, int]:
    """What an optimizer remembers of a parameter: how many updates there were, and its averages."""
    averages = []
    for names in (AVERAGES, SQUARES):
        found = next((state[name] for name in names if name in state), None)
        small = isinstance(found, torch.Tensor) and found.numel() <= MATRIX
        averages.append(rows.value(found) if small else -1)
    return int(state.get("step", 0)), averages[0], averages[1]
