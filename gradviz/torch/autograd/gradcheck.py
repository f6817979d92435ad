"""`gradcheck` and `gradgradcheck`: the comparisons of a function's gradients, in PyTorch's order and words. Computing
the Jacobians, and the checks that need none, are in `jacobians.py`."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradviz.engine.kernel.messages import real_number
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.distributions import Generator
from gradviz.engine.run.api import FUNCTIONS as F
from gradviz.engine.run.autograd import grad
from gradviz.torch.autograd import jacobians
from gradviz.torch.autograd import jacobians as more
from gradviz.torch.autograd.jacobians import as_tuple, differentiable_outputs, tracked

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]

GradcheckError = more.GradcheckError
Check = Callable[..., None]

_SPARSE_OUTPUT = (
    "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for "
    "gradcheck."
)


@dataclass(frozen=True)
class _Limits:
    eps: float
    atol: float
    rtol: float
    nondet_tol: float


@dataclass(frozen=True)
class _Part:
    """Which part of complex values a comparison covers, and how the Jacobians were computed."""

    complex_indices: tuple[int, ...] = ()
    imaginary: bool = False
    forward: bool = False

    def mismatch(self, analytical: Tensor, numerical: Tensor, output: int, source: int) -> str:
        part, kind = "imaginary" if self.imaginary else "real", "inputs" if self.forward else "outputs"
        of_complex = (source if self.forward else output) in self.complex_indices
        prefix = f"While considering the {part} part of complex {kind} only, " if of_complex else ""
        mode = "computed with forward mode " if self.forward else ""
        return (
            f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {source},\n"
            f"numerical:{numerical}\nanalytical:{analytical}\n"
        )


def gradcheck(
    func: Callable[..., object],
    inputs: object,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` agree with central differences within the tolerances."""
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    limits = _Limits(*map(real_number, (eps, atol, rtol, nondet_tol)))
    given = as_tuple(inputs)
    try:
        _check_inputs(given)
        found = as_tuple(func(*given))
        outputs = differentiable_outputs(found)
        if any(isinstance(each, Tensor) and each._coo is not None for each in found):
            raise ValueError(_SPARSE_OUTPUT)
        check = functools.partial(_compare_fast if fast_mode else _compare, limits=limits)
        if check_backward_ad:
            _check_backward(check, func, given, found)
        if check_forward_ad:
            _check_forward(check, func, given, found, check_grad_dtypes, check_undefined_grad)
        if check_batched_forward_grad:
            more.batched_forward(func, given)
        if check_backward_ad:
            _check_seeds(func, given, outputs, check_batched_grad, check_undefined_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_inputs(inputs: Sequence[object]) -> None:
    wanted = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    for i, x in wanted:
        if x.dtype.to_real().itemsize < 8:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=4,
            )
        inside = x if x._coo is None else x._values()
        if not all(stride > 0 or size <= 1 for stride, size in zip(inside.stride(), inside.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _check_backward(
    check: Check, func: Callable[..., object], inputs: tuple[object, ...], found: tuple[object, ...]
) -> None:
    """A complex output is checked as two real ones: first its imaginary part, then its real one."""
    if not any(isinstance(each, Tensor) and each.is_complex() for each in found):
        check(func, inputs, found, differentiable_outputs(found), part=_Part())
        return
    indices = tuple(i for i, each in enumerate(differentiable_outputs(found)) if each.is_complex())
    for name in ("imag", "real"):
        half = _half_of_outputs(func, name)
        halves = half(*inputs)
        check(half, inputs, halves, differentiable_outputs(halves), part=_Part(indices, name == "imag"))


def _half_of_outputs(func: Callable[..., object], name: str) -> Callable[..., tuple[object, ...]]:
    def half(*args: object) -> tuple[object, ...]:
        return tuple(getattr(each, name) if each.is_complex() else each for each in as_tuple(func(*args)))

    return half


def _check_forward(
    check: Check,
    func: Callable[..., object],
    inputs: tuple[object, ...],
    found: tuple[object, ...],
    dtypes: bool,
    undefined: bool,
) -> None:
    """A complex input is checked as two real ones, keeping the other part fixed."""
    indices = tuple(i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.is_complex())
    for name in ("imag", "real") if indices else ("",):
        half = _half_of_inputs(func, inputs, indices, name) if name else func
        given = tuple(getattr(x, name) if i in indices else x for i, x in enumerate(inputs))
        outputs = as_tuple(half(*given)) if name else found
        check(half, given, outputs, outputs, part=_Part(indices, name == "imag", forward=True), dtypes=dtypes)
        if undefined:
            more.undefined_forward(half, given)


def _half_of_inputs(
    func: Callable[..., Any], originals: tuple[Any, ...], indices: tuple[int, ...], name: str
) -> Callable[..., Any]:
    def half(*args: Any) -> tuple[Any, ...]:
        whole = list(args)
        for i in indices:
            held = originals[i]
            whole[i] = args[i] + held.imag * 1j if name == "real" else held.real + args[i] * 1j
        return as_tuple(func(*whole))

    return half


def _close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    return bool(np.allclose(a._data, b._data, rtol=rtol, atol=atol))


def _compare(
    func: Callable[..., object],
    inputs: tuple[object, ...],
    found: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    limits: _Limits,
    part: _Part,
    dtypes: bool = False,
) -> None:
    """Whole Jacobians, each of an output with respect to an input."""
    wanted = tracked(inputs)
    columns = [jacobians.numerical(func, inputs, x, limits.eps) for x in wanted]
    if not outputs:
        more.all_zero([each for column in columns for each in column])
        return
    numerical = list(zip(*columns, strict=True))
    kept = [rows for y, rows in zip(found, numerical, strict=True) if y.requires_grad]
    if part.forward:
        made = more.forward_jacobians(func, inputs, dtypes)
    for i, y in enumerate(outputs if not part.forward else kept):
        rows = [column[i] for column in made] if part.forward else _twice(y, wanted, None, limits)  # type: ignore[arg-type]
        for j, (a, n) in enumerate(zip(rows, kept[i], strict=True)):
            if not _close(a, n, limits.rtol, limits.atol):
                raise GradcheckError(part.mismatch(a, n, i, j))


def _twice(y: Tensor, xs: Sequence[Tensor], v: Tensor | None, limits: _Limits) -> list[Tensor]:
    """The analytical Jacobians, computed twice to check that a second pass gives the same."""
    once, again = (jacobians.analytical(y, xs) if v is None else jacobians.analytical_along(y, xs, v) for _ in range(2))
    if not more.same(once, again, limits.nondet_tol):
        raise GradcheckError(more.NOT_REENTRANT.format(limits.nondet_tol))
    return once


def _compare_fast(
    func: Callable[..., object],
    inputs: tuple[object, ...],
    found: tuple[object, ...],
    outputs: tuple[Tensor, ...],
    limits: _Limits,
    part: _Part,
    dtypes: bool = False,
) -> None:
    """Compare Jacobians projected on a random direction from both sides (in forward mode from that of the inputs)."""
    wanted = tracked(inputs)
    generator = Generator()
    us = [_direction(x, generator) for x in wanted]
    vs = [] if part.forward else [_random_like(y, generator, y.dtype) for y in outputs]
    differentiable = [isinstance(y, Tensor) and y.dtype.rank >= 2 for y in found]
    along = [jacobians.numerical_along(func, inputs, x, u, limits.eps) for x, u in zip(wanted, us, strict=True)]
    if not outputs:
        more.all_zero([each for column in along for each in column], limits.nondet_tol)
        return
    numerical = [[n for n, kept in zip(column, differentiable, strict=True) if kept] for column in along]
    if part.forward:
        analytical = more.forward_jacobians(func, inputs, dtypes, us)
    else:
        numerical = [
            [wrap(np.asarray((v._data * n._data).sum())) for v, n in zip(vs, column, strict=False)]
            for column in numerical
        ]
        rows = [_twice(y, wanted, v, limits) for y, v in zip(outputs, vs, strict=True)]
        analytical = [[jacobians.project(row[i], u) for row in rows] for i, u in enumerate(us)]
    for i, u in enumerate(us):
        for j, (a, n) in enumerate(zip(analytical[i], numerical[i], strict=False)):
            atol = limits.atol * _total(u) * (_total(vs[j]) if vs else 1.0)
            if not _close(a, n, limits.rtol, atol):
                slow = _in_full(func, inputs, outputs, (i, j), limits, part)
                raise GradcheckError(part.mismatch(a, n, j, i) + slow)


def _random_like(x: Tensor, generator: Generator, dtype: object) -> Tensor:
    made: Tensor = F["rand"](x.numel(), generator=generator).to(dtype)
    return made / made.norm()


def _direction(x: Tensor, generator: Generator) -> jacobians.Direction:
    real = x.dtype.to_real()
    first = _random_like(x, generator, real)
    return (first, _random_like(x, generator, real)) if x.is_complex() else first


def _total(u: jacobians.Direction) -> float:
    """The sum of a direction: the factor of an element's tolerance in the projection."""
    parts = u if isinstance(u, tuple) else (u,)
    return float(sum(each._data.sum().real for each in parts))


def _in_full(
    func: Callable[..., object],
    inputs: tuple[object, ...],
    outputs: tuple[Tensor, ...],
    at: tuple[int, int],
    limits: _Limits,
    part: _Part,
) -> str:
    """The whole Jacobians of a pair that disagreed in fast mode, as the message shows them."""
    source, output = at
    numerical = jacobians.numerical(func, inputs, tracked(inputs)[source], limits.eps)[output]
    if part.forward:
        analytical = more.forward_jacobians(func, inputs, False)[source][output]
    else:
        any_number = replace(limits, nondet_tol=math.inf)
        analytical = _twice(outputs[output], tracked(inputs), None, any_number)[source]
    close = _close(analytical, numerical, limits.rtol, limits.atol)
    return more.fast_mode_message(numerical, analytical, close)


def _check_seeds(
    func: Callable[..., object],
    inputs: tuple[object, ...],
    outputs: tuple[Tensor, ...],
    check_batched: bool,
    check_undefined: bool,
) -> None:
    """Check how a backward pass treats the gradients that it starts from."""
    if check_batched:
        for i, y in enumerate(outputs):
            more.batched(inputs, y, i)
    more.multiplied_by_seed(outputs, inputs)
    if check_undefined:
        more.undefined(func, outputs, inputs)


def gradgradcheck(
    func: Callable[..., object],
    inputs: object,
    grad_outputs: object = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives agree with central differences of the first."""
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, asked in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if asked and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    given = as_tuple(inputs)
    if grad_outputs is None:
        seeds = tuple(more.random_seed(y, gen_non_contig_grad_outputs) for y in differentiable_outputs(func(*given)))
    else:
        seeds = as_tuple(grad_outputs)
    return gradcheck(
        _gradient_of(func, given, seeds),
        (*given, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _gradient_of(
    func: Callable[..., object], inputs: tuple[object, ...], seeds: tuple[object, ...]
) -> Callable[..., tuple[Tensor, ...]]:
    """The function that returns the gradients of `func`, given its inputs and the gradients of its outputs."""
    wanted = [isinstance(x, Tensor) and x.requires_grad for x in (*inputs, *seeds)]

    def gradient(*args: Any) -> tuple[Tensor, ...]:
        again = [x.requires_grad_() if asked else x for x, asked in zip(args, wanted, strict=True)]
        xs, given = again[: len(inputs)], again[len(inputs) :]
        outputs = differentiable_outputs(func(*xs))
        sources = [x for x, asked in zip(xs, wanted, strict=False) if asked]
        kept = grad(outputs, sources, given, create_graph=True, allow_unused=True)
        return tuple(g for g in kept if g is not None)

    return gradient


def get_numerical_jacobian(
    fn: Callable[..., object], inputs: object, target: object = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """Deprecated: the numerical Jacobians of the first output of a function of one tuple."""
    warnings.warn(more.PRIVATE.format("get_numerical_jacobian"), FutureWarning, stacklevel=2)
    more.check_grad_out("get_numerical_jacobian", grad_out)
    given = as_tuple(inputs)

    def packed(*xs: object) -> object:
        return fn(xs)

    if any(isinstance(y, Tensor) and y.is_complex() for y in as_tuple(packed(*given))):
        raise ValueError(more.COMPLEX.format("get_numerical_jacobian"))
    wanted = tracked(given if target is None else as_tuple(target))
    return tuple(jacobians.numerical(packed, given, x, eps)[0] for x in wanted)


def get_analytical_jacobian(
    inputs: object, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """Deprecated: the analytical Jacobians of an output, and whether a second pass gives the same."""
    warnings.warn(more.PRIVATE.format("get_analytical_jacobian"), FutureWarning, stacklevel=2)
    more.check_grad_out("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(more.COMPLEX.format("get_analytical_jacobian"))
    wanted = tracked(as_tuple(inputs))
    once, again = jacobians.analytical(output, wanted), jacobians.analytical(output, wanted)
    return tuple(once), more.same(once, again, nondet_tol), True, True
