"""Reads a gradient formula as the screen shows it, `grad · result · ln 2`, and computes it in plain NumPy.

It shares with the engine neither the expression nor the operations on tensors. So a formula that is written,
typeset or computed wrongly differs from the gradient that the engine sends (`test_formulas.py`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradviz.engine.numerics import bessel, functions

Array = Any
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n", strict=True))
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:e-?\d+)?|½)|(?P<raised>⁻ᵀ|⁻¹(?!\d)|ᵀ|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+)"
    r"|(?P<name>[A-Za-z_σψΦφζΓΣπ∞∂][A-Za-z_0-9₁′]*)|(?P<sign>[-−+·×⊗/@^=≠<>≤≥()|‖,√]))"
)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def trigamma(x: Array) -> Array:
    return functions.zeta(2.0, np.asarray(x, np.float64))


def polygamma(n: Array, x: Array) -> Array:
    return (-1.0) ** (n + 1) * math.factorial(int(n)) * functions.zeta(float(n + 1), np.asarray(x, np.float64))


FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "exp": np.exp, "ln": np.log, "sin": np.sin, "cos": np.cos, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "sign": np.sign, "σ": sigmoid, "ψ": functions.digamma, "ψ′": trigamma, "polygamma": polygamma, "floor": np.floor,
    "trunc": np.trunc, "conj": np.conj, "clamp": np.clip, "erfinv": functions.erfinv, "ζ": functions.zeta,
    "softplus": lambda x: np.log1p(np.exp(x)), "i0": bessel.i0, "I₁": bessel.i1,
    "Φ": lambda x: 0.5 * (1 + functions.erf(x / math.sqrt(2))),
    "φ": lambda x: np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    "i0e": lambda x: bessel.i0(x) * np.exp(-np.abs(x)), "i1e": lambda x: bessel.i1(x) * np.exp(-np.abs(x)),
    "Γ": lambda x: np.vectorize(math.gamma)(x),
}  # fmt: skip
_COMPARED: Mapping[str, Callable[..., Array]] = {
    "=": np.equal, "≠": np.not_equal, "<": np.less, "≤": np.less_equal, ">": np.greater, "≥": np.greater_equal,
}  # fmt: skip


def computed(text: str, values: Mapping[str, Array]) -> Array:
    """The value of the formula; `values` are its names. `Σ` adds over `values["dim"]` if there is one."""
    reader = _Reader(text, values)
    found = reader.choice()
    assert reader.here == "", f"cannot read {reader.here!r} in {text!r}"
    return found


class _Reader:
    def __init__(self, text: str, values: Mapping[str, Array]) -> None:
        self.values = values
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            assert match is not None, f"cannot read {text[at:]!r}"
            self.tokens.append((str(match.lastgroup), match[0].strip()))
            at = match.end()
        self.at = 0

    @property
    def here(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        if self.here not in wanted:
            return ""
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, wanted: str) -> None:
        assert self.take(wanted), f"{wanted!r} is missing before {self.here!r}"

    def choice(self) -> Array:
        """a where condition, else b."""
        one = self.sum()
        if not self.take("where"):
            return one
        condition = self.condition()
        self.need(",")
        self.need("else")
        return np.where(condition, one, self.sum())

    def condition(self) -> Array:
        found = self.comparison()
        while word := self.take("and", "or"):
            other = self.comparison()
            found = found & other if word == "and" else found | other
        return found

    def comparison(self) -> Array:
        left = self.sum()
        if self.take("is"):
            return np.isnan(left) if self.take("NaN") else (self.need("finite"), np.isfinite(left))[1]
        found = None
        while sign := self.take(*_COMPARED):
            right = self.sum()
            held = _COMPARED[sign](left, right)
            found, left = held if found is None else found & held, right
        return left.astype(bool) if found is None else found

    def sum(self) -> Array:
        negative = self.take("−", "-")
        found = self.product()
        found = -found if negative else found
        while sign := self.take("+", "−", "-"):
            found = found + self.product() if sign == "+" else found - self.product()
        return found

    def product(self) -> Array:
        found, beside = self.power(), self.tokens[self.at - 1][0] == "number"
        while True:
            if sign := self.take("·", "/", "@", "⊗", "×"):
                beside = self.kind == "number"
                found = self.times(sign, found, self.power())
            elif beside and (self.here == "(" or self.here == "π"):  # 2 (a − b), 2π
                beside, found = False, found * self.power()
            else:
                return found

    def times(self, sign: str, left: Array, right: Array) -> Array:
        if sign == "@":
            return left @ right
        if sign == "⊗":
            return np.multiply.outer(left, right)
        if sign == "×":
            return np.cross(left, right, axis=self.values["dim"])
        return left / right if sign == "/" else left * right

    def power(self) -> Array:
        found = self.atom()
        while True:
            if self.kind == "raised":
                found = _raised(found, self.take(self.here), self.values)
            elif self.take("^"):
                found = np.power(np.asarray(found, np.float64), self.atom())
            else:
                return found

    def atom(self) -> Array:
        kind, word = self.kind, self.take(self.here)
        if kind == "number":
            return 0.5 if word == "½" else float(word)
        if word in ("(", "|"):
            found = self.choice()
            if sign := self.take(*_COMPARED):
                found = _COMPARED[sign](found, self.sum())
            self.need(")" if word == "(" else "|")
            return found if word == "(" else np.abs(found)
        if word == "‖":
            found = self.choice()
            self.need("‖")
            return np.sqrt(_total(found * found, self.values))
        if word == "√":
            return np.sqrt(self.power())
        if word == "Σ":
            return _total(self.atom(), self.values)
        if word in FUNCTIONS and word not in self.values:
            return FUNCTIONS[word](*[np.asarray(each) for each in self.arguments()])
        constants = {"π": math.pi, "∞": math.inf}
        return constants[word] if word in constants else self.values[word]

    def arguments(self) -> list[Array]:
        if not self.take("("):
            return [self.atom()]
        found = [self.choice()]
        while self.take(","):
            found.append(self.choice())
        self.need(")")
        return found


def _raised(base: Array, sign: str, values: Mapping[str, Array]) -> Array:
    if sign in ("ᵀ", "⁻ᵀ"):
        turned = np.swapaxes(base, -1, -2) if np.ndim(base) > 1 else base
        return turned if sign == "ᵀ" else np.linalg.inv(turned)
    exponent = "".join(_RAISED[each] for each in sign)
    n = values["n"] if "n" in exponent else 0
    whole = re.fullmatch(r"(n?)([-+]?\d+)?", exponent)
    assert whole is not None
    return np.asarray(base, np.float64) ** ((n if whole[1] else 0) + int(whole[2] or 0))


def _total(x: Array, values: Mapping[str, Array]) -> Array:
    dim = values.get("dim")
    return np.sum(x) if dim is None or np.ndim(x) == 0 else np.sum(x, axis=dim, keepdims=True)
