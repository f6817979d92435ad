"""What happened while a snippet ran, as data. In the worker, `record` writes it down; `table` holds it in columns and
reads the state at any moment; `words` puts it into sentences. A plot that a snippet showed is a `figures.Figure`.
Nothing here runs a snippet or draws; start with `table/schema.py` (the tables), then `table/trace.py` and
`table/frame.py`."""
