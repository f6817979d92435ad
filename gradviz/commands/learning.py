"""The rows of the Learn menu: findings of the run, the pages on mistakes and the examples; lesson sets, predicting and
presenting.

Lesson sets have rows in the File menu, too. A set is a folder or a file of snippets and drawings in order; the shell's
`LessonSets` acts on it, and the gallery shows its cards. File > Open opens sets, too.

Predicting: `session.predict` defines questions and when they are asked; the answer field is in `ui.panels.explanation`.
Stepping on while a question is open shows the answer, stepping back closes it: `walk` is the step command of both
menus.

Presenting shows the window to an audience. F11 starts it, the usual key for full screen; F5 remains Run, because what
has not run can't be presented, and afterwards goes to the start, as it does on the remote of a slide show. The rows of
`STAGE_ROWS` are enabled only while presenting: their keys are single letters and digits and those of remotes, which at
all other times belong to whatever has the focus. What is on the stage is a record of `session.presenting`;
`ui.presenting` shows it."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.panels import ROW
from gradviz.commands.row import Command, Shell
from gradviz.session import moves, predict, run_transitions
from gradviz.session.presenting import PANELS, Stage
from gradviz.session.state import Selection, State

# --- Predicting ---


PREDICT_GROUP = 1


def walk(shell: Shell, by: int) -> None:
    """Step forward or back, answering or closing an open question."""
    store = shell.store
    store.play(False)
    if store.state.predict.asked is None:
        store.move(moves.walked(store.state, by))
    else:
        store.consult(predict.shown if by > 0 else predict.withdrawn)


def _turn_predicting(shell: Shell) -> None:
    on = not shell.store.state.predict.on
    shell.store.consult(lambda state: run_transitions.predicting(state, on))
    if on:
        shell.store.say("Step on, and say what each new number will be.")
        if shell.store.state.steps:
            shell.focus("explanation")


def _start_over(shell: Shell) -> None:
    shell.store.consult(lambda state: run_transitions.predicting(state, True))
    shell.store.move(0)


def _is_asked(state: State) -> bool:
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
        group=PREDICT_GROUP,
        retitle=lambda state: "Stop Predi&cting" if state.predict.on else "Predict the Ne&xt Number",
        run=lambda shell, _: _turn_predicting(shell),
    ),
    Command(
        id="predict.hint",
        title="&Hint",
        menu="Learn",
        help="Tell more of what is asked for: which rule, the rule with its symbols, the rule with its numbers.",
        shortcuts=("Ctrl+Alt+H",),
        group=PREDICT_GROUP,
        enabled=_has_hint,
        run=lambda shell, _: shell.store.consult(predict.hinted),
    ),
    Command(
        id="predict.show",
        title="Show the Ans&wer",
        menu="Learn",
        help="Show the number that is asked for, as Step does; it does not count as right.",
        shortcuts=("Ctrl+Alt+A",),
        group=PREDICT_GROUP,
        enabled=_is_asked,
        run=lambda shell, _: shell.store.consult(predict.shown),
    ),
    Command(
        id="predict.field",
        title="Go to the Answer Field",
        menu="Learn",
        help="Move the keyboard to where the answer is typed or picked.",
        shortcuts=("Ctrl+Alt+F",),
        group=PREDICT_GROUP,
        enabled=_is_asked,
        run=lambda shell, _: shell.focus("explanation"),
    ),
    Command(
        id="predict.again",
        title="Pred&ict from the Start",
        menu="Learn",
        help="Forget the answers of this run and begin again before its first step.",
        group=PREDICT_GROUP,
        enabled=lambda state: state.predict.on and state.steps > 0,
        run=lambda shell, _: _start_over(shell),
    ),
)


# --- The Learn and File menus: lesson sets ---


LESSON_GROUP = 3


def _is_open(state: State) -> bool:
    return state.lessons is not None


def _can_add(state: State) -> bool:
    return state.lessons is not None and state.lessons.is_editable and not state.document.is_blank


def _place(state: State, by: int) -> int:
    """The lesson before or after the open one, -1 for none."""
    if state.lessons is None:
        return -1
    place = state.lessons.at + by
    return place if 0 <= place < len(state.lessons.lessons) else -1


def _go(shell: Shell, by: int) -> None:
    shell.lesson_sets.open_lesson(_place(shell.store.state, by))


FILE_LESSON_ROWS = (
    Command(
        id="file.new_lessons",
        title="New &Lesson Set…",
        menu="File",
        help="Make a lesson set: snippets and drawings in order, in one file; this document is its first lesson.",
        group=2,
        run=lambda shell, _: shell.lesson_sets.new(),
    ),
    Command(
        id="file.add_lesson",
        title="Add to T&his Lesson Set",
        menu="File",
        help="Append this document to the lesson set, or in place of the lesson with its title. If you predict now, "
        "the lesson asks for predictions.",
        group=2,
        enabled=lambda state: _can_add(state) and not state.is_recording,
        run=lambda shell, _: shell.lesson_sets.add(),
    ),
)

LESSON_ROWS = (
    Command(
        id="lessons.next",
        title="Next Lesson",
        menu="Learn",
        help="Open the next lesson of the lesson set.",
        shortcuts=("Ctrl+Alt+PgDown",),
        group=LESSON_GROUP,
        enabled=lambda state: _place(state, 1) >= 0,
        run=lambda shell, _: _go(shell, 1),
    ),
    Command(
        id="lessons.previous",
        title="Previous Lesson",
        menu="Learn",
        help="Open the lesson before this one.",
        shortcuts=("Ctrl+Alt+PgUp",),
        group=LESSON_GROUP,
        enabled=lambda state: _place(state, -1) >= 0,
        run=lambda shell, _: _go(shell, -1),
    ),
    Command(
        id="lessons.close",
        title="P&ut the Lesson Set Away",
        menu="Learn",
        help="Stop showing the lessons of the set; the document stays.",
        group=LESSON_GROUP,
        enabled=_is_open,
        run=lambda shell, _: shell.lesson_sets.close(),
    ),
)


def look_further(shell: Shell) -> None:
    """Show the next finding, at its step."""
    store = shell.store
    store.consult(run_transitions.looked_further)
    finding, trace = store.state.looked_at, store.state.trace
    if finding is not None and trace is not None:
        store.move(finding.step)
        node = next((mark.node for mark in finding.marks if trace.nodes.step[mark.node] < finding.step), None)
        if node is not None:  # an optimizer is made before what it should have updated is used
            store.select(Selection("node", node))


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
        help="Show findings of all kinds again, including those that were dismissed.",
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


# --- Presenting ---


GROUP = 2
UNDER = "While Presentin&g"


def _is_on(state: State) -> bool:
    return state.stage.on


def _present(shell: Shell) -> None:
    state = shell.store.state
    if not state.stage.on and state.cursor == state.steps > 0:  # after a run, where no step is left to be shown
        shell.store.move(0)
        shell.store.move(moves.walked(shell.store.state, 1))
    shell.store.set_stage(Stage() if state.stage.on else Stage(on=True))


def _change(shell: Shell, stage: Stage) -> None:
    shell.store.set_stage(stage)


def _go_to(shell: Shell, cursor: int) -> None:
    """Show a step, also if the screen was black."""
    stage = shell.store.state.stage
    shell.store.set_stage(replace(stage, black=False))
    shell.store.play(False)
    if not stage.black:
        shell.store.move(cursor)


def _walk(shell: Shell, by: int) -> None:
    if shell.store.state.stage.black:
        _go_to(shell, 0)
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
        run=lambda shell, _: _go_to(shell, 0),
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
        run=lambda shell, _: _go_to(shell, shell.store.state.steps),
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
        help="While presenting: have the audience say each new number before it is shown, or stop that.",
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
