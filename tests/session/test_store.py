"""The store: one path for every change, undo as a list of immutable documents, subscribers that hear everything in
order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradviz.document.documents import text_of
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase, Run, Selection, Slice, State
from gradviz.session.store import TYPING, Store
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def trace_of(steps: int) -> Trace:
    """A trace with so many leaves."""
    out = Writer()
    for step in range(steps):
        out.add("steps", Kind.LEAF, -1, step, -1, -1, step)
        value = out.value(np.array(1.0, np.float32))
        out.add("tensors", step, -1, 0, value, step, 0, False, True, False, -1, -1)
    trace = Trace()
    trace.extend(out.take())
    return trace


def text(store: Store) -> str:
    return text_of(store.state.document)


def test_typing_without_a_pause_is_one_undo_step() -> None:
    clock = Clock()
    store = Store(clock=clock)
    for typed in ("x", "x ", "x ="):
        store.edit(TYPING, Snippet(typed))
        clock.now += 0.2
    clock.now += 5
    store.edit(TYPING, Snippet("x = 1"))
    store.undo()
    assert text(store) == "x ="
    store.undo()
    assert text(store) == ""
    store.redo()
    store.redo()
    assert text(store) == "x = 1"


def test_other_edits_are_undo_steps_of_their_own() -> None:
    store = Store(clock=Clock())
    store.edit(TYPING, Snippet("a"))
    store.edit("Fix", Snippet("b"))
    store.edit("Fix", Snippet("c"))
    assert store.state.undo_label == "Fix"
    store.undo()
    store.undo()
    assert text(store) == "a"
    assert (store.state.undo_label, store.state.redo_label) == (TYPING, "Fix")


def test_an_edit_after_undo_forgets_what_was_undone() -> None:
    store = Store(clock=Clock())
    store.edit("Fix", Snippet("a"))
    store.undo()
    store.edit(TYPING, Snippet("b"))
    store.redo()
    assert text(store) == "b"
    assert store.state.redo_label == ""


def test_an_equal_document_is_no_edit() -> None:
    store = Store()
    heard: list[State] = []
    store.subscribe(lambda before, after: heard.append(after))
    store.edit(TYPING, Snippet(""))
    assert not heard and store.state.undo_label == ""


def test_subscribers_hear_changes_in_order_even_if_they_make_some() -> None:
    store = Store(State(steps=5))
    heard: list[tuple[int, int]] = []

    def push_on(before: State, after: State) -> None:
        if after.cursor == 1:
            store.move(2)

    store.subscribe(push_on)
    store.subscribe(lambda before, after: heard.append((before.cursor, after.cursor)))
    store.move(1)
    assert heard == [(0, 1), (1, 2)]


def test_who_has_left_hears_nothing() -> None:
    store = Store(State(steps=5))
    heard: list[State] = []
    leave = store.subscribe(lambda before, after: heard.append(after))
    leave()
    store.move(1)
    assert not heard


def test_the_cursor_stays_between_the_ends() -> None:
    store = Store(State(steps=3))
    store.move(99)
    assert store.state.cursor == 3
    store.move(-5)
    assert store.state.cursor == 0


def test_opening_begins_anew_and_remembers_the_file() -> None:
    store = Store(State(steps=3, cursor=2, selection=Selection("node", 1)))
    store.edit(TYPING, Snippet("a"))
    store.open(Snippet("b"), Path("b.py"))
    store.open(Snippet("c"), Path("c.py"))
    store.open(Snippet("b"), Path("b.py"))
    state = store.state
    assert (text_of(state.document), state.is_dirty, state.undo_label, state.steps) == ("b", False, "", 0)
    assert state.selection is None
    assert state.view.recent == ("b.py", "c.py")


def test_dirty_means_different_from_the_disk() -> None:
    store = Store()
    store.edit(TYPING, Snippet("a"))
    assert store.state.is_dirty
    store.mark_saved(Path("a.py"))
    assert not store.state.is_dirty
    store.edit(TYPING, Snippet("ab"))
    store.undo()
    assert not store.state.is_dirty


def test_a_trace_is_shown_from_its_end_when_the_run_has_ended() -> None:
    store, former, trace = Store(), trace_of(4), trace_of(9)
    store.start_run(Snippet("x"))
    store.end_run(Run(Phase.OK, Snippet("x")), former)
    store.move(2)
    store.start_run(Snippet("y"))
    store.progress(5, "so far")
    assert (store.state.trace, store.state.cursor, store.state.recorded) == (former, 2, 5), "the former one stays"
    store.end_run(Run(Phase.OK, Snippet("y")), trace)
    assert (store.state.trace, store.state.cursor, store.state.steps) == (trace, 9, 9)
    assert store.state.is_stale


def test_without_a_trace_the_former_stays_only_if_nothing_ran() -> None:
    store = Store()
    store.end_run(Run(Phase.OK, Snippet("x")), trace_of(4))
    store.end_run(Run(Phase.REFUSED, Snippet("import os")), None)
    assert store.state.steps == 4
    store.end_run(Run(Phase.STOPPED, Snippet("x")), None)
    assert store.state.steps == 4
    store.end_run(Run(Phase.DIED, Snippet("x")), None)
    assert (store.state.trace, store.state.steps, store.state.cursor) == (None, 0, 0)


def test_a_run_is_shown_while_it_goes_on_and_the_cursor_stays_where_it_was_put() -> None:
    store, whole = Store(), trace_of(9)
    part, more = trace_of(4), trace_of(6)
    part.run = more.run = whole.run
    store.start_run(Snippet("x"))
    store.grow(part)
    assert (store.state.trace, store.state.cursor, store.state.run.phase) == (part, 4, Phase.RUNNING)
    store.grow(more)
    assert store.state.cursor == 6, "it follows the end"
    store.move(2)
    store.select(Selection("tensor", 0))
    store.end_run(Run(Phase.OK, Snippet("x")), whole)
    assert (store.state.trace, store.state.cursor, store.state.steps) == (whole, 2, 9)
    assert store.state.selection == Selection("tensor", 0)


def test_playing_needs_steps() -> None:
    store = Store()
    store.play(True)
    assert not store.state.playing


def test_a_subscriber_that_fails_leaves_the_others_all_the_news() -> None:
    store = Store(clock=Clock())
    heard: list[str] = []

    def fail(before: State, after: State) -> None:
        if text_of(after.document) == "a":
            store.edit("Fix", Snippet("b"))
            raise ZeroDivisionError

    store.subscribe(fail)
    store.subscribe(lambda before, after: heard.append(text_of(after.document)))
    with pytest.raises(ZeroDivisionError):
        store.edit(TYPING, Snippet("a"))
    store.edit("Fix", Snippet("c"))
    assert heard == ["a", "b", "c"]


def test_who_watches_a_slice_hears_only_of_changes_in_it() -> None:
    store, heard = Store(), list[tuple[bool, bool]]()
    leave = store.watch(Slice("playing", "view"), lambda before, after: heard.append((before.playing, after.playing)))
    store.say("news")
    store.look(replace(store.state.view, theme="dark"))
    store.pick(frozenset({1}))
    assert heard == [(False, False)]
    leave()
    store.look(replace(store.state.view, theme="light"))
    assert len(heard) == 1
