"""The Jacobians that `gradcheck` compares: numerical, analytical and by forward mode; and its checks that need none,
with PyTorch's words. The order of all checks is in `gradcheck.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.api import FUNCTIONS as F
from gradviz.engine.run.autograd import grad
from gradviz.engine.run.function import Function
from gradviz.torch.autograd import forward_ad
from gradviz.torch.maps import legacy_vmap
from gradviz.torch.testing import make_tensor

# --- Jacobians ---


Direction = Tensor | tuple[Tensor, Tensor]  # for a complex input: those of its real and of its imaginary part


def as_tuple(value: object) -> tuple[Any, ...]:
    """What a function takes or returns, as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def tracked(values: Sequence[object]) -> list[Tensor]:
    """The tensors that require grad."""
    return [each for each in values if isinstance(each, Tensor) and each.requires_grad]


def differentiable_outputs(found: object) -> tuple[Tensor, ...]:
    """The outputs that require grad."""
    return tuple(each for each in as_tuple(found) if each.requires_grad)


def differentiable_types(found: object) -> list[Tensor]:
    """The outputs that are tensors of floating point or complex numbers."""
    return [each for each in as_tuple(found) if isinstance(each, Tensor) and each.dtype.rank >= 2]


# --- numerical ---


def numerical(func: Callable[..., object], inputs: Sequence[object], x: Tensor, eps: float) -> list[Tensor]:
    """∂ each output / ∂ x, with a row for each element of x."""
    rows: list[list[Array]] = []
    for at in np.ndindex(x._data.shape):
        step = np.zeros(x._data.shape, x._data.dtype)
        step[at] = eps
        rows.append(_directional(func, inputs, x, (step, step * 1j), eps, f"on index {at} "))
    if not rows:
        outputs = as_tuple(func(*inputs))
        return [wrap(np.zeros((0, each.numel()), each._data.dtype)) for each in outputs]
    return [wrap(np.stack(column)) for column in zip(*rows, strict=True)]


def numerical_along(
    func: Callable[..., object], inputs: Sequence[object], x: Tensor, u: Direction, eps: float
) -> list[Tensor]:
    """The numerical Jacobian of each output times the direction `u`."""
    real, imaginary = u if isinstance(u, tuple) else (u, u)
    shape = x._data.shape
    steps = real._data.reshape(shape) * eps, imaginary._data.reshape(shape) * eps * 1j
    return [wrap(each) for each in _directional(func, inputs, x, steps, eps, "")]


def _directional(
    func: Callable[..., object], inputs: Sequence[object], x: Tensor, steps: tuple[Array, Array], eps: float, where: str
) -> list[Array]:
    """(f(x + step) − f(x − step)) / 2 eps for each output; for a complex x also along the imaginary step."""
    real = _difference(func, inputs, x, steps[0], eps, where)
    if not x.is_complex():
        return real
    return [a + b * 1j for a, b in zip(real, _difference(func, inputs, x, steps[1], eps, where), strict=True)]


def _difference(
    func: Callable[..., object], inputs: Sequence[object], x: Tensor, step: Array, eps: float, where: str
) -> list[Array]:
    if not x._data.flags.writeable:
        x._data = x._data.copy()
    before = x._data.copy()
    x._data[...] = before - step
    low = _values(func, inputs)
    x._data[...] = before + step
    high = _values(func, inputs)
    x._data[...] = before
    for a, b in zip(low, high, strict=False):
        for fact in ("shape", "dtype"):
            if getattr(a, fact) != getattr(b, fact):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {fact} when inputs are perturbed {where}by {eps},"
                    f" but got: {fact}s {getattr(a, fact)} and {getattr(b, fact)}."
                )
    return [((b._data - a._data) / a._data.dtype.type(2 * eps)).reshape(-1) for a, b in zip(low, high, strict=False)]


def _values(func: Callable[..., object], inputs: Sequence[object]) -> list[Tensor]:
    return [each.detach().clone() for each in as_tuple(func(*inputs))]


# --- analytical ---


def analytical(y: Tensor, xs: Sequence[Tensor]) -> list[Tensor]:
    """∂ y / ∂ each x, with a row for each element of x, by one backward pass for each element of y."""
    seeds = []
    for i in range(y.numel()):
        seed = np.zeros(y.numel(), y._data.dtype)
        seed[i] = 1
        seeds.append(wrap(seed.reshape(y._data.shape)))
    return _passes(y, xs, seeds)


def analytical_along(y: Tensor, xs: Sequence[Tensor], v: Tensor) -> list[Tensor]:
    """The gradient of v·y with respect to each x, as one column."""
    return _passes(y, xs, [v.reshape(y.shape)])


def _passes(y: Tensor, xs: Sequence[Tensor], seeds: Sequence[Tensor]) -> list[Tensor]:
    found = [grad(y, xs, seed, retain_graph=True, allow_unused=True) for seed in seeds]
    made = []
    for i, x in enumerate(xs):
        whole = np.zeros((x.numel(), len(seeds)), x._data.dtype)
        for j, gradients in enumerate(found):
            if gradients[i] is not None:
                whole[:, j] = gradients[i]._data.reshape(-1)
        made.append(wrap(whole))
    return made


def project(vj: Tensor, u: Direction) -> Tensor:
    """One column times a direction."""
    column = vj._data.reshape(-1)
    if isinstance(u, tuple):
        return wrap(np.asarray(column.real @ u[0]._data + 1j * (column.imag @ u[1]._data)))
    return wrap(np.asarray(column @ u._data))


PRIVATE = (
    "`{}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be removed "
    "in a future version of PyTorch. If you have a specific use for this or feature request for this to be a stable "
    "API, please file us an issue at https://github.com/pytorch/pytorch/issues/new"
)
COMPLEX = "Expected output to be non-complex. {} no longer supports functions that return complex outputs."
_NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
    "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}.\n\n"
    "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
    "this failure might be expected.\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\n"
    "If the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
    "  with `nondet_tol=<tol>` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
    "  to have `gradcheck_nondet_tol=<tol>`.\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n"
)
_FAST = (
    "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
    "in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background \n"
    "about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
    "Numerical:\n {}\nAnalytical:\n{}\n\nThe max per-element difference (slow mode) is: {}.\n"
)
_FAST_ONLY = (
    "Fast gradcheck failed but element-wise differences are small. This means that the\n"
    "test might've passed in slow_mode!\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck:\n\n"
    "If the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
    "  with `fast_mode=False` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
    "  to have `gradcheck_fast_mode=False`\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_fast_mode=False`"
)


class GradcheckError(RuntimeError):
    """The error that the check found."""

    __module__ = "torch.autograd.gradcheck"


def check_grad_out(name: str, grad_out: float) -> None:
    """Refuse arguments that the deprecated functions once took."""
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def fast_mode_message(numerical: Tensor, analytical: Tensor, close: bool) -> str:
    """The whole Jacobians behind a disagreement in fast mode."""
    difference = (numerical - analytical).abs().max()
    return _FAST.format(numerical, analytical, difference) + (_FAST_ONLY if close else "")


def all_zero(found: Sequence[Tensor], tolerance: float = 0.0) -> None:
    """If no output is differentiable, the numerical gradients must be zero."""
    if any(each.numel() and np.abs(each._data).max() > tolerance for each in found):
        raise GradcheckError("Numerical gradient for function expected to be zero")


def same(once: Sequence[Tensor], again: Sequence[Tensor], tolerance: float) -> bool:
    """Whether two passes agree within the tolerance."""
    pairs = zip(once, again, strict=True)
    return not any(a.numel() and np.abs(a._data - b._data).max() > tolerance for a, b in pairs)


def multiplied_by_seed(outputs: tuple[Tensor, ...], inputs: tuple[object, ...]) -> None:
    """Gradients that start from zero must be zero."""
    zeros = [F["zeros_like"](y) for y in outputs]
    wanted = tracked(inputs)
    for x, found in zip(wanted, grad(outputs, wanted, zeros, allow_unused=True), strict=True):
        if found is None:
            continue
        if found._coo is not None:
            _check_sparse(x, found)
            found = found.to_dense()
        if not (found._data == 0).all():
            raise GradcheckError("backward not multiplied by grad_output")


def _check_sparse(x: Tensor, found: Tensor) -> None:
    """A sparse gradient must have the layout and the dimensions of its input."""
    if found.layout != x.layout:
        raise GradcheckError(f"grad is incorrect layout ({found.layout} is not {x.layout})")
    kind = str(found.layout).removeprefix("torch.").removesuffix("_coo")
    for name in ("sparse_dim", "dense_dim"):
        has, expected = getattr(found, name)(), getattr(x, name)()
        if has != expected:
            raise GradcheckError(f"grad is {kind} tensor, but has incorrect {name} {has}, expected {expected}")


class UndefinedGrad(Function):
    """The same values, without a gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:
        return None


def undefined(func: Callable[..., object], outputs: tuple[Tensor, ...], inputs: tuple[object, ...]) -> None:
    """A backward pass must work without the gradients of all outputs, and without that of any one."""
    _started_undefined([UndefinedGrad.apply(y) for y in differentiable_outputs(func(*inputs))], inputs)
    for missing in range(len(outputs) if len(outputs) > 1 else 0):
        found = differentiable_outputs(func(*inputs))
        _started_undefined([UndefinedGrad.apply(y) if i == missing else y for i, y in enumerate(found)], inputs)


def _started_undefined(outputs: list[Tensor], inputs: tuple[object, ...]) -> None:
    zeros = [F["zeros_like"](y) for y in outputs]
    try:
        found = grad(outputs, tracked(inputs), zeros, allow_unused=True)
    except RuntimeError as error:
        _warn_of_the_check()
        raise GradcheckError(f"Expected backward function to handle undefined output grads. {_NOTES}") from error
    if any(each is not None and not (each._data == 0).all() for each in found):
        _warn_of_the_check()
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + _NOTES
        )


def _warn_of_the_check() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        UserWarning,
        stacklevel=2,
    )


_BATCHED = "gradcheck or gradgradcheck failed while testing batched gradient computation."


def batched(inputs: tuple[object, ...], y: Tensor, number: int) -> None:
    """Two gradients at once must give the same as one after the other."""
    wanted = tracked(inputs)
    seeds = [F["randn_like"](y) for _ in range(2)]
    single = [grad(y, wanted, seed, retain_graph=True, allow_unused=True) for seed in seeds]
    try:
        together = grad(y, wanted, F["stack"](seeds), retain_graph=True, allow_unused=True, is_grads_batched=True)
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{_BATCHED}") from error
    for i, (a, b, whole) in enumerate(zip(*single, together, strict=True)):
        if whole is not None and not F["allclose"](whole, F["stack"]([a, b])):
            raise GradcheckError(f"For output {number} and input {i}:\n\n{_BATCHED}")


def forward_jacobians(
    func: Callable[..., object], inputs: tuple[object, ...], dtypes: bool, us: Sequence[Direction] | None = None
) -> list[list[Tensor]]:
    """For each input the Jacobian of each output by forward mode: whole, with a row for each element, or times the
    direction of the input."""
    made = []
    for number, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue
        if us is None:
            rows = [_pushed(func, inputs, number, tangent, dtypes) for tangent in _basis(x)]
            made.append(
                [F["stack"](list(column)) for column in zip(*rows, strict=True)] if rows else _no_rows(func, inputs)
            )
        else:
            u = us[len(made)]
            assert isinstance(u, Tensor)
            made.append(_pushed(func, inputs, number, u.reshape(x.shape), dtypes))
    return made


def _no_rows(func: Callable[..., object], inputs: tuple[object, ...]) -> list[Tensor]:
    """The Jacobian of each output if the input has no elements."""
    return [wrap(np.zeros((0, y.numel()), y._data.dtype)) for y in differentiable_types(func(*inputs))]


def _basis(x: Tensor) -> list[Tensor]:
    return [row.reshape(x.shape) for row in F["eye"](x.numel(), dtype=x.dtype)]


def _pushed(
    func: Callable[..., object], inputs: tuple[object, ...], number: int, tangent: Tensor, dtypes: bool
) -> list[Tensor]:
    """The flat tangent of each differentiable output, if the input of that number has this tangent."""
    with forward_ad.dual_level():
        given = _duals(inputs, {number: tangent})
        found = []
        for y in differentiable_types(func(*given)):
            primal, pushed = forward_ad.unpack_dual(y)
            if dtypes and pushed is not None and primal.is_complex() != pushed.is_complex():
                raise GradcheckError("Forward AD gradient has dtype mismatch.")
            found.append((F["zeros_like"](primal) if pushed is None else pushed).reshape(-1).detach().to(primal.dtype))
    return found


def _duals(inputs: tuple[object, ...], tangents: dict[int, Tensor], plain: int = -1) -> list[object]:
    """The inputs as dual tensors, with zero tangents where none is given; input number `plain` has none."""
    made = []
    for i, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            made.append(x)
        elif i == plain:
            made.append(x.detach())
        else:
            made.append(forward_ad.make_dual(x.detach(), tangents.get(i, F["zeros_like"](x)).detach()))
    return made


def undefined_forward(func: Callable[..., object], inputs: tuple[object, ...]) -> None:
    """A zero tangent and no tangent at all must push the same forward."""
    tangents = {
        i: F["rand"](x.shape).to(x.dtype) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad
    }
    with forward_ad.dual_level():
        for i in tangents:
            others = {j: tangent for j, tangent in tangents.items() if j != i}
            first, second = (as_tuple(func(*_duals(inputs, others, plain))) for plain in (-1, i))
            for number, (a, b) in enumerate(zip(first, second, strict=True)):
                one, two = (forward_ad.unpack_dual(y).tangent if isinstance(y, Tensor) else None for y in (a, b))
                if one is not None and two is not None and not F["allclose"](one, two):
                    raise GradcheckError(
                        "Mismatch in tangent values for output with index: ",
                        number,
                        " when input: ",
                        inputs[i],
                        " has an undefined tangent value. ",
                        " Got: ",
                        one,
                        " but expected: ",
                        two,
                    )


def batched_forward(func: Callable[..., object], inputs: tuple[Any, ...]) -> None:
    """Two tangents at once must push forward the same as one after the other."""
    for i, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue

        def push(tangent: Tensor, number: int = i) -> tuple[Tensor, ...]:
            with forward_ad.dual_level():
                given = [each.detach() if isinstance(each, Tensor) else each for each in inputs]
                given[number] = forward_ad.make_dual(given[number], tangent)
                duals = [forward_ad.unpack_dual(y) for y in differentiable_types(func(*given))]
            return tuple(F["zeros_like"](y.primal) if y.tangent is None else y.tangent for y in duals)

        tangents = [F["randn_like"](x.detach()) for _ in range(2)]
        single = [push(tangent) for tangent in tangents]
        try:
            together = legacy_vmap(push)(F["stack"](tangents))
        except RuntimeError as error:
            raise GradcheckError(f"While computing batched gradients, got: {error}") from error
        for a, b, whole in zip(*single, together, strict=True):
            if not F["allclose"](whole, F["stack"]([a, b])):
                raise GradcheckError(
                    f"For input {i}:\n\ngradcheck or gradgradcheck failed while testing batched forward gradients."
                )


def random_seed(y: Tensor, strided: bool) -> Tensor:
    """A random gradient to start from, with numbers between -1 and 1."""
    return make_tensor(y.shape, dtype=y.dtype, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=strided)
