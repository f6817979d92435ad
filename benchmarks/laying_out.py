"""The layout of real models with all groups open: how often edges cross, and how long it takes, in processor time; and
how long the largest graphs take."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.aims import Line
from benchmarks.models import MODELS
from gradviz.layout.flat import Layouter, crossings
from gradviz.layout.nested import nested
from gradviz.layout.records import NestedInput, layout_input

if TYPE_CHECKING:
    from gradviz.ui.canvas.sizes import Measure

ROUNDS = 3
ADVANCE = {"name": 7.8, "meta": 5.8, "number": 9.6, "cell": 6.6, "small": 5.5, "symbol": 12.0, "tab": 5.5}


class Widths:
    """Texts as wide as in the program's own fonts, nearly: no window is needed."""

    def width(self, role: str, text: str) -> float:
        """So many pixels a letter."""
        return ADVANCE[role] * len(text)


def layout_of_models() -> list[Line]:
    """Two lines for each model: seconds and crossings."""
    lines = []
    for name, source in MODELS.items():
        graph = opened(source, Widths())
        size = f"layout of {name}, {len(graph.sizes):,} boxes, {len(graph.edges):,} edges"
        found = len(crossings(graph, nested(Layouter(rows=False), graph)))
        lines += [Line(size, "s", _seconds(graph)), Line("   crossings", "", float(found))]
    return lines


def layout_of_large_graphs() -> list[Line]:
    """Seconds for drafts and for final drawings."""
    towers = tower_of_blocks(2_100)
    transformer = opened(MODELS["transformer ×96"], Widths())
    tangle = tangled(10_000)
    size = f"{len(towers.sizes):,} boxes in {len(towers.parent):,} groups"
    hub = hub_of(500)
    return [
        Line("layout of a tensor that 500 operations use", "s", _seconds(hub), 1.0),
        Line("   crossings", "", float(len(crossings(hub, nested(Layouter(), hub))))),
        Line(f"layout of {size}", "s", _seconds(towers), 5.0),
        Line("   its draft", "s", _seconds(towers, draft=True), 0.5),
        Line("draft of transformer ×96, all open", "s", _seconds(transformer, draft=True), 0.5),
        Line("draft of 10,000 boxes, 15,000 edges and no group", "s", _seconds(tangle, draft=True), 0.5),
        Line("   its layout", "s", _seconds(tangle)),
    ]


def opened(source: str, ruler: Measure) -> NestedInput:
    """The largest graph of a run, all groups open, as the canvas puts it to the layout."""
    from gradviz.session.folding import EVERYTHING, Folding, Presentation
    from gradviz.ui.canvas.diagram import build
    from tests.trace.running import run

    diagram = build(run(source), ruler, Presentation(Folding(level=EVERYTHING)))
    return NestedInput(*diagram.arrays_of(int(np.argmax(np.diff(diagram.bounds))), ruler))


def tower_of_blocks(blocks: int) -> NestedInput:
    """Equal blocks one after the other, each of eight groups of six boxes, with an edge past each block."""
    sizes, edges, group = [(90.0, 50.0)], [(0, 0)][:0], [-1]
    parent: list[int] = []
    at = 0
    for _ in range(blocks):
        block, begin = len(parent), at
        parent.append(-1)
        for _ in range(8):
            parent.append(block)
            edges.append((at, len(sizes)))
            edges += [(len(sizes) + i, len(sizes) + i + 1) for i in range(4)]
            at = len(sizes) + 4
            edges.append((at + 1, at - 2))
            sizes += [(100.0, 50.0)] * 6
            group += [len(parent) - 1] * 6
        edges += [(at, len(sizes)), (begin, len(sizes))]
        at = len(sizes)
        sizes.append((40.0, 40.0))
        group.append(block)
    header = np.full((len(parent), 2), (80.0, 26.0))
    ports = np.zeros((len(edges), 2))
    return NestedInput(np.array(sizes), np.array(edges), ports, np.array(group), np.array(parent), header)


def hub_of(uses: int) -> NestedInput:
    """A tensor that is computed, so that it cannot be drawn at each use, and every use of it in a sum."""
    sizes = [(130.0, 70.0), (40.0, 40.0), (130.0, 70.0)] + [(40.0, 40.0), (130.0, 70.0)] * (2 * uses)
    edges, ports, total = [(0, 1), (1, 2)], [(0.0, 0.0)] * 2, 2
    for use in range(uses):
        product = 3 + 4 * use
        adds = product + 2
        edges += [(2, product), (product, product + 1), (total, adds), (product + 1, adds), (adds, adds + 1)]
        ports += [(0.0, 0.0), (0.0, 0.0), (0.0, -7.0), (0.0, 7.0), (0.0, 0.0)]
        total = adds + 1
    none, nowhere = np.zeros(0, np.int64), np.full(len(sizes), -1)
    return NestedInput(np.array(sizes), np.array(edges), np.array(ports), nowhere, none, np.zeros((0, 2)))


def tangled(boxes: int) -> NestedInput:
    """One box after the other, each with edges from one or two earlier ones."""
    dice = np.random.default_rng(0)
    heads = np.repeat(np.arange(1, boxes), dice.integers(1, 3, boxes - 1))
    tails = np.maximum(heads - 1 - dice.exponential(4.0, len(heads)).astype(int), 0)
    graph = layout_input(np.full((boxes, 2), 80.0), np.unique(np.column_stack((tails, heads)), axis=0))
    none = np.zeros(0, np.int64)
    return NestedInput(graph.sizes, graph.edges, graph.ports, np.full(boxes, -1), none, np.zeros((0, 2)))


def _seconds(graph: NestedInput, *, draft: bool = False) -> float:
    """The median processor time of a layout by a fresh layouter."""
    times = []
    for _ in range(ROUNDS):
        layouter = Layouter()
        began = time.process_time()
        layouter.begin()
        nested(layouter, graph, draft=draft)
        times.append(time.process_time() - began)
    return statistics.median(times)
