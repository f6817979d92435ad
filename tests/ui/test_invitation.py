"""The empty window invites to both: a snippet, or a drawing; with examples of each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtTest import QTest

from gradviz.document.code.parse import parse
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.files.examples import drawn_examples, examples
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase
from gradviz.ui.panels.gallery import GalleryPanel
from gradviz.ui.panels.invitation import TITLE, Invitation
from tests.driver import RUN_TIMEOUT, Pilot


@pytest.fixture
def invitation(pilot: Pilot) -> Invitation:
    return pilot.window.canvas.invitation


def test_both_ways_are_there_with_examples(invitation: Invitation) -> None:
    assert [way.title.text() for way in invitation.ways] == ["Paste a snippet", "Draw a graph"]
    offered = {(button.text(), button.toolTip()) for button in invitation.buttons}
    first = [*examples()[:3], *drawn_examples()]
    assert offered - {(invitation.draw.text(), "")} == {(example.title, example.paragraph) for example in first}


def test_a_new_drawing_begins_by_its_button_and_has_the_keyboard(pilot: Pilot, invitation: Invitation) -> None:
    pilot.click(invitation.draw)
    assert pilot.state.drawing == Drawing()
    assert pilot.window.canvas.drawn.view.hasFocus()


def test_a_drawn_example_opens_and_runs(pilot: Pilot, invitation: Invitation) -> None:
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        pilot.click(next(one for one in invitation.buttons if one.text() == "A loss, drawn by hand"))
    assert pilot.state.run.phase is Phase.OK
    assert pilot.state.drawing is not None
    assert pilot.state.note.startswith("A loss, drawn by hand\n")
    pilot.expect_grad("w", -12.0)


@pytest.mark.parametrize("example", drawn_examples(), ids=lambda example: example.path.stem)
def test_a_drawn_example_is_complete_and_is_its_code(example) -> None:  # type: ignore[no-untyped-def]
    assert example.title and example.paragraph and example.look_at
    assert isinstance(example.document, Drawing)
    assert not code_of(example.document).left_out
    assert text_of(parse(example.code, like=example.document)) == example.code


def test_the_gallery_has_drawings_too(pilot: Pilot) -> None:
    gallery = pilot.window.panel_area.panel("examples")
    assert isinstance(gallery, GalleryPanel)
    pilot.window.shell.focus("examples")
    assert gallery.cards[-1].title.text() == drawn_examples()[-1].title


def test_the_ways_stand_below_each_other_where_there_is_no_room(pilot: Pilot, invitation: Invitation) -> None:
    first, second = invitation.ways
    assert first.y() == second.y()
    pilot.window.store.look(replace(pilot.state.view, text_scale=2.0))
    QTest.qWait(0)
    assert first.y() < second.y()
    assert invitation.area.horizontalScrollBar().maximum() == 0


def test_what_runs_is_no_longer_invited(pilot: Pilot, invitation: Invitation) -> None:
    pilot.type_snippet("print(1)")
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        pilot.window.commands.do("run.run")
        assert invitation.title.text() == "Running…" and not any(way.isVisible() for way in invitation.ways)
    assert not invitation.isVisible(), "what was printed is a step"
    pilot.window.store.open(Snippet(), None)
    assert invitation.title.text() == TITLE and all(way.isVisible() for way in invitation.ways)
