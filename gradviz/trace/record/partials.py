"""The derivatives of single operations, element by element: for the operations that were asked about, the derivative of
each output element by the elements of each operand, computed right after the operation ran from its own node and saved
tensors. No formula is written twice: the node runs on a gradient that is 1 at one place and 0 elsewhere. The tables are
in `schema`; `gradviz.session.inspect.elements` uses them.

Note [Local Jacobians] For a small operation the answer is its complete local Jacobian, with one run of its node per
output element. For a large one, only the row or column of the requested element is computed, by one run, and only its
nonzero entries are sent. A column is the derivative of what the node sends by what it receives, in which it is linear.
Complex results have a second row each, for the imaginary unit, because a complex gradient is linear only over the real
numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.apply import apply, as_views
from gradviz.engine.run.autograd import grad
from gradviz.trace.record.chains import sent_by
from gradviz.trace.record.rows import RowWriter
from gradviz.trace.table.schema import IN_PLACE, IN_TRANSFORM, NO_DERIVATIVE, TOO_LARGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.engine.kernel.graph import Node
    from gradviz.engine.kernel.rows import OpRow

    Array = NDArray[Any]

MOST_ROWS = 512  # runs of a node for its complete Jacobian
MOST_ENTRIES = 65_536  # elements of a Jacobian that is sent complete
MOST_TERMS = 4_096  # elements of a row or a column that are sent


@dataclass(frozen=True)
class Place:
    """An element that was asked about: of an output of the operation, or, with `slot`, of that operand."""

    node: int
    output: int
    slot: int  # -1: of the output
    element: int


def places_of(numbers: Sequence[int]) -> tuple[Place, ...]:
    """As they come through the pipe: four numbers each."""
    found = [int(number) for number in numbers]
    return tuple(Place(*found[at : at + 4]) for at in range(0, len(found), 4))


class PartialsWriter:
    """Passes the reports of operations on to the forward pass, and answers for those that were asked about."""

    def __init__(self, rows: RowWriter, forward: Callable[..., None], places: Sequence[Place]) -> None:
        self._rows = rows
        self._forward = forward
        self._asked: dict[int, list[Place]] = {}
        for place in places:
            self._asked.setdefault(place.node, []).append(place)

    def forward(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
    ) -> None:
        """One operation ran."""
        numbers = self._rows.first_output
        before = len(numbers)
        self._forward(row, inputs, outputs, node, params)
        for number in range(before, len(numbers)):
            if number in self._asked:
                made = next((one for one in _nodes(outputs, node) if one._tag == number), None)
                with paused(), as_views():
                    self._answer(number, row, inputs, outputs, made, params)

    def _answer(
        self,
        number: int,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, Any],
    ) -> None:
        if state.layered or any(not isinstance(each._data, np.ndarray) for each in outputs):
            self._refuse(number, -1, IN_TRANSFORM)
            return
        in_place = bool(outputs) and any(outputs[0] is each for each in inputs)
        nodes = [node]
        if not in_place and (node is None or None in node.next):
            nodes = [_replayed(row, inputs, outputs, params), node]
        found = [_Jacobian(each, () if in_place else inputs) for each in nodes if each is not None]
        if not found:
            self._refuse(number, -1, IN_PLACE if in_place else NO_DERIVATIVE)
        for place in self._asked[number] if found else ():
            answers = found[0].answers(place)
            if any(entries is None for _, entries in answers) and len(found) > 1:  # there is none by some operand
                answers = found[1].answers(place)
            for output, entries in answers:
                if entries is None:
                    self._refuse(number, output, TOO_LARGE if found[0].is_large else NO_DERIVATIVE)
                else:
                    self._write(number, entries)

    def _refuse(self, node: int, output: int, reason: int) -> None:
        self._rows.writer.add("partials", node, output, -1, False, -1, -1, -1, -1, 0, 0.0, reason)

    def _write(self, node: int, entries: Sequence[Entries]) -> None:
        value = self._rows.writer.value
        for found in entries:
            at = -1 if found.at is None else value(found.at)
            self._rows.writer.add(
                "partials", node, found.output, found.slot, found.imaginary, found.element, found.source, at,
                value(found.entries), found.more, found.rest, 0,
            )  # fmt: skip


def _nodes(outputs: Sequence[Tensor], node: Node | None) -> Iterator[Node]:
    """The nodes that one report may have made: a write to a view makes one for its base."""
    for each in outputs[:1]:
        if each._base is not None and each._base._node is not None:
            yield each._base._node
        if each._node is not None:
            yield each._node
    if node is not None:
        yield node


def _replayed(
    row: OpRow, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor], params: Mapping[str, Any]
) -> Node | None:
    """The node of the same operation with a gradient for every possible operand; None if it has no derivative, or gives
    a different result, as operations that draw random numbers do."""
    if not (row.gradients or row.joint) or row.category == "random":
        return None
    tensors = [each if each is None or each._wrapped is not None else wrap(each._data) for each in inputs]
    for each in tensors:
        if each is not None and each._wrapped is None and each._data.dtype.kind in "fcV":
            each._requires_grad = True
    held = state.grad, state.inference
    state.grad, state.inference = True, False
    try:
        for arrays in _operand_arrays(tensors, outputs):
            node = _tried(row, tensors, arrays, outputs, params)
            if node is not None:
                return node
    finally:
        state.grad, state.inference = held
    return None


def _operand_arrays(tensors: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> Iterator[list[Array | None]]:
    """The operands' data unchanged, and converted to the dtype of the result."""
    yield [None if each is None else each._data for each in tensors]
    target = outputs[0]._data.dtype
    yield [None if each is None else each._data.astype(target) for each in tensors]


def _tried(
    row: OpRow,
    tensors: Sequence[Tensor | None],
    arrays: Sequence[Array | None],
    outputs: Sequence[Tensor],
    params: Mapping[str, Any],
) -> Node | None:
    try:
        made = apply(row, tensors, arrays, params)
    except Exception:  # noqa: BLE001  an operand in another type may be refused in any way
        return None
    results = (made,) if row.single else tuple(made)
    pairs = zip(results, outputs, strict=False)
    same = all(one._data.dtype == two._data.dtype and _equal(one._data, two._data) for one, two in pairs)
    return next((each._node for each in results if each._node is not None), None) if same else None


def _equal(one: Array, two: Array) -> bool:
    return one.shape == two.shape and bool(((one == two) | ((one != one) & (two != two))).all())


@dataclass(frozen=True)
class Entries:
    """Part of a local Jacobian: all of it, or the nonzero entries in the row of one output element or the column of one
    operand element. `more` further entries are left out, which add `rest` to the product of a row and the operand."""

    output: int
    slot: int
    imaginary: bool
    element: int  # of the output, -1: all
    source: int  # of the operand, -1: all
    at: Array | None  # where the entries are; None: everywhere
    entries: Array
    more: int = 0
    rest: float = 0.0


class _Jacobian:
    """The local Jacobian of one node."""

    def __init__(self, node: Node, operands: Sequence[Tensor | None]) -> None:
        self._node = node
        self._operands = operands
        self._sent_whole = False
        slots = node.slots if node.slots is not None else tuple(range(len(node.next)))
        edges = zip(slots, node.next, strict=False)
        self._shapes = {slot: edge[0].metas[edge[1]] for slot, edge in edges if edge is not None}
        self._outputs = [nr for nr, (_, dtype) in enumerate(node.metas) if dtype is None or dtype.kind in "fcV"]
        rows = sum(self._size(nr) for nr in self._outputs)
        columns = max((int(np.prod(shape)) for shape, _ in self._shapes.values()), default=0)
        self.is_large = rows > MOST_ROWS or rows * columns > MOST_ENTRIES

    def _size(self, output: int) -> int:
        return int(np.prod(self._node.metas[output][0]))

    def answers(self, place: Place) -> list[tuple[int, list[Entries] | None]]:
        """The answers for this element, by output; None if it has no derivative."""
        held, found = state.grad, list[tuple[int, list[Entries] | None]]()
        for output, entries in self._of(place):
            try:
                found.append((output, list(entries)))
            except (RuntimeError, NotImplementedError, TypeError, ValueError):
                found.append((output, None))
            finally:
                state.grad = held
        return found

    def _of(self, place: Place) -> Iterator[tuple[int, Iterator[Entries]]]:
        """The answers for this element, by output: an output may have no derivative of its own."""
        if not self.is_large:
            if not self._sent_whole:
                self._sent_whole = True
                for output in self._outputs:
                    yield output, self._whole(output)
        elif place.slot < 0:
            if place.output in self._outputs and 0 <= place.element < self._size(place.output):
                yield place.output, self._row(place.output, place.element)
        elif place.slot in self._shapes and 0 <= place.element < int(np.prod(self._shapes[place.slot][0])):
            for output in self._outputs:
                yield output, self._column(output, place.slot, place.element)

    def _units(self, output: int) -> tuple[complex, ...]:
        dtype = self._node.metas[output][1]
        return (1.0, 1.0j) if dtype is not None and dtype.kind == "c" else (1.0,)

    def _run(self, output: int, element: int, unit: complex) -> dict[int, Array]:
        """What is sent to each operand when the gradient is 1 at one element of one output."""
        shape, dtype = self._node.metas[output]
        seed = np.zeros(shape, dtype)
        seed.reshape(-1)[element] = unit
        grads: list[Tensor | None] = [None] * len(self._node.metas)
        grads[output] = wrap(seed)
        state.grad = False
        return {slot: sent._data for slot, sent in sent_by(self._node, grads) if sent is not None}

    def _whole(self, output: int) -> Iterator[Entries]:
        count = self._size(output)
        for unit in self._units(output):
            rows = [self._run(output, element, unit) for element in range(count)]
            for slot, (shape, dtype) in self._shapes.items():
                size = int(np.prod(shape))
                made = np.zeros((count, size), dtype)
                for element, sent in enumerate(rows):
                    if slot in sent:
                        made[element] = sent[slot].reshape(-1)
                yield Entries(output, slot, unit != 1, -1, -1, None, made)

    def _row(self, output: int, element: int) -> Iterator[Entries]:
        for unit in self._units(output):
            for slot, sent in self._run(output, element, unit).items():
                operand = self._operands[slot] if slot < len(self._operands) else None
                factors = None if operand is None or operand._data.shape != sent.shape else operand._data.reshape(-1)
                yield _sparse(output, slot, unit != 1, (element, -1), sent.reshape(-1), factors)

    def _column(self, output: int, slot: int, source: int) -> Iterator[Entries]:
        shape, dtype = self._shapes[slot]
        given, given_type = self._node.metas[output]
        if "c" in (np.dtype(dtype).kind, np.dtype(given_type).kind):
            raise ValueError("the column of a complex Jacobian is not the derivative of what is sent")
        seed = np.zeros(shape, dtype)
        seed.reshape(-1)[source] = 1
        state.grad = True
        incoming = wrap(np.ones(given, given_type))  # any value would do, but some formulas have no derivative at 0
        incoming._requires_grad = True
        grads: list[Tensor | None] = [None] * len(self._node.metas)
        grads[output] = incoming
        sent = dict(sent_by(self._node, grads)).get(slot)
        found = np.zeros(given, given_type)
        if sent is not None and not sent._requires_grad and sent._data.any():
            raise ValueError("what is sent is not differentiated again")
        if sent is not None and sent._requires_grad:
            (by,) = grad(sent, incoming, wrap(seed), allow_unused=True)
            found = found if by is None else by._data
        yield _sparse(output, slot, False, (-1, source), found.reshape(-1), None)


def _sparse(
    output: int, slot: int, imaginary: bool, place: tuple[int, int], entries: Array, factors: Array | None
) -> Entries:
    """Where they are not 0; if there are very many, the largest contributions."""
    at = np.flatnonzero(entries != 0)
    kept, rest = at, 0.0
    if len(at) > MOST_TERMS:
        terms = entries[at] if factors is None else entries[at] * factors[at]
        largest = np.sort(np.argsort(-np.abs(terms), kind="stable")[:MOST_TERMS])
        kept = at[largest]
        left_out = np.delete(terms, largest)
        rest = float("nan") if left_out.dtype.kind == "c" else float(left_out.astype(np.float64).sum())
    return Entries(output, slot, imaginary, *place, kept.astype(np.int64), entries[kept], len(at) - len(kept), rest)
