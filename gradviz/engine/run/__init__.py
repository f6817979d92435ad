"""How operations and backward passes run: `apply.py` (one operation), `inplace.py` (a write), `backward.py` (the loop),
`function.py` (operations that a snippet defines), and how functions get the names that snippets call (`api.py`). What
nodes and rows are is in `gradviz.engine.kernel`."""
