"""The reader of plots: a figure of every kind of layer, changed anywhere, is refused with `TraceFormatError` or is one
that can be painted: as many numbers as its columns say, places and sizes that are finite, words that are short."""

from __future__ import annotations

import copy
import json
import math
import struct
from typing import Any

from gradviz.trace.figures import COLUMNS, FREE, MOST_TEXT, Figure, read
from gradviz.trace.table.encoding import TraceFormatError
from tests.document.damage import places
from tests.fuzz.choices import Choices
from tests.fuzz.traces import WRONG

NUMBERS = (
    0,
    1,
    2,
    3,
    -1,
    0.5,
    1e308,
    -1e308,
    5e-324,
    64,
    2**31,
    10**400,
    1_000_000,
    "C0",
    "#12345g",
    "paper",
    "log",
    "a" * 600,
)
FLOATS = (0.0, 1.0, -2.5, math.nan, math.inf, -math.inf, 1e308, 5e-324)


def one_input(data: bytes) -> None:
    """Which layers, what is changed in them, and the numbers."""
    choices = Choices(data)
    header, count = honest([choices.of(tuple(COLUMNS)) for _ in range(choices.number(4))])
    for _ in range(choices.number(5)):
        _change(header, choices)
    count += choices.of((0, 0, 0, 0, 1, -1))
    payload = struct.pack(f"<{max(count, 0)}d", *(choices.of(FLOATS) for _ in range(max(count, 0))))
    read_through(header, payload + choices.bytes(2) if choices.number(8) == 7 else payload)


def honest(kinds: list[str]) -> tuple[dict[str, Any], int]:
    """A figure with such layers, and how many numbers it has."""
    scale = {"label": "x", "kind": "linear", "limits": [0, 1.5], "flipped": False, "ticks": [0, 1], "names": ["a", "b"]}
    style = {
        "color": "C0",
        "edge": "none",
        "width": 1.5,
        "dash": "-",
        "marker": "o",
        "size": 6.0,
        "alpha": 1,
        "label": "l",
    }
    colours = {"name": "viridis", "low": 0, "high": 1, "label": "", "bar": True}
    layers, count = [], 0
    for kind in kinds:
        length = 1 if kind == "words" else 4
        lengths = [length] * len(COLUMNS[kind])
        count += sum(lengths)
        layer = {"kind": kind, "style": dict(style), "lengths": lengths, "text": "here", "anchor": "left bottom"}
        layer |= {"inside": False, "shape": [2, 2, 1], "extent": [0, 1, 0, 1], "colours": dict(colours)}
        layers.append(layer)
    axes = {
        "place": [0, 0, 1, 1],
        "title": "t",
        "x": {**scale, "shared": -1},
        "y": {**scale, "shared": 0},
        "grid": True,
    }
    axes |= {"legend": "best", "equal": False, "frame": True, "twin": -1, "layers": layers}
    header = {"title": "loss", "size": [6.4, 4.8], "step": 3, "line": 7, "axes": [axes]}
    return copy.deepcopy(header), count


def _change(header: dict[str, Any], choices: Choices) -> None:
    holder, key = choices.of(places(header))
    what = choices.number(6)
    if what == 0 and isinstance(holder, dict):
        holder[choices.of(("more", "kind", "x", "shape"))] = holder[key]
    elif what == 1:
        del holder[key]
    elif what == 2 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[key] = copy.deepcopy(choices.of(WRONG) if what == 3 else choices.of(NUMBERS))


def read_through(header: dict[str, Any], payload: bytes) -> Figure | None:
    """The figure as it comes through the pipe, or None if it was refused."""
    try:
        figure = read(json.loads(json.dumps(header)), payload)
    except TraceFormatError as error:
        assert str(error).startswith("malformed plot: ") or "too many numbers" in str(error), str(error)
        return None
    numbers = 0
    for axes in figure.axes:
        for layer in axes.layers:
            first = len(layer.columns[COLUMNS[layer.kind][0]])
            for name, column in layer.columns.items():
                assert len(column) == first or (name in FREE.get(layer.kind, ()) and len(column) < 2), name
                assert not column.flags.writeable
                numbers += len(column)
            assert math.isfinite(layer.style.width) and 0 <= layer.style.alpha <= 1 and len(layer.text) <= MOST_TEXT
        assert all(map(math.isfinite, axes.place)) and -1 <= axes.twin < len(figure.axes)
        assert all(-1 <= scale.shared < len(figure.axes) for scale in (axes.x, axes.y))
    assert 8 * numbers == len(payload) and all(map(math.isfinite, figure.size)) and len(figure.name) <= MOST_TEXT
    return figure
