"""The policy's parser answers every text with a sentence or with Python's SyntaxError: what fuzzing found otherwise."""

from __future__ import annotations

import dis

import pytest

from gradviz.worker.language.policy import Refusal, compile_snippet


def refusal(text: str) -> str:
    with pytest.raises(Refusal) as found:
        compile_snippet(text, "snippet.py", {"torch"})
    return found.value.sentence


@pytest.mark.parametrize(
    "pattern",
    ["x._y", "x.format", "a._b.c", "x._y()", "x.y | x.saved", "float(_saved=f)", "x.format(grad=y)", "{x._y: 1}"],
)
def test_a_pattern_with_a_name_that_is_read_through_a_hook(pattern: str) -> None:
    sentence = refusal(f"x = 1\nmatch x:\n    case {pattern}:\n        pass\n")
    assert sentence.startswith("line 3: ") and "can't be used in a " in sentence


def test_dotted_names_in_patterns_stay() -> None:
    pattern = "x.y | a.b.c(z=1) | {a.b: 1} | torch.dtype() | {torch.dtype: [a.base(1, y=torch.dtype())]}"
    compile_snippet(f"match x:\n    case {pattern}:\n        pass\n", "snippet.py", ())


@pytest.mark.parametrize(
    "text", ["-" * 5_000 + "1", "x" + ".a" * 5_000, "x = " + "not " * 3_000 + "1", "x" + "()" * 5_000]
)
def test_code_that_is_nested_too_deeply_for_python(text: str) -> None:
    assert "nested too deeply" in refusal(text)


def _nested(heads: list[str], inner: str, ending: str = "") -> str:
    """Return a function with these statements within each other; `ending` comes after the body of each."""
    lines = [f"{' ' * depth}{head}" for depth, head in enumerate(["def f(x):", *heads])]
    ends = [f"{' ' * depth}{ending}" for depth in range(len(heads), 0, -1)] if ending else []
    return "\n".join([*lines, f"{' ' * (len(heads) + 1)}{inner}", *ends])


def _comprehensions(count: int) -> str:
    return "x = " + "[" * count + "1" + " for x in [1]]" * count


@pytest.mark.parametrize(
    "text",
    [
        _comprehensions(19),
        _nested(["for x in [1]:"] * 19, "yield 1"),
        _nested([f"with {', '.join(['x'] * 19)}:"], "yield 1"),
        _nested(["try:"] * 10, "yield 1", "finally: pass"),
        _nested(["while x:"] * 10, _comprehensions(9)),
        "try: pass\nexcept KeyError as error: " + _comprehensions(16),
        _nested([], "x = {1: " + _comprehensions(18)[4:] + " for x in [1]}"),
        _nested([], "x = {" + _comprehensions(18)[4:] + " for x in [1]}"),
    ],
)
def test_more_blocks_than_the_compiler_has_room_for(text: str) -> None:
    """Python 3.12 and 3.13 write behind their memory when comprehensions are in 20 of such blocks."""
    assert "nested too deeply" in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        _nested([], _comprehensions(18) + "; yield 1"),
        _nested(["for x in [1]:"] * 18, "yield 1"),
        _nested(["for x in [1]:"] * 9, _comprehensions(9)),
        _nested([f"with {', '.join(['x'] * 18)}:"], "yield 1"),
        _nested(["try:"] * 9, "yield 1", "finally: pass"),
        "\n".join(["x = [x for x in [1]]"] * 100),
    ],
)
def test_as_many_blocks_as_the_compiler_has_room_for(text: str) -> None:
    compile_snippet(text, "snippet.py", ())


REFUSED = {  # where something else would stop it, too, when it runs
    "async functions": "async def f(): pass",
    "async for": "x = (y async for y in z)",
    "async for ": "x = [y async for y in z]",
    "except*": "try: pass\nexcept* ValueError: pass",
    "metaclass": "class A(metaclass=M): pass",
    "class keyword": "class A(x=1): pass",
    "nested too deeply": "x = " + "-" * 300 + "1",
    "import *": "from torchtext import *",
    "_os": "from torch import __os__",
    "mro": "int.mro()",
    "__code__": "f.__code__",
    "__doc__ can't be assigned": "x.__doc__ = y",
    "compile()": "f = compile",
    "called super": "super = 1",
    "variable called super": "del super",
    "format can't be changed in place": "x.format += y",
}


@pytest.mark.parametrize(
    "text",
    [
        *("import os", "from os import path", "from . import os", "from .torch import nn", "import torch.os as x"),
        "try:\n    from .torch import nn\nexcept ImportError: pass",
    ],
)
def test_what_is_not_offered_is_never_imported(text: str) -> None:
    code = compile_snippet(text, "snippet.py", {"torch", "torch.nn"})
    assert not [each for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"]
    assert "<absent>" in code.co_names


@pytest.mark.parametrize("words", REFUSED)
def test_the_policy_alone_refuses(words: str) -> None:
    assert words.strip() in refusal(REFUSED[words])


@pytest.mark.parametrize(
    "text",
    [
        *("import torch as __x__", "from torch import y as __x__", "from torch import __x__", "__x__ = 1", "__x__"),
        *("try:\n    import torch.__x__\nexcept ImportError: pass", "try:\n    from a.__x__ import y\nexcept: pass"),
        *("def __x__(): pass", "def f(__x__): pass", "def f(*__x__): pass", "lambda **__x__: 1", "f(__x__=1)"),
        *("class __x__: pass", "class A:\n    def __x__(self): pass", "class A:\n    __x__ = 1"),
        *("def f():\n    global __x__", "def f():\n    y = 1\n    def g():\n        nonlocal __x__"),
        *("try: pass\nexcept E as __x__: pass", "for __x__ in y: pass", "with y as __x__: pass", "(__x__ := 1)"),
        *("match y:\n    case __x__: pass", "match y:\n    case [*__x__]: pass", "match y:\n    case {**__x__}: pass"),
        *("match y:\n    case A(__x__=1): pass", "y.__x__ = 1", "del y.__x__", "[1 for y.__x__ in z]"),
        *("y.__𝑥__ = 1", "__ｘ__ = 1", "import __ｘ__", "f(__𝑥__=1)", "match y:\n    case A(__ｘ__=1): pass"),
    ],
)
def test_a_name_with_two_underscores_wherever_it_stands(text: str) -> None:
    assert "__x__ is not available" in refusal(text)


@pytest.mark.parametrize("text", ["x = '\ud800'", "\udcff", "# \udfff\nx = 1"])
def test_half_a_character(text: str) -> None:
    assert "the snippet contains an invalid character" in refusal(text)


@pytest.mark.parametrize("text", ["f()", "x.f()", "lambda: f()(1)", "@f()\ndef g(y=f()): pass", "[f() for y in z]"])
def test_a_call_without_arguments_is_none_that_python_specializes(text: str) -> None:
    """It would take what lay on the stack before for the object of a method such as `list.sort`."""
    waiting, found = [compile_snippet(text, "snippet.py", ())], []
    for code in waiting:
        waiting += [each for each in code.co_consts if hasattr(each, "co_code")]
        found += [each.opname for each in dis.get_instructions(code) if each.opname == "CALL_FUNCTION_EX"]
    assert len(found) == text.count("f()")
