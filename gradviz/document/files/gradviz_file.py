"""The `.gradviz` file: a snippet or a drawing as versioned JSON, one part per line. What is broken in it is left out
and named, the rest is read; what a newer version has written is kept. A file is data: reading it runs nothing in it.
The parts are in `file_parts`, `mended` puts them together; `opening` also knows other files.

Note [Reading what is broken] Limits come first: bytes, numbers that no float holds, nested lists. Then JSON; if that
fails (a file cut short, a damaged line), each line is read by itself, since every part is on one line. Then each part
is checked against the schema, and finally whether the parts fit together.

What doesn't fit together is left out, too: duplicate numbers, wires to nowhere, cycles, operations that don't exist."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar, cast

from gradviz import RESOURCES
from gradviz.document.catalogue import catalogue
from gradviz.document.disk import shown
from gradviz.document.documents import SUFFIX, Contents, Document, Sight
from gradviz.document.drawing import BackwardCall, Comment, Drawing, Group, Leaf, Node, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.files import file_parts
from gradviz.document.files.file_parts import Json, Part
from gradviz.document.shaping.names import tidy
from gradviz.document.shaping.queries import outputs
from gradviz.document.shaping.values import check_leaf, check_numbers
from gradviz.document.snippet import Attached, Snippet, together

# --- A drawing made of parts ---


MOST_INPUTS = 50_000  # of all operations together: each may be a wire, which is drawn
MOST_ID = 2**40  # no drawing reaches a larger number; with one, few would be left for what is added next


def mended(
    nodes: Iterable[Node],
    comments: Iterable[Comment],
    groups: Iterable[Group],
    calls: Iterable[BackwardCall],
    next_id: int,
    dropped: list[str],
) -> Drawing:
    """Return the drawing of what fits together; `dropped` gets a name for each thing that doesn't."""
    seen: set[int] = set()
    good_nodes = tuple(node for node in nodes if _may_stay(node, seen, dropped))
    good_comments = tuple(one for one in comments if _is_new(f"comment {one.id}", one.id, seen, dropped))
    good_groups = tuple(one for one in groups if _is_new(f"group {one.id}", one.id, seen, dropped))
    wired = _without_circles(_wired(good_nodes, dropped), dropped)
    drawing = Drawing(
        nodes=wired,
        comments=good_comments,
        groups=_grouped(good_groups, {node.id for node in wired}),
        next_id=max(next_id, max(seen, default=0) + 1),
    )
    drawing = replace(drawing, calls=_called(drawing, calls, dropped))
    return tidy(_renumbered(drawing) if drawing.next_id > MOST_ID else drawing)


def _renumbered(drawing: Drawing) -> Drawing:
    """Return the same drawing, numbered from 1 in its order."""
    parts: tuple[Node | Comment | Group, ...] = (*drawing.nodes, *drawing.comments, *drawing.groups)
    new = {part.id: at for at, part in enumerate(parts, start=1)}

    def moved(node: Node) -> Node:
        if isinstance(node, Leaf):
            return replace(node, id=new[node.id])
        inputs = (replace(one, node=new[one.node]) if isinstance(one, Ref) else one for one in node.inputs)
        return replace(node, id=new[node.id], inputs=tuple(inputs))

    groups = (
        replace(one, id=new[one.id], members=frozenset(new[member] for member in one.members)) for one in drawing.groups
    )
    calls = (
        replace(
            call,
            root=replace(call.root, node=new[call.root.node]),
            inputs=call.inputs and tuple(new[leaf] for leaf in call.inputs),
        )
        for call in drawing.calls
    )
    return replace(
        drawing,
        nodes=tuple(moved(node) for node in drawing.nodes),
        comments=tuple(replace(one, id=new[one.id]) for one in drawing.comments),
        groups=tuple(groups),
        calls=tuple(calls),
        next_id=len(parts) + 1,
    )


def _is_new(what: str, id: int, seen: set[int], dropped: list[str]) -> bool:
    if id in seen:
        dropped.append(f"{what} (the number {id} comes twice)")
        return False
    seen.add(id)
    return True


def _may_stay(node: Node, seen: set[int], dropped: list[str]) -> bool:
    what = f"node {node.id}"
    if isinstance(node, Leaf):
        try:
            check_leaf(node)
        except UserError as error:
            dropped.append(f"{what} ({str(error).partition(';')[0].rstrip('.')})")
            return False
    elif node.op not in catalogue():
        dropped.append(f"{what} (no operation '{node.op[:40]}')")
        return False
    return _is_new(what, node.id, seen, dropped)


# wires


def _wired(nodes: tuple[Node, ...], dropped: list[str]) -> tuple[Node, ...]:
    """Return the nodes without wires from nowhere, and without arguments that the operation doesn't have."""
    outputs, kept, room = {node.id: _outputs(node) for node in nodes}, list[Node](), MOST_INPUTS
    for node in nodes:
        if isinstance(node, Operation):
            if len(node.inputs) > room:
                dropped.append(f"inputs of node {node.id} (a drawing has {MOST_INPUTS:,} at most)")
                node = replace(node, inputs=node.inputs[:room])
            room -= len(node.inputs)
            node = _fitted(node, outputs, dropped)
        kept.append(node)
    return tuple(kept)


def _outputs(node: Node) -> int:
    return outputs(node) if isinstance(node, Operation) else 1


def _fitted(node: Operation, outputs: dict[int, int], dropped: list[str]) -> Operation:
    entry = catalogue()[node.op]
    inputs = list(node.inputs)
    for port, operand in enumerate(inputs):
        if isinstance(operand, Ref) and operand.output >= outputs.get(operand.node, 0):
            dropped.append(f"a wire to node {node.id} (nothing begins at node {operand.node})")
            inputs[port] = None
    if not any(port.variadic for port in entry.ports):
        if len(inputs) > len(entry.ports):
            dropped.append(f"inputs of node {node.id} ({node.op} has {len(entry.ports)})")
        inputs = [*inputs, *[None] * len(entry.ports)][: len(entry.ports)]
    known = {parameter.name: place for place, parameter in enumerate(entry.params)}
    for name, _ in node.params:
        if name not in known:
            dropped.append(f"'{name[:40]}' of node {node.id} (no such parameter)")
    params = sorted((one for one in node.params if one[0] in known), key=lambda one: known[one[0]])
    return replace(node, inputs=tuple(inputs), params=tuple(params))


def _without_circles(nodes: tuple[Node, ...], dropped: list[str]) -> tuple[Node, ...]:
    """Remove each wire that closes a cycle, found depth first and without recursion."""
    by_id = {node.id: node for node in nodes}
    state: dict[int, bool] = {}  # True: on the current path; False: done
    cut: set[tuple[int, int]] = set()
    for start in by_id:
        way = [(start, 0)]
        while way:
            at, port = way.pop()
            node = by_id[at]
            if port == 0 and at in state:
                continue
            state[at] = True
            if not isinstance(node, Operation) or port == len(node.inputs):
                state[at] = False
                continue
            way.append((at, port + 1))
            operand = node.inputs[port]
            if isinstance(operand, Ref) and state.get(operand.node):
                cut.add((at, port))
            elif isinstance(operand, Ref):
                way.append((operand.node, 0))
    dropped.extend(f"a wire to node {id} (it closes a cycle)" for id, _ in sorted(cut))
    return tuple(
        replace(node, inputs=tuple(None if (node.id, at) in cut else one for at, one in enumerate(node.inputs)))
        if isinstance(node, Operation) and cut
        else node
        for node in nodes
    )


# groups and calls


def _grouped(groups: tuple[Group, ...], nodes: set[int]) -> tuple[Group, ...]:
    """Put each node into one group, the first; drop groups without members."""
    kept, taken = [], set[int]()
    for group in groups:
        members = (group.members & nodes) - taken
        taken |= members
        if members:
            kept.append(replace(group, members=members))
    return tuple(kept)


def _called(drawing: Drawing, calls: Iterable[BackwardCall], dropped: list[str]) -> tuple[BackwardCall, ...]:
    kept = []
    for number, call in enumerate(calls, start=1):
        root = drawing.by_id.get(call.root.node)
        if root is None or call.root.output >= _outputs(root):
            dropped.append(f"backward call {number} (nothing begins at node {call.root.node})")
            continue
        try:
            check_numbers(0.0 if call.gradient is None else call.gradient)
        except UserError as error:
            dropped.append(f"gradient of backward call {number} ({str(error).partition(';')[0].rstrip('.')})")
            call = replace(call, gradient=None)
        leaves = call.inputs and tuple(one for one in call.inputs if isinstance(drawing.by_id.get(one), Leaf))
        kept.append(replace(call, inputs=leaves or None))
    return tuple(kept)


FORMAT = "gradviz"
VERSION = 1
MOST_BYTES = 10_000_000
MOST_PARTS = 10_000  # nodes, and as many comments and groups
MOST_DAMAGED = 1_000  # lines; a file with more of them is not read at all
MOST_LINES = 500_000  # in a file that has to be read line by line

MIGRATIONS: dict[int, Callable[[Part], Part]] = {}
"""From the record of a version to that of the next. There has been one version only. To add the next: count VERSION up,
add the row that makes a record of the former one, and keep a file of that one in tests/document/files."""

T = TypeVar("T")


# writing


def write(contents: Contents) -> bytes:
    """Return the file; the same document gives the same bytes. UserError if it is larger than any file that can be
    read."""
    document = contents.document
    record: Part = {"format": FORMAT, "version": VERSION}
    if isinstance(document, Drawing):
        record |= {"kind": "drawing", "note": contents.note, "newline": document.newline, "next_id": document.next_id}
        record |= cast(Part, file_parts.drawing_to_json(document))
    else:
        record |= {"kind": "snippet", "note": contents.note, "newline": document.newline}
        record["text"] = [*document.text.split("\n")]
        record |= {"files": [file_parts.file_to_json(each) for each in document.files]} if document.files else {}
        record |= {"arguments": document.arguments}
    record["view"] = file_parts.sight_to_json(contents.sight)
    defaults: Part = {"note": "", "newline": "\n", "view": {}, "arguments": ""}
    record = {name: value for name, value in record.items() if value != defaults.get(name)}
    text = _laid_out(file_parts.with_unknown(record, document.extra))
    data = text.encode("utf-8", errors="backslashreplace")  # a lone surrogate becomes JSON's own \\udXXX
    nodes = document.nodes if isinstance(document, Drawing) else ()
    inputs = sum(len(each.inputs) for each in nodes if isinstance(each, Operation))
    if len(data) > MOST_BYTES or len(nodes) > MOST_PARTS or inputs > MOST_INPUTS:
        most = f"{MOST_PARTS:,} nodes, {MOST_INPUTS:,} inputs and {MOST_BYTES / 1e6:.0f} MB"
        parts = f"{len(nodes):,} nodes, {inputs:,} inputs and {len(data) / 1e6:.1f} MB"
        raise UserError(f"This would be {parts}; a {SUFFIX} file may have {most}.")
    return data


def _laid_out(record: Part) -> str:
    """Write every field on a line, and every item of the lists of parts."""
    rows = []
    for name, value in record.items():
        if isinstance(value, list) and value and name in known_fields():
            items = ",\n    ".join(_dumped(item) for item in value)
            rows.append(f"  {_dumped(name)}: [\n    {items}\n  ]")
        else:
            rows.append(f"  {_dumped(name)}: {_dumped(value)}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _dumped(value: Json) -> str:
    return _WRITER.encode(value)


_WRITER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)  # `json.dumps` would make one for each line


# reading


def too_big_to_read(name: str, size: int) -> UserError:
    """Return the sentence for a file that is too big to be a drawing."""
    most = f"{MOST_BYTES / 1e6:.0f} MB"
    return UserError(f"{name} has {size / 1e6:.1f} MB; a {SUFFIX} file may have {most} at most. Open another file.")


def read(data: bytes, name: str) -> Contents:
    """Return what a file contains; UserError if it is not one of ours, or contains nothing that can be read."""
    if len(data) > MOST_BYTES:
        raise too_big_to_read(name, len(data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is no {SUFFIX} file: it is not UTF-8 text. Open another file.") from error
    dropped: list[str] = []
    record = _parsed(text, name, dropped)
    version = record.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < min(MIGRATIONS, default=VERSION):
        raise UserError(f"{name} has an unknown format version ({shown(str(version), 20)}). Open another file.")
    newer = version if version > VERSION else 0
    while version < VERSION:
        record, version = MIGRATIONS[version](record), version + 1
    document: Document
    if record.get("kind") == "drawing":
        document = _drawing(record, dropped)
    elif record.get("kind") == "snippet":
        document = _snippet(record, dropped)
    else:
        raise UserError(f"{name} contains neither a snippet nor a drawing. Open another file.")
    note = _one(record, "note", "note", "", lambda value: str(value), dropped)
    view, found = record.get("view", {}), problem("view", record.get("view", {}))
    if found:
        dropped.append(f"the view ({found})")
    sight = Sight() if found else file_parts.sight_from_json(cast(Part, view), _unknown(cast(Part, view), "view"))
    return Contents(document, note, sight, tuple(dropped), newer)


def _parsed(text: str, name: str, dropped: list[str]) -> Part:
    try:
        record = loads(text)
    except json.JSONDecodeError:
        record = _line_by_line(text, dropped)
    except RecursionError as error:
        raise UserError(f"{name} is no {SUFFIX} file: it has too many lists in lists. Open another file.") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise UserError(f"{name} was not written by GradViz, or is damaged too much. Open another file.")
    return record


def loads(text: str) -> Json:
    """Parse JSON in which special numbers are named objects."""
    return cast(Json, _READER.decode(_LONE.sub(r"\1", text)))


# A lone surrogate is not a character and is removed; the first branch is another escape, or a complete pair, and stays.
_OURS = re.compile(rf'"format": "{FORMAT}"')
_LONE = re.compile(r"(\\[^u]|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w)|\\u[dD][89a-fA-F]\w\w")


def _float(text: str) -> Json:
    value = float(text)
    return value if math.isfinite(value) else {"beyond": text[:40]}


def _int(text: str) -> Json:
    try:
        return int(text)
    except ValueError:  # more digits than Python parses
        return {"beyond": text[:40]}


def _constant(text: str) -> Json:
    """Accept `Infinity` and `NaN`, which are not JSON, but other programs write them."""
    return {"float": repr(float(text))}


_READER = json.JSONDecoder(parse_float=_float, parse_int=_int, parse_constant=_constant)


def _line_by_line(text: str, dropped: list[str]) -> Json:
    """Return the record of a file that is not valid JSON as a whole: what can be read from its lines, as `_laid_out`
    writes them."""
    record: Part = {}
    inside: list[Json] | None = None
    if not _OURS.search(text[:300]) or text.count("\n") > MOST_LINES:
        return record
    lines = text.split("\n")
    whole = text.rstrip().endswith("}")
    for number, line in enumerate(lines, start=1):
        words = line.strip().removesuffix(",")
        opening = re.fullmatch(r'"(\w+)": \[', words)
        try:
            if opening:
                inside = record[opening[1]] = []
            elif words in ("{", "}", "]", ""):
                inside = None if words == "]" else inside
            elif inside is not None:
                inside.append(loads(words))
            else:
                record.update(cast(Part, loads("{" + words + "}")))
        except (json.JSONDecodeError, RecursionError):
            if whole or number < len(lines):
                dropped.append(f"line {number}")
            if len(dropped) > MOST_DAMAGED:
                return {}
    if not whole:
        dropped.append("the end of the file")
    return record


def _unknown(part: Part, kind: str) -> str:
    return file_parts.unknown_fields(part, known_fields(kind))


def _one(record: Part, name: str, kind: str, default: T, made: Callable[[Json], T], dropped: list[str]) -> T:
    """Return one field of the file."""
    if name not in record:
        return default
    if problem(kind, record[name]):
        dropped.append(f"{name} ({problem(kind, record[name])})")
        return default
    return made(record[name])


def _extra(record: Part, dropped: list[str]) -> str:
    for name in [name for name in record if name not in known_fields() and is_too_deep(record[name])]:
        dropped.append(f"'{name[:40]}' (too many lists in lists)")
        del record[name]
    return _unknown(record, "")


def _snippet(record: Part, dropped: list[str]) -> Snippet:
    lines: list[str] = []
    for number, line in enumerate(_list(record, "text", "the code", dropped), start=1):
        good = isinstance(line, str) and "\0" not in line
        lines.append(cast(str, line) if good else "")
        if not good:
            dropped.append(f"line {number} of the code")
    newline = _one(record, "newline", "newline", "\n", str, dropped)
    arguments = _one(record, "arguments", "line", "", str, dropped)
    files = _files(record, dropped)
    return Snippet("\n".join(lines).replace("\r", "\n"), newline, files, arguments, _extra(record, dropped))


def _files(record: Part, dropped: list[str]) -> tuple[Attached, ...]:
    """Return the attached files: those with a valid name, no more than a document may have."""
    files: tuple[Attached, ...] = ()
    for part, _ in _parts(record, "files", ("file",), "file", dropped):
        file = file_parts.file_from_json(part)
        try:
            files = together(files, (file,)) if file is not None else files
        except UserError:
            file = None
        if file is None:
            dropped.append(f"file {str(part['name'])[:40]}")
    return files


def _drawing(record: Part, dropped: list[str]) -> Drawing:
    nodes = _parts(record, "nodes", ("operation", "leaf"), "node", dropped)
    comments = _parts(record, "comments", ("comment",), "comment", dropped)
    groups = _parts(record, "groups", ("group",), "group", dropped)
    calls = _parts(record, "backward", ("backward",), "backward call", dropped)
    drawing = mended(
        (file_parts.node_from_json(*one) for one in nodes),
        (file_parts.comment_from_json(*one) for one in comments),
        (file_parts.group_from_json(*one) for one in groups),
        (file_parts.call_from_json(*one) for one in calls),
        _one(record, "next_id", "id", 1, lambda value: int(cast(int, value)), dropped),
        dropped,
    )
    newline = _one(record, "newline", "newline", "\n", str, dropped)
    return replace(drawing, newline=newline, extra=_extra(record, dropped))


def _parts(
    record: Part, name: str, kinds: tuple[str, ...], word: str, dropped: list[str]
) -> Iterator[tuple[Part, str]]:
    """Return the valid parts of a list, with their unknown fields. Of two kinds, the last is the one with a field of
    that name."""
    for number, part in enumerate(_list(record, name, f"the {name}", dropped), start=1):
        kind = kinds[-1] if isinstance(part, dict) and kinds[-1] in part else kinds[0]
        found = problem(kind, part)
        if found:
            id = part.get("id") if isinstance(part, dict) else None
            dropped.append(f"{word} {id if type(id) is int and 0 < id < 2**53 else f'number {number}'} ({found})")
        else:
            known = cast(Part, part)
            yield known, _unknown(known, kind)


def _list(record: Part, name: str, words: str, dropped: list[str]) -> list[Json]:
    value = record.get(name, [])
    if not isinstance(value, list):
        dropped.append(f"{words} (not a list)")
        return []
    if name != "text" and len(value) > MOST_PARTS:
        dropped.append(f"{words} beyond the first {MOST_PARTS:,}")
        return value[:MOST_PARTS]
    return value


FILE = RESOURCES / "gradviz.schema.json"
DEEPEST = 100  # nested lists; no tensor has more than 64 dimensions


@cache
def schema() -> dict[str, Any]:
    """Return the schema."""
    return cast(dict[str, Any], json.loads(FILE.read_text(encoding="utf-8")))


@cache
def known_fields(kind: str = "") -> frozenset[str]:
    """Return the fields of a kind of part that this version knows; for "", those of the file itself."""
    return frozenset((schema()["definitions"][kind] if kind else schema())["properties"])


@cache
def _check(kind: str) -> Callable[[Json], None]:
    import fastjsonschema

    checked = {"$ref": f"#/definitions/{kind}", "definitions": schema()["definitions"]}
    return cast(Callable[[Json], None], fastjsonschema.compile(checked, use_default=False))


def problem(kind: str, part: Json) -> str:
    """Return what is wrong with a part, in a few words; "" if nothing is."""
    import fastjsonschema

    if is_too_deep(part):
        return "too many lists in lists"
    try:
        _check(kind)(part)
    except fastjsonschema.JsonSchemaValueException as error:
        return _in_words(error.message)
    return ""


def _in_words(message: str) -> str:
    """Shorten "data.x must be number" to "x must be number"."""
    words = re.sub(r"^data[.]?", "", message).strip()
    if "valid" in words or "pattern" in words:
        words = f"{words.split(' ')[0]} is not understood"
    missing = re.fullmatch(r"must contain \[(.*)\] properties", words)
    return f"no {missing[1]}" if missing else words[:80]


def is_too_deep(part: Json) -> bool:
    """Whether lists are nested too deeply for our readers."""
    level: list[Json] = [part]
    for _ in range(DEEPEST):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [one for several in inner for one in several if isinstance(one, dict | list)]
        if not level:
            return False
    return True
