"""The undo list: edits that are one step, and what versions of a drawing cost."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf, Ref
from gradviz.session.state import Run, Selection, State
from gradviz.session.store import UNDO_BYTES, Store
from gradviz.trace.table.trace import Trace
from tests.trace.running import run


def _one(value: float = 1.0) -> Drawing:
    return shaping.new_leaf(Drawing(), 0, 0, data=value, name="w", requires_grad=True)[0]


def _valued(drawing: Drawing, value: float) -> Drawing:
    return shaping.change_leaf(drawing, 1, data=value)


def _ran(store: Store) -> Trace:
    trace = run(text_of(store.state.document))
    store.show_live(Run(snippet=store.state.document), trace)
    return trace


def test_the_edits_of_one_drag_are_one_step() -> None:
    store = Store(State(document=_one()))
    for value in range(2, 40):
        store.edit("Change w", _valued(_one(), float(value)), merge="slider 1")
    assert store.is_merging
    store.seal()
    assert not store.is_merging
    store.edit("Change w", _valued(_one(), 50.0), merge="slider 1")
    store.undo()
    assert store.state.document == _valued(_one(), 39.0)
    store.undo()
    assert store.state.document == _one()
    assert store.state.undo_label == ""
    store.redo()
    assert store.state.document == _valued(_one(), 39.0)


def test_a_drag_back_to_where_it_began_is_no_step() -> None:
    store = Store(State(document=_one()))
    store.edit("Rename w", shaping.rename(_one(), 1, "v"))
    start = store.state.drawing
    assert start is not None
    store.edit("Change v", _valued(start, 5.0), merge="slider 1")
    store.edit("Change v", start, merge="slider 1")
    assert store.state.undo_label == "Rename w"
    store.edit("Change v", _valued(start, 6.0), merge="slider 1")
    store.undo()
    assert store.state.document == start


def test_another_label_or_key_is_another_step() -> None:
    store = Store(State(document=_one()))
    store.edit("Change w", _valued(_one(), 2.0), merge="slider 1")
    store.edit("Change w", _valued(_one(), 3.0), merge="slider 2")
    store.edit("Change w", _valued(_one(), 4.0))
    for value in (3.0, 2.0, 1.0):
        store.undo()
        assert store.state.document == _valued(_one(), value)
    assert store.state.undo_label == ""


def test_a_hundred_versions_of_a_large_drawing_are_small() -> None:
    nodes = tuple(Leaf(number, f"w{number}", float(number)) for number in range(1, 501))
    store = Store(State(document=Drawing(nodes=nodes, next_id=501)))
    tracemalloc.start()
    for step in range(100):
        drawing = store.state.drawing
        assert drawing is not None
        at = step % 500
        moved = replace(drawing.nodes[at], x=float(step + 1))
        changed = replace(drawing, nodes=(*drawing.nodes[:at], moved, *drawing.nodes[at + 1 :]))
        assert step % 10 or text_of(changed), "what it has computed of itself is not kept"
        store.edit(f"Move {step}", changed)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken < 4_000_000, taken


def test_large_tables_are_forgotten_first() -> None:
    store = Store(State(document=_one()))
    table = tuple(tuple(float(column) for column in range(300)) for _ in range(300))
    for step in range(40):
        store.edit(f"Change {step}", _valued(_one(), float(step)))
        store.edit(f"Table {step}", Drawing(nodes=(Leaf(1, "w", (*table, (float(step),) * 300)),), next_id=2))
    steps = 0
    while store.state.undo_label:
        store.undo()
        steps += 1
    assert steps == 2 * (UNDO_BYTES // (301 * 300 * 40)) + 1


def _product() -> Drawing:
    drawing, x = shaping.new_leaf(_one(3.0), 0, 80, data=2.0, name="x")
    drawing, mul = shaping.new_operation(drawing, "mul", 100, 0)
    drawing = shaping.connect(shaping.connect(drawing, Ref(1), mul, 0), Ref(x), mul, 1)
    return shaping.add_call(drawing, Ref(mul))


def test_what_is_picked_is_selected_and_the_other_way() -> None:
    store = Store(State(document=_product()))
    trace = _ran(store)
    store.pick(frozenset({1}))
    assert store.state.selection == Selection("tensor", trace.names.tensor.tolist()[0])
    store.pick(frozenset({1, 3}))
    assert store.state.selection is None
    store.select(Selection("node", 0))
    assert store.state.picked == {3}
    store.pick(frozenset({3}))
    assert store.state.selection == Selection("node", 0), "it is of that node already"
    store.select(None)
    assert store.state.picked == frozenset()


def test_what_is_selected_is_found_again_after_a_run_and_what_is_gone_is_not_picked() -> None:
    store = Store(State(document=_product()))
    _ran(store)
    store.pick(frozenset({3}))
    before = store.state.selection
    drawing, _ = shaping.new_leaf(_product(), 0, 160, data=7.0, name="a")
    store.edit("Add a", replace(drawing, nodes=(drawing.nodes[-1], *drawing.nodes[:-1])))
    trace = _ran(store)
    after = store.state.selection
    assert after is not None and before is not None and after.index == before.index + 1
    assert trace.tensors.producer.tolist()[after.index] == 0
    store.edit("Delete", shaping.delete(drawing, {3}))
    assert store.state.picked == frozenset()


def test_the_cursor_stays_at_the_end_or_at_its_step() -> None:
    store = Store(State(document=_product()))
    _ran(store)
    assert store.state.cursor == store.state.steps > 3
    store.edit("Change w", _valued(_product(), 9.0))
    _ran(store)
    assert store.state.cursor == store.state.steps
    store.move(2)
    store.edit("Change w", _valued(_product(), 10.0))
    _ran(store)
    assert store.state.cursor == 2
    store.edit("Delete", Drawing(next_id=9))
    store.show_live(Run(snippet=Drawing()), None)
    assert store.state.trace is None and store.state.steps == 0
