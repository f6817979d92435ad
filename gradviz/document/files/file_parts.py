"""Converts the parts of a `.gradviz` file to the records that they represent, and back: nodes, comments, groups,
backward calls, the view (one pair of functions for each). They are neither checked here, which `gradviz_file` has done,
nor combined, see `gradviz_file`. A field with its default value is not written."""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import cast

from gradviz.document.documents import Sight, Stop
from gradviz.document.drawing import (
    BackwardCall,
    Comment,
    Drawing,
    Group,
    Leaf,
    Literal,
    Node,
    Number,
    Operand,
    Operation,
    Ref,
)
from gradviz.document.snippet import Attached, is_name

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Part = dict[str, Json]


# values


def literal_to_json(value: Literal) -> Json:
    """Convert nested tuples to lists, and what JSON has no number for to an object."""
    if isinstance(value, tuple):
        return [literal_to_json(one) for one in value]
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    return value


def literal_from_json(value: Json) -> Literal:
    """Return the value again, bit for bit."""
    if isinstance(value, list):
        return tuple(literal_from_json(one) for one in value)
    if isinstance(value, dict):
        if "complex" in value:
            real, imag = cast(list[str], value["complex"])
            return complex(float(real), float(imag))
        return float(cast(str, value["float"]))
    return value


def _operand_to_json(operand: Operand) -> Json:
    if isinstance(operand, Number):
        return literal_to_json(operand.value)
    return _ref_to_json(operand) if operand is not None else None


def _ref_to_json(ref: Ref) -> Part:
    return {"node": ref.node, "output": ref.output} if ref.output else {"node": ref.node}


def _ref_from_json(part: Json) -> Ref:
    record = cast(dict[str, int], part)
    return Ref(int(record["node"]), int(record.get("output", 0)))


def _operand_from_json(value: Json) -> Operand:
    if value is None:
        return None
    if isinstance(value, dict) and "node" in value:
        return _ref_from_json(value)
    return Number(cast("bool | int | float | complex", literal_from_json(value)))


# fields that this version does not know


def unknown_fields(part: Mapping[str, Json], known: frozenset[str]) -> str:
    """Return JSON of the fields that are not in `known`; "" for none."""
    unknown = {name: value for name, value in part.items() if name not in known}
    return json.dumps(unknown, ensure_ascii=False) if unknown else ""


def with_unknown(part: Part, extra: str) -> Part:
    """Return the part with the fields of `unknown_fields`."""
    return {**part, **{name: value for name, value in json.loads(extra).items() if name not in part}} if extra else part


def _differing(part: Part, defaults: Part) -> Part:
    """Return the fields that differ from their default; 1, 1.0 and True are distinguished."""
    return {
        name: value
        for name, value in part.items()
        if name not in defaults or value != defaults[name] or type(value) is not type(defaults[name])
    }


# nodes

_PLACE: Part = {"x": 0.0, "y": 0.0, "pinned": False}
_LEAF: Part = {"data": 0.0, "seed": None, "dtype": "", "requires_grad": False, "slider": None, **_PLACE}
_OPERATION: Part = {"inputs": [], "params": {}, "names": [], **_PLACE}


def node_to_json(node: Node) -> Part:
    """Convert a node: a leaf has the field "leaf", an operation "op"."""
    part: Part = {"id": node.id}
    if isinstance(node, Leaf):
        part |= {"leaf": node.maker, "name": node.name, "data": literal_to_json(node.data), "seed": node.seed}
        part |= {"dtype": node.dtype, "requires_grad": node.requires_grad}
        part |= {"slider": list(node.slider) if node.slider else None}
        defaults = _LEAF
    else:
        part |= {"op": node.op, "inputs": [_operand_to_json(one) for one in node.inputs]}
        part |= {"params": {name: literal_to_json(value) for name, value in node.params}, "names": list(node.names)}
        defaults = _OPERATION
    part |= {"x": _place(node.x), "y": _place(node.y), "pinned": node.pinned}
    return with_unknown(_differing(part, defaults), node.extra)


def node_from_json(part: Part, extra: str) -> Node:
    """Return a leaf or an operation."""
    return _leaf(part, extra) if "leaf" in part else _operation(part, extra)


def _leaf(part: Part, extra: str) -> Leaf:
    slider = cast("list[float] | None", part.get("slider"))
    return Leaf(
        id=_whole(part["id"]),
        name=str(part.get("name", "")),
        data=literal_from_json(part.get("data", 0.0)),
        maker=str(part["leaf"]),
        seed=None if part.get("seed") is None else _whole(part["seed"]),
        dtype=str(part.get("dtype", "")),
        requires_grad=bool(part.get("requires_grad")),
        slider=(float(slider[0]), float(slider[1])) if slider and slider[0] < slider[1] else None,
        x=_number(part.get("x", 0.0)),
        y=_number(part.get("y", 0.0)),
        pinned=bool(part.get("pinned")),
        extra=extra,
    )


def _operation(part: Part, extra: str) -> Operation:
    return Operation(
        id=_whole(part["id"]),
        op=str(part["op"]),
        inputs=tuple(_operand_from_json(one) for one in cast(list[Json], part.get("inputs", []))),
        params=tuple((name, literal_from_json(value)) for name, value in cast(Part, part.get("params", {})).items()),
        names=tuple(cast(list[str], part.get("names", []))),
        x=_number(part.get("x", 0.0)),
        y=_number(part.get("y", 0.0)),
        pinned=bool(part.get("pinned")),
        extra=extra,
    )


# what is not a node

_COMMENT: Part = {"x": 0.0, "y": 0.0}
_CALL: Part = {"gradient": None, "retain_graph": None, "create_graph": False, "inputs": None}


def comment_to_json(comment: Comment) -> Part:
    """A comment box."""
    part: Part = {"id": comment.id, "text": comment.text, "x": _place(comment.x), "y": _place(comment.y)}
    part |= {"width": float(comment.width), "height": float(comment.height)}
    return with_unknown(_differing(part, _COMMENT), comment.extra)


def comment_from_json(part: Part, extra: str) -> Comment:
    """A comment box."""
    x, y = _number(part.get("x", 0.0)), _number(part.get("y", 0.0))
    width, height = _number(part.get("width", Comment.width)), _number(part.get("height", Comment.height))
    return Comment(_whole(part["id"]), str(part["text"]), x, y, width, height, extra)


def group_to_json(group: Group) -> Part:
    """Convert a group, with its members in ascending order."""
    part: Part = {"id": group.id, "title": group.title, "members": [*sorted(group.members)], "closed": group.closed}
    return with_unknown(_differing(part, {"closed": False}), group.extra)


def group_from_json(part: Part, extra: str) -> Group:
    """A group."""
    members = frozenset(_whole(one) for one in cast(list[Json], part["members"]))
    return Group(_whole(part["id"]), str(part.get("title", "")), members, bool(part.get("closed")), extra)


def call_to_json(call: BackwardCall) -> Part:
    """A backward call."""
    part: Part = {"root": _ref_to_json(call.root), "gradient": literal_to_json(call.gradient)}
    part |= {"retain_graph": call.retain_graph, "create_graph": call.create_graph}
    part |= {"inputs": None if call.inputs is None else [*call.inputs]}
    return with_unknown(_differing(part, _CALL), call.extra)


def call_from_json(part: Part, extra: str) -> BackwardCall:
    """A backward call."""
    retain, inputs = part.get("retain_graph"), cast("list[Json] | None", part.get("inputs"))
    return BackwardCall(
        root=_ref_from_json(part["root"]),
        gradient=literal_from_json(part.get("gradient")),
        retain_graph=None if retain is None else bool(retain),
        create_graph=bool(part.get("create_graph")),
        inputs=None if inputs is None else tuple(_whole(one) for one in inputs),
        extra=extra,
    )


def file_to_json(file: Attached) -> Part:
    """Convert an attached file: to text if possible."""
    text = _as_text(file.data)
    key, value = ("base64", b64encode(file.data).decode()) if text is None else ("text", text)
    return {"name": file.name, key: value}


def _as_text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def file_from_json(part: Part) -> Attached | None:
    """Return the file; None for one that is not allowed."""
    name, text, coded = part["name"], part.get("text"), part.get("base64", "")
    if not isinstance(name, str) or not is_name(name):
        return None
    try:
        data = text.encode() if isinstance(text, str) else b64decode(str(coded), validate=True)
    except ValueError:  # a lone surrogate, or invalid base64
        return None
    return Attached(name, data)


def sight_to_json(sight: Sight) -> Part:
    """Convert the view."""
    part: Part = {"level": sight.level}
    for name in _KEYS:
        part[name] = [*sorted(cast(frozenset[str], getattr(sight, name)))]
    part["breakpoints"] = [_differing(dict(vars(stop)), dict(vars(Stop()))) for stop in sight.stops]
    empty: Part = {"level": None, "breakpoints": [], **{name: [] for name in _KEYS}}
    return with_unknown(_differing(part, empty), sight.extra)


def sight_from_json(part: Part, extra: str) -> Sight:
    """Return the view."""
    keys = {name: frozenset(cast(list[str], part.get(name, []))) for name in _KEYS}
    level, stops = part.get("level"), cast(list[Part], part.get("breakpoints", []))
    all_stops = tuple(_stop(one) for one in stops)
    return Sight(None if level is None else _whole(level), stops=all_stops, extra=extra, **keys)


_KEYS = ("opened", "closed", "tagged", "linked", "dismissed")


def _stop(part: Part) -> Stop:
    line, nth = _whole(part.get("line", -1)), _whole(part.get("nth", 0))
    kind, name, condition = (str(part.get(field, "")) for field in ("kind", "name", "condition"))
    return Stop(line, kind, name, nth, condition, bool(part.get("enabled", True)))


def _whole(value: Json) -> int:
    """JSON Schema takes 3.0 for an integer."""
    return int(cast(float, value))


def _number(value: Json) -> float:
    return float(cast(float, value))


def _place(value: float) -> float:
    """Return a position that can be read again, whatever was dragged where."""
    return min(max(float(value), -1e9), 1e9) if math.isfinite(value) else 0.0


def drawing_to_json(drawing: Drawing) -> dict[str, list[Part]]:
    """Return the lists of a drawing, each part for a separate line."""
    return {
        "nodes": [node_to_json(node) for node in drawing.nodes],
        "comments": [comment_to_json(comment) for comment in drawing.comments],
        "groups": [group_to_json(group) for group in drawing.groups],
        "backward": [call_to_json(call) for call in drawing.calls],
    }
