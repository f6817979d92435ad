"""The rows that find things: by search, by lineage, by the line that made them."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.row import Command, Shell, has_steps
from gradviz.session import moves
from gradviz.session.state import Lineage, Selection, State

STALE = "The snippet has changed since it ran: run it again to go between it and the graph."


def _thing(state: State) -> Selection | None:
    """The tensor or operation that a command applies to; not a collapsed group."""
    thing = moves.inspected(state)
    return thing if thing is not None and thing.kind in ("node", "tensor") else None


def _has_thing(state: State) -> bool:
    return _thing(state) is not None


# search


def _find(shell: Shell) -> None:
    shell.store.look_for(replace(shell.store.state.search, open=True))
    shell.canvas.look_for()


def _step(shell: Shell, step: int) -> None:
    """Go to the next hit; one that can't be seen now is only named."""
    from gradviz.session.inspect import search

    if not shell.store.state.search.query.strip():
        _find(shell)
        return
    shell.store.look_for(replace(search.stepped(shell.store.state, step), open=True))
    _show_hit(shell)


def _show_hit(shell: Shell) -> None:
    from gradviz.session.inspect import search

    hit = search.current(shell.store.state)
    if hit is not None and search.coming(shell.store.state, hit) is None:
        shell.store.select(hit)
        shell.canvas.show_thing(hit)


def _jump(shell: Shell) -> None:
    from gradviz.session.inspect import search

    state = shell.store.state
    hit = search.current(state)
    cursor = search.coming(state, hit) if hit is not None else None
    if cursor is not None:
        shell.store.play(False)
        shell.store.move(cursor)
    _show_hit(shell)


def _searched(state: State) -> bool:
    return state.steps > 0 and bool(state.search.query.strip())


# lineage


def _relatives(shell: Shell, kind: str) -> None:
    thing = _thing(shell.store.state)
    if thing is not None:
        lineage = Lineage(kind, thing)
        shell.store.trace_lineage(lineage if shell.store.state.lineage != lineage else None)


def _path(shell: Shell) -> None:
    """The first use takes one end; the second, on another thing, takes the other."""
    state = shell.store.state
    thing, begun = _thing(state), state.lineage
    if thing is None:
        return
    if begun is None or begun.kind != "path" or begun.to is not None or begun.of == thing:
        shell.store.trace_lineage(Lineage("path", thing))
        shell.store.say("Select the other end and choose Select Path again, or click it with Shift.")
    else:
        show_path(shell, replace(begun, to=thing))


def _chain(shell: Shell) -> None:
    """Every path by which the gradient reaches the tensor."""
    tensor = moves.inspected_tensor(shell.store.state)
    if tensor is not None:
        shell.focus("paths")
        shell.chains.ask(tensor)


def _check(shell: Shell) -> None:
    """The gradient of a leaf, computed in three ways."""
    tensor = moves.inspected_tensor(shell.store.state)
    if tensor is not None:
        shell.focus("inspector")
        shell.checks.ask(tensor)


def _element(shell: Shell) -> None:
    """Where the first number of the tensor comes from, or of its gradient if the step is about that."""
    from gradviz.session.inspect.origins import first_of

    state = shell.store.state
    tensor = moves.inspected_tensor(state)
    if tensor is None or state.trace is None:
        return
    element = first_of(state.trace.frame(state.cursor), tensor)
    if element is None:
        shell.store.say("It has no number yet.")
        return
    shell.elements.show(element)
    shell.focus("elements")


def show_path(shell: Shell, lineage: Lineage) -> None:
    """Highlight a path, if there is one."""
    from gradviz.session.inspect.lineage import family

    trace = shell.store.state.trace
    if trace is None or not len(family(trace, lineage)):
        shell.store.trace_lineage(None)
        shell.store.say("Neither of the two is computed from the other.")
    else:
        shell.store.trace_lineage(lineage)


# source text


def _show_source(shell: Shell) -> None:
    from gradviz.session.inspect.sources import place_of

    state = shell.store.state
    thing = _thing(state)
    place = place_of(state.trace, thing) if state.trace is not None and thing is not None else None
    if place is None:
        shell.store.say("No line of the snippet made this.")
    elif state.is_stale:
        shell.store.say(STALE)
    else:
        shell.source.show_place(place)


def _show_on_graph(shell: Shell) -> None:
    from gradviz.session.inspect import search
    from gradviz.session.inspect.sources import next_made_at

    state = shell.store.state
    line, col = shell.source.caret
    thing = next_made_at(state, line, col, shell.source.file)
    if state.is_stale:
        shell.store.say(STALE)
    elif thing is None:
        shell.store.say(f"Line {line} made no tensor and ran no operation.")
    else:
        cursor = search.coming(state, thing)
        if cursor is not None:
            shell.store.play(False)
            shell.store.move(cursor)
        shell.store.select(thing)
        shell.canvas.show_thing(thing)


SELECTION, EXPLAIN = "S&election", "Explai&n"  # submenus of the View menu


WHY = "Why Is This So?"


def _why(shell: Shell) -> None:
    """Let the inspector explain its subject."""
    store = shell.store
    store.select(moves.inspected(store.state))
    shell.focus("inspector")


FIND_ROWS = (
    Command(
        id="edit.find",
        title="&Find on the Graph…",
        menu="Edit",
        help="Search the graph for operations and tensors by name, line, shape, dtype or problem.",
        shortcuts=("Ctrl+F",),
        group=3,
        enabled=has_steps,
        run=lambda shell, _: _find(shell),
    ),
    Command(
        id="edit.find_next",
        title="Find Next",
        menu="Edit",
        help="Go to the next match.",
        shortcuts=("F3",),
        group=3,
        enabled=has_steps,
        run=lambda shell, _: _step(shell, 1),
    ),
    Command(
        id="edit.find_previous",
        title="Find Previous",
        menu="Edit",
        help="Go to the previous match.",
        shortcuts=("Shift+F3",),
        group=3,
        enabled=has_steps,
        run=lambda shell, _: _step(shell, -1),
    ),
    Command(
        id="edit.find_jump",
        title="Go to the Step of the Find",
        menu="Edit",
        help="Go to the step at which the current match appears.",
        shortcuts=("Ctrl+F3",),
        group=3,
        enabled=_searched,
        run=lambda shell, _: _jump(shell),
    ),
    Command(
        id="view.ancestors",
        title="Select Ancestors",
        menu="View",
        under=SELECTION,
        help="Dim everything except the selected item and what it was computed from.",
        shortcuts=("Ctrl+[",),
        group=2,
        enabled=_has_thing,
        run=lambda shell, _: _relatives(shell, "ancestors"),
    ),
    Command(
        id="view.descendants",
        title="Select Descendants",
        menu="View",
        under=SELECTION,
        help="Dim everything except the selected item and what is computed from it.",
        shortcuts=("Ctrl+]",),
        group=2,
        enabled=_has_thing,
        run=lambda shell, _: _relatives(shell, "descendants"),
    ),
    Command(
        id="view.path",
        title="Select Path",
        menu="View",
        under=SELECTION,
        help="Choose this on two items in turn to dim everything except the paths between them.",
        shortcuts=("Ctrl+\\",),
        group=2,
        enabled=_has_thing,
        run=lambda shell, _: _path(shell),
    ),
    Command(
        id="view.chain",
        title="Paths of the Gradient",
        menu="View",
        under=EXPLAIN,
        help="Show every path along which the gradient reaches this tensor: local derivatives, products and their sum.",
        shortcuts=("Ctrl+Shift+\\",),
        group=2,
        enabled=lambda state: not state.predict.on and moves.inspected_tensor(state) is not None,
        run=lambda shell, _: _chain(shell),
    ),
    Command(
        id="view.check",
        title="Check the Gradient",
        menu="View",
        under=EXPLAIN,
        help="Run the snippet again with each element of this leaf nudged, and compare its gradient with that.",
        shortcuts=("Ctrl+Shift+H",),
        group=2,
        enabled=lambda state: state.is_trusted and not state.predict.on and moves.inspected_tensor(state) is not None,
        run=lambda shell, _: _check(shell),
    ),
    Command(
        id="view.element",
        title="Where Does This Number Come From?",
        menu="View",
        under=EXPLAIN,
        help="Show from which numbers, by which arithmetic, a number of the selected tensor comes. Arrow keys move it.",
        shortcuts=("Ctrl+Alt+W",),
        group=2,
        enabled=lambda state: moves.inspected_tensor(state) is not None,
        run=lambda shell, _: _element(shell),
    ),
    Command(
        id="view.details",
        title="Show &Details",
        menu="View",
        under=EXPLAIN,
        help="Show all numbers of the selected item.",
        shortcuts=("Ctrl+D",),
        group=2,
        enabled=has_steps,
        run=lambda shell, _: shell.canvas.show_details(),
    ),
    Command(
        id="view.why",
        title=WHY,
        menu="View",
        under=EXPLAIN,
        help="Say why what is inspected is None, zero, not a number, large, not a leaf, not trained or of its shape.",
        shortcuts=("Ctrl+Alt+Y",),
        group=2,
        enabled=lambda state: moves.inspected(state) is not None,
        run=lambda shell, _: _why(shell),
    ),
    Command(
        id="view.source",
        title="Go to Its Line",
        menu="View",
        under=EXPLAIN,
        help="Move the cursor to the line that created the selected tensor or operation.",
        shortcuts=("F12",),
        group=2,
        enabled=_has_thing,
        run=lambda shell, _: _show_source(shell),
    ),
    Command(
        id="view.on_graph",
        title="Show Line on Graph",
        menu="View",
        under=EXPLAIN,
        help="Select what the current line created; repeat to cycle through several.",
        shortcuts=("Ctrl+F12",),
        group=2,
        enabled=has_steps,
        run=lambda shell, _: _show_on_graph(shell),
    ),
)
