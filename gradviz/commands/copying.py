"""Copying the inspected tensor's value at the cursor, as text for PyTorch or NumPy code."""

from __future__ import annotations

from gradviz.commands.row import Shell
from gradviz.session.moves import inspected
from gradviz.session.state import State
from gradviz.session.values import numpy_text, torch_text

SHOWN = 60  # characters of the copied text that the notice repeats


def has_value(state: State) -> bool:
    """True if the inspector shows a tensor."""
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
