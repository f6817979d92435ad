"""Drawing on does not make one lose one's place: cursor, selection and lineage are those of the same node."""

from __future__ import annotations

from gradviz.document import shaping
from gradviz.document.code.parse import parse
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Ref
from gradviz.session.drawn import drawn
from gradviz.session.state import Lineage, Run, Selection, State
from gradviz.session.store import Store
from gradviz.trace.words.explain import step_title
from tests.trace.running import run

TEXT = """import torch

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
y = w * x
z = y.exp()
z.backward()
"""


class Desk:
    """A drawing that runs after every change."""

    def __init__(self, text: str = TEXT) -> None:
        self.store = Store(State(document=parse(text)))
        self.run()

    def run(self) -> None:
        self.store.show_live(Run(snippet=self.drawing), run(text_of(self.drawing)))

    def edit(self, drawing: Drawing) -> None:
        self.store.edit("Change", drawing)
        self.run()

    @property
    def drawing(self) -> Drawing:
        drawing = self.store.state.drawing
        assert drawing is not None
        return drawing

    def id(self, name: str) -> int:
        return next(node.id for node in self.drawing.nodes if shaping.label(self.drawing, node.id) == name)

    def row(self, name: str) -> Selection:
        state = self.store.state
        assert state.trace is not None
        return Selection("tensor", drawn(self.drawing, state.trace).tensors[Ref(self.id(name))])

    @property
    def step(self) -> str:
        state = self.store.state
        assert state.trace is not None
        return step_title(state.trace.frame(state.cursor))


def test_the_cursor_stays_at_the_step_of_the_same_node() -> None:
    desk = Desk()
    for cursor in range(1, desk.store.state.steps):
        desk.store.move(cursor)
        before = desk.step.partition(" (line")[0]
        drawing, leaf = shaping.new_leaf(desk.drawing, 0, 400, data=1.0, name="b", requires_grad=True)
        drawing, _ = shaping.insert_on_wire(drawing, "mul", desk.id("z"), 0)
        drawing = shaping.connect(drawing, Ref(leaf), max(drawing.by_id), 1)
        desk.edit(drawing)
        assert desk.store.state.cursor < desk.store.state.steps
        assert desk.step.partition(" (line")[0] == before
        desk.store.undo()
        desk.run()
        assert desk.store.state.cursor == cursor


def test_a_cursor_at_the_end_stays_at_the_end_and_one_at_the_beginning_there() -> None:
    desk = Desk()
    longer, _ = shaping.new_leaf(desk.drawing, 0, 400, data=1.0, name="b")
    desk.edit(longer)
    assert desk.store.state.cursor == desk.store.state.steps
    desk.store.move(0)
    desk.edit(shaping.new_leaf(desk.drawing, 0, 600, data=1.0, name="c")[0])
    assert desk.store.state.cursor == 0


def test_where_a_node_is_gone_the_cursor_is_at_what_came_before_it() -> None:
    desk = Desk()
    desk.store.move(4)
    assert "exp" in desk.step
    desk.edit(shaping.delete(desk.drawing, {desk.id("z")}))
    assert desk.store.state.cursor == 3 and "mul" in desk.step


def test_what_is_highlighted_stays_highlighted_while_it_is_there() -> None:
    desk = Desk()
    for kind, to in (("ancestors", None), ("descendants", None), ("path", "x")):
        desk.store.trace_lineage(Lineage(kind, desk.row("y"), desk.row(to) if to else None))
        desk.edit(shaping.new_leaf(desk.drawing, 0, 400, data=1.0, name=f"{kind[0]}1")[0])
        desk.edit(shaping.change_leaf(desk.drawing, desk.id("w"), data=5.0))
        assert desk.store.state.lineage == Lineage(kind, desk.row("y"), desk.row(to) if to else None)
    desk.edit(shaping.delete(desk.drawing, {desk.id("x")}))
    assert desk.store.state.lineage is None
