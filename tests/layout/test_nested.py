"""Groups in groups: frames hold what is in them, nothing overlaps, and an edge is one line through all borders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gradviz.layout.ladder import Layouter
from gradviz.layout.nested import nested
from gradviz.layout.records import NestedInput
from tests.layout.drawings import random_graph


@pytest.fixture
def layouter() -> Iterator[Layouter]:
    made = Layouter()
    yield made
    made.close()


def in_blocks(boxes: int, seed: int, vertical: bool = False) -> NestedInput:
    """A random graph with three groups, one in another."""
    graph = random_graph(boxes, seed)
    group = np.full(boxes, -1)
    group[boxes // 8 : boxes // 2] = 0
    group[boxes // 5 : boxes // 3] = 1
    group[boxes // 2 : boxes - boxes // 4] = 2
    parent = np.array([-1, 0, -1])
    return NestedInput(graph.sizes, graph.edges, graph.ports, group, parent, np.full((3, 2), (80.0, 22.0)), vertical)


@pytest.mark.parametrize("vertical", [False, True], ids=["rightwards", "downwards"])
def test_frames_hold_their_boxes_below_the_header(vertical: bool, layouter: Layouter) -> None:
    graph = in_blocks(40, seed=3, vertical=vertical)
    drawing = nested(layouter, graph)
    for box, group in enumerate(graph.group.tolist()):
        while group >= 0:
            left, top, width, height = drawing.frames[group]
            low, high = drawing.centres[box] - graph.sizes[box] / 2, drawing.centres[box] + graph.sizes[box] / 2
            assert left < low[0]
            assert top + graph.header[group, 1] < low[1]
            assert (high < (left + width, top + height)).all()
            group = int(graph.parent[group])
