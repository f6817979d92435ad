"""Why a tensor has no gradient, as far as the text of a snippet says it, not its steps: plain numbers that were taken
out of a tensor, and where requires_grad was switched off; a step that is named as a reason, and chains of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from gradviz.session.doctor import cuts, untrained
from gradviz.session.doctor.case import case_of
from gradviz.trace.table.frame import current_site
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import called_op
from gradviz.trace.table.trace import elsewhere_at
from gradviz.trace.table.values import number_text
from gradviz.trace.words.computation import computed
from gradviz.trace.words.explain import step_title
from gradviz.trace.words.reasons import no_grad_reason

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

T = TypeVar("T")

MOST = 8  # steps of a chain that are listed
_UNUSED = "no operation has used it"


@dataclass(frozen=True)
class Reason:
    """One step of a chain: its line, what happened in words, and the cursor that shows it."""

    line: int  # -1 if unknown
    text: str
    cursor: int
    file: str = ""  # in which the line is, if not in the one that was started

    @property
    def place(self) -> str:
        """ "line 12", "line 7 of model.py"; "" if unknown."""
        return f"line {self.line}{f' of {self.file}' if self.file else ''}" if self.line > 0 else ""


def shortened(chain: list[Reason]) -> tuple[Reason, ...]:
    """The start and end of a long chain."""
    return told_briefly(chain, lambda each: each)


def told_briefly(chain: list[T], say: Callable[[T], Reason]) -> tuple[Reason, ...]:
    """The start and end of a long chain in words, and how much is left out between them."""
    left_out = len(chain) - MOST
    if left_out <= 1:  # to say that one is left out takes as much room as to say it
        return tuple(map(say, chain))
    start, (first, *end) = map(say, chain[: MOST // 2]), map(say, chain[-MOST // 2 :])
    return (*start, replace(first, text=f"after {left_out} more, {first.text}"), *end)


def reason_at(trace: Trace, site: int, text: str, cursor: int) -> Reason:
    """The same at a site, which may be in another file than the one that was started."""
    row, files = elsewhere_at(trace, site), trace.elsewhere
    if row >= 0:
        return Reason(int(files.line[row]), text, cursor, str(trace.files.name[files.file[row]]))
    return Reason(int(trace.sites.line[site]) if site >= 0 else -1, text, cursor)


def step_of(frame: Frame, node: int, more: str = "") -> Reason:
    """The step in which an operation ran."""
    nodes = frame.trace.nodes
    outputs = [frame.name(each) for each in frame.trace.outputs_of(node).tolist()[:2]]
    inputs = [frame.name(each) for each in frame.trace.inputs_of(node).tolist()[:3]]
    made = f"{called_op(str(nodes.op[node]))} of {', '.join(inputs)}" if inputs else called_op(str(nodes.op[node]))
    text = f"{made} made {', '.join(outputs)}" if outputs else made
    return reason_at(frame.trace, int(nodes.site[node]), text + more, int(nodes.step[node]) + 1)


def created(frame: Frame, tensor: int, more: str = "") -> Reason:
    """The step in which a tensor came that no operation made: a .grad, when backward() wrote it."""
    trace, tensors, text = frame.trace, frame.trace.tensors, f"{frame.name(tensor)} was created{more}"
    row = trace.history("grads", "tensor").last(int(tensors.grad_of[tensor]), int(tensors.step[tensor]) + 1)
    if tensors.grad_of[tensor] >= 0 and row >= 0:
        step = int(trace.grads.step[row])
        return Reason(int(trace.steps.line[step]), text.replace("created", "written"), step + 1)
    return reason_at(frame.trace, int(tensors.site[tensor]), text, int(tensors.step[tensor]) + 1)


def rounded(factor: float) -> str:
    """A factor in two digits: "2.5", "7500"."""
    return number_text(float(f"{factor:.2g}"))


def reason_of(frame: Frame, tensor: int) -> str | None:
    """The first reason why `.grad` is None, None if there is a gradient: that of the trace, completed by the text."""
    reason = no_grad_reason(frame, tensor)
    if reason is not None and not frame.requires_grad(tensor):
        line = switched_off(frame, tensor) if reason.startswith("requires_grad=") else -1
        return f"{reason}, switched off on line {line}" if line > 0 else reason
    cut = number_taken(frame, tensor) if reason is not None else None
    if reason is None or cut is None:
        return reason
    told = f"line {cut.line} takes plain numbers out of it, which autograd does not follow"
    return reason.removesuffix(_UNUSED) + told


def number_taken(frame: Frame, tensor: int) -> cuts.Cut | None:
    """Where plain numbers were taken out of a tensor that no operation has used."""
    reason = no_grad_reason(frame, tensor) if frame.requires_grad(tensor) else None
    return cuts.number_taken(case_of(frame.trace), tensor) if reason is not None and reason.endswith(_UNUSED) else None


def switched_off(frame: Frame, tensor: int) -> int:
    """The line that switched off that a tensor requires grad, -1 if it is unknown."""
    return untrained.switched_off(case_of(frame.trace), tensor, frame.cursor)


def overwritten(frame: Frame, tensor: int, is_so: Callable[[Value], bool]) -> tuple[str, Reason] | None:
    """The write in place, since a tensor was made, that made its value so: what it did, as a sentence, and the step;
    None if the value was computed so."""
    trace = frame.trace
    for row in reversed(trace.history("writes", "tensor").before(tensor, frame.cursor).tolist()):
        step = int(trace.writes.step[row])
        before = trace.frame_at(step).value(tensor)
        if before is not None and is_so(before):
            continue
        node = int(trace.steps.node[step])
        if before is None or step < trace.tensors.step[tensor] or 0 <= node == trace.tensors.producer[tensor]:
            return None
        return _write(trace.frame_at(step + 1), tensor)
    return None


def _write(frame: Frame, tensor: int) -> tuple[str, Reason]:
    """The write in the current step, through which a tensor has another value."""
    trace, written = frame.trace, frame.current_tensor
    reason = reason_at(trace, current_site(frame), "", frame.cursor)
    if trace.steps.kind[frame.cursor - 1] != Kind.INPLACE or written < 0:
        text = f"{step_title(frame)} changed {frame.name(tensor)}"
        return f"{text}.", replace(reason, text=text)
    op = called_op(str(trace.nodes.op[frame.current_node])) if frame.current_node >= 0 else "a write"
    name, on = frame.name(written), f" on {reason.place}" if reason.place else ""
    shared = f", whose memory {frame.name(tensor)} shares" if written != tensor else ""
    why = f"{op}{on} overwrote {name}{shared}: it became {computed(frame, written)}."
    return why, replace(reason, text=f"{op} overwrote {name}")
