"""What happened while a snippet ran, as data: recording it, holding it in columns, reading the state at any moment.
Nothing here runs a snippet or draws; start with `schema.py` (the tables), then `trace.py` and `frame.py`."""
