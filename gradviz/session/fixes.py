"""The fixes of explained errors that a machine can make: one row per error message, each giving the changed text or
None. Why the error happened is explained by `gradviz.trace.errors`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.document import edits


@dataclass(frozen=True)
class Fault:
    """What a fix may look at: the text, the line that raised, the line that the explanation wants changed (-1:
    none)."""

    text: str
    line: int
    fix_line: int
    message: str


def _retain_graph(fault: Fault) -> str | None:
    for function in ("backward", "grad"):
        text = edits.add_keyword(fault.text, fault.fix_line, function, "retain_graph", "True")
        if text is not None:
            return text
    return None


def _ones(fault: Fault) -> str | None:
    root = edits.receiver(fault.text, fault.line, "backward")
    if root is None:
        return None
    return edits.insert_argument(fault.text, fault.line, "backward", f"torch.ones_like({root})")


def _matrix(fault: Fault) -> str | None:
    arguments = edits.call_arguments(fault.text, fault.line, "mm")
    place = 1 if fault.message.startswith("mat2") else 0
    if len(arguments) != 2:
        return None
    new = f"{arguments[place]}.unsqueeze({place})"
    return edits.replace_expression(fault.text, fault.line, arguments[place], new)


def _out_of_place(fault: Fault) -> str | None:
    return edits.out_of_place(fault.text, fault.fix_line)


def _no_grad(fault: Fault) -> str | None:
    return edits.under_no_grad(fault.text, fault.line)


def _allow_unused(fault: Fault) -> str | None:
    return edits.add_keyword(fault.text, fault.line, "grad", "allow_unused", "True")


FIXES: tuple[tuple[str, Callable[[Fault], str | None]], ...] = (
    (r"backward through the graph a second time", _retain_graph),
    (r"grad can be implicitly created only for scalar outputs", _ones),
    (r"must be a matrix", _matrix),
    (r"modified by an inplace operation", _out_of_place),
    (r"leaf Variable .*in-place operation", _no_grad),
    (r"appears to not have been used in the graph", _allow_unused),
)


def fixed_text(fault: Fault) -> str | None:
    """The snippet with the fix made, None where no fix is known for this message or this code."""
    for pattern, fix in FIXES:
        if re.search(pattern, fault.message):
            return fix(fault)
    return None
