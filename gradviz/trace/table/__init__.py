"""A trace in columns: `schema` declares them, `encoding` carries them through the pipe and refuses what does not fit,
`Trace` holds them and `Frame` is the state at a moment. Nothing here knows how it is said."""
