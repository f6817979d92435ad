"""One escape or abuse: a snippet with places for what it aims at, and its class; the sections of
`tests/worker/escapes.py` become such records, too. `every_attack` is all lists together; `harness` tries them, `page`
publishes what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from tests.worker.escapes import ESCAPES

# the first entry of each section of that list -> the class
SECTIONS = {
    "import os": "Imports",
    "subclasses": "Dunder walks",
    "getattr": "Dunder walks by name",
    "gi_frame": "Frames and tracebacks",
    "format": "Format strings",
    "except star": "Syntax and names that hide guards",
    "array interface": "Classes that lie to C code",
    "patch torch": "Changing what the next run uses",
    "data of a tensor": "Private names of PyTorch's objects",
    "tofile": "NumPy's files, memory and foreign functions",
    "torch.load": "Files by way of torch",
    "print to an own file": "print",
    "KeyboardInterrupt": "Exceptions",
}
# what the namespace of a snippet's module has beside its own names
HIDDEN = "__builtins__ __dict__ __class__ __globals__ __loader__ __spec__ <get> <write> <star> <vars> <s> <n>".split()


@dataclass(frozen=True)
class Attack:
    """`by_parent` marks what the program's own clock, counters and memory limit must end, `freely` what may be tried
    where nothing holds it."""

    kind: str
    name: str
    source: str
    by_parent: bool = False
    freely: bool = False
    files: tuple[tuple[str, str], ...] = ()  # that are attached, by name

    @property
    def label(self) -> str:
        """Its name in a test's parameters."""
        return f"{self.kind}: {self.name}"


def listed(kind: str, sources: Mapping[str, str], by_parent: bool = False, freely: bool = False) -> list[Attack]:
    """The attacks of one class."""
    return [Attack(kind, name, source, by_parent, freely) for name, source in sources.items()]


def language_attacks() -> list[Attack]:
    """Those of `tests/worker/escapes.py`."""
    kind = ""
    found = []
    for name, source in ESCAPES.items():
        kind = SECTIONS.get(name, kind)
        found.append(Attack(kind, name, source))
    return found


def every_attack() -> list[Attack]:
    """All of them, those of a class together."""
    from tests.escapes.addresses_in_methods import ADDRESSES_IN_METHODS
    from tests.escapes.addresses_in_texts_of_c import ADDRESSES_IN_TEXTS_OF_C
    from tests.escapes.asking import ASKING
    from tests.escapes.attributes_by_name import ATTRIBUTES_BY_NAME
    from tests.escapes.codecs_and_pickles import CODECS_AND_PICKLES
    from tests.escapes.door import DOOR
    from tests.escapes.dropped_while_used import DROPPED_WHILE_USED
    from tests.escapes.encoded_texts import ENCODED_TEXTS
    from tests.escapes.entered_again import ENTERED_AGAIN
    from tests.escapes.found import FOUND
    from tests.escapes.freed_memory import FREED_MEMORY
    from tests.escapes.hostile_objects import HOSTILE_OBJECTS
    from tests.escapes.imports_that_find_nothing import IMPORTS_THAT_FIND_NOTHING
    from tests.escapes.inside_searches import INSIDE_SEARCHES
    from tests.escapes.iterators_and_encoders import ITERATORS_AND_ENCODERS
    from tests.escapes.kept_beside_names import KEPT_BESIDE_NAMES
    from tests.escapes.machine import MACHINE
    from tests.escapes.names_as_data import NAMES_AS_DATA
    from tests.escapes.objects_of_other_classes import OBJECTS_OF_OTHER_CLASSES
    from tests.escapes.packages_inside import PACKAGES_INSIDE
    from tests.escapes.pandas_and_data_sets import PANDAS_AND_DATA_SETS
    from tests.escapes.spies import SPIES
    from tests.escapes.storages_and_games import STORAGES_AND_GAMES
    from tests.escapes.strain import STRAIN
    from tests.escapes.tables import TABLES
    from tests.escapes.wrappers_and_attributes import WRAPPERS_AND_ATTRIBUTES

    attacks = [
        *(*MACHINE, *ASKING, *STRAIN, *language_attacks(), *SPIES, *FOUND, *NAMES_AS_DATA, *KEPT_BESIDE_NAMES),
        *(*IMPORTS_THAT_FIND_NOTHING, *OBJECTS_OF_OTHER_CLASSES, *ATTRIBUTES_BY_NAME, *ADDRESSES_IN_METHODS),
        *(*ADDRESSES_IN_TEXTS_OF_C, *FREED_MEMORY, *DROPPED_WHILE_USED, *ITERATORS_AND_ENCODERS, *HOSTILE_OBJECTS),
        *(*INSIDE_SEARCHES, *ENCODED_TEXTS, *DOOR, *PACKAGES_INSIDE, *STORAGES_AND_GAMES, *CODECS_AND_PICKLES, *TABLES),
        *(*PANDAS_AND_DATA_SETS, *WRAPPERS_AND_ATTRIBUTES, *ENTERED_AGAIN),
    ]
    order = list(dict.fromkeys(each.kind for each in attacks))
    return sorted(attacks, key=lambda each: order.index(each.kind))


def by_kind(attacks: list[Attack]) -> list[tuple[str, list[Attack]]]:
    """The classes in order."""
    return [(kind, list(several)) for kind, several in groupby(attacks, key=lambda each: each.kind)]
