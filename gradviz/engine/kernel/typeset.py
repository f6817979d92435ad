"""Formulas as a person writes them, in one line: `grad * conj(result) * log(2)` becomes "grad · result · ln 2". Made
from the tree of an expression that `formula.py` has parsed and checked; nothing is computed here."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

NUMBERS = {"pi": math.pi, "inf": math.inf}  # names that are no operands
_WHERE, _COMPARED, _SUM, _PRODUCT, _POWER, _ATOM = range(6)  # how tightly a part holds together
Part = tuple[str, int]


class Given(float):
    """A number that the snippet gave, which stays as it was written: 0.5, not ½."""


# how a function is written: its argument gets brackets if it is more than a name
_WORDS = {
    "sqrt": "√{}", "log": "ln {}", "sin": "sin {}", "cos": "cos {}", "sinh": "sinh {}", "cosh": "cosh {}",
    "sgn": "sign {}", "sum": "Σ {}", "isnan": "{} is NaN", "isfinite": "{} is finite", "logical_not": "not {}",
    "adjoint": "{}ᵀ", "inverse": "{}⁻¹", "inverse_adjoint": "{}⁻ᵀ",
}  # fmt: skip
_NAMES = {  # of functions whose arguments always have brackets
    "sigmoid": "σ", "digamma": "ψ", "trigamma": "ψ′", "ndtr": "Φ", "normal_density": "φ", "zeta": "ζ", "gamma": "Γ",
    "i1": "I₁", "conjugate": "conj",
}  # fmt: skip
_INFIX = {"outer": " ⊗ ", "cross": " × ", "logical_or": " or ", "logical_and": " and "}
_OF_NUMBERS = ("log", "sqrt")  # functions of numbers
_SYMBOLS = {"pi": "π", "inf": "∞"}
_SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥",
}  # fmt: skip
_SMALL = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")
_RAISED = str.maketrans("0123456789−+n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")


def called(node: ast.Call) -> str:
    """The name of the function."""
    assert isinstance(node.func, ast.Name)
    return node.func.id


def typeset(tree: ast.expr) -> str:
    """The text of an expression."""
    return _set(tree)[0]


def _set(node: ast.expr) -> Part:
    if isinstance(node, ast.Constant):
        return _number(node.value), _ATOM
    if isinstance(node, ast.Name):
        return _SYMBOLS.get(node.id, node.id), _ATOM
    if isinstance(node, ast.Compare):
        return _compared(node), _COMPARED
    if isinstance(node, ast.Call) and called(node) not in _FACTORS and not _whole_power(node):
        return _call(node)
    if isinstance(node, ast.BinOp) and (made := _between(node)):
        return made
    return _Product(node).part()


def _within(node: ast.expr, rank: int) -> str:
    """The text as part of something that holds its parts together as tightly as `rank`."""
    text, own = _set(node)
    return text if own >= rank else f"({text})"


def _number(value: object) -> str:
    if value == 0.5 and not isinstance(value, Given):
        return "½"
    return (f"{value:g}" if isinstance(value, float) else str(value)).replace("-", "−")


def _compared(node: ast.Compare) -> str:
    parts = [_within(node.left, _SUM)]
    for sign, each in zip(node.ops, node.comparators, strict=True):
        parts += [_SIGNS[type(sign)], _within(each, _SUM)]
    return " ".join(parts)


def _call(node: ast.Call) -> Part:
    name, args = called(node), node.args
    if name == "where":
        return _chosen(*args), _WHERE
    if name == "masked_fill":
        return _chosen(args[1], args[2], args[0]), _WHERE
    if name in ("pow", "exp2"):
        return _power(*args) if name == "pow" else _power(ast.Constant(2), args[0])
    if name in _INFIX:
        loose = name.startswith("logical")
        text = _INFIX[name].join(_within(each, _COMPARED if loose else _POWER) for each in args)
        return text, _COMPARED if loose else _PRODUCT
    text, rank = _set(args[0])
    if name in ("abs", "norm"):
        return f"|{text}|" if name == "abs" else f"‖{text}‖", _ATOM
    if name not in _WORDS:
        return f"{_NAMES.get(name, name)}({', '.join([text, *(_set(each)[0] for each in args[1:])])})", _ATOM
    word = _WORDS[name]
    if rank < _ATOM:
        text, word = f"({text})", word if word == "not {}" else word.replace(" {", "{")
    return word.format(text), _POWER


def _chosen(condition: ast.expr, one: ast.expr, other: ast.expr) -> str:
    if isinstance(condition, ast.Call) and called(condition) == "logical_not":
        condition, one, other = condition.args[0], other, one
    return f"{_within(one, _SUM)} where {_within(condition, _COMPARED)}, else {_within(other, _SUM)}"


def _power(base: ast.expr, exponent: ast.expr) -> Part:
    raised = _set(exponent)[0].replace(" ", "").translate(_RAISED)
    if not set(raised) <= _SMALL:
        raised = "^" + _within(exponent, _ATOM)
    return _within(base, _ATOM) + raised, _POWER


def _between(node: ast.BinOp) -> Part | None:
    """What stands between two parts; products are put together by `_Product`."""
    if isinstance(node.op, (ast.Add, ast.Sub)):
        return _sum(node), _SUM
    if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        word = " and " if isinstance(node.op, ast.BitAnd) else " or "
        return word.join(_within(each, _SUM) for each in (node.left, node.right)), _COMPARED
    if isinstance(node.op, ast.MatMult):
        return f"{_within(node.left, _PRODUCT)} @ {_within(node.right, _POWER)}", _PRODUCT
    if _is_fraction(node):
        return f"{_within(node.left, _POWER)}/{_within(node.right, _POWER)}", _POWER
    if isinstance(node.op, ast.Pow) and _whole_power(node) is None:
        return _power(node.left, node.right)
    return None


def _terms(node: ast.expr, negative: bool) -> list[tuple[bool, str]]:
    """The terms of a sum, each with whether it is taken away."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        taken = isinstance(node.op, ast.Sub)
        return [*_terms(node.left, negative), *_terms(node.right, negative != taken)]
    text = _within(node, _PRODUCT)
    return [(not negative, text[1:]) if text.startswith("−") else (negative, text)]


def _sum(node: ast.expr) -> str:
    terms = _terms(node, False)
    positive = [at for at, (negative, _) in enumerate(terms) if not negative]
    if positive:  # 1 − x², not −x² + 1
        terms.insert(0, terms.pop(positive[0]))
    first, *rest = terms
    return ("−" if first[0] else "") + first[1] + "".join(f" {'−' if less else '+'} {text}" for less, text in rest)


def _is_fraction(node: ast.BinOp) -> bool:
    """Whether it is a fraction of numbers, which stays together: 2/√π."""
    return isinstance(node.op, ast.Div) and all(
        each.id in NUMBERS or each.id in _OF_NUMBERS for each in ast.walk(node) if isinstance(each, ast.Name)
    )


def _whole_power(node: ast.expr) -> tuple[ast.expr, int] | None:
    """Base and exponent, where that is a whole number."""
    sides: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Call):
        sides = [*node.args, ast.Constant(2)] if called(node) == "square" else node.args
    exponent = sides[1].value if len(sides) == 2 and isinstance(sides[1], ast.Constant) else None
    return (sides[0], exponent) if type(exponent) is int else None


_FACTORS = frozenset("conj neg reciprocal rsqrt square".split())  # functions that a product takes apart


class _Product:
    """A product taken apart: its sign, what multiplies and what divides. Equal factors become a power; the conjugate,
    which real numbers do not have, is not shown."""

    def __init__(self, node: ast.expr) -> None:
        self.negative = False
        self.above: list[tuple[ast.expr, int]] = []
        self.below: list[tuple[ast.expr, int]] = []
        self._take(node, self.above, self.below)

    def _take(self, node: ast.expr, above: list[tuple[ast.expr, int]], below: list[tuple[ast.expr, int]]) -> None:
        name = called(node) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.UnaryOp):
            self.negative = not self.negative
            self._take(node.operand, above, below)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)) and not _is_fraction(node):
            divides = isinstance(node.op, ast.Div)
            self._take(node.left, above, below)
            self._take(node.right, *((below, above) if divides else (above, below)))
        elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.UnaryOp) and _is_fraction(node):
            self.negative = not self.negative
            self._add(ast.BinOp(node.left.operand, node.op, node.right), 1, above)
        elif power := _whole_power(node):
            self._add(*power, above)
        elif isinstance(node, ast.Call) and name in _FACTORS:
            self.negative ^= name == "neg"
            inside = ast.Call(ast.Name("sqrt"), node.args, []) if name == "rsqrt" else node.args[0]
            self._take(inside, *((below, above) if name in ("reciprocal", "rsqrt") else (above, below)))
        else:
            self._add(node, 1, above)

    @staticmethod
    def _add(factor: ast.expr, times: int, into: list[tuple[ast.expr, int]]) -> None:
        for at, (known, power) in enumerate(into):
            if ast.dump(known) == ast.dump(factor) and not isinstance(factor, ast.Constant):
                into[at] = known, power + times
                return
        into.append((factor, times))

    def part(self) -> Part:
        above = [each for each in self.above if not (isinstance(each[0], ast.Constant) and each[0].value == 1)]
        at = next((i for i, (each, _) in enumerate(above) if isinstance(each, ast.Name) and each.id == "grad"), 0)
        if at > 1 or (at == 1 and not isinstance(above[0][0], ast.Constant)):  # first, but for a number before it
            above.insert(0, above.pop(at))
        alone = len(above) == 1 and not self.below and not self.negative
        if alone and above[0][1] == 1:
            return _set(above[0][0])
        text = ("−" if self.negative else "") + (_side_by_side(above) if above else "1")
        if self.below:
            bottom = _side_by_side(self.below)
            text += f" / ({bottom})" if len(self.below) > 1 else f" / {bottom}"
        return text, _POWER if alone else _PRODUCT


def _side_by_side(factors: list[tuple[ast.expr, int]]) -> str:
    """Factors with dots between them, but for "2 (a − b)" and "2π"."""
    text, after_number = "", False
    for factor, times in factors:
        rank = _POWER if text or len(factors) == 1 else _PRODUCT
        one = _within(factor, rank) if times == 1 else _within(factor, _ATOM) + str(times).translate(_RAISED)
        between = "" if one == "π" else " " if one.startswith("(") else " · "
        text += one if not text else (between if after_number else " · ") + one
        after_number = isinstance(factor, ast.Constant)
    return text
