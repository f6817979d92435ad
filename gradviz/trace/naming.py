"""What the snippet calls a tensor at a moment: by its bindings, else by the expression that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.trace.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

LONGEST = 40  # characters of an expression that still serves as a name


class Naming:
    """Names of tensors for one length of the trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._history = trace.history("names", "tensor")
        self._ambiguous = self._find_ambiguous()

    def _find_ambiguous(self) -> set[str]:
        """Names of parameters that several modules use for different tensors."""
        names = self._trace.names
        first: dict[str, int] = {}
        found = set()
        for name, owner, tensor in zip(names.name, names.owner, names.tensor.tolist(), strict=True):
            if owner and first.setdefault(name, tensor) != tensor:
                found.add(name)
        return found

    def name(self, tensor: int, cursor: int) -> str:
        """The best name bound so far: the first plain variable, then the first element, then the first local
        variable."""
        names = self._trace.names
        # A leaf has one name throughout: a parameter is made before its module has a name.
        leaf = self._trace.tensors.producer[tensor] < 0
        rows = self._history.all(tensor) if leaf else self._history.before(tensor, cursor)
        if len(rows):
            row = rows[names.rank[rows].argmin()]
            name, owner = str(names.name[row]), str(names.owner[row])
            return f"{owner}.{name}" if owner and ("." not in name or name in self._ambiguous) else name
        return self._unnamed(tensor, cursor)

    def all(self, tensor: int, cursor: int) -> tuple[str, ...]:
        """Every name bound so far, in order, each once."""
        return tuple(dict.fromkeys(self._trace.names.name[self._history.before(tensor, cursor)].tolist()))

    def _unnamed(self, tensor: int, cursor: int) -> str:
        tensors, nodes = self._trace.tensors, self._trace.nodes
        owner = int(tensors.grad_of[tensor])
        if owner >= 0:
            return f"{self.name(owner, cursor)}.grad"
        label, producer = str(tensors.label[tensor]), int(tensors.producer[tensor])
        if producer >= 0:
            written = self._written(producer)
            if written >= 0:
                return self.name(written, cursor)
            if label and not self._inner(tensor, producer):
                return _short(label)
            scope, op, inputs = str(nodes.scope[producer]), str(nodes.op[producer]), self._trace.inputs_of(producer)
            if len(inputs) == 1:
                return f"{self.name(int(inputs[0]), cursor)}.{op}()"
            return f"{scope}: {op}" if scope else op
        return _short(label) if label else f"tensor {tensor}"

    def _written(self, producer: int) -> int:
        """The tensor that an in-place operation has overwritten, -1 for other operations."""
        trace, step = self._trace, int(self._trace.nodes.step[producer])
        in_place = step >= 0 and trace.steps.kind[step] == Kind.INPLACE and trace.steps.node[step] == producer
        return int(trace.inputs_of(producer)[0]) if in_place and len(trace.inputs_of(producer)) else -1

    def _inner(self, tensor: int, producer: int) -> bool:
        """Whether the expression goes on: its result is used by an operation of the same call, so it is the label
        of that."""
        nodes = self._trace.nodes
        return any(
            nodes.site[user] == nodes.site[producer] and nodes.step[user] == nodes.step[producer] + 1
            for user in self._trace.users_of(tensor)
        )


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
