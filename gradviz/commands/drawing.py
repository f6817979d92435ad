"""The rows of the Draw menu and their actions: the edits of `document.shaping` applied to the selection, each with its
name for undo. Manual work on the canvas belongs to the window's `Board`. An empty window does not need the edits, so
they are imported with the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gradviz.commands.row import Choice, Command, Shell
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf, Ref
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import LEAF_KINDS
from gradviz.document.snippet import Snippet
from gradviz.session.state import State

# -- the edits

NOT_ALL = "Not all of the snippet is in the drawing."
MOST_NOTES = 6  # sentences that are shown
AWAY = 40.0  # offset of a duplicate from its original, in both directions
ACROSS = {"left": "Left", "center": "Centers", "right": "Right", "top": "Top", "middle": "Middles", "bottom": "Bottom"}


# queries


def can_draw(state: State) -> bool:
    """Whether the document is a drawing, or becomes one with the first node."""
    return state.document.is_blank or state.drawing is not None


def has_things(state: State) -> bool:
    """Whether the drawing has anything on it."""
    return state.drawing is not None and not state.drawing.is_blank


def has_nodes(state: State) -> bool:
    """Whether the drawing has a node."""
    return state.drawing is not None and bool(state.drawing.nodes)


def has_picked(state: State) -> bool:
    """Whether anything in the drawing is selected."""
    return state.drawing is not None and bool(state.picked)


def picked_nodes(state: State) -> list[int]:
    """The selected nodes, including those of selected groups."""
    drawing = state.drawing
    if drawing is None:
        return []
    chosen = set(state.picked)
    for group in drawing.groups:
        if group.id in chosen:
            chosen |= group.members
    return sorted(chosen & drawing.by_id.keys())


def has_picked_nodes(state: State) -> bool:
    """Whether a node is selected."""
    return bool(state.picked) and bool(picked_nodes(state))


def has_several(state: State) -> bool:
    """Whether several things are selected."""
    return state.drawing is not None and len(state.picked) > 1


def picked_groups(state: State) -> list[int]:
    """The groups that are selected or contain the selection."""
    drawing = state.drawing
    if drawing is None:
        return []
    return [group.id for group in drawing.groups if group.id in state.picked or group.members & state.picked]


def picked_leaves(state: State) -> list[int]:
    """The selected leaves."""
    drawing = state.drawing
    return [] if drawing is None else [id for id in picked_nodes(state) if isinstance(drawing.by_id[id], Leaf)]


def counted(count: int, what: str) -> str:
    """ "3 Nodes", "Node"."""
    return what if count == 1 else f"{count} {what}s"


def change(shell: Shell, label: str, edit: Callable[[Drawing], Drawing]) -> bool:
    """Edit the drawing; a refusal is reported. Returns whether it was edited."""
    drawing = shell.store.state.drawing
    if drawing is None:
        return False
    try:
        shell.store.edit(label, edit(drawing))
    except UserError as refusal:
        shell.store.say(str(refusal))
        return False
    return True


# the edits


def delete(shell: Shell) -> None:
    """Delete the selection."""
    from gradviz.document import shaping

    picked = shell.store.state.picked
    if change(shell, f"Delete {things(shell.store.state)}", lambda drawing: shaping.delete(drawing, picked)):
        shell.store.pick(frozenset())


def things(state: State) -> str:
    """The selection as named in an undo label: "w", "3 Nodes", "Comment"."""
    from gradviz.document import shaping

    drawing = state.drawing or Drawing()
    nodes = picked_nodes(state)
    if len(nodes) == 1 and len(state.picked) == 1:
        return shaping.label(drawing, nodes[0])
    if nodes:
        return counted(len(nodes), "Node")
    return counted(len(state.picked), "Comment")


def duplicate(shell: Shell) -> None:
    """Duplicate the selection beside itself, and select the copy."""
    from gradviz.document import shaping
    from gradviz.document.arranging import cleared

    state = shell.store.state
    copies: list[frozenset[int]] = []

    def edit(drawing: Drawing) -> Drawing:
        changed, new = shaping.duplicate(drawing, state.picked, AWAY, AWAY)
        copies.append(new)
        return cleared(changed, new)

    if change(shell, f"Duplicate {things(state)}", edit):
        shell.store.pick(copies[0])


def align(shell: Shell, how: str) -> None:
    """Align the selection."""
    from gradviz.document import shaping

    picked, sizes = shell.store.state.picked, shell.board.sizes()
    change(shell, f"Align {ACROSS[how]}", lambda drawing: shaping.align(drawing, picked, how, sizes))


def distribute(shell: Shell, how: str) -> None:
    """Make the gaps within the selection equal."""
    from gradviz.document import shaping

    picked, sizes = shell.store.state.picked, shell.board.sizes()
    change(shell, f"Distribute {how.title()}", lambda drawing: shaping.distribute(drawing, picked, how, sizes))


def pin(shell: Shell) -> None:
    """Pin the selection, or unpin it if all of it is pinned."""
    from gradviz.document import shaping

    state = shell.store.state
    nodes, pinned = picked_nodes(state), not all_pinned(state)
    label = f"{'Pin' if pinned else 'Unpin'} {things(state)}"
    change(shell, label, lambda drawing: shaping.pin(drawing, nodes, pinned))


def all_pinned(state: State) -> bool:
    """Whether all selected nodes are pinned."""
    drawing = state.drawing
    return drawing is not None and all(drawing.by_id[id].pinned for id in picked_nodes(state))


def group(shell: Shell) -> None:
    """Put the selected nodes into a group, and select it."""
    from gradviz.document import shaping

    nodes, made = picked_nodes(shell.store.state), []

    def edit(drawing: Drawing) -> Drawing:
        changed, id = shaping.group(drawing, nodes)
        made.append(id)
        return changed

    if change(shell, f"Group {counted(len(nodes), 'Node')}", edit):
        shell.store.pick(frozenset(made))


def ungroup(shell: Shell) -> None:
    """Dissolve the groups of the selection."""
    from gradviz.document import shaping

    state = shell.store.state
    groups, nodes = picked_groups(state), frozenset(picked_nodes(state))

    def edit(drawing: Drawing) -> Drawing:
        for id in groups:
            drawing = shaping.ungroup(drawing, id)
        return drawing

    if change(shell, "Ungroup", edit):
        shell.store.pick(nodes)


def toggle_groups(shell: Shell) -> None:
    """Collapse the groups of the selection, or expand them."""
    from gradviz.document import shaping

    state = shell.store.state
    groups = picked_groups(state)
    closed = not all(one.closed for one in (state.drawing or Drawing()).groups if one.id in groups)

    def edit(drawing: Drawing) -> Drawing:
        for id in groups:
            drawing = shaping.set_group_closed(drawing, id, closed)
        return drawing

    if change(shell, "Close Group" if closed else "Open Group", edit) and closed:
        shell.store.pick(frozenset(groups))


def toggle_requires_grad(shell: Shell) -> None:
    """Let the selected leaves require a gradient, or none of them if all do."""
    from gradviz.document import shaping

    state = shell.store.state
    leaves, drawing = picked_leaves(state), state.drawing or Drawing()
    wanted = not all(getattr(drawing.by_id[id], "requires_grad", False) for id in leaves)

    def edit(drawing: Drawing) -> Drawing:
        for id in leaves:
            drawing = shaping.change_leaf(drawing, id, requires_grad=wanted)
        return drawing

    names = shaping.label(drawing, leaves[0]) if len(leaves) == 1 else f"{len(leaves)} Leaves"
    change(shell, f"{'Require' if wanted else 'No'} Gradient of {names}", edit)


def root_of(state: State) -> Ref | None:
    """Where a backward call would begin: the selected node."""
    nodes = picked_nodes(state) if len(state.picked) == 1 else []
    return Ref(nodes[0]) if len(nodes) == 1 else None


def backward(shell: Shell) -> None:
    """Run backward from the selected node: a single existing call moves there, otherwise another call is added."""
    from gradviz.document import shaping

    root = root_of(shell.store.state)
    if root is None:
        return

    def edit(drawing: Drawing) -> Drawing:
        shaping.check_root(drawing, root)
        if len(drawing.calls) == 1:
            return shaping.change_call(drawing, 0, replace(drawing.calls[0], root=root, gradient=None))
        return shaping.add_call(drawing, root)

    drawing = shell.store.state.drawing or Drawing()
    change(shell, f"Backward from {shaping.label(drawing, root.node)}", edit)


# between drawing and text


def new_drawing(shell: Shell) -> None:
    """Begin an empty drawing, in a new tab if work would be lost."""
    shell.files.apart(lambda files: files.new_drawing())


def as_text(shell: Shell) -> None:
    """Turn the drawing into a snippet, including everything typed into its code."""
    drawing = shell.store.state.drawing
    if drawing is not None:
        shell.store.edit("Edit as Text", Snippet(shell.source.text, drawing.newline))
        shell.focus("editor")


def is_text(state: State) -> bool:
    """Whether the document is a snippet with text that may be changed."""
    return state.drawing is None and not state.document.is_blank and not state.is_recording


def as_drawing(shell: Shell) -> None:
    """Turn the snippet into a drawing: as written if that can be drawn, otherwise as it ran."""
    from gradviz.document.code.parse import read

    document = shell.store.state.document
    if not is_text(shell.store.state):
        return
    try:
        try:
            reading = read(text_of(document))
            drawing, notes = reading.drawing, reading.passed_over and (NOT_ALL, *reading.passed_over)
        except UserError:
            if not _has_run(shell.store.state):
                raise
            drawing, notes = _as_it_ran(shell.store.state)
    except UserError as refusal:
        shell.store.say(str(refusal))
        return
    shell.store.edit("Edit as Drawing", replace(drawing, newline=document.newline), note=_note(notes))
    shell.focus("canvas")


def _note(sentences: tuple[str, ...]) -> str:
    """A title and a text for the note above the code."""
    if not sentences:
        return ""
    more = f" There are {len(sentences) - MOST_NOTES} more such lines." if len(sentences) > MOST_NOTES else ""
    return f"{sentences[0]}\n{' '.join(sentences[1:MOST_NOTES])}{more} Undo brings the text back.".replace("\n ", "\n")


def _has_run(state: State) -> bool:
    """Whether the graph on screen belongs to the present snippet."""
    return state.trace is not None and state.steps > 0 and not state.is_stale and not state.run.is_running


def _as_it_ran(state: State) -> tuple[Drawing, tuple[str, ...]]:
    from gradviz.document.from_trace import from_trace

    assert state.trace is not None
    drawing, notes = from_trace(state.trace, state.cursor)
    return drawing, ("Drawn as it ran, with loops and functions unrolled.", *notes)


def copy_code(shell: Shell) -> None:
    """Copy the code of the selection, or of everything."""
    from gradviz.document import shaping

    state = shell.store.state
    if state.drawing is None:
        return
    part = shaping.part(state.drawing, state.picked) if state.picked else state.drawing
    shell.copy(text_of(part))
    what = "the drawing" if not state.picked else counted(len(part.nodes), "node")
    shell.store.say(f"Copied {what} as PyTorch code.")


ALIGNMENTS = (
    *(("Left Edges", "left"), ("Centers, One Below the Other", "center"), ("Right Edges", "right")),
    *(("Top Edges", "top"), ("Middles, Side by Side", "middle"), ("Bottom Edges", "bottom")),
)
GAPS = (("Across", "across"), ("Down", "down"))


def _leaf_kinds(_: State) -> tuple[Choice, ...]:
    return tuple(Choice(kind.title, kind.key) for kind in LEAF_KINDS)


def _alignments(_: State) -> tuple[Choice, ...]:
    return tuple(Choice(title, value) for title, value in ALIGNMENTS)


def _gaps(_: State) -> tuple[Choice, ...]:
    return tuple(Choice(title, value) for title, value in GAPS)


def _several(state: State) -> bool:
    return has_several(state) or len(picked_nodes(state)) > 1


NEW_ROWS = (
    Command(
        id="draw.new",
        title="&New Drawing",
        menu="Draw",
        help="Start an empty drawing: a graph that you build by hand.",
        shortcuts=("Ctrl+Alt+N",),
        run=lambda shell, _: new_drawing(shell),
    ),
    Command(
        id="draw.add",
        title="&Add…",
        menu="Draw",
        help="Type an operation, a number or an expression such as w*x + b to add it.",
        shortcuts=("Ctrl+K",),
        group=1,
        enabled=can_draw,
        run=lambda shell, _: shell.board.type_here(),
    ),
    Command(
        id="draw.leaf",
        title="Add &Leaf",
        menu="Draw",
        help="Add a constant tensor: a number, a vector, a matrix or random numbers.",
        group=1,
        enabled=can_draw,
        choices=_leaf_kinds,
        run=lambda shell, kind: shell.board.add_leaf(kind),
    ),
    Command(
        id="draw.comment",
        title="Add Co&mment",
        menu="Draw",
        help="Add a text box behind the nodes.",
        shortcuts=("Ctrl+H",),
        group=1,
        enabled=can_draw,
        run=lambda shell, _: shell.board.add_comment(),
    ),
    Command(
        id="draw.wire",
        title="Draw a &Wire",
        menu="Draw",
        help="Start a wire at the selected node; choose its target with the arrow keys and connect with Enter.",
        shortcuts=("Ctrl+L",),
        group=1,
        enabled=has_nodes,
        run=lambda shell, _: shell.board.start_wire(),
    ),
)

EDIT_ROWS = (
    Command(
        id="draw.edit",
        title="&Edit in Place",
        menu="Draw",
        help="Edit the value or name of the selected node in place (Enter on the canvas).",
        group=2,
        enabled=has_picked,
        run=lambda shell, _: shell.board.edit_here(),
    ),
    Command(
        id="draw.edit_value",
        title="Edit &Value…",
        menu="Draw",
        help="Edit the selected node in the inspector: numbers, dtype, arguments.",
        shortcuts=("Alt+Return", "Alt+Enter"),
        group=2,
        enabled=has_picked,
        run=lambda shell, _: shell.focus("inspector"),
    ),
    Command(
        id="draw.duplicate",
        title="D&uplicate",
        menu="Draw",
        help="Duplicate the selected nodes; the copies keep their incoming wires.",
        shortcuts=("Ctrl+J",),
        group=2,
        enabled=has_picked,
        run=lambda shell, _: duplicate(shell),
    ),
    Command(
        id="draw.delete",
        title="&Delete",
        menu="Draw",
        help="Delete the selected nodes and their wires (Delete on the canvas).",
        group=2,
        enabled=has_picked,
        run=lambda shell, _: delete(shell),
    ),
    Command(
        id="draw.requires_grad",
        title="Re&quires Gradient",
        menu="Draw",
        help="Turn requires_grad of the selected leaves on or off.",
        shortcuts=("Ctrl+Shift+R",),
        group=2,
        enabled=lambda state: bool(picked_leaves(state)),
        run=lambda shell, _: toggle_requires_grad(shell),
    ),
    Command(
        id="draw.backward",
        title="&Backward from Here",
        menu="Draw",
        help="Call backward() on the selected node.",
        shortcuts=("Ctrl+B",),
        group=2,
        enabled=lambda state: root_of(state) is not None,
        run=lambda shell, _: backward(shell),
    ),
)

PLACE_ROWS = (
    Command(
        id="draw.tidy",
        title="&Tidy Up",
        menu="Draw",
        help="Lay out all nodes again in the order of the computation. Pinned nodes stay where they are.",
        shortcuts=("Ctrl+T",),
        group=3,
        enabled=has_nodes,
        run=lambda shell, _: shell.board.tidy_up(),
    ),
    Command(
        id="draw.pin",
        title="&Pin",
        menu="Draw",
        help="Pin or unpin the selected nodes for Tidy Up.",
        shortcuts=("Ctrl+P",),
        group=3,
        enabled=has_picked_nodes,
        retitle=lambda state: "Un&pin" if has_picked_nodes(state) and all_pinned(state) else "&Pin",
        run=lambda shell, _: pin(shell),
    ),
    Command(
        id="draw.align",
        title="Al&ign",
        menu="Draw",
        help="Align the selected nodes.",
        group=3,
        enabled=_several,
        choices=_alignments,
        run=lambda shell, how: align(shell, how),
    ),
    Command(
        id="draw.distribute",
        title="Distribute Evenl&y",
        menu="Draw",
        help="Space the selected nodes evenly.",
        group=3,
        enabled=_several,
        choices=_gaps,
        run=lambda shell, how: distribute(shell, how),
    ),
    Command(
        id="draw.group",
        title="&Group",
        menu="Draw",
        help="Group the selected nodes under a title.",
        shortcuts=("Ctrl+U",),
        group=4,
        enabled=has_picked_nodes,
        run=lambda shell, _: group(shell),
    ),
    Command(
        id="draw.ungroup",
        title="Ung&roup",
        menu="Draw",
        help="Remove the selected group but keep its nodes.",
        shortcuts=("Ctrl+Shift+U",),
        group=4,
        enabled=lambda state: bool(picked_groups(state)),
        run=lambda shell, _: ungroup(shell),
    ),
    Command(
        id="draw.toggle_group",
        title="&Open or Close Group",
        menu="Draw",
        help="Collapse the selected group into one box, or expand it.",
        shortcuts=("Ctrl+Shift+K",),
        group=4,
        enabled=lambda state: bool(picked_groups(state)),
        run=lambda shell, _: toggle_groups(shell),
    ),
)

CODE_ROWS = (
    Command(
        id="draw.as_drawing",
        title="Edit a&s Drawing",
        menu="Draw",
        help="Turn the snippet into a drawing that you can edit by hand.",
        shortcuts=("Ctrl+Shift+D",),
        group=5,
        enabled=is_text,
        run=lambda shell, _: as_drawing(shell),
    ),
    Command(
        id="draw.as_text",
        title="Edit as Te&xt",
        menu="Draw",
        help="Turn the drawing into a snippet with its PyTorch code.",
        shortcuts=("Ctrl+Shift+T",),
        group=5,
        enabled=has_things,
        run=lambda shell, _: as_text(shell),
    ),
    Command(
        id="draw.copy_code",
        title="&Copy as Code",
        menu="Draw",
        help="Copy the PyTorch code of the selection, or of the whole drawing.",
        group=5,
        enabled=has_nodes,
        run=lambda shell, _: copy_code(shell),
    ),
)

DRAW_ROWS = (*NEW_ROWS, *EDIT_ROWS, *PLACE_ROWS, *CODE_ROWS)
