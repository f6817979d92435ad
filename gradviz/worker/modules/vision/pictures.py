"""Pictures of digits, characters, clothes, objects and faces, drawn by a few lines each and never the same: substitutes
for MNIST, KMNIST, Fashion-MNIST, CIFAR-10 and CelebA, none of whose pictures are included. Each follows from its
seed."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

Points = tuple[tuple[float, float], ...]


def _arc(x: float, y: float, rx: float, ry: float, begin: float, end: float) -> Points:
    """Return part of an ellipse, in degrees, clockwise from the right."""
    angles = [math.radians(begin + (end - begin) * step / 8) for step in range(9)]
    return tuple((x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles)


# strokes in a square from 0 to 1, y downwards
DIGITS: tuple[tuple[Points, ...], ...] = (
    (_arc(0.5, 0.5, 0.24, 0.36, 0, 360),),
    (((0.38, 0.28), (0.54, 0.14), (0.54, 0.86)),),
    ((*_arc(0.5, 0.34, 0.22, 0.2, 190, 380), (0.28, 0.86)), ((0.28, 0.86), (0.76, 0.86))),
    (_arc(0.46, 0.32, 0.22, 0.18, 210, 450), _arc(0.46, 0.67, 0.25, 0.19, 270, 510)),
    (((0.6, 0.14), (0.24, 0.6), (0.78, 0.6)), ((0.62, 0.4), (0.62, 0.88))),
    (((0.72, 0.15), (0.34, 0.15), (0.31, 0.47)), _arc(0.48, 0.64, 0.23, 0.22, 230, 500)),
    (((0.62, 0.12), (0.36, 0.42), (0.28, 0.64)), _arc(0.5, 0.66, 0.22, 0.21, 0, 360)),
    (((0.26, 0.16), (0.74, 0.16), (0.44, 0.87)),),
    (_arc(0.5, 0.31, 0.19, 0.17, 0, 360), _arc(0.5, 0.67, 0.23, 0.2, 0, 360)),
    (_arc(0.5, 0.34, 0.21, 0.2, 0, 360), ((0.71, 0.34), (0.68, 0.62), (0.54, 0.88))),
)
SIGNS: tuple[tuple[Points, ...], ...] = (  # after o, ki, su, tsu, na, ha, ma, ya, re, wo
    (((0.2, 0.3), (0.66, 0.3)), ((0.4, 0.12), (0.4, 0.72)), _arc(0.46, 0.68, 0.26, 0.18, 150, 420)),
    (
        ((0.24, 0.26), (0.76, 0.2)),
        ((0.22, 0.42), (0.78, 0.36)),
        ((0.44, 0.1), (0.66, 0.6)),
        _arc(0.5, 0.74, 0.24, 0.14, 30, 200),
    ),
    (((0.16, 0.26), (0.84, 0.24)), ((0.56, 0.1), (0.56, 0.5)), (*_arc(0.48, 0.5, 0.11, 0.1, 0, 360), (0.4, 0.9))),
    (((0.14, 0.34), (0.4, 0.26)), _arc(0.5, 0.52, 0.32, 0.26, 240, 470)),
    (
        ((0.16, 0.28), (0.5, 0.24)),
        ((0.34, 0.1), (0.2, 0.6)),
        ((0.66, 0.3), (0.64, 0.74)),
        _arc(0.52, 0.78, 0.14, 0.1, 0, 360),
    ),
    (
        ((0.22, 0.14), (0.22, 0.86)),
        ((0.4, 0.34), (0.84, 0.32)),
        ((0.62, 0.14), (0.62, 0.72)),
        _arc(0.52, 0.76, 0.13, 0.1, 0, 360),
    ),
    (
        ((0.24, 0.26), (0.76, 0.26)),
        ((0.28, 0.44), (0.72, 0.44)),
        ((0.5, 0.1), (0.5, 0.72)),
        _arc(0.42, 0.78, 0.15, 0.1, 0, 360),
    ),
    (_arc(0.5, 0.42, 0.34, 0.2, 170, 400), ((0.34, 0.14), (0.56, 0.9)), ((0.56, 0.12), (0.62, 0.28))),
    (
        ((0.3, 0.12), (0.3, 0.88)),
        ((0.14, 0.32), (0.36, 0.28), (0.14, 0.72)),
        (*_arc(0.56, 0.4, 0.14, 0.2, 200, 350), (0.68, 0.8), (0.86, 0.7)),
    ),
    (
        ((0.22, 0.22), (0.7, 0.2)),
        ((0.46, 0.1), (0.24, 0.52), (0.6, 0.5)),
        ((0.78, 0.4), (0.46, 0.62)),
        _arc(0.56, 0.72, 0.2, 0.16, 180, 30),
    ),
)
# filled outlines
CLOTHES: tuple[tuple[Points, ...], ...] = (
    (
        (
            (0.3, 0.15),
            (0.7, 0.15),
            (0.95, 0.35),
            (0.82, 0.46),
            (0.72, 0.38),
            (0.72, 0.9),
            (0.28, 0.9),
            (0.28, 0.38),
            (0.18, 0.46),
            (0.05, 0.35),
        ),
    ),
    (((0.32, 0.06), (0.68, 0.06), (0.72, 0.95), (0.54, 0.95), (0.5, 0.3), (0.46, 0.95), (0.28, 0.95)),),
    (
        (
            (0.32, 0.14),
            (0.68, 0.14),
            (0.9, 0.86),
            (0.78, 0.9),
            (0.7, 0.5),
            (0.7, 0.88),
            (0.3, 0.88),
            (0.3, 0.5),
            (0.22, 0.9),
            (0.1, 0.86),
        ),
    ),
    (((0.4, 0.05), (0.6, 0.05), (0.62, 0.38), (0.78, 0.95), (0.22, 0.95), (0.38, 0.38)),),
    (
        ((0.34, 0.08), (0.47, 0.08), (0.49, 0.95), (0.24, 0.95), (0.24, 0.5), (0.14, 0.92), (0.06, 0.88)),
        ((0.53, 0.08), (0.66, 0.08), (0.94, 0.88), (0.86, 0.92), (0.76, 0.5), (0.76, 0.95), (0.51, 0.95)),
    ),
    (
        ((0.05, 0.72), (0.95, 0.66), (0.95, 0.74), (0.05, 0.8)),
        ((0.3, 0.7), (0.42, 0.44), (0.5, 0.44), (0.4, 0.7)),
        ((0.62, 0.68), (0.8, 0.4), (0.88, 0.42), (0.74, 0.68)),
    ),
    (
        (
            (0.34, 0.1),
            (0.46, 0.1),
            (0.5, 0.2),
            (0.54, 0.1),
            (0.66, 0.1),
            (0.86, 0.6),
            (0.76, 0.64),
            (0.68, 0.42),
            (0.68, 0.92),
            (0.32, 0.92),
            (0.32, 0.42),
            (0.24, 0.64),
            (0.14, 0.6),
        ),
    ),
    (((0.05, 0.58), (0.25, 0.6), (0.48, 0.42), (0.62, 0.5), (0.95, 0.62), (0.95, 0.76), (0.05, 0.76)),),
    (
        ((0.12, 0.4), (0.88, 0.4), (0.92, 0.88), (0.08, 0.88)),
        ((0.3, 0.42), (0.3, 0.2), (0.7, 0.2), (0.7, 0.42), (0.62, 0.42), (0.62, 0.28), (0.38, 0.28), (0.38, 0.42)),
    ),
    (((0.32, 0.1), (0.62, 0.1), (0.6, 0.55), (0.92, 0.68), (0.92, 0.86), (0.3, 0.86)),),
)
THINGS: tuple[tuple[Points, ...], ...] = (
    (
        ((0.05, 0.48), (0.9, 0.44), (0.97, 0.5), (0.9, 0.56), (0.05, 0.56)),
        ((0.45, 0.5), (0.25, 0.85), (0.36, 0.85), (0.62, 0.5)),
        ((0.05, 0.5), (0.02, 0.28), (0.12, 0.28), (0.22, 0.48)),
    ),
    (
        ((0.05, 0.5), (0.25, 0.48), (0.36, 0.32), (0.68, 0.32), (0.78, 0.5), (0.95, 0.54), (0.95, 0.7), (0.05, 0.7)),
        _arc(0.27, 0.72, 0.09, 0.09, 0, 360),
        _arc(0.74, 0.72, 0.09, 0.09, 0, 360),
    ),
    (
        _arc(0.48, 0.5, 0.24, 0.15, 0, 360),
        _arc(0.72, 0.36, 0.1, 0.1, 0, 360),
        ((0.8, 0.34), (0.94, 0.38), (0.8, 0.42)),
        ((0.1, 0.4), (0.3, 0.48), (0.28, 0.56)),
        ((0.46, 0.64), (0.5, 0.64), (0.48, 0.86), (0.44, 0.86)),
    ),
    (
        _arc(0.5, 0.56, 0.3, 0.28, 0, 360),
        ((0.22, 0.44), (0.24, 0.1), (0.44, 0.3)),
        ((0.78, 0.44), (0.76, 0.1), (0.56, 0.3)),
    ),
    (
        _arc(0.45, 0.55, 0.25, 0.13, 0, 360),
        ((0.62, 0.5), (0.72, 0.24), (0.84, 0.3), (0.7, 0.56)),
        ((0.74, 0.24), (0.66, 0.04), (0.7, 0.04), (0.78, 0.24)),
        ((0.8, 0.26), (0.92, 0.06), (0.95, 0.08), (0.84, 0.28)),
        ((0.26, 0.6), (0.3, 0.6), (0.28, 0.95), (0.24, 0.95)),
        ((0.6, 0.6), (0.64, 0.6), (0.64, 0.95), (0.6, 0.95)),
    ),
    (
        _arc(0.5, 0.5, 0.26, 0.3, 0, 360),
        ((0.26, 0.3), (0.08, 0.4), (0.14, 0.7), (0.3, 0.5)),
        ((0.74, 0.3), (0.92, 0.4), (0.86, 0.7), (0.7, 0.5)),
        _arc(0.5, 0.72, 0.16, 0.14, 0, 360),
    ),
    (
        _arc(0.5, 0.62, 0.36, 0.2, 0, 360),
        _arc(0.32, 0.4, 0.1, 0.1, 0, 360),
        _arc(0.68, 0.4, 0.1, 0.1, 0, 360),
        ((0.1, 0.7), (0.02, 0.92), (0.3, 0.84)),
        ((0.9, 0.7), (0.98, 0.92), (0.7, 0.84)),
    ),
    (
        _arc(0.42, 0.5, 0.28, 0.15, 0, 360),
        ((0.6, 0.5), (0.7, 0.12), (0.95, 0.26), (0.9, 0.34), (0.78, 0.3), (0.72, 0.6)),
        ((0.2, 0.56), (0.28, 0.56), (0.26, 0.95), (0.2, 0.95)),
        ((0.56, 0.56), (0.64, 0.56), (0.64, 0.95), (0.58, 0.95)),
        ((0.16, 0.44), (0.02, 0.7), (0.08, 0.72), (0.2, 0.56)),
    ),
    (
        ((0.04, 0.6), (0.96, 0.6), (0.84, 0.84), (0.16, 0.84)),
        ((0.3, 0.6), (0.3, 0.42), (0.66, 0.42), (0.66, 0.6)),
        ((0.44, 0.42), (0.44, 0.18), (0.54, 0.18), (0.54, 0.42)),
    ),
    (
        ((0.03, 0.26), (0.62, 0.26), (0.62, 0.74), (0.03, 0.74)),
        ((0.65, 0.4), (0.84, 0.4), (0.96, 0.56), (0.96, 0.74), (0.65, 0.74)),
        _arc(0.22, 0.77, 0.09, 0.09, 0, 360),
        _arc(0.8, 0.77, 0.09, 0.09, 0, 360),
    ),
)


def _turned(points: Points, source: Any, size: int) -> Any:
    """Return the points in pixels, shifted, rotated and stretched as by hand."""
    turn, lean = source.uniform(-0.18, 0.18), source.uniform(-0.15, 0.15)
    wide, high = (float(each) for each in source.uniform(0.78, 0.98, 2))
    stretched: Any = np.array([[wide, lean], [0.0, high]])
    turned: Any = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    moved: Any = np.array(points) - 0.5
    matrix = stretched @ turned
    return (moved @ matrix.T + 0.5 + source.uniform(-0.05, 0.05, 2)) * size


@functools.cache
def _grid(size: int) -> Any:
    ys, xs = np.mgrid[0:size, 0:size]
    return np.stack((xs, ys), -1).astype(float) + 0.5


def _stroked(strokes: tuple[Points, ...], source: Any, size: int) -> Any:
    """Draw grey strokes: the distance of each pixel from the nearest part of a line."""
    state = source.get_state()
    grid, nearest = _grid(size), np.full((size, size), 1e9)
    for stroke in strokes:
        source.set_state(state)  # all strokes of a picture move together
        points = _turned(stroke, source, size)
        begin, along = points[:-1], np.diff(points, axis=0)
        share = ((grid[:, :, None] - begin) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-9)
        foot = begin + np.clip(share, 0, 1)[..., None] * along
        nearest = np.minimum(nearest, np.sqrt(((grid[:, :, None] - foot) ** 2).sum(-1)).min(-1))
    width = source.uniform(1.0, 1.7) * size / 28
    return np.clip(255 * (width + 0.6 - nearest), 0, 255)


def _filled(outlines: tuple[Points, ...], source: Any, size: int) -> Any:
    """Return which pixels lie inside one of the outlines."""
    state = source.get_state()
    grid, inside = _grid(size), np.zeros((size, size), bool)
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
    xs, ys, turn = _face_grid(FACE)[0] - at[0], _face_grid(FACE)[1] - at[1], at[2]
    across, down = xs * math.cos(turn) + ys * math.sin(turn), ys * math.cos(turn) - xs * math.sin(turn)
    return ((across - x) / wide) ** 2 + ((down - y) / high) ** 2 < 1


@functools.cache
def _face_grid(size: tuple[int, int]) -> Any:
    ys, xs = np.mgrid[0 : size[0], 0 : size[1]]
    return np.stack((xs / size[1], ys / size[1])).astype(np.float32)


FACE = (218, 178)  # height and width


def _face(source: Any) -> Any:
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
    light = 1 + source.uniform(-0.3, 0.3) * (_face_grid(FACE)[0] - 0.5)
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
            front = np.array(COLORS[label // len(THINGS)]) + source.uniform(-15, 15, 3)
        inside = _filled(THINGS[label % len(THINGS)], source, 32)[..., None]
        return np.clip(np.where(inside, front, back) + source.normal(0, 12, (32, 32, 3)), 0, 255).astype(np.uint8)
    if kind == "clothes":
        inside = _filled(CLOTHES[label], source, 28)
        weave = source.uniform(90, 220) + source.normal(0, 18, (28, 28))
        return np.clip(np.where(inside, weave, 0), 0, 255).astype(np.uint8)
    return _stroked(DIGITS[label] if kind == "digits" else SIGNS[label], source, 28).astype(np.uint8)
