"""`import inspect` for a snippet: the names of parameters, and the text of its own functions and classes; no frame, no
code and no default of a parameter is handed out."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from typing import Any, NoReturn

from gradviz.worker.language.guard import Guard
from gradviz.worker.language.stand_in import StandIn, stand_in
from gradviz.worker.policy_names import HERE


class Signature:
    """What `inspect.signature` returns: the parameters by name; each stands for its name only."""

    __slots__ = ("parameters",)

    def __init__(self, names: list[str]) -> None:
        self.parameters = {name: name for name in names}

    def __str__(self) -> str:
        return f"({', '.join(self.parameters)})"

    __repr__ = __str__


def inspect_module(guard: Guard) -> object:
    """Return the stand-in."""

    def signature(obj: object) -> Signature:
        if not callable(obj):
            raise TypeError(f"{obj!r} is not a callable object")
        return Signature(list(inspect.signature(obj).parameters))

    def getsource(object: Any) -> str:
        thing = object.__func__ if isinstance(object, types.MethodType) else object
        if guard.wrote(thing):
            lines = _lines_of(thing)
            return "".join(inspect.getblock(lines[thing.__code__.co_firstlineno - 1 :])) if lines else _not_found()
        if isinstance(thing, type) and guard.owns(thing):
            methods = (getattr(each, "__func__", each) for each in vars(thing).values())
            lines = next((_lines_of(each) for each in methods if guard.wrote(each)), [])
            return _class_in(lines, thing.__name__) or _not_found()
        raise TypeError(f"the source of {thing!r} is not {HERE}; only that of your own functions and classes is")

    def isclass(object: object) -> bool:
        return isinstance(object, type)

    def ismodule(object: object) -> bool:
        return isinstance(object, StandIn)

    chosen = (signature, getsource, isclass, ismodule)
    names: dict[str, object] = {function.__name__: function for function in chosen}
    names["isfunction"] = inspect.isfunction
    names["ismethod"] = inspect.ismethod
    return stand_in("inspect", names)


def _lines_of(function: Any) -> list[str]:
    """Return the lines of the file that a function is from, as far as this run has it; nothing is read for it."""
    kept = linecache.cache.get(function.__code__.co_filename, ())
    return kept[2] if len(kept) == 4 else []


def _not_found() -> NoReturn:
    raise OSError("could not get source code")


def _class_in(lines: list[str], name: str) -> str:
    """Return the text of a class of this name, "" if there is none."""
    for node in ast.walk(ast.parse("".join(lines))):
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "".join(lines[first - 1 : node.end_lineno])
    return ""
