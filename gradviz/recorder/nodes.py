"""PyTorch's nodes as the recorder sees them: their names, the numbers that they carry, what the engine knows of their
operations, and what they have saved. A node carries its number in its `metadata`, a dict that lives as long as the
node."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch._C._autograd import SavedTensor

import gradviz.engine.ops  # noqa: F401  fills the table of formulas and symbols
from gradviz.engine.kernel.rows import ROWS, OpRow
from gradviz.recorder.values import grad_fn_of
from gradviz.trace.table.encoding import Writer

COPIES = "CopySlices"  # the node of a write to a part of a tensor; what it does is within it
NUMBER = "gradviz"  # in `Node.metadata`
NUMBERLESS = (None, -1)
_BY_NODE = {(row.node_name, row.name): row for row in ROWS.values()}
_FIRST = {row.node_name: row for row in reversed(ROWS.values())}
_TELLS = hasattr(SavedTensor, "unpack_hook")  # whether hooks were there when it was saved
_top_hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)  # since 2.6


@functools.cache
def _saved_names(kind: Any) -> tuple[tuple[str, str, str], ...]:
    """Of each tensor that nodes of this class save, operands first, then what was computed from them: the attribute in
    which it is as hooks left it, the one in which it is as it was, and its name, "" for the list of a custom
    function."""
    found = [name.removeprefix("_raw") for name in dir(kind) if name.startswith("_raw_saved_")]
    found.sort(key=lambda name: name.startswith(("_saved_buffer", "_saved_result")))
    names = [(name, "") if _is_list(kind, name) else (name, name.removeprefix("_saved_")) for name in found]
    return tuple((f"_raw{name}", name if shown else name[1:], shown) for name, shown in names)


def _is_list(kind: Any, name: str) -> bool:
    return name == "_saved_tensors" and hasattr(kind, "saved_tensors")


def saved_parameters(fn: Any) -> str:
    """The parameters of an operation that nobody observed, as far as its node saved them."""
    found, kind = [], fn.__class__
    for name in dir(kind):
        if name.startswith("_saved_") and "_sym_" not in name and not hasattr(kind, f"_raw{name}"):
            value = getattr(fn, name)
            if type(value) in (bool, int, float, complex, str, tuple) and value is not False:
                found.append(f"{name.removeprefix('_saved_')}={_signed(value)!r}")
    return ", ".join(found)


def _signed(value: Any) -> Any:
    """PyTorch shows negative dimensions as if they had no sign."""
    if type(value) is tuple:
        return tuple(map(_signed, value))
    return value - (1 << 64) if type(value) is int and value >> 63 == 1 else value


def is_leaf_node(fn: Any) -> bool:
    """Whether this is AccumulateGrad."""
    return hasattr(fn, "variable")


def is_custom(fn: Any) -> bool:
    """Whether this is the node of a custom function."""
    return fn is not None and hasattr(type(fn), "saved_tensors")


def operation_of(fn: Any) -> str:
    """The name of an operation that was not observed: that of its class, for a custom function."""
    return fn.name().removesuffix("Backward") if is_custom(fn) else name_of(fn)


def name_of(fn: Any) -> str:
    """The name of a node as the engine has it."""
    return str(fn.name()).removeprefix("torch::autograd::")


def outputs_of(fn: Any, results: Sequence[Any]) -> list[Any]:
    """All outputs of a node, None for those that are not among these tensors."""
    outs: list[Any] = [None] * len(fn._input_metadata)
    for x in results:
        if x is not None and grad_fn_of(x) is fn:
            outs[int(x.output_nr)] = x
    return outs


def results_of(tensors: Sequence[Any]) -> dict[Any, list[Any]]:
    """By node, those of these tensors that it made."""
    found: dict[Any, list[Any]] = {}
    for x in tensors:
        if isinstance(x, torch.Tensor):
            found.setdefault(grad_fn_of(x), []).append(x)
    return found


class Numbered:
    """The nodes that have a number here; another recording may have given the same nodes its own."""

    def give(self, fn: Any, number: int) -> None:
        """Number a node."""
        fn.metadata[NUMBER] = self, number

    def number_of(self, fn: Any) -> int | None:
        """The number of a node, None if it has none here."""
        whose, number = fn.metadata.get(NUMBER, NUMBERLESS)
        return number if whose is self else None


class Made(NamedTuple):
    """What is the same for all operations of one name that make nodes of one name: the row that the engine has for it,
    and the texts of operation, node and symbol."""

    row: OpRow | None
    op: int
    name: int
    symbol: int


class Operations:
    """Looks up an operation when it first runs, and writes its formulas."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._told = set[tuple[str, str]]()
        self._known: dict[tuple[str, str, bool], Made] = {}

    def made(self, fn: Any, op: str) -> Made:
        """What is known of an operation with this node, or none."""
        key = ("" if fn is None else fn.name(), op, is_custom(fn))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new("" if fn is None else name_of(fn), op, is_custom(fn))
        return found

    def _new(self, name: str, op: str, custom: bool) -> Made:
        known = ROWS.get(op) or ROWS.get(op.removesuffix("_forward"))  # PyTorch's name of a loss below autograd
        row = None if custom else _BY_NODE.get((name, op)) or _FIRST.get(name) or known
        op, symbol = (row.name, row.symbol) if row is not None else (op, "")
        self._tell(row, name)
        return Made(row, *map(self._writer.text, (op, name, symbol)))

    def _tell(self, row: OpRow | None, name: str) -> None:
        """An operation made a node of this name: of each operand the formula of its gradient and its expression, then
        the names of the results."""
        if row is None or name == COPIES or (row.name, name) in self._told:
            return
        self._told.add((row.name, name))
        add, text = self._writer.add, self._writer.text
        for each in row.inputs:
            key = each.removeprefix("*")
            formula, expression = text(row.derivatives.get(key, "")), text(row.expressions.get(key, ""))
            add("operands", text(row.name), text(name), False, text(each), formula, expression)
        for each in row.outputs:
            add("operands", text(row.name), text(name), True, text(each), text(""), text(""))


def buffers_of(fn: Any, packing: int) -> list[tuple[str, Any]]:
    """The names of what a node has saved. What hooks have packed is not unpacked, which would recompute it, or load it
    from elsewhere: it is taken as it is. What may be read only once is left to the job."""
    buffers: list[tuple[str, Any]] = []
    if is_custom(fn) and getattr(fn._forward_cls, "clear_saved_tensors_on_access", False):
        return buffers
    for raw_name, name, shown in _saved_names(fn.__class__):
        try:
            raw = getattr(fn, raw_name)
            if type(raw) is SavedTensor and _TELLS and raw.unpack_hook is None:
                found = getattr(fn, name)
            else:
                found = _packed(_listed(raw), packing) or getattr(fn, name)
        except RuntimeError:  # freed, or changed since
            continue
        if isinstance(found, (tuple, list)):
            buffers += [(shown or f"saved[{at}]", x) for at, x in enumerate(found) if x is not None]
        elif found is not None:
            buffers.append((shown, found))
    return buffers


def _listed(found: Any) -> Sequence[Any]:
    return found if isinstance(found, (tuple, list)) else (found,)


def _packed(raw: Sequence[Any], packing: int) -> list[Any]:
    """What hooks have made of saved tensors, nothing if none were there. Older versions tell only whether hooks are
    there now, and before 2.6 not even that: so many were seen to come."""
    now = _top_hooks(False) if _top_hooks else packing or None
    if all(getattr(each, "unpack_hook", now) is None for each in raw):
        return []
    return [getattr(each, "data", each) for each in raw]
