"""Files that are damaged or meant badly, made from decisions: drawings and snippets with bytes that are flipped, cut
and swapped, values of other kinds, graphs with cycles, chains and stars, numbers that are none, links that lead
nowhere. What opens them is in `openings`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gradviz.document.files.examples import examples
from tests.document.damage import ODD, places, wholes
from tests.fuzz.choices import Choices
from tests.fuzz.programs import program

ROOT = Path(__file__).parents[2]
TOKENS = (
    *(b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\0", b"\xff", b"\n", b"1e999", b"NaN", b"-Infinity", b"null"),
    *(b'"id": 1', b'{"node": 1}', b"9" * 5000, b"[" * 2000, b'"\\ud800"', b"\xef\xbb\xbf", b"\r", b"e", b"-", b"true"),
)
PLACES = (
    0,
    100,
    -50.5,
    1e308,
    -1e308,
    1e9,
    5e-324,
    2**200,
    "NaN",
    "Infinity",
    {"float": "nan"},
    None,
    "1",
    True,
    1e300,
)
NUMBERS = (
    *(
        0,
        1,
        2,
        -1,
        3,
        0.5,
        1e308,
        -1e308,
        5e-324,
        1e400,
        2**63,
        10**400,
        True,
        None,
        "x",
        [],
        [1, [2]],
        [[1, 2], [3, 4]],
    ),
    *(
        {"float": "nan"},
        {"float": "inf"},
        {"float": "-inf"},
        {"complex": ["1", "nan"]},
        {"complex": ["0", "0"]},
        [[[]]],
    ),
    *([1.0] * 40, list(range(3000)), {"beyond": "9"}, {"float": "x"}, {}),
)
NAMES = (
    "w",
    "x",
    "loss",
    "",
    "class",
    "ß",
    "torch",
    "a b",
    "x" * 300,
    "\0",
    "\u202e",
    "🙂",
    "__import__",
    "w",
    None,
    "net.w",
)
OPS = (
    *(
        "mul",
        "add",
        "neg",
        "sum",
        "matmul",
        "pow",
        "stack",
        "cat",
        "exp",
        "nope",
        "",
        "Tensor.__getitem__",
        "linalg.svd",
    ),
    *("max", "chunk", "where", "nn.functional.linear", "Tensor.view", "clone", "nn.functional.relu", "div", "mean"),
)
PARAMS = (
    {},
    {"dim": 0},
    {"dim": 10**9},
    {"index": "::0"},
    {"shape": [-1, -1]},
    {"dim": [0, 0]},
    {"x": None},
    {"index": "["},
)
MAKERS = ("tensor", "randn", "ones", "eye", "arange", "nope", "full", "zeros")
COUNTS = (3, 1, 8, 20, 60, 0, 150)
Part = dict[str, Any]


def made(choices: Choices) -> tuple[str, bytes]:
    """A name and the content."""
    kind = choices.of((_scratched, _changed, _grown, _grown, _wired, _snippet, _code, lessons, notebook))
    return kind(choices)


@cache
def _drawings() -> tuple[bytes, ...]:
    shipped = [each.path.read_bytes() for each in examples() if each.path.suffix == ".gradviz"]
    return (*wholes(), *shipped, (ROOT / "tests/document/files/version_1.gradviz").read_bytes())


@cache
def _snippets() -> tuple[bytes, ...]:
    return tuple(each.path.read_bytes() for each in examples() if each.path.suffix == ".py")


def scratched(data: bytes, choices: Choices) -> bytes:
    """Bytes flipped, cut out, swapped, repeated, or put in."""
    found = bytearray(data)
    for _ in range(choices.of((1, 2, 5, 30))):
        at, length = choices.number(len(found) + 1), choices.of((1, 3, 20, 300))
        what = choices.number(6)
        if what == 0 and found:
            found[at % len(found)] ^= 1 << choices.number(8)
        elif what == 1:
            del found[at : at + length]
        elif what == 2:
            other = choices.number(len(found) + 1)
            found[at : at + length], found[other : other + length] = (
                found[other : other + length],
                found[at : at + length],
            )
        elif what == 3:
            found[at:at] = found[at : at + length]
        elif what == 4:
            found[at : at + choices.number(3)] = choices.of(TOKENS)
        elif choices.number(3) == 2:
            del found[at:]
    return bytes(found)


def _scratched(choices: Choices) -> tuple[str, bytes]:
    return "net.gradviz", scratched(choices.of(_drawings()), choices)


def _snippet(choices: Choices) -> tuple[str, bytes]:
    return "net.py", scratched(choices.of(_snippets()), choices) if choices.number(4) else program(choices).encode(
        "utf-8", "surrogatepass"
    )


def notebook(choices: Choices) -> tuple[str, bytes]:
    cells = [{"cell_type": "code", "source": choices.of(_snippets()).decode("utf-8", "replace")} for _ in range(2)]
    return "net.ipynb", scratched(json.dumps({"cells": cells, "nbformat": 4}).encode(), choices)


def _code(choices: Choices) -> tuple[str, bytes]:
    """A snippet in a file of ours, of which a part is something else."""
    text = choices.of(_snippets()).decode()
    record: Part = {"format": "gradviz", "version": 1, "kind": "snippet", "text": text.split("\n")}
    record |= {"note": "", "view": {"level": 1, "stops": [{"line": 3}]}}
    return "net.gradviz", _written(_with_changes(record, choices))


def _changed(choices: Choices) -> tuple[str, bytes]:
    """A drawing in which values are others, moved or gone."""
    return "net.gradviz", _written(_with_changes(json.loads(choices.of(_drawings())), choices))


def lessons(choices: Choices) -> tuple[str, bytes]:
    """A lesson set, of which a part is something else."""
    text = choices.of(_snippets()).decode()
    code: Part = {"format": "gradviz", "version": 1, "kind": "snippet", "text": text.split("\n")}
    lessons: list[Part] = [{"document": code, "predict": True}, {"document": json.loads(choices.of(_drawings()))}]
    lessons.append({"file": choices.of(("net.py", "../net.py", "set.gvlessons", "", "/dev/zero", "net.gradviz"))})
    record: Part = {"format": "gradviz-lessons", "version": 1, "title": choices.of(NAMES), "lessons": lessons}
    data = _written(_with_changes(record, choices))
    return "set.gvlessons", data if choices.number(3) else scratched(data, choices)


def _with_changes(record: Part, choices: Choices) -> Part:
    for _ in range(1 + choices.number(5)):
        found = places(record)
        holder, key = choices.of(found)
        what = choices.number(5)
        if what == 0 and isinstance(holder, dict):
            holder[choices.of(("id", "op", "leaf", "inputs", "node", "names", "params", "more", "x", "slider"))] = (
                holder[key]
            )
        elif what == 1:
            del holder[key]
        elif what == 2:
            other, at = choices.of(found)
            fits = at in other if isinstance(other, dict) else at < len(other)
            holder[key] = json.loads(json.dumps(other[at])) if fits else 0
        else:
            holder[key] = json.loads(json.dumps(choices.of(choices.of((ODD, NUMBERS, PLACES, NAMES)))))
    return record


def _written(record: Part) -> bytes:
    if not isinstance(record, dict):
        return json.dumps(record).encode()
    rows = []
    for name, value in record.items():
        inside = ",\n    ".join(map(_token, value)) if isinstance(value, list) else ""
        rows.append(f'  "{name}": [\n    {inside}\n  ]' if inside else f'  "{name}": {_token(value)}')
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode("utf-8", "surrogatepass")


def _token(value: Any) -> str:
    return json.dumps(value).replace('"NaN"', "NaN").replace('"Infinity"', "Infinity")


def _drawing(nodes: list[Part], **more: Any) -> Part:
    return {"format": "gradviz", "version": 1, "kind": "drawing", "next_id": len(nodes) + 1, "nodes": nodes} | more


def _grown(choices: Choices) -> tuple[str, bytes]:
    """Nodes of all kinds, wired to any others, themselves too."""
    count = choices.of(COUNTS)
    nodes = [_node(number, count, choices) for number in range(1, count + 1)]
    ids = [choices.of((number, number, 1, -1, 2**60, 0, "1")) for number in range(choices.number(4))]
    members = [choices.number(count + 3) for _ in range(choices.number(6))]
    groups = [
        {"id": 900 + at, "title": choices.of(NAMES), "members": [*members, 900 + choices.number(3)]} for at in range(3)
    ]
    comment = {"id": 950, "text": choices.of(("", "a\nb", "x" * 5000, "\0")), "x": choices.of(PLACES), "y": 0}
    comment |= {"width": choices.of(PLACES), "height": choices.of(PLACES)}
    calls = [
        {"root": {"node": choices.number(count + 3), "output": choices.of((0, 1, -1, 99))}}
        for _ in range(choices.number(4))
    ]
    more = choices.of(({}, {"groups": groups}, {"comments": [comment] * 2}, {"backward": calls}, {"next_id": ids or 1}))
    return "net.gradviz", _written(_drawing(nodes, **more))


def _node(number: int, count: int, choices: Choices) -> Part:
    usual = choices.number(4)
    part: Part = {"id": number if usual else choices.of((number, 1, count, 2**53, 0, "1", 1.5))}
    part |= (
        {"x": 90.0 * (number % 12), "y": 60.0 * (number // 12)}
        if usual
        else {"x": choices.of(PLACES), "y": choices.of(PLACES)}
    )
    if choices.number(3) == 0 or number == 1:
        part |= {"leaf": choices.of(MAKERS), "name": choices.of(NAMES), "requires_grad": choices.of((True, True, 1))}
        part |= {"data": choices.of(NUMBERS)} if choices.number(3) else {"data": 2.0}
        if choices.number(4) == 0:
            part["slider"] = [choices.of(NUMBERS), choices.of(NUMBERS)]
        return part
    wires = [{"node": choices.number(number + 1 if usual else count + 2)} for _ in range(choices.of((2, 1, 2, 0, 5)))]
    inputs: list[Any] = [choices.of((wire, wire, wire, 2, None, {**wire, "output": 7})) for wire in wires]
    return part | {"op": choices.of(OPS), "inputs": inputs, "params": choices.of(PARAMS), "names": [choices.of(NAMES)]}


def _wired(choices: Choices) -> tuple[str, bytes]:
    """A shape: a chain, a star, a comb, a ring, a grid."""
    count = choices.of((10, 40, 120, 300))
    wires: Callable[[int], list[int]] = choices.of(
        (
            lambda at: [at - 1, 1],
            lambda at: [1, 1],
            lambda at: [max(1, at - 2), max(1, at - 3)],
            lambda at: [at % count + 1, at],
            lambda at: [max(1, at - 17), max(1, at - 1)],
            lambda at: [max(1, at * 7919 % at), max(1, at * 104729 % at)],
        )
    )
    nodes: list[Part] = [{"id": 1, "leaf": "tensor", "name": "x", "data": 0.5, "requires_grad": True}]
    spread = choices.of((60.0, 0.0, 1e8, -3.0))
    for at in range(2, count + 1):
        inputs = [{"node": node} for node in wires(at)]
        nodes.append(
            {"id": at, "op": choices.of(("mul", "add", "mul")), "inputs": inputs, "x": spread * at, "y": spread}
        )
    order = nodes[::-1] if choices.number(3) == 2 else nodes
    return "net.gradviz", _written(_drawing(order, backward=[{"root": {"node": count}}]))


def put(folder: Path, choices: Choices) -> Path:
    """The file in a folder, or something else of its name."""
    name, data = made(choices)
    path = folder / name
    other = choices.number(40)
    if other == 1:
        path.symlink_to(path)
    elif other == 2:
        path.symlink_to(folder)
    elif other == 3:
        path.mkdir()
    elif other == 4:
        os.mkfifo(path)
    elif other == 5:
        path.symlink_to("/dev/zero")
    elif other == 6:
        path.symlink_to(folder / "nowhere")
    elif other == 7:
        (folder / "far").write_bytes(data)
        path.symlink_to(folder / "far")
    elif other != 8:
        path.write_bytes(data)
    return path
