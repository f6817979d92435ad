"""How a condition fails: it is wrong (a sentence for its author), or a step has nothing that it could be about. Read
`conditions` next."""

from __future__ import annotations


class ConditionError(ValueError):
    """A sentence that says what is wrong, and the character at which it is."""

    def __init__(self, sentence: str, column: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.column = column


class AbsentError(Exception):
    """At this step there is nothing that a name could mean, so the condition does not hold."""
