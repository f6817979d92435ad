"""What is written of writes: operations in place, views whose base was written to, gradients that are stored, and what
a write changes elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradviz.trace.kinds import Kind
from gradviz.trace.rows import RowWriter, version_of

if TYPE_CHECKING:
    from gradviz.engine.graph import Node
    from gradviz.engine.rows import OpRow
    from gradviz.engine.tensor import Tensor


class Writes:
    """Tensors and gradients that get other values."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows

    def in_place(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
        site: int,
    ) -> None:
        """An operation wrote to its first operand."""
        rows = self._rows
        target = outputs[0] if outputs else None
        if target is not None and target._tag <= -2 and node is None and row.name in ("zero", "zero_", "fill", "fill_"):
            owner = -2 - target._tag
            step = rows.add_step(Kind.CLEAR_GRAD, -1, owner, site, rows.writer.count("grads"))
            rows.writer.add("grads", step, owner, rows.value(target._data), -1)
            return
        base = target._base if target is not None and node is not None else None
        if base is not None and target is not None:
            inputs = [base, *inputs[1:]]
        for each in inputs:
            if each is not None and each._wrapped is None:
                rows.tensor_of(each)
        number = len(rows.first_output)
        changed = rows.tensor_count if node is not None else -1 if target is None else target._tag
        step = rows.add_step(Kind.INPLACE, number, changed, site, number)
        tracked_target = base if base is not None else target
        rows.first_output.append(rows.tensor_count)
        name = "CopySlices" if base is not None else ""
        rows.add_node(row, inputs, node, params, site, step, number, name)
        if target is None or tracked_target is None:
            return
        if node is not None:
            history = tracked_target._node
            if history is not None:
                history._tag = number
            rows.add_tensor(tracked_target, step, number, 0, rows.storage_of(tracked_target._tag), site)
            if node.saved:
                rows.add_saved(node, step, number, outputs)
            if base is not None:
                self._remade_view(target, base, step, site)
        self.written(step, target, fresh=node is not None)

    def _remade_view(self, view: Tensor, base: Tensor, step: int, site: int) -> None:
        """A view whose base was written to through it has a new history: `AsStridedBackward0` of the base."""
        rows = self._rows
        node = view._node
        if node is None:
            return
        number = len(rows.first_output)
        rows.first_output.append(rows.tensor_count)
        rows.add_node(node.row, [base], node, {}, site, step, number)
        rows.add_tensor(view, step, number, 0, rows.storage_of(base._tag), site)

    def written(self, step: int, tensor: Tensor, fresh: bool = False) -> None:
        """The memory of a tensor was overwritten; `fresh`: its row is new and has the value already."""
        rows = self._rows
        add = rows.writer.add
        if not fresh:
            add("writes", step, tensor._tag, rows.value(tensor._data), version_of(tensor))
        add("versions", step, rows.storage_of(tensor._tag), version_of(tensor))
        self._owner_changed(step, tensor)
        for each in rows.memory.sharing(tensor):
            if each._tag >= 0:
                add("writes", step, each._tag, rows.value(each._data), version_of(each))
                self._owner_changed(step, each)

    def _owner_changed(self, step: int, tensor: Tensor) -> None:
        rows = self._rows
        owner = rows.grad_tensors.get(tensor._tag, -1)
        if owner >= 0:
            rows.writer.add("grads", step, owner, rows.value(tensor._data), tensor._tag)

    def grad_changed(self, step: int, tensor: Tensor) -> None:
        """`.grad` of a tensor is another one, or has another value."""
        rows = self._rows
        number, grad = rows.tensor_of(tensor), tensor._grad
        if grad is None:
            rows.writer.add("grads", step, number, -1, -1)
            return
        if grad._tag == -1:
            grad._tag = -2 - number
        rows.writer.add("grads", step, number, rows.value(grad._data), max(grad._tag, -1))
        if grad._tag >= 0:
            rows.writer.add("writes", step, grad._tag, rows.value(grad._data), version_of(grad))
