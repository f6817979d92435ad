"""The one exception for what a user did wrong. Its text is a sentence that is shown unchanged, where it happened."""

from __future__ import annotations


class UserError(Exception):
    """Raised before anything is changed; `str(error)` says what was given, what was expected and what to do."""
