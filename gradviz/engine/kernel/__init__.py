"""The foundations of the engine: the tensor and its element type, the memory that holds its numbers, the graph of nodes
and what they save, what a row of an operation is, and the state of the run.

Read `tensor.py` (what a value is), `rows.py` (what an operation is) and `graph.py` (what a node is). Nothing here runs
an operation: that is `gradviz.engine.run`."""
