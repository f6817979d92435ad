"""`torch.save` and `torch.load` without a disk: what a run saves under a name it can load again, and then it is
gone."""

from __future__ import annotations

import copy
import errno
import os
from typing import Any

from gradviz.engine.observe import paused


class SavedFiles:
    """The "files" of one run: copies of objects, by name."""

    def __init__(self) -> None:
        self._held: dict[str, Any] = {}

    def forget(self) -> None:
        """As on an empty disk."""
        self._held.clear()

    def names(self) -> dict[str, Any]:
        """The functions for the torch stand-in."""

        def save(obj: Any, f: str, *rest: object, **options: object) -> None:
            with paused():
                self._held[_name(f)] = copy.deepcopy(obj)

        def load(f: str, *rest: object, **options: object) -> Any:
            name = _name(f)
            if name not in self._held:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
            with paused():
                return copy.deepcopy(self._held[name])

        return {"save": save, "load": load}


def _name(file: object) -> str:
    if not isinstance(file, str):
        raise TypeError("torch.save and torch.load take the name of a file in GradViz snippets")
    return str.__str__(file)
