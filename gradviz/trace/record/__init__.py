"""What happens in the worker while a snippet runs, written into the tables: `instrument` rewrites the snippet so that
it says what its names are bound to, `recorder` observes the engine."""
