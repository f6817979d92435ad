"""The lesson sets of a window: opening, making and changing them, opening their lessons one by one, and remembering
what is done. The file format is in `document.files.lesson_set`, the commands are rows of `commands.learning`, and the
cards are those of the gallery.

Opening a set from elsewhere runs nothing, and neither does opening its lessons: each waits for Run, as any file does. A
lesson is done when its run has been followed to its end and everything that it asks has been answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from gradviz.document import disk
from gradviz.document.disk import Stamp, shown
from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.document.files import lesson_set
from gradviz.document.files.lesson_set import SUFFIX, Lesson, LessonSet
from gradviz.session import run_transitions
from gradviz.session.state import MOST_DONE, Slice, State
from gradviz.session.store import Store
from gradviz.ui.services.files import WindowFiles

NOT_TRUSTED = "Run this document once before it is added to a lesson set: it comes from elsewhere."
NO_TEXT = (
    "A docstring in its first line becomes its text: a title, an empty line, what it is about, an empty line, and "
    "“Look at: …”."
)


class WindowLessons:
    """Implements the commands' `LessonSets`."""

    def __init__(self, store: Store, files: WindowFiles, show_gallery: Callable[[], None]) -> None:
        self._store = store
        self._files = files
        self._show_gallery = show_gallery
        self._leave: Callable[[], None] | None = None

    @property
    def opened(self) -> LessonSet | None:
        """The open set."""
        return self._store.state.lessons

    def open(self, path: Path) -> bool:
        """Show the lessons of a file or a folder, keeping the document; returns whether they are shown."""
        try:
            path = disk.absolute(path)
            if path.is_dir():
                inside = sorted(each for each in path.iterdir() if lesson_set.is_lesson_set(each))
                found = lesson_set.of_folder(path) if len(inside) != 1 else self._read(inside[0])
            else:
                found = self._read(path)
        except (UserError, OSError) as error:
            said = error if isinstance(error, UserError) else f"{shown(path.name)} could not be read."
            self._store.say(str(said))
            return False
        self._show(found)
        self._store.say(found.sentence)
        return True

    def _read(self, path: Path) -> LessonSet:
        data = lesson_set.read_bytes(path)
        found = lesson_set.decode(data, path)
        return replace(found, doubt=self._files.ownership.doubt_of(path, data))

    def _show(self, lessons: LessonSet | None) -> None:
        self._store.consult(lambda state: replace(state, lessons=lessons))
        if lessons is None:
            return
        self._watch()
        view = self._store.state.view
        if lessons.path is not None:
            self._store.look(view.with_recent(str(lessons.path)))
        self._show_gallery()

    def _watch(self) -> None:
        if self._leave is None:
            self._leave = self._store.watch(Slice("cursor", "steps", "run", "predict"), self._follow)

    def close(self) -> None:
        """Close the set."""
        self._show(None)

    def open_lesson(self, place: int, of: LessonSet | None = None) -> None:
        """Open a lesson of the open set, or of another one, in a new tab if work would be lost. It runs unless it comes
        from elsewhere."""
        found = of or self.opened
        if found is None or not 0 <= place < len(found.lessons):
            return
        lesson, doubt = found.lessons[place], found.doubt
        if not (doubt or found.is_trusted or lesson.example.path == found.path):  # a separate file
            try:
                doubt = self._files.ownership.doubt_of(lesson.example.path, lesson.example.path.read_bytes())
            except OSError:
                self._store.say(f"{shown(lesson.example.path.name)} is no longer there.")
                return
        self._files.apart(lambda files: files.lesson_sets.begin(replace(found, at=place), doubt))

    def begin(self, lessons: LessonSet, doubt: str) -> None:
        """Replace the document by the current lesson of the set."""
        lesson = lessons.lessons[lessons.at]
        self._files.open_lesson(lesson.example, doubt, lambda: self._begun(lessons, lesson))

    def _begun(self, lessons: LessonSet, lesson: Lesson) -> None:
        def begun(state: State) -> State:
            other = bool(lesson.part) and state.predict.on != lesson.predict  # a file does not store this
            return replace(run_transitions.predicting(state, lesson.predict) if other else state, lessons=lessons)

        self._store.consult(begun)
        self._watch()

    # -- making and changing one

    def new(self) -> None:
        """Make a set, with the document of this window as its first lesson if there is one."""
        state = self._store.state
        name = self._files.questions.lessons_name(str((state.path or Path("lessons")).with_suffix(SUFFIX)))
        if not name:
            return
        path = Path(name) if Path(name).suffix else Path(name).with_suffix(SUFFIX)
        title = path.stem.replace("_", " ")
        made = LessonSet(title[:1].upper() + title[1:], path=disk.absolute(path))
        if self._keep(made) and not state.document.is_blank and state.is_trusted:
            self.add()

    def add(self) -> None:
        """Append the document of this window, and whether one predicts now; a lesson of this title is changed."""
        found, state = self.opened, self._store.state
        if found is None or not found.is_editable:
            self._store.say("This lesson set can't be changed. Make one of your own: File > New Lesson Set.")
        elif not state.is_trusted:
            self._store.say(NOT_TRUSTED)
        else:
            try:
                more = lesson_set.with_lesson(found, self._files.contents(), predict=state.predict.on)
            except UserError as error:
                self._store.say(str(error))
                return
            if self._keep(more):
                example, now = more.lessons[more.at].example, ", as it is now" if more.at < len(found.lessons) else ""
                hint = "" if example.paragraph or example.look_at else f" {NO_TEXT}"
                self._store.say(f"“{shown(example.title)}” is lesson {more.at + 1} of {shown(more.title)}{now}.{hint}")

    def move(self, place: int, by: int) -> None:
        """Move a lesson up or down."""
        if self.opened is not None and self.opened.is_editable:
            self._keep(lesson_set.moved(self.opened, place, by))

    def remove(self, place: int) -> None:
        """Remove a lesson from the set."""
        if self.opened is not None and self.opened.is_editable:
            title = self.opened.lessons[place].example.title
            if self._keep(lesson_set.without(self.opened, place)):
                self._store.say(f"“{shown(title)}” is no longer in {shown(self.opened.title)}.")

    def describe(self) -> None:
        """Ask for the title and the text of the set."""
        found = self.opened
        if found is None or not found.is_editable:
            return
        answer = self._files.questions.lessons_text(found.title, found.text)
        if answer is not None and answer != (found.title, found.text):
            self._keep(replace(found, title=answer[0] or found.title, text=answer[1]))

    def _keep(self, lessons: LessonSet) -> bool:
        """Write the set and show it; it is the user's own."""
        assert lessons.path is not None
        try:
            data = lesson_set.encode(lessons)
            disk.write_atomically(lessons.path, data)
        except UserError as error:
            self._store.say(str(error))
            return False
        self._files.ownership.made(Stamp.of(lessons.path, data))
        self._show(lessons)
        return True

    # -- what is done

    def _follow(self, _: State, after: State) -> None:
        """A lesson is done when its last step has been visited."""
        found = after.lessons
        if found is None or found.at < 0 or not after.steps or after.cursor < after.steps or after.run.is_running:
            return
        key = found.lessons[found.at].key
        is_it = lesson_set.is_open_in(found, text_of(after.traced))
        if is_it and after.predict.asked is None and key not in after.view.done:
            self._store.look(replace(after.view, done=(key, *after.view.done)[:MOST_DONE]))
