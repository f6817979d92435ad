"""The workloads in micrograd, whose values are numbers: what is made of arrays of any size is left out."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

from micrograd.engine import Value

from benchmarks.problems import RATE, SCALAR_OPERATIONS, TRAINING_STEPS, Problem, Round

_NUMBERS = "micrograd knows numbers only: each element would be a node of its own"
VERSION = "micrograd " + version("micrograd")
MISSING = dict.fromkeys(("digits_mlp", "cnn", "block", "rnn"), _NUMBERS)

sys.setrecursionlimit(10 * SCALAR_OPERATIONS)  # its backward pass walks the graph by recursion


def scalars(problem: Problem) -> Round:
    first, factor = float(problem["w"]), float(problem["c"])

    def one_round() -> list[Any]:
        w, c = Value(first), Value(factor)
        x = w
        for _ in range(SCALAR_OPERATIONS // 2):
            x = x * c + w
        x.backward()
        return [x.data, w.grad]

    return one_round


def small_mlp(problem: Problem) -> Round:
    names = ("w1", "b1", "w2", "b2")
    w1, b1, w2, b2 = params = [_values(problem[name].tolist()) for name in names]
    xs, ys = problem["x"].tolist(), problem["y"][:, 0].tolist()

    def loss() -> Any:
        total = 0
        for x, y in zip(xs, ys, strict=True):
            h = [_dot(row, x, bias).relu() for row, bias in zip(w1, b1, strict=True)]
            total = total + (_dot(w2[0], h, b2[0]) - y) ** 2
        return total * (1 / len(xs))

    def one_round() -> list[Any]:
        flat = [value for part in params for value in _flat(part)]
        for _ in range(TRAINING_STEPS["small_mlp"]):
            for value in flat:
                value.grad = 0
            found = loss()
            found.backward()
            for value in flat:
                value.data -= RATE * value.grad
        return [found.data, *([value.grad for value in _flat(part)] for part in params)]

    return one_round


def _dot(weights: list[Any], inputs: list[Any], bias: Any) -> Any:
    return sum((weight * x for weight, x in zip(weights, inputs, strict=True)), bias)


def _values(numbers: Any) -> Any:
    return [_values(each) for each in numbers] if isinstance(numbers, list) else Value(numbers)


def _flat(part: Any) -> list[Any]:
    return [value for each in part for value in _flat(each)] if isinstance(part, list) else [part]


ROUNDS = {"scalars": scalars, "small_mlp": small_mlp}
