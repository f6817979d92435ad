"""Python programs of every construct, made from decisions: plain and nasty names, patterns, f-strings, decorators, each
in every place where the grammar lets it stand. A table of templates; `{e}` is an expression, `{t}` a target, `{n}` a
name, `{a}` an attribute, `{s}` a block of statements, `{p}` a pattern, `{m}` a module, `{x}` text of an f-string."""

from __future__ import annotations

import re

from tests.fuzz.choices import Choices

NAMES = (
    "x y w loss self cls type super print _ _x __x __class__ __name__ __builtins__ __import__ __debug__ __init__ "
    "__file__ __dict__ ＿＿class＿＿ __clasſ__ ｅval eval exec open getattr input globals µ ℂ ª _C__x __all__ object "
    "__build_class__ __annotations__ __loader__ format obj match case lambda_ torch np Exception None_"
).split()
ATTRIBUTES = (
    "grad data backward format format_map obj base resize saved _x __x _C__x __class__ __dict__ __init__ __globals__ "
    "__code__ mro tb_frame f_back gi_frame f_globals __subclasses__ __bases__ __reduce__ __mro__ ctypes tofile dump "
    "strides setflags __name__ __self__ __func__ __wrapped__ __getattribute__ __setattr__ __doc__ _version _saved_self "
    "ｍro __claſs__ cr_frame ag_code co_code row __add__ __call__ __x_ ___ ____ _____ __a__ with_traceback"
).split()
MODULES = (
    "torch torch.nn torch.nn.functional math random os sys subprocess torch._C torch.foo numpy numpy.ctypeslib ctypes "
    "__future__ builtins os.path collections.abc importlib . .x __main__ _thread ｏs"
).split()
ALIASES = "x nn F annotations path system * __class__ __loader__ sqrt _x print".split()
CONSTANTS = (
    "0 1 -1 1.5 1e999 2j True None ... 'a' b'a' '{0.__class__}' '\\N{DIGIT ONE}' 10**9 0xff 1_0 '\\ud800' "
    "9999999999999999999999 '%s' ''"
).split()

EXPRESSIONS = (
    "{n}",
    "{c}",
    "{e}.{a}",
    "{e}({e})",
    "({e} + {e})",
    "{e}[{e}]",
    "f'{{x}}'",
    "[{e}, *{e}]",
    "{{{e}: {e}, **{e}}}",
    "{e}({n}={e}, *{e}, **{e})",
    "(lambda {n}={e}, *{n}, **{n}: {e})",
    "[{e} for {t} in {e} if {e}]",
    "{{{e} for {t} in {e}}}",
    "{{{e}: {e} for {t} in {e}}}",
    "(*({e} for {t} in {e}),)",
    "({n} := {e})",
    "({e} if {e} else {e})",
    "(yield {e})",
    "(yield from {e})",
    "(await {e})",
    "[{e} async for {t} in {e}]",
    "({e} < {e} is not {e} in {e})",
    "{e}[{e}:{e}, ::{e}]",
    "{e}[*{e}]",
    "(not {e})",
    "(-{e})",
    "({e} @ {e})",
    "({e} and {e} or {e})",
    "({e}, {e})",
    "{{{e}, {e}}}",
    "f'{x}'",
    'f"{x}"',
    "super().{a}",
    "'{{0.{a}}}'.format({e})",
    "getattr({e}, '{a}')",
    "(lambda: {e})()",
    "{e}.{a}.{a}.{a}",
)
TEXTS = (
    "a",
    "{{{e}}}",
    "{{{e}!r}}",
    "{{{e}=}}",
    "{{{e}:>{{{e}}}}}",
    "{{{e}:{{{e}:{{{e}}}}}}}",
    "{{{{}}}}",
    "{{{e}!s:%Y}}",
    "{{}}",
    "{{{n}.{a}!a:{{{n}}}}}{{{e}}}",
)
TARGETS = (
    "{n}",
    "{e}.{a}",
    "{e}[{e}]",
    "({t}, {t})",
    "[{t}, *{t}]",
    "{e}.{a}.{a}",
    "({n})",
    "{e}.{a}[{e}]",
)
STATEMENTS = (
    "{e}",
    "{t} = {e}",
    "{t} = {t} = {e}",
    "{t} += {e}",
    "{t}: {e} = {e}",
    "{n}: {e}",
    "del {t}",
    "del {t}, {t}",
    "pass",
    "return {e}",
    "raise {e} from {e}",
    "assert {e}, {e}",
    "import {m}",
    "import {m} as {n}",
    "from {m} import {i}",
    "from {m} import {i} as {n}, {i}",
    "global {n}",
    "nonlocal {n}",
    "break",
    "continue",
    "if {e}:{s}",
    "if {e}:{s}else:{s}",
    "while {e}:{s}else:{s}",
    "for {t} in {e}:{s}",
    "for {t} in {e}:{s}else:{s}",
    "with {e} as {t}:{s}",
    "with {e} as {t}, {e} as {t}:{s}",
    "try:{s}except {e} as {n}:{s}",
    "try:{s}except ImportError:{s}else:{s}finally:{s}",
    "try:{s}except* {e} as {n}:{s}",
    "def {n}({n}, {n}={e}, /, {n}: {e} = {e}, *{n}, {n}={e}, **{n}) -> {e}:{s}",
    "def {n}(self, {n}):{s}",
    "@{e}\ndef {n}():{s}",
    "class {n}:{s}",
    "class {n}({e}, {e}):{s}",
    "class {n}({n}={e}):{s}",
    "@{e}\nclass {n}({e}):{s}",
    "async def {n}():{s}",
    "async with {e}:{s}",
    "match {e}:\n case {p}:{s}",
    "match {e}:\n case {p} if {e}:{s} case {p}:{s}",
    "{e}; {e}",
    "{t}: {t} = {e}",
    "if {e}: {t} = {e}",
    "class {n}:\n def __init__(self, x):\n  super().__init__()\n  self.{a} = x\n {t} = {e}",
    "type {n} = {e}",
    "def {n}[{n}]({n}):{s}",
    "try:\n import {m}\nexcept Exception:{s}",
    "match {e}:\n case {n}.{a}: pass\n case {{'x': {p}, **{n}}}:{s}",
    "{t} @= {e}",
    "print({x})",
    "from __future__ import annotations",
    "{a} = {e}",
    "def {a}({a}):{s}",
    "class {a}:{s}",
)
PATTERNS = (
    "_",
    "{n}",
    "{c}",
    "{n}.{a}",
    "[{p}, *{n}]",
    "({p}, {p})",
    "{{'a': {p}, **{n}}}",
    "{n}({p}, {a}={p})",
    "{p} | {p}",
    "{p} as {n}",
    "{n}.{a}({a}={n})",
    "-1",
    "1+2j",
    "{n}()",
)
KINDS = {
    "e": EXPRESSIONS,
    "t": TARGETS,
    "p": PATTERNS,
    "x": TEXTS,
    "n": NAMES,
    "a": ATTRIBUTES,
    "m": MODULES,
    "i": ALIASES,
    "c": CONSTANTS,
}
LEAVES = {"e": "x", "t": "x", "p": "_", "x": "a"}
DEEPEST = 8
LONGEST = 4_000
PLACE = re.compile(r"\{\{|\}\}|\{(\w)\}")


class _Program:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._written = 0

    def block(self, depth: int) -> str:
        """Some statements, each on lines of its own."""
        count = 1 + self._choices.number(1 + 6 // (depth + 1))
        return "".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        text = self.made(self._choices.of(STATEMENTS) if depth < DEEPEST else "pass", depth)
        return text if text.endswith("\n") else f"{text}\n"

    def made(self, template: str, depth: int) -> str:
        """The template with all its places filled."""

        def fill(place: re.Match[str]) -> str:
            kind = place[1]
            if kind is None:
                return place[0][0]
            if kind == "s":
                inner = self.block(depth + 1)
                return "\n" + "".join(f"  {line}\n" for line in inner.splitlines())
            if kind in LEAVES and (depth > DEEPEST or self._written > LONGEST or self._choices.is_over):
                return LEAVES[kind]
            option = self._choices.of(KINDS[kind])
            self._written += len(option)
            return self.made(option, depth + 1) if kind in LEAVES else option

        return PLACE.sub(fill, template)


def program(choices: Choices) -> str:
    """A program; most are not valid, and of the valid ones most are refused."""
    made = _Program(choices)
    text = made.block(0)
    while not choices.is_over and len(text) < LONGEST:
        text += made.block(0)
    return text
