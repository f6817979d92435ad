"""What to do with edges against the flow: groups may depend on each other in a circle although the operations in
them do not. Such an edge leaves its box at the right, turns back at a small box of its own, and turns again left of
its second box. `without` makes a graph without circles and with these small boxes, `joined` takes them out of its
drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult

OFTEN = 1_000  # boxes, between two looks whether to stop
TURN = (12.0, 16.0)  # size of the box at which an edge turns
REACH = 16.0 / 3 * 2  # of the handles of a half circle


def against_the_flow(graph: LayoutInput, check: Callable[[], None]) -> Ints:
    """Edges without which the graph has no circle; none in most. `check` is called often, and may raise."""
    count = len(graph.sizes)
    waiting = np.bincount(graph.edges[:, 1], minlength=count).tolist()
    after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for edge, (tail, head) in enumerate(graph.edges.tolist()):
        after[tail].append((head, edge))
    check()
    ready = [box for box in range(count) if not waiting[box]]
    for box in ready:
        if box % OFTEN == 0:
            check()
        for head, _ in after[box]:
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    if len(ready) == count:
        return np.zeros(0, np.int64)
    found: list[int] = []
    on_the_way, done = [False] * count, [False] * count
    for root in range(count):
        if root % OFTEN == 0:
            check()
        path = [] if done[root] else [(root, iter(after[root]))]
        while path:
            box, rest = path[-1]
            on_the_way[box] = True
            for head, edge in rest:
                if on_the_way[head]:
                    found.append(edge)
                elif not done[head]:
                    path.append((head, iter(after[head])))
                    break
            else:
                on_the_way[box], done[box] = False, True
                path.pop()
    return np.array(sorted(found), np.int64)


def without(graph: LayoutInput, back: Ints) -> LayoutInput:
    """The graph with each of these edges as three: to its first turn, from its second, and between the two."""
    first = len(graph.sizes) + 2 * np.arange(len(back))
    quarter = np.full(len(back), TURN[1] / 2)
    edges, ports = graph.edges.copy(), graph.ports.copy()
    edges[back, 1], ports[back, 1] = first, -quarter
    into = np.column_stack((first + 1, graph.edges[back, 1]))
    between = np.column_stack((first + 1, first))
    return LayoutInput(
        np.concatenate((graph.sizes, np.full((2 * len(back), 2), TURN))),
        np.concatenate((edges, into, between)),
        np.concatenate((ports, np.column_stack((-quarter, graph.ports[back, 1])), np.column_stack((quarter, quarter)))),
        None if graph.side is None else np.concatenate((graph.side, np.zeros(2 * len(back), np.int64))),
    )


def joined(graph: LayoutInput, back: Ints, drawing: LayoutResult) -> LayoutResult:
    """The drawing of what `without` made, as that of the graph."""
    count, turns = len(graph.edges), len(back)
    routes = [drawing.route(edge) for edge in range(count)]
    for nth, edge in enumerate(back.tolist()):
        there, home = drawing.route(edge), drawing.route(count + nth)
        along = drawing.route(count + turns + nth)[::-1]
        routes[edge] = np.concatenate(
            (there, _turn(there[-1], along[0], 1), along, _turn(along[-1], home[0], -1), home)
        )
    starts = np.concatenate(([0], np.cumsum([len(route) for route in routes])))
    return replace(drawing, centres=drawing.centres[: len(graph.sizes)], points=np.concatenate(routes), starts=starts)


def _turn(a: Floats, b: Floats, way: int) -> Floats:
    """The handles of a half circle from a to b, to the right (1) or left (-1) of them."""
    reach = np.array((way * REACH, 0.0))
    return np.array((a + reach, b + reach))
