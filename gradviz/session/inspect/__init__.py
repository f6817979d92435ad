"""Answers about a state that change nothing: what a thing is, where it came from, the chain rule to it, what was
searched."""
