"""What the state of a scheduler holds of a callable object that the user gave it. Next: `lr_scheduler`."""

from __future__ import annotations

import sys
from typing import Any


def own_values(fn: Any) -> dict[str, Any]:
    """The attributes of a callable object of the user's own class; Python's and PyTorch's objects have none."""
    known = {"torch", "gradviz", "numpy", *sys.stdlib_module_names}
    roots = [str.__str__(cls.__module__).split(".")[0] for cls in type(fn).__mro__[:-1]]
    return {} if any(root in known for root in roots) else fn.__dict__
