"""What-if in the state: two cursors and selections that go together, swapping, taking the change and its undo."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradviz.document.documents import text_of
from gradviz.document.snippet import Snippet
from gradviz.session.comparison.differences import Verdict, judge
from gradviz.session.comparison.proposals import Proposal, proposals
from gradviz.session.inspect.run_inspection import inspect_both
from gradviz.session.state import Phase, Run, Selection, State
from gradviz.session.store import Store
from gradviz.session.what_if import begun, compared, failed
from tests.trace.running import run

TEXT = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x.detach() * x\ny.backward()\n"


def proposal(text: str, words: str) -> Proposal:
    return next(one for one in proposals(text) if words in one.title)


@pytest.fixture
def store() -> Iterator[Store]:
    """A store with the snippet, its run, and beside it the run without .detach()."""
    made = Store()
    made.open(Snippet(TEXT), None)
    trace = run(TEXT)
    made.start_run(made.state.document)
    made.end_run(Run(Phase.OK, made.state.document), trace)
    change = proposal(TEXT, "without .detach()")
    beside = begun(made.state, change)
    made.set_what_if(beside)
    ended = Run(Phase.OK, beside.changed)
    made.set_what_if(compared(made.state, beside, ended, judge(trace, run(change.text))))
    yield made


def two(state: State) -> tuple[int, int]:
    assert state.what_if is not None
    return state.cursor, state.what_if.cursor


def tensor(store: Store, name: str) -> int:
    trace = store.state.trace
    assert trace is not None
    return next(row for row in range(len(trace.tensors)) if trace.naming.name(row, len(trace)) == name)


def test_while_it_runs_there_is_nothing_to_compare() -> None:
    made = Store()
    made.open(Snippet(TEXT), None)
    beside = begun(made.state, proposal(TEXT, "without .detach()"))
    made.set_what_if(beside)
    assert made.state.is_busy
    assert beside.summary == "Running line 3: without .detach() …"
    made.move(3)
    made.select(Selection("tensor", 0))
    made.swap_runs()
    assert made.state.what_if == beside


def test_both_cursors_move(store: Store) -> None:
    state = store.state
    assert state.what_if is not None
    assert two(state) == (state.steps, state.what_if.steps)
    store.move(0)
    assert two(store.state) == (0, 0)
    store.move(2)  # the detach, which the other run has not
    assert two(store.state) == (2, 1)
    store.move(3)
    assert two(store.state) == (3, 2)
    store.move_there(1)
    assert two(store.state) == (1, 1)
    store.move_there(10_000)
    assert two(store.state) == (state.steps, state.what_if.steps)


def test_both_selections_move(store: Store) -> None:
    leaf, alone = tensor(store, "x"), tensor(store, "x.detach()")
    store.select(Selection("tensor", leaf))
    assert store.state.what_if is not None and store.state.what_if.selection == Selection("tensor", leaf)
    store.select(Selection("tensor", alone))
    assert store.state.what_if.selection is None
    store.select_there(Selection("tensor", leaf))
    assert store.state.selection == Selection("tensor", leaf)
    store.select_there(None)
    assert store.state.selection is None


def test_the_inspector_tells_what_is_otherwise(store: Store) -> None:
    store.select(Selection("tensor", tensor(store, "x")))
    found = inspect_both(store.state)
    assert found is not None
    other = next(section for section in found.sections if section.title == "Line 3: without .detach()")
    assert [(row.label, row.text) for row in other.rows] == [(".grad", "6")]
    assert found.find(".grad") == "3"
    store.select(Selection("tensor", tensor(store, "x.detach()")))
    found = inspect_both(store.state)
    assert found is not None and found.sections[1].rows[0].text == "Not in this run."
    store.swap_runs()
    store.select_there(Selection("tensor", 1))
    found = inspect_both(store.state)
    assert found is not None and found.find("only in") == "as written"
    assert not any(part.target for section in found.sections for row in section.rows for part in row.parts)


def test_swapping_twice_changes_nothing(store: Store) -> None:
    before = store.state
    assert before.what_if is not None
    store.swap_runs()
    after = store.state
    assert after.what_if is not None
    assert after.trace is before.what_if.trace and after.what_if.trace is before.trace
    assert after.what_if.titles == ("line 3: without .detach()", "as written")
    assert after.what_if.short_titles == ("changed", "as written")
    assert not after.is_stale
    assert after.what_if.rows[0].here == before.what_if.rows[0].there
    store.move(1)
    assert two(store.state) == (1, 1)
    store.swap_runs()
    assert store.state.trace is before.trace and not store.state.what_if.swapped  # type: ignore[union-attr]


def test_closing_leaves_the_snippet_as_written(store: Store) -> None:
    trace = store.state.trace
    store.swap_runs()
    store.set_what_if(None)
    assert store.state.what_if is None
    assert store.state.trace is trace
    assert text_of(store.state.traced) == TEXT


@pytest.mark.parametrize("swapped", [False, True])
def test_a_change_that_is_taken_can_be_undone(store: Store, swapped: bool) -> None:
    if swapped:
        store.swap_runs()
    store.take_change()
    state = store.state
    assert text_of(state.document) == TEXT.replace(".detach()", "")
    assert state.what_if is None and not state.is_stale
    assert state.undo_label == "What-If (line 3: without .detach())"
    assert state.trace is not None and state.trace.source == text_of(state.document)
    store.undo()
    assert text_of(store.state.document) == TEXT
    assert store.state.is_stale


def test_a_change_of_an_older_text_is_not_taken(store: Store) -> None:
    store.edit("Typing", Snippet(TEXT + "\n"))
    store.take_change()
    assert text_of(store.state.document) == TEXT + "\n"
    assert store.state.what_if is not None


def test_another_run_or_document_ends_it(store: Store) -> None:
    store.swap_runs()
    store.start_run(store.state.document)
    assert store.state.what_if is None
    assert text_of(store.state.traced) == TEXT
    store.set_what_if(begun(store.state, proposal(TEXT, "without")))
    store.open(Snippet(), None)
    assert store.state.what_if is None


FAILURES = [
    (Phase.RAISED, "invalid syntax", "Without it at line 2, it cannot be read: invalid syntax"),
    (Phase.REFUSED, "os may not be imported.", "Without it at line 2, it is not run: os may not be imported."),
    (Phase.OK, "", "Without it at line 2, it made no steps."),
]


@pytest.mark.parametrize(("phase", "sentence", "words"), FAILURES, ids=[case[0].value for case in FAILURES])
def test_a_change_that_makes_no_trace_says_why(phase: Phase, sentence: str, words: str) -> None:
    beside = begun(State(document=Snippet("a\nb")), Proposal("without it", 2, "a"))
    assert failed(beside, Run(phase, beside.changed, sentence)).summary == words


def test_a_run_that_was_stopped_is_compared_so_far(store: Store) -> None:
    beside = store.state.what_if
    assert beside is not None and beside.comparison is not None
    stopped = compared(
        store.state,
        beside,
        Run(Phase.STOPPED, beside.changed, "The run was stopped."),
        Verdict(beside.comparison, beside.rows),
    )
    assert stopped.summary.startswith(
        "The run was stopped. So far: Without .detach() at line 3, x.grad is 6 instead of 3 "
    )
