"""The gradient of one input, written once: the function that the engine runs and the text that the screen shows are
made from the same expression, as in PyTorch's `derivatives.yaml`.

A row of `ops/` gives the gradient as an expression, `"grad * conj(result) * log(2)"`. Its names are what the row saves,
its functions are those of `torch` and the helpers of `ops/`, and nothing else is allowed in it. The function is
compiled when the row runs backward for the first time; the text, `grad · result · ln 2`, is made when somebody looks
(`typeset`).

A rule that needs Python is a function. It says what it computes beside itself: `helper` for one that expressions call,
`expressed` for one that a row has to itself, `jointly` for one of all inputs, and `sentence` where no formula says it.
The tests evaluate what is shown and compare it with what the engine sends. What a row does with its rules: `rows.py`.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, TypeVar

# --- formulas as a person writes them, in one line, from the tree of an expression that was checked ---


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
_ONLY_NUMBERS = ("log", "sqrt")  # functions of numbers
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
        each.id in NUMBERS or each.id in _ONLY_NUMBERS for each in ast.walk(node) if isinstance(each, ast.Name)
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
        one = _within(factor, rank) if times == 1 else _within(factor, _ATOM) + _number(times).translate(_RAISED)
        between = "" if one == "π" else " " if one.startswith("(") else " · "
        text += one if not text else (between if after_number else " · ") + one
        after_number = isinstance(factor, ast.Constant)
    return text


Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

TABLES: list[Mapping[str, Function]] = []  # where a formula's functions are looked up; `api.py` adds its own
_HELPERS: dict[str, tuple[Function, str]] = {}
_OF_NUMBERS: Mapping[str, Callable[[float], float]] = {"log": math.log, "sqrt": math.sqrt}
_ALLOWED = frozenset((
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call, ast.keyword, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add,
    ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.BitAnd, ast.BitOr, ast.Compare, ast.Eq, ast.NotEq, ast.Lt,
    ast.LtE, ast.Gt, ast.GtE,
))  # fmt: skip


@functools.cache
def parse(text: str) -> tuple[ast.expr, tuple[str, ...]]:
    """The tree of an expression and the names that it asks for, `grad` first; `ValueError` where it is more than names,
    numbers, operators and calls by name."""
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


# --- the function ---


def compiled(text: str) -> Function:
    """The expression as a function of its names."""
    tree, names = parse(text)
    if isinstance(tree, ast.Call) and not tree.keywords and [ast.unparse(each) for each in tree.args] == [*names]:
        return _function(called(tree))
    body = _Folded().visit(ast.parse(text, mode="eval").body)
    functions = {called(node) for node in ast.walk(body) if isinstance(node, ast.Call)}
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(parameters, body)))
    inner = compile(whole, f"<formula {text}>", "eval", dont_inherit=True).co_consts
    code = next(each for each in inner if isinstance(each, CodeType))
    return FunctionType(code, {"__builtins__": {}, **{name: _function(name) for name in functions}}, "formula")


class _Folded(ast.NodeTransformer):
    """Puts in the numbers: π, and functions of numbers alone."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(NUMBERS[node.id]) if node.id in NUMBERS else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = called(node)
        node.args = [self.visit(each) for each in node.args]
        if name in _OF_NUMBERS and (value := _value(node.args[0])) is not None:
            return ast.Constant(_OF_NUMBERS[name](value))
        return node


def _value(node: ast.expr) -> float | None:
    """The value of a product or quotient of numbers."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        left, right = _value(node.left), _value(node.right)
        if left is None or right is None:
            return None
        return left * right if isinstance(node.op, ast.Mult) else left / right
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) else None


def _function(name: str) -> Function:
    if name in _HELPERS:
        return _HELPERS[name][0]
    found = next((table[name] for table in TABLES if name in table), None)
    if found is None:
        raise ValueError(f"a formula calls {name}, which is neither a helper nor a function of torch")
    return found


def helper(formula: str) -> Callable[[F], F]:
    """Let expressions call the function by its name; the screen shows its formula, written in its parameters."""

    def register(fn: F) -> F:
        assert fn.__name__ not in _HELPERS, f"two helpers are called {fn.__name__}"
        _HELPERS[fn.__name__] = fn, formula
        return fn

    return register


# --- the text ---


@functools.cache
def shown(text: str) -> str:
    """The expression as a person writes it, in one line."""
    parse(text)
    return typeset(_with_helpers(text))


def _with_helpers(text: str, keeps_conj: bool = False) -> ast.expr:
    """The tree with the formula of each helper in place of its call."""
    tree = ast.parse(text, mode="eval").body
    found: ast.expr = _Opened(keeps_conj).visit(tree) if any(name in text for name in _HELPERS) else tree
    return found


class _Opened(ast.NodeTransformer):
    """Formulas in place of calls of helpers."""

    def __init__(self, keeps_conj: bool) -> None:
        self.keeps_conj = keeps_conj

    def visit_Call(self, node: ast.Call) -> ast.AST:
        args = [self.visit(each) for each in node.args]
        name = called(node)
        if name not in _HELPERS or (self.keeps_conj and name == "conj"):
            return ast.Call(node.func, args, node.keywords)
        fn, inside = _HELPERS[name]
        given = dict(zip(inspect.signature(fn).parameters, args, strict=False))
        given |= {each.arg: self.visit(each.value) for each in node.keywords if each.arg}
        return _Filled(given).visit(_with_helpers(inside, self.keeps_conj))  # type: ignore[no-any-return]


class _Filled(ast.NodeTransformer):
    """Arguments in place of parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Call(node.func, [self.visit(each) for each in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def opened(text: str) -> str:
    """The expression with every helper written out but the conjugate: what a recorded trace takes along."""
    parse(text)
    return ast.unparse(_with_helpers(text, True))


Number = int | float
_LONGEST = 4_000  # characters of an expression


@functools.cache
def shown_with(expression: str, numbers: tuple[tuple[str, Number], ...], is_complex: bool) -> str:
    """The text of an expression whose parameters are known: `grad * n * self ** (n - 1)` with n = 3 becomes
    "grad · 3 · self²". Of complex numbers it shows the conjugates. `ValueError` for what is no expression."""
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
    """Numbers in place of parameters; what they make trivial (a factor 1, a power of 0 or 1) is not written."""

    def __init__(self, numbers: Mapping[str, Number], is_complex: bool) -> None:
        self.numbers, self.is_complex = numbers, is_complex

    def visit_Name(self, node: ast.Name) -> ast.expr:
        number = self.numbers.get(node.id)
        return node if number is None else ast.Constant(Given(number) if isinstance(number, float) else number)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name, args = called(node), [self.visit(each) for each in node.args]
        if name == "conj":  # which real numbers do not have
            is_real = not self.is_complex or _constant(args[0]) is not None
            return args[0] if is_real else ast.Call(ast.Name("conjugate"), args, [])
        return ast.Call(ast.Name(name), args, [])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """min ≤ x ≤ max without a bound that is infinite."""
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


# --- rules ---


class Rule:
    """The gradient of one input (or, for a joint rule, of all): what it asks for by name, its function and its text."""

    def __init__(
        self, written: str, function: Function | None, names: tuple[str, ...] | None, is_formula: bool
    ) -> None:
        self.written = written
        self.is_formula = is_formula
        self._function = function
        self._names = names

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters: what is saved and what the loop hands over."""
        if self._names is None:
            given = self._function
            self._names = parse(self.written)[1] if given is None else tuple(inspect.signature(given).parameters)
        return self._names

    @property
    def function(self) -> Function:
        """What computes the gradient; an expression is compiled when this is first asked for."""
        if self._function is None:
            self._function = compiled(self.written)
        return self._function

    @property
    def text(self) -> str:
        """What the screen shows, in the operation's own names."""
        return shown(self.written) if self.is_formula else self.written

    @property
    def expression(self) -> str:
        """The formula as an expression of its operands and parameters; "" where words say it."""
        return opened(self.written) if self.is_formula else ""

    @property
    def texts(self) -> Mapping[str, str]:
        """By input, where the rule is joint."""
        return {}

    @property
    def expressions(self) -> Mapping[str, str]:
        """By input, where the rule is joint."""
        return {}


class JointRule(Rule):
    """One function for the gradients of all inputs, each with a formula or a sentence of its own."""

    def __init__(
        self,
        function: Function,
        names: tuple[str, ...] | None,
        formulas: Mapping[str, str],
        sentences: Mapping[str, str],
    ) -> None:
        super().__init__("", function, names, False)
        self.formulas = formulas
        self._sentences = sentences

    @property
    def texts(self) -> Mapping[str, str]:
        return {**{name: shown(formula) for name, formula in self.formulas.items()}, **self._sentences}

    @property
    def expressions(self) -> Mapping[str, str]:
        return {name: opened(formula) for name, formula in self.formulas.items()}


def rule(given: str | Function | Rule) -> Rule:
    """A rule of what a row gives: an expression, a function without a text, or a rule."""
    if isinstance(given, str):
        return Rule(given, None, None, True)
    if isinstance(given, Rule):
        return given
    assert callable(given), f"{given} is no rule for a gradient"
    return Rule("", given, None, False)


def expressed(formula: str, function: Function, names: str = "") -> Rule:
    """A function of its own, whose result is this expression; it asks for `names` if its parameters don't say it."""
    return Rule(formula, function, _split(names), True)


def sentence(text: str, function: Function, names: str = "") -> Rule:
    """A function that no formula says; `text` does in words."""
    return Rule(text, function, _split(names), False)


def jointly(function: Function, names: str = "", formulas: Mapping[str, str] | None = None, **sentences: str) -> Rule:
    """A function for all inputs, and what it computes for each: as an expression, or in words."""
    return JointRule(function, _split(names), formulas or {}, sentences)


def _split(names: str) -> tuple[str, ...] | None:
    return tuple(each.strip() for each in names.split(",")) if names else None
