"""Attaching files to the snippet of a window, by name, by dialog or by drag and drop, and detaching them.
`document.snippet` decides what a file may be; each change is an edit that can be undone."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import replace
from pathlib import Path

from gradviz.document.disk import shown
from gradviz.document.errors import UserError
from gradviz.document.snippet import Snippet
from gradviz.session.store import Store
from gradviz.ui.services.files import WindowFiles


class WindowAttachments:
    """Implements the commands' `Attachments`."""

    def __init__(self, store: Store, files: WindowFiles) -> None:
        self._store = store
        self._files = files

    def attach(self, name: str = "") -> None:
        """Attach files to the snippet; the one that it looks for under `name` gets that name."""
        path = self._store.state.path
        title = f"Attach {shown(name)}" if name else "Attach files that the snippet reads or imports"
        chosen = self._files.questions.attach_names(title, str(path.parent) if path else "")
        renamed = len(chosen) == 1 and not name.endswith(".py")
        self.attach_paths([Path(each) for each in chosen], name if renamed else "")

    def attach_paths(self, paths: list[Path], name: str = "") -> None:
        """Attach these files and folders. If something can't be attached, say so and change nothing."""
        document = self._store.state.document
        if not isinstance(document, Snippet) or self._store.state.is_recording:
            self._store.say("A drawing and a recording read no files. Attach them to a snippet.")
            return
        if not paths:
            return
        from gradviz.document import snippet

        try:
            more = [each for path in paths for each in snippet.read(path, name if not path.is_dir() else "")]
            files = snippet.together(document.files, tuple(more))
        except UserError as error:
            self._store.say(str(error))
            return
        self._store.edit("Attach Files", replace(document, files=files))
        names = ", ".join(shown(each.name) for each in more[:3])
        names += f" and {len(more) - 3} more" if len(more) > 3 else ""
        are, it = ("is", "it") if len(more) == 1 else ("are", "them")
        self._store.say(f"{names} {are} attached. The next run finds {it} in its folder.")

    def detach(self, name: str) -> None:
        """Remove an attached file; this can be undone."""
        document = self._store.state.document
        if isinstance(document, Snippet):
            from gradviz.document.snippet import without

            self._store.edit("Remove Attached File", replace(document, files=without(document.files, name)))
            self._store.say(f"{shown(name)} is no longer attached.")

    def save_written(self, which: str) -> None:
        """Save what the run wrote: one file by its position in the list, or "all" into a folder. Nothing is overwritten
        without the user's choice, and no name leads out of the folder."""
        from gradviz.document.snippet import safe_name

        path = self._store.state.path
        folder = path.parent if path is not None else Path()
        files = [each for each in self._store.state.run.written if each.can_be_saved]
        if which != "all":
            written = self._store.state.run.written[int(which)]
            chosen = self._files.questions.written_name(str(folder / safe_name(written.name).rpartition("/")[2]))
            self._write([(Path(chosen), written.data)] if chosen else [])
            return
        chosen = self._files.questions.written_folder(str(folder))
        if chosen:
            self._write([(Path(chosen, safe_name(each.name)), each.data) for each in files], Path(chosen))

    def _write(self, files: list[tuple[Path, bytes]], folder: Path | None = None) -> None:
        from gradviz.document.disk import write_atomically

        saved: list[Path] = []
        try:
            for path, data in files:
                place = path if folder is None else _free(path, folder)
                write_atomically(place, data)
                saved.append(place)
        except UserError as error:
            self._store.say(str(error))
            return
        if len(saved) == 1:
            self._store.say(f"{shown(saved[0].name)} is saved in {shown(str(saved[0].parent))}.")
        elif saved and folder is not None:
            self._store.say(f"{len(saved)} files are saved in {shown(str(folder))}.")

    def drop_paths(self, paths: list[Path]) -> None:
        """Handle files dropped on the window: a snippet, drawing or recording opens; anything else is attached, and so
        is a module that the snippet imports."""
        document = self._store.state.document
        text = document.text if isinstance(document, Snippet) else ""
        attach = [path for path in paths if not _opens(path) or _is_imported(path, text)]
        if attach:
            self.attach_paths(attach)
        self._files.open_paths([path for path in paths if path not in attach])


def _free(path: Path, folder: Path) -> Path:
    """An unused path in this folder; UserError if a link would lead out of it."""
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{shown(path.name)} would be saved outside of the folder: a link there leads out of it.")
    numbered = (path.with_name(f"{path.stem} ({number}){path.suffix}") for number in itertools.count(2))
    return next(each for each in itertools.chain((path,), numbered) if not os.path.lexists(each))


def _opens(path: Path) -> bool:
    return path.suffix.lower() in (".py", ".ipynb", ".md", ".gradviz", ".gvtrace", ".gvlessons") and not path.is_dir()


def _is_imported(path: Path, text: str) -> bool:
    """Whether a text imports the module in this file by name."""
    pattern = rf"^\s*(?:from|import)\s[^#\n]*\b{re.escape(path.stem)}\b"
    return path.suffix == ".py" and re.search(pattern, text, re.MULTILINE) is not None
