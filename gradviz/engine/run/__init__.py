"""How operations and backward passes run: `apply.py` (one operation), `inplace.py` (a write), `backward.py` (the loop),
`function.py` (custom functions), and how functions get the names that snippets call (`api.py`). Nodes and rows are
defined in `gradviz.engine.kernel`."""
