"""The layout against Graphviz' `dot` where it is installed: on graphs of real models with all groups open, how
often edges cross in our drawing and in dot's of the same boxes and edges without groups, and how much longer or
shorter ours takes. CPU time, that of the layout's own process included, its start not. Then how long the largest
graphs take."""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.aims import Line
from benchmarks.models import MODELS
from gradviz.layout.crossings import crossings
from gradviz.layout.dot import dot_text, read_svg
from gradviz.layout.ladder import Layouter
from gradviz.layout.nested import nested
from gradviz.layout.records import LayoutInput, LayoutResult, NestedInput, NestedResult, layout_input

if TYPE_CHECKING:
    from gradviz.ui.canvas.sizes import Measure

ROUNDS = 3
PATIENCE = 60  # seconds of dot's processor time
FEW, MANY = 1_000, 4_000  # nodes
AIM_OF_FEW, AIM_OF_MANY = 1.5, 0.1  # times dot's time
ADVANCE = {"name": 7.8, "meta": 5.8, "number": 9.6, "cell": 6.6, "small": 5.5, "symbol": 12.0, "tab": 5.5}


class Widths:
    """Texts as wide as in the program's own fonts, nearly: no window is needed."""

    def width(self, role: str, text: str) -> float:
        """So many pixels a letter."""
        return ADVANCE[role] * len(text)


def layout_of_models() -> list[Line]:
    """Two lines for each model: crossings, and times dot's time."""
    lines = []
    for name, source in MODELS.items():
        graph = opened(source, Widths())
        flat = LayoutInput(graph.sizes, graph.edges, graph.ports)
        ours, our_time = _ours(graph)
        theirs, their_time = _dots(flat)
        size = f"layout of {name}, {len(graph.sizes):,} boxes, {len(graph.edges):,} edges"
        ratio = our_time / their_time if their_time else 0.0
        aim = AIM_OF_FEW if len(flat.sizes) < FEW else AIM_OF_MANY if len(flat.sizes) > MANY else None
        many = float(len(crossings(flat, theirs))) if theirs is not None else None
        lines.append(Line(f"{size}: crossings", "", float(len(crossings(graph, ours))), many))
        lines.append(Line(f"   its time ({our_time:.3f} s), times that of dot ({their_time:.2f} s)", "×", ratio, aim))
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
    return diagram.nested_input(int(np.argmax(np.diff(diagram.bounds))), ruler)


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


def _ours(graph: NestedInput) -> tuple[NestedResult, float]:
    """Our drawing and the processor time that it took."""
    times = []
    for _ in range(ROUNDS):
        layouter = _warm()
        layouter.begin()
        before = _processor_time()
        drawing = nested(layouter, graph)
        times.append(_processor_time() - before)
        layouter.close()
    return drawing, max(statistics.median(times), 1e-4)


def _warm() -> Layouter:
    """A layouter whose process has drawn something."""
    layouter = Layouter(rows=False)
    layouter.start()
    crossed = layout_input(np.full((6, 2), 30.0), np.array([(a, b) for a in (0, 1, 2) for b in (3, 4, 5)]))
    layouter.layout(crossed)
    return layouter


def _dots(graph: LayoutInput) -> tuple[LayoutResult | None, float]:
    """Graphviz' drawing by the program `dot`, None where it is missing or needs longer than its patience."""
    if shutil.which("dot") is None:
        return None, 0.0
    times: list[float] = []
    text = ""
    while len(times) < ROUNDS and sum(times) < 10.0:
        before = _processor_time()
        asked = dot_text(graph.sizes.tolist(), graph.edges.tolist(), graph.ports.tolist(), (), False)
        drawn = subprocess.run(
            ["dot", "-Tsvg"], input=asked, capture_output=True, text=True, preexec_fn=_be_patient, check=False
        )
        text = drawn.stdout
        times.append(_processor_time() - before)
    try:
        centres, routes = read_svg(text, len(graph.sizes), len(graph.edges))
    except ValueError:
        return None, statistics.median(times)
    starts = np.concatenate(([0], np.cumsum([len(route) for route in routes])))
    points = np.array([point for route in routes for point in route])
    return LayoutResult(np.array(centres), points, starts, (0.0, 0.0), "dot"), statistics.median(times)


def _be_patient() -> None:
    """Of a process that is to be killed when it has worked too long."""
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))


def _processor_time() -> float:
    """Of this process and of those that it started; on Linux also of those that still run."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    running = [int(pid) for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()]
    clocks = [time.clock_gettime(~pid << 3 | 2) for pid in running]  # as clock_getcpuclockid(3) has it
    return sum(each.ru_utime + each.ru_stime for each in used) + sum(clocks)


def _seconds(graph: NestedInput, *, draft: bool = False) -> float:
    """The median processor time of a layout by a fresh layouter, Graphviz not included."""
    times = []
    for _ in range(ROUNDS):
        layouter = Layouter()
        began = time.process_time()
        layouter.begin()
        nested(layouter, graph, draft=draft)
        times.append(time.process_time() - began)
        layouter.close()
    return statistics.median(times)
