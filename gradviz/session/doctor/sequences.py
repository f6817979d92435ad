"""Sequences whose samples a layer takes for their steps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Hit, fixes
from gradviz.session.doctor.losses import LOSSES
from gradviz.session.doctor.text import name_of


def batch_first(case: Case) -> Iterator[Hit]:
    """A recurrent or attention layer that takes the samples of a batch for the steps of one sequence, as what goes on
    takes them for samples: it is summed over dimension 1, or its last part there is taken, and the result has one row
    for each target."""
    trace, nodes = case.trace, case.trace.nodes
    layers = [call for call in case.calls if name_of(call) in _SEQUENTIAL and not _is_batch_first(case, call)]
    if len({name_of(call) for call in layers}) != 1:
        return
    for node in np.flatnonzero(np.isin(nodes.op, _POOLED)).tolist():
        read, made = case.read_by(node), case.output(node)
        shape, dim = case.shape(read[0]) if read else (), re.search(r"dim=\(?(-?\d+)", str(nodes.params[node]))
        if len(shape) != 3 or dim is None or int(dim[1]) % 3 != 1 or made not in case.below_roots:
            continue
        if nodes.op[node] == "select" and f"index={shape[1] - 1}" not in str(nodes.params[node]):
            continue
        if not _is_of_sequences(case, int(trace.tensors.producer[read[0]]), layers) or not _has_targets(case, made):
            continue
        call, kind = layers[0], name_of(layers[0])
        why = f"Without batch_first=True, {kind} takes dimension 0 of {shape} for the steps and dimension 1 for the "
        why += f"samples. Line {nodes.line[node]} and the {shape[0]} targets mean it the other way round: each sample "
        why += f"was mixed with the other {shape[0] - 1} of its batch."
        text: str | None = case.text
        for each in reversed(layers):
            text = edits.add_keyword(text, each.lineno, kind, "batch_first", "True") if text is not None else None
        marks = case.mark(node, "steps, not samples")
        cursor = int(nodes.step[node]) + 1
        yield Hit(call.lineno, cursor, why, "Make it with batch_first=True.", fixes(("batch_first=True", text)), marks)
        return


_SEQUENTIAL = ("LSTM", "GRU", "RNN", "MultiheadAttention", "TransformerEncoderLayer")


_POOLED = ("select", "mean", "sum", "amax", "max")


def _is_batch_first(case: Case, call: ast.Call) -> bool:
    given = [each.value for each in call.keywords if each.arg in ("batch_first", None)]
    return any(case.source(each) != "False" for each in given) or len(call.args) > 4


def _is_of_sequences(case: Case, node: int, layers: list[ast.Call]) -> bool:
    """Whether an operation is the last one of such a layer: in a module, on the only line that calls one."""
    trace = case.trace
    scope = str(trace.nodes.scope[node]).rpartition(".")[2] if node >= 0 else ""
    held = {case.source(s.targets[0]).rpartition(".")[2] for s in case.statements if isinstance(s, ast.Assign)
            and any(each in ast.walk(s.value) for each in layers)}  # fmt: skip
    kinds = {name_of(each) for each in layers} | {"norm1", "norm2", "self_attn", "out_proj"}
    return scope in held | kinds


def _has_targets(case: Case, tensor: int) -> bool:
    """Whether a loss compares what was computed from a tensor with as many targets as this has rows."""
    trace, queue, rows = case.trace, [tensor], case.shape(tensor)[:1]
    for each in queue:
        for user in trace.users_of(each).tolist()[:4]:
            read, made = case.read_by(user), trace.outputs_of(user).tolist()
            beside = read[1] if trace.nodes.op[user] in LOSSES and len(read) > 1 else -1
            if beside >= 0 and case.shape(beside)[:1] == rows and not trace.tensors.requires_grad[beside]:
                return True
            queue += [one for one in made if case.shape(one)[:1] == rows and len(queue) < 200]
    return False
