"""The expression of a formula and how a person writes it: a small tree of signs, fractions, powers and roots, made from
the syntax tree of the expression. `in_line` writes it on one line, "grad · 3 · self²"; the window draws it with real
fractions (`gradviz/ui/formula.py`). For a recorded operation the values of its parameters are filled in
(`typeset_with`).

Nothing is computed here. Where expressions come from and how they become functions: `formula.py`."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

# --- parts of a formula ---


@dataclass(frozen=True)
class Sign:
    """An atom. `kind` is "sign", "number", "word" (of a function or of English) or "name" (an operand)."""

    text: str
    kind: str = "sign"


@dataclass(frozen=True)
class Row:
    """Parts side by side without added space; signs bring their own spaces."""

    parts: tuple[Math, ...]


@dataclass(frozen=True)
class Fraction:
    """A fraction, including brackets that only the one-line form needs. `line` is the one-line form, if there is a
    special one."""

    above: Math
    below: Math
    between: str = " / "
    line: str = ""


@dataclass(frozen=True)
class Root:
    """The square root."""

    inside: Math


@dataclass(frozen=True)
class Script:
    """A base with a superscript and a subscript; above and below the base if it is a sum."""

    base: Math
    raised: Math | None = None
    lowered: Math | None = None


@dataclass(frozen=True)
class Bracketed:
    """Something in brackets, or in the bars of a norm."""

    inside: Math
    left: str = "("
    right: str = ")"


@dataclass(frozen=True)
class Cases:
    """One value if a condition holds, another otherwise."""

    one: Math
    condition: Math
    other: Math


Math = Sign | Row | Fraction | Root | Script | Bracketed | Cases
Number = int | float
_RAISED = str.maketrans("0123456789−+nTH", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵀᴴ")
_SMALL = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵀᴴ")


def in_line(written: Math) -> str:
    """The expression as one line of text."""
    match written:
        case Sign(text):
            return text
        case Row(parts):
            return "".join(map(in_line, parts))
        case Fraction(above, below, between, line):
            return line or f"{in_line(above)}{between}{in_line(below)}"
        case Root(inside):
            return f"√{in_line(inside)}"
        case Script(base, raised, lowered):
            return in_line(base) + _lowered_in_line(lowered) + _raised_in_line(raised)
        case Bracketed(inside, left, right):
            return f"{left}{in_line(inside)}{right}"
        case Cases(one, condition, other):
            return f"{in_line(one)} where {in_line(condition)}, else {in_line(other)}"


def _raised_in_line(raised: Math | None) -> str:
    if raised is None:
        return ""
    small = in_line(bare(raised)).replace(" ", "").translate(_RAISED)
    return small if set(small) <= _SMALL else f"^{in_line(raised)}"


def _lowered_in_line(lowered: Math | None) -> str:
    return "" if lowered is None else f"_{in_line(lowered)}"


def bare(written: Math) -> Math:
    """Without outer brackets that only the one-line form needs."""
    return written.inside if isinstance(written, Bracketed) and written.left == "(" else written


def named(written: Math, words: Mapping[str, Math]) -> Math:
    """With other words for the operands; a bracketed operand gets no second pair of brackets."""
    match written:
        case Sign(text, "name"):
            return words.get(text, written)
        case Bracketed(Sign(text, "name"), "(") if isinstance(words.get(text), Bracketed):
            return words[text]
        case Bracketed(inside, left, right):
            return Bracketed(named(inside, words), left, right)
        case Row(parts):
            return Row(tuple(named(part, words) for part in parts))
        case Fraction(above, below, between, line):
            return Fraction(named(above, words), named(below, words), between, line)
        case Root(inside):
            return Root(named(inside, words))
        case Script(base, raised, lowered):
            return Script(named(base, words), raised and named(raised, words), lowered and named(lowered, words))
        case Cases(one, condition, other):
            return Cases(named(one, words), named(condition, words), named(other, words))
    return written


def names_in(written: Math) -> frozenset[str]:
    """The operands that it mentions."""
    found: set[str] = set()

    class Seen(dict[str, Math]):
        def get(self, key: str, default: object = None) -> Math:
            found.add(key)
            return Sign(key, "name")

    named(written, Seen())
    return frozenset(found)


# --- the syntax tree, typeset ---


NUMBERS = {"pi": math.pi, "inf": math.inf}  # names that are no operands
_WHERE, _COMPARED, _SUM, _PRODUCT, _POWER, _ATOM = range(6)  # binding strength of a part, ascending
Part = tuple[Math, int]


class Given(float):
    """A number that the snippet gave, shown as it was written: 0.5, not ½."""


# how a function is written: its argument gets brackets if it is more than a name
_WORDS = {
    "log": "ln {}", "sin": "sin {}", "cos": "cos {}", "sinh": "sinh {}", "cosh": "cosh {}",
    "sgn": "sign {}", "complex_sgn": "sgn {}", "sum": "Σ {}",
    "isnan": "{} is NaN", "isfinite": "{} is finite", "logical_not": "not {}",
}  # fmt: skip
_RAISING = {"adjoint": "T", "inverse": "−1", "inverse_adjoint": "−T"}
_NAMES = {  # functions whose arguments always have brackets
    "sigmoid": "σ", "digamma": "ψ", "trigamma": "ψ′", "ndtr": "Φ", "normal_density": "φ", "zeta": "ζ", "gamma": "Γ",
    "i1": "I₁", "conjugate": "conj",
}  # fmt: skip
_INFIX = {"outer": " ⊗ ", "cross": " × ", "logical_or": " or ", "logical_and": " and "}
_ONLY_NUMBERS = ("log", "sqrt")  # functions that take numbers only
_SYMBOLS = {"pi": "π", "inf": "∞"}
_SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥",
}  # fmt: skip


def called(node: ast.Call) -> str:
    """The name of the function that is called."""
    assert isinstance(node.func, ast.Name)
    return node.func.id


def typeset(tree: ast.expr) -> Math:
    """An expression as a person writes it."""
    return _set(tree)[0]


def _set(node: ast.expr) -> Part:
    if isinstance(node, ast.Constant):
        return _number(node.value), _ATOM
    if isinstance(node, ast.Name):
        symbol = _SYMBOLS.get(node.id)
        return Sign(node.id, "name") if symbol is None else Sign(symbol), _ATOM
    if isinstance(node, ast.Compare):
        return _compared(node), _COMPARED
    if isinstance(node, ast.Call) and called(node) not in _FACTORS and not _whole_power(node):
        return _call(node)
    if isinstance(node, ast.BinOp) and (made := _between(node)):
        return made
    return _Product(node).part()


def _within(node: ast.expr, rank: int) -> Math:
    """The expression as part of something with binding strength `rank`."""
    written, own = _set(node)
    return written if own >= rank else Bracketed(written)


def _number(value: object) -> Math:
    if value == 0.5 and not isinstance(value, Given):
        return Fraction(Sign("1", "number"), Sign("2", "number"), line="½")
    return Sign((f"{value:g}" if isinstance(value, float) else str(value)).replace("-", "−"), "number")


def _joined(between: str, parts: list[Math]) -> Math:
    found = [each for part in parts for each in (Sign(between), part)]
    return Row(tuple(found[1:]))


def _compared(node: ast.Compare) -> Math:
    parts = [_within(node.left, _SUM)]
    for sign, each in zip(node.ops, node.comparators, strict=True):
        parts += [Sign(f" {_SIGNS[type(sign)]} "), _within(each, _SUM)]
    return Row(tuple(parts))


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
        written = _joined(_INFIX[name], [_within(each, _COMPARED if loose else _POWER) for each in args])
        return written, _COMPARED if loose else _PRODUCT
    if name == "sqrt":
        return Root(_within(args[0], _ATOM)), _POWER
    if name in _RAISING:
        return Script(_within(args[0], _ATOM), Sign(_RAISING[name])), _POWER
    inside, rank = _set(args[0])
    if name in ("abs", "norm"):
        bar = "|" if name == "abs" else "‖"
        return Bracketed(inside, bar, bar), _ATOM
    if name not in _WORDS:
        given = _joined(", ", [inside, *(_set(each)[0] for each in args[1:])])
        return Row((Sign(_NAMES.get(name, name), "word"), Bracketed(given))), _ATOM
    word = _WORDS[name]
    if rank < _ATOM or (isinstance(args[0], ast.Constant) and str(args[0].value).startswith("-")):
        inside, word = Bracketed(inside), word if word == "not {}" else word.replace(" {", "{")
    before, after = word.split("{}")
    parts = (Sign(before, "word"), inside, Sign(after, "word"))
    return Row(tuple(part for part in parts if part != Sign("", "word"))), _POWER


def _chosen(condition: ast.expr, one: ast.expr, other: ast.expr) -> Math:
    if isinstance(condition, ast.Call) and called(condition) == "logical_not":
        condition, one, other = condition.args[0], other, one
    return Cases(_within(one, _SUM), _within(condition, _COMPARED), _within(other, _SUM))


def _power(base: ast.expr, exponent: ast.expr) -> Part:
    return Script(_within(base, _ATOM), _within(exponent, _ATOM)), _POWER


def _between(node: ast.BinOp) -> Part | None:
    """The sign between two parts; products are assembled by `_Product`."""
    if isinstance(node.op, (ast.Add, ast.Sub)):
        return _sum(node), _SUM
    if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        word = " and " if isinstance(node.op, ast.BitAnd) else " or "
        return _joined(word, [_within(each, _SUM) for each in (node.left, node.right)]), _COMPARED
    if isinstance(node.op, ast.MatMult):
        return _joined(" @ ", [_within(node.left, _PRODUCT), _within(node.right, _POWER)]), _PRODUCT
    if _is_fraction(node):
        return Fraction(_within(node.left, _POWER), _within(node.right, _POWER), "/"), _POWER
    if isinstance(node.op, ast.Pow) and _whole_power(node) is None:
        return _power(node.left, node.right)
    return None


def _without_minus(written: Math) -> Math | None:
    """The expression without its leading minus; None if it has none."""
    if isinstance(written, Sign) and written.text.startswith("−"):
        return Sign(written.text[1:], written.kind)
    if isinstance(written, Row) and (first := _without_minus(written.parts[0])) is not None:
        return Row(written.parts[1:] if first == Sign("") else (first, *written.parts[1:]))
    if isinstance(written, Fraction) and (above := _without_minus(written.above)) is not None:
        return Fraction(above, written.below, written.between)
    return None


def _terms(node: ast.expr, negative: bool) -> list[tuple[bool, Math]]:
    """The terms of a sum, each with whether it is subtracted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        taken = isinstance(node.op, ast.Sub)
        return [*_terms(node.left, negative), *_terms(node.right, negative != taken)]
    written = _within(node, _PRODUCT)
    positive = _without_minus(written)
    return [(negative, written) if positive is None else (not negative, positive)]


def _sum(node: ast.expr) -> Math:
    terms = _terms(node, False)
    positive = [at for at, (negative, _) in enumerate(terms) if not negative]
    if positive:  # 1 − x², not −x² + 1
        terms.insert(0, terms.pop(positive[0]))
    first, *rest = terms
    parts = [Sign("−"), first[1]] if first[0] else [first[1]]
    for less, term in rest:
        parts += [Sign(" − " if less else " + "), term]
    return Row(tuple(parts))


def _is_fraction(node: ast.BinOp) -> bool:
    """Whether it is a fraction of numbers, which stays together: 2/√π."""
    return isinstance(node.op, ast.Div) and all(
        each.id in NUMBERS or each.id in _ONLY_NUMBERS for each in ast.walk(node) if isinstance(each, ast.Name)
    )


def _whole_power(node: ast.expr) -> tuple[ast.expr, int] | None:
    """Base and exponent, if the exponent is a whole number."""
    sides: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Call) and called(node) in ("pow", "square"):
        sides = [*node.args, ast.Constant(2)] if called(node) == "square" else node.args
    exponent = sides[1].value if len(sides) == 2 and isinstance(sides[1], ast.Constant) else None
    return (sides[0], exponent) if type(exponent) is int else None


_FACTORS = frozenset("conj neg reciprocal rsqrt square".split())  # functions that a product splits into factors


class _Product:
    """A product split into its sign, numerator and denominator. Equal factors become a power; the conjugate, which real
    numbers do not need, is not shown."""

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
        if at > 1 or (at == 1 and not isinstance(above[0][0], ast.Constant)):  # first, except after a number
            above.insert(0, above.pop(at))
        alone = len(above) == 1 and not self.below and not self.negative
        if alone and above[0][1] == 1:
            return _set(above[0][0])
        written = _side_by_side(above) if above else Sign("1", "number")
        if self.below:
            bottom = _side_by_side(self.below)
            written = Fraction(written, Bracketed(bottom) if len(self.below) > 1 else bottom)
        if self.negative:
            written = Row((Sign("−"), written))
        return written, _POWER if alone else _PRODUCT


def _side_by_side(factors: list[tuple[ast.expr, int]]) -> Math:
    """Factors joined by dots, except in "2 (a − b)" and "2π"."""
    parts: list[Math] = []
    after_number = False
    for factor, times in factors:
        rank = _POWER if parts or len(factors) == 1 else _PRODUCT
        one = _within(factor, rank) if times == 1 else Script(_within(factor, _ATOM), _number(times))
        if parts:
            begins = in_line(one)
            close = "" if begins == "π" else " " if begins.startswith("(") else " · "
            parts.append(Sign(close if after_number else " · "))
        parts.append(one)
        after_number = isinstance(factor, ast.Constant)
    return parts[0] if len(parts) == 1 else Row(tuple(parts))


# --- the grammar ---


_ALLOWED = frozenset((
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call, ast.keyword, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add,
    ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.BitAnd, ast.BitOr, ast.Compare, ast.Eq, ast.NotEq, ast.Lt,
    ast.LtE, ast.Gt, ast.GtE,
))  # fmt: skip


@functools.cache
def parse(text: str) -> tuple[ast.expr, tuple[str, ...]]:
    """The tree of an expression and the names that it asks for, `grad` first; raises `ValueError` if it contains
    anything but names, numbers, operators and calls by name."""
    tree = ast.parse(text, mode="eval").body
    names: dict[tuple[bool, int], str] = {}
    functions = set()
    for node in ast.walk(tree):
        kind = type(node)
        indirect = kind is ast.Call and type(node.func) is not ast.Name  # type: ignore[attr-defined]
        if indirect or kind not in _ALLOWED or (kind is ast.Name and node.id[0] == "_"):  # type: ignore[attr-defined]
            raise ValueError(f"{kind.__name__} is not allowed in a formula: {text}")
        if kind is ast.Call:
            functions.add(node.func.col_offset)  # type: ignore[attr-defined]
        elif kind is ast.Name and node.id not in NUMBERS:  # type: ignore[attr-defined]
            names[node.id != "grad", node.col_offset] = node.id  # type: ignore[attr-defined]
    return tree, tuple(dict.fromkeys(name for at, name in sorted(names.items()) if at[1] not in functions))


# --- numbers filled in ---


_LONGEST = 4_000  # characters of an expression


@functools.lru_cache(4_000)
def typeset_with(expression: str, numbers: tuple[tuple[str, Number], ...], is_complex: bool) -> Math:
    """An expression whose parameters are known: `grad * n * self ** (n - 1)` with n = 3 becomes "grad · 3 · self²". For
    complex numbers it shows the conjugates. Raises `ValueError` for what is no expression."""
    if len(expression) > _LONGEST:
        raise ValueError("a formula is too long")
    try:
        tree, _ = parse(expression)
        return typeset(_Known(dict(numbers), is_complex).visit(ast.parse(ast.unparse(tree), mode="eval").body))
    except (SyntaxError, RecursionError, MemoryError, AssertionError, ArithmeticError) as error:
        raise ValueError(f"not a formula: {expression[:80]}") from error


def _constant(node: ast.expr) -> Number | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class _Known(ast.NodeTransformer):
    """Replaces parameters by numbers; what becomes trivial (a factor 1, a power of 0 or 1) is not written."""

    def __init__(self, numbers: Mapping[str, Number], is_complex: bool) -> None:
        self.numbers, self.is_complex = numbers, is_complex

    def visit_Name(self, node: ast.Name) -> ast.expr:
        number = self.numbers.get(node.id)
        return node if number is None else ast.Constant(Given(number) if isinstance(number, float) else number)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name, args = called(node), [self.visit(each) for each in node.args]
        if name == "conj":  # not needed for real numbers
            is_real = not self.is_complex or _constant(args[0]) is not None
            return args[0] if is_real else ast.Call(ast.Name("conjugate"), args, [])
        name = "complex_sgn" if name == "sgn" and self.is_complex else name  # z / |z|
        return ast.Call(ast.Name(name), args, [])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """min ≤ x ≤ max without an infinite bound."""
        sides = [self.visit(each) for each in (node.left, *node.comparators)]
        signs = [*node.ops]
        if len(sides) > 2 and _constant(sides[-1]) == math.inf:
            del sides[-1], signs[-1]
        if len(sides) > 2 and _constant(sides[0]) == -math.inf:
            del sides[0], signs[0]
        return ast.Compare(sides[0], signs, sides[1:])

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left: ast.expr = self.visit(node.left)
        right: ast.expr = self.visit(node.right)
        one, other = _constant(left), _constant(right)
        if one is not None and other is not None and isinstance(node.op, (ast.Add, ast.Sub)):
            return ast.Constant(one + other if isinstance(node.op, ast.Add) else one - other)
        if isinstance(node.op, ast.Pow) and other is not None:
            return self._power(left, other)
        if isinstance(node.op, (ast.Mult, ast.Div)):
            if other == 1:
                return left
            if one == 1 and isinstance(node.op, ast.Mult):
                return right
            for factor, at_left in ((one, True), (other, False)):
                if factor is not None and factor < 0:
                    positive = ast.Constant(type(factor)(-factor))
                    found = ast.BinOp(positive if at_left else left, node.op, right if at_left else positive)
                    return ast.UnaryOp(ast.USub(), self.visit_BinOp(found))
        return ast.BinOp(left, node.op, right)

    @staticmethod
    def _power(base: ast.expr, exponent: Number) -> ast.expr:
        if exponent in (0, 1):
            return base if exponent else ast.Constant(1)
        if exponent == 0.5:
            return ast.Call(ast.Name("sqrt"), [base], [])
        whole = int(exponent) if float(exponent).is_integer() else exponent
        return ast.BinOp(base, ast.Pow(), ast.Constant(whole))
