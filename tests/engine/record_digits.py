"""Record the single precision numbers that PyTorch gives for elementary functions, to the last digit.

Run it with a Python that has torch 2.13.0. `arguments` and `computed` serve the test as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parent / "golden" / "digits.json"
EXPECTED = "2.13.0"
COUNT = 400
ANY_SIGN = ("exp", "expm1", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "sigmoid")
POSITIVE = ("log", "log2", "log10", "log1p", "rsqrt", "reciprocal")
POWERS = (0.5, 1.5, 2, 3, 4, -1, -2)
SHAPES = ((3,), (7,), (8,), (33,), (400,), (5, 3), (9, 40), (40, 9), (3, 70, 5), (2, 3, 4, 5))


def arguments(name: str) -> list[float]:
    """Numbers of single precision."""
    drawn = np.random.RandomState(7).uniform(-4, 4, COUNT).astype(np.float32)
    if name in POSITIVE or name.startswith("pow"):
        drawn = np.abs(drawn) + np.float32(0.01)
    return [float(value) for value in drawn]


def computed(torch: Any) -> dict[str, list[float]]:
    """The values of every function, in vectors of five as snippets have them."""
    functions = {name: getattr(torch, name) for name in (*ANY_SIGN, *POSITIVE)}
    functions |= {f"pow {exponent}": lambda x, n=exponent: x**n for exponent in POWERS}
    functions["softmax"] = lambda x: x.softmax(0)
    functions["log_softmax"] = lambda x: x.log_softmax(0)
    functions["silu"] = torch.nn.functional.silu
    functions["softplus"] = torch.nn.functional.softplus
    found = {}
    for name, function in functions.items():
        given = arguments(name)
        parts = [function(torch.tensor(given[i : i + 5])).tolist() for i in range(0, COUNT, 5)]
        found[name] = [value for part in parts for value in part]
    return found


def _layer_norm(torch: Any, x: Any) -> Any:
    """The result, and the gradients of input and weight."""
    x = x.requires_grad_()
    weight = torch.linspace(0.5, 1.5, x.shape[-1], requires_grad=True)
    y = torch.nn.functional.layer_norm(x, x.shape[-1:], weight, torch.full_like(weight, 0.3))
    y.backward(torch.linspace(-1, 1, x.numel()).reshape(x.shape))
    return torch.cat([y.detach().reshape(-1), x.grad.reshape(-1), weight.grad])


def _of_halves(torch: Any, x: Any) -> Any:
    """A number stays in single precision beside halves in products and quotients only."""
    found = []
    for kind in (torch.float16, torch.bfloat16):
        a = x[:32].to(kind)
        found += [a * 0.7, a / 0.7, 0.7 / a, a // 0.7, a + 0.7, a.mul(torch.tensor(0.7)), a**3, a.abs().rsqrt()]
        found += [torch.add(a, a, alpha=0.7), a.lerp(a + 1, 0.7), torch.addcmul(a, a, a, value=0.7)]
        found.append(torch.nn.functional.mse_loss(a, a * 3).reshape(1))
    return torch.cat([each.double() for each in found])


def _fused(torch: Any, x: Any) -> Any:
    """A sum and a product with one rounding; which products of matrices are −0, by their inverses."""
    of_nothing = [torch.zeros(n, k) @ -torch.ones(k, m) for n, k, m in ((2, 1, 2), (2, 1, 1), (1, 2, 1), (2, 2, 2))]
    found = [1 / each.reshape(-1) for each in (*of_nothing, torch.zeros(1).dot(-torch.ones(1)))]
    for a in (x, x.double()):
        b = a.flip(0)
        found += [torch.add(a, b, alpha=0.7), torch.sub(a, b, alpha=3), a.lerp(b, 0.3), a.lerp(b, 0.7)]
        found += [torch.addcmul(a, b, a, value=-0.1), torch.addcdiv(a, b, a, value=0.7), a.lerp(b, a.abs() / 3)]
    return torch.cat([each.double() for each in found])


def sums(torch: Any) -> dict[str, list[float]]:
    """What adds many numbers, for each shape over all elements and over each dimension: the order decides the digit."""
    functions = {
        "sum": lambda x, dim: x.sum(dim),
        "mean": lambda x, dim: x.mean(dim),
        "sum of a transposed tensor": lambda x, dim: x.transpose(0, -1).sum(dim),
        "var": lambda x, dim: x.var(dim),
        "norm": lambda x, dim: torch.linalg.vector_norm(x, dim=dim),
        "cumsum": lambda x, dim: x.cumsum(dim or 0),
        "nll_loss": lambda x, dim: torch.nn.functional.nll_loss(
            x.reshape(-1, 1), torch.zeros(x.numel(), dtype=torch.int64)
        ),
        "std": lambda x, dim: x.std(dim) if x.numel() <= 400 else x[:0],
        "layer_norm": lambda x, dim: _layer_norm(torch, x) if dim is None and x.numel() <= 400 else x[:0],
        "products of halves": lambda x, dim: _of_halves(torch, x) if x.numel() == 33 else x[:0],
        "sums of products": lambda x, dim: _fused(torch, x) if x.numel() == 33 else x[:0],
    }
    found = {}
    for name, function in functions.items():
        values: list[float] = []
        for shape in SHAPES:
            drawn = np.random.RandomState(len(shape)).standard_normal(shape).astype(np.float32)
            for dim in (None, *range(len(shape))):
                values += function(torch.from_numpy(drawn), dim).reshape(-1).tolist()
        found[name] = values
    return found


def main() -> None:
    import torch

    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    torch.set_num_threads(1)
    lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in (computed(torch) | sums(torch)).items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
