"""The readers of documents on any bytes: `.gradviz` files, Python files, the code of a drawing, a typed expression, a
recovery file. Each gives contents or a `UserError`, whose text is a sentence; what was read is written, and read again
it is the same."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gradviz.document import snippet
from gradviz.document.code import parse
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.files import gradviz_file, opening, recovery
from tests.document.damage import ODD, places, wholes
from tests.fuzz.choices import Choices
from tests.fuzz.programs import program

NAMES = ("w", "x", "b", "y", "loss", "l1", "torch", "F", "net", "class", "π")
CALLS = (
    "torch.tensor({k}, requires_grad=True)",
    "torch.ones({k}, {k})",
    "torch.randn({k}, {k}, requires_grad=True)",
    "{e} * {e}",
    "{e} + {k}",
    "{e} @ {e}",
    "{e}.sum(dim={k})",
    "torch.stack([{e}, {e}])",
    "F.relu({e})",
    "-{e}",
    "{e} ** {k}",
    "{e}[{k}]",
    "{e}.view({k}, {k})",
    "torch.nn.Linear({k}, {k})({e})",
    "torch.where({e} > {k}, {e}, {e})",
    "torch.svd({e})",
    "{e}.T",
    "nn.functional.cross_entropy({e}, {e})",
    "torch.full(({k},), {k}, dtype=torch.float64)",
    "{e}.detach()",
    "{n}",
    "{n}",
    "torch.cat(({e}, {e}), dim={k})",
    "{e}.max(dim={k})",
    "torch.einsum('ij,jk->ik', {e}, {e})",
    "math.pi",
    "({e})",
)
LINES = (
    "{n} = {e}",
    "{n}, {n} = {e}",
    "{n} = {n} = {e}",
    "{e}.backward()",
    "{e}.backward(torch.ones({k}), retain_graph=True)",
    "{n} += {e}",
    "{n}[{k}] = {e}",
    "for {n} in range({k}): {n} = {e}",
    "print({e})",
    "# {n} = {e}  # needs other",
    "import torch",
    "with torch.no_grad(): {n} = {e}",
    "torch.autograd.grad({e}, [{n}])",
    "{n}.requires_grad_()",
    "{n}: int = {e}",
    "{e}",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "-1",
    "1.5",
    "1e999",
    "2j",
    "True",
    "None",
    "[1., 2.]",
    "[[]]",
    "()",
    "10**20",
    "'a'",
    "float('nan')",
)


def one_input(data: bytes) -> None:
    """The first byte says which reader; the others are its bytes, or decide what is damaged."""
    readers: tuple[Callable[[bytes], None], ...] = (
        _file,
        _damaged,
        _python,
        _drawing,
        _drawn,
        _expression,
        _recovery,
        _program,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readers[data[0] % len(readers) if data else 0](data[1:])


def refused(error: UserError) -> None:
    """The text of a refusal is a sentence for a person."""
    text = str(error)
    assert 10 < len(text) < 500 and text.endswith((".", "?", "…")) and "\n" not in text, text


def _file(data: bytes) -> None:
    try:
        contents = gradviz_file.read(data, "net.gradviz")
    except UserError as error:
        return refused(error)
    assert len(contents.sentence("net.gradviz")) < 1000
    text_of(contents.document).encode()
    once = gradviz_file.write(contents)
    again = gradviz_file.read(once, "net.gradviz")
    assert again.dropped == (), again.dropped
    assert gradviz_file.write(again) == once, "what was written is not what is written again"
    return None


@cache
def _wholes() -> tuple[bytes, ...]:
    return tuple(wholes())


def _damaged(data: bytes) -> None:
    """A good file in which values are replaced, removed or moved."""
    choices = Choices(data)
    record: Any = json.loads(choices.of(_wholes()))
    for _ in range(1 + choices.number(4)):
        found = places(record)
        holder, key = choices.of(found)
        kind = choices.number(4)
        if kind == 0 and isinstance(holder, dict):
            holder[choices.of(("id", "op", "leaf", "inputs", "node", "output", "params", "more"))] = holder[key]
        elif kind == 1:
            other, at = choices.of(found)
            holder[key] = json.loads(json.dumps(other[at])) if key in _keys(holder) and at in _keys(other) else 0
        elif kind == 2 and choices.number(2):
            holder[key] = choices.number(300) - 20
        else:
            holder[key] = json.loads(json.dumps(choices.of(ODD)))
    _file(json.dumps(record, indent=choices.of((None, 2))).encode())


def _keys(holder: Any) -> Any:
    return holder if isinstance(holder, dict) else range(len(holder))


def _python(data: bytes) -> None:
    try:
        found = snippet.decode(data, "a.py")
    except UserError as error:
        return refused(error)
    assert "\r" not in found.text
    again = snippet.decode(snippet.encode(found), "a.py")
    assert again.text == found.text or "coding" in found.text[:500]
    return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape" if data[:1] == b"s" else "replace")


def _drawing(data: bytes) -> None:
    _parsed(_text(data))


def _program(data: bytes) -> None:
    _parsed(program(Choices(data)))


def _drawn(data: bytes) -> None:
    _parsed(_lines(Choices(data)))


def _parsed(text: str) -> None:
    """Code becomes a drawing, its code a drawing again, and that has the same code."""
    try:
        drawing = parse.parse(text)
    except UserError as error:
        return refused(error)
    assert isinstance(drawing, Drawing)
    code = text_of(drawing)
    compile(code, "drawing.py", "exec", dont_inherit=True)
    again = parse.read(code, drawing).drawing
    assert text_of(again) == code, "its own code does not give the drawing"
    _file(gradviz_file.write(gradviz_file.Contents(drawing)))
    return None


def _expression(data: bytes) -> None:
    choices = Choices(data)
    text = _text(choices.rest()) if choices.number(2) else _made("{e}", choices, 0)
    try:
        made = parse.parse_expression(text, {})
    except UserError as error:
        return refused(error)
    compile(text_of(made), "drawing.py", "exec", dont_inherit=True)
    return None


def _lines(choices: Choices) -> str:
    lines = []
    while not choices.is_over and len(lines) < 40:
        lines.append(_made(choices.of(LINES), choices, 0))
    return "\n".join(lines)


def _made(template: str, choices: Choices, depth: int) -> str:
    parts = template.split("{")
    made = parts[0]
    for part in parts[1:]:
        kind, rest = part[0], part[2:]
        if kind == "e":
            made += _made(choices.of(CALLS), choices, depth + 1) if depth < 5 and not choices.is_over else "x"
        else:
            made += choices.of(NAMES if kind == "n" else NUMBERS)
        made += rest
    return made


def _recovery(data: bytes) -> None:
    """A damaged recovery file is as good as none."""
    with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-") as folder:
        file = Path(folder) / "window-1.json"
        file.write_bytes(data)
        found = recovery.read(file)
        if found is not None:
            recovery.write(file, found)
            assert recovery.read(file) == found
            opening.encode(found.contents, Path("net.gradviz"))
