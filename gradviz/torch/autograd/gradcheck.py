"""`gradcheck` and `gradgradcheck`: the analytic Jacobian against central differences, entry by entry."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS as F
from gradviz.engine.call import grad
from gradviz.engine.tensor import Tensor, wrap


class GradcheckError(RuntimeError):
    """What the check found."""

    __module__ = "torch.autograd.gradcheck"


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` agree with central differences within the tolerances."""
    try:
        _check(func, inputs if isinstance(inputs, (tuple, list)) else (inputs,), eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func: Callable[..., Any], inputs: Any, eps: float, atol: float, rtol: float) -> None:
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )
    for i, x in enumerate(inputs):
        if isinstance(x, Tensor) and x.requires_grad and x.dtype.to_real().itemsize < 8:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                f"will likely "
                "fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=4,
            )
    found = func(*inputs)
    outputs = [
        y for y in (found if isinstance(found, (tuple, list)) else [found]) if isinstance(y, Tensor) and y.requires_grad
    ]
    for i, y in enumerate(outputs):
        for j, x in enumerate(wanted):
            analytic = _analytic(y, x)
            numeric = _numeric(func, inputs, x, i, eps)
            if not np.allclose(analytic, numeric, rtol=rtol, atol=atol, equal_nan=True):
                raise GradcheckError(
                    f"Jacobian mismatch for output {i} with respect to input {j},\n"
                    f"numerical:{wrap(numeric)}\nanalytical:{wrap(analytic)}\n"
                )


def _analytic(y: Tensor, x: Tensor) -> Any:
    columns = []
    for i in range(y.numel()):
        seed = np.zeros(y.numel(), y._data.dtype)
        seed[i] = 1
        (g,) = grad(y, x, wrap(seed.reshape(y.shape)), retain_graph=True, allow_unused=True)
        columns.append(np.zeros(x.numel(), x._data.dtype) if g is None else g._data.reshape(-1))
    return np.stack(columns, 1) if columns else np.zeros((x.numel(), 0))


def _numeric(func: Callable[..., Any], inputs: Any, x: Tensor, index: int, eps: float) -> Any:
    def value() -> Any:
        found = func(*inputs)
        several = [y for y in (found if isinstance(found, (tuple, list)) else [found]) if isinstance(y, Tensor)]
        return [y for y in several if y.dtype.rank >= 2][index]._data.reshape(-1).copy()

    rows = []
    for i in range(x._data.size):
        before = x._data.flat[i]
        x._data.flat[i] = before + eps
        up = value()
        x._data.flat[i] = before - eps
        down = value()
        x._data.flat[i] = before
        rows.append((up - down) / (2 * eps))
    return np.stack(rows) if rows else np.zeros((0, 0))


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Whether the second derivatives agree with central differences of the first."""
    given = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    options.pop("gen_non_contig_grad_outputs", None)
    if grad_outputs is None:
        found = func(*given)
        outputs = found if isinstance(found, (tuple, list)) else [found]
        grad_outputs = [
            F["randn_like"](y, requires_grad=True) for y in outputs if isinstance(y, Tensor) and y.requires_grad
        ]
    count = len(given)

    def gradient(*args: Any) -> Any:
        xs, seeds = args[:count], args[count:]
        found = func(*xs)
        outputs = [
            y
            for y in (found if isinstance(found, (tuple, list)) else [found])
            if isinstance(y, Tensor) and y.requires_grad
        ]
        wanted = [x for x in xs if isinstance(x, Tensor) and x.requires_grad]
        kept = grad(outputs, wanted, list(seeds), create_graph=True, allow_unused=True)
        return tuple(g for g in kept if g is not None)

    return gradcheck(gradient, (*given, *grad_outputs), **options)
