"""The arguments of the backward call in progress at the cursor, as one line of text. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.session.state import State

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

OFF, ON = "☐", "☑"


def call_texts(state: State) -> tuple[str, ...]:
    """Ways to write the call, longest first: with every argument, with the flags and what was given, with only what was
    given. Empty outside a backward call."""
    if state.trace is None or not state.cursor:
        return ()
    frame = state.trace.frame(state.cursor)
    if frame.call < 0 or not frame.in_call:
        return ()
    name, parts = _arguments(state.trace, frame.call)
    flags = [part for part, given in parts if given or OFF in part]
    given = [part for part, given in parts if given]
    return tuple(dict.fromkeys(_written(name, some) for some in ([part for part, _ in parts], flags, given)))


def _written(name: str, parts: list[str]) -> str:
    return f"{name}( {'  '.join(parts)} )" if parts else f"{name}()"


def _arguments(trace: Trace, call: int) -> tuple[str, list[tuple[str, bool]]]:
    """The function, and each argument with whether it differs from its default."""
    is_grad = "grad(" in str(trace.calls.source[call])
    roots = trace.roots.value[trace.roots.call == call]
    passed = bool((roots >= 0).any())
    wanted = trace.wanted_by(call).tolist()
    frame = trace.frame(int(trace.calls.step[call]) + 1)
    names = ", ".join(frame.name(tensor) for tensor in wanted)
    gradient = "grad_outputs" if is_grad else "gradient"
    parts = [
        (f"{gradient}={'given' if passed else 'None'}", passed),
        _flag("retain_graph", bool(trace.calls.retain_graph[call])),
        _flag("create_graph", bool(trace.calls.create_graph[call])),
        (f"inputs={names or 'all'}", bool(wanted)),
    ]
    return "autograd.grad" if is_grad else "backward", parts


def _flag(name: str, on: bool) -> tuple[str, bool]:
    return f"{name} {ON if on else OFF}", on
