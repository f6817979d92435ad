"""GradViz shows what `backward()` does, one node at a time, over its own autograd engine. Start at
`gradviz.__main__`."""

__version__ = "0.1.0"
