"""The guards of class patterns, which read attributes past the hooks; of dicts, which C code reads by places and kinds
that they had before; and of addresses, for which a snippet gets other numbers."""

from __future__ import annotations

from tests.mutants.rows import W, found, worker

_TEST = W + "test_patterns.py::test_"
_MEMORY = found("Found: addresses of memory")
_TAKEN_FOR_TEXTS = found("Found: keys of a dict that are taken for texts")

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
    worker(
        "objects/python_types",
        "a dict that is emptied in a search",
        '    (dict, "clear", emptied_key_by_key),\n',
        "",
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "objects/python_types",
        "a dict that is filled in a search",
        '    (dict, "update", filled_key_by_key),\n',
        "",
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "objects/python_types",
        "a dict that is filled by |= in a search",
        '    others += [(dict, "__ior__", filled_key_by_key)]\n',
        "",
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "language/guard",
        "a dict that is begun again in a search",
        'beginning(getattr(thing, "__init__"))',
        'getattr(thing, "__init__")',
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "objects/kept_memory",
        "a dict with defaults that is begun again in a search",
        "for each in (dict.__init__, collections.defaultdict.__init__)",
        "for each in (dict.__init__,)",
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "objects/kept_memory",
        "names that fill a dict in a search",
        "        for name, value in named.items():\n            dict.__setitem__(self, name, value)\n",
        "        original(self, **named)\n",
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "objects/kept_memory",
        "a dict that another one takes over in a search",
        "[*dict(each).items()] if isinstance(each, dict) else each for",
        "each for",
        _TAKEN_FOR_TEXTS,
    ),
    worker(
        "objects/ordered_tables",
        "a dict that is gone through backwards",
        '        put(each, "__reversed__", _of_what_was_there)\n',
        "        pass\n",
        found("Found: a dict that shrinks while it is gone through backwards"),
    ),
)

ADDRESSES = (
    worker(
        "objects/identity",
        "addresses as identities",
        "number = self._numbers[address] = _FIRST + _STEP * self._count",
        "number = self._numbers[address] = address",
        W + "test_identity.py::test_what_is_printed_is_the_same_every_time",
    ),
    worker(
        "objects/python_types",
        "addresses in texts",
        "    change_types()\n",
        "",
        found("Found: addresses in texts that C code makes"),
        found("Found: addresses in errors"),
    ),
    worker(
        "objects/type_slots",
        "addresses in texts of objects of all classes",
        "for heir in {cls, *heirs(cls)} - {Stack}:",
        "for heir in {cls} - {Stack}:",
        found("Found: addresses in texts that C code makes"),
    ),
    worker(
        "objects/hardening",
        "addresses of memory, whatever a class or mode answers",
        '    method("data_ptr")(_data_ptr)\n',
        "",
        _MEMORY,
    ),
    worker(
        "objects/identity",
        "addresses of memory without elements",
        "        if not address:\n            return 0\n",
        "",
        _MEMORY,
    ),
)
