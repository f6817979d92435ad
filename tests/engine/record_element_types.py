"""Record what PyTorch answers for each pair of element types: `python tests/engine/record_element_types.py`, with
torch 2.13.0 installed. A result is its type, its shape and its numbers; an error is its type and text."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

GOLDEN = Path(__file__).parent / "golden" / "element_types.json"
TYPES = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
NUMBERS = (True, 2, 1.5, 1j)
ONE = """
abs acos acosh all amax amin aminmax angle any argmax argmin argsort asin asinh atan atanh bitwise_not ceil clone conj
conj_physical cos cosh count_nonzero deg2rad diff digamma erf erfc erfinv exp exp2 expm1 fix floor frac imag isfinite
isinf isnan isneginf isposinf isreal lgamma log log10 log1p log2 logical_not logit max mean median min mode msort
nan_to_num nanmean nanmedian nansum neg nonzero norm numel positive prod rad2deg real reciprocal relu round rsqrt sgn
sigmoid sign signbit sin sinc sinh sort sqrt square std std_mean sum t tan tanh tril triu trunc unique var var_mean
cov corrcoef histc
""".split()
ALONG = """
cumsum cumprod cummax logcumsumexp softmax log_softmax logsumexp max min argmax sum prod mean median std var any all
amax nansum norm mode sort
""".split()
TWO = """
add sub mul div floor_divide remainder fmod pow atan2 hypot maximum minimum fmax fmin eq ne lt le gt ge logical_and
logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign heaviside
xlogy logaddexp logaddexp2 nextafter ldexp gcd lcm float_power isclose allclose equal complex polar rsub cross dist
cdist
""".split()
IN_PLACE = (
    "add sub mul div floor_divide remainder pow eq lt bitwise_and logical_and atan2 fmod copysign xlogy hypot".split()
)
OF_A_NUMBER = """
add sub mul div floor_divide remainder pow fmod eq lt bitwise_and bitwise_or copysign xlogy float_power
bitwise_left_shift ge rsub
""".split()
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "==", "<")
ACTIVATIONS = """
relu gelu silu elu selu celu leaky_relu softplus hardtanh hardsigmoid hardswish mish softsign logsigmoid tanhshrink
softshrink hardshrink relu6 normalize softmin
""".split()
LOSSES = """
mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div
poisson_nll_loss hinge_embedding_loss soft_margin_loss cosine_similarity pairwise_distance
""".split()
# Other calls of two tensors of shape (2, 3).
LINES = """
torch.where(mask, x, y)
torch.lerp(x, y, 0.5)
torch.addcmul(x, y, y)
torch.addcdiv(x, y, y + 1)
torch.clamp(x, y)
x.masked_fill(mask, y[0, 0])
torch.cat([x, y])
torch.stack([x, y])
torch.dot(x[0], y[0])
torch.inner(x[0], y[0])
torch.outer(x[0], y[0])
torch.kron(x, y)
torch.mm(x, y.t())
x @ y.t()
torch.tensordot(x, y.t(), 1)
torch.mv(x, y[0])
torch.bmm(x[None], y.t()[None])
torch.addmm(x[:, :2], x, y.t())
torch.baddbmm(x[None, :, :2], x[None], y.t()[None])
x.lerp_(y, 0.5)
x.addcmul_(y, y)
F.cross_entropy(x, y[:, 0])
F.nll_loss(x, y[:, 0])
F.linear(x, y)
F.embedding(x, y)
F.layer_norm(x, (3,), y[0])
F.batch_norm(x, None, None, y[0], training=True)
F.max_pool1d(x[None], 2)
F.avg_pool1d(x[None], 2)
F.conv1d(x[None], y[None])
F.scaled_dot_product_attention(x[None], y[None], y[None])
x.gather(0, y)
x.index_select(0, y[0])
x.scatter(0, torch.zeros(1, 3, dtype=torch.int64), y)
x[y[0]]
x[y]
x.take(y)
x.index_add(0, torch.tensor([0, 1]), y)
x.__setitem__(0, y[0]) or x
x.__setitem__(mask, y[0, 0]) or x
x.__setitem__(torch.tensor([0]), y[0]) or x
""".strip().splitlines()

# What is written to a given tensor, `y`.
INTO = """
torch.abs(x, out=y)
torch.floor(x, out=y)
torch.exp(x, out=y)
torch.clamp(x, 1, out=y)
torch.bitwise_or(x, x, out=y)
torch.atan2(x, x, out=y)
torch.lerp(x, x, 0.5, out=y)
torch.outer(x[0], x[0], out=y)
torch.mean(x, out=y)
torch.mean(x, 0, out=y)
torch.logsumexp(x, 0, out=y)
torch.any(x, 0, out=y)
torch.nonzero(x, out=y)
torch.isin(x, x, out=y)
torch.signbit(x, out=y)
torch.float_power(x, x, out=y)
torch.stack([x, x], out=y)
torch.dot(x[0], x[0], out=y)
torch.inner(x, x, out=y)
torch.cummax(x, 0, out=(y, torch.empty(0, dtype=torch.int64)))
torch.nan_to_num(x, out=y)
torch.linspace(0, 1, 3, out=y)
torch.arange(3, out=y)
""".strip().splitlines()


def expressions() -> Iterator[tuple[str, str, str, str]]:
    """(name, expression or statement, type of x, type of y) of everything that is compared."""
    for kind in TYPES:
        for name in ONE:
            yield f"{name} {kind}", f"torch.{name}(x)", kind, kind
            yield f"{name}_ {kind}", f"x.{name}_()", kind, kind
        for name in ALONG:
            yield f"{name} along {kind}", f"torch.{name}(x, dim=0)", kind, kind
        for name in OF_A_NUMBER:
            for number in NUMBERS:
                yield f"{name} {kind} {number}", f"torch.{name}(x, {number})", kind, kind
                yield f"{name}_ {kind} {number}", f"x.{name}_({number})", kind, kind
        for name in ACTIVATIONS:
            yield f"F.{name} {kind}", f"F.{name}(x)", kind, kind
        for sign in OPERATORS:
            for number in NUMBERS:
                yield f"{kind} {sign} {number}", f"x {sign} {number}", kind, kind
                yield f"{number} {sign} {kind}", f"{number} {sign} x", kind, kind
        for other in TYPES:
            pair = f"{kind} {other}"
            for name in TWO:
                yield f"{name} {pair}", f"torch.{name}(x, y)", kind, other
            for name in IN_PLACE:
                yield f"{name}_ {pair}", f"x.{name}_(y)", kind, other
            for name in LOSSES:
                yield f"F.{name} {pair}", f"F.{name}(x, y)", kind, other
            for line in (*LINES, *INTO):
                yield f"{line} {pair}", line, kind, other
            for sign in OPERATORS:
                yield f"{kind} {sign} {other}", f"x {sign} y", kind, other
                if sign not in ("==", "<"):
                    yield f"{kind} {sign}= {other}", f"x {sign}= y", kind, other


def results(torch: Any) -> dict[str, str]:
    """What each of them gives, in a line."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, text, kind, other in expressions():
            x, y = made(torch, kind), made(torch, other)
            names = {"torch": torch, "F": torch.nn.functional, "x": x, "y": y, "mask": made(torch, "bool")}
            try:
                result = _run(text, names)
            except (RuntimeError, ValueError, TypeError, IndexError, AttributeError, ArithmeticError) as error:
                found[name] = f"{type(error).__name__}: {str(error)[:160]}"
            else:
                several = result if isinstance(result, tuple | list) else (result,)
                found[name] = "; ".join(_shown(torch, each) for each in several)
    return found


def made(torch: Any, kind: str) -> Any:
    """Small numbers of shape (2, 3) in an element type."""
    numbers = torch.arange(6).reshape(2, 3)
    return numbers % 2 == 0 if kind == "bool" else (numbers % 3).to(getattr(torch, kind))


def _run(text: str, names: dict[str, Any]) -> Any:
    if not re.fullmatch(r"x \S+= y", text) or text == "x == y":
        return eval(text, names)
    exec(text, names)
    return names["x"]


def _shown(torch: Any, value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    numbers = value.detach().flatten().tolist()
    digits = 2 if value.dtype in (torch.float16, torch.bfloat16) else 3
    shown = " ".join(f"{_plain(complex(each).real, digits)}{_imaginary(each, digits)}" for each in numbers)
    return f"{value.dtype} {list(value.shape)} {shown}"


def _plain(number: float, digits: int) -> str:
    return f"{number + 0.0:.{digits}g}" if number else "0"


def _imaginary(number: Any, digits: int) -> str:
    return f"+{_plain(number.imag, digits)}j" if isinstance(number, complex) else ""


def main() -> None:
    import torch

    lines = [f"{json.dumps(name)}: {json.dumps(text)}" for name, text in results(torch).items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
