"""What there is to say of a run before its first step: how much it has of what. Pure; see `inspection` for a thing."""

from __future__ import annotations

from gradviz.session.inspection import Inspection, Section, row
from gradviz.session.state import State
from gradviz.session.strip import size_text


def overview(state: State) -> Inspection | None:
    """The run in numbers, None before there is one."""
    trace = state.trace
    if trace is None or not state.steps:
        return None
    import numpy as np

    leaves = trace.tensors.is_leaf.astype(bool) & trace.tensors.requires_grad.astype(bool)
    elements = sum(int(np.prod(trace.tensors.shape[tensor])) for tensor in np.flatnonzero(leaves).tolist())
    tracked = int((trace.nodes.sequence_nr >= 0).sum())
    rows = (
        row("steps", f"{state.steps:,}"),
        row("operations", f"{len(trace.nodes):,}, {tracked:,} with a grad_fn"),
        row("leaves", f"{int(leaves.sum()):,} that require grad, {elements:,} elements"),
        row("backward", f"{len(trace.calls):,} call{'' if len(trace.calls) == 1 else 's'}"),
        row("buffers", f"{size_text(int(trace.held_bytes.max(initial=0)))} at most"),
    )
    return Inspection("This run", (Section("", rows),))
