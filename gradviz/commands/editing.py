"""The rows of the File and Edit menus."""

from __future__ import annotations

from pathlib import Path

from gradviz.commands.row import Choice, Command, Shell, has_steps
from gradviz.document.disk import shown
from gradviz.document.documents import files_of
from gradviz.session.moves import inspected
from gradviz.session.state import State
from gradviz.session.values import numpy_text, torch_text

SHOWN = 60  # characters of the copied text that the notice shows


def has_value(state: State) -> bool:
    """Whether the inspector shows a tensor."""
    thing = inspected(state)
    return thing is not None and thing.kind == "tensor"


def copy_torch(shell: Shell) -> None:
    """Copy the inspected tensor's value as PyTorch text."""
    _copy(shell, numpy=False)


def copy_numpy(shell: Shell) -> None:
    """Copy the inspected tensor's value as NumPy text."""
    _copy(shell, numpy=True)


def _copy(shell: Shell, *, numpy: bool) -> None:
    state = shell.store.state
    thing = inspected(state)
    if state.trace is None or thing is None or thing.kind != "tensor":
        return
    frame = state.trace.frame(state.cursor)
    value, name = frame.value(thing.index), frame.name(thing.index)
    if value is None or value.array is None:
        shell.store.say(f"{name} was too large to record in full, so its value cannot be copied.")
        return
    text = numpy_text(value.array, value.dtype) if numpy else torch_text(value.array, value.dtype)
    shell.copy(text)
    shell.store.say(f"Copied {name} as {text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'}")


def _recent(state: State) -> tuple[Choice, ...]:
    return tuple(Choice(_place(Path(name)), name) for name in state.view.recent)


def _place(path: Path) -> str:
    return f"{shown(path.name)}  —  {shown(str(path.parent))}"


def _takes_files(state: State) -> bool:
    """A drawing reads no files."""
    return state.drawing is None and not state.is_recording


def _written(state: State) -> tuple[Choice, ...]:
    """What the run wrote, by position in the list, with "all" first."""
    files = [(str(at), each) for at, each in enumerate(state.run.written) if each.can_be_saved]
    every = (Choice("All, into a Folder…", "all"),) if len(files) > 1 else ()
    return (*every, *(Choice(f"{shown(each.name)}…", at) for at, each in files))


FILE_ROWS = (
    Command(
        id="file.new",
        title="&New",
        menu="File",
        help="Start an empty snippet, in a new tab if there is other work.",
        shortcuts=("Ctrl+N",),
        run=lambda shell, _: shell.files.apart(lambda files: files.new()),
    ),
    Command(
        id="file.open",
        title="&Open…",
        menu="File",
        help="Open a snippet (.py), a drawing (.gradviz), a recording (.gvtrace) or lessons (.gvlessons).",
        shortcuts=("Ctrl+O",),
        run=lambda shell, _: shell.files.open(),
    ),
    Command(
        id="file.recent",
        title="Open &Recent",
        menu="File",
        help="Open a recently used file.",
        enabled=lambda state: bool(state.view.recent),
        choices=_recent,
        run=lambda shell, name: shell.files.open(name),
    ),
    Command(
        id="file.attach",
        title="A&ttach Files…",
        menu="File",
        help="Attach what the snippet reads or imports: text, tables, pictures, modules. You can also drop them here.",
        shortcuts=("Ctrl+Alt+O",),
        enabled=_takes_files,
        run=lambda shell, _: shell.attachments.attach(),
    ),
    Command(
        id="file.save_written",
        title="Sa&ve Files of the Run",
        menu="File",
        help="Save what the run wrote into its folder, one file or all of them.",
        enabled=lambda state: any(each.can_be_saved for each in state.run.written),
        choices=_written,
        run=lambda shell, which: shell.attachments.save_written(which),
    ),
    Command(
        id="file.detach",
        title="Re&move Attached File",
        menu="File",
        help="Remove a file that is attached to the snippet.",
        enabled=lambda state: bool(files_of(state.document)),
        choices=lambda state: tuple(Choice(each.name, each.name) for each in files_of(state.document)),
        run=lambda shell, name: shell.attachments.detach(name),
    ),
    Command(
        id="file.save",
        title="&Save",
        menu="File",
        help="Save the snippet or drawing.",
        shortcuts=("Ctrl+S",),
        group=1,
        enabled=lambda state: state.is_dirty or state.path is None,
        run=lambda shell, _: _do(shell.files.save()),
    ),
    Command(
        id="file.save_as",
        title="Save &As…",
        menu="File",
        help="Save the snippet or drawing under another name.",
        shortcuts=("Ctrl+Shift+S",),
        group=1,
        run=lambda shell, _: _do(shell.files.save_as()),
    ),
    Command(
        id="file.compare_recording",
        title="Compare &With Recording…",
        menu="File",
        help="Show another recording beside this one: that of another rank of the job, or of another run.",
        group=1,
        enabled=lambda state: state.is_recording and state.trace is not None,
        run=lambda shell, _: shell.recordings.compare(),
    ),
    Command(
        id="file.save_recording",
        title="Save Recor&ding…",
        menu="File",
        help="Save all recorded steps as a .gvtrace file, to step through it elsewhere without running anything.",
        shortcuts=("Ctrl+Alt+R",),
        group=1,
        enabled=lambda state: state.steps > 0 and not state.is_busy,
        run=lambda shell, _: _do(shell.recordings.save_as()),
    ),
    Command(
        id="file.export",
        title="&Export…",
        menu="File",
        help="Write the graph as SVG, PDF or PNG, or the whole run as a page for any browser or as a film.",
        shortcuts=("Ctrl+Shift+X",),
        group=1,
        enabled=has_steps,
        run=lambda shell, _: shell.sharing.export(),
    ),
    Command(
        id="file.close",
        title="&Close",
        menu="File",
        help="Close this tab, and the window with its last one. You are asked about unsaved changes.",
        shortcuts=("Ctrl+W",),
        group=3,
        run=lambda shell, _: shell.windows.close(),
    ),
    Command(
        id="file.quit",
        title="&Quit",
        menu="File",
        help="Close all windows. You are asked about unsaved changes.",
        shortcuts=("Ctrl+Q",),
        group=3,
        run=lambda shell, _: shell.windows.quit(),
    ),
)

WINDOW_ROWS = (
    Command(
        id="window.new",
        title="&New Window",
        menu="Window",
        help="Open another window with its own snippet or drawing.",
        shortcuts=("Ctrl+Shift+N",),
        run=lambda shell, _: shell.windows.open(),
    ),
    Command(
        id="window.next",
        title="Ne&xt Tab",
        menu="Window",
        help="Go to the next tab of this window.",
        shortcuts=("Ctrl+Tab", "Ctrl+PgDown"),
        group=1,
        run=lambda shell, _: shell.windows.turn(1),
    ),
    Command(
        id="window.previous",
        title="&Previous Tab",
        menu="Window",
        help="Go to the previous tab of this window.",
        shortcuts=("Ctrl+Shift+Tab", "Ctrl+PgUp"),
        group=1,
        run=lambda shell, _: shell.windows.turn(-1),
    ),
    Command(
        id="window.detach",
        title="Move Tab to New &Window",
        menu="Window",
        help="Give this tab a window of its own; you can also drag it out of the row of tabs.",
        group=2,
        run=lambda shell, _: shell.windows.detach(),
    ),
    Command(
        id="window.merge",
        title="&Merge All Windows",
        menu="Window",
        help="Make all windows tabs of this one; you can also drag a tab into another window.",
        group=2,
        run=lambda shell, _: shell.windows.merge(),
    ),
)


def _undo(shell: Shell) -> None:
    """Code typed for a drawing that can't be drawn is discarded first."""
    if not shell.source.forget_typing():
        shell.store.undo()


def _do(_: bool) -> None:
    """Saving returns whether it happened, which commands ignore."""


EDIT_ROWS = (
    Command(
        id="edit.undo",
        title="&Undo",
        menu="Edit",
        help="Undo the last change.",
        shortcuts=("Ctrl+Z",),
        enabled=lambda state: bool(state.undo_label),
        retitle=lambda state: f"&Undo {state.undo_label}".rstrip(),
        run=lambda shell, _: _undo(shell),
    ),
    Command(
        id="edit.redo",
        title="&Redo",
        menu="Edit",
        help="Redo the last undone change.",
        shortcuts=("Ctrl+Shift+Z", "Ctrl+Y"),
        enabled=lambda state: bool(state.redo_label),
        retitle=lambda state: f"&Redo {state.redo_label}".rstrip(),
        run=lambda shell, _: shell.store.redo(),
    ),
    Command(
        id="edit.cut",
        title="Cu&t",
        menu="Edit",
        help="Move the selected text to the clipboard.",
        shortcuts=("Ctrl+X",),
        group=1,
        run=lambda shell, _: shell.edit_text("cut"),
    ),
    Command(
        id="edit.copy",
        title="&Copy",
        menu="Edit",
        help="Copy the selected text to the clipboard.",
        shortcuts=("Ctrl+C",),
        group=1,
        run=lambda shell, _: shell.edit_text("copy"),
    ),
    Command(
        id="edit.paste",
        title="&Paste",
        menu="Edit",
        help="Insert the contents of the clipboard.",
        shortcuts=("Ctrl+V",),
        group=1,
        run=lambda shell, _: shell.edit_text("paste"),
    ),
    Command(
        id="edit.select_all",
        title="Select &All",
        menu="Edit",
        help="Select all of the text.",
        shortcuts=("Ctrl+A",),
        group=1,
        run=lambda shell, _: shell.edit_text("selectAll"),
    ),
    Command(
        id="edit.copy_picture",
        title="Copy P&icture",
        menu="Edit",
        help="Copy the graph as it is on the canvas, as a picture.",
        shortcuts=("Ctrl+Shift+C",),
        group=2,
        enabled=has_steps,
        run=lambda shell, _: shell.sharing.copy_picture(),
    ),
    Command(
        id="edit.copy_torch",
        title="Copy Value as P&yTorch",
        menu="Edit",
        help="Copy the selected tensor's value at this step as torch.tensor(…).",
        shortcuts=("Ctrl+Shift+Y",),
        group=2,
        enabled=has_value,
        run=lambda shell, _: copy_torch(shell),
    ),
    Command(
        id="edit.copy_numpy",
        title="Copy Value as &NumPy",
        menu="Edit",
        help="Copy the selected tensor's value at this step as np.array(…).",
        shortcuts=("Ctrl+Alt+C",),
        group=2,
        enabled=has_value,
        run=lambda shell, _: copy_numpy(shell),
    ),
)
