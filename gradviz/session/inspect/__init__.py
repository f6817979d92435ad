"""Queries that change nothing: what a thing is, where it came from, the chain rule that leads to it, and search."""
