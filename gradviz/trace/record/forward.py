"""The forward pass as reported by the engine: factories and operations, and everything that is overwritten: by in-place
operations, through views, by stored gradients, and what a write changes elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any

from gradviz.engine.kernel.rows import OpRow
from gradviz.trace.record.location import UNKNOWN
from gradviz.trace.record.rows import RowWriter, pack_plain, params_text, renamed, version_of
from gradviz.trace.table.encoding import PACK
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import BY_NUMPY, TABLES, UNSEEN
from gradviz.trace.table.tables import row_format

if TYPE_CHECKING:
    from gradviz.engine.kernel.dtypes import Array
    from gradviz.engine.kernel.graph import Node
    from gradviz.engine.kernel.tensor import Tensor


def _age(tensor: Tensor) -> int:
    """The number of a tensor, or one beyond all if it has none."""
    return tensor._tag if tensor._tag >= 0 else 1 << 62


_NUMPYS = OpRow(BY_NUMPY, ("self",), lambda x: x, {}, "", symbol="✎")


class Writes:
    """Tensors and gradients whose values change."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows
        self._graph_grads: dict[int, int] = {}  # by leaf, the .grad that has a graph, and was a tensor before

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
            rows.writer.add("grads", step, owner, rows.value_of(target), -1)
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
            owner = rows.grad_tensors.get(tracked_target._tag, -1)
            rows.add_tensor(tracked_target, step, number, 0, rows.storage_of(tracked_target._tag), site)
            if owner >= 0:
                rows.grad_tensors[tracked_target._tag] = owner
                self._graph_grads[owner] = tracked_target._tag
            if node.saved:
                rows.add_saved(node, step, number, outputs)
            if base is not None:
                self._remade_view(target, base, step, site)
        self.written(step, target, fresh=node is not None)

    def _remade_view(self, view: Tensor, base: Tensor, step: int, site: int) -> None:
        """A view through which its base was written gets a new history: `AsStridedBackward0` of the base."""
        rows = self._rows
        node = view._node
        if node is None:
            return
        number = len(rows.first_output)
        rows.first_output.append(rows.tensor_count)
        rows.add_node(node.row, [base], node, {}, site, step, number)
        rows.add_tensor(view, step, number, 0, rows.storage_of(base._tag), site)

    def written(self, step: int, tensor: Tensor, fresh: bool = False) -> None:
        """The memory of a tensor was overwritten; `fresh`: its row is new and already has the value."""
        rows = self._rows
        add = rows.writer.add
        if not fresh:
            add("writes", step, tensor._tag, rows.value_of(tensor), version_of(tensor))
        others = rows.memory.sharing(tensor)
        self.count_write(step, tensor, others)
        self._owner_changed(step, tensor)
        for each in others:
            if each._tag >= 0:
                add("writes", step, each._tag, rows.value_of(each), version_of(each))
                self._owner_changed(step, each)

    def count_write(self, step: int, tensor: Tensor, others: Sequence[Tensor]) -> None:
        """The row of a write to the memory that a tensor shares with others, with the version that saved buffers are
        compared with: the same as before, if NumPy wrote, or `.data`, which counts apart."""
        rows = self._rows
        oldest = min((tensor, *others), key=_age) if others else tensor
        rows.writer.add("versions", step, rows.storage_of(tensor._tag), version_of(oldest))

    def exported(self, tensor: Tensor) -> None:
        """NumPy has an array over the memory of a tensor, and of what the tensor was detached from."""
        each: Tensor | None = tensor
        while each is not None:
            self._rows.memory.enter(each)
            each = each.__dict__.get("_detached_from")

    def before_numpy_writes(self, array: Array) -> None:
        """What looks at this array gets its step with the value that it has now."""
        for each in self._rows.memory.over(array):
            self._rows.tensor_of(each)

    def numpy_wrote(self, array: Array) -> None:
        """NumPy overwrote the memory of tensors, which none of them counts."""
        rows = self._rows
        written = sorted((each for each in rows.memory.over(array) if each._tag >= 0), key=lambda each: each._tag)
        if not written:
            return
        first, number, site = written[0], len(rows.first_output), rows.sites.here(2)
        step = rows.add_step(Kind.INPLACE, number, first._tag, site, number)
        rows.first_output.append(rows.tensor_count)
        rows.add_node(_NUMPYS, [first], None, {}, site, step, number, reason=UNSEEN)
        self.count_write(step, first, written)
        for each in written:
            rows.writer.add("writes", step, each._tag, rows.value_of(each), version_of(each))
            self._owner_changed(step, each)

    def _owner_changed(self, step: int, tensor: Tensor) -> None:
        rows = self._rows
        owner = rows.grad_tensors.get(tensor._tag, -1)
        if owner >= 0:
            rows.writer.add("grads", step, owner, rows.value_of(tensor), tensor._tag)

    def grad_changed(self, step: int, tensor: Tensor, value: int = -1) -> None:
        """`.grad` of a tensor was replaced, or its value has changed: to the one with this index, if it is known."""
        rows = self._rows
        number, grad = rows.tensor_of(tensor), tensor._grad
        rows.grad_tensors.pop(self._graph_grads.pop(number, -1), None)
        if grad is None:
            rows.writer.add("grads", step, number, -1, -1)
            return
        if grad._tag == -1:
            grad._tag = -2 - number
        value = rows.value_of(grad) if value < 0 else value
        rows.writer.add("grads", step, number, value, max(grad._tag, -1))
        if grad._tag >= 0:
            rows.grad_tensors[grad._tag] = number
            self._graph_grads[number] = grad._tag
            rows.writer.add("writes", step, grad._tag, rows.value_of(grad), version_of(grad))


_FORWARD = int(Kind.FORWARD)
_NODE = Struct(row_format(TABLES["nodes"]))
_NAME, _SEQUENCE = 2, 7  # columns of `Nodes`
_pack_step = PACK["steps"]


class ForwardPass:
    """Factories and operations. Everything that each operation needs is an attribute here rather than looked up in the
    rows."""

    def __init__(self, rows: RowWriter, writes: Writes, made_anew: Callable[[int, int], None]) -> None:
        self._rows = rows
        self._writes = writes
        self._made_anew = made_anew  # is told both numbers of a tensor
        self._here, self._value = rows.sites.here, rows.value
        self._first_output, self._stack, self._op_texts = rows.first_output, rows.stack, rows.op_texts
        self._plain, self._steps = rows.compact.plain, rows.writer.rows["steps"]
        self._nothing = rows.nothing
        self._dull: Mapping[str, Any] = {}  # the latest parameters that produced no text

    def created(self, tensor: Tensor) -> None:
        """A factory made a tensor."""
        rows = self._rows
        same = next((each for each in rows.memory.sharing(tensor) if each._tag >= 0), None)
        storage = rows.storage_of(same._tag) if same is not None else -1
        site, number, before = self._here(2), rows.tensor_count, tensor._tag
        step = rows.add_step(Kind.LEAF, -1, number, site, number)
        rows.add_tensor(tensor, step, -1, 0, storage, site)
        rows.memory.enter(tensor)
        if before >= 0:
            self._made_anew(before, number)

    def forward(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
    ) -> None:
        """One operation ran."""
        rows = self._rows
        site = self._here(3)
        many = len(inputs)
        if node is None or row.shares or len(outputs) != 1 or many > 3 or outputs[0]._tag >= 0:
            self._general(row, inputs, outputs, node, params, site)
            return
        out = outputs[0]
        first = inputs[0]
        second = inputs[1] if many > 1 else None
        third = inputs[2] if many > 2 else None
        one = -1 if first is None else first._tag
        two = -1 if second is None else second._tag
        three = -1 if third is None else third._tag
        strange = (one < 0 and first is not None) or (two < 0 and second is not None)
        if strange or (three < 0 and third is not None) or out is first or out._on_meta:
            self._general(row, inputs, outputs, node, params, site)
            return
        shown = self._nothing
        if params and params is not self._dull:
            shown = rows.writer.text(", ".join(params_text(params)))
            if shown == self._nothing:
                self._dull = params
        number, tensor, step = len(self._first_output), rows.tensor_count, rows.step
        self._first_output.append(tensor)
        rows.tensor_count, rows.step = tensor + 1, step + 1
        node._tag, out._tag = number, tensor
        region = self._stack[-1]
        if region <= UNKNOWN:
            region = rows.region(step)
        op, name, symbol = self._op_texts.get(row) or rows.texts_of(row)
        self._plain += pack_plain(
            step, number, tensor, op, name, symbol, site, region, shown, node.sequence_nr, rows.call, one, two,
            three, self._value(out._data),
        )  # fmt: skip
        if node.saved:
            rows.add_saved(node, step, number, outputs)

    def shown_as(self, node: Node) -> None:
        """Correct the name of the node in the row of the latest operation."""
        nodes = self._rows.writer.rows["nodes"]
        fields = list(_NODE.unpack(nodes[-_NODE.size :])) if nodes else []
        if node._tag >= 0 and fields and fields[_SEQUENCE] == node.sequence_nr:
            fields[_NAME] = renamed(self._rows, node.row, node)
            nodes[-_NODE.size :] = _NODE.pack(*fields)

    def _general(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
        site: int,
    ) -> None:
        """Any operation, as rows of the full tables."""
        rows = self._rows
        is_known = bool(outputs) and outputs[0]._tag >= 0 and node is None
        if is_known or any(one is each for one in outputs[:1] for each in inputs):
            self._writes.in_place(row, inputs, outputs, node, params, site)
            return
        for each in inputs:
            if each is not None and each._tag < 0 and each._wrapped is None:
                rows.tensor_of(each)
        shown = outputs[: len(outputs) - row.hidden]
        step, number, tensor = rows.step, len(self._first_output), rows.tensor_count if shown else -1
        rows.add_node(row, inputs, node, params, site, step, number)
        rows.step = step + 1
        self._first_output.append(tensor)
        self._steps += _pack_step(_FORWARD, number, tensor, site, rows.call, number)
        if row.shares:
            rows.add_views(inputs[0], outputs, step, number, site)
        else:
            for nr, each in enumerate(shown):
                rows.add_tensor(each, step, number, nr, -1, site)
        if node is not None and node.saved:
            rows.add_saved(node, step, number, outputs)
