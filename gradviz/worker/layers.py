"""Every layer that contains a snippet, by the name under which a worker reports it: what it does, and on which system.

The table in `docs/safety.md` and the sentences in the window come from here; whether a layer holds is never guessed,
it is what the running worker said when it was ready (`WorkerPool.layers`). Who closes them: `oslock`, `starting`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

SYSTEMS = ("Linux", "macOS", "Windows")
OPEN_DOORS = (
    "Here the system does not close files and network to a run, only the rules and the audit hook do, and rules can "
    "have holes: run only what you would trust with reading your files."
)
UNKNOWN = "What contains snippets on this system is known once the first worker is ready."


@dataclass(frozen=True)
class Layer:
    """One layer: the key in READY, its name for people, what it stops, what it is on each of `SYSTEMS` ("" where there
    is none), and whether by it the system itself stops reading files and using the network."""

    key: str
    title: str
    stops: str
    on: tuple[str, str, str]
    shuts_doors: bool = False


@dataclass(frozen=True)
class Row:
    """How one layer stands in the running worker."""

    title: str
    holds: bool
    detail: str
    stops: str


_ALWAYS = ("yes", "yes", "yes")

LAYERS = (
    Layer(
        "language",
        "language rules",
        "whatever is not an allowed name, import or kind of statement is refused with its line before anything runs",
        _ALWAYS,
    ),
    Layer(
        "audit hook",
        "audit hook",
        "files, programs, sockets, frames and imports from disk are refused while a snippet runs, should it get past "
        "the language",
        _ALWAYS,
    ),
    Layer(
        "limits",
        "resource limits",
        "no new process, no written file, bounded memory and processor time",
        ("yes", "yes; memory only by watching", ""),
    ),
    Layer(
        "descriptors",
        "no new descriptors",
        "the kernel opens no further file, pipe or socket for the worker",
        ("yes", "yes", ""),
        shuts_doors=True,
    ),
    Layer(
        "landlock",
        "Landlock",
        "the kernel refuses every path, TCP port and signal to others",
        ("from kernel 5.13; TCP from 6.7, signals from 6.12", "", ""),
        shuts_doors=True,
    ),
    Layer(
        "seccomp",
        "seccomp",
        "the kernel refuses every system call that computing does not need: open, socket, fork, exec, ptrace, …",
        ("x86-64 and ARM64", "", ""),
        shuts_doors=True,
    ),
    Layer(
        "sandbox",
        "sandbox-exec",
        "the kernel refuses network, written files, new processes, and reading the folders of users",
        ("", "yes", ""),
        shuts_doors=True,
    ),
    Layer(
        "job",
        "Job object",
        "the kernel refuses a second process, bounds memory and processor time, and ends the worker with the program",
        ("", "", "yes"),
    ),
    Layer(
        "low integrity",
        "low integrity",
        "the kernel refuses writing to the files, registry and windows of the user; reading stays possible",
        ("", "", "yes"),
    ),
    Layer(
        "mitigations",
        "process mitigations",
        "no new executable memory, no program started, no library from the network",
        ("", "", "yes"),
    ),
)


def rows(layers: Mapping[str, str]) -> list[Row]:
    """The layers that a worker reported, in the order of `LAYERS`, with what each stops."""
    return [
        Row(layer.title, state == "on" or state.startswith("on ("), _detail(state), layer.stops)
        for layer in LAYERS
        if (state := layers.get(layer.key)) is not None
    ]


def _detail(state: str) -> str:
    if state.startswith("on ("):
        return state[4:].removesuffix(")")
    return state.removeprefix("absent: ") if state != "on" else ""


def sentence(layers: Mapping[str, str]) -> str:
    """What holds on this system, what is missing, and whether doors stay open, in a few sentences."""
    known = rows(layers)
    if not known:
        return UNKNOWN
    text = f"This system: snippets are contained by {_listed([_named(row) for row in known if row.holds])}."
    missing = [_named(row) for row in known if not row.holds]
    more = [f"Missing here: {_listed(missing)}."] if missing else []
    return " ".join(filter(None, [text, *more, open_doors(layers)]))


def open_doors(layers: Mapping[str, str]) -> str:
    """What to say where no lock of the system stops reading files and using the network, "" where one does."""
    held = {row.title for row in rows(layers) if row.holds}
    are_shut = any(layer.shuts_doors for layer in LAYERS if layer.title in held)
    return "" if are_shut or not held else OPEN_DOORS


def _named(row: Row) -> str:
    return f"{row.title} ({row.detail})" if row.detail else row.title


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "nothing"


def table() -> str:
    """The table "What holds on which system" as Markdown."""
    head = f"| layer | what it stops | {' | '.join(SYSTEMS)} |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(
        f"| {layer.title} | {layer.stops} | {' | '.join(each or '–' for each in layer.on)} |\n" for layer in LAYERS
    )


if __name__ == "__main__":
    sys.stdout.write(table())
