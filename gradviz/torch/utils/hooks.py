"""`torch.utils.hooks`: what registering a hook returns."""

from __future__ import annotations

from gradviz.engine.graph import RemovableHandle

__all__ = ["RemovableHandle"]

RemovableHandle.__module__ = "torch.utils.hooks"  # what a snippet sees when it prints the type
