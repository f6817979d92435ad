"""A worker's message about a plot is believed in nothing: what does not fit is refused, in one kind of error."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Callable
from typing import Any

import pytest

from gradviz.trace import figures
from gradviz.trace.figures import read
from gradviz.trace.table.encoding import TraceFormatError

Header = dict[str, Any]

STYLE = {
    **{"color": "C0", "edge": "none", "width": 1.5, "dash": "", "marker": "", "size": 6.0, "alpha": 1.0, "label": "a"},
}
LAYER = {
    **{"kind": "line", "style": STYLE, "lengths": [2, 2], "text": "", "anchor": "left bottom", "inside": False},
    **{"shape": [0, 0, 1], "extent": [0.0, 1.0, 0.0, 1.0], "colours": None},
}
SCALE = {
    **{"label": "x", "kind": "linear", "limits": None, "flipped": False, "ticks": None, "names": [], "shared": -1},
}
AXES = {
    **{"place": [0.0, 0.0, 1.0, 1.0], "title": "t", "x": SCALE, "y": SCALE, "grid": True, "legend": "best"},
    **{"equal": False, "frame": True, "twin": -1, "layers": [LAYER]},
}
GOOD: Header = {"title": "loss", "size": [6.4, 4.8], "step": 3, "line": 2, "axes": [AXES]}
NUMBERS = struct.pack("<4d", 0, 1, 5, 6)


def changed(change: Callable[[Header], object]) -> Header:
    header = copy.deepcopy(GOOD)
    change(header)
    return header


def axes(header: Header) -> Header:
    return header["axes"][0]  # type: ignore[no-any-return]


def layer(header: Header) -> Header:
    return axes(header)["layers"][0]  # type: ignore[no-any-return]


def test_a_good_one_is_read() -> None:
    figure = read(GOOD, NUMBERS)
    assert (figure.title, figure.step, figure.line) == ("loss", 3, 2)
    assert list(figure.axes[0].layers[0].columns["y"]) == [5.0, 6.0]
    assert not figure.axes[0].layers[0].columns["y"].flags.writeable


HOSTILE: dict[str, Callable[[Header], object]] = {
    "no axes": lambda h: h.update(axes=[]),
    "axes that are none": lambda h: h.update(axes=[1]),
    "axes without end": lambda h: h.update(axes=[AXES] * 65),
    "a title that is no text": lambda h: h.update(title=5),
    "a title without end": lambda h: h.update(title="x" * 501),
    "a size of nothing": lambda h: h.update(size=[0.0, 4.0]),
    "a size without end": lambda h: h.update(size=[1e9, 4.0]),
    "a step before the first": lambda h: h.update(step=-1),
    "a step that is true": lambda h: h.update(step=True),
    "a step beyond all": lambda h: h.update(step=2**63),
    "a field too many": lambda h: h.update(more=1),
    "a field too few": lambda h: h.pop("line"),
    "a place outside": lambda h: axes(h).update(place=[0.0, 0.0, 2.0, 1.0]),
    "a place that is NaN": lambda h: axes(h).update(place=[float("nan"), 0.0, 1.0, 1.0]),
    "a twin of nobody": lambda h: axes(h).update(twin=7),
    "limits that are infinite": lambda h: axes(h)["x"].update(limits=[0.0, float("inf")]),
    "limits beyond floats": lambda h: axes(h)["x"].update(limits=[0, 10**400]),
    "an unknown scale": lambda h: axes(h)["x"].update(kind="cubic"),
    "names without ticks": lambda h: axes(h)["x"].update(names=["a"]),
    "too many ticks": lambda h: axes(h)["x"].update(ticks=[1.0] * 501),
    "layers without end": lambda h: axes(h).update(layers=[LAYER] * 1001),
    "an unknown kind": lambda h: layer(h).update(kind="video"),
    "lengths that differ": lambda h: layer(h).update(lengths=[1, 3]),
    "more numbers than there are": lambda h: layer(h).update(lengths=[3, 3]),
    "fewer numbers than there are": lambda h: layer(h).update(lengths=[1, 1]),
    "a negative length": lambda h: layer(h).update(lengths=[-2, -2]),
    "a colour that is a style sheet": lambda h: layer(h)["style"].update(color="red; image: url(x)"),
    "a dash of its own": lambda h: layer(h)["style"].update(dash="x"),
    "a width without end": lambda h: layer(h)["style"].update(width=1e9),
    "an image that is none": lambda h: layer(h).update(kind="image", lengths=[4], shape=[3, 3, 1]),
    "an image without colours": lambda h: layer(h).update(kind="image", lengths=[4], shape=[2, 2, 1]),
    "an image of two channels": lambda h: layer(h).update(kind="image", lengths=[4], shape=[1, 2, 2]),
    "words in two places": lambda h: layer(h).update(kind="words"),
    "colours that are a list": lambda h: layer(h).update(colours=[]),
    "colours of an unknown map": lambda h: layer(h).update(
        colours={"name": "x", "low": 0, "high": 1, "label": "", "bar": False}
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_one_is_refused(name: str) -> None:
    with pytest.raises(TraceFormatError, match="malformed plot"):
        read(changed(HOSTILE[name]), NUMBERS)


def test_a_payload_that_is_no_numbers_is_refused() -> None:
    for payload in (NUMBERS[:-1], b"", b"\0" * 8 * (figures.MOST_NUMBERS + 1)):
        with pytest.raises(TraceFormatError):
            read(GOOD, payload)
    with pytest.raises(TraceFormatError, match="a figure has too many numbers"):
        read(GOOD, b"\0" * 8 * (figures.MOST_NUMBERS + 1))


def test_any_damage_is_refused_or_read() -> None:
    random_ = random.Random(6)
    text = json.dumps(GOOD)
    read_well = 0
    for _ in range(1500):
        place = random_.randrange(len(text))
        damaged = text[:place] + random_.choice('0-9"[]{},:aN1e ') + text[place + random_.randrange(3) :]
        try:
            header = json.loads(damaged)
        except ValueError:
            continue
        if type(header) is dict:
            try:
                read(header, NUMBERS)
                read_well += 1
            except TraceFormatError:
                pass
    assert read_well > 20
