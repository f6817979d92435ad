"""What the user made: frozen records, pure edits, files. Knows nothing of runs, traces or windows. Start at
`snippet`."""
