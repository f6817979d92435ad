"""The workloads in tinygrad on the CPU. It gathers operations and compiles what it needs (with clang); compiled
code is found again in later rounds, the graph is built in each, as the others do."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from tinygrad import Tensor

from benchmarks.problems import EPSILON, HEADS, RATE, STEPS, TRAINING_STEPS, Problem, Round, parameters

VERSION = "tinygrad " + version("tinygrad")
MISSING = {"scalars": "tinygrad makes one expression of all 10,000 operations, which takes minutes to compile"}

Tensor([1.0]).realize()  # without a compiler this says so

Tensors = dict[str, Any]


def small_mlp(p: Tensors) -> Any:
    return ((_mlp(p) - p["y"]) ** 2).mean()


def digits_mlp(p: Tensors) -> Any:
    return _mlp(p).sparse_categorical_crossentropy(p["labels"])


def _mlp(p: Tensors) -> Any:
    return p["x"].linear(p["w1"].T, p["b1"]).relu().linear(p["w2"].T, p["b2"])


def cnn(p: Tensors) -> Any:
    first = p["x"].conv2d(p["k1"], p["c1"], padding=1).relu().max_pool2d()
    second = first.conv2d(p["k2"], p["c2"], padding=1).relu().max_pool2d()
    return second.flatten(1).linear(p["w"].T, p["b"]).sparse_categorical_crossentropy(p["labels"])


def block(p: Tensors) -> Any:
    n, tokens, width = p["x"].shape
    projected = p["x"].linear(p["in_w"].T, p["in_b"])
    q, k, v = projected.reshape(n, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
    mixed = q.scaled_dot_product_attention(k, v).transpose(1, 2).reshape(n, tokens, width)
    first = (p["x"] + mixed.linear(p["out_w"].T, p["out_b"])).layernorm(eps=EPSILON) * p["g1"] + p["h1"]
    inner = first.linear(p["w1"].T, p["b1"]).relu().linear(p["w2"].T, p["b2"])
    second = (first + inner).layernorm(eps=EPSILON) * p["g2"] + p["h2"]
    return (second * p["y"]).mean()


def rnn(p: Tensors) -> Any:
    h = Tensor.zeros(4, 16)
    for t in range(STEPS):
        h = (h @ p["w"] + p["x"][t]).tanh()
    return h.sum()


def _round(name: str, loss: Callable[[Tensors], Any]) -> Callable[[Problem], Round]:
    def prepare(problem: Problem) -> Round:
        names, steps = parameters(problem), TRAINING_STEPS.get(name, 0)
        tensors = {each: Tensor(array).realize() for each, array in problem.items()}

        def one_round() -> list[Any]:
            for _ in range(max(1, steps)):
                value = loss(tensors)
                grads = value.gradient(*(tensors[each] for each in names))
                Tensor.realize(value, *grads)
                if steps:
                    for each, grad in zip(names, grads, strict=True):
                        tensors[each] = (tensors[each] - RATE * grad).realize()
            return [value.numpy(), *(grad.numpy() for grad in grads)]

        return one_round

    return prepare


ROUNDS = {each.__name__: _round(each.__name__, each) for each in (small_mlp, digits_mlp, cnn, block, rnn)}
