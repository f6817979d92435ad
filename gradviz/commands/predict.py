"""Predicting: rows of the Learn menu. `session.predict` defines questions and when they are asked; the answer field is
in `ui.panels.question`. Stepping on while a question is open shows the answer, stepping back closes it: `walk` is the
step command of both menus."""

from __future__ import annotations

from gradviz.commands.row import Command, Shell
from gradviz.session import moves, predict, run_transitions
from gradviz.session.state import State

GROUP = 1


def walk(shell: Shell, by: int) -> None:
    """Step forward or back, answering or closing an open question."""
    store = shell.store
    store.play(False)
    if store.state.predict.asked is None:
        store.move(moves.walked(store.state, by))
    else:
        store.consult(predict.shown if by > 0 else predict.withdrawn)


def _turn(shell: Shell) -> None:
    on = not shell.store.state.predict.on
    shell.store.consult(lambda state: run_transitions.predicting(state, on))
    if on:
        shell.store.say("Step on, and say what each new number will be.")


def _start_over(shell: Shell) -> None:
    shell.store.consult(lambda state: run_transitions.predicting(state, True))
    shell.store.move(0)


def _is_open(state: State) -> bool:
    return state.predict.asked is not None


def _has_hint(state: State) -> bool:
    asked = state.predict.asked
    return asked is not None and state.predict.hints < len(asked.hints)


PREDICT_ROWS = (
    Command(
        id="predict.turn",
        title="Predict the Ne&xt Number",
        menu="Learn",
        help="Before a step brings a number, shape or gradient, it is a “?” until somebody has said what it will be.",
        shortcuts=("Ctrl+Alt+Q",),
        group=GROUP,
        retitle=lambda state: "Stop Predi&cting" if state.predict.on else "Predict the Ne&xt Number",
        run=lambda shell, _: _turn(shell),
    ),
    Command(
        id="predict.hint",
        title="&Hint",
        menu="Learn",
        help="Tell more of what is asked for: which rule, the rule with its symbols, the rule with its numbers.",
        shortcuts=("Ctrl+Alt+H",),
        group=GROUP,
        enabled=_has_hint,
        run=lambda shell, _: shell.store.consult(predict.hinted),
    ),
    Command(
        id="predict.show",
        title="Show the Ans&wer",
        menu="Learn",
        help="Show the number that is asked for, as Step does; it does not count as right.",
        shortcuts=("Ctrl+Alt+A",),
        group=GROUP,
        enabled=_is_open,
        run=lambda shell, _: shell.store.consult(predict.shown),
    ),
    Command(
        id="predict.field",
        title="Go to the Answer Field",
        menu="Learn",
        help="Move the keyboard to where the answer is typed or picked.",
        shortcuts=("Ctrl+Alt+F",),
        group=GROUP,
        enabled=_is_open,
        run=lambda shell, _: shell.focus("explanation"),
    ),
    Command(
        id="predict.again",
        title="Pred&ict from the Start",
        menu="Learn",
        help="Forget the answers of this run and begin again before its first step.",
        group=GROUP,
        enabled=lambda state: state.predict.on and state.steps > 0,
        run=lambda shell, _: _start_over(shell),
    ),
)
