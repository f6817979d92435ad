"""The gradient of one input, written once: the function that the engine runs and the text that the screen shows are
made from the same expression, as in PyTorch's `derivatives.yaml`.

A row of `ops/` gives the gradient as an expression, `"grad * conj(result) * log(2)"`. Its names are those of saved
values, its functions those of `torch` and the helpers of `ops/`; nothing else is allowed. The function is compiled when
the row runs backward for the first time; the displayed text, `grad · result · ln 2`, is made when it is asked for
(`expressions.py`).

A rule that needs Python is a function, with its mathematics given beside it: `helper` for a function that expressions
call, `expressed` for one that belongs to a single row, `jointly` for one function for all inputs, and `sentence` if no
formula describes it. The tests evaluate the displayed expression and compare it with what the engine sends. What a row
does with its rules: `rows.py`."""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, TypeVar

from gradviz.engine.kernel.expressions import NUMBERS, Math, called, in_line, parse, typeset

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

TABLES: list[Mapping[str, Function]] = []  # where the functions of a formula are looked up; `api.py` adds its own
_HELPERS: dict[str, tuple[Function, str]] = {}
_OF_NUMBERS: Mapping[str, Callable[[float], float]] = {"log": math.log, "sqrt": math.sqrt}


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


_WITH_NUMBER: Mapping[type[ast.operator], str] = {
    ast.Add: "plus", ast.Sub: "minus", ast.Mult: "scaled", ast.Div: "over"
}  # fmt: skip


class _Folded(ast.NodeTransformer):
    """Folds constants: π, and functions of numbers only. Operations with a number become those that save no number."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(NUMBERS[node.id]) if node.id in NUMBERS else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = called(node)
        node.args = [self.visit(each) for each in node.args]
        if name in _OF_NUMBERS and (value := _value(node.args[0])) is not None:
            return ast.Constant(_OF_NUMBERS[name](value))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        made = ast.BinOp(left, node.op, right)
        name = _WITH_NUMBER.get(type(node.op))
        first, second = _value(left), _value(right)
        if name is None or (first is None) == (second is None):
            return made if _value(made) is None else ast.Constant(_value(made))
        if second is not None:
            return _call(name, left, ast.Constant(second))
        if isinstance(node.op, ast.Sub):
            return _call("number_minus", ast.Constant(first), right)
        return made if isinstance(node.op, ast.Div) else _call(name, right, ast.Constant(first))


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [*args], [])


def _value(node: ast.expr) -> float | None:
    """The value of a number, or of a product or quotient of numbers."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand)
        return None if value is None else -value
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
    """Let expressions call the function by its name; the screen shows its formula in terms of its parameters."""

    def register(fn: F) -> F:
        assert fn.__name__ not in _HELPERS, f"two helpers are called {fn.__name__}"
        _HELPERS[fn.__name__] = fn, formula
        return fn

    return register


# --- the text ---


@functools.cache
def shown(text: str) -> str:
    """The expression as a person writes it, on one line."""
    parse(text)
    return in_line(written(text))


def written(text: str) -> Math:
    """The expression as a person writes it, to be typeset."""
    return typeset(_with_helpers(text))


def _with_helpers(text: str, keeps_conj: bool = False) -> ast.expr:
    """The tree with each call of a helper replaced by its formula."""
    tree = ast.parse(text, mode="eval").body
    found: ast.expr = _Opened(keeps_conj).visit(tree) if any(name in text for name in _HELPERS) else tree
    return found


class _Opened(ast.NodeTransformer):
    """Replaces calls of helpers by their formulas."""

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
    """Replaces parameters by arguments."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Call(node.func, [self.visit(each) for each in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def opened(text: str) -> str:
    """The expression with every helper except the conjugate written out, as a recorded trace keeps it."""
    parse(text)
    return ast.unparse(_with_helpers(text, True))


# --- rules ---


class Rule:
    """The gradient of one input (or, for a joint rule, of all): the names that it asks for, its function and its
    text."""

    def __init__(
        self, written: str, function: Function | None, names: tuple[str, ...] | None, is_formula: bool
    ) -> None:
        self.written = written
        self.is_formula = is_formula
        self._function = function
        self._names = names

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters: what is saved and what the loop passes in."""
        if self._names is None:
            given = self._function
            self._names = parse(self.written)[1] if given is None else tuple(inspect.signature(given).parameters)
        return self._names

    @property
    def function(self) -> Function:
        """The function that computes the gradient; an expression is compiled on first use."""
        if self._function is None:
            self._function = compiled(self.written)
        return self._function

    @property
    def text(self) -> str:
        """The text on screen, in the operation's own names."""
        return shown(self.written) if self.is_formula else self.written

    @property
    def expression(self) -> str:
        """The formula as an expression of its operands and parameters; "" if it is described in words."""
        return opened(self.written) if self.is_formula else ""

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts by input, for a joint rule."""
        return {}

    @property
    def expressions(self) -> Mapping[str, str]:
        """The expressions by input, for a joint rule."""
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
    """Make a rule of what a row gives: an expression, a function without a text, or a rule."""
    if isinstance(given, str):
        return Rule(given, None, None, True)
    if isinstance(given, Rule):
        return given
    assert callable(given), f"{given} is no rule for a gradient"
    return Rule("", given, None, False)


def expressed(formula: str, function: Function, names: str = "") -> Rule:
    """A function whose result is this expression; it asks for `names` if its parameters don't say what it needs."""
    return Rule(formula, function, _split(names), True)


def sentence(text: str, function: Function, names: str = "") -> Rule:
    """A function that no formula describes; `text` describes it in words."""
    return Rule(text, function, _split(names), False)


def jointly(function: Function, names: str = "", formulas: Mapping[str, str] | None = None, **sentences: str) -> Rule:
    """One function for all inputs, and what it computes for each: as an expression, or in words."""
    return JointRule(function, _split(names), formulas or {}, sentences)


def _split(names: str) -> tuple[str, ...] | None:
    return tuple(each.strip() for each in names.split(",")) if names else None
