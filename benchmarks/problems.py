"""The arrays that every contender starts from: parameters and data of each workload, made by NumPy from fixed seeds,
so that all compute the same. What is done with them stands in `workloads.py` (in PyTorch's words) and, by hand, in
`with_numpy.py`; those of the other libraries follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Problem = dict[str, Array]
Round = Callable[[], list[Any]]  # runs once; returns the last loss and the gradients, in the order of the parameters

SCALAR_OPERATIONS = 10_000
STEPS = 200  # of the recurrent net
TRAINING_STEPS = {"small_mlp": 10, "digits_mlp": 1, "cnn": 1, "block": 1}
RATE = 0.01
HEADS = 4
EPSILON = 1e-5  # of the layer norms
DATA = ("x", "y", "c", "labels")  # what no gradient is taken of


def scalars() -> Problem:
    """10,000 operations on numbers, one after the other: what an operation costs beyond its arithmetic."""
    return {"w": np.array(0.5, np.float32), "c": np.array(0.999, np.float32)}


def small_mlp() -> Problem:
    """A learner's network, 16-32-1 on a batch of 8: ten training steps."""
    made = _normal(1, w1=(32, 16), b1=(32,), w2=(1, 32), b2=(1,))
    return made | _data(2, x=(8, 16), y=(8, 1))


def digits_mlp() -> Problem:
    """A network for images of digits, 784-256-10 on a batch of 64: one training step."""
    made = _normal(3, w1=(256, 784), b1=(256,), w2=(10, 256), b2=(10,))
    return made | _data(4, x=(64, 784)) | {"labels": np.arange(64) % 10}


def cnn() -> Problem:
    """Two convolutions, each with ReLU and pooling, and a linear layer, on 16 images of 28×28: one training step."""
    made = _normal(5, k1=(8, 1, 3, 3), c1=(8,), k2=(16, 8, 3, 3), c2=(16,), w=(10, 784), b=(10,))
    return made | _data(6, x=(16, 1, 28, 28)) | {"labels": np.arange(16) % 10}


def block() -> Problem:
    """A transformer block with 4 heads of 16, 32 tokens, a batch of 8: one training step."""
    made = _normal(
        7, in_w=(192, 64), in_b=(192,), out_w=(64, 64), out_b=(64,), w1=(256, 64), b1=(256,), w2=(64, 256), b2=(64,),
        g1=(64,), h1=(64,), g2=(64,), h2=(64,),
    )  # fmt: skip
    return made | _data(8, x=(8, 32, 64), y=(8, 32, 64))


def rnn() -> Problem:
    """A recurrent net of 16 units over 200 time steps: one weight used many times."""
    return _normal(9, w=(16, 16)) | _data(10, x=(STEPS, 4, 16))


PROBLEMS: dict[str, Callable[[], Problem]] = {
    each.__name__: each for each in (scalars, small_mlp, digits_mlp, cnn, block, rnn)
}


def parameters(problem: Problem) -> list[str]:
    """The names of what gradients are taken of."""
    return [name for name in problem if name not in DATA]


def _normal(seed: int, **shapes: tuple[int, ...]) -> Problem:
    """Weights of the size that layers begin with."""
    dice = np.random.default_rng(seed)
    return {
        name: (dice.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
        for name, shape in shapes.items()
    }


def _data(seed: int, **shapes: tuple[int, ...]) -> Problem:
    dice = np.random.default_rng(seed)
    return {name: dice.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
