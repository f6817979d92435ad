"""Files that are damaged in every way that we could think of, the same at each run, and a program that opens all of
them: `python -m tests.document.damage` prints how it went. It runs in a process of its own, with a bound on memory."""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

from gradviz.document.documents import Contents, text_of
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.files.gradviz_file import read, write
from gradviz.document.snippet import Snippet
from tests.document.one_of_everything import everything, with_its_view

MEMORY = 1_000_000_000  # bytes of address space, for the interpreter and all that it does

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**200, 1e308, -0.5, "", "x", "\0", "import os", "a" * 100_000, [], {}, [[]], [None] * 1000),
    *({"float": "inf"}, {"node": 1}, {"node": -1, "output": 3}, {"complex": ["x", "y"]}, {"float": 3}, [[[[1], 2]]]),
)
FOREIGN = (
    *("null", "3", '"gradviz"', "[]", "{}", "[1, 2, 3]", '{"name": "left-pad", "version": "1.3.0"}'),
    '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    '{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": null}]}',
    '{"openapi": "3.0.0", "paths": {}}',
    '{"format": "GradViz", "version": 1, "kind": "drawing"}',
    '{"format": ["gradviz"], "version": 1, "kind": "drawing", "nodes": []}',
    "import torch\nx = torch.ones(2)\n",
    "<html><body>404</body></html>",
    "a,b,c\n1,2,3\n",
)


def chain(count: int) -> Drawing:
    """A leaf and operations one behind the other."""
    nodes = [Leaf(1, "x", 0.5, requires_grad=True)]
    nodes += [Operation(at, "mul", (Ref(at - 1), Ref(1)), x=60.0 * at) for at in range(2, count + 1)]  # type: ignore[list-item]
    return Drawing(tuple(nodes), next_id=count + 1)


@cache
def wholes() -> list[bytes]:
    """Files that are not damaged."""
    snippet = Contents(Snippet("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n"))
    return [write(with_its_view()), write(Contents(chain(40))), write(snippet)]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (list or object, index or field) below a JSON value."""
    found, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        for key in one if isinstance(one, dict) else range(len(one)):
            found.append((one, key))
            if isinstance(one[key], dict | list):
                waiting.append(one[key])
    return found


def cut_and_scratched(chance: random.Random) -> Iterator[bytes]:
    for _ in range(45):
        data = chance.choice(wholes())
        yield data[: chance.randrange(len(data))]
    for _ in range(45):
        scratched = bytearray(chance.choice(wholes()))
        for _ in range(chance.choice((1, 3, 30))):
            scratched[chance.randrange(len(scratched))] = chance.choice(b'\0\xff"{}[]:,\\0eE-.\nx')
        yield bytes(scratched)


def of_wrong_types(chance: random.Random) -> Iterator[bytes]:
    for _ in range(60):
        record = json.loads(chance.choice(wholes()))
        for _ in range(chance.choice((1, 1, 5))):
            holder, key = chance.choice(places(record))
            holder[key] = deepcopy(chance.choice(ODD))  # it may be changed in its turn
        yield json.dumps(record, indent=chance.choice((None, 2))).encode()


def with_odd_numbers(chance: random.Random) -> Iterator[bytes]:
    for number in ("1e999", "-1e999", "9" * 5000, "1" * 1_000_000, "NaN", "-Infinity", "1e308", "1e-999", "-0", "01"):
        for _ in range(2):
            text = chance.choice(wholes()[:2]).decode()
            spot = chance.choice(list(re.finditer(r"(?<=[ \[])-?[0-9][0-9.e-]*", text)))
            yield (text[: spot.start()] + number + text[spot.end() :]).encode()


def deep(chance: random.Random) -> Iterator[bytes]:
    for depth in (90, 150, 900, 5_000, 100_000, 1_000_000):
        for old in ('"data": 3.0', '"x": 10.0', '"version": 1', '"text": "what'):
            text = wholes()[0].decode().replace(old, f'"data": {"[" * depth}{"]" * depth}, {old}', 1)
            yield text.encode()
        yield b'{"format": "gradviz", "a": ' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"


def foreign_and_binary(chance: random.Random) -> Iterator[bytes]:
    yield from (text.encode() for text in FOREIGN)
    data = wholes()[0]
    yield from (data.decode().encode(code) for code in ("utf-16", "utf-32"))
    yield from (gzip.compress(data, mtime=0), b"\0" * 5000, data + data, b"\xef\xbb\xbf" + data, data[::-1])
    yield from (chance.randbytes(size) for size in (1, 10, 1000, 100_000))


def of_other_versions(chance: random.Random) -> Iterator[bytes]:
    for version in ("0", "-1", "2", "99", "1.5", '"1"', "null", "[1]", "1e3", "9" * 400):
        yield wholes()[0].replace(b'"version": 1', f'"version": {version}'.encode())


def that_do_not_fit_together(chance: random.Random) -> Iterator[bytes]:
    drawing = chain(30)
    for _ in range(30):
        nodes = list(drawing.nodes)
        for _ in range(chance.choice((1, 3, 10))):
            at = chance.randrange(len(nodes))
            node = nodes[at]
            if isinstance(node, Leaf):
                nodes[at] = replace(node, id=chance.randrange(1, 31))
            else:
                wire = Ref(chance.randrange(1, 60), chance.choice((0, 0, 1, 9)))
                op = chance.choice(("mul", "mul", "stack", "nope", "Tensor.__getitem__", "linalg.svd"))
                names = tuple(chance.choices(("x", "class", "", "a b", "ß", "torch"), k=chance.choice((0, 1, 4))))
                id = chance.choice((node.id, chance.randrange(1, 31)))
                nodes[at] = Operation(id, op, (wire,) * chance.choice((0, 1, 2, 5)), (("dim", 1),), names)
        yield write(Contents(Drawing(tuple(nodes), everything().comments, everything().groups, everything().calls)))


def large(chance: random.Random) -> Iterator[bytes]:
    head = b'{\n  "format": "gradviz",\n  "version": 1,\n  "kind": "drawing",\n  "nodes": [\n'
    for filling in (b"\n", b"x\n", b'{"id": 1, "leaf": "tensor"},\n'):
        yield head + filling * (9_990_000 // len(filling))
    for filling in (b"[],", b'{"a":1},', b'"",', b'{"id": 1, "leaf": "tensor"},\n'):
        yield (head + filling * (9_990_000 // len(filling))).rstrip(b",\n ") + b"\n]}"
    yield write(Contents(Drawing(tuple(Leaf(at, "x") for at in range(1, 9_001)))))
    yield write(Contents(Drawing(tuple(Operation(at, "neg", (None,), (), ("x",)) for at in range(1, 9_001)))))
    yield write(Contents(Drawing((Leaf(1, "x", tuple(range(1_000_000))),))))
    yield write(Contents(Drawing((Leaf(1, "x" * 9_000_000),))))
    yield write(Contents(Snippet("x\n" * 1_000_000)))


def files() -> Iterator[tuple[str, bytes]]:
    """All of them, with the kind of damage."""
    makers = (cut_and_scratched, of_wrong_types, with_odd_numbers, deep, foreign_and_binary, of_other_versions)
    for make in (*makers, that_do_not_fit_together, large):
        for data in make(random.Random(5)):
            yield make.__name__, data


def opened(data: bytes) -> str:
    """What becomes of a file: "refused", "part" or "whole"; anything but a sentence or a document that runs raises."""
    try:
        contents = read(data, "net.gradviz")
    except UserError as error:
        assert 20 < len(str(error)) < 400 and str(error).endswith("."), str(error)
        return "refused"
    assert len(contents.sentence("net.gradviz")) < 1000
    text_of(contents.document).encode()
    again = read(write(contents), "net.gradviz")
    assert again.dropped == (), again.dropped
    return "part" if contents.dropped else "whole"


def main() -> int:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    counts = Counter((kind, opened(data)) for kind, data in files())
    sys.stdout.write(json.dumps([[*key, count] for key, count in sorted(counts.items())]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
