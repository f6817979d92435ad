"""Attaching files to the snippet of a window: by name, by a dialog, by dropping them; and taking them off again. What a
file may be is in `document.attached`; each change is an edit, which can be undone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from gradviz.document.disk import shown
from gradviz.document.errors import UserError
from gradviz.document.snippet import Snippet
from gradviz.session.store import Store
from gradviz.ui.files import WindowFiles


class WindowAttachments:
    """Implements the commands' `Attachments`."""

    def __init__(self, store: Store, files: WindowFiles) -> None:
        self._store = store
        self._files = files

    def attach(self, name: str = "") -> None:
        """Attach files to the snippet; one that it looks for under `name` gets that name."""
        path = self._store.state.path
        title = f"Attach {shown(name)}" if name else "Attach files that the snippet reads or imports"
        chosen = self._files.questions.attach_names(title, str(path.parent) if path else "")
        renamed = len(chosen) == 1 and not name.endswith(".py")
        self.attach_paths([Path(each) for each in chosen], name if renamed else "")

    def attach_paths(self, paths: list[Path], name: str = "") -> None:
        """Attach these files and folders; what can't be attached is said, and changes nothing."""
        document = self._store.state.document
        if not isinstance(document, Snippet) or self._store.state.is_recording:
            self._store.say("A drawing and a recording read no files. Attach them to a snippet.")
            return
        if not paths:
            return
        from gradviz.document import attached

        try:
            more = [each for path in paths for each in attached.read(path, name if not path.is_dir() else "")]
            files = attached.together(document.files, tuple(more))
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
            from gradviz.document.attached import without

            self._store.edit("Remove Attached File", replace(document, files=without(document.files, name)))
            self._store.say(f"{shown(name)} is no longer attached.")

    def drop_paths(self, paths: list[Path]) -> None:
        """What is dropped on the window: a snippet, drawing or recording opens, everything else is attached, and so is
        a module that the snippet imports."""
        document = self._store.state.document
        text = document.text if isinstance(document, Snippet) else ""
        attach = [path for path in paths if not _opens(path) or _is_imported(path, text)]
        if attach:
            self.attach_paths(attach)
        self._files.open_paths([path for path in paths if path not in attach])


def _opens(path: Path) -> bool:
    return path.suffix.lower() in (".py", ".ipynb", ".gradviz", ".gvtrace", ".gvlessons") and not path.is_dir()


def _is_imported(path: Path, text: str) -> bool:
    """Whether a text imports the module of this file by its name."""
    pattern = rf"^\s*(?:from|import)\s[^#\n]*\b{re.escape(path.stem)}\b"
    return path.suffix == ".py" and re.search(pattern, text, re.MULTILINE) is not None
