"""What a tooltip says: everything that a card had to shorten, in full."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from gradviz.ui.canvas.diagram import OPERATION, Diagram

if TYPE_CHECKING:
    from gradviz.trace.frame import Frame

LONGEST_VALUE = 600


def tooltip(diagram: Diagram, frame: Frame, item: int) -> str:
    """The tooltip of an item, as rich text."""
    index = int(diagram.index[item])
    title, rows = _operation(frame, index) if diagram.kind[item] == OPERATION else _tensor(frame, index)
    body = "".join(
        f"<tr><td>{escape(label)}&nbsp;&nbsp;</td><td><tt>{escape(text)}</tt></td></tr>" for label, text in rows if text
    )
    return f"<b>{escape(title)}</b><table>{body}</table>"


def _tensor(frame: Frame, tensor: int) -> tuple[str, list[tuple[str, str]]]:
    tensors = frame.trace.tensors
    value, grad, passing, buffer = frame.value(tensor), frame.grad(tensor), frame.passing(tensor), frame.buffer(tensor)
    rows = [
        ("type", f"{tensors.dtype[tensor]} {list(tensors.shape[tensor])}"),
        ("value", value.text(LONGEST_VALUE) if value is not None else ""),
        (".grad", grad.text(LONGEST_VALUE) if grad is not None else "None"),
        ("∇ passing", passing.text(LONGEST_VALUE) if passing is not None else ""),
        ("why", frame.no_grad_reason(tensor) or ""),
    ]
    if buffer is not None and buffer.expected > 1:
        parts = " + ".join(part.text(80) for _, part in buffer.contributions)
        rows.append(("input buffer", f"{parts} = {buffer.total.text(80)}, {buffer.arrived} of {buffer.expected}"))
    version = frame.version(tensor)
    rows.append(("version", str(version) if version else ""))
    line = int(tensors.line[tensor])
    rows.append(("line", str(line) if line > 0 else ""))
    return frame.name(tensor), rows


def _operation(frame: Frame, node: int) -> tuple[str, list[tuple[str, str]]]:
    nodes = frame.trace.nodes
    rows = [
        ("code", str(nodes.source[node])),
        ("parameters", str(nodes.params[node])),
        ("module", str(nodes.scope[node])),
        ("line", str(int(nodes.line[node])) if nodes.line[node] > 0 else ""),
    ]
    for saved in frame.saved(node):
        note = f", saved at version {saved.version_saved}, now {saved.version_now}" if saved.state == "stale" else ""
        rows.append((f"saved {saved.name}", f"{saved.state}, {saved.nbytes} bytes{note}"))
    if not nodes.name[node]:
        rows.append(("graph", "not recorded: no gradient can flow through it"))
    return str(nodes.name[node] or nodes.op[node]), rows
