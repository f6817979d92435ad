"""The workloads in HIPS autograd: functions of NumPy's names, differentiated by `value_and_grad`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import autograd.numpy as np
from autograd import value_and_grad

from benchmarks.problems import (
    EPSILON,
    HEADS,
    RATE,
    SCALAR_OPERATIONS,
    STEPS,
    TRAINING_STEPS,
    Problem,
    Round,
    parameters,
)  # fmt: skip

VERSION = "HIPS autograd " + version("autograd")
MISSING = {"cnn": "HIPS autograd has no convolution of its own"}


def scalars(p: Problem) -> Any:
    x = p["w"]
    for _ in range(SCALAR_OPERATIONS // 2):
        x = x * p["c"] + p["w"]
    return x


def small_mlp(p: Problem) -> Any:
    h = np.maximum(np.dot(p["x"], p["w1"].T) + p["b1"], 0)
    return np.mean((np.dot(h, p["w2"].T) + p["b2"] - p["y"]) ** 2)


def digits_mlp(p: Problem) -> Any:
    h = np.maximum(np.dot(p["x"], p["w1"].T) + p["b1"], 0)
    scores = np.dot(h, p["w2"].T) + p["b2"]
    shifted = scores - np.max(scores, 1, keepdims=True)
    picked = shifted[np.arange(len(scores)), p["labels"]]
    return np.mean(np.log(np.sum(np.exp(shifted), 1)) - picked)


def block(p: Problem) -> Any:
    n, tokens, width = p["x"].shape
    projected = np.dot(p["x"], p["in_w"].T) + p["in_b"]
    q, k, v = np.transpose(np.reshape(projected, (n, tokens, 3, HEADS, -1)), (2, 0, 3, 1, 4))
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * np.float32((width // HEADS) ** -0.5)
    weights = np.exp(scores - np.max(scores, -1, keepdims=True))
    weights = weights / np.sum(weights, -1, keepdims=True)
    mixed = np.reshape(np.transpose(np.matmul(weights, v), (0, 2, 1, 3)), (n, tokens, width))
    first = _layer_norm(p["x"] + np.dot(mixed, p["out_w"].T) + p["out_b"], p["g1"], p["h1"])
    h = np.maximum(np.dot(first, p["w1"].T) + p["b1"], 0)
    second = _layer_norm(first + np.dot(h, p["w2"].T) + p["b2"], p["g2"], p["h2"])
    return np.mean(second * p["y"])


def _layer_norm(x: Any, gain: Any, shift: Any) -> Any:
    centred = x - np.mean(x, -1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, -1, keepdims=True) + np.float32(EPSILON)) * gain + shift


def rnn(p: Problem) -> Any:
    h = np.zeros((4, 16), np.float32)
    for t in range(STEPS):
        h = np.tanh(np.dot(h, p["w"]) + p["x"][t])
    return np.sum(h)


def _round(name: str, loss: Callable[[Problem], Any]) -> Callable[[Problem], Round]:
    def prepare(problem: Problem) -> Round:
        names, steps = parameters(problem), TRAINING_STEPS.get(name, 0)
        both = value_and_grad(
            lambda *given: loss(problem | dict(zip(names, given, strict=True))), tuple(range(len(names)))
        )

        def one_round() -> list[Any]:
            for _ in range(max(1, steps)):
                value, grads = both(*(problem[each] for each in names))
                if steps:
                    for each, grad in zip(names, grads, strict=True):
                        problem[each] -= np.float32(RATE) * grad
            return [value, *grads]

        return one_round

    return prepare


ROUNDS = {each.__name__: _round(each.__name__, each) for each in (scalars, small_mlp, digits_mlp, block, rnn)}
