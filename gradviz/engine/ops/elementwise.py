"""Operations that work element by element, made from their rows: the function, the method, the in-place method and the
operator. Type promotion and numbers as operands are handled here for all of them. The rows themselves are in the other
modules of `ops/`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import Node, accumulator, bare
from gradviz.engine.kernel.memory import followed, in_memory_order, repeated, single_steps
from gradviz.engine.kernel.messages import (
    WRITTEN_TWICE,
    broadcast_error,
    check_alpha,
    check_castable,
    check_kind,
    check_subtraction,
    exact_number,
)
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.saved import keep, save
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.kernel.turns import computed_in_turn, takes_turns
from gradviz.engine.run.api import api, give, method, warn_resized
from gradviz.engine.run.apply import NO_PARAMS, apply, remember_stack
from gradviz.engine.run.arguments import WITHOUT_GRADIENT, check_cast, check_operands, refuse_tracked_out
from gradviz.engine.run.inplace import UNWATCHED, check_overlap, check_writable, write
from gradviz.engine.run.overrides import AS_THEY_ARE, foreign, is_met

Prepared = tuple[OpRow, Sequence[Tensor], Sequence[Array], Mapping[str, Any]]
NUMBERS = (int, float, complex, np.number, np.bool_)


@functools.lru_cache(maxsize=4096, typed=True)
def _number(value: object, target: np.dtype[Any]) -> Array:
    made = np.array(value, target)
    made.flags.writeable = False
    return made


def number_array(value: Any, target: np.dtype[Any]) -> Array:
    """A Python number as a 0-dimensional array of the given type."""
    value = exact_number(value)
    if not value:  # 0.0 and -0.0 are the same key
        return np.array(value, target)
    try:
        return _number(value, target)
    except OverflowError:  # integers wrap around
        return np.array(value).astype(target) if target.kind in "iu" else np.array(float(value), target)


def number_tensor(value: object) -> Tensor:
    """A Python number as an operand: it takes part in type promotion as a number, not as a tensor."""
    if isinstance(value, np.generic):  # among NumPy's complex numbers only double precision ones are Python's
        value = float(value.real) if isinstance(value, np.complex64) else value.item()
    value = exact_number(value)
    target = np.dtype(np.complex128) if isinstance(value, complex) else dtypes.float64.np
    if isinstance(value, bool):
        target = dtypes.bool_.np
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise OverflowError("int too big to convert" if value > 0 else "can't convert negative int to unsigned")
        target = dtypes.int64.np
    tensor = wrap(number_array(value, target))
    tensor._wrapped = value
    return tensor


def operand(value: object, function: str = "", position: int = 1) -> Tensor:
    """A tensor, or a number as a tensor; anything else is refused."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, NUMBERS):
        return number_tensor(value)
    raise TypeError(
        f"{function}(): argument '{'input' if position == 1 else 'other'}' (position {position}) must be Tensor, "
        f"not {type(value).__name__}"
    )


def result_type(*tensors: Tensor) -> dtypes.dtype:
    """The common type of the operands."""
    known = [(t.dtype, t._data.ndim) for t in tensors if t._wrapped is None]
    return dtypes.common(known, [t._wrapped for t in tensors if t._wrapped is not None])


def cast(tensor: Tensor, target: dtypes.dtype) -> Array:
    """The data of an operand in the type of the result."""
    data = tensor._data
    if data.dtype is target.np:
        return data
    if tensor._wrapped is not None:
        return number_array(tensor._wrapped, target.np)
    return data.astype(target.np)


def check_broadcast(*arrays: Array) -> None:
    """Refuse operands whose shapes don't broadcast, with PyTorch's words."""
    shape = arrays[0].shape
    for each in arrays[1:]:
        if each.shape != shape:
            try:
                shape = np.broadcast_shapes(shape, each.shape)
            except ValueError:
                raise broadcast_error(shape, each.shape) from None


# --- one operand ---


def unary(row: OpRow, *names: str, floating: bool = True, where: str = "torch method", inplace: bool = True) -> None:
    """Register an operation of one operand; `floating` ones turn integers into the default floating point type."""

    def prepare(input: Tensor) -> Prepared:
        if not isinstance(input, Tensor):
            raise TypeError(f"{row.name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        data = input._data
        if data.dtype.kind in "bc":
            check_kind(row.name, input.dtype)
        if floating and data.dtype.kind in "iub":
            data = data.astype(dtypes.default.dtype.np)
        return row, (input,), (data,), NO_PARAMS

    register(prepare, names or (row.name,), where, inplace)


def register(
    prepare: Callable[..., Prepared],
    names: Sequence[str],
    where: str = "torch method",
    inplace: bool = True,
    own: Callable[..., None] = lambda *args, **kwargs: None,
) -> Callable[..., Tensor]:
    """Register a function that prepares the operands as function, method and in-place method, which `own` may refuse
    first."""

    @functools.wraps(prepare)
    def function(*args: object, out: Any = None, **kwargs: object) -> Tensor:
        result: Tensor
        if out is None:
            result = apply(*prepare(*args, **kwargs))
            return result
        if names[0] in WITHOUT_GRADIENT and state.grad:
            with no_grad():
                return function(*args, out=out, **kwargs)
        refuse_tracked_out(names[0], (*args, *kwargs.values()), out)
        numbers = [each for each in (*args, *kwargs.values()) if isinstance(each, (Tensor, *NUMBERS))]
        given = [each for each in numbers if isinstance(each, Tensor)]
        try:
            row, tensors, arrays, params = prepare(*args, **kwargs)
            result = apply(row, tensors, arrays, params)
        except RuntimeError as error:  # PyTorch looks at memory and types before it looks at shapes, or for a kernel
            if str(error).startswith("The size of tensor a"):
                _check_out_memory(out, given)
            if "not implemented for '" in str(error) and not str(error).startswith(_COMPARED):
                check_cast(names[0], out, result_type(*given), given)
            if "not implemented for '" in str(error):  # the result has been given room by then
                shape = np.broadcast_shapes(*(each._data.shape for each in given))
                kind = result_type(*map(operand, numbers))
                _warn_of_size(out, np.broadcast_to(np.zeros(()), shape), kind)
            raise
        _check_out_memory(out, given)
        check_cast(names[0], out, result.dtype, given)
        if out._data.shape != result._data.shape and any(each is out for each in args):
            raise RuntimeError(
                f"output with shape {list(out._data.shape)} doesn't match the broadcast shape "
                f"{list(result._data.shape)}"
            )
        kind = result.dtype
        if names[0] in _BOOLEAN:
            kind = result_type(*map(operand, numbers)) if names[0] in _COMPARING else out.dtype
        _warn_of_size(out, result._data, kind)
        if row.follows and out._data.shape == result._data.shape and takes_turns(out._data, arrays):
            result._data = computed_in_turn(out._data, arrays, functools.partial(row.forward, **params))
        return give(out, result, warned=False)

    function.__name__ = names[0]
    api(*names, where=where)(function)
    if inplace:

        @functools.wraps(prepare)
        def function_(self: Tensor, *args: object, **kwargs: object) -> Tensor:
            try:
                own(self, *args, **kwargs)
                return write(self, *prepare(self, *args, **kwargs))
            except (RuntimeError, TypeError, ValueError, IndexError) as error:
                first = refused_first(names[0], self, (*args, *kwargs.values()), error)
                if first is None and str(error) == "ZeroDivisionError":
                    _divided_until_zero(self, *prepare(self, *args, **kwargs))
                raise first or error from None

        function_.__name__ = names[0] + "_"
        api(*(name + "_" for name in names), where=where)(function_)
    return function


def _check_out_memory(out: object, operands: Sequence[Tensor]) -> None:
    if isinstance(out, Tensor):
        if out._data.size and repeated(out._data.shape, out._data.strides):
            raise RuntimeError(WRITTEN_TWICE)
        check_overlap(out, operands)


def _divided_until_zero(
    target: Tensor, row: OpRow, tensors: Sequence[Any], arrays: Sequence[Array], params: Mapping[str, object]
) -> None:
    """What an integer division in place has written when it comes to a zero: PyTorch goes from element to element."""
    x, y = arrays
    if x.dtype != target._data.dtype:
        return  # it was written to a copy of the type of the result
    found = row.forward(x, np.where(y == 0, y.dtype.type(1), y), **params)
    into, zeros, found = (
        in_memory_order(np.broadcast_to(each, target._data.shape) if each is not target._data else each, target._data)
        for each in (target._data, y == 0, found)
    )
    before = np.arange(zeros.size).reshape(zeros.shape) < int(np.argmax(zeros.reshape(-1)))
    np.copyto(into, found, where=before)


_FIRST = (  # what a scatter checks before memory
    "Index tensor must", "Expected index", "scatter(): Expected", "source tensor shape must", "index_add_()",
    "index_reduce_()", "put_()", "Dimension out of range", "masked_scatter", "The expanded size", "expand(",
)  # fmt: skip


def _warn_of_size(out: Tensor, like: Array, computed: dtypes.dtype) -> None:
    """Warn that `out` is resized: once for the result, once for what it is converted to."""
    for _ in range(1 if out.dtype is computed or out.dtype is dtypes.bool_ else 2):
        warn_resized(out, like, stacklevel=4)


# Functions that write booleans into a tensor of any type, those that compare first.
_COMPARING = frozenset("eq ne lt le gt ge".split())
_BOOLEAN = _COMPARING | frozenset("logical_and logical_or logical_xor logical_not".split())
_COMPARED = tuple(f'"{name}_cpu"' for name in ("lt", "le", "gt", "ge"))  # their result is boolean


def refused_first(name: str, target: Tensor, others: Sequence[object], error: Exception) -> Exception | None:
    """PyTorch checks whether the target can be written before it checks whether the result can be computed."""
    known = [each for each in others if isinstance(each, (Tensor, *NUMBERS))]
    tensors = [each for each in known if isinstance(each, Tensor)]
    try:
        if name not in UNWATCHED:
            check_writable(target, state.grad and any(each._requires_grad for each in (target, *tensors)))
        if str(error).startswith(_FIRST):
            return None
        if target._data.size and repeated(target._data.shape, target._data.strides):
            return RuntimeError(WRITTEN_TWICE)
        check_overlap(target, tensors, apart=name == "index_copy")
        if not (isinstance(error, NotImplementedError) or str(error).startswith(("ZeroDivision", "result type"))):
            return _uncastable(target, known, error)
        check_broadcast(*(each._data for each in (target, *tensors)))
    except RuntimeError as first:
        return first
    shape = np.broadcast_shapes(*(each._data.shape for each in (target, *tensors)))
    if shape != target._data.shape:
        return RuntimeError(
            f"output with shape {list(target._data.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    return _uncastable(target, known, error)


_OF_NUMBERS = '"round_', "clamp is not", "ldexp can't"  # their numbers are not operands


def _uncastable(target: Tensor, known: Sequence[Any], error: Exception) -> Exception | None:
    """Whether the result type does not fit the target, which PyTorch reports before a missing kernel."""
    if "lerp" in str(error) or isinstance(error, IndexError) or str(error).startswith((*_COMPARED, *_OF_NUMBERS)):
        return None
    if isinstance(error, RuntimeError) and not isinstance(error, NotImplementedError):
        if str(error) != "ZeroDivisionError":
            return None
    elif isinstance(error, TypeError) and not str(error).startswith("ufunc"):
        return None
    try:
        check_castable(result_type(target, *map(operand, known)), target.dtype)
    except RuntimeError as first:
        return first
    return None


# --- two operands ---


def check_pair(name: str, target: dtypes.dtype, *operands: Array) -> None:
    """Refuse an element type without a kernel, which PyTorch looks for once the shapes are known to fit."""
    try:
        check_kind(name, target)
    except NotImplementedError:
        check_broadcast(*operands)
        raise


def prepare_pair(row: OpRow, x: Tensor, y: object, params: Mapping[str, object], division: bool) -> Prepared:
    """Cast both operands to their common type."""
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        check_operands(row.name, x, y)
    a, b = operand(x, row.name), operand(y, row.name, 2)
    target = result_type(a, b)
    if target.rank in (0, 3):
        check_pair(row.name, target, a._data, b._data)
    if row.name in ("sub", "rsub"):
        check_subtraction((a.dtype, a._wrapped is None), (b.dtype, b._wrapped is None))
    if params.get("alpha") is not None:
        check_broadcast(a._data, b._data)
        check_alpha(params["alpha"], target)
    if division and target.rank < 2:
        target = dtypes.default.dtype
    arrays = cast(a, target), cast(b, target) if not _is_exact(row, target.np, b) else b._data.astype(np.float32)
    check_broadcast(*arrays)
    return row, (a, b), arrays, params


def _is_exact(row: OpRow, target: np.dtype[Any], number: Tensor | None) -> bool:
    """Whether products and quotients of halves take the number in single precision and round only the result."""
    if target.itemsize != 2 or target.kind not in "fV" or row.name not in ("mul", "div", "floor_divide"):
        return False
    return number is None or (number._data.size == 1 and number._data.dtype is not target)


def binary(
    row: OpRow,
    *names: str,
    division: bool = False,
    alpha: bool = False,
    operators: str = "",
    fast: bool = True,
    inplace: bool = True,
    number: OpRow | None = None,
) -> None:
    """Register an operation of two operands. `operators` names the dunder (`mul`), which gives `__mul__`, `__rmul__`,
    `__imul__`. `number` is the row for a Python number as second operand, if PyTorch has a separate one."""
    shared: Mapping[str, Any] = {"alpha": 1} if alpha else NO_PARAMS

    def prepare(input: Tensor, other: object, **given: object) -> Prepared:
        if given and not (alpha and given.keys() <= {"alpha"}):
            raise TypeError(f"{row.name}() got an unexpected keyword argument '{next(iter(given))}'")
        chosen = number if number is not None and isinstance(other, NUMBERS) else row
        return prepare_pair(chosen, input, other, given or shared, division)

    function = register(prepare, names or (row.name,), inplace=inplace)
    if operators:
        kinds = "fV" if alpha else "fc" if division else "fcV"  # sums of complex numbers look for infinities
        quick = _quick(row, function, kinds, shared, operators) if fast else function
        dunders(operators, quick, prepare)


_ORDERED = ("mod", "floordiv", "lshift", "rshift")  # `2 + x` is `x + 2` to PyTorch, `2 % x` is not `x % 2`


def dunders(name: str, quick: Callable[[object, object], object], prepare: Callable[..., Prepared]) -> None:
    def left(self: Tensor, other: object) -> object:
        if not isinstance(other, (Tensor, *NUMBERS)):
            return foreign(name, self, other)
        return quick(self, other)

    def right(self: Tensor, other: object) -> object:
        return quick(operand(other), self) if name in _ORDERED else quick(self, other)

    def in_place(self: Tensor, other: object) -> Any:
        if type(other) not in AS_THEY_ARE and is_met(type(other)):
            return foreign(f"i{name}", self, other)
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        try:
            return write(self, *prepare(self, other))
        except (RuntimeError, TypeError, ValueError) as error:
            first = refused_first(name, self, (other,), error)
            if first is None and str(error) == "ZeroDivisionError":
                _divided_until_zero(self, *prepare(self, other))
            raise first or error from None

    method(f"__{name}__")(quick if quick.__name__ == "quick" else left)
    method(f"__r{name}__")(reflected(name, right))
    method(f"__i{name}__")(in_place)


def reflected(name: str, fn: Callable[[Tensor, object], object]) -> Callable[[Tensor, object], object]:
    """A method such as `__rsub__`: for numbers and, when called by name, for tensors. NumPy's arrays come by way of
    `Tensor.__array__` and `__array_wrap__`, if at all: NumPy asks for no more than `x + array`."""

    def right(self: Tensor, other: object) -> object:
        if not isinstance(self, Tensor):
            if name not in ("add", "mul", "and", "or", "xor"):
                return NotImplemented
            raise TypeError(
                f"descriptor '__r{name}__' for 'torch._C.TensorBase' objects doesn't apply to a "
                f"'{type(self).__name__}' object"
            )
        return fn(self, other) if isinstance(other, (Tensor, *NUMBERS)) else foreign(f"r{name}", self, other)

    return right


def _quick(
    row: OpRow, function: Callable[..., Any], kinds: str, params: Mapping[str, object], operator: str
) -> Callable[[Any, Any], Any]:
    """The fast path for two operands of one type: the same result as `function`, without promotion and generic
    bookkeeping."""
    ufunc = row.ufunc

    def quick(self: Tensor, other: Any) -> object:
        if state.layered or state.sparse is not None:
            known = isinstance(other, (Tensor, *NUMBERS))
            return function(self, other) if known else foreign(operator, self, other)
        a = self._data
        if isinstance(other, Tensor) and other._data.dtype is a.dtype and a.dtype.kind in kinds:
            b = other._data
        else:
            plain = other is True or other is False or _is_exact(row, a.dtype, None)
            matched = None if plain else _matched(self, other, kinds)
            if matched is None:
                known = isinstance(other, (Tensor, *NUMBERS))
                return function(self, other) if known else foreign(operator, self, other)
            a, b, other = matched
        try:
            data = ufunc(a, b, out=...)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
        if data.ndim > 1 and (
            not (a.flags.c_contiguous and b.flags.c_contiguous)
            or (1 in data.shape and (single_steps(a) or single_steps(b)))
        ):
            data = followed(data, (a, b))
        out = wrap(data)
        node = (
            attach_pair(row, self, other, out, params)
            if state.grad and (self._requires_grad or other._requires_grad) and not state.inference
            else None
        )
        if state.inference:
            out._inference = True
        observer = state.observer
        if observer is not None:
            observer.forward(row, (self, other), (out,), node, params)
        return out

    return quick


def _matched(x: Tensor, other: float, kinds: str) -> tuple[Array, Array, Tensor] | None:
    """Both operands in one type if a Python number takes that of the tensor; None if promotion has to decide."""
    a = x._data
    if isinstance(other, int | float):
        if a.dtype.kind not in kinds or isinstance(other, np.generic):
            return None
        number = number_tensor(other)
        return a, number_array(other, a.dtype), number
    if not isinstance(other, Tensor):
        return None
    b = other._data
    if isinstance(other._wrapped, int | float) and a.dtype.kind in kinds:
        return a, number_array(other._wrapped, a.dtype), other
    if isinstance(x._wrapped, int | float) and b.dtype.kind in kinds:
        return number_array(x._wrapped, b.dtype), b, other
    return None


def attach_pair(row: OpRow, x: Tensor, y: Tensor, out: Tensor, params: Mapping[str, object]) -> Node | None:
    """Like `apply.attach`, for two operands and one floating point result."""
    mask = 0
    first = second = None
    if x._requires_grad:
        mask = 1
        if x._base is not None:
            x._sync_view()
        node = x._node
        if node is not None or x._view is None or not x._view.lent:
            first = (node, x._output_nr) if node is not None else (x._accumulator or accumulator(x), 0)
    if y._requires_grad:
        mask |= 2
        if y._base is not None:
            y._sync_view()
        node = y._node
        if node is not None or y._view is None or not y._view.lent:
            second = (node, y._output_nr) if node is not None else (y._accumulator or accumulator(y), 0)
    node = bare(row.node_class)
    node.sequence_nr = sequence = state.sequence
    state.sequence = sequence + 1
    node.next = (first, second)
    node.params = params
    data = out._data
    node.metas = ((data.shape, data.dtype),)
    plan = node.plan = row.plans.get(mask) or row.plan(mask)
    out._requires_grad = True
    out._node = node
    if plan.saves:
        one_by_one = save if state.saved_hooks else keep
        node.saved = saved = []
        for i, is_output in plan.saves:
            saved.append(one_by_one(out if is_output else y if i else x, i, is_output))
    if plan.captures:
        plan.save(node, (x, y), (out,))
    if state.anomaly:
        remember_stack(node)
    return node


def compare(row: OpRow, *names: str, operators: str = "") -> None:
    """Register a comparison: common type for the operands, a boolean result."""

    def prepare(input: Tensor, other: object) -> Prepared:
        return prepare_pair(row, input, other, NO_PARAMS, False)

    function = register(prepare, names or (row.name,), inplace=not operators)
    if operators:

        def left(self: Tensor, other: object) -> object:
            if operators == "eq" and isinstance(other, np.ndarray) and other.dtype in dtypes.OF_NUMPY:
                other = wrap(np.asarray(other))  # the only comparison for which PyTorch takes an array
            known = isinstance(other, (Tensor, *NUMBERS))
            return function(self, other) if known else foreign(operators, self, other)

        method(f"__{operators}__")(left)
