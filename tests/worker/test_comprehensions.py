"""No comprehension's variable lies where Python keeps the cell of an inner function: `super()` would read it as one."""

from __future__ import annotations

import ast
import dis
import random
from collections.abc import Iterator
from types import CodeType

import pytest

from gradviz.worker.language.comprehensions import shared_comprehensions
from gradviz.worker.language.policy import compile_snippet
from gradviz.worker.language.run_texts import run_code

SHARED = {
    "an inner function": "def f():\n    x = 1\n    def g(): return x\n    return [x for x in (2,)]",
    "a lambda": "def f(x):\n    g = lambda: x\n    return {x for x in (2,)}",
    "a generator": "def f(x):\n    g = (x for i in (1,))\n    return {x: x for x in (2,)}",
    "a class": "def f(x):\n    class A:\n        y = x\n    return [x for x in (2,)]",
    "one that binds it": "def f(x):\n    def g():\n        nonlocal x\n        x = 1\n    return [x for x in (2,)]",
    "a generator that binds it": "def f(x):\n    g = ((x := i) for i in (1,))\n    return [x for x in (2,)]",
    "another comprehension's": "a = [lambda: x for x in (1,)]\nb = [x for x in (2,)]",
    "its own": "a = [lambda: x for x in (1,)]",
    "a default's": "def f(x, g=1):\n    def h(y=lambda: x): pass\n    return [x for x in (2,)]",
    "a class's": "class A:\n    def f(self): return x\n    y = [lambda: x for x in (1,)]",
}
APART = {
    "a global": "x = 1\ndef f(): return x\na = [x for x in (2,)]",
    "a name of its own": "def f(x):\n    def g():\n        y = 1\n        return y\n    return [y for y in (x,)]",
    "an argument": "def f(x):\n    g = lambda y: y\n    return [y for y in (x,)]",
    "an argument's default": "def f(x):\n    g = lambda y=x: y\n    return [x for x in (2,)]",
    "a generator's own": "def f(x):\n    return sum(i for i in x), [i for i in x]",
    "a comprehension's own": "def f(x):\n    def g(): return [i for i in (1,)]\n    return [i for i in x]",
}


@pytest.mark.parametrize("name", SHARED)
def test_what_shares_its_variable_has_a_scope_of_its_own(name: str) -> None:
    kinds = {type(node) for node in shared_comprehensions(ast.parse(SHARED[name]))}
    assert kinds and kinds <= {ast.ListComp, ast.SetComp, ast.DictComp}


@pytest.mark.parametrize("name", SHARED)
def test_the_places_of_cells_are_left_alone(name: str) -> None:
    """In a generator, whatever Python it is."""
    code = compile_snippet(SHARED[name], "snippet.py", ())
    assert "<genexpr>" in {each.co_name for each in _codes(code)}
    assert not {"<listcomp>", "<setcomp>", "<dictcomp>"} & {each.co_name for each in _codes(code)}
    assert not any(_shared_places(code))


@pytest.mark.parametrize("name", APART)
def test_others_stay_as_they_are(name: str) -> None:
    assert not shared_comprehensions(ast.parse(APART[name]))


def test_the_results_are_the_same() -> None:
    text = (
        "def f(x):\n    g = lambda: x\n    return [x * 2 for x in x if x], {-x for x in x}, {x: [x] for x in x}, g()\n"
        "found = f((0, 1, 2))"
    )
    names = {"__builtins__": {}, "<entry>": lambda *given: None, "<dict>": dict}
    run_code(compile_snippet(text, "snippet.py", ()), names, names)
    assert names["found"] == ([2, 4], {0, -1, -2}, {0: [0], 1: [1], 2: [2]}, (0, 1, 2))


class _Text:
    """A text of a few names in scopes within each other, made by chance."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def made(self, depth: int = 0) -> str:
        """Return some statements."""
        pad = " " * depth
        return "\n".join(pad + self._statement(depth) for _ in range(self._chance.randrange(1, 4)))

    def _name(self) -> str:
        return self._chance.choice("abc")

    def _statement(self, depth: int) -> str:
        kind, name = self._chance.randrange(7 if depth < 4 else 2), self._name()
        if kind in (2, 3):
            given = self._chance.choice(["", self._name(), f"{self._name()}={self._value(3)}"])
            return f"def {name}({given}):\n{self.made(depth + 1)}"
        if kind == 4:
            return f"class {name}:\n{self.made(depth + 1)}"
        if kind == 5:
            return f"for {name} in {self._value(depth)}:\n{self.made(depth + 1)}"
        return f"nonlocal {name}" if kind == 6 else f"{name} = {self._value(depth)}"

    def _value(self, depth: int) -> str:
        kind, name = self._chance.randrange(9 if depth < 4 else 2), self._name()
        if kind < 2:
            return name
        one, other = self._value(depth + 1), self._value(depth + 1)
        if kind == 2:
            return f"(lambda {self._chance.choice(['', name, f'{name}={one}'])}: {other})"
        more = self._chance.choice(["", "", f" if {self._name()}", f" for {self._name()} in {self._name()}"])
        loop = f"for {name} in {other}{more}"
        forms = (f"[{one} {loop}]", f"[{one} {loop}]", f"{{{one} {loop}}}", f"{{{one}: {self._name()} {loop}}}")
        return (*forms, f"({one} {loop})", f"({name} := {one})")[kind - 3]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _shared_places(whole: CodeType) -> Iterator[str]:
    """The variables of comprehensions that lie in the place of a cell, in 3.12 and later."""
    for code in _codes(whole):
        own = len({*code.co_varnames, *code.co_cellvars})
        for each in dis.get_instructions(code):
            if each.opname == "LOAD_FAST_AND_CLEAR" and (each.argval in code.co_cellvars or (each.arg or 0) >= own):
                yield each.argval


def test_no_variable_lies_in_the_place_of_a_cell() -> None:
    shared, rewritten, left = 0, 0, []
    for seed in range(1_500):
        text = _Text(seed).made()
        try:
            plain = compile(text, "<text>", "exec")
        except SyntaxError:
            continue
        shared += any(_shared_places(plain))
        rewritten += bool(shared_comprehensions(ast.parse(text)))
        if any(_shared_places(compile_snippet(text, "snippet.py", ()))):
            left.append(text)
    assert not left
    assert rewritten >= max(shared, 50)
