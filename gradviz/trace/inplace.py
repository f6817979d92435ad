"""The in-place half of the forward pass: writes, views whose base was written to, and what a write changes
elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradviz.trace.encoding import PACK
from gradviz.trace.kinds import Kind
from gradviz.trace.row_recorder import RowRecorder, version_of

if TYPE_CHECKING:
    from gradviz.engine.graph import Node
    from gradviz.engine.rows import OpRow
    from gradviz.engine.tensor import Tensor


_pack_node, _pack_input = (PACK[name] for name in ("nodes", "inputs"))


class InPlaceRecorder(RowRecorder):
    """Adds writes."""

    def before_write(self, tensor: Tensor) -> None:
        """Memory is about to be overwritten: gradients that are remembered are no longer what they were."""
        self._last = self._before_last = (None, -1)

    def _in_place(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
        site: int,
    ) -> None:
        target = outputs[0] if outputs else None
        if target is not None and target._tag <= -2 and node is None and row.name in ("zero", "zero_", "fill", "fill_"):
            owner = -2 - target._tag
            step = self.add_step(Kind.CLEAR_GRAD, -1, owner, site, self.writer.count("grads"))
            self.writer.add("grads", step, owner, self.value(target._data), -1)
            return
        base = target._base if target is not None and node is not None else None
        if base is not None and target is not None:
            inputs = [base, *inputs[1:]]
        for each in inputs:
            if each is not None and each._wrapped is None:
                self.tensor_of(each)
        number = len(self.first_output)
        changed = self._tensor_count if node is not None else -1 if target is None else target._tag
        step = self.add_step(Kind.INPLACE, number, changed, site, number)
        tracked_target = base if base is not None else target
        self.first_output.append(self._tensor_count)
        name = "CopySlices" if base is not None else ""
        self._add_node(row, inputs, node, params, site, step, number, name)
        if target is None or tracked_target is None:
            return
        if node is not None:
            history = tracked_target._node
            if history is not None:
                history._tag = number
            self._add_tensor(tracked_target, step, number, 0, self.storage_of(tracked_target._tag), site)
            if node.saved:
                self._add_saved(node, step, number, outputs)
            if base is not None:
                self._remade_view(target, base, step, site)
        self.written(step, target, fresh=node is not None)

    def _remade_view(self, view: Tensor, base: Tensor, step: int, site: int) -> None:
        """A view whose base was written to through it has a new history: `AsStridedBackward0` of the base."""
        node = view._node
        if node is None:
            return
        number = len(self.first_output)
        self.first_output.append(self._tensor_count)
        self._add_node(node.row, [base], node, {}, site, step, number)
        self._add_tensor(view, step, number, 0, self.storage_of(base._tag), site)

    def written(self, step: int, tensor: Tensor, fresh: bool = False) -> None:
        """The memory of a tensor was overwritten; `fresh`: its row is new and has the value already."""
        add = self.writer.add
        if not fresh:
            add("writes", step, tensor._tag, self.value(tensor._data), version_of(tensor))
        add("versions", step, self.storage_of(tensor._tag), version_of(tensor))
        self._owner_changed(step, tensor)
        for each in self._memory.sharing(tensor):
            if each._tag >= 0:
                add("writes", step, each._tag, self.value(each._data), version_of(each))
                self._owner_changed(step, each)

    def _owner_changed(self, step: int, tensor: Tensor) -> None:
        owner = self._grad_tensors.get(tensor._tag, -1)
        if owner >= 0:
            self.writer.add("grads", step, owner, self.value(tensor._data), tensor._tag)

    def grad_changed(self, step: int, tensor: Tensor) -> None:
        """`.grad` of a tensor is another one, or has another value."""
        number, grad = self.tensor_of(tensor), tensor._grad
        if grad is None:
            self.writer.add("grads", step, number, -1, -1)
            return
        if grad._tag == -1:
            grad._tag = -2 - number
        self.writer.add("grads", step, number, self.value(grad._data), max(grad._tag, -1))
        if grad._tag >= 0:
            self.writer.add("writes", step, grad._tag, self.value(grad._data), version_of(grad))

    def adopt_node(self, node: Node) -> int:
        """A node that was made while nobody watched gets a row when it runs."""
        number = len(self.first_output)
        made = -1
        self.first_output.append(made)
        node._tag = number
        text = self.writer.text
        for slot, (before, nr) in enumerate(node.next_functions):
            variable = None if before is None else before._leaf
            if variable is not None:
                tensor = self.tensor_of(variable)
            else:
                tensor = self.first_output[before._tag] if before is not None and before._tag >= 0 else -1
                tensor += nr if tensor >= 0 else 0
            if tensor >= 0:
                self._inputs += _pack_input(number, slot, tensor)
        name = node.name().removeprefix("torch::autograd::")
        self._nodes += _pack_node(
            self.step - 1,
            text(name),
            text(name),
            text(""),
            -1,
            self.region(self.step - 1),
            self._nothing,
            node.sequence_nr,
            self.call,
            0,
        )
        return number
