"""The floor: each workload as one writes it in NumPy by hand, forward and backward, without any graph. No library on
NumPy can be much faster where the arrays are large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.problems import (
    EPSILON,
    HEADS,
    RATE,
    SCALAR_OPERATIONS,
    STEPS,
    TRAINING_STEPS,
    Array,
    Problem,
    Round,
    parameters,
)  # fmt: skip

Passes = Callable[[Problem], tuple[Any, Problem]]  # the loss, and the gradients by name
VERSION = "NumPy " + np.__version__
MISSING: dict[str, str] = {}


def scalars(p: Problem) -> tuple[Any, Problem]:
    w: Any = p["w"][()]
    c: Any = p["c"][()]
    x = w
    for _ in range(SCALAR_OPERATIONS // 2):
        x = x * c + w
    grad: Any = np.float32(1)
    total: Any = np.float32(0)
    for _ in range(SCALAR_OPERATIONS // 2):
        total = total + grad
        grad = grad * c
    return x, {"w": total + grad}


def small_mlp(p: Problem) -> tuple[Any, Problem]:
    z = p["x"] @ p["w1"].T + p["b1"]
    h = np.maximum(z, 0)
    miss = h @ p["w2"].T + p["b2"] - p["y"]
    out = miss * np.float32(2 / miss.size)
    inner = (out @ p["w2"]) * (z > 0)
    return np.square(miss).mean(), {"w1": inner.T @ p["x"], "b1": inner.sum(0), "w2": out.T @ h, "b2": out.sum(0)}


def digits_mlp(p: Problem) -> tuple[Any, Problem]:
    z = p["x"] @ p["w1"].T + p["b1"]
    h = np.maximum(z, 0)
    loss, out = _cross_entropy(h @ p["w2"].T + p["b2"], p["labels"])
    inner = (out @ p["w2"]) * (z > 0)
    return loss, {"w1": inner.T @ p["x"], "b1": inner.sum(0), "w2": out.T @ h, "b2": out.sum(0)}


def _cross_entropy(scores: Array, labels: Array) -> tuple[Any, Array]:
    """The loss and its gradient for the scores."""
    at = np.arange(len(labels))
    shifted = scores - scores.max(1, keepdims=True)
    grad = np.exp(shifted)
    total = grad.sum(1, keepdims=True)
    loss = (np.log(total[:, 0]) - shifted[at, labels]).mean()
    grad /= total
    grad[at, labels] -= 1
    grad /= len(labels)
    return loss, grad


def cnn(p: Problem) -> tuple[Any, Problem]:
    z1, columns1 = _convolve(p["x"], p["k1"], p["c1"])
    a1, kept1 = _pool(np.maximum(z1, 0))
    z2, columns2 = _convolve(a1, p["k2"], p["c2"])
    a2, kept2 = _pool(np.maximum(z2, 0))
    flat = a2.reshape(len(a2), -1)
    loss, out = _cross_entropy(flat @ p["w"].T + p["b"], p["labels"])
    d2 = _unpool((out @ p["w"]).reshape(a2.shape), kept2) * (z2 > 0)
    k2, c2, da1 = _convolve_back(d2, columns2, p["k2"])
    d1 = _unpool(da1, kept1) * (z1 > 0)
    k1, c1, _ = _convolve_back(d1, columns1, p["k1"], inside=False)
    return loss, {"k1": k1, "c1": c1, "k2": k2, "c2": c2, "w": out.T @ flat, "b": out.sum(0)}


def _convolve(x: Array, kernel: Array, bias: Array) -> tuple[Array, Array]:
    """A 3×3 convolution with padding 1 as one product of matrices; also the columns that it multiplied."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), (2, 3))
    columns = np.ascontiguousarray(windows.transpose(0, 1, 4, 5, 2, 3)).reshape(len(x), -1, x.shape[2] * x.shape[3])
    out = kernel.reshape(len(kernel), -1) @ columns + bias[:, None]
    return out.reshape(len(x), len(kernel), *x.shape[2:]), columns


def _convolve_back(grad: Array, columns: Array, kernel: Array, inside: bool = True) -> tuple[Array, Array, Array]:
    """The gradients for kernel, bias and (`inside`) the input."""
    flat = grad.reshape(*grad.shape[:2], -1)
    for_kernel = np.matmul(flat, columns.transpose(0, 2, 1)).sum(0).reshape(kernel.shape)
    (n, _, height, width), channels = grad.shape, kernel.shape[1]
    padded = np.zeros((n, channels, height + 2, width + 2), grad.dtype)
    if inside:
        back = (kernel.reshape(len(kernel), -1).T @ flat).reshape(n, channels, 3, 3, height, width)
        for i in range(3):
            for j in range(3):
                padded[:, :, i : i + height, j : j + width] += back[:, :, i, j]
    return for_kernel, flat.sum((0, 2)), padded[:, :, 1:-1, 1:-1]


def _pool(x: Array) -> tuple[Array, Array]:
    """The largest of each 2×2, and where it was."""
    n, channels, height, width = x.shape
    parts = x.reshape(n, channels, height // 2, 2, width // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    parts = parts.reshape(n, channels, height // 2, width // 2, 4)
    kept = parts.argmax(-1)
    return np.take_along_axis(parts, kept[..., None], -1)[..., 0], kept


def _unpool(grad: Array, kept: Array) -> Array:
    n, channels, height, width = grad.shape
    parts = np.zeros((*grad.shape, 4), grad.dtype)
    np.put_along_axis(parts, kept[..., None], grad[..., None], -1)
    whole = parts.reshape(n, channels, height, width, 2, 2).transpose(0, 1, 2, 4, 3, 5)
    return whole.reshape(n, channels, 2 * height, 2 * width)


def block(p: Problem) -> tuple[Any, Problem]:
    x, scale = p["x"], np.float32((x_width := p["x"].shape[2]) // HEADS) ** np.float32(-0.5)
    n, tokens, _ = x.shape
    flat = x.reshape(-1, x_width)
    projected = (flat @ p["in_w"].T + p["in_b"]).reshape(n, tokens, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
    q, k, v = projected
    scores = (q @ k.swapaxes(-1, -2)) * scale
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(-1, x_width)
    first, back1 = _layer_norm(flat + mixed @ p["out_w"].T + p["out_b"], p["g1"], p["h1"])
    z = first @ p["w1"].T + p["b1"]
    h = np.maximum(z, 0)
    second, back2 = _layer_norm(first + h @ p["w2"].T + p["b2"], p["g2"], p["h2"])
    y = p["y"].reshape(-1, x_width)
    grads: Problem = {}
    d, grads["g2"], grads["h2"] = back2(y * np.float32(1 / y.size))
    grads["w2"], grads["b2"] = d.T @ h, d.sum(0)
    dz = (d @ p["w2"]) * (z > 0)
    grads["w1"], grads["b1"] = dz.T @ first, dz.sum(0)
    d, grads["g1"], grads["h1"] = back1(d + dz @ p["w1"])
    grads["out_w"], grads["out_b"] = d.T @ mixed, d.sum(0)
    dm = (d @ p["out_w"]).reshape(n, tokens, HEADS, -1).transpose(0, 2, 1, 3)
    dw = dm @ v.swapaxes(-1, -2)
    ds = weights * (dw - (dw * weights).sum(-1, keepdims=True)) * scale
    parts = np.stack([ds @ k, ds.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ dm])
    dp = parts.transpose(1, 3, 0, 2, 4).reshape(-1, 3 * x_width)
    grads["in_w"], grads["in_b"] = dp.T @ flat, dp.sum(0)
    return (second * y).mean(), grads


def _layer_norm(x: Array, gain: Array, shift: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array, Array]]]:
    """The normalised rows, and what takes their gradient to those of the input, the gain and the shift."""
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(np.square(centred).mean(-1, keepdims=True) + np.float32(EPSILON))
    normal = centred * inverse

    def back(grad: Array) -> tuple[Array, Array, Array]:
        inner = grad * gain
        along = (inner * normal).mean(-1, keepdims=True)
        return inverse * (inner - inner.mean(-1, keepdims=True) - normal * along), (grad * normal).sum(0), grad.sum(0)

    return normal * gain + shift, back


def rnn(p: Problem) -> tuple[Any, Problem]:
    hidden = [np.zeros((4, 16), np.float32)]
    for t in range(STEPS):
        hidden.append(np.tanh(hidden[-1] @ p["w"] + p["x"][t]))
    grad, total = np.ones((4, 16), np.float32), np.zeros((16, 16), np.float32)
    for t in reversed(range(STEPS)):
        grad = grad * (1 - np.square(hidden[t + 1]))
        total += hidden[t].T @ grad
        grad = grad @ p["w"].T
    return hidden[-1].sum(), {"w": total}


def _round(name: str, passes: Passes) -> Callable[[Problem], Round]:
    def prepare(problem: Problem) -> Round:
        names, steps = parameters(problem), TRAINING_STEPS.get(name, 0)

        def one_round() -> list[Any]:
            for _ in range(max(1, steps)):
                loss, grads = passes(problem)
                if steps:
                    for each in names:
                        problem[each] -= np.float32(RATE) * grads[each]
            return [loss, *(grads[each] for each in names)]

        return one_round

    return prepare


ROUNDS = {each.__name__: _round(each.__name__, each) for each in (scalars, small_mlp, digits_mlp, cnn, block, rnn)}
