"""What of a structure is seen when some groups are open, and how it hangs together: items without sizes or names, edges
between them (those into and out of a closed group bundled, one for each pair), and the frames of open groups. `diagram`
adds the looks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.session.folding import Presentation
from gradviz.ui.canvas.groups import Flags, Groups, Ints
from gradviz.ui.canvas.measure import GROUP, OPERATION, REFERENCE, TENSOR
from gradviz.ui.canvas.structure import Structure


@dataclass(frozen=True, eq=False)
class Links:
    """See `Diagram`, which has the same arrays; `index` of a closed group is its number here."""

    kind: NDArray[np.uint8]
    index: Ints
    graph: Ints
    step: Ints
    frame_of: Ints
    edges: Ints
    row: Ints
    uses: Ints
    use_start: Ints
    frames: Ints
    frame_parent: Ints
    item_of_node: Ints
    item_of_card: Ints


@dataclass(frozen=True, eq=False)
class _Seen:
    """Nodes, cards and groups share one numbering here: nodes first, then cards, then groups. A thing in a closed group
    has the number of the outermost one."""

    node: Ints  # by node: its number or that of the group around it, -1: not drawn
    card: Ints
    cards: int  # where the numbers of cards begin
    groups: int  # where those of groups begin
    count: int


@dataclass(frozen=True, eq=False)
class _Edges:
    tail: Ints
    head: Ints
    row: Ints
    uses: Ints
    many: Ints  # how many of `uses` each edge has

    def __getitem__(self, order: Ints) -> _Edges:
        start = np.cumsum(self.many) - self.many
        many = self.many[order]
        shift = np.repeat(start[order] - (np.cumsum(many) - many), many)
        return _Edges(
            self.tail[order], self.head[order], self.row[order], self.uses[np.arange(len(shift)) + shift], many
        )


def find_links(structure: Structure, opened: Flags, drawing: Presentation) -> Links:
    """What is seen when these groups are open."""
    trace, groups = structure.trace, structure.groups
    closed = _closed_around(groups, opened)
    seen = _seen(structure, closed)
    edges = _edges(structure, seen)
    tagged = _tagged(structure, seen, edges, drawing)
    nodes = np.flatnonzero(seen.node == np.arange(len(seen.node)))
    cards = np.flatnonzero(seen.card == seen.cards + np.arange(len(seen.card)))
    boxes = np.flatnonzero(closed[:-1] == np.arange(len(groups)))
    frames = np.flatnonzero((closed[:-1] < 0) & opened)
    frame = np.full(len(groups) + 1, -1, np.int64)
    frame[frames] = np.arange(len(frames))
    tensor = structure.cards[cards, 1]
    kind = np.repeat(np.array([TENSOR, OPERATION, GROUP], np.uint8), [len(cards), len(nodes), len(boxes)])
    index = np.concatenate((tensor, nodes, boxes))
    graph = np.concatenate((structure.cards[cards, 0], structure.graph_of_node[nodes], groups.graph[boxes]))
    step = np.concatenate((trace.tensors.step[tensor], trace.nodes.step[nodes], structure.group_step[boxes]))
    step = step.astype(np.int64)
    around = frame[np.concatenate((structure.group_of_card[cards], groups.of_node[nodes], groups.parent[boxes]))]
    place = np.full(seen.count + 1, -1, np.int64)
    place[np.concatenate((seen.cards + cards, nodes, seen.groups + boxes))] = np.arange(len(kind))
    user = place[edges.head[tagged]]
    tags = structure.cards[edges.tail[tagged] - seen.cards, 1]
    kind = np.concatenate((kind, np.full(len(tagged), REFERENCE, np.uint8)))
    index = np.concatenate((index, tags))
    graph, step, around = (np.concatenate((column, column[user])) for column in (graph, step, around))
    order = np.lexsort((index, kind, step, graph))
    item = np.full(len(order) + 1, -1, np.int64)
    item[order] = np.arange(len(order))
    tail = item[place[edges.tail]]
    tail[tagged] = item[len(order) - len(tagged) : len(order)]
    head = item[place[edges.head]]
    by_head = np.lexsort((edges.row, head))
    edges = edges[by_head]
    return Links(
        kind=kind[order], index=index[order], graph=graph[order], step=step[order], frame_of=around[order],
        edges=np.column_stack((tail, head))[by_head], row=edges.row, uses=edges.uses,
        use_start=np.concatenate(([0], np.cumsum(edges.many))), frames=frames,
        frame_parent=frame[groups.parent[frames]],
        item_of_node=item[place[seen.node]], item_of_card=item[place[seen.card]],
    )  # fmt: skip


def _closed_around(groups: Groups, opened: Flags) -> Ints:
    """By group the outermost closed group that it is or is in, -1: none; one more for no group."""
    found = np.full(len(groups) + 1, -1, np.int64)
    for level in groups.levels:
        around = found[groups.parent[level]]
        own = np.where(opened[level], -1, np.arange(level.start, level.stop))
        found[level] = np.where(around >= 0, around, own)
    return found


def _seen(structure: Structure, closed: Ints) -> _Seen:
    nodes, cards = len(structure.graph_of_node), len(structure.cards)
    around = closed[structure.groups.of_node]
    node = np.where(around >= 0, nodes + cards + around, np.arange(nodes))
    node[structure.graph_of_node < 0] = -1
    around = closed[structure.group_of_card]
    card = np.where(around >= 0, nodes + cards + around, nodes + np.arange(cards))
    return _Seen(node, card, nodes, nodes + cards, nodes + cards + len(structure.groups))


def _edges(structure: Structure, seen: _Seen) -> _Edges:
    """All edges, those of closed groups once for each pair."""
    row = np.flatnonzero(structure.card_of_use >= 0)
    made = np.flatnonzero(structure.producer >= 0)
    tail = np.concatenate((seen.card[structure.card_of_use[row]], seen.node[structure.producer[made]]))
    head = np.concatenate((seen.node[structure.trace.inputs.node[row]], seen.card[made]))
    row = np.concatenate((row, np.full(len(made), -1)))
    between = np.flatnonzero((tail != head) & (tail >= 0) & (head >= 0))
    tail, head, row = tail[between], head[between], row[between]
    bundled = (tail >= seen.groups) | (head >= seen.groups)
    plain = np.flatnonzero(~bundled)
    tied = np.flatnonzero(bundled)
    tied = tied[np.argsort(row[tied], kind="stable")]
    keys, inverse = np.unique(tail[tied] * seen.count + head[tied], return_inverse=True)
    tied = tied[np.argsort(inverse, kind="stable")]
    inverse = np.sort(inverse)
    real = row[tied] >= 0
    many = np.bincount(inverse[real], minlength=len(keys))
    first = np.full(len(keys), -1, np.int64)
    first[inverse[real][::-1]] = row[tied][real][::-1]
    own = row[plain] >= 0
    return _Edges(
        np.concatenate((tail[plain], keys // max(seen.count, 1))),
        np.concatenate((head[plain], keys % max(seen.count, 1))),
        np.concatenate((row[plain], first)),
        np.concatenate((row[plain][own], row[tied][real])),
        np.concatenate((own.astype(np.int64), many)),
    )


def _tagged(structure: Structure, seen: _Seen, edges: _Edges, drawing: Presentation) -> Ints:
    """The edges that get a tag instead: Note [References] in `diagram`."""
    leaf = np.zeros(seen.count, bool)
    leaf[seen.cards : seen.groups] = structure.producer < 0
    uses = np.flatnonzero(leaf[edges.tail])
    uses = uses[np.lexsort((edges.row[uses], edges.tail[uses]))]
    if not len(uses):
        return uses
    tails = edges.tail[uses]
    further = np.concatenate(([False], np.diff(tails) == 0))
    many = np.bincount(tails - seen.cards, minlength=seen.groups - seen.cards)
    often = many > drawing.direct_uses
    if drawing.folding.tagged or drawing.folding.linked:
        trace = structure.trace
        for card in np.flatnonzero(many > 1).tolist():
            name = trace.naming.name(int(structure.cards[card, 1]), len(trace))
            often[card] = (often[card] or name in drawing.folding.tagged) and name not in drawing.folding.linked
    found: Ints = np.sort(uses[further & often[tails - seen.cards]])
    return found
