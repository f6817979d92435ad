"""What arguments a public function of the engine takes. The functions of the tables in `api` are wrapped several times
(`out=`, NumPy's names, autocast), and a wrapper takes anything; this looks below. Who asks: `catalogue`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

_INNER = ("fn", "offered", "prepare", "function", "view")  # what wrappers call the function that they wrap
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Argument:
    """One argument; `type` is its annotation, "" where it has none; `spread`: any number of them, one after another."""

    name: str
    type: str = ""
    default: Any = REQUIRED
    keyword_only: bool = False
    spread: bool = False


def arguments(function: Callable[..., Any]) -> tuple[Argument, ...]:
    """The arguments of the innermost function that names them, without those that only pass on."""
    found = []
    for each in inspect.signature(_innermost(function)).parameters.values():
        if each.kind is not inspect.Parameter.VAR_KEYWORD:
            kind = "" if each.annotation is REQUIRED else str(each.annotation).strip("'\"")
            only, spread = each.kind is inspect.Parameter.KEYWORD_ONLY, each.kind is inspect.Parameter.VAR_POSITIONAL
            found.append(Argument(each.name, kind, each.default, only and not spread, spread))
    return tuple(found)


def _innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    while True:
        inner = _wrapped(function)
        if inner is None:
            return function
        function = inner


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any] | None:
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return None
    kinds = {each.kind for each in inspect.signature(function, follow_wrapped=False).parameters.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
    for name in _INNER:
        if name in cells and isinstance(cells[name].cell_contents, FunctionType):
            inner: Callable[..., Any] = cells[name].cell_contents
            return inner
    return None


def written(text: str) -> tuple[Argument, ...]:
    """The arguments that are written as in a `def`: "input: Tensor, *, alpha: float = 1"."""
    tree = ast.parse(f"def function({text}): pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    args = tree.args
    none: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
    pairs = [(each, default, False) for each, default in zip(args.args, none + list(args.defaults), strict=True)]
    pairs += [(each, default, True) for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    found = [
        Argument(each.arg, _type(each), REQUIRED if default is None else ast.literal_eval(default), only)
        for each, default, only in pairs
    ]
    if args.vararg is not None:
        found.insert(len(args.args), Argument(args.vararg.arg, _type(args.vararg), REQUIRED, False, True))
    return tuple(found)


def _type(arg: ast.arg) -> str:
    return "" if arg.annotation is None else ast.unparse(arg.annotation)
