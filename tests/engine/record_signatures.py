"""Records by which signatures PyTorch reads the arguments of the functions that GradViz has:
`python tests/engine/record_signatures.py` with a Python that has PyTorch 2.13.0 writes
`resources/pytorch_signatures.txt`. The signatures are texts in PyTorch's library; which of them a function compares,
and in which order, is what it says when nothing fits."""

from __future__ import annotations

import ast
import collections
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import gradviz.torch as ours  # noqa: E402
from gradviz.engine.run.signatures import _signature as signature  # noqa: E402

TARGET = ROOT / "resources" / "pytorch_signatures.txt"
LIBRARY = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
TEXT = re.compile(rb"\x00([A-Za-z_]\w*)(\([ -~]*?\)(?:\|deprecated|\|hidden)?)(?=\x00)")
# These look at their arguments before they pass them on.
DO_MORE = frozenset(
    """interpolate multi_head_attention_forward gaussian_nll_loss binary_cross_entropy glu group_norm
    fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices""".split()
)
OF_A_FUNCTION = re.compile(r"Tensor input[,)]")
_READ_AS = {"dsmm": "mm", "spmm": "mm"}
NOTHING = object()  # fits no parameter


def known_texts() -> dict[str, list[str]]:
    found: dict[str, list[str]] = collections.defaultdict(list)
    for name, rest in TEXT.findall(LIBRARY.read_bytes()):
        found[name.decode()].append((name + rest).decode())
    return found


def error(function: Callable[..., object], **named: object) -> str:
    try:
        function(*[NOTHING] * 12, **named)
    except Exception as raised:  # noqa: BLE001 every error is an answer
        return str(raised)
    return ""


def signatures(function: Callable[..., object], name: str, texts: list[str], method: bool) -> list[str]:
    """Those of one function, in the order of comparison."""
    if "takes no arguments" in error(function):
        return [f"{name}()-"] if method else []
    said = error(function, no_such_argument=NOTHING)
    ours = [each for each in texts if bool(OF_A_FUNCTION.search(each)) != method] or ([] if method else texts)
    hidden = [each for each in ours if each.endswith(("|deprecated", "|hidden"))]
    if "expected one of" in said:
        listed = re.findall(r"^ \* (.*)$", said, flags=re.MULTILINE)
        known = [each for each in texts if not method or each in ours]
        return [next(each for each in known if signature(each).text == text) for text in listed] + hidden
    return [each for each in ours if each not in hidden][:1] + hidden


def places() -> Iterator[tuple[str, Any, Any, bool]]:
    """(title, where PyTorch has the functions, where we have them, whether they are methods)."""
    yield "torch", torch, ours, False
    yield "nn.functional", F, ours.nn.functional, False
    for name in ("linalg", "special", "fft", "sparse"):
        yield name, getattr(torch, name), getattr(ours, name), False
    yield "Tensor", torch.Tensor, ours.Tensor, True


def inner_calls() -> Iterator[tuple[str, str, str]]:
    """Functions of `torch.nn.functional` that are written in Python: (header, the function that they pass their
    arguments on to, with which arguments)."""
    for name in sorted(each for each in dir(F) if not each.startswith("_") and hasattr(ours.nn.functional, each)):
        function = getattr(F, name)
        if not isinstance(function, types.FunctionType):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        for argument in (*tree.args.args, *tree.args.kwonlyargs):
            argument.annotation = None
        assigned = {
            ast.unparse(target) for each in ast.walk(tree) if isinstance(each, ast.Assign) for target in each.targets
        }
        names = {each.arg for each in tree.args.args}
        for statement in ast.walk(tree):
            call = statement.value if isinstance(statement, ast.Return | ast.Assign) else None
            if not isinstance(call, ast.Call) or not call.args or call.keywords or name in DO_MORE:
                continue
            path, first = ast.unparse(call.func), call.args[0]
            known = getattr(torch._C._nn if "_nn." in path else torch, path.split(".")[-1], None)
            if not isinstance(known, types.BuiltinFunctionType) or path.endswith("_") or not path.startswith("torch."):
                continue
            if isinstance(first, ast.Name) and first.id in names:
                plain = [ast.unparse(each) for each in call.args]
                given = [each if each in names - assigned else "_" for each in plain]
                yield f"{name}({ast.unparse(tree.args)})", known.__name__, " ".join(given)
                break


def handed_on() -> Iterator[str]:
    """Functions written in Python that ask the classes of their arguments, with their parameters; those behind `/` are
    handed on by name."""
    for title, theirs, mine, _ in places():
        for name in sorted(each for each in dir(theirs) if hasattr(mine, each)):
            function: object = getattr(theirs, name)
            names = function.__code__.co_freevars if isinstance(function, types.FunctionType) else ()
            if "if_false" in names:  # one of two, by an argument
                function = (function.__closure__ or ())[names.index("if_false")].cell_contents
            if not isinstance(function, types.FunctionType):
                continue
            inner = inspect.unwrap(function)
            if not isinstance(inner, types.FunctionType):
                yield f"{title}.{name}(*args)"
                continue
            tree = ast.parse(textwrap.dedent(inspect.getsource(inner))).body[0]
            assert isinstance(tree, ast.FunctionDef)
            if any("_handle_torch_function" in ast.unparse(each) for each in tree.decorator_list):
                yield f"{title}.{name}(*args)"
                continue
            asking = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
            found = [each for each in asking if ast.unparse(each.func) == "handle_torch_function"]
            if found and not any(each.arg is None for each in found[0].keywords):
                yield f"{title}.{name}({header(function, {each.arg or '' for each in found[0].keywords})})"


def header(function: Callable[..., object], by_name: set[str]) -> str:
    """The parameters of a function."""
    parts: list[str] = []
    for name, each in inspect.signature(function).parameters.items():
        if each.kind is each.VAR_POSITIONAL:
            parts.append(f"*{name}")
            continue
        if name in by_name and "/" not in parts and parts and not any(part[0] == "*" for part in parts):
            parts.append("/")
        if name in by_name or "/" not in parts:
            parts.append(name if each.default is each.empty else f"{name}={each.default!r}")
    if "/" not in parts and not any(part[0] == "*" for part in parts):
        parts.append("/")
    return ", ".join(parts)


def main() -> None:
    texts = known_texts()
    lines = []
    for title, theirs, mine, method in places():
        lines.append(f"[{title}]")
        for name in sorted(each for each in dir(theirs) if not each.startswith("_") and hasattr(mine, each)):
            function = getattr(theirs, name)
            if not isinstance(function, (types.BuiltinFunctionType, types.MethodDescriptorType)):
                continue
            known = texts.get(_READ_AS.get(name, function.__name__), [])
            bound = getattr(torch.ones(2), name) if method else function
            for each in signatures(bound, name, known, method):
                lines.append(each if each.startswith(f"{name}(") else f"{name}: {each}")
    lines.append("[passed on]")
    passed = list(inner_calls())
    lines += [f"{header} -> {inner}: {given}" for header, inner, given in passed]
    lines += ["[overridden in Python]", *handed_on()]
    lines.append("[inner]")
    for inner in sorted({inner for _, inner, _ in passed}):
        function = getattr(torch._C._nn, inner, None) or getattr(torch, inner)
        lines += signatures(function, inner, texts.get(inner, []), False)
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
