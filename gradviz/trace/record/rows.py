"""The rows about tensors and operations, and the numbers that these get. The other parts of the recorder share them:
`forward` and `recorder` say what is reported when. The two most frequent reports are short rows until a batch is taken
(`Compact`), and for writes the tensors that share memory are looked up (`Memory`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel import conjugates
from gradviz.engine.kernel.memory import held_bytes
from gradviz.engine.kernel.saved import Saved
from gradviz.engine.kernel.state import identity, state
from gradviz.trace.record.location import UNKNOWN, RegionStack, Sites
from gradviz.trace.table.encoding import PACK, Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import CUT_OFF, NOT_DIFFERENTIABLE, NOTHING_REQUIRES, SWITCHED_OFF, TABLES
from gradviz.trace.table.tables import row_dtype
from gradviz.trace.table.values import MATRIX

if TYPE_CHECKING:
    from gradviz.engine.kernel.graph import Node
    from gradviz.engine.kernel.rows import OpRow
    from gradviz.engine.kernel.tensor import Tensor


Array = NDArray[Any]

_PLAIN = (
    "step", "node", "tensor", "op", "name", "symbol", "site", "region", "params", "sequence_nr", "call",
    "first", "second", "third", "value",
)  # fmt: skip
_KEPT = ("step", "node", "name", "tensor", "version")
_RAN = ("step", "node", "site", "call", "first", "second", "freed")

pack_plain = Struct("<" + "i" * len(_PLAIN)).pack
pack_kept = Struct("<" + "i" * len(_KEPT)).pack
pack_ran = Struct("<" + "i" * len(_RAN)).pack


class Compact:
    """Short rows since the last batch: an operation on up to three recorded tensors with one result of its own, and a
    node that ran backward and possibly freed its buffers. When a batch is taken, they are expanded into rows of
    `steps`, `nodes`, `inputs`, `tensors`, `flows` and `frees`, all at once."""

    def __init__(self, storage: dict[int, int]) -> None:
        self._storage = storage  # of a tensor, if it differs from the tensor's own number
        self.plain = bytearray()
        self.kept = bytearray()
        self.ran = bytearray()
        self._starts = {"steps": 0, "nodes": 0, "tensors": 0, "frees": 0}

    def expand(self, rows: dict[str, bytearray]) -> None:
        """Expand the short rows into the full tables. Rows there that have a number of their own (steps, nodes,
        tensors) lack those of the short rows, which fill the gaps in order."""
        plain = np.frombuffer(bytes(self.plain), [(name, "<i4") for name in _PLAIN])
        ran = np.frombuffer(bytes(self.ran), [(name, "<i4") for name in _RAN])
        if len(plain) or len(ran):
            forward = _rows("steps", plain, kind=int(Kind.FORWARD), ref=plain["node"])
            backward = _rows("steps", ran, kind=int(Kind.BACKWARD), tensor=-1, ref=ran["node"])
            freed = ran[ran["freed"] != 0]
            after = freed["step"] + 1
            row = self._starts["frees"] + np.arange(len(freed))
            frees = _rows("steps", freed, kind=int(Kind.FREE), tensor=-1, ref=row)
            rows["frees"] += _rows("frees", freed, step=after).tobytes()
            numbers = np.concatenate([plain["step"], ran["step"], after])
            self._place(rows, "steps", np.concatenate([forward, backward, frees]), numbers)
            self._place(rows, "nodes", _rows("nodes", plain, reason=0), plain["node"])
            made = _rows(
                "tensors", plain, producer=plain["node"], output_nr=0, storage=plain["tensor"], version=0,
                requires_grad=True, is_leaf=False, is_parameter=False, grad_of=-1,
            )  # fmt: skip
            self._place(rows, "tensors", made, plain["tensor"])
            _pairs(rows, "inputs", plain, "tensor", ("node", "slot"))
            _pairs(rows, "flows", ran, "value", ("step", "slot"))
            self.plain.clear()
            self.ran.clear()
        self._expand_kept(rows)
        for name in self._starts:
            self._starts[name] += len(rows[name]) // row_dtype(TABLES[name]).itemsize

    def _expand_kept(self, rows: dict[str, bytearray]) -> None:
        """Buffers that are tensors, whose sizes the reader knows."""
        kept = np.frombuffer(bytes(self.kept), [(name, "<i4") for name in _KEPT])
        if len(kept):
            find = self._storage.get
            storage = [find(tensor, tensor) for tensor in kept["tensor"].tolist()] if self._storage else kept["tensor"]
            new = _rows("saved", kept, value=-1, nbytes=0, storage=storage)
            merged = np.concatenate([np.frombuffer(bytes(rows["saved"]), new.dtype), new])
            rows["saved"][:] = merged[np.argsort(merged["node"], kind="stable")].tobytes()
            self.kept.clear()

    def _place(self, rows: dict[str, bytearray], table: str, new: Array, numbers: Array) -> None:
        full = np.frombuffer(bytes(rows[table]), new.dtype)
        merged = np.empty(len(full) + len(new), new.dtype)
        gap = np.ones(len(merged), bool)
        at = numbers - self._starts[table]
        gap[at] = False
        merged[at] = new
        merged[gap] = full
        rows[table][:] = merged.tobytes()


def _rows(table: str, short: Array, **fixed: Any) -> Array:
    """Full rows from short ones: columns with the same names, and constant ones."""
    made = np.zeros(len(short), row_dtype(TABLES[table]))
    for column in made.dtype.names or ():
        made[column] = fixed[column] if column in fixed else short[column]
    return made


def _pairs(rows: dict[str, bytearray], table: str, short: Array, column: str, order: tuple[str, str]) -> None:
    """One full row for each of `first`, `second` and `third` that is present, merged into the table in order."""
    dtype = row_dtype(TABLES[table])
    parts = [np.frombuffer(bytes(rows[table]), dtype)]
    for slot, name in enumerate(("first", "second", "third")):
        if name not in (short.dtype.names or ()):
            continue
        there = short[short[name] >= 0]
        parts.append(_rows(table, there, slot=slot, **{column: there[name]}))
    merged = np.concatenate(parts)
    rows[table][:] = merged[np.lexsort((merged[order[1]], merged[order[0]]))].tobytes()


_Sharers = dict[int, dict[int, ref[Any]]]  # by the memory, then by the tensor


class Memory:
    """Which tensors share memory: a write to one changes the values of all. Only tensors that can share are registered,
    leaves and views, by the array that owns their memory; they are not kept alive."""

    def __init__(self) -> None:
        self._tensors: _Sharers = {}
        self._detached: _Sharers = {}

    def detached(self, tensor: Any) -> None:
        """Remember a tensor that has no step yet, but shares memory that may be overwritten before it gets one."""
        _enter(self._detached, tensor)

    def waiting_for(self, written: Any) -> list[Any]:
        """Those of them that share the memory of this tensor, which is about to be overwritten."""
        kept = self._detached.pop(_owner(written._data), {}) if self._detached else {}
        return [each for each in _living(kept) if each._tag == -1]

    def enter(self, tensor: Any) -> None:
        """Remember that this tensor looks at its memory."""
        _enter(self._tensors, tensor)

    def is_shared(self, array: Array) -> bool:
        """Whether a tensor looks at the memory of a NumPy array."""
        if not self._tensors and not self._detached:
            return False
        owner = _owner(array)
        return owner in self._tensors or owner in self._detached

    def over(self, array: Array) -> list[Tensor]:
        """The living tensors whose elements may overlap with those of a NumPy array."""
        found = (*_over(self._tensors, array), *_over(self._detached, array))
        return list({identity(each): each for each in found}.values())

    def every(self) -> list[Any]:
        """All that are alive."""
        return [each for entries in list(self._tensors.values()) for each in _living(entries)]

    def sharing(self, tensor: Any) -> list[Any]:
        """The other living tensors whose elements may overlap with those of this one."""
        data = tensor._data
        entries = self._tensors.get(_owner(data))
        is_alone = entries is None or (len(entries) == 1 and identity(tensor) in entries)
        found = [] if is_alone else _over(self._tensors, data)
        if conjugates.known:
            found += [each for _, follower in conjugates.followers(data) for each in _over(self._tensors, follower)]
        return [each for each in found if each is not tensor]


def _owner(data: Array) -> int:
    """Identifies the memory: views of views lead to the same array."""
    base = data.base
    while isinstance(base, np.ndarray):
        data, base = base, base.base
    return identity(data)


def _enter(known: _Sharers, tensor: Any) -> None:
    """A tensor leaves by itself when it dies: a data set has as many views as rows."""
    owner, key = _owner(tensor._data), identity(tensor)
    entries = known.setdefault(owner, {})
    if key not in entries:
        entries[key] = ref(tensor, lambda gone: _leave(known, owner, key))


def _leave(known: _Sharers, owner: int, key: int) -> None:
    entries = known.get(owner, {})
    entries.pop(key, None)
    if not entries:
        known.pop(owner, None)


def _living(entries: dict[int, ref[Any]]) -> list[Any]:
    found = [entry() for entry in list(entries.values())]  # a list: what dies meanwhile leaves the table
    return [each for each in found if each is not None]


def _over(known: _Sharers, array: Array) -> list[Any]:
    return [each for each in _living(known.get(_owner(array), {})) if np.may_share_memory(each._data, array)]


_pack_step, _pack_node, _pack_input, _pack_tensor, _pack_saved = (
    PACK[name] for name in ("steps", "nodes", "inputs", "tensors", "saved")
)


class Watched(ref["Node"]):
    """A weak reference to a node that knows its number."""

    __slots__ = ("number",)
    number: int


class RowWriter:
    """The numbers assigned so far, and the rows of each. Tensors are numbered by their `tag`: -1 if not recorded; -2 -
    t for the .grad of tensor t, if that is not recorded itself."""

    def __init__(self, source: str, filename: str, budget: int) -> None:
        self.writer = Writer(budget)
        self.value, self.value_of = self.writer.value, self.writer.value_of
        self.sites = Sites(self.writer, source, filename)
        self.step = 0  # the number of the next step
        self.in_gap = False  # recording is paused, see `gaps.py`
        self.training: object = None  # the place of the loop around the latest backward pass
        self.training_index = -1  # how many of its iterations were over when that became known
        self.call = -1
        self.first_output: list[int] = []  # by node: its first tensor
        self.regions = RegionStack(self.writer, self.sites)
        self.region, self.stack = self.regions.row, self.regions.stack
        self.nothing = self.writer.text("")
        self._storage: dict[int, int] = {}  # if it differs from the tensor's own number
        self.compact = Compact(self._storage)
        self._kept = self.compact.kept
        rows = self.writer.rows
        self._steps, self._nodes, self._inputs = rows["steps"], rows["nodes"], rows["inputs"]
        self._tensors, self._saved = rows["tensors"], rows["saved"]
        self.tensor_count, self._own_memory = 0, -1  # storage numbers of buffers that belong to no tensor count down
        self._saved_names: dict[Any, tuple[int, ...]] = {}
        self.op_texts: dict[Any, tuple[int, int, int]] = {}
        self.memory = Memory()
        self.grad_tensors: dict[int, int] = {}
        self.alive: dict[int, Watched] = {}  # nodes that hold buffers
        self.dropped: list[tuple[int, int]] = []  # (step, node) since the last batch

    def add_step(self, kind: Kind, node: int, tensor: int, site: int, ref: int) -> int:
        """Add a step; returns its number."""
        step = self.step
        self.step = step + 1
        self._steps += _pack_step(kind, node, tensor, site, self.call, ref)
        if self.stack[-1] == UNKNOWN:
            self.regions.begin(step)
        return step

    def add_tensor(self, tensor: Tensor, step: int, producer: int, output_nr: int, storage: int, site: int) -> int:
        """Add a tensor; returns its number, which is taken when nothing can fail any more."""
        number = self.tensor_count
        owner = -2 - tensor._tag if tensor._tag <= -2 else -1
        self._tensors += _pack_tensor(
            step, producer, output_nr, self.value_of(tensor), number if storage < 0 else storage, version_of(tensor),
            tensor._requires_grad, stands_as_leaf(tensor), tensor._is_param, owner, site,
        )  # fmt: skip
        self.tensor_count = number + 1
        tensor._tag = number
        if storage >= 0:
            self._storage[number] = storage
        if owner >= 0:
            self.grad_tensors[number] = owner
        return number

    def remembered(self, kept: Mapping[str, Any], names: Sequence[str]) -> int:
        """The value of what an optimizer keeps for a parameter under one of these names; -1 if it is not small."""
        found = next((kept[name] for name in names if name in kept), None)
        data = getattr(found, "_data", None)
        return self.value(data) if data is not None and data.size <= MATRIX else -1

    def storage_of(self, number: int) -> int:
        """The storage of a recorded tensor."""
        return self._storage.get(number, number)

    def tensor_of(self, tensor: Tensor) -> int:
        """The number of a tensor; one that was made while nothing was recorded gets one now."""
        if tensor._tag >= 0:
            return tensor._tag
        node = tensor._node
        if node is not None and node._tag >= 0 and (not node.row.hidden or not tensor._output_nr):
            tensor._tag = self.first_output[node._tag] + tensor._output_nr  # a result that its node saved and unpacked
            return tensor._tag
        source = tensor.__dict__.pop("_detached_from", None)
        if source is not None:
            return self._add_detached(source, tensor, tensor.__dict__.pop("_detached_at"))
        same = next((each for each in self.memory.sharing(tensor) if each._tag >= 0), None)
        storage = self.storage_of(same._tag) if same is not None else -1
        number = self.add_tensor(tensor, self.step - 1, -1, 0, storage, self.sites.here(2))
        self.memory.enter(tensor)
        return number

    def detached(self, source: Tensor, result: Tensor) -> None:
        """A tensor that shares the memory of another; it gets a step when the snippet names or uses it."""
        result.__dict__.update(_detached_from=source, _detached_at=self.sites.here(2))
        self.memory.detached(result)

    def _add_detached(self, source: Tensor, tensor: Tensor, site: int) -> int:
        before = self.tensor_of(source)
        number, text = len(self.first_output), self.writer.text
        self.first_output.append(self.tensor_count)
        step = self.add_step(Kind.FORWARD, number, self.tensor_count, site, number)
        self._inputs += _pack_input(number, 0, before)
        op, symbol, params, reason = _shared(source, tensor)
        self._nodes += _pack_node(
            step, text(op), self.nothing, text(symbol), site, self.region(step), text(params), -1, self.call, reason
        )
        self.memory.enter(source)
        self.add_tensor(tensor, step, number, 0, self.storage_of(before), site)
        self.memory.enter(tensor)
        return self.tensor_count - 1

    def add_node(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        node: Node | None,
        params: Mapping[str, Any],
        site: int,
        step: int,
        number: int,
        name: str = "",
        reason: int = 0,
    ) -> None:
        """The row of an operation and its edges; `name` if the node's name differs from its row's, `reason` if it is
        known why nothing is tracked."""
        numbers: list[str] = []
        edges = b""
        for slot, tensor in enumerate(inputs):
            if tensor is not None:
                tag = tensor._tag
                if tag < 0:  # a number
                    operand = row.inputs[slot] if slot < len(row.inputs) else "other"
                    numbers.append(f"{operand}={tensor._wrapped}")
                    continue
                edges += _pack_input(number, slot, tag)
        self._inputs += edges
        shown = self.nothing
        if numbers or (params and (len(params) > 1 or "alpha" not in params or params["alpha"] != 1)):
            shown = self.writer.text(", ".join([*numbers, *params_text(params)]))
        op, name_text, symbol = self.op_texts.get(row) or self.texts_of(row)
        if node is not None and not name and node.class_name != row.node_name:
            name_text = renamed(self, row, node)
        if node is None:
            reason = reason or self._reason(inputs)
            fields = (self.nothing, symbol, site, self.region(step), shown, -1, self.call, reason)
        else:
            node._tag = number
            name_text = self.writer.text(name) if name else name_text
            fields = (name_text, symbol, site, self.region(step), shown, node.sequence_nr, self.call, 0)
        self._nodes += _pack_node(step, op, *fields)

    def adopt_node(self, node: Node) -> int:
        """A node that was made while nothing was recorded gets a row when it runs."""
        number = len(self.first_output)
        self.first_output.append(max(-2 - node._tag, -1))
        node._tag = number
        text = self.writer.text
        for slot, (before, nr) in ((slot, edge) for slot, edge in enumerate(node.next) if edge is not None):
            if before._leaf is not None:
                tensor = self.tensor_of(before._leaf)
            else:
                tensor = self.first_output[before._tag] if before._tag >= 0 else max(-2 - before._tag, -1)
                tensor += nr if tensor >= 0 else 0
            if tensor >= 0:
                self._inputs += _pack_input(number, slot, tensor)
        name = node.name().removeprefix("torch::autograd::")
        self._nodes += _pack_node(
            self.step - 1, text(name), text(name), self.nothing, -1, self.region(self.step - 1), self.nothing,
            node.sequence_nr, self.call, 0,
        )  # fmt: skip
        return number

    def texts_of(self, row: OpRow, name: str = "") -> tuple[int, int, int]:
        """The texts of an operation, cached in `op_texts`; `name` is that of the node if it differs from its row's."""
        text = self.writer.text
        found = (text(row.name), text(name or row.node_name), text(row.symbol))
        self.op_texts[(row, name) if name else row] = found
        for name in row.inputs:
            key = name.removeprefix("*")
            formula, expression = text(row.derivatives.get(key, "")), text(row.expressions.get(key, ""))
            self.writer.add("operands", *found[:2], False, text(name), formula, expression)
        for name in row.outputs:
            self.writer.add("operands", *found[:2], True, text(name), self.nothing, self.nothing)
        return found

    def _reason(self, inputs: Sequence[Tensor | None]) -> int:
        if not any(each is not None and each._requires_grad for each in inputs):
            return NOTHING_REQUIRES
        return NOT_DIFFERENTIABLE if state.grad and not state.inference else SWITCHED_OFF

    def add_saved(self, node: Node, step: int, number: int, outputs: Sequence[Tensor]) -> None:
        """The buffers of a node, with the tensors that they are."""
        self._watch(node, number)
        saved = node.saved or ()
        names = self._saved_names.get(node.plan) or self._names_of(node)
        short = bytearray()
        for name, one in zip(names, saved):  # noqa: B905  strict= costs as much as the row
            if one is None:
                continue
            held = one.tensor
            if type(one) is not Saved:
                tensor = -1
            else:
                tensor = held._tag if held is not None else outputs[one.index]._tag
            if tensor < 0:
                self._add_own_memory(node, step, number, outputs, names)
                return
            short += pack_kept(step, number, name, tensor, one.version)
        self._kept += short

    def _watch(self, node: Node, number: int) -> None:
        """Detect when a node that holds buffers is freed with its graph."""
        watched = self.alive[number] = Watched(node, self._dropped)
        watched.number = number

    def _dropped(self, watched: Watched) -> None:
        """Can be called between any two instructions, even while a batch is taken, so it only appends a pair to a
        list."""
        if self.alive.pop(watched.number, None) is not None and (
            state.observer is not None or self.call >= 0 or self.in_gap
        ):
            self.dropped.append((self.step - 1, watched.number))

    def _add_own_memory(
        self, node: Node, step: int, number: int, outputs: Sequence[Tensor], names: tuple[int, ...]
    ) -> None:
        """The buffers of a node, some of which are not the memory of a tensor."""
        for name, one in zip(names, node.saved or (), strict=True):
            if one is None:
                continue
            tensor = -1  # what a hook has packed is separate memory
            if type(one) is Saved:
                tensor = one.tensor._tag if one.tensor is not None else outputs[one.index]._tag
            if tensor >= 0:
                self._saved += _pack_saved(step, number, name, tensor, -1, 0, self.storage_of(tensor), one.version)
            elif one.data.size or type(one) is not Saved:  # not the statistics of a batch norm that does not train
                value, storage = self.value(one.data), self._own_memory
                self._saved += _pack_saved(step, number, name, -1, value, held_bytes(one.data), storage, one.version)
                self._own_memory -= 1

    def _names_of(self, node: Node) -> tuple[int, ...]:
        """The texts of the names of a node's buffers, in its order."""
        text = self.writer.text
        if node.plan is None:
            return tuple(text(f"saved[{i}]") for i in range(len(node.saved or ())))
        found = self._saved_names[node.plan] = tuple(text(name) for name in node.plan.saved_names)
        return found

    def add_views(self, source: Tensor | None, outputs: Sequence[Tensor], step: int, number: int, site: int) -> None:
        """Outputs that share the memory of the first operand."""
        storage = -1
        if source is not None and source._tag >= 0:
            storage = self.storage_of(source._tag)
            self.memory.enter(source)
        for nr, each in enumerate(outputs):
            self.add_tensor(each, step, number, nr, storage, site)
            self.memory.enter(each)


def _shared(source: Tensor, tensor: Tensor) -> tuple[str, str, str, int]:
    """The operation, its symbol and parameters, and why it is not tracked, that makes a tensor over the memory of
    another one."""
    of, tracked = tensor._data.dtype, source._requires_grad
    if of != source._data.dtype:
        return "view_dtype", "", f"dtype={of}", NOT_DIFFERENTIABLE if tracked else NOTHING_REQUIRES
    return "detach", "✂", "", CUT_OFF if tracked else NOTHING_REQUIRES


def params_text(params: Mapping[str, Any]) -> list[str]:
    """The parameters that are of interest: numbers, texts and tuples of them."""
    return [
        f"{name}={value}"
        for name, value in params.items()
        if isinstance(value, (int, float, complex, str, tuple, list))
        and (name, value) not in (("alpha", 1), ("beta", 1))
    ]


def version_of(tensor: Tensor) -> int:
    """How many times the memory of a tensor was written; 0 for inference tensors, which don't tell."""
    counter = tensor._version_counter
    return 0 if counter is None else counter.value


def stands_as_leaf(tensor: Tensor) -> bool:
    """`is_leaf` of a tensor as it stands: asked itself, a view of memory that was written to makes its history anew,
    which is another operation, or raises."""
    return not tensor._requires_grad or tensor._node is None


def renamed(rows: RowWriter, row: OpRow, node: Node) -> int:
    """The name of a node that differs from its row's, as a text; its formulas are the same."""
    name = node.name()
    return (rows.op_texts.get((row, name)) or rows.texts_of(row, name))[1]
