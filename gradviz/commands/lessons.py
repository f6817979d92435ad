"""Lesson sets: rows of the File and Learn menus. A set is a folder or a file of snippets and drawings in order; the
shell's `LessonSets` acts on it, and the gallery shows its cards. File > Open opens sets, too."""

from __future__ import annotations

from gradviz.commands.row import Command, Shell
from gradviz.session.state import State

GROUP = 3


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
        help="Make a lesson set, a file with snippets and drawings in an order; this document is its first lesson.",
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
        group=GROUP,
        enabled=lambda state: _place(state, 1) >= 0,
        run=lambda shell, _: _go(shell, 1),
    ),
    Command(
        id="lessons.previous",
        title="Previous Lesson",
        menu="Learn",
        help="Open the lesson before this one.",
        shortcuts=("Ctrl+Alt+PgUp",),
        group=GROUP,
        enabled=lambda state: _place(state, -1) >= 0,
        run=lambda shell, _: _go(shell, -1),
    ),
    Command(
        id="lessons.close",
        title="P&ut the Lesson Set Away",
        menu="Learn",
        help="Show the lessons of the set no more; the document stays.",
        group=GROUP,
        enabled=_is_open,
        run=lambda shell, _: shell.lesson_sets.close(),
    ),
)
