"""The forms that functions have: which of two operands may be Python numbers, and PyTorch's errors for anything else;
the named tuples that some return (`torch.return_types.max(values=…, indices=…)`); and what `out=` may be: its element
type, and whether it may share memory with an operand. Writing the result to `out` is in `api.py`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import repeated
from gradviz.engine.kernel.messages import OVERLAPPING, WRITTEN_TWICE, called, check_castable
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor


class Named(tuple[Tensor, ...]):
    """A tuple with names that prints over several lines, as PyTorch's structured results do."""

    fields: tuple[str, ...] = ()
    title = ""

    def __new__(cls, *values: object) -> Named:
        return tuple.__new__(cls, values)

    def __getattr__(self, name: str) -> Tensor:
        if name in self.fields:
            return self[self.fields.index(name)]
        raise AttributeError(f"'torch.return_types.{self.title}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        body = ",\n".join(f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True))
        return f"torch.return_types.{self.title}(\n{body})"


class ReturnTypes:
    """`torch.return_types`: the classes by name."""

    __slots__ = ()

    def __getattr__(self, name: str) -> type[Named]:
        if name not in _CLASSES:
            raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")
        return _CLASSES[name]

    def __dir__(self) -> list[str]:
        return sorted(_CLASSES)


RETURN_TYPES = ReturnTypes()
# Functions with several results, and the names of these. Each but one has another class for results in `out=`.
_FIELDS = """
cummax cummin kthvalue max median min mode nanmedian sort topk: values indices
aminmax: min max
frexp: mantissa exponent
geqrf: a tau
histogram histogramdd: hist bin_edges
linalg_cholesky_ex: L info
linalg_eig linalg_eigh: eigenvalues eigenvectors
linalg_inv_ex: inverse info
linalg_ldl_factor: LD pivots
linalg_ldl_factor_ex: LD pivots info
linalg_lstsq: solution residuals rank singular_values
linalg_lu lu_unpack: P L U
linalg_lu_factor: LU pivots
linalg_lu_factor_ex _lu_with_info: LU pivots info
linalg_qr qr: Q R
linalg_slogdet slogdet: sign logabsdet
linalg_solve_ex: result info
linalg_svd: U S Vh
svd: U S V
triangular_solve: solution cloned_coefficient
"""


def _classes() -> dict[str, type[Named]]:
    found: dict[str, type[Named]] = {}
    for line in _FIELDS.split("\n")[1:-1]:
        functions, _, fields = line.partition(": ")
        for title in (f"{name}{end}" for name in functions.split() for end in ("", "_out")):
            shown = {"fields": tuple(fields.split()), "title": title}
            found[title] = called(f"torch.return_types.{title}")(type(title, (Named,), shown))
    del found["histogramdd_out"]
    return found


_CLASSES = _classes()


def kind_name(value: object) -> str:
    """The name of the type of a value as an error says it: those of NumPy come with its name."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def return_type(name: str) -> type[Named]:
    """The class for the results of one function."""
    return _CLASSES[name]


# Functions whose result has a fixed element type, and their error for another one.
_EXACT = frozenset(
    """mm bmm addmm addmv baddbmm mv matmul gather scatter scatter_add take_along_dim index_add index_copy max min
    sort msort argmax argmin argsort avg_pool2d avg_pool3d diag linear qr svd softmax log_softmax tril triu norm
    aminmax topk isin inverse alias_copy as_strided_copy diagonal_copy expand_copy permute_copy select_copy
    slice_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy
    view_as_real_copy view_copy vector_norm""".split()
)
# Elementwise functions that convert neither what they read nor what they write.
_UNCONVERTED = frozenset(
    "abs bitwise_not ceil clamp clamp_max clamp_min conj_physical floor frac neg round sgn sign trunc".split()
)
_OF_BOOLEANS = frozenset({"any", "all"})  # the result may be stored as uint8, too
_CASTABLE = frozenset("outer ger kron mean std var addr maximum minimum".split())  # as elementwise functions are
_WORDS = {
    "index_select": "index_select(): self and result must have the same scalar type",
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}",
    "where": "Expected out type to be {0} but got {1}",
    "amax": "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype.",
    "multinomial": "multinomial expects {0} tensor out, got: {1}",
    "nonzero_static": "nonzero_static: Expected out tensor to have scalar type {0} but got scalar type{1}",
    "nonzero": "nonzero: Expected out tensor to have scalar type {0} but got scalar type{1}",
    "dot": "result dtype {1} does not match input dtype {0}",
    "vecdot": "linalg.vecdot: Expected out of dtype{0} but found {1}",
    "cummax": "expected scalar_type {0} but found {1}",
    "complex": "Expected object of scalar type {0} but got scalar type {1} for argument 'out'",
    "tensordot": "tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}",
    "narrow_copy": (
        "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  "
        "If so, please report an enhancement request to PyTorch.)"
    ),
    **dict.fromkeys("conj_physical gelu hardshrink softplus softshrink".split(), "Found dtype {1} but expected {0}"),
    "logsigmoid": "expected scalar type {0} but found {1}",
    "quantile": "quantile() out tensor must be same dtype as the input tensor",
    "kthvalue": "output values must be of same type as input",
    "mode": "expected scalar type '{0}' but got '{1}' for values output",
    "nan_to_num": "nan_to_num: dtype of out: {1} should be same as input: {0}",
    "float_power": "the output given to float_power has dtype {1} but the operation's result requires dtype {0}",
}
_WORDS |= {
    other: _WORDS[one]
    for one, others in {
        "amax": ["amin"],
        "dot": ["vdot"],
        "cummax": ["cummin", "logcumsumexp"],
        "complex": ["polar"],
        "tensordot": ["inner"],
        "quantile": ["nanquantile"],
    }.items()
    for other in others
}
_WORDS |= {name: f"{name} does not support non-boolean outputs." for name in ("isneginf", "isposinf", "signbit")}
# Functions that read their operands while they write.
SIZED_FIRST = frozenset("cat concat concatenate stack hstack vstack dstack row_stack column_stack".split())
_APART = SIZED_FIRST | frozenset("gather take masked_select kthvalue index_select".split())


# Functions that PyTorch's autograd does not know: they refuse only an `out=` that requires grad.
_UNKNOWN_TO_AUTOGRAD = frozenset(
    """bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift gcd lcm heaviside
    floor_divide alias_copy as_strided_copy diagonal_copy expand_copy permute_copy select_copy slice_copy
    split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_as_real_copy
    view_copy arange linspace logspace range eye ones zeros full randperm empty""".split()
)
# Those whose results it knows to have no gradient: they write to any `out=`.
WITHOUT_GRADIENT = frozenset(
    """eq ne lt le gt ge less less_equal greater greater_equal not_equal any all argmax argmin histc nonzero isposinf
    isneginf signbit logical_and logical_or logical_xor logical_not searchsorted bucketize isin multinomial""".split()
)


_OUT_OF = {
    **dict.fromkeys(("column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "vstack"), "cat"),
    **dict.fromkeys(("ger", "outer"), "mul"),
    **dict.fromkeys(("inv", "inverse"), "linalg_inv_ex"),
    **{name: f"_linalg_{name}" for name in ("det", "eigh", "slogdet", "svd")},
    **{
        name: f"linalg_{name}"
        for name in "cholesky_ex cross eig householder_product inv_ex lu pinv qr solve_triangular".split()
    },
    "chain_matmul": "mm",
    "eigvalsh": "_linalg_eigh",
    "float_power": "pow",
    "lu_factor": "linalg_lu_factor_ex",
    "matrix_power": "matmul",
    "multi_dot": "mm",
    "nanmean": "nansum",
    "norm": "linalg_vector_norm",
    "solve": "_linalg_solve_ex",
    "svdvals": "_linalg_svd",
    "take_along_dim": "gather",
    "true_divide": "div",
    "vecdot": "vdot",
    "vector_norm": "linalg_vector_norm",
}  # which function writes the result


def refuse_tracked_out(name: str, given: Sequence[object], out: object) -> None:
    """Refuse gradients: operations that write to `out=` are not differentiated in either direction."""
    name = _OUT_OF.get(name, name)
    unknown = name in _UNKNOWN_TO_AUTOGRAD
    several = out if isinstance(out, (tuple, list)) else (out,)
    tensors = [each for each in (several if unknown else (*given, *several)) if isinstance(each, Tensor)]
    name = f"aten::{name}" if unknown else name
    if state.grad and any(each._requires_grad for each in tensors):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if state.layered and any((each._tangents or {}).get(n) is not None for each in tensors for n in layers.duals):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )


def check_out(name: str, out: Tensor, found: Tensor, whole: bool = False) -> None:
    """Refuse a tensor given as `out=` because of its element type, or because its own elements share memory; `whole`
    says that all elements were reduced to one."""
    check_out_type(name, out, found.dtype, whole)
    data = out._data
    if data.size and data.shape == found._data.shape and repeated(data.shape, data.strides):
        raise RuntimeError(WRITTEN_TWICE)


def check_out_type(name: str, out: Tensor, made: dtypes.dtype, whole: bool = False) -> None:
    """Refuse an `out=` whose element type the function does not write when its result has the type `made`."""
    given = out.dtype
    if made is given:
        return
    if name in _WORDS:
        raise RuntimeError(_WORDS[name].format(made.title, given.title))
    if name in _EXACT:
        raise RuntimeError(f"Expected out tensor to have dtype {made.cpp}, but got {given.cpp} instead")
    if name in _OF_BOOLEANS and given not in (dtypes.uint8, dtypes.bool_):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {given.title}")
    if name == "logsumexp" and given.rank < 2:
        raise RuntimeError(f"logsumexp(): Expected floating point type for result tensor, but got: {given.title}")
    if not dtypes.can_cast(made, given) and (name in SIZED_FIRST or (name == "mean" and whole)):
        error, function = (TypeError, "torch.cat") if name in SIZED_FIRST else (RuntimeError, "mean.dtype_out")
        raise error(f"{function}(): input types can't be cast to the desired output type {given.title}")
    if name in _CASTABLE:
        check_castable(dtypes.float32 if name == "mean" else made, given)  # PyTorch names the type of its divisor


def check_apart(name: str, out: Tensor, operands: object, outgrown: Array | None = None) -> None:
    """Refuse an `out=` that shares memory with an operand which is read while it is written, or did so before it was
    resized."""
    where = out._data if outgrown is None else outgrown
    if name in _APART and any(each is out or np.may_share_memory(where, each._data) for each in _tensors(operands)):
        raise RuntimeError(OVERLAPPING)


def check_cast(name: str, out: Tensor, made: dtypes.dtype, operands: Sequence[object]) -> None:
    """Refuse an `out=` of an elementwise operation that can't hold the result."""
    from_complex = name == "abs" and any(isinstance(each, Tensor) and each.dtype.is_complex for each in operands)
    between = name[:5] == "clamp" and len(_tensors(operands)) > 1  # limits that are tensors convert
    if name in _UNCONVERTED and not from_complex and not between and out.dtype is not made:
        raise RuntimeError(f"Found dtype {out.dtype.title} but expected {made.title}")
    check_out_type(name, out, made)
    if name == "ldexp" and not dtypes.can_cast(made, out.dtype):
        raise RuntimeError(f"ldexp can't be cast to the desired output type {out.dtype.title}")
    check_castable(made, out.dtype)


def _tensors(operands: Any) -> list[Tensor]:
    found: list[Tensor] = []
    for each in operands:
        if isinstance(each, Tensor):
            found.append(each)
        elif isinstance(each, (tuple, list)):
            found += _tensors(each)
    return found


# --- the operands ---


def need_tensors(given: Sequence[object]) -> None:
    """Refuse anything but tensors in a list of tensors."""
    for at, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {kind_name(each)}")


F = TypeVar("F", bound=Callable[..., object])
_NUMBERS = (int, float, complex, np.number, np.bool_)
_OUT = ", *, Tensor out = None"
# The signatures that each class of functions reports: the types of the two operands, and whether it takes `out`.
_FORMS = {
    "second": (("Tensor", "Tensor", True), ("Tensor", "Number", True)),
    "any": (("Tensor", "Tensor", True), ("Number", "Tensor", True), ("Tensor", "Number", True)),
    "bits": (("Tensor", "Tensor", True), ("Number", "Tensor", False), ("Tensor", "Number", True)),
}
SECOND = "eq ne lt le gt ge not_equal less less_equal greater greater_equal copysign fmod".split()
ANY = "xlogy pow float_power".split()
BITS = "remainder bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
NONE = """atan2 hypot fmax fmin maximum minimum logaddexp logaddexp2 heaviside logical_and logical_or logical_xor ldexp
gcd lcm nextafter isclose polar complex""".split()
_CLASS = {name: kind for kind, names in (("second", SECOND), ("any", ANY), ("bits", BITS)) for name in names}
_CLASS |= dict.fromkeys(NONE, "none")
_FIRST_NAME = {"polar": "abs", "complex": "real"}
_SECOND_NAME = dict(pow="exponent", float_power="exponent", heaviside="values", polar="angle", complex="imag")


def check_operands(name: str, x: object, y: object) -> None:
    """Refuse operands that PyTorch's function of that name does not accept."""
    kind = _CLASS.get(name, "both")
    allowed = {"both": "NN", "none": "", "second": " N"}.get(kind, "NN")
    for at, each in enumerate((x, y)):
        if not isinstance(each, Tensor) and not (isinstance(each, _NUMBERS) and allowed[at : at + 1] == "N"):
            break
    else:
        if kind in ("both", "second", "none") or isinstance(x, Tensor) or isinstance(y, Tensor):
            return
    if kind in _FORMS:
        refuse(name, (x, y), forms(name, kind))
    at = 0 if not isinstance(x, (Tensor, *_NUMBERS)) or (kind == "none" and not isinstance(x, Tensor)) else 1
    if at == 0 and kind == "none" and not isinstance(y, Tensor) and isinstance(x, Tensor):
        at = 1
    wrong, argument = (x, _FIRST_NAME.get(name, "input")) if at == 0 else (y, _SECOND_NAME.get(name, "other"))
    raise TypeError(f"{name}(): argument '{argument}' (position {at + 1}) must be Tensor, not {kind_name(wrong)}")


def forms(name: str, kind: str) -> list[tuple[tuple[str, ...], str, int]]:
    """The forms of a function of two operands: the types, its spelling, and how many arguments it has."""
    second = _SECOND_NAME.get(name, "other")
    return [
        ((a, b), f"({a} {'input' if a == 'Tensor' else 'self'}, {b} {second}{_OUT if out else ''})", 2 + out)
        for a, b, out in _FORMS[kind]
    ]


def along(name: str, *known: str, none: bool = False) -> Callable[[F], F]:
    """For a reduction that has the `known` forms: `keepdim` belongs to the one with `dim`, which may be None only if
    `none` says so. Without `known` forms PyTorch reports only that `dim` is missing."""

    def register(fn: F) -> F:
        @functools.wraps(fn)
        def call(*args: object, **named: object) -> Any:
            if len(args) == 1 and not named:
                return fn(*args)
            dim = args[1] if len(args) > 1 else named.get("dim", named.get("axis", call))
            if dim is call and not named.keys().isdisjoint(("keepdim", "keepdims")):
                if not known:
                    raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
                refuse(name, args, [((), each, -1) for each in known], named)
            if dim is None and not none:
                if known and "keepdim" not in named:
                    refuse(name, args, [((), each, -1) for each in known], named)
                raise TypeError(f"{name}(): argument 'dim' must be int, not NoneType")
            return fn(*args, **named)

        return cast(F, call)

    return register


def refuse(
    name: str,
    given: tuple[object, ...],
    known: Sequence[tuple[tuple[str, ...], str, int]],
    named: Mapping[str, object] = MappingProxyType({}),
) -> NoReturn:
    """Raise the error that no form of the function takes these arguments."""
    kinds = [kind_name(each) for each in given] + [f"{key}={kind_name(each)}" for key, each in named.items()]
    lines = [f"{name}() received an invalid combination of arguments - got ({', '.join(kinds)}), but expected one of:"]
    for types, written, count in known:
        lines.append(f" * {written}")
        if count == len(given):
            marked = [
                kind if fits(each, wanted) else f"!{kind}!"
                for each, kind, wanted in zip(given, kinds, types, strict=True)
            ]
            lines.append(f"      didn't match because some of the arguments have invalid types: ({', '.join(marked)})")
    raise TypeError("\n".join(lines) + "\n")


def fits(value: object, wanted: str) -> bool:
    """Whether an argument has the type that a form requires."""
    return isinstance(value, Tensor if wanted == "Tensor" else _NUMBERS)
