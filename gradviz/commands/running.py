"""The rows of the Run menu: run, stop, every way to move through the steps, and where playback stops and loops:
breakpoints, the markers A and B, and the steps that changed the inspected thing."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.learning import walk
from gradviz.commands.row import Choice, Command, Shell, has_steps
from gradviz.commands.view_menu import choices_of, chooser_of
from gradviz.session import moves
from gradviz.session.breakpoints.points import Breakpoint, Breakpoints, Playback, of_selection, toggled
from gradviz.session.groups import as_operation
from gradviz.session.preferences import BY_NAME, speed_title
from gradviz.session.state import SPEEDS, Phase, State

# -- breakpoints and markers

BREAKPOINTS, LOOP = "Brea&kpoints", "Loop"  # submenus


def _has_points(state: State) -> bool:
    return bool(state.breakpoints.points)


def _has_thing(state: State) -> bool:
    return moves.inspected(state) is not None


def _go(shell: Shell, find: moves.Find) -> None:
    target = find(shell.store.state)
    if target is not None:
        shell.store.play(False)
        shell.store.move(target)
        return
    hits = shell.store.state.breakpoints.hits
    looked = 100 * hits.looked // max(1, hits.steps_of_trace)
    still = f"{looked} % of the steps have been looked at so far." if not hits.is_complete else ""
    shell.store.say(f"No breakpoint stops there. {still}".rstrip())


def _change(shell: Shell, find: moves.Find, otherwise: str) -> None:
    target = find(shell.store.state)
    if target is None:
        shell.store.say(otherwise)
        return
    thing = moves.inspected(shell.store.state)
    shell.store.play(False)
    shell.store.select(thing)  # so that the next press refers to the same thing
    shell.store.move(target)


def _toggle(shell: Shell, point: Breakpoint) -> None:
    stops = shell.store.state.breakpoints
    points = toggled(stops.points, point)
    shell.store.stop_at(stops.with_points(points))
    done = "set" if len(points) > len(stops.points) else "taken away"
    shell.store.say(f"Breakpoint {done}: {point.title}.")


def _toggle_line(shell: Shell) -> None:
    _toggle(shell, Breakpoint(line=shell.source.caret[0]))


def _toggle_thing(shell: Shell) -> None:
    state = shell.store.state
    thing = moves.inspected(state)
    if state.trace is not None and thing is not None:
        _toggle(shell, of_selection(state.trace, as_operation(state.trace, thing), state.cursor))


def _kinds(state: State) -> tuple[Choice, ...]:
    from gradviz.session.breakpoints.condition_values import kind_words

    points = state.breakpoints.points
    return tuple(Choice(word.capitalize(), word, Breakpoint(kind=word) in points) for word in kind_words())


def _mark(shell: Shell, *, end: bool) -> None:
    state = shell.store.state
    playback = state.playback
    shell.store.play_as(replace(playback, b=state.cursor) if end else replace(playback, a=max(0, state.cursor - 1)))


def _play_back(shell: Shell) -> None:
    state = shell.store.state
    going_back = state.playing and state.playback.direction < 0
    shell.store.play_as(replace(state.playback, direction=-1))
    if not going_back and state.cursor <= state.playback.bounds(state.steps)[0]:
        shell.store.move(state.playback.bounds(state.steps)[1])
    shell.store.play(not going_back)


STOP_ROWS = (
    Command(
        id="run.play_back",
        title="Play Back&ward",
        menu="Run",
        help="Play the steps backward automatically.",
        shortcuts=("Shift+F6",),
        group=2,
        enabled=has_steps,
        retitle=lambda state: "Pause Back&ward" if state.playing and state.playback.direction < 0 else "Play Back&ward",
        run=lambda shell, _: _play_back(shell),
    ),
    Command(
        id="run.mark_a",
        title="Loop from Here (A)",
        menu="Run",
        help="Set marker A before this step; playback loops between A and B.",
        shortcuts=("Ctrl+F6",),
        under=LOOP,
        group=2,
        enabled=has_steps,
        run=lambda shell, _: _mark(shell, end=False),
    ),
    Command(
        id="run.mark_b",
        title="Loop up to Here (B)",
        menu="Run",
        help="Set marker B after this step; playback loops between A and B.",
        shortcuts=("Ctrl+Shift+F6",),
        under=LOOP,
        group=2,
        enabled=has_steps,
        run=lambda shell, _: _mark(shell, end=True),
    ),
    Command(
        id="run.no_marks",
        title="No Loop",
        menu="Run",
        help="Remove the markers A and B.",
        shortcuts=("Alt+Shift+F6",),
        under=LOOP,
        group=2,
        enabled=lambda state: state.playback.a >= 0 or state.playback.b >= 0,
        run=lambda shell, _: shell.store.play_as(Playback(shell.store.state.playback.direction)),
    ),
    Command(
        id="run.last_change",
        title="To the Last Change o&f This",
        menu="Run",
        help="Go back to the step that last changed the inspected item: its value, version, .grad or flags.",
        shortcuts=("Alt+Up",),
        group=3,
        enabled=_has_thing,
        run=lambda shell, _: _change(shell, moves.last_change, "Nothing has changed it before this step."),
    ),
    Command(
        id="run.next_change",
        title="To the Next Change of T&his",
        menu="Run",
        help="Go to the next step that changes the inspected item: its value, version, .grad or flags.",
        shortcuts=("Alt+Down",),
        group=3,
        enabled=_has_thing,
        run=lambda shell, _: _change(shell, moves.next_change, "Nothing changes it after this step."),
    ),
    Command(
        id="run.next_break",
        title="To Next Brea&kpoint",
        menu="Run",
        help="Go to the next step at which a breakpoint stops.",
        shortcuts=("F2",),
        under=BREAKPOINTS,
        group=4,
        enabled=_has_points,
        run=lambda shell, _: _go(shell, moves.next_break),
    ),
    Command(
        id="run.previous_break",
        title="To Pre&vious Breakpoint",
        menu="Run",
        help="Go back to the previous step at which a breakpoint stops.",
        shortcuts=("Shift+F2",),
        under=BREAKPOINTS,
        group=4,
        enabled=_has_points,
        run=lambda shell, _: _go(shell, moves.previous_break),
    ),
    Command(
        id="run.break_here",
        title="Breakpoint at This Line",
        menu="Run",
        help="Set or remove a breakpoint on the current line. You can also click beside the line number.",
        shortcuts=("Ctrl+F2",),
        under=BREAKPOINTS,
        group=4,
        run=lambda shell, _: _toggle_line(shell),
    ),
    Command(
        id="run.break_on_thing",
        title="Breakpoint on This Thin&g",
        menu="Run",
        help="Stop whenever the inspected tensor is involved, or the inspected operation runs.",
        shortcuts=("Ctrl+Shift+F2",),
        under=BREAKPOINTS,
        group=4,
        enabled=_has_thing,
        run=lambda shell, _: _toggle_thing(shell),
    ),
    Command(
        id="run.break_on_kind",
        title="Breakpoint on a Kind of S&tep",
        menu="Run",
        help="Stop at every step of one kind.",
        under=BREAKPOINTS,
        group=4,
        choices=_kinds,
        run=lambda shell, kind: _toggle(shell, Breakpoint(kind=kind)),
    ),
    Command(
        id="run.breakpoints",
        title="Breakpoints and Conditions…",
        menu="Run",
        help="Add, edit, disable or delete breakpoints, with conditions such as norm > 5.",
        shortcuts=("Ctrl+Shift+B",),
        under=BREAKPOINTS,
        group=4,
        run=lambda shell, _: shell.focus("breakpoints"),
    ),
    Command(
        id="run.no_breaks",
        title="Delete All Breakpoints",
        menu="Run",
        help="Delete all breakpoints.",
        shortcuts=("Alt+Shift+F2",),
        under=BREAKPOINTS,
        group=4,
        enabled=_has_points,
        run=lambda shell, _: shell.store.stop_at(Breakpoints()),
    ),
)


def _can_step(state: State) -> bool:
    return state.cursor < state.steps


def _can_step_back(state: State) -> bool:
    return state.cursor > 0 or state.predict.asked is not None


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


def _pace(state: State, by: int) -> float | None:
    """The next speed in the list, None at its end."""
    place = min(range(len(SPEEDS)), key=lambda at: abs(SPEEDS[at] - state.view.speed)) + by
    return SPEEDS[place] if 0 <= place < len(SPEEDS) else None


def _change_pace(shell: Shell, by: int) -> None:
    speed = _pace(shell.store.state, by)
    if speed is not None:
        shell.store.look(replace(shell.store.state.view, speed=speed))
        title = speed_title(speed)
        shell.store.say(f"Playing speed: {title[0].lower()}{title[1:]}.")


def _run(shell: Shell) -> None:
    """Run; while presenting, restart what has run, as this key does in a slide show."""
    state = shell.store.state
    if state.stage.on and has_steps(state) and not state.is_stale:
        _walk(shell, 0)
    else:
        shell.runner.run()


def _list_obstacles(state: State) -> State:
    return replace(state, run=replace(state.run, listed=not state.run.listed))


def _treat_cuda(shell: Shell) -> None:
    as_cpu = not shell.store.state.cuda_as_cpu
    shell.store.treat_cuda(as_cpu)
    stands = "cuda and mps mean the CPU in this window" if as_cpu else "cuda is missing, as in PyTorch"
    shell.store.say(f"From the next run on, {stands}.")


_OTHER = "other"


def _iterations(state: State) -> tuple[Choice, ...]:
    return (*choices_of(BY_NAME["iterations"])(state), Choice("Others…", _OTHER))


def _choose_iterations(shell: Shell, chosen: str) -> None:
    if chosen == _OTHER:
        shell.dialogs.run_with()
    else:
        chooser_of(BY_NAME["iterations"])(shell, chosen)


RUN_ROWS = (
    Command(
        id="run.run",
        title="&Run",
        menu="Run",
        help="Run the snippet and record every step; while presenting, go to the start.",
        shortcuts=("F5", "Ctrl+Return", "Ctrl+Enter"),
        toolbar="▶  Run",
        primary=True,
        enabled=lambda state: not state.run.is_running and not state.is_recording,
        run=lambda shell, _: _run(shell),
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
        id="run.longer",
        title="Run Again with More Time",
        menu="Run",
        help="Run a snippet that was stopped, or recorded in part, once more with four times the time.",
        shortcuts=("Ctrl+Shift+F5",),
        enabled=lambda state: (state.run.phase is Phase.LIMIT and not state.is_busy) or state.records_part,
        run=lambda shell, _: shell.runner.run_longer(),
    ),
    Command(
        id="run.with",
        title="Run with Arguments…",
        menu="Run",
        help="Say what the script is called with, such as --epochs 1, and which iterations are recorded; then run it.",
        shortcuts=("Alt+F5",),
        enabled=lambda state: not state.run.is_running and not state.is_recording,
        run=lambda shell, _: shell.dialogs.run_with(),
    ),
    Command(
        id="run.in_pytorch",
        title="Run in &My PyTorch…",
        menu="Run",
        help="Run the file with the PyTorch on this computer, outside the sandbox, and step through what it did.",
        shortcuts=("Ctrl+Alt+F5",),
        enabled=lambda state: not state.run.is_running and not state.is_recording and not state.document.is_blank,
        run=lambda shell, _: shell.dialogs.run_in_pytorch(),
    ),
    Command(
        id="run.cuda_as_cpu",
        title="Treat c&uda as cpu",
        menu="Run",
        help="Let .cuda() and device='cuda' or 'mps' mean the CPU in the runs of this window.",
        retitle=lambda state: "Treat c&uda as Missing" if state.cuda_as_cpu else "Treat c&uda as cpu",
        run=lambda shell, _: _treat_cuda(shell),
    ),
    Command(
        id="run.iterations",
        title="Recor&ded Iterations",
        menu="Run",
        help="Choose which iterations of a training the next run records; the others run at full speed.",
        choices=_iterations,
        run=lambda shell, chosen: _choose_iterations(shell, chosen),
    ),
    Command(
        id="run.obstacles",
        title="What Stops This File",
        menu="Run",
        help="List all that keeps the file from running here, with the changes that let it run; or close the list.",
        shortcuts=("Ctrl+Alt+L",),
        enabled=lambda state: state.meets_obstacles and state.what_if is None,
        run=lambda shell, _: shell.store.consult(_list_obstacles),
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
        run=lambda shell, _: walk(shell, -1),
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
        run=lambda shell, _: walk(shell, 1),
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
        enabled=has_steps,
        retitle=lambda state: "Pa&use" if state.playing and state.playback.direction > 0 else "P&lay",
        run=lambda shell, _: _play(shell),
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
