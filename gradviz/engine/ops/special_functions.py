"""`torch.special` beyond the elementary functions: Bessel functions, the normal distribution, incomplete gamma, zeta,
polygamma, orthogonal polynomials. The numbers come from `bessel.py` and `functions.py` of the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import Rule, expressed, sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import bessel, functions
from gradviz.engine.ops.derivatives import plus, scaled
from gradviz.engine.ops.elementwise import NUMBERS, Prepared, cast, check_broadcast, prepare_pair, register, result_type
from gradviz.engine.ops.special import POLYGAMMA
from gradviz.engine.run.api import FUNCTIONS, SPECIAL, api, called, method
from gradviz.engine.run.apply import NO_PARAMS
from gradviz.engine.run.inplace import write

F, S = FUNCTIONS, SPECIAL
_SINGLES = (dtypes.float16, dtypes.bfloat16)


def _in_double(function: Callable[..., object]) -> Callable[..., object]:
    """`function` computed in double precision and rounded once."""

    def computed(*arrays: Any, **params: object) -> Array:
        found = function(*(each.astype(np.float64, copy=False) for each in arrays), **params)
        return np.asarray(found).astype(arrays[0].dtype, copy=False)

    return computed


def _check_type(dtype: dtypes.dtype, kernel: str, narrow: bool) -> None:
    if dtype.is_complex or (dtype in _SINGLES and not narrow):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.title}'")


def _floating(x: Tensor, kernel: str, narrow: bool) -> Array:
    """The data in the type to compute in: integers become the default floating point type."""
    _check_type(x.dtype, kernel, narrow)
    return x._data if x.dtype.rank >= 2 else x._data.astype(dtypes.get_default_dtype().np)


def _no_gradient(name: str) -> Any:
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


# --- one operand ---


def _one(
    name: str,
    forward: Callable[..., object],
    latex: str,
    brief: str,
    *,
    narrow: bool = False,
    double: bool = True,
    node: str = "",
    gradient: str | Rule | None = None,
) -> OpRow:
    """`torch.special.<name>` for floating point numbers; `narrow` if it also takes two-byte types."""
    gradients: dict[str, Any] = {} if gradient is None else {"self": gradient}
    row = op(
        f"special_{name}",
        "self",
        _in_double(forward) if double else forward,
        node=node or None,
        category="functions",
        symbol=name,
        latex=latex,
        brief=brief,
        **gradients,
    )

    def prepare(input: Tensor) -> Prepared:
        if not isinstance(input, Tensor):
            raise TypeError(
                f"special_{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        return row, (input,), (_floating(input, f"{name}_cpu", narrow),), NO_PARAMS

    register(prepare, (name,), "special", inplace=False)
    return row


for _name, _forward, _latex, _brief in (
    ("bessel_j0", bessel.j0, r"J_0(x)", "The Bessel function of the first kind of order 0."),
    ("bessel_j1", bessel.j1, r"J_1(x)", "The Bessel function of the first kind of order 1."),
    ("bessel_y0", bessel.y0, r"Y_0(x)", "The Bessel function of the second kind of order 0."),
    ("bessel_y1", bessel.y1, r"Y_1(x)", "The Bessel function of the second kind of order 1."),
    ("modified_bessel_i0", bessel.i0, r"I_0(x)", "The modified Bessel function of the first kind of order 0."),
    ("modified_bessel_i1", bessel.i1, r"I_1(x)", "The modified Bessel function of the first kind of order 1."),
    ("modified_bessel_k0", bessel.k0, r"K_0(x)", "The modified Bessel function of the second kind of order 0."),
    ("modified_bessel_k1", bessel.k1, r"K_1(x)", "The modified Bessel function of the second kind of order 1."),
    ("scaled_modified_bessel_k0", bessel.k0e, r"e^x K_0(x)", "The scaled modified Bessel function of order 0."),
    ("scaled_modified_bessel_k1", bessel.k1e, r"e^x K_1(x)", "The scaled modified Bessel function of order 1."),
    ("spherical_bessel_j0", bessel.spherical_j0, r"\frac{\sin x}{x}", "The spherical Bessel function of order 0."),
    ("airy_ai", bessel.airy_ai, r"\operatorname{Ai}(x)", "The Airy function."),
):
    _one(_name, _forward, _latex, _brief)


def _away_from_zero(name: str, grad: Tensor, self: Tensor, slope: Callable[[Any], object]) -> Tensor:
    """grad · slope(self), with the slope, which contains a 1 / x, replaced by 1/2 at 0."""
    _check_type(self.dtype, f"{name}_backward", False)
    tiny = float(np.finfo(self._data.dtype).eps)
    large = self.abs() > tiny
    safe = F["where"](large, self, F["full"]((), tiny, dtype=self.dtype))
    return grad * F["where"](large, slope(safe), F["full"]((), 0.5, dtype=self.dtype))


_one(
    "i0e",
    bessel.i0e,
    r"e^{-|x|} I_0(x)",
    "The exponentially scaled I₀.",
    narrow=True,
    node="SpecialI0EBackward0",
    gradient="grad * (i1e(self) - sgn(self) * result)",
)
_one(
    "i1",
    bessel.i1,
    r"I_1(x)",
    "The modified Bessel function of the first kind of order 1.",
    narrow=True,
    gradient=expressed(
        "grad * (i0(self) - result / self)",
        lambda grad, self, result: _away_from_zero("i1", grad, self, lambda x: F["i0"](x) - result * x.reciprocal()),
    ),
)
_one(
    "i1e",
    bessel.i1e,
    r"e^{-|x|} I_1(x)",
    "The exponentially scaled I₁.",
    narrow=True,
    node="SpecialI1EBackward0",
    gradient=expressed(
        "grad * (i0e(self) - result * (sgn(self) + 1 / self))",
        lambda grad, self, result: _away_from_zero(
            "i1e", grad, self, lambda x: S["i0e"](x) - result * (x.sgn() + x.reciprocal())
        ),
    ),
)
_one(
    "erfcx",
    functions.erfcx,
    r"e^{x^2} \operatorname{erfc} x",
    "The scaled complementary error function.",
    gradient="(2.0 * self * result - 2.0 / sqrt(pi)) * grad",
)
_one(
    "entr",
    functions.entr,
    r"-x \ln x",
    "The entropy of each element.",
    narrow=True,
    gradient="grad * -(1 + log(self))",
)
_one(
    "log_ndtr",
    functions.log_ndtr,
    r"\ln \Phi(x)",
    "The logarithm of the normal distribution function.",
    double=False,
    gradient="grad / sqrt(2 * pi) * exp(neg(result + pow(self, 2) / 2))",
)
_one(
    "ndtri",
    functions.ndtri,
    r"\Phi^{-1}(x)",
    "The inverse of the normal distribution function.",
    gradient="grad * sqrt(2 * pi) * exp(square(result) / 2)",
)
I0 = op(
    "i0",
    "self",
    _in_double(bessel.i0),
    category="functions",
    symbol="I₀",
    latex=r"I_0(x)",
    brief="The modified Bessel function of the first kind of order 0.",
    self="grad * i1(self)",
)


def _prepare_i0(input: Tensor) -> Prepared:
    if not isinstance(input, Tensor):
        raise TypeError(f"i0(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return I0, (input,), (_floating(input, "i0_vml_cpu", True),), NO_PARAMS


register(_prepare_i0, ("i0",))
S["i0"] = called(F["i0"], "special_i0")


@api("ndtr", where="special")
def ndtr(input: Tensor) -> Tensor:
    """The normal distribution function, through erf."""
    x = input if input.dtype.rank >= 2 else input.to(dtypes.get_default_dtype())
    _check_type(x.dtype, "erf_vml_cpu", True)
    return scaled(plus(F["erf"](scaled(x, math.sqrt(0.5))), 1), 0.5)


# --- polygamma and mvlgamma ---


def _polygamma(n: object, input: Tensor) -> Prepared:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    data = _floating(input, ("digamma", "trigamma")[n] if n < 2 else "polygamma", True)
    return POLYGAMMA, (input,), (data,), {"n": n}


register(_polygamma, ("polygamma",), "torch special", inplace=False)
method("polygamma")(lambda self, n: F["polygamma"](n, self))
method("polygamma_")(lambda self, n: write(self, *_polygamma(n, self)))


def _terms(x: Tensor, p: int) -> Tensor:
    """x and the numbers a half, two halves … below it, along a new last dimension."""
    steps = F["arange"](-p / 2 + 0.5, 0.5, 0.5, dtype=x.dtype)
    return x.unsqueeze(-1) + steps


def _mvlgamma(x: Array, *, p: int) -> Any:
    z = x.astype(np.float64)[..., None] + np.arange(1 - p, 1) / 2
    return (functions.lgamma(z).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)).astype(x.dtype)


MVLGAMMA = op(
    "mvlgamma",
    "self",
    _mvlgamma,
    category="functions",
    layout="rows",
    symbol="ln Γₚ",
    latex=r"\ln \Gamma_p(x)",
    brief="The logarithm of the multivariate gamma function.",
    self=sentence("grad · Σ ψ(self − k/2)", lambda grad, self, p: grad * _terms(self, p).digamma().sum(-1)),
)


def _prepare_mvlgamma(input: Tensor, p: int) -> Prepared:
    if not isinstance(p, int) or isinstance(p, bool):
        raise TypeError(f"mvlgamma(): argument 'p' (position 2) must be int, not {type(p).__name__}")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return MVLGAMMA, (input,), (_floating(input, "arange_cpu", True),), {"p": p}


register(_prepare_mvlgamma, ("mvlgamma",))
register(_prepare_mvlgamma, ("multigammaln",), "special", inplace=False)

# --- two operands ---


def _overloads(
    name: str,
    forward: Callable[..., object],
    latex: str,
    brief: str,
    formulas: dict[str, Any],
    names: str,
    narrow: bool,
) -> None:
    """`torch.special.<name>(x, y)`, one of which may be a number: PyTorch has a separate operation for each case."""
    base = f"special_{name}"
    about: dict[str, Any] = {"category": "functions", "symbol": name, "latex": latex, "brief": brief}
    rows = _rows_of_overloads(base, _in_double(forward), formulas, about)
    both = rows[False, False]

    def prepare(input: Any, other: Any) -> Prepared:
        numbers = isinstance(input, NUMBERS), isinstance(other, NUMBERS)
        if all(numbers):
            _refuse_numbers(base, names, input, other)
        _, tensors, arrays, _ = prepare_pair(both, input, other, NO_PARAMS, True)
        _check_type(dtypes.OF_NUMPY[arrays[0].dtype], f"{name}_cpu", narrow)
        row = rows[numbers]
        if row is both:
            return both, tensors, arrays, NO_PARAMS
        at = numbers.index(False)
        missing = {"self": input} if numbers[0] else {"other": other}
        return row, (tensors[at],), (arrays[at],), missing

    register(prepare, (name,), "special", inplace=False)


def _rows_of_overloads(
    base: str, forward: Callable[..., object], formulas: dict[str, Any], about: dict[str, Any]
) -> dict[tuple[bool, ...], OpRow]:
    """The rows by which of the two is a number."""
    camel = "".join(part.capitalize() for part in base.split("_"))
    node = {"special_xlog1py": "SpecialXlog1PyBackward"}.get(base, f"{camel}Backward")
    rows: dict[tuple[bool, ...], OpRow] = {
        (False, False): op(base, "self, other", forward, node=node + "0", **about, **formulas)
    }
    for number, (missing, there) in enumerate((("self", "other"), ("other", "self")), start=1):
        rows[missing == "self", missing == "other"] = op(
            base,
            there,
            _with_number(forward, missing == "self"),
            key=f"{base}_{missing}_number",
            node=f"{node}{number}",
            **about,
            **{key: formulas[key] for key in (there,) if key in formulas},
        )
    return rows


def _with_number(forward: Callable[..., object], first: bool) -> Callable[..., object]:
    if first:
        return lambda y, *, self: forward(np.asarray(self, y.dtype), y)
    return lambda x, *, other: forward(x, np.asarray(other, x.dtype))


def _refuse_numbers(base: str, names: str, input: float, other: float) -> None:
    x, y = names.split()
    first = "Number self" if x == "input" else f"Number {x}"
    raise TypeError(
        f"{base}() received an invalid combination of arguments - got ({type(input).__name__}, "
        f"{type(other).__name__}), but expected one of:\n * (Tensor {x}, Tensor {y}, *, Tensor out = None)\n"
        f" * ({first}, Tensor {y}, *, Tensor out = None)\n * (Tensor {x}, Number {y}, *, Tensor out = None)\n"
    )


def _log1p_or_zero(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
    if isinstance(other, Tensor):
        return (grad * other.log1p()).masked_fill((self == 0.0) & (other <= -1.0), 0.0)
    logarithm = float(np.log1p(np.float64(other)))
    return (grad * logarithm).masked_fill(self == 0.0, 0.0) if other <= -1.0 else grad * logarithm


def _xlog1py(x: Array, y: Array) -> Array:
    return np.where(np.isnan(y), np.nan, np.where(x == 0, 0.0, x * np.log1p(y)))


_overloads(
    "xlog1py",
    _xlog1py,
    r"x \ln(1 + y)",
    "x · ln(1 + y), and 0 where x is 0.",
    {"self": expressed("grad * log(1 + other)", _log1p_or_zero), "other": "grad * self / (other + 1)"},
    "input other",
    True,
)
_overloads(
    "zeta",
    functions.zeta,
    r"\zeta(x, q)",
    "Hurwitz's zeta function.",
    {
        "self": sentence("PyTorch has none", lambda: _no_gradient("zeta")),
        "other": "grad * -self * zeta(self + 1.0, other)",
    },
    "input other",
    False,
)


def _incomplete(name: str, alias: str, forward: Callable[..., object], latex: str, sign: int) -> None:
    def slope(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
        density = F["exp"]((self - 1) * F["log"](other) - other - F["lgamma"](self))
        return grad * density if sign > 0 else -grad * density

    row = op(
        name,
        "self, other",
        _in_double(forward),
        category="functions",
        symbol=name,
        latex=latex,
        brief="The regularized incomplete gamma function.",
        self=sentence("PyTorch has none", lambda: _no_gradient(f"{name}: input")),
        other=expressed(f"{'' if sign > 0 else '-'}grad * other ** (self - 1) * exp(-other) / gamma(self)", slope),
    )

    def prepare(input: Tensor, other: Tensor) -> Prepared:
        for at, (argument, value) in enumerate((("input", input), ("other", other)), start=1):
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"{name}(): argument '{argument}' (position {at}) must be Tensor, not {type(value).__name__}"
                )
        target = result_type(input, other)
        if target.rank < 2:
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{target.title}'")
        _check_type(target, f"{name}_cpu", True)
        check_broadcast(input._data, other._data)
        return row, (input, other), (cast(input, target), cast(other, target)), NO_PARAMS

    register(prepare, (name,))
    register(prepare, (alias,), "special", inplace=False)


_incomplete("igamma", "gammainc", functions.igamma, r"P(a, x)", 1)
_incomplete("igammac", "gammaincc", functions.igammac, r"Q(a, x)", -1)

# --- polynomials ---

for _shifted in ("", "shifted_"):
    for _kind, _values in functions.chebyshev_kinds(bool(_shifted)).items():
        _brief = f"Chebyshev's polynomial {_kind.upper()}{' over [0, 1]' if _shifted else ''}."
        _overloads(
            f"{_shifted}chebyshev_polynomial_{_kind}", _values, rf"{_kind.upper()}_n(x)", _brief, {}, "x n", False
        )
for _name, _values, _latex, _brief in (
    ("hermite_polynomial_h", functions.hermite_h, r"H_n(x)", "Hermite's polynomial of physics."),
    ("hermite_polynomial_he", functions.hermite_he, r"He_n(x)", "Hermite's polynomial of probability theory."),
    ("laguerre_polynomial_l", functions.laguerre_l, r"L_n(x)", "Laguerre's polynomial."),
    ("legendre_polynomial_p", functions.legendre_p, r"P_n(x)", "Legendre's polynomial."),
):
    _overloads(_name, _values, _latex, _brief, {}, "x n", False)
