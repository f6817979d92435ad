"""Every guard of the program, each with the edit that takes it away and the tests that miss it. The text that is edited
stands in its file just once; where two guards stop the same thing, the tests are those of this one alone.

A guard that is added gets a row in `rules`, `classes`, `patterns`, `locks`, `brought` or `systems`; one that is
changed, another edit. `python -m tests.mutants` tries them."""

from __future__ import annotations

from tests.mutants.brought import BROUGHT
from tests.mutants.classes import CLASSES
from tests.mutants.locks import FILES, LIMITS, LOCKS, READERS
from tests.mutants.patterns import ADDRESSES, PATTERNS
from tests.mutants.rules import AT_RUN_TIME, INTRUDERS, LANGUAGE, MODULES, NUMPY
from tests.mutants.systems import SYSTEMS

_RULES = (*LANGUAGE, *PATTERNS, *ADDRESSES, *AT_RUN_TIME, *CLASSES, *MODULES, *INTRUDERS, *NUMPY, *BROUGHT)
GUARDS = (*_RULES, *LOCKS, *SYSTEMS, *LIMITS, *READERS, *FILES)
