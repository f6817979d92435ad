"""The rows of what-if: run the same snippet with one change beside it, and act on the two runs."""

from __future__ import annotations

from gradviz.commands.row import Command, Shell
from gradviz.session.state import State
from gradviz.session.what_if import can_take

GROUP = 8
TWO_RUNS = "&Two Runs"  # the submenu


def _has_two(state: State) -> bool:
    return state.what_if is not None and state.what_if.comparison is not None


def _next_difference(state: State, step: int) -> int | None:
    if state.what_if is None or state.what_if.comparison is None:
        return None
    return state.what_if.comparison.next_difference(state.cursor, step)


def _jump(shell: Shell, step: int) -> None:
    target = _next_difference(shell.store.state, step)
    if target is not None:
        shell.store.play(False)
        shell.store.move(target)


def _close(shell: Shell) -> None:
    shell.what_if_runner.drop()
    shell.store.set_what_if(None)


WHAT_IF_ROWS = (
    Command(
        id="run.what_if",
        title="What &If…",
        menu="Run",
        help="Run the snippet again with one change and compare the two runs side by side.",
        shortcuts=("Ctrl+I",),
        group=GROUP,
        enabled=lambda state: not state.document.is_blank and not state.is_busy and state.is_trusted,
        run=lambda shell, _: shell.dialogs.what_if(),
    ),
    Command(
        id="run.next_difference",
        title="To Next Difference",
        menu="Run",
        help="Go to the next step at which the two runs differ.",
        shortcuts=("F4",),
        under=TWO_RUNS,
        group=GROUP,
        enabled=lambda state: _next_difference(state, 1) is not None,
        run=lambda shell, _: _jump(shell, 1),
    ),
    Command(
        id="run.previous_difference",
        title="To Previous Difference",
        menu="Run",
        help="Go back to the previous step at which the two runs differ.",
        shortcuts=("Shift+F4",),
        under=TWO_RUNS,
        group=GROUP,
        enabled=lambda state: _next_difference(state, -1) is not None,
        run=lambda shell, _: _jump(shell, -1),
    ),
    Command(
        id="run.swap_runs",
        title="Swap the Two Runs",
        menu="Run",
        help="Make the inspector, the timeline and the output follow the other run.",
        shortcuts=("Ctrl+Shift+I",),
        under=TWO_RUNS,
        group=GROUP,
        enabled=_has_two,
        run=lambda shell, _: shell.store.swap_runs(),
    ),
    Command(
        id="run.take_change",
        title="Take This Change",
        menu="Run",
        help="Apply the change to the snippet. You can undo it.",
        shortcuts=("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        under=TWO_RUNS,
        group=GROUP,
        enabled=lambda state: can_take(state) and not state.is_busy,
        run=lambda shell, _: shell.store.take_change(),
    ),
    Command(
        id="run.close_what_if",
        title="Close What-If",
        menu="Run",
        help="Close the comparison and keep the run of the snippet as written.",
        shortcuts=("Ctrl+Shift+W",),
        under=TWO_RUNS,
        group=GROUP,
        enabled=lambda state: state.what_if is not None,
        run=lambda shell, _: _close(shell),
    ),
)
