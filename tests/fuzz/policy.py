"""The policy's parser on any text, and on programs made of every construct. It may refuse with its sentence or with
Python's own SyntaxError, nothing else. Of what it lets through nothing may be left that the hooks do not see: no
forbidden or special attribute, no store without its hook, no import of what is not offered."""

from __future__ import annotations

import ast
import dis
import types
import warnings
from collections.abc import Iterator

from gradviz.trace.record.instrument import instrument
from gradviz.worker.language.policy import Refusal, Rewriter, compile_snippet, parse
from gradviz.worker.policy_names import (
    CLASS_FURNITURE,
    DEFINABLE_DUNDERS,
    FORBIDDEN_ATTRIBUTES,
    HOOKED_ATTRIBUTES,
    READABLE_DUNDERS,
    READABLE_NAMES,
    is_dunder,
)
from tests.fuzz.choices import Choices
from tests.fuzz.programs import program

MODULES = frozenset(
    "torch torch.nn torch.nn.functional math random numpy collections.abc __future__ functools typing".split()
)
MOST = 20_000  # characters of one program
READS = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"})
FROM = frozenset({"IMPORT_NAME"})
NAMED = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "STORE_NAME", "STORE_GLOBAL", "DELETE_NAME", "DELETE_GLOBAL"})
KNOWN_NAMES = READABLE_NAMES | DEFINABLE_DUNDERS | CLASS_FURNITURE | {"__build_class__", "__future__"}


def one_input(data: bytes) -> None:
    """The first byte says whether the rest is a text or the decisions that make a program."""
    compiled(made(data))


def made(data: bytes) -> str:
    """The text that these bytes mean."""
    choices = Choices(data[1:])
    if data[:1] >= b"\x80":
        text = data[1:].decode("utf-8", "surrogateescape")
    else:
        text = program(choices) if data[:1] < b"\x40" else _pasted(choices)
    return text[:MOST]


def _pasted(choices: Choices) -> str:
    """A program as it is copied from a session, a notebook or the middle of a file."""
    prompts = choices.of(
        ((">>> ", "... "), (">>>", "..."), ("  >>> ", "  ... "), ("    ", "    "), ("\t", "\t"), ("", ""))
    )
    magic = choices.of(
        ("", "%matplotlib inline", "!pip install torch", "x?", "%%time", "  !ls", "pip install x", "7", "\x0c")
    )
    lines = program(choices).splitlines()
    marked = [prompts[line.startswith(" ")] + line for line in lines]
    marked.insert(choices.number(len(marked) + 1), magic)
    return choices.of(("\n", "\r\n", "\n\n", "\x1d\n")).join(marked)


def compiled(text: str) -> str:
    """What became of a text: "refused", "wrong" (no Python), or "accepted"; AssertionError if it should not be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code = compile_snippet(text, "snippet.py", MODULES, instrument)
        except Refusal as refusal:
            assert refusal.line >= 1, refusal.line
            assert refusal.sentence.endswith(".") and "\n" not in refusal.sentence, refusal.sentence
            return "refused"
        except SyntaxError:
            return "wrong"
        tree = Rewriter().visit(instrument(parse(text, "snippet.py")))
    look_at_tree(tree)
    for part in _parts(code):
        _look_at_code(part, tree)
    return "accepted"


def look_at_tree(tree: ast.Module) -> None:
    """No attribute without its hook, nothing of a class but its bases, no pattern that reads what is hooked."""
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass):
            looked_at = node.cls.id.split()[1:-2] if isinstance(node.cls, ast.Name) and "<" in node.cls.id else []
            for name in node.kwd_attrs:
                assert not name.startswith("_") and name not in FORBIDDEN_ATTRIBUTES, name
                assert name in looked_at or name not in HOOKED_ATTRIBUTES, name
        if isinstance(node, ast.ClassDef):
            assert not node.keywords, "a metaclass"
        if not isinstance(node, ast.Attribute):
            continue
        assert node.attr not in FORBIDDEN_ATTRIBUTES, node.attr
        if isinstance(node.ctx, ast.Load):
            assert node.attr not in HOOKED_ATTRIBUTES, node.attr
            assert not node.attr.startswith("_") or node.attr in READABLE_DUNDERS, node.attr
        else:
            assert not is_dunder(node.attr), node.attr
            hook = node.value
            assert isinstance(hook, ast.Call) and isinstance(hook.func, ast.Name) and hook.func.id == "<write>"
            name = hook.args[1]
            assert isinstance(name, ast.Constant) and name.value == node.attr, "the hook looks at another name"


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts(constant)


def _look_at_code(code: types.CodeType, tree: ast.Module) -> None:
    """The same once more in what really runs."""
    in_place = {
        node.target.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute)
    }
    for one in dis.get_instructions(code):
        name = str(one.argval)
        if one.opname in READS:
            assert name not in FORBIDDEN_ATTRIBUTES, name
            assert not is_dunder(name) or name in READABLE_DUNDERS, name
            assert name in in_place or not (name.startswith("_") and not is_dunder(name)), name
            assert name in in_place or name not in HOOKED_ATTRIBUTES, name
        elif one.opname in FROM:
            assert name in MODULES or _is_tried(name, tree), name
        elif one.opname in NAMED:
            assert not is_dunder(name) or name in KNOWN_NAMES, name
        assert one.opname not in ("IMPORT_STAR", "GET_AWAITABLE", "GET_AITER", "GET_ANEXT"), one.opname


def _is_tried(module: str, tree: ast.Module) -> bool:
    """Whether all imports of this module stand below a `try`: they fail when they run."""
    inside = {id(one) for node in ast.walk(tree) if isinstance(node, ast.Try) for one in ast.walk(node)}
    found = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.module == module)
        or (isinstance(node, ast.Import) and any(alias.name == module for alias in node.names))
    ]
    return bool(found) and all(id(node) in inside for node in found)
