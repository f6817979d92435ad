"""Pictures of digits, characters, clothes, objects and faces, drawn by a few lines each and never the same: substitutes
for MNIST, KMNIST, Fashion-MNIST, CIFAR-10 and CelebA, none of whose pictures are included. Each follows from its
seed."""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import numpy as np

from gradviz import RESOURCES
from gradviz.engine.kernel.dtypes import Array

Points = tuple[tuple[float, float], ...]


def _arc(x: float, y: float, rx: float, ry: float, begin: float, end: float) -> Points:
    """Return part of an ellipse, in degrees, clockwise from the right."""
    angles = [math.radians(begin + (end - begin) * step / 8) for step in range(9)]
    return tuple((x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles)


def _line(parts: list[list[float]]) -> Points:
    """Return the points of a line, of which each part is a point or, with six numbers, an arc."""
    return tuple(point for part in parts for point in (_arc(*part) if len(part) == 6 else [(part[0], part[1])]))


# Of each label, the lines of its picture in a square from 0 to 1, y downwards: strokes of digits and signs, outlines of
# clothes and things. Read now, because a worker reads no file later.
_OUTLINES: dict[str, list[tuple[Points, ...]]] = {
    kind: [tuple(map(_line, figure)) for figure in figures]
    for kind, figures in json.loads((RESOURCES / "outlines.json").read_text(encoding="utf-8")).items()
}


def _turned(points: Points, source: Any, size: int) -> Any:
    """Return the points in pixels, shifted, rotated and stretched as by hand."""
    turn, lean = source.uniform(-0.18, 0.18), source.uniform(-0.15, 0.15)
    wide, high = (float(each) for each in source.uniform(0.78, 0.98, 2))
    stretched: Array = np.array([[wide, lean], [0.0, high]])
    turned: Array = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    moved: Array = np.array(points) - 0.5
    matrix = stretched @ turned
    return (moved @ matrix.T + 0.5 + source.uniform(-0.05, 0.05, 2)) * size


@functools.cache
def _grid(height: int, width: int) -> Array:
    """Return the place of each pixel, across and down."""
    ys, xs = np.mgrid[0:height, 0:width]
    return np.stack((xs, ys), -1).astype(float) + 0.5


def _stroked(strokes: tuple[Points, ...], source: Any, size: int) -> Any:
    """Draw grey strokes: the distance of each pixel from the nearest part of a line."""
    state = source.get_state()
    grid, nearest = _grid(size, size), np.full((size, size), 1e9)
    for stroke in strokes:
        source.set_state(state)  # all strokes of a picture move together
        points = _turned(stroke, source, size)
        begin, along = points[:-1], np.diff(points, axis=0)
        share = ((grid[:, :, None] - begin) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-9)
        foot = begin + np.clip(share, 0, 1)[..., None] * along
        nearest = np.minimum(nearest, np.sqrt(((grid[:, :, None] - foot) ** 2).sum(-1)).min(-1))
    width = source.uniform(1.0, 1.7) * size / 28
    return np.clip(255 * (width + 0.6 - nearest), 0, 255)


def _filled(outlines: tuple[Points, ...], source: Any, size: int) -> Array:
    """Return which pixels lie inside one of the outlines."""
    state = source.get_state()
    grid, inside = _grid(size, size), np.zeros((size, size), bool)
    x, y = grid[..., 0, None], grid[..., 1, None]
    for outline in outlines:
        source.set_state(state)
        points = _turned(outline, source, size)
        after = np.roll(points, -1, axis=0)
        crosses = (points[:, 1] > y) != (after[:, 1] > y)
        rise = np.where(after[:, 1] == points[:, 1], 1e-9, after[:, 1] - points[:, 1])
        inside |= (crosses & (x < (after[:, 0] - points[:, 0]) * (y - points[:, 1]) / rise + points[:, 0])).sum(
            -1
        ) % 2 == 1
    return inside


def _oval(x: float, y: float, wide: float, high: float, at: tuple[float, float, float]) -> Any:
    """Return which pixels lie in an ellipse of a face; `at` is its centre and its rotation."""
    xs, ys = np.moveaxis(_FACE_GRID - at[:2], -1, 0)
    turn = at[2]
    across, down = xs * math.cos(turn) + ys * math.sin(turn), ys * math.cos(turn) - xs * math.sin(turn)
    return ((across - x) / wide) ** 2 + ((down - y) / high) ** 2 < 1


FACE = (218, 178)  # height and width
_FACE_GRID = ((_grid(*FACE) - 0.5) / FACE[1]).astype(np.float32)


def _face(source: Any) -> object:
    """Draw a face with one of many skins, hairs and styles, slightly rotated."""
    skin = np.array((1.0, 0.78, 0.64)) * source.uniform(110, 245) * source.uniform(0.92, 1.0, 3)
    hair, back, eye = source.uniform(15, 190) * np.array((1.0, 0.75, 0.5)), source.uniform(20, 240, 3), (40, 30, 25)
    at = 0.5 + source.uniform(-0.03, 0.03), 0.64 + source.uniform(-0.03, 0.03), float(source.uniform(-0.12, 0.12))
    wide, high, apart = source.uniform(0.23, 0.28), source.uniform(0.32, 0.37), source.uniform(0.1, 0.12)
    smile, length = source.uniform(0.01, 0.05), source.uniform(0.3, 0.62)
    made = np.empty((*FACE, 3), np.float32)
    made[:] = back
    shapes = [
        (0.0, length - high - 0.06, wide + 0.07, length, hair), (0.0, 0.42, 0.12, 0.2, skin * 0.85),
        (0.0, 0.78, 0.48, 0.3, source.uniform(20, 230, 3)), (0.0, 0.0, wide, high, skin),
        (0.0, 0.02 - high, wide * 0.92, 0.09, hair), (0.0, 0.07, 0.03, 0.045, skin * 0.82),
        (0.0, 0.19, 0.09, 0.02 + smile / 2, (175, 70, 75)), (0.0, 0.19 - smile / 2, 0.085, 0.015, skin),
    ]  # fmt: skip
    for side in (-apart, apart):
        shapes += [(side, -0.06, 0.05, 0.024, (245, 245, 245)), (side, -0.06, 0.02, 0.022, eye)]
        shapes.append((side, -0.13, 0.06, 0.012, hair * 0.7))
    for x, y, w, h, colour in shapes:
        made[_oval(x, y, w, h, at)] = colour
    light = 1 + source.uniform(-0.3, 0.3) * (_FACE_GRID[..., 0] - 0.5)
    return np.clip(made * light[..., None] + source.normal(0, 3, (*FACE, 1)), 0, 255).astype(np.uint8)


COLORS = (  # as matplotlib's tab10
    *((31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189), (140, 86, 75), (227, 119, 194)),
    *((127, 127, 127), (188, 189, 34), (23, 190, 207)),
)


def drawn(kind: str, label: int, seed: int) -> Any:
    """Draw a picture for a label: 28 × 28 grey, 32 × 32 × 3 of "things" (also colored), 218 × 178 × 3 of "faces"."""
    source = np.random.RandomState(seed)
    if kind == "faces":
        return _face(source)
    if kind in ("things", "colored things"):
        back, front = source.uniform(90, 220, 3), source.uniform(0, 255, 3)
        front += np.sign(front - back) * 40
        if kind == "colored things":
            front = np.array(COLORS[label // 10]) + source.uniform(-15, 15, 3)
        inside = _filled(_OUTLINES["things"][label % 10], source, 32)[..., None]
        return np.clip(np.where(inside, front, back) + source.normal(0, 12, (32, 32, 3)), 0, 255).astype(np.uint8)
    if kind == "clothes":
        inside = _filled(_OUTLINES["clothes"][label], source, 28)
        weave = source.uniform(90, 220) + source.normal(0, 18, (28, 28))
        return np.clip(np.where(inside, weave, 0), 0, 255).astype(np.uint8)
    return _stroked(_OUTLINES[kind][label], source, 28).astype(np.uint8)
