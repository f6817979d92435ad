"""`LBFGS`: steps computed from the last gradients and moves; `step(closure)` computes the loss several times."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.engine.kernel.modes import enable_grad, no_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.optim.optimizer import Optimizer

ENOUGH, FLAT, MOST = 1e-4, 0.9, 25
_KEPT = "al d t old_dirs old_stps ro H_diag prev_flat_grad prev_loss".split()


@dataclass(frozen=True)
class Point:
    """A step length, and the loss, gradient and slope there."""

    t: Any
    loss: float
    grad: Tensor
    slope: Any


def _guess(a: Point, b: Point, bounds: tuple[object, Any] | None = None) -> Any:
    """The minimum of the cubic through two points, within bounds."""
    low, high = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = first**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    root = np.sqrt(square)
    left, right = (a, b) if a.t <= b.t else (b, a)
    share = (right.slope + root - first) / (right.slope - left.slope + 2 * root)
    return min(max(right.t - (right.t - left.t) * share, low), high)


class Search:
    """One line search; `evaluate(t)` returns the point at step length `t`."""

    def __init__(self, evaluate: Callable[[Any], Point], start: Point, largest: float, tolerance: float) -> None:
        self._evaluate = evaluate
        self._start = start
        self._largest = largest  # of the direction's elements
        self._tolerance = tolerance
        self.evaluations = 0
        self._rounds = 0

    def _at(self, t: object) -> Point:
        self.evaluations += 1
        return self._evaluate(t)

    def _fell(self, point: Point) -> bool:
        return not point.loss > self._start.loss + ENOUGH * point.t * self._start.slope

    def _is_flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -FLAT * self._start.slope)

    def run(self, t: object) -> Point:
        """The point to move to, starting from step length `t`."""
        before, now = self._start, self._at(t)
        while self._rounds < MOST:
            if not self._fell(now) or (self._rounds > 1 and now.loss >= before.loss):
                return self._shrink(before, now)
            if self._is_flat(now):
                return now
            if now.slope >= 0:
                return self._shrink(before, now)
            bounds = now.t + 0.01 * (now.t - before.t), now.t * 10
            longer = _guess(before, now, bounds)
            before, now = now, self._at(longer)
            self._rounds += 1
        return self._start if self._start.loss <= now.loss else now

    def _shrink(self, one: Point, two: Point) -> Point:
        """The lower end of the interval, once it is small or contains a flat point."""
        ends = [one, two]
        low = 0 if ends[0].loss <= ends[1].loss else 1
        stalled = False
        while self._rounds < MOST:
            if abs(ends[1].t - ends[0].t) * self._largest < self._tolerance:
                break
            t, stalled = self._inside(ends, stalled)
            now = self._at(t)
            self._rounds += 1
            if not self._fell(now) or now.loss >= ends[low].loss:
                ends[1 - low] = now
                low = 0 if ends[0].loss <= ends[1].loss else 1
                continue
            if self._is_flat(now):
                ends[low] = now
                break
            if now.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = now
        return ends[low]

    @staticmethod
    def _inside(ends: list[Point], stalled: bool) -> tuple[object, bool]:
        """A step length between the ends, not too close to one of them twice in a row."""
        t = _guess(ends[0], ends[1])
        small, large = min(ends[0].t, ends[1].t), max(ends[0].t, ends[1].t)
        margin = 0.1 * (large - small)
        if min(large - t, t - small) >= margin:
            return t, False
        if stalled or t >= large or t <= small:
            return (large - margin if abs(t - large) < abs(t - small) else small + margin), False
        return t, True


def _value(loss: Any) -> float:
    return float(loss.detach() if isinstance(loss, Tensor) else loss)


class LBFGS(Optimizer):
    """Limited-memory BFGS, with a fixed step length or a line search."""

    _takes_sparse = True

    def __init__(
        self,
        params: object,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def _gather(self) -> Tensor:
        views = [T["zeros"](p.numel(), dtype=p.dtype) if p.grad is None else p.grad.reshape(-1) for p in self._params]
        return T["cat"](views, 0)

    def _move(self, length: float, direction: Tensor) -> None:
        offset = 0
        for p in self._params:
            count = p.numel()
            p.add_(direction[offset : offset + count].view_as(p), alpha=length)
            offset += count

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Up to `max_iter` moves; `closure` clears the gradients, computes the loss and runs backward."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")
        with no_grad():
            return self._iterate(closure)

    def _iterate(self, closure: Callable[[], object]) -> Any:
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        group, state = self.param_groups[0], self.state[self._params[0]]
        fresh = "d" not in state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first, grad, evaluations = self._evaluate(closure)
        loss, count = _value(first), 0
        state["func_evals"] += 1
        if float(grad.abs().max()) <= group["tolerance_grad"]:
            return first
        while count < group["max_iter"]:
            count += 1
            state["n_iter"] += 1
            self._direction(state, grad, group["history_size"])
            state["prev_flat_grad"], before = grad.clone(), loss
            state["prev_loss"] = loss
            length = group["lr"]
            if state["n_iter"] == 1:
                length = min(1.0, 1.0 / float(grad.abs().sum())) * length
            state["t"] = length
            slope = float(grad.dot(state["d"]))
            if slope > -group["tolerance_change"]:
                break
            ran = 0
            if group["line_search_fn"] is not None:
                loss, grad, length, ran = self._search(closure, loss, grad)
                state["t"] = length
                self._move(float(length), state["d"])
            else:
                self._move(length, state["d"])
                if count != group["max_iter"]:
                    again, grad, ran = self._evaluate(closure)
                    loss = _value(again)
            evaluations += ran
            state["func_evals"] += ran
            if (
                count == group["max_iter"]
                or evaluations >= group["max_eval"]
                or float(grad.abs().max()) <= group["tolerance_grad"]
                or float(state["d"].mul(length).abs().max()) <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        if fresh:
            for name in _KEPT:  # in the order in which PyTorch stores them
                if name in state:
                    state[name] = state.pop(name)
        return first

    def _evaluate(self, closure: Callable[[], object]) -> tuple[Any, Tensor, int]:
        with enable_grad():
            loss = operator.call(closure)
        return loss, self._gather(), 1

    def _search(self, closure: Callable[[], object], loss: float, grad: Tensor) -> tuple[float, Tensor, float, int]:
        """The loss, gradient and step length that the line search finds, and the number of evaluations."""
        group, state = self.param_groups[0], self.state[self._params[0]]
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        direction = state["d"]
        before = [p.clone() for p in self._params]

        def evaluate(length: Any) -> Point:
            self._move(float(length), direction)
            again, found, _ = self._evaluate(closure)
            for p, kept in zip(self._params, before, strict=True):
                p.copy_(kept)
            return Point(length, _value(again), found, found.dot(direction)._data[()])

        start = Point(0, loss, grad, grad.dot(direction)._data[()])
        search = Search(evaluate, start, float(direction.abs().max()), group["tolerance_change"])
        point = search.run(state["t"])
        return point.loss, point.grad, float(point.t), search.evaluations

    @staticmethod
    def _direction(state: dict[str, Any], grad: Tensor, history: int) -> None:
        """The two-loop recursion over the stored moves."""
        if state["n_iter"] == 1:
            state.update(d=grad.neg(), t=None, old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        moves, changes, weights = state["old_stps"], state["old_dirs"], state["ro"]
        change, move = grad.sub(state["prev_flat_grad"]), state["d"].mul(state["t"])
        curvature = change.dot(move)
        if float(curvature) > 1e-10:
            if len(changes) == history:
                for kept in (changes, moves, weights):
                    kept.pop(0)
            changes.append(change)
            moves.append(move)
            weights.append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change)
        state.setdefault("al", [None] * history)
        direction, factors = grad.neg(), []
        for move, change, weight in zip(reversed(moves), reversed(changes), reversed(weights), strict=True):
            factors.append(move.dot(direction) * weight)
            direction.add_(change, alpha=-float(factors[-1]))
        state["al"][: len(factors)] = reversed(factors)
        direction = direction.mul(state["H_diag"])
        for move, change, weight, factor in zip(moves, changes, weights, reversed(factors), strict=True):
            direction.add_(move, alpha=float(factor - change.dot(direction) * weight))
        state["d"] = direction
