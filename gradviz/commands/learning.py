"""The rows of the Learn menu: findings of the run, the pages on mistakes, and the examples."""

from __future__ import annotations

from gradviz.commands.row import Command, Shell
from gradviz.session import run_transitions
from gradviz.session.state import Selection, State


def look_further(shell: Shell) -> None:
    """Show the next finding, at its step."""
    store = shell.store
    store.consult(run_transitions.looked_further)
    finding = store.state.looked_at
    if finding is not None:
        store.move(finding.step)
        if finding.marks:
            store.select(Selection("node", finding.marks[0].node))


def _dismiss(shell: Shell, span: str) -> None:
    shell.store.consult(lambda state: run_transitions.dismissed(state, span))


def _can_look(state: State) -> bool:
    return bool(state.told) and not state.is_stale


def _mistake(state: State) -> str:
    """What the page is opened for: the finding on the card, otherwise the error of the run."""
    if state.looked_at is not None:
        return state.looked_at.id
    return str(state.trace.errors.message[0]) if state.trace is not None and len(state.trace.errors) else ""


LEARN_ROWS = (
    Command(
        id="learn.mistakes",
        title="Common &Mistakes…",
        menu="Learn",
        help="Pages on mistakes with gradients: paste an error message, or look up what the error of this run means.",
        shortcuts=("Ctrl+Alt+M",),
        run=lambda shell, _: shell.dialogs.mistakes(_mistake(shell.store.state)),
    ),
    Command(
        id="learn.look",
        title="Nex&t Finding",
        menu="Learn",
        help="Step through what was found in this run: mistakes that raise no error.",
        shortcuts=("Ctrl+Alt+D",),
        enabled=_can_look,
        run=lambda shell, _: look_further(shell),
    ),
    Command(
        id="learn.dismiss",
        title="&Dismiss",
        menu="Learn",
        help="Hide this finding until the next run.",
        enabled=lambda state: state.looked_at is not None,
        run=lambda shell, _: _dismiss(shell, "now"),
    ),
    Command(
        id="learn.dismiss_here",
        title="Dismiss in This D&ocument",
        menu="Learn",
        help="Never show findings of this kind in this document again.",
        enabled=lambda state: state.looked_at is not None,
        run=lambda shell, _: _dismiss(shell, "document"),
    ),
    Command(
        id="learn.dismiss_always",
        title="Dismiss fo&r Good",
        menu="Learn",
        help="Never show findings of this kind again, in any document.",
        enabled=lambda state: state.looked_at is not None,
        run=lambda shell, _: _dismiss(shell, "good"),
    ),
    Command(
        id="learn.tell_again",
        title="Show Dismissed Findings &Again",
        menu="Learn",
        help="Show findings of all kinds again, also those that were dismissed.",
        enabled=lambda state: bool(state.doctor.quiet or state.view.quiet),
        run=lambda shell, _: shell.store.consult(run_transitions.told_again),
    ),
    Command(
        id="learn.examples",
        title="&Examples",
        menu="Learn",
        help="Open a worked example.",
        shortcuts=("Ctrl+Shift+E",),
        run=lambda shell, _: shell.dialogs.examples(),
    ),
)
