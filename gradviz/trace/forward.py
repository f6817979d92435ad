"""The forward pass as the engine reports it: factories and operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradviz.trace.compact import pack_plain
from gradviz.trace.encoding import PACK
from gradviz.trace.inplace import Writes
from gradviz.trace.kinds import Kind
from gradviz.trace.region_stack import UNKNOWN
from gradviz.trace.rows import RowWriter, params_text

if TYPE_CHECKING:
    from gradviz.engine.graph import Node
    from gradviz.engine.rows import OpRow
    from gradviz.engine.tensor import Tensor


_FORWARD = int(Kind.FORWARD)
_pack_step = PACK["steps"]


class ForwardPass:
    """Factories and operations. What every operation needs is at hand, not looked up in the rows."""

    def __init__(self, rows: RowWriter, writes: Writes) -> None:
        self._rows = rows
        self._writes = writes
        self._here, self._value = rows.sites.here, rows.value
        self._first_output, self._stack, self._op_texts = rows.first_output, rows.stack, rows.op_texts
        self._plain, self._steps = rows.compact.plain, rows.writer.rows["steps"]
        self._nothing = rows.nothing
        self._dull: Mapping[str, Any] = {}  # the last parameters that there was nothing to tell of

    def created(self, tensor: Tensor) -> None:
        """A factory made a tensor."""
        rows = self._rows
        same = next((each for each in rows.memory.sharing(tensor) if each._tag >= 0), None)
        storage = rows.storage_of(same._tag) if same is not None else -1
        site, number = self._here(2), rows.tensor_count
        step = rows.add_step(Kind.LEAF, -1, number, site, number)
        rows.add_tensor(tensor, step, -1, 0, storage, site)
        rows.memory.enter(tensor)

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
        if node is None or row.view or len(outputs) != 1 or many > 3 or outputs[0]._tag >= 0:
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
        if strange or (three < 0 and third is not None) or out is first:
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

    def _general(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
        site: int,
    ) -> None:
        """Any operation, in rows of the full tables."""
        rows = self._rows
        if not outputs or outputs[0]._tag >= 0 or any(outputs[0] is each for each in inputs):
            self._writes.in_place(row, inputs, outputs, node, params, site)
            return
        for each in inputs:
            if each is not None and each._tag < 0 and each._wrapped is None:
                rows.tensor_of(each)
        step, number, tensor = rows.step, len(self._first_output), rows.tensor_count
        rows.add_node(row, inputs, node, params, site, step, number)
        rows.step = step + 1
        self._first_output.append(tensor)
        self._steps += _pack_step(_FORWARD, number, tensor, site, rows.call, number)
        if row.view:
            rows.add_views(inputs[0], outputs, step, number, site)
        else:
            for nr, each in enumerate(outputs[: len(outputs) - row.hidden]):
                rows.add_tensor(each, step, number, nr, -1, site)
        if node is not None and node.saved:
            rows.add_saved(node, step, number, outputs)
