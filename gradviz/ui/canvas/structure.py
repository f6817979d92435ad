"""What there is to draw of a trace. An `Excerpt` holds the graphs that are drawn together. `Structure` does not depend
on what is collapsed: graphs, the cards in each, who uses what, and the groups around them. `Links` is for a choice of
open groups: the visible items, without sizes or names, the edges between them (those into and out of a closed group
bundled, one for each pair), and the frames of open groups. `diagram` adds the looks.

In a short run all graphs are drawn together; a long training has thousands, of which a few are shown at a time, and
drawing them all would cost more than the training. So the excerpt has those around a cursor, and the canvas asks for
another one when the cursor leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.session.folding import Presentation
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import NEVER
from gradviz.ui.canvas.groups import MANY, Flags, Groups, Ints, find_groups
from gradviz.ui.canvas.sizes import GROUP, OPERATION, REFERENCE, TENSOR

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


ENOUGH = 1_000  # operations of a run that is drawn as a whole
PART = 8  # an excerpt has a PARTth of that before what is shown at its cursor, and after it: a jump should cost little


@dataclass(frozen=True, eq=False)
class DrawnGraphs:
    """The graphs of a trace as they are drawn: the step at which each begins, those from which and until which it is
    shown, the graph of each node (and -1 for no node, at the end), and the number of operations of each graph."""

    first: Ints
    since: Ints
    until: Ints
    of_node: Ints
    operations: Ints

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Graphs in ascending order; `start` and `end` are the first and the last cursor at which all graphs that are shown
    are among them."""

    graphs: Ints
    start: int
    end: int

    def covers(self, cursor: int) -> bool:
        """Whether everything that is shown at a cursor is drawn."""
        return self.start <= cursor <= self.end

    @property
    def is_whole(self) -> bool:
        """Whether it covers every cursor."""
        return self.start <= 0 and self.end >= NEVER


def drawn_graphs(trace: Trace) -> DrawnGraphs:
    """The graphs of a trace. Untracked operations whose results are used by only one other graph join that graph, and
    their own graph is left empty."""
    return trace.kept("drawn graphs", lambda: _find(trace))


def _find(trace: Trace) -> DrawnGraphs:
    first, until = np.array(trace.graphs.first, np.int64), np.array(trace.graphs.until, np.int64)
    of_node = np.append(np.asarray(trace.graph_of_node, np.int64), -1)
    maker = trace.tensors.producer[trace.inputs.tensor]
    mine, other = of_node[maker], of_node[trace.inputs.node]
    loose = np.flatnonzero((mine >= 0) & (mine != other))
    loose = loose[(trace.nodes.name == "")[maker[loose]]]
    pairs = np.unique(np.column_stack((mine[loose], other[loose])), axis=0)
    users = np.bincount(pairs[:, 0], minlength=len(first))
    into = np.arange(len(first))
    for graph, user in pairs[users[pairs[:, 0]] == 1].tolist()[::-1]:
        into[graph] = into[user]
        first[into[user]] = min(first[into[user]], first[graph])
    gone = into != np.arange(len(first))
    until[gone] = first[gone]
    of_node[of_node >= 0] = into[of_node[of_node >= 0]]
    since = np.where(gone, NEVER, _since(trace, of_node, first, until[~gone]))
    return DrawnGraphs(first, since, until, of_node, np.bincount(of_node[of_node >= 0], minlength=len(first)))


def _since(trace: Trace, of_node: Ints, first: Ints, ends: Ints) -> Ints:
    """A graph is shown with the first tensor that no operation makes and that no graph before it reads, unless one of
    those that end is shown in its place until it begins."""
    graph, tensor = of_node[trace.inputs.node], trace.inputs.tensor
    read = np.flatnonzero((graph >= 0) & (trace.tensors.producer[tensor] < 0))
    read = read[np.lexsort((first[graph[read]], tensor[read]))]
    leaves, earliest = np.unique(tensor[read], return_index=True)
    since = first.copy()
    np.minimum.at(since, graph[read[earliest]], trace.tensors.step[leaves])
    replaces = np.searchsorted(np.sort(ends), np.stack((since, first)), "right")
    found: Ints = np.where(replaces[0] == replaces[1], since, first)
    return found


def whole(trace: Trace) -> Excerpt:
    """All graphs."""
    return Excerpt(np.arange(len(drawn_graphs(trace))), 0, NEVER)


def excerpt_around(trace: Trace, cursor: int) -> Excerpt:
    """What is shown at a cursor, and as much of what comes before and after it as is drawn in no time."""
    graphs = drawn_graphs(trace)
    if graphs.operations.sum() <= ENOUGH:
        return whole(trace)
    since, until = graphs.since, graphs.until
    shown = (since < cursor) & (until >= cursor)
    later, earlier = np.flatnonzero(since >= cursor), np.flatnonzero(until < cursor)
    later, earlier = later[np.argsort(since[later], kind="stable")], earlier[np.argsort(-until[earlier], kind="stable")]
    ahead, back = (_fitting(graphs.operations[each]) for each in (later, earlier))
    ahead = max(ahead, 0 if shown.any() else 1)  # before the first operation, the graph that it will begin is shown
    shown[later[:ahead]] = shown[earlier[:back]] = True
    return Excerpt(
        np.flatnonzero(_with_those_above(graphs, shown)),
        int(until[earlier[back]]) + 1 if back < len(earlier) else 0,
        int(since[later[ahead]]) if ahead < len(later) else NEVER,
    )


def _fitting(operations: Ints) -> int:
    """How many graphs there is room for on one side."""
    return int(np.searchsorted(np.cumsum(operations), ENOUGH // PART, "right"))


def _with_those_above(graphs: DrawnGraphs, chosen: Flags) -> Flags:
    """Note [Where a graph is]: `layout.rows.stack` puts a graph below those that are shown when it begins, so it is in
    the same place in each excerpt that has these, too, and those that they were put below."""
    order = np.argsort(graphs.first, kind="stable")
    beyond = np.searchsorted(graphs.first[order], graphs.until[order])  # the first that begins after each has ended
    found = chosen[order]
    while True:
        before = np.concatenate(([0], np.cumsum(found)))
        more = found | (before[beyond] > before[1:])
        if np.array_equal(more, found):
            break
        found = more
    flags = np.empty(len(order), bool)
    flags[order] = found
    return flags


# --- The structure of an excerpt ---

FEW = 6  # parameters that are shown beside the calls that share them


@dataclass(frozen=True, eq=False)
class Structure:
    """The graphs of an excerpt, numbered from 0, with their cards: (graph, tensor) pairs, sorted. -1 always means none,
    also for what is outside the excerpt."""

    trace: Trace
    first: Ints  # by graph: the step at which it begins
    since: Ints  # by graph: the step with which it is shown, when the first of its leaves is there
    until: Ints  # by graph: the step at which another takes its place
    graph_of_node: Ints
    cards: Ints  # (n, 2) graph, tensor
    producer: Ints  # by card: the operation in this graph that made it
    card_of_use: Ints  # by row of trace.inputs
    groups: Groups
    group_of_card: Ints  # the innermost group around each card
    excerpt: Excerpt

    @cached_property
    def items_in(self) -> Ints:
        """By group: the operations and cards directly inside."""
        count = len(self.groups)
        of_node, of_card = self.groups.of_node, self.group_of_card
        nodes = np.bincount(of_node[of_node >= 0], minlength=count)
        found: Ints = nodes + np.bincount(of_card[of_card >= 0], minlength=count)
        return found

    @cached_property
    def group_step(self) -> Ints:
        """By group: the step that made the first thing inside, be it an operation or a parameter."""
        groups, inside = self.groups, self.group_of_card >= 0
        found = groups.step.copy()
        np.minimum.at(found, self.group_of_card[inside], self.trace.tensors.step[self.cards[inside, 1]])
        for level in groups.levels[:0:-1]:
            np.minimum.at(found, groups.parent[level], found[level])
        return found


def find_structure(trace: Trace, excerpt: Excerpt | None = None) -> Structure:
    """The structure of an excerpt of a trace, or of all of it, as far as it has grown."""
    excerpt, graphs = excerpt or whole(trace), drawn_graphs(trace)
    number = np.full(len(graphs) + 1, -1, np.int64)  # the last entry is that of no graph
    number[excerpt.graphs] = np.arange(len(excerpt.graphs))
    first, since, until = (each[excerpt.graphs] for each in (graphs.first, graphs.since, graphs.until))
    graph_of_node = number[graphs.of_node]
    cards = _find_cards(trace, graph_of_node)
    if not len(first):  # only tensors: they are shown as one graph
        first, since, until = np.array([-1]), np.array([-1]), np.array([np.iinfo(np.int64).max])
        cards = np.column_stack((np.zeros(len(trace.tensors), np.int64), np.arange(len(trace.tensors))))
    count, graph_of_use = len(trace.tensors) + 1, graph_of_node[trace.inputs.node]
    uses = np.flatnonzero(graph_of_use >= 0)
    card_of_use = np.full(len(graph_of_use), -1, np.int64)
    card_of_use[uses] = np.searchsorted(
        cards[:, 0] * count + cards[:, 1], graph_of_use[uses] * count + trace.inputs.tensor[uses]
    )
    producer = trace.tensors.producer[cards[:, 1]].astype(np.int64)
    producer[graph_of_node[producer] != cards[:, 0]] = -1
    groups = find_groups(trace, graph_of_node[:-1])
    return Structure(
        trace, first, since, until, graph_of_node[:-1], cards, producer,
        card_of_use, groups, _group_of_cards(trace, cards, producer, card_of_use, groups), excerpt,
    )  # fmt: skip


def _find_cards(trace: Trace, graph_of_node: Ints) -> Ints:
    """(graph, tensor) for every card, sorted: what an operation of the graph reads or makes."""
    producer, used = trace.tensors.producer.astype(np.int64), trace.inputs.tensor.astype(np.int64)
    made = np.flatnonzero(producer >= 0)
    seen = trace.tensors.output_nr == 0  # a second result without a name or a use would only be confusing
    seen[trace.names.tensor] = True
    seen[used] = True
    made = made[seen[made]]
    graph = np.concatenate((graph_of_node[trace.inputs.node], graph_of_node[producer[made]]))
    tensor = np.concatenate((used, made))
    count = len(trace.tensors) + 1
    keys = np.unique((graph * count + tensor)[graph >= 0])
    return np.column_stack((keys // count, keys % count))


def _group_of_cards(trace: Trace, cards: Ints, producer: Ints, card_of_use: Ints, groups: Groups) -> Ints:
    """Note [Where cards belong]: a result belongs to the group of the operation that made it, but a batch with a name
    does not belong to its loading, whereas all that it is made of does. Whatever comes from
    elsewhere belongs to the innermost group, other than a loop, that contains all its uses; but if it is not a
    parameter and existed before that group began, it comes in from outside, and many parameters that only the calls of
    one module use belong to the first of these, as many results of one operation, such as the rows of a data set,
    belong to the first group that uses them. The results at which a backward call began, and the last one, are outside
    all groups."""
    made = producer >= 0
    found = np.append(groups.of_node, -1)[producer]
    if not len(groups):
        return found
    uses = np.flatnonzero((card_of_use >= 0) & ~np.append(made, True)[card_of_use])
    owner = card_of_use[uses]
    common = _common_group(groups, owner, groups.of_node[trace.inputs.node[uses]], len(cards))
    loop = np.append(groups.kind == RegionKind.LOOP, False)
    while loop[common].any():  # what all iterations use does not belong to the loop
        common = np.where(loop[common], np.append(groups.parent, -1)[common], common)
    common = _many_in_first_call(trace, cards, groups, (owner, groups.of_node[trace.inputs.node[uses]]), common)
    found[~made] = common[~made]
    loads, is_named = np.append(groups.loads, False), np.zeros(len(trace.tensors), bool)
    is_named[trace.names.tensor] = True
    batch = np.flatnonzero(made & is_named[cards[:, 1]] & loads[found])
    found[batch] = groups.parent[found[batch]]
    _many_to_their_users(trace, producer, card_of_use, groups, found)
    owned = trace.tensors.is_parameter.astype(bool).copy()
    owned[trace.names.tensor[trace.names.owner != ""]] = True
    step = trace.tensors.step[cards[:, 1]]
    guests = np.flatnonzero(~made & (found >= 0) & ~owned[cards[:, 1]] & ~loads[found])
    while len(guests := guests[(found[guests] >= 0) & (groups.step[found[guests]] > step[guests])]):
        found[guests] = groups.parent[found[guests]]
    used = np.zeros(len(cards), bool)
    used[card_of_use[card_of_use >= 0]] = True
    ends = np.zeros(len(trace.tensors), bool)
    ends[trace.roots.tensor] = True
    last = np.zeros(len(trace.nodes) + 1, bool)
    last[_last_nodes(groups, cards, producer)] = True
    found[~used & (ends[cards[:, 1]] | last[producer]) & made] = -1
    return found


def _many_in_first_call(trace: Trace, cards: Ints, groups: Groups, uses: tuple[Ints, Ints], common: Ints) -> Ints:
    """The group of each card, where many parameters that only the calls of one module share belong to its first call.
    A few are shown beside the calls, as that they are shared is what there is to see."""
    owner, group = uses[0], _directly_in(groups, uses[1], common[uses[0]])
    is_call = np.append(groups.kind == RegionKind.MODULE, False)[group]
    if not is_call.any():
        return common
    _, module = np.unique(trace.regions.name[np.where(is_call, groups.index[group], 0)], return_inverse=True)
    order = np.lexsort((np.append(groups.step, 0)[group], owner))
    owner, group, is_call, module = owner[order], group[order], is_call[order], module[order]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    alike = np.minimum.reduceat(module, starts) == np.maximum.reduceat(module, starts)
    shared = alike & np.logical_and.reduceat(is_call, starts)
    shared &= trace.tensors.is_parameter[cards[owner[starts], 1]].astype(bool)
    card, first = owner[starts][shared], group[starts][shared]
    many = np.bincount(first, minlength=len(groups))[first] > FEW
    found = common.copy()
    found[card[many]] = first[many]
    return found


def _many_to_their_users(trace: Trace, producer: Ints, card_of_use: Ints, groups: Groups, found: Ints) -> None:
    """Put each of many results of one operation into the first group that uses it, of those beside the operation."""
    results = np.bincount(producer[producer >= 0], minlength=len(trace.nodes) + 1)
    uses = np.flatnonzero(card_of_use >= 0)
    uses = uses[results[producer[card_of_use[uses]]] > MANY]
    card, at = np.unique(card_of_use[uses], return_index=True)
    group = _directly_in(groups, groups.of_node[trace.inputs.node[uses[at]]], found[card])
    found[card[group >= 0]] = group[group >= 0]


def _directly_in(groups: Groups, group: Ints, above: Ints) -> Ints:
    """For each group, it or the one around it that is directly in the group `above`; -1 if none is."""
    group, parent = group.copy(), np.append(groups.parent, -1)
    while len(inner := np.flatnonzero((group >= 0) & (parent[group] != above))):
        group[inner] = parent[group[inner]]
    return group


def _last_nodes(groups: Groups, cards: Ints, producer: Ints) -> Ints:
    """The last operation of each graph that has cards for its results."""
    last = np.full(int(cards[:, 0].max(initial=-1)) + 1, -1, np.int64)
    np.maximum.at(last, cards[:, 0], producer)
    return last[last >= 0]


def _common_group(groups: Groups, owner: Ints, group: Ints, count: int) -> Ints:
    """For each of `count` owners, the innermost group that contains the groups of all its rows."""
    depth = np.append(groups.depth, -1)
    parent = np.append(groups.parent, -1)
    order = np.argsort(owner, kind="stable")
    owner, group = owner[order], group[order].copy()
    found = np.full(count, -1, np.int64)
    while len(owner):
        starts = np.flatnonzero(np.concatenate(([True], np.diff(owner) > 0)))
        many = np.diff(np.append(starts, len(owner)))
        low, high = np.minimum.reduceat(group, starts), np.maximum.reduceat(group, starts)
        agree = low == high
        found[owner[starts[agree]]] = low[agree]
        shallow = np.repeat(np.minimum.reduceat(depth[group], starts), many)
        deepest = np.repeat(np.maximum.reduceat(depth[group], starts), many)
        lifted = (depth[group] > shallow) | (shallow == deepest)
        group = np.where(lifted, parent[group], group)
        going = np.repeat(~agree, many)
        owner, group = owner[going], group[going]
    return found


# -- the visible part


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
    """Nodes, cards and groups in one numbering: nodes first, then cards, then groups. A thing inside a closed group has
    the number of the outermost one."""

    node: Ints  # by node: its number or that of the group around it, -1 if it is not drawn
    card: Ints
    cards: int  # where the numbers of cards begin
    groups: int  # where the numbers of groups begin
    count: int


@dataclass(frozen=True, eq=False)
class _Edges:
    tail: Ints
    head: Ints
    row: Ints
    uses: Ints
    many: Ints  # how many of `uses` belong to each edge

    def __getitem__(self, order: Ints) -> _Edges:
        start = np.cumsum(self.many) - self.many
        many = self.many[order]
        shift = np.repeat(start[order] - (np.cumsum(many) - many), many)
        return _Edges(
            self.tail[order], self.head[order], self.row[order], self.uses[np.arange(len(shift)) + shift], many
        )


def find_links(structure: Structure, opened: Flags, drawing: Presentation) -> Links:
    """What is visible when these groups are open."""
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
    """By group: the outermost closed group that it is or is inside, -1 for none; with an extra entry for "no group"."""
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
    """All edges; those of closed groups once for each pair."""
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
    """The edges that are replaced by a tag: Note [References] in `diagram`."""
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
