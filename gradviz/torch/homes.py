"""The modules that PyTorch keeps things in: `torch.optim.adam.Adam`, `torch.distributions.normal.Normal`. Our files are
divided differently; this gives a class the module name that it prints in PyTorch, and makes the module importable."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any


def rehome(parent: str, homes: Mapping[str, Sequence[Any] | Mapping[str, object]], *, keep: bool = False) -> None:
    """Make `parent.<home>` for each home with the classes and functions that PyTorch has there, by their own names or
    by the given ones; with `keep` they go on printing under their present names."""
    package = parent.removeprefix("gradviz.")  # PyTorch's name of it
    for home, things in homes.items():
        name = f"{parent}.{home}"
        module = sys.modules.get(name)
        if module is None:
            module = sys.modules[name] = types.ModuleType(name)
            module.__doc__ = f"Like PyTorch's `{package}.{home}`."
        named = things if isinstance(things, Mapping) else {thing.__name__: thing for thing in things}
        for key, thing in named.items():
            vars(module)[key] = thing
            if not keep:
                thing.__module__ = f"{package}.{home}"
        vars(sys.modules[parent]).setdefault(home, module)
