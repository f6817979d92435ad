"""Presenting: the rows of the Learn menu that show the window to an audience. F11 starts it, the usual key for full
screen; F5 remains Run, because what has not run can't be presented, and afterwards goes to the start, as it does on the
remote of a slide show. The rows of `STAGE_ROWS` are enabled only while presenting: their keys are single letters and
digits and those of remotes, which at all other times belong to whatever has the focus.

What is on the stage is a record of `session.presenting`; `ui.presenting` shows it."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.panels import ROW
from gradviz.commands.predict import PREDICT_ROWS, walk
from gradviz.commands.row import Command, Shell
from gradviz.session.presenting import PANELS, Stage
from gradviz.session.state import State

GROUP = 2
UNDER = "While Presentin&g"


def _is_on(state: State) -> bool:
    return state.stage.on


def _present(shell: Shell) -> None:
    shell.store.set_stage(Stage() if shell.store.state.stage.on else Stage(on=True))


def _change(shell: Shell, stage: Stage) -> None:
    shell.store.set_stage(stage)


def _go(shell: Shell, cursor: int) -> None:
    """Show a step, also if the screen was black."""
    stage = shell.store.state.stage
    shell.store.set_stage(replace(stage, black=False))
    shell.store.play(False)
    if not stage.black:
        shell.store.move(cursor)


def _walk(shell: Shell, by: int) -> None:
    if shell.store.state.stage.black:
        _go(shell, 0)
    else:
        walk(shell, by)


PRESENT_ROWS = (
    Command(
        id="present.present",
        title="&Present",
        menu="Learn",
        help="Fill the screen with the graph, one large sentence and the line of code; a remote's keys step.",
        shortcuts=("F11",),
        toolbar="Present",
        retitle=lambda state: "Leave &Presenting" if state.stage.on else "&Present",
        run=lambda shell, _: _present(shell),
    ),
)

STAGE_ROWS = (
    Command(
        id="present.next",
        title="&Next Step",
        menu="Learn",
        under=UNDER,
        help="While presenting: show the next step.",
        shortcuts=("PgDown", "Right", "Down", "Space", "N"),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _walk(shell, 1),
    ),
    Command(
        id="present.previous",
        title="Pre&vious Step",
        menu="Learn",
        under=UNDER,
        help="While presenting: show the step before.",
        shortcuts=("PgUp", "Left", "Up", "Backspace"),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _walk(shell, -1),
    ),
    Command(
        id="present.first",
        title="&First Step",
        menu="Learn",
        under=UNDER,
        help="While presenting: go to the start.",
        shortcuts=("Home",),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _go(shell, 0),
    ),
    Command(
        id="present.last",
        title="&Last Step",
        menu="Learn",
        under=UNDER,
        help="While presenting: go to the end.",
        shortcuts=("End",),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _go(shell, shell.store.state.steps),
    ),
    Command(
        id="present.black",
        title="&Black Screen",
        menu="Learn",
        under=UNDER,
        help="While presenting: turn the screen black, and on again.",
        shortcuts=("B", "."),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _change(shell, replace(shell.store.state.stage, black=not shell.store.state.stage.black)),
    ),
    Command(
        id="present.predict",
        title="Predict, or Not",
        menu="Learn",
        under=UNDER,
        help="While presenting: let the room say each new number before it is shown, or not any more.",
        shortcuts=("P",),
        group=GROUP,
        enabled=_is_on,
        run=PREDICT_ROWS[0].run,
    ),
    Command(
        id="present.spotlight",
        title="&Spotlight",
        menu="Learn",
        under=UNDER,
        help="While presenting: dim everything but what is around the pointer.",
        shortcuts=("L",),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _change(
            shell, replace(shell.store.state.stage, spotlight=not shell.store.state.stage.spotlight)
        ),
    ),
    Command(
        id="present.notes",
        title="Speaker N&otes",
        menu="Learn",
        under=UNDER,
        help="While presenting: show the comments of the line, the next sentence and the time in a window of your own.",
        shortcuts=("S",),
        group=GROUP,
        enabled=_is_on,
        run=lambda shell, _: _change(shell, replace(shell.store.state.stage, notes=not shell.store.state.stage.notes)),
    ),
    *(
        Command(
            id=f"present.{name}",
            title=f"{ROW[name].title} beside the Graph",
            menu="Learn",
            under=UNDER,
            help=f"While presenting: show the {ROW[name].title.lower()}, or hide it again.",
            shortcuts=(str(ROW[name].digit),),
            group=GROUP + 1,
            enabled=_is_on,
            run=lambda shell, _, name=name: _change(  # type: ignore[misc]
                shell, shell.store.state.stage.toggled(name)
            ),
        )
        for name in PANELS
    ),
    Command(
        id="present.graph",
        title="The &Graph Alone",
        menu="Learn",
        under=UNDER,
        help="While presenting: hide all panels.",
        shortcuts=(str(ROW["canvas"].digit),),
        group=GROUP + 1,
        enabled=_is_on,
        run=lambda shell, _: _change(shell, replace(shell.store.state.stage, panels=frozenset())),
    ),
)
