"""Every layer that contains a snippet, by the name under which a worker reports it: what it does, and on which system.

The table in `docs/safety.md` and the sentences in the window come from here; whether a layer holds is never guessed,
but reported by the running worker when it was ready (`WorkerPool.layers`). Who applies them: `oslock`, `starting`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

SYSTEMS = ("Linux", "macOS", "Windows")
OPEN_DOORS = (
    "Here the locks of the system leave something open ({}), and only the rules and the audit hook are before it. "
    "Rules can have holes: run only what you would trust with your files."
)
UNTRIED = "no worker has tried them"
_UNSEEN = (
    "The locks of {} follow its documentation and have not been seen at work on a real {} yet: run only what you "
    "would trust with reading your files."
)
# by `sys.platform`; until somebody has seen them work there
CAUTIONS = {"win32": _UNSEEN.format("Windows", "Windows computer"), "darwin": _UNSEEN.format("macOS", "Mac")}
UNKNOWN = "What contains snippets on this system is known once the first worker is ready."


@dataclass(frozen=True)
class Layer:
    """One layer: the key in READY, its display name, what it stops, and what it is on each of `SYSTEMS` ("" if it does
    not exist there)."""

    key: str
    title: str
    stops: str
    on: tuple[str, str, str]


@dataclass(frozen=True)
class Row:
    """The state of one layer in the running worker."""

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
        "files, programs, sockets, frames, lists of objects, C functions and imports from disk are refused from before "
        "the first snippet until the process ends, should it get past the language; nothing opens it again",
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
    ),
    Layer(
        "landlock",
        "Landlock",
        "the kernel refuses to open, make, rename or remove any file, every TCP port, and signals to others",
        ("from kernel 5.13; TCP from 6.7, signals from 6.12", "", ""),
    ),
    Layer(
        "seccomp",
        "seccomp",
        "the kernel refuses all system calls but sixteen; none takes a path, opens, starts or connects anything",
        ("x86-64 and ARM64", "", ""),
    ),
    Layer(
        "sandbox",
        "sandbox-exec",
        "the kernel refuses network, writing, other processes, and every file but Python's, GradViz's and libraries",
        ("", "yes", ""),
    ),
    Layer(
        "restricted token",
        "restricted token",
        "the kernel grants the worker no file, registry key, socket or process; a disk without rights (FAT) stays open",
        ("", "", "yes"),
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
        "the kernel refuses writing to the files, registry and windows of the user",
        ("", "", "yes"),
    ),
    Layer(
        "mitigations",
        "process mitigations",
        "no new executable memory, no program started, no library from the network",
        ("", "", "yes"),
    ),
    Layer(
        "trial",
        "trial",
        "each worker tries to open a file, to ask for one, to open a socket and to start a process, and says what "
        "it could",
        _ALWAYS,
    ),
)


def merged(inside: Mapping[str, str], outside: Mapping[str, str]) -> dict[str, str]:
    """Merge what a worker says of its layers with what its parent knows of those it applied from outside: one that was
    left out is absent for the parent's reason; one that both know holds if the worker says so."""
    left_out = {key: state for key, state in outside.items() if state.startswith("absent")}
    return {**outside, **inside, **left_out}


def rows(layers: Mapping[str, str]) -> list[Row]:
    """Return the layers that a worker reported, in the order of `LAYERS`, with what each stops."""
    return [
        Row(layer.title, state == "on" or state.startswith("on ("), _detail(state), layer.stops)
        for layer in LAYERS
        if (state := layers.get(layer.key)) is not None
    ]


def _detail(state: str) -> str:
    if state.startswith("on ("):
        return state[4:].removesuffix(")")
    return state.removeprefix("absent: ") if state != "on" else ""


def sentence(layers: Mapping[str, str], system: str = sys.platform) -> str:
    """Return, in a few sentences, what holds on this system, what is missing, and whether doors stay open."""
    known = rows(layers)
    if not known:
        return UNKNOWN
    text = f"This system: snippets are contained by {_listed([_named(row) for row in known if row.holds])}."
    missing = [_named(row) for row in known if not row.holds]
    more = [f"Missing here: {_listed(missing)}."] if missing else []
    return " ".join(filter(None, [text, *more, open_doors(layers), caution(system)]))


def open_doors(layers: Mapping[str, str]) -> str:
    """Return what to say if a worker could open a file, a socket or a process when its locks were closed, "" if it
    could not."""
    known = rows({"trial": layers.get("trial", f"absent: {UNTRIED}")})[0]
    return "" if known.holds or not layers else OPEN_DOORS.format(known.detail)


def caution(system: str = sys.platform) -> str:
    """Return what to say above a file from elsewhere if the locks were never seen at work, "" if they were."""
    return CAUTIONS.get(system, "")


def _named(row: Row) -> str:
    return f"{row.title} ({row.detail})" if row.detail else row.title


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "nothing"


def table() -> str:
    """Return the table "What holds on which system" as Markdown."""
    head = f"| layer | what it stops | {' | '.join(SYSTEMS)} |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(
        f"| {layer.title} | {layer.stops} | {' | '.join(each or '–' for each in layer.on)} |\n" for layer in LAYERS
    )


if __name__ == "__main__":
    sys.stdout.write(table())
