"""A trace in columns: `schema` declares them, `encoding` carries them through the pipe and refuses what is malformed,
`Trace` holds them, and `Frame` is the state at a moment. The wording is elsewhere."""
