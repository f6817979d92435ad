"""What a snippet may do, said to a person: Help > Safety, and "What may it do?" above a file that comes from elsewhere.
The policy itself is in `gradviz.worker.policy`, the locks of each system in `gradviz.worker.layers`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gradviz.ui import look
from gradviz.ui.theme import Theme
from gradviz.worker.layers import UNKNOWN, caution, open_doors, rows
from gradviz.worker.limits import Limits

MODULES = """torch numpy math random itertools functools collections typing dataclasses time copy""".split()
ALLOWED = (
    "compute with tensors, define modules and functions, print, and ask for input in a dialog",
    "import {modules} and a few more of Python's that compute only; matplotlib's plots are drawn in this window",
)
REFUSED = (
    "read or write files: it has none, and nothing of a run is kept unless you save it",
    "use the network, start processes or threads, see the environment, your name or your settings",
    "reach the inside of Python or of GradViz, or leave anything behind for the next run",
)
OWN_PYTHON = (
    "This can't be switched off: no setting, option or file changes it. To run code without it, use a Python of your "
    "own, and only code that you trust: <code>import gradviz.torch as torch</code> is this engine without the policy; "
    "with PyTorch installed, <code>python FILE.py</code> in a terminal is the real one."
)
OPENING = (
    "Opening a file never runs it, unless it is one of the examples or you have saved or run just this content on this "
    "computer before. What comes from elsewhere waits for Run. Editing it does not change that."
)


def safety_html(layers: Mapping[str, str], limits: Limits, theme: Theme) -> str:
    """The page; `layers` are those of the latest worker, empty before there was one."""
    head = f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:14px 0 4px 0'>{{}}</p>".format
    modules = ", ".join(f"<code>{name}</code>" for name in MODULES)
    return "".join((
        head("Opening is not running"),
        f"<p>{OPENING}</p>",
        head("A snippet or drawing that runs may"),
        _list(text.format(modules=modules) for text in ALLOWED),
        head("It can't"),
        _list(REFUSED),
        head("It is stopped"),
        _list(_bounds(limits)),
        head("What holds it on this computer"),
        _layers(layers),
        head("If you want open Python"),
        f"<p>{OWN_PYTHON}</p>",
    ))  # fmt: skip


def _bounds(limits: Limits) -> tuple[str, ...]:
    return (
        f"after {limits.wall_seconds:g} seconds, or {limits.cpu_seconds:g} seconds of computing",
        f"with more than {limits.memory_mb:,} MB of memory",
        f"with more than {limits.steps:,} steps or {limits.output_chars:,} printed characters",
    )


def _layers(layers: Mapping[str, str]) -> str:
    lines = []
    for row in rows(layers):
        detail = f" ({look.escape(row.detail)})" if row.detail else ""
        title = f"<span style='font-weight:600'>{'' if row.holds else 'missing: '}{row.title}</span>{detail}"
        lines.append(f"{title}: {row.stops}")
    if not lines:
        return f"<p>{UNKNOWN}</p>"
    said = " ".join(filter(None, (open_doors(layers), caution())))
    return f"{_list(lines)}<p>{look.escape(said)}</p>"


def _list(lines: Iterable[str]) -> str:
    return f"<ul style='margin:0'>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
