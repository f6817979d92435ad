"""`docs/escapes.md` as text: every escape and abuse that is tried, and what each layer does with it, measured now.

Made by `python -m tests.escapes.page > docs/escapes.md`. `table` reads such a page again, for the test that says
whether it is current.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping

from tests.escapes.attack import Attack, by_kind, every_attack
from tests.escapes.harness import CONTAINED, ENDED, INSIDE, LAYERS, OUT, Bench

NOT_MEASURED = "–"
_INTRODUCTION = """# Escapes and abuses

Made by `python -m tests.escapes.page > docs/escapes.md`; do not edit. The kernel column was measured on
{kernel}.

{count} snippets that try to get out of their worker, or to use it up. Each was run in a worker of its own against
real things outside: a file with a secret in a folder, a listening port, another process with an environment.
`tests/escapes` tries them all against each layer with every run of the tests, so that no layer hides a hole in
another.

* **all**: the worker as it is shipped.
* **language**: the policy over the syntax tree and its guards alone: no audit hook, no limits of the system, no
  Landlock, no seccomp. What the expressions of a snippet come to is looked at, too: to hold an object that no snippet
  may hold counts as *inside*, whatever is done with it.
* **kernel**: the locks of the system alone, in a worker that has forgotten where it is: the snippet runs as plain
  Python with Python's own builtins, NumPy itself and the engine as torch, without policy and without audit hook.
* **parent**: nothing but the program's own clock, counters and memory limit, which hold in the other columns, too.
  What they are not for is tried here to see that the attack is a real one: it gets out where nothing holds it. Not
  tried are the attacks on the language's own rules, which are nothing to plain Python, and one that would set the
  clock.

What the words mean: *contained*: it did not do what it wants; most end with a refusal or an error. *ended*:
the program or the kernel ended the process, the person got one sentence, and the next run works. *inside*: it
got past Python's surface and reached nothing but its own process, which dies with the run; nothing outside was
read or changed. *OUT*: it reached or learned something outside, be it that a file is there, its size, or the folder
where Python is. There is none, but in the last column.

A class called *Found* holds doors that were open in this policy until it was attacked with the source at hand;
they were shut, and stay here as tests. Expect more: that is why there are two fences, and a process that is
thrown away.

Known and open: no number and no text that a snippet gets is made of an address, but the order of a set of functions or
classes is: Python sorts them into its table by where they lie. No way from an address is known. Python,
NumPy and the engine's C code have mistakes of their own: they could damage the memory of the worker, and nothing else.
One of Python's, by which a dict or a set reads another table that has come to lie where its own lay while it compares
a key, is shut by giving no memory back as long as a method of a snippet runs in such a search.

The change logs and advisories of RestrictedPython and asteval are in the list as tests: CVE-2023-37271 (*Frames
and tracebacks*), CVE-2023-41039, CVE-2024-47532 and CVE-2026-76825 (*Format strings*), CVE-2025-22153 and
CVE-2026-55830 (*Syntax and names that hide guards*), lazy imports and `ag_*` of 8.5 (*Imports*, *Frames and
tracebacks*), iteration in C past a guard of 9.0 (nothing here relies on guarded iteration; *Dunder walks by
name* has `map` of getattr and of str.format); asteval's issues 32 and 86 and GHSA-vp47-9734-prjw (*Dunder
walks*, *Private names of PyTorch's objects*).

"""


def measure(attacks: list[Attack], say: bool = False) -> dict[str, dict[str, str]]:
    """layer -> label -> verdict."""
    found: dict[str, dict[str, str]] = {}
    for layer in LAYERS:
        tried = [each for each in attacks if layer != "parent" or each.by_parent or each.freely]
        bench = Bench(layer)
        try:
            results = bench.attempt_all(tried)
        finally:
            bench.close()
        found[layer] = dict.fromkeys((each.label for each in attacks), NOT_MEASURED)
        found[layer] |= {each.label: result.verdict for each, result in zip(tried, results, strict=True)}
        if say:
            sys.stderr.write(f"{layer}: {dict(Counter(found[layer].values()))}\n")
    return found


def page(attacks: list[Attack], measured: Mapping[str, Mapping[str, str]]) -> str:
    """The whole file."""
    system = os.uname()
    parts = [
        _INTRODUCTION.format(
            count=len(attacks), kernel=f"{system.sysname} {system.release.partition('-')[0]}, {system.machine}"
        )
    ]
    parts.append(_summary(attacks, measured))
    for kind, several in by_kind(attacks):
        rows = [_row(f"`{each.name}`", [measured[layer][each.label] for layer in LAYERS]) for each in several]
        parts.append(f"\n## {kind}: {len(several)}\n\n" + _head("attack") + "".join(rows))
    return "".join(parts)


def _summary(attacks: list[Attack], measured: Mapping[str, Mapping[str, str]]) -> str:
    """The classes, and how many each layer contains of each."""
    rows = []
    for kind, several in [*by_kind(attacks), ("**together**", attacks)]:
        cells = [_counted(Counter(measured[layer][each.label] for each in several)) for layer in LAYERS]
        rows.append(_row(f"{kind}: {len(several)}", cells))
    return _head("class") + "".join(rows)


def _counted(verdicts: Counter[str]) -> str:
    order = (CONTAINED, ENDED, INSIDE, OUT)
    return ", ".join(f"{verdicts[each]} {each}" for each in order if verdicts[each]) or NOT_MEASURED


def _head(first: str) -> str:
    return _row(first, LAYERS) + _row("---", ["---"] * len(LAYERS))


def _row(first: str, cells: object) -> str:
    return f"| {first} | {' | '.join(cells)} |\n"  # type: ignore[arg-type]


def table(text: str) -> dict[str, dict[str, str]]:
    """layer -> label -> verdict, from a page."""
    found: dict[str, dict[str, str]] = {layer: {} for layer in LAYERS}
    kind = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"## (.+): \d+", line):
            kind = heading[1]
        elif row := re.fullmatch(r"\| `(.+)` \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|", line):
            for layer, verdict in zip(LAYERS, row.groups()[1:], strict=True):
                found[layer][f"{kind}: {row[1]}"] = verdict
    return found


if __name__ == "__main__":
    every = every_attack()
    sys.stdout.write(page(every, measure(every, say=True)))
