"""How often memory was written to: saved buffers compare it, views share it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.engine.tensor import Tensor


class VersionCounter:
    """Counts the in-place writes to one piece of memory; views and detached tensors share it."""

    __slots__ = ("value", "views")

    def __init__(self) -> None:
        self.value = 0
        self.views: list[weakref.ref[Tensor]] = []  # those of a base that did not require grad when they were made

    def note_view(self, view: Tensor) -> None:
        """Remember a view, to tell it when its base comes to require grad."""
        views = self.views
        if len(views) > 64 and len(views) & (len(views) - 1) == 0:
            self.views = views = [ref for ref in views if ref() is not None]
        views.append(weakref.ref(view))

    def now_tracked(self, base: Tensor) -> None:
        """The base requires grad from now on, and so do its views."""
        for ref in self.views:
            view = ref()
            if view is not None and view._base is base:
                view._requires_grad = True
        self.views = []
