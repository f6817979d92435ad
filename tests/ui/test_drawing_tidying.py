"""Tidy Up through the window: one step of undo, pinned nodes stay; and what is aligned by its edges."""

from __future__ import annotations

from gradviz.document import shaping
from gradviz.document.drawing import Drawing
from tests.document.drawings import squared_error
from tests.driver import Pilot


def places(drawing: Drawing | None) -> dict[int, tuple[float, float]]:
    assert drawing is not None
    return {node.id: (node.x, node.y) for node in drawing.nodes}


def test_tidy_up_is_one_step_and_leaves_what_is_pinned(pilot: Pilot) -> None:
    window = pilot.window
    drawing, ids = squared_error()
    drawing = shaping.pin(drawing, {ids["b"]}, True)
    window.store.open(drawing, None)
    with pilot.qtbot.waitSignal(window.shell.board.tidier.done, timeout=60_000):
        window.commands.do("draw.tidy")
    assert pilot.state.undo_label == "Tidy Up"
    tidy = places(pilot.state.drawing)
    assert tidy != places(drawing)
    assert tidy[ids["b"]] == places(drawing)[ids["b"]]
    assert tidy[ids["mul"]][0] < tidy[ids["add"]][0] < tidy[ids["sub"]][0] < tidy[ids["pow"]][0]
    window.commands.do("edit.undo")
    assert pilot.state.document == drawing


def test_what_changed_while_it_was_tidied_up_is_left_alone(pilot: Pilot) -> None:
    window = pilot.window
    drawing, ids = squared_error()
    window.store.open(drawing, None)
    with pilot.qtbot.waitSignal(window.shell.board.tidier.done, timeout=60_000):
        window.commands.do("draw.tidy")
        window.store.edit("Delete", shaping.delete(drawing, {ids["b"]}))
    assert pilot.state.undo_label == "Delete"
    assert pilot.state.notice.sentence.startswith("The drawing changed while it was tidied up")


def test_closing_the_window_gives_up_what_is_tidied(pilot: Pilot) -> None:
    drawing, _ = squared_error()
    pilot.window.store.open(drawing, None)
    pilot.window.commands.do("draw.tidy")
    pilot.window.shell.board.tidier.close()
    assert not pilot.window.shell.board.tidier.is_busy


def test_nodes_are_aligned_by_the_edges_that_are_seen(pilot: Pilot) -> None:
    window = pilot.window
    drawing, ids = squared_error()
    window.store.open(drawing, None)
    window.store.pick(frozenset({ids["w"], ids["mul"]}))
    window.commands.choose("draw.align", "right")
    geometry = window.canvas.drawn.hands.ground.geometry
    card = next(box for ref, box in geometry.cards.items() if ref.node == ids["w"])
    assert card.right() == geometry.circles[ids["mul"]].right()
    assert pilot.state.undo_label == "Align Right"
