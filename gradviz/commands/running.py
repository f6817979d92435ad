"""The rows of the Run menu: run, stop, and every way to move through the steps."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.breakpoints import STOP_ROWS
from gradviz.commands.row import Choice, Command, Shell
from gradviz.session import moves
from gradviz.session.state import SPEEDS, State


def _has_steps(state: State) -> bool:
    return state.steps > 0


def _can_step(state: State) -> bool:
    return state.cursor < state.steps


def _can_step_back(state: State) -> bool:
    return state.cursor > 0


def _stop(shell: Shell) -> None:
    if shell.store.state.shows_layout_progress:
        shell.layout_progress.stop()
        return
    shell.runner.stop()
    shell.what_if_runner.stop()


def _keep_going(shell: Shell) -> None:
    shell.runner.keep_going()
    shell.what_if_runner.keep_going()


def _play(shell: Shell) -> None:
    state = shell.store.state
    going_on = state.playing and state.playback.direction > 0
    shell.store.play_as(replace(state.playback, direction=1))
    first, last = state.playback.bounds(state.steps)
    if not going_on and not (first <= state.cursor < last or (state.playback.loops and state.cursor == last)):
        shell.store.move(first)
    shell.store.play(not going_on)


def _jump(shell: Shell, find: moves.Find) -> None:
    target = find(shell.store.state)
    if target is not None:
        shell.store.play(False)
        shell.store.move(target)


def _walk(shell: Shell, cursor: int) -> None:
    shell.store.play(False)
    shell.store.move(cursor)


def _speeds(state: State) -> tuple[Choice, ...]:
    return tuple(Choice(_speed_title(speed), str(speed), speed == state.view.speed) for speed in SPEEDS)


def _speed_title(speed: float) -> str:
    return "1 step in 2 seconds" if speed == 0.5 else f"{speed:,.10g} step{'' if speed == 1 else 's'} a second"


def _pace(state: State, by: int) -> float | None:
    """The next speed of the list, None at its end."""
    place = min(range(len(SPEEDS)), key=lambda at: abs(SPEEDS[at] - state.view.speed)) + by
    return SPEEDS[place] if 0 <= place < len(SPEEDS) else None


def _change_pace(shell: Shell, by: int) -> None:
    speed = _pace(shell.store.state, by)
    if speed is not None:
        _set_speed(shell, str(speed))
        shell.store.say(f"Playing does {_speed_title(speed)}.")


def _set_speed(shell: Shell, value: str) -> None:
    shell.store.look(replace(shell.store.state.view, speed=float(value)))


RUN_ROWS = (
    Command(
        id="run.run",
        title="&Run",
        menu="Run",
        help="Run the snippet and record every step.",
        shortcuts=("F5", "Ctrl+Return", "Ctrl+Enter"),
        toolbar="▶  Run",
        primary=True,
        enabled=lambda state: not state.run.is_running,
        run=lambda shell, _: shell.runner.run(),
    ),
    Command(
        id="run.stop",
        title="Sto&p",
        menu="Run",
        help="Stop the run and keep what was recorded, or cancel a long layout and keep the picture.",
        shortcuts=("Shift+F5", "Ctrl+."),
        toolbar="■  Stop",
        enabled=lambda state: state.is_busy or state.shows_layout_progress,
        run=lambda shell, _: _stop(shell),
    ),
    Command(
        id="run.keep_going",
        title="Keep Going",
        menu="Run",
        help="Extend the time limit of the current run.",
        shortcuts=("Ctrl+F5",),
        enabled=lambda state: state.left is not None,
        run=lambda shell, _: _keep_going(shell),
    ),
    Command(
        id="run.start",
        title="To St&art",
        menu="Run",
        help="Jump to the start, before the first step.",
        shortcuts=("Alt+Home",),
        group=1,
        toolbar="|◀",
        enabled=_can_step_back,
        run=lambda shell, _: _walk(shell, 0),
    ),
    Command(
        id="run.back",
        title="Step &Back",
        menu="Run",
        help="Step back by one step.",
        shortcuts=("F9", "Alt+Left"),
        group=1,
        toolbar="◀  Step",
        enabled=_can_step_back,
        run=lambda shell, _: _walk(shell, shell.store.state.cursor - 1),
    ),
    Command(
        id="run.step",
        title="&Step",
        menu="Run",
        help="Advance by one step: an operation, a grad_fn, a contribution or an accumulation.",
        shortcuts=("F10", "Alt+Right"),
        group=1,
        toolbar="Step  ▶",
        enabled=_can_step,
        run=lambda shell, _: _walk(shell, shell.store.state.cursor + 1),
    ),
    Command(
        id="run.end",
        title="To &End",
        menu="Run",
        help="Jump to the end, after the last step.",
        shortcuts=("Alt+End",),
        group=1,
        toolbar="▶|",
        enabled=_can_step,
        run=lambda shell, _: _walk(shell, shell.store.state.steps),
    ),
    Command(
        id="run.play",
        title="P&lay",
        menu="Run",
        help="Play the steps automatically; at the end, start over.",
        shortcuts=("F6",),
        group=2,
        toolbar="Play",
        enabled=_has_steps,
        retitle=lambda state: "Pa&use" if state.playing and state.playback.direction > 0 else "P&lay",
        run=lambda shell, _: _play(shell),
    ),
    Command(
        id="run.speed",
        title="Spee&d",
        menu="Run",
        help="Set the playback speed.",
        group=2,
        choices=_speeds,
        run=_set_speed,
    ),
    Command(
        id="run.faster",
        title="Faster",
        menu="Run",
        help="Play at the next higher speed.",
        shortcuts=("Alt+PgUp",),
        group=2,
        enabled=lambda state: _pace(state, 1) is not None,
        run=lambda shell, _: _change_pace(shell, 1),
    ),
    Command(
        id="run.slower",
        title="Slower",
        menu="Run",
        help="Play at the next lower speed.",
        shortcuts=("Alt+PgDown",),
        group=2,
        enabled=lambda state: _pace(state, -1) is not None,
        run=lambda shell, _: _change_pace(shell, -1),
    ),
    *(row for row in STOP_ROWS if row.group == 2),
    Command(
        id="run.next_accumulation",
        title="To Next A&ccumulation",
        menu="Run",
        help="Go to the next step that accumulates a gradient into .grad.",
        shortcuts=("F7",),
        group=3,
        toolbar="To next Σ",
        enabled=lambda state: moves.next_accumulation(state) is not None,
        run=lambda shell, _: _jump(shell, moves.next_accumulation),
    ),
    Command(
        id="run.next_backward",
        title="To Next Backward &Node",
        menu="Run",
        help="Go to the next step that runs a grad_fn.",
        shortcuts=("F8",),
        group=3,
        toolbar="To next ∇",
        enabled=lambda state: moves.next_backward(state) is not None,
        run=lambda shell, _: _jump(shell, moves.next_backward),
    ),
    Command(
        id="run.error",
        title="To the Err&or",
        menu="Run",
        help="Go to the step at which the snippet raised an error.",
        shortcuts=("Ctrl+E",),
        group=3,
        toolbar="To error",
        enabled=lambda state: moves.error(state) is not None,
        run=lambda shell, _: _jump(shell, moves.error),
    ),
    *(row for row in STOP_ROWS if row.group > 2),
)
