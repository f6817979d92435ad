"""The middle of the window shows the canvas of a drawing as long as the document is one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf
from gradviz.document.snippet import Snippet
from gradviz.session.state import Lineage, Phase, Run, Search, Selection
from gradviz.ui.panels.drawn_canvas import DrawnCanvas
from gradviz.ui.sharing.export import write
from tests.driver import Pilot
from tests.trace.running import run
from tests.ui.drawn_fixtures import ADD, GROUP, MUL, SUM, everything, scene_of


def canvas(pilot: Pilot, drawing: Drawing, *, ran: bool = True) -> DrawnCanvas:
    """The canvas of a drawing that was opened, as after its run."""
    store = pilot.window.store
    store.open(drawing, None)
    if ran:
        store.start_run(drawing)
        store.end_run(Run(Phase.OK, drawing, "ran"), run(text_of(drawing)))
    return pilot.window.canvas.drawn


def test_a_drawing_has_its_own_canvas(pilot: Pilot) -> None:
    panel = pilot.window.canvas
    drawn = canvas(pilot, everything(), ran=False)
    assert panel.shows_drawing and drawn.view.isVisible()
    assert panel.focus_target is drawn.view
    assert drawn.view.drawing == everything()
    pilot.window.store.open(Snippet("x = 1\n"), None)
    assert not panel.shows_drawing
    assert drawn.view.world_geometry is not None


def test_the_canvas_follows_the_run_and_the_cursor(pilot: Pilot) -> None:
    drawn, store = canvas(pilot, everything()), pilot.window.store
    scene = scene_of(drawn.view)
    assert scene.moment.frame.cursor == store.state.steps
    store.move(2)
    assert scene_of(drawn.view).moment.frame.cursor == 2
    assert MUL in scene_of(drawn.view).addition.sketch.operations


def test_commands_look_at_the_drawing(pilot: Pilot) -> None:
    panel = pilot.window.canvas
    view = canvas(pilot, everything()).view
    panel.fit()
    assert view.viewport.shows_everything
    before = view.camera.scale
    panel.zoom_in()
    assert view.camera.scale > before
    panel.zoom_reset()
    assert view.camera.scale == 1.0
    row = scene_of(view).placed.diagram.index[scene_of(view).addition.sketch.operations[SUM]]
    panel.show_thing(Selection("node", int(row)))
    x, y = view.camera.to_world(view.width() / 2, view.height() / 2)
    assert view.world_geometry.box(SUM).adjusted(-300, -300, 300, 300).contains(x, y)
    panel.show_details()
    assert view.hover.card is not None and view.hover.card.item >= 0


def test_search_and_relatives_stand_out_on_it(pilot: Pilot) -> None:
    view, store = canvas(pilot, everything()).view, pilot.window.store
    store.look_for(Search(open=True, query="loss"))
    marks = scene_of(view).marks
    assert (
        marks.hits is not None and marks.hits[next(iter(scene_of(view).addition.sketch.cards.values()))].dtype == bool
    )
    assert marks.hits.any()
    store.look_for(Search())
    tensor = scene_of(view).addition.sketch.drawn.tensors[
        next(r for r in scene_of(view).addition.sketch.cards if r.node == ADD)
    ]
    store.trace_lineage(Lineage("ancestors", Selection("tensor", tensor)))
    lit = scene_of(view).marks.lit
    assert lit is not None and lit[scene_of(view).addition.sketch.operations[MUL]]
    assert not lit[scene_of(view).addition.sketch.operations[SUM]]


def test_what_a_search_found_is_forgotten_with_its_run(pilot: Pilot) -> None:
    view, store = canvas(pilot, everything()).view, pilot.window.store
    store.look_for(Search(open=True, query="loss"))
    assert scene_of(view).marks.hits is not None
    empty = replace(everything(), nodes=(), groups=(), calls=())
    store.edit("Delete", empty)
    store.show_live(Run(snippet=empty), None)
    store.edit("Add x", Drawing((Leaf(1, "x"),), next_id=2))
    assert scene_of(view).marks.hits is None


def test_a_search_in_a_run_of_other_code_marks_nothing_here(pilot: Pilot) -> None:
    view, store = canvas(pilot, everything(), ran=False).view, pilot.window.store
    store.look_for(Search(open=True, query="y"))
    code = "import torch\ny = torch.ones(2) * 2\n"
    store.end_run(Run(Phase.OK, Snippet(code), "ran"), run(code))
    marks = scene_of(view).marks
    assert marks.hits is None or not marks.hits.any()


def test_an_edit_does_not_move_the_picture_but_another_document_is_looked_at_as_a_whole(pilot: Pilot) -> None:
    drawn, store = canvas(pilot, everything()), pilot.window.store
    QApplication.processEvents()
    camera = drawn.view.camera
    far = replace(everything(), nodes=tuple(replace(node, x=node.x + 4000) for node in everything().nodes))
    store.edit("Move", far)
    drawn.view.transition.finish()
    assert drawn.view.camera == camera
    store.open(far, None)
    assert drawn.view.camera != camera and drawn.view.viewport.shows_everything


def test_a_group_opens_and_closes_by_command(pilot: Pilot) -> None:
    drawn, store = canvas(pilot, everything()), pilot.window.store
    store.pick(frozenset((GROUP,)))
    pilot.window.canvas.toggle_group()
    closed = store.state.drawing
    assert closed is not None and closed.groups[0].closed
    assert GROUP in scene_of(drawn.view).addition.sketch.groups
    pilot.window.canvas.toggle_group()
    store.undo()
    store.undo()
    assert store.state.drawing == everything()


def test_it_is_exported_with_its_places(pilot: Pilot, tmp_path: Path) -> None:
    drawing = everything()
    trace = run(text_of(drawing))
    out = tmp_path / "drawing.svg"
    write(trace, len(trace), out, drawing=drawing)
    text = out.read_text(encoding="utf-8")
    assert "The prediction of a line." in text and "backward()" in text
    wide = replace(drawing, nodes=tuple(replace(node, x=node.x * 2) for node in drawing.nodes))
    other = tmp_path / "wide.svg"
    write(trace, len(trace), other, drawing=wide)
    assert _width(other) > 1.6 * _width(out)


def _width(picture: Path) -> float:
    """Of a picture in SVG, in units of the world."""
    found = re.search(r'viewBox="\S+ \S+ (\S+)', picture.read_text(encoding="utf-8"))
    assert found is not None
    return float(found.group(1))
