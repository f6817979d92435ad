"""One escape or abuse: a snippet with places for what it aims at, and its class; the sections of
`tests/worker/escapes.py` become such records, too. `every_attack` is all lists together; `harness` tries them, `page`
publishes what became of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from gradviz.worker.process.forking import SIGNALS_ARE_LOST
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
    from tests.escapes.asking import ASKING
    from tests.escapes.door import DOOR
    from tests.escapes.eighteenth_look import EIGHTEENTH
    from tests.escapes.eighth_look import EIGHTH
    from tests.escapes.eleventh_look import ELEVENTH
    from tests.escapes.fifteenth_look import FIFTEENTH
    from tests.escapes.fifth_look import FIFTH
    from tests.escapes.found import FOUND
    from tests.escapes.fourteenth_look import FOURTEENTH
    from tests.escapes.fourth_look import FOURTH
    from tests.escapes.machine import MACHINE
    from tests.escapes.ninth_look import NINTH
    from tests.escapes.second_look import SECOND
    from tests.escapes.seventeenth_look import SEVENTEENTH
    from tests.escapes.seventh_look import SEVENTH
    from tests.escapes.sixteenth_look import SIXTEENTH
    from tests.escapes.sixth_look import SIXTH
    from tests.escapes.spies import SPIES
    from tests.escapes.strain import STRAIN
    from tests.escapes.tables import TABLES
    from tests.escapes.tenth_look import TENTH
    from tests.escapes.third_look import THIRD
    from tests.escapes.thirteenth_look import THIRTEENTH
    from tests.escapes.twelfth_look import TWELFTH

    looks = [*FOUND, *SECOND, *THIRD, *FOURTH, *FIFTH, *SIXTH, *SEVENTH, *EIGHTH, *NINTH, *TENTH, *ELEVENTH]
    looks += [*TWELFTH, *THIRTEENTH, *FOURTEENTH]
    attacks = [*MACHINE, *ASKING, *STRAIN, *language_attacks(), *SPIES, *looks, *DOOR, *FIFTEENTH, *SIXTEENTH]
    attacks += [*TABLES, *SEVENTEENTH, *EIGHTEENTH]
    order = list(dict.fromkeys(each.kind for each in attacks))
    return sorted(attacks, key=lambda each: order.index(each.kind))


def may_end(kind: str) -> bool:
    """Whether attacks of a class may end the worker here: where what a thread forks gets no signals, its stack is that
    of the system."""
    return kind == "Found: ends of long chains" and sys.version_info >= SIGNALS_ARE_LOST


def by_kind(attacks: list[Attack]) -> list[tuple[str, list[Attack]]]:
    """The classes in order."""
    return [(kind, list(several)) for kind, several in groupby(attacks, key=lambda each: each.kind)]
