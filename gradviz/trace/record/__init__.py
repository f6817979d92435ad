"""Recording in the worker while a snippet runs: `instrument` rewrites the snippet so that it reports what its names are
bound to, and `recorder` observes the engine."""
