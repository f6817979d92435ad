"""DOT text out, SVG text in: how a graph is put to Graphviz and how its answer is read. Only the child process of
`server` runs this, so it knows plain lists, no NumPy. Lengths are pixels, 72 to Graphviz' inch.

SVG, because Graphviz writes hundredths of a pixel there; its other formats write five digits, which tears a drawing
apart that is 200,000 pixels wide. A box that edges enter at several heights is drawn for Graphviz as a table of one
column with a cell per port, so that arguments arrive in their order and the crossings are counted there."""

from __future__ import annotations

import re
from collections.abc import Sequence

INCH = 72.0
BOX_GAP = 24.0
LAYER_GAP = 38.0
PORT_CELL = 4
NEAR_THE_MIDDLE = 16.0  # a port so near to the middle of its box needs no cell of its own
ROUGH = "nslimit=0.1; nslimit1=0.1; mclimit=0.2; searchsize=10; splines=polyline;"
BOX = re.compile(r'<g id="n(\d+)" class="node">.*?<polygon [^>]*points="([^"]+)"', re.DOTALL)
ROUTE = re.compile(r'<g id="e(\d+)" class="edge">.*?<path [^>]* d="M([^"]+)"', re.DOTALL)
Point = tuple[float, float]


def dot_text(
    sizes: Sequence[Point],
    edges: Sequence[tuple[int, int]],
    ports: Sequence[Point],
    sides: Sequence[int],
    rough: bool,
) -> str:
    """The graph in DOT; `rough` asks for the quick draft."""
    heights: dict[int, set[float]] = {}
    out_degree: dict[int, int] = {}
    for (tail, head), (leave, arrive) in zip(edges, ports, strict=True):
        heights.setdefault(head, set()).add(arrive)
        if abs(leave) > NEAR_THE_MIDDLE:
            heights.setdefault(tail, set()).add(leave)
        out_degree[tail] = out_degree.get(tail, 0) + 1
    cells = {
        box: sorted(found)
        for box, found in heights.items()
        if len(found) > 1 or any(abs(height) > NEAR_THE_MIDDLE for height in found)
    }
    lines = [
        f"digraph {{ rankdir=LR; nodesep={BOX_GAP / INCH:.4f}; ranksep={LAYER_GAP / INCH:.4f};",
        ROUGH if rough else "splines=spline;",
        'node [shape=box fixedsize=true label="" margin=0]; edge [arrowhead=none];',
    ]
    for box, (width, height) in enumerate(sizes):
        shape = f" shape=none label={_table(width, height, cells[box])}" if box in cells else ""
        lines.append(f"{box} [id=n{box} width={width / INCH:.4f} height={height / INCH:.4f}{shape}];")
    for edge, ((tail, head), (leave, arrive)) in enumerate(zip(edges, ports, strict=True)):
        begin = f":p{cells[tail].index(leave)}" if leave in cells.get(tail, ()) else ""
        end = f":p{cells[head].index(arrive)}" if head in cells else ""
        weight = " weight=3" if out_degree[tail] == 1 and head not in cells else ""
        lines.append(f"{tail}{begin}:e -> {head}{end}:w [id=e{edge}{weight}];")
    for rank, side in (("source", -1), ("sink", 1)):
        if members := [str(box) for box, where in enumerate(sides) if where == side]:
            lines.append(f"{{rank={rank}; {'; '.join(members)};}}")
    lines.append("}")
    return "\n".join(lines)


def _table(width: float, height: float, ports: list[float]) -> str:
    rows: list[tuple[int, str]] = []
    above = 0
    for number, port in enumerate(ports):
        start = max(above, round(height / 2 + port - PORT_CELL / 2))
        rows += [(start - above, ""), (PORT_CELL, f' port="p{number}"')]
        above = start + PORT_CELL
    rows.append((max(0, int(height) - above), ""))
    body = "".join(
        f'<tr><td fixedsize="true" width="{int(width)}" height="{tall}"{port}></td></tr>' for tall, port in rows if tall
    )
    return f'<<table bgcolor="red" border="0" cellborder="0" cellspacing="0" cellpadding="0">{body}</table>>'


def read_svg(text: str, boxes: int, edges: int) -> tuple[list[Point], list[list[Point]]]:
    """Centres of the boxes and control points of the edges; anything missing is an error of Graphviz'."""
    centres: dict[int, Point] = {}
    routes: dict[int, list[Point]] = {}
    for box, corners in BOX.findall(text):
        points = _points(corners)
        across, down = [x for x, _ in points], [y for _, y in points]
        centres[int(box)] = ((min(across) + max(across)) / 2, (min(down) + max(down)) / 2)
    for edge, path in ROUTE.findall(text):
        routes[int(edge)] = _points(path.replace("C", " "))
    if len(centres) != boxes or len(routes) != edges:
        raise ValueError(f"Graphviz drew {len(centres)} of {boxes} boxes and {len(routes)} of {edges} edges")
    return [centres[box] for box in range(boxes)], [routes[edge] for edge in range(edges)]


def _points(text: str) -> list[Point]:
    pairs = (pair.split(",") for pair in text.split())
    return [(float(x), float(y)) for x, y in pairs]
