"""GradViz shows what `backward()` does, one node at a time, over its own autograd engine. Start at
`gradviz.__main__`."""

from pathlib import Path

__version__ = "0.1.0"

_INSIDE = Path(__file__).resolve().parent / "resources"  # in a wheel; otherwise beside the package
RESOURCES = _INSIDE if _INSIDE.is_dir() else _INSIDE.parents[1] / "resources"
