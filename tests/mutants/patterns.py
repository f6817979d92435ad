"""The guards of class patterns, which read attributes past the hooks."""

from __future__ import annotations

from tests.mutants.rows import W, worker

_TEST = W + "test_patterns.py::test_"

PATTERNS = (
    worker(
        "language/policy",
        "names in class patterns",
        'if name.startswith("_"):\n                self._refuse(f"{name} can\'t be used in a class pattern"',
        'if False:\n                self._refuse(f"{name} can\'t be used in a class pattern"',
        _TEST + "a_private_name_is_refused",
    ),
    worker(
        "language/policy",
        "class patterns that read a hooked name",
        "for each in (*_stand_ins(case.pattern), case)]",
        "for each in (case,)]",
        _TEST + "no_pattern_reads_what_is_not_for_a_snippet",
    ),
    worker(
        "language/patterns",
        "a pattern's engine names that a class has replaced",
        "is_pythons or is_engines_name(cls, name) or guard",
        "is_pythons or guard",
        _TEST + "what_a_class_has_instead_is_not_taken_away_before_the_reading",
    ),
    worker(
        "language/patterns",
        "a pattern's names of Python's",
        "is_pythons or is_engines_name",
        "is_engines_name",
        _TEST + "no_pattern_reads_what_is_not_for_a_snippet",
    ),
    worker(
        "language/patterns",
        "a pattern's names that are closed",
        " or guard.is_closed(thing, name)",
        "",
        _TEST + "no_pattern_reads_what_is_not_for_a_snippet",
    ),
    worker(
        "language/classes",
        "places of a pattern that are private",
        "if private is not None:",
        "if False:",
        _TEST + "places_that_a_class_can_not_have",
    ),
    worker(
        "language/classes",
        "places of a pattern that are no texts",
        "if type(given) is not tuple or not all(type(each) is str for each in given):",
        "if False:",
        _TEST + "places_that_a_class_can_not_have",
    ),
)
