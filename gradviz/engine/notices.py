"""Warnings that PyTorch gives once in a process, or each time after `torch.set_warn_always(True)`."""

from __future__ import annotations

import warnings

from gradviz.engine.state import state


def warn_once(key: str, text: str, stacklevel: int = 4) -> None:
    """Warn with `text` unless that was done before under the same key."""
    if key not in state.warned or state.warn_always:
        state.warned.add(key)
        warnings.warn(text, UserWarning, stacklevel=stacklevel)
