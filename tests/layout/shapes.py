"""Graphs of any size with a shape that is hard on a layout: what the tests of its bounds share."""

from __future__ import annotations

import math

import numpy as np

from gradviz.layout.records import Ints, LayoutInput, layout_input

BOX = (100.0, 60.0)


def chain(boxes: int) -> Ints:
    """One after the other."""
    return np.column_stack((np.arange(boxes - 1), np.arange(1, boxes)))


def star(boxes: int) -> Ints:
    """One that all others use, and one that uses all others."""
    middle = np.arange(1, boxes - 1)
    return np.concatenate(
        (np.column_stack((np.zeros_like(middle), middle)), np.column_stack((middle, np.full_like(middle, boxes - 1))))
    )


def grid(boxes: int) -> Ints:
    """As many rows as columns; each uses the one before it and the one above it."""
    side = math.isqrt(boxes)
    number = np.arange(side * side).reshape(side, side)
    right = np.column_stack((number[:, :-1].ravel(), number[:, 1:].ravel()))
    return np.concatenate((right, np.column_stack((number[:-1].ravel(), number[1:].ravel()))))


def comb(boxes: int) -> Ints:
    """A chain into which a short chain of three runs at each of its boxes."""
    back = np.arange(3, boxes, 4)
    inner = np.arange(boxes - 1)
    return np.concatenate((np.column_stack((inner, inner + 1))[inner % 4 != 3], np.column_stack((back[:-1], back[1:]))))


def scattered(boxes: int) -> Ints:
    """Each uses any two of those before it."""
    heads = np.repeat(np.arange(1, boxes), 2)
    tails = (np.random.default_rng(0).random(len(heads)) * heads).astype(np.int64)
    return np.unique(np.column_stack((tails, heads)), axis=0)


def hubs(boxes: int) -> Ints:
    """Two that half of the others use each, in turns, so that their edges lie across each other."""
    others = np.arange(2, boxes)
    return np.column_stack((others % 2, others))


def dense(boxes: int) -> Ints:
    """Each uses the ten before it."""
    heads = np.repeat(np.arange(1, boxes), 10)
    tails = heads - np.tile(np.arange(1, 11), boxes - 1)
    return np.column_stack((tails, heads))[tails >= 0]


SHAPES = {each.__name__: each for each in (chain, star, grid, comb, scattered, hubs, dense)}


def graph_of(shape: str, boxes: int) -> LayoutInput:
    """A graph with boxes of one size."""
    edges = SHAPES[shape](boxes)
    return layout_input(np.full((int(edges.max()) + 1, 2), BOX), edges)
