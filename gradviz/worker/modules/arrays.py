"""`import numpy` for a snippet: selected functions, each called through `numpy_boundary`, so that they take and return
the stand-ins of `numpy_types`. `numpy.testing` provides the assertions that tutorials end with, without importing the
package, which is slow."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, SupportsIndex, SupportsInt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import memory_of, start_of, strided
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.overflow import CAREFUL, OF_FFT, OF_LINALG, within
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.file_formats import array_files, warm_formats
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import (
    STAND_INS,
    as_tensor,
    call_numpy,
    errors,
    numeric,
    offer,
    to_numpy,
    to_snippet,
    writing,
)
from gradviz.worker.objects.numpy_types import DType, Finfo, Iinfo, SafeArray

# --- numpy.testing: each returns None or raises an AssertionError that begins as NumPy's does ---


def _fail(what: str, actual: object, desired: object, err_msg: str) -> None:
    note = f"\n{err_msg}" if err_msg else ""
    raise AssertionError(f"\n{what}{note}\n ACTUAL: {np.asarray(actual)!r}\n DESIRED: {np.asarray(desired)!r}")


def assert_allclose(
    actual: Any, desired: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True, err_msg: str = ""
) -> None:
    """Assert equality within tolerances."""
    same_shape = np.shape(actual) == np.shape(desired) or () in (np.shape(actual), np.shape(desired))
    if not (same_shape and np.allclose(actual, desired, rtol, atol, equal_nan)):
        _fail(f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}", actual, desired, err_msg)


def assert_array_equal(actual: object, desired: object, err_msg: str = "") -> None:
    """Assert exact equality; NaNs are equal."""
    a, b = np.asarray(actual), np.asarray(desired)
    numeric = a.dtype.kind in "fc" and b.dtype.kind in "fc"
    if not (a.shape == b.shape or () in (a.shape, b.shape)) or not np.all((a == b) | (numeric and (a != a) & (b != b))):
        _fail("Arrays are not equal", actual, desired, err_msg)


def assert_almost_equal(actual: object, desired: object, decimal: int = 7, err_msg: str = "") -> None:
    """Assert equality up to a number of decimals."""
    if not np.all(np.abs(np.asarray(desired) - np.asarray(actual)) < 1.5 * 10.0**-decimal):
        _fail(f"Arrays are not almost equal to {decimal} decimals", actual, desired, err_msg)


CHECKS: dict[str, Callable[..., None]] = {
    "assert_allclose": assert_allclose,
    "assert_array_equal": assert_array_equal,
    "assert_equal": assert_array_equal,
    "assert_almost_equal": assert_almost_equal,
    "assert_array_almost_equal": assert_almost_equal,
}


_FUNCTIONS = """
array asarray arange linspace logspace zeros ones empty full eye identity zeros_like ones_like empty_like full_like
diag exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh
arctanh sqrt cbrt square abs absolute fabs sign floor ceil round around rint trunc clip power float_power mod
remainder fmod reciprocal negative add subtract multiply divide true_divide floor_divide dot vdot inner outer matmul
tensordot einsum kron cross trace mean sum prod max min amax amin argmax argmin std var median average percentile
quantile ptp cumsum cumprod diff gradient nanmean nansum nanmax nanmin nanstd any all isnan isinf isfinite isclose
allclose array_equal maximum minimum concatenate stack vstack hstack dstack column_stack split array_split reshape
ravel transpose swapaxes moveaxis squeeze expand_dims broadcast_to broadcast_arrays repeat tile flip fliplr flipud
roll rot90 where nonzero argwhere flatnonzero searchsorted sort argsort unique bincount histogram meshgrid indices
triu tril take take_along_axis choose select logical_and logical_or logical_not logical_xor equal not_equal greater
greater_equal less less_equal sinc heaviside interp convolve correlate polyfit polyval corrcoef cov atleast_1d
atleast_2d copy append insert delete pad isscalar issubdtype ndim shape size hypot deg2rad rad2deg degrees radians
real imag conj angle trapezoid count_nonzero ascontiguousarray nan_to_num unravel_index ravel_multi_index digitize
isin intersect1d setdiff1d union1d triu_indices tril_indices diag_indices fill_diagonal lexsort partition argpartition
geomspace logaddexp vander tri block fmax fmin modf divmod signbit copysign nanmedian nanargmax nanargmin array2string
array_str array_repr result_type can_cast promote_types array_equiv isreal iscomplex iscomplexobj rollaxis resize
trim_zeros ediff1d nancumsum nanprod bitwise_and bitwise_or bitwise_xor invert left_shift right_shift asanyarray
diagonal extract hanning hamming blackman bartlett kaiser roots poly polyder polyint histogram2d nanvar setxor1d ix_
asfortranarray base_repr binary_repr isneginf isposinf ldexp frexp nextafter gcd lcm may_share_memory shares_memory
mask_indices atleast_3d row_stack positive conjugate fix acos asin atan acosh asinh atanh atan2 pow concat permute_dims
bitwise_not bitwise_invert bitwise_left_shift bitwise_right_shift bitwise_count matrix_transpose vecdot matvec vecmat
cumulative_sum cumulative_prod unstack hsplit vsplit dsplit diagflat tril_indices_from triu_indices_from
diag_indices_from nanpercentile nanquantile nancumprod histogram_bin_edges histogramdd isrealobj real_if_close spacing
logaddexp2 broadcast_shapes polyadd polysub polymul polydiv put putmask place copyto put_along_axis compress
sort_complex i0 unwrap format_float_positional format_float_scientific packbits unpackbits
""".split()
_LINALG = """norm inv det solve eig eigh eigvals eigvalsh svd qr cholesky matrix_rank pinv lstsq matrix_power slogdet
cond multi_dot svdvals trace diagonal cross outer tensordot matmul matrix_transpose matrix_norm vector_norm vecdot"""
_RANDOM = """rand randn randint random random_sample seed normal uniform choice permutation shuffle standard_normal
binomial poisson exponential beta gamma multivariate_normal laplace lognormal geometric multinomial dirichlet
chisquare gumbel logistic negative_binomial pareto power rayleigh standard_cauchy standard_exponential
standard_gamma standard_t triangular weibull get_state set_state"""
_GENERATOR = """random normal uniform integers choice permutation permuted shuffle standard_normal binomial poisson
exponential beta gamma multivariate_normal laplace lognormal geometric multinomial dirichlet chisquare gumbel logistic
rayleigh standard_exponential standard_gamma standard_t triangular weibull"""
_FFT = (
    "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftfreq fftshift ifftshift rfftfreq"
)
_DTYPES = """float16 float32 float64 int8 int16 int32 int64 long uint8 uint16 uint32 uint64 complex64 complex128 bool_
intp floating integer number generic half single double int_ uint str_"""
_ASKING_THE_TENSOR = "round clip cumsum cumprod argmax argmin reshape transpose squeeze swapaxes".split()
_WRITING = {"copyto": "dst", "fill_diagonal": "a", "place": "arr", "put": "a", "put_along_axis": "arr", "putmask": "a"}
_BY_INDEX = "c_ r_ mgrid ogrid"
_RANDOM_WORDS = 624  # of the generator's state
_MOST_DIGITS = 1_000  # NumPy writes an exponent past the end of the 16,384 letters that it has for a number
_DIGITS_AT = {"array2string": 2, "array_str": 2, "array_repr": 2}  # the place of `precision`
_DIGITS_AT |= dict.fromkeys(("format_float_positional", "format_float_scientific"), 1)  # more counts follow it
_DIGITS = ("precision", "min_digits", "pad_left", "pad_right", "exp_digits")


@keep_methods
class Poly1d:
    """`numpy.poly1d` for a snippet."""

    __slots__ = ("_poly",)

    def __init__(self, c_or_r: object, r: object = False, variable: object = None) -> None:
        self._poly = np.poly1d(to_numpy(c_or_r), bool(r), None if variable is None else str.__str__(variable))

    c = coef = coeffs = coefficients = property(lambda self: to_snippet(self._poly.c.copy()), doc="From the highest.")
    r = roots = property(lambda self: to_snippet(np.asarray(self._poly.r)), doc="Where it is zero.")
    o = order = property(lambda self: int(self._poly.o), doc="The highest power.")

    def __call__(self, val: object) -> Any:
        return to_snippet(self._poly(to_numpy(val)))

    def deriv(self, m: SupportsInt = 1) -> object:
        """Return the derivative."""
        return to_snippet(self._poly.deriv(int(m)))

    def integ(self, m: SupportsInt = 1, k: Any = 0) -> Any:
        """Return an integral."""
        return to_snippet(self._poly.integ(int(m), to_numpy(k)))

    def __add__(self, other: object) -> object:
        return to_snippet(self._poly + to_numpy(other))

    def __sub__(self, other: object) -> object:
        return to_snippet(self._poly - to_numpy(other))

    def __mul__(self, other: object) -> object:
        return to_snippet(self._poly * to_numpy(other))

    def __neg__(self) -> object:
        return to_snippet(-self._poly)

    def __len__(self) -> int:
        return int(self._poly.o)

    def __getitem__(self, val: SupportsInt) -> Any:
        return to_snippet(self._poly[int(val)])

    def __repr__(self) -> str:
        return repr(self._poly)

    def __str__(self) -> str:
        return str(self._poly)


def _poly_of(found: Any) -> Poly1d:
    made: Poly1d = object.__new__(Poly1d)
    made._poly = found
    return made


Poly1d.__name__ = Poly1d.__qualname__ = "poly1d"
Poly1d.__module__ = "numpy"
offer(Poly1d, np.poly1d, _poly_of, operator.attrgetter("_poly"))


class _ByIndex:
    """`np.c_[…]` and the like: a function called with brackets."""

    __slots__ = ("_called",)

    def __init__(self, called: Callable[..., object]) -> None:
        self._called = called

    def __getitem__(self, key: object) -> object:
        return self._called(key)


@contextmanager
def _printoptions(**look: Any) -> Iterator[None]:
    """Not a method, because its return value has its arguments among its attributes."""
    before = np.get_printoptions()
    _set_printoptions(**look)
    try:
        yield
    finally:
        np.set_printoptions(**before)


def _shape(of_arrays: Callable[..., object]) -> Callable[[object], object]:
    """Return `np.shape`, which asks what it is given: a tensor answers with its own kind of tuple."""

    def shape(a: Any) -> object:
        return a.shape if issubclass(type(a), Tensor) else of_arrays(a)

    return shape


def numpy_modules(source: np.random.RandomState | None = None) -> dict[str, object]:
    """Return `numpy` and its submodules for one run, by name; `np.random` draws from `source`."""
    source = source or np.random.RandomState(0)
    functions = {**vars(np), **CAREFUL}
    functions |= {name: _in_few_digits(functions[name], place) for name, place in _DIGITS_AT.items()}
    names: dict[str, Any] = {name: _guarded(functions[name]) for name in _FUNCTIONS if name in functions}
    names |= {"shape": _shape(_guarded(np.shape))}
    names |= {"empty": _guarded(np.zeros), "empty_like": _guarded(np.zeros_like)}  # not what the memory held before
    names |= {name: STAND_INS[getattr(np, name)] for name in _DTYPES.split()}
    names |= {"pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan, "newaxis": None, "__version__": np.__version__}
    names |= {
        "ndarray": SafeArray,
        "poly1d": Poly1d,
        "bool": STAND_INS[np.bool_],
        "set_printoptions": _set_printoptions,
        "vectorize": _vectorize,
        "apply_along_axis": _apply_along_axis,
        "printoptions": _printoptions,
        "dtype": DType,
        "finfo": Finfo,
        "iinfo": Iinfo,
        "errstate": _errstate,
        "ndindex": _ndindex,
        "ndenumerate": _ndenumerate,
        "nditer": NdIter,
        "fromfunction": _fromfunction,
        "s_": _ByIndex(lambda key: key),
        "euler_gamma": np.euler_gamma,
        "True_": to_snippet(np.True_),
        "False_": to_snippet(np.False_),
        "seterr": _seterr,
        "geterr": lambda: dict(errors.ways),
    }
    names |= {name: _ByIndex(_guarded(getattr(np, name).__getitem__)) for name in _BY_INDEX.split()}
    names |= array_files()
    parts = {
        "linalg": {name: _guarded(OF_LINALG.get(name, getattr(np.linalg, name))) for name in _LINALG.split()}
        | {"LinAlgError": np.linalg.LinAlgError},
        "random": _random_names(source, _RANDOM) | {"default_rng": _default_rng, "RandomState": _random_state},
        "testing": {name: _guarded(function) for name, function in CHECKS.items()},
        "fft": {name: _guarded(OF_FFT.get(name, getattr(np.fft, name))) for name in _FFT.split()},
    }
    modules = {f"numpy.{part}": stand_in(f"numpy.{part}", held) for part, held in parts.items()}
    windows = {"sliding_window_view": _guarded(sliding_window_view), "as_strided": _as_strided}
    modules["numpy.lib.stride_tricks"] = stand_in("numpy.lib.stride_tricks", windows)
    modules["numpy.lib"] = names["lib"] = stand_in("numpy.lib", {"stride_tricks": modules["numpy.lib.stride_tricks"]})
    names |= {part: modules[f"numpy.{part}"] for part in parts}
    return {"numpy": stand_in("numpy", names), **modules}


_COMPARING = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


def _filled(function: np.ufunc) -> Callable[..., object]:
    """Return a ufunc that, with `where=` and no output array, leaves zeros where it computes nothing instead of old
    memory contents."""

    def call(*args: Any, **keywords: Any) -> Any:
        where, out = keywords.get("where", True), keywords.get("out")
        if where is not True and function in _COMPARING:  # NumPy has no such loop for an array and a number too large
            args = (*map(np.asarray, args[: function.nin]), *args[function.nin :])
        found = function(*args, **keywords)
        if where is True:
            return found
        given = [*args[function.nin :], *(out if type(out) is tuple else (out,))]
        several = found if type(found) is tuple else (found,)
        plain = tuple([each if any(each is one for one in given) else _zeroed(each, where) for each in several])
        return plain if type(found) is tuple else plain[0]

    return call


def _in_few_digits(function: Callable[..., object], place: int) -> Callable[..., object]:
    """Return a function that writes numbers and refuses to write them with too many digits."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        for count in (*args[place:], *map(keywords.get, _DIGITS)):
            _check_digits(count)
        return function(*args, **keywords)

    return call


def _check_digits(count: object) -> None:
    if isinstance(count, int | np.integer | np.ndarray) and operator.index(count) > _MOST_DIGITS:
        raise ValueError(f"numbers are written with at most {_MOST_DIGITS:,} digits in GradViz")


def _zeroed(found: object, where: Any) -> Array:
    made = np.asarray(found).copy()
    np.copyto(made, made.dtype.type(), where=np.logical_not(where))
    return made[()]


def _guarded(function: Callable[..., object]) -> Callable[..., Any]:
    def call(*args: Any, **keywords: Any) -> Any:
        if first in keywords and not args:
            args, keywords = (keywords[first],), {key: value for key, value in keywords.items() if key != first}
        found = call_numpy(computes, args, keywords, written)
        return as_tensor(found) if wraps and any(isinstance(each, Tensor) for each in args) else found

    computes = _filled(function) if isinstance(function, np.ufunc) else function
    name = getattr(function, "__name__", "numpy")
    wraps = isinstance(function, np.ufunc) or name in _ASKING_THE_TENSOR
    first = _WRITING.get(name, "")
    written = slice(function.nin, None) if isinstance(function, np.ufunc) else slice(bool(first))
    call.__name__ = call.__qualname__ = name
    call.__doc__ = None
    return call


def _random_names(source: Any, names: str) -> dict[str, Any]:
    """Return the methods of a generator; `shuffle` works on the snippet's own list, not on a copy."""

    def shuffle(x: Any) -> None:
        if type(x) is not list:
            array = to_numpy(x)
            with writing(array):
                source.shuffle(array)
            return
        order = np.arange(len(x))
        source.shuffle(order)
        x[:] = [x[index] for index in order]

    def set_state(state: Iterable[object]) -> None:
        kind, key, place, *rest = (to_numpy(each) for each in tuple(state))
        if not 0 <= int(place) <= len(key) == _RANDOM_WORDS:  # NumPy would read past the end
            raise ValueError("state must be what get_state() gave")
        source.set_state((kind, key, int(place), *rest))

    own = {"shuffle": shuffle} | ({"set_state": set_state} if "set_state" in names else {})
    drawn = {name: within(getattr(source, name)) for name in ("randint", "integers") if hasattr(source, name)}
    return {name: _guarded(drawn.get(name, getattr(source, name))) for name in names.split()} | own


def _set_printoptions(
    precision: Any = None,
    threshold: Any = None,
    edgeitems: int | None = None,
    linewidth: Any = None,
    suppress: Any = None,
    *,
    floatmode: str | None = None,
    sign: str | None = None,
) -> None:
    """Accept all of NumPy's options except those that would be called for each number or pass texts of the snippet on
    to the next run."""
    texts: dict[str, object] = {"floatmode": floatmode, "sign": sign}
    plain: dict[str, Any] = {key: None if value is None else str.__str__(value) for key, value in texts.items()}
    numbers = {"precision": precision, "threshold": threshold, "linewidth": linewidth, "suppress": suppress}
    plain |= {key: to_numpy(value) for key, value in numbers.items()}
    _check_digits(plain["precision"])
    np.set_printoptions(edgeitems=None if edgeitems is None else int(edgeitems), **plain)


@contextmanager
def _errstate(**given: object) -> Iterator[None]:
    """NumPy's own object would give access to its class, which accepts a function that is called in the next run,
    too."""
    before = errors.change(given)
    try:
        yield
    finally:
        errors.change({**before})


def _seterr(all: object = None, **given: object) -> dict[str, str]:
    return errors.change({"all": all, **given})


def _as_strided(x: object, shape: object = None, strides: object = None, *more: object, **options: object) -> object:
    """Return a view of an array's own memory; NumPy would read and write anywhere."""
    if more or options.keys() - {"subok", "writeable"}:
        raise TypeError("as_strided() takes an array, a shape and strides in GradViz snippets")
    array = np.asarray(to_numpy(x))
    sizes = array.shape if shape is None else _numbers(shape)
    steps = array.strides if strides is None else _numbers(strides)
    memory = memory_of(array)
    view = strided(memory, array.dtype, sizes, steps, start_of(array, memory))
    view.flags.writeable = bool(array.flags.writeable and options.get("writeable", True))
    return to_snippet(view)


def _numbers(given: Any) -> tuple[int, ...]:
    plain = to_numpy(given)
    return tuple([operator.index(each) for each in (plain if isinstance(plain, tuple | list) else (plain,))])


def _ndindex(*shape: SupportsIndex) -> Iterator[tuple[int, ...]]:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    return iter(list(itertools.product(*[range(operator.index(size)) for size in sizes])))


def _ndenumerate(arr: object) -> Iterator[tuple[tuple[int, ...], object]]:
    array = np.asarray(to_numpy(arr))
    return iter(list(zip(_ndindex(*array.shape), map(to_snippet, array.ravel()), strict=True)))


@keep_methods
class NdIter:
    """`np.nditer` of one array: its elements, in the order in which they lie in memory, with their indices."""

    __slots__ = ("_array", "_at", "_axes", "_begun", "_left", "_tracks")

    def __init__(self, op: object, flags: Sequence[object] = (), op_flags: object = (), order: object = "K") -> None:
        array = np.asarray(to_numpy(op))
        kinds = [str.__str__(str(each)) for each in flags]
        if set(kinds) - {"multi_index", "refs_ok", "zerosize_ok"} or order not in ("K", "C"):
            raise TypeError(f"np.nditer(flags={kinds}, order={order!r}) is not available in GradViz snippets")
        self._array, self._tracks = array.view(), "multi_index" in kinds
        self._array.flags.writeable = array.flags.writeable and "write" in str.__str__(str(op_flags))
        axes = range(array.ndim)
        self._axes = sorted(axes, key=lambda axis: -abs(array.strides[axis])) if order == "K" else list(axes)
        self.reset()

    finished = property(lambda self: self._at is None, doc="Whether all elements were visited.")
    value = property(lambda self: self[0], doc="The element where it stands.")

    def reset(self) -> None:
        """Go back to the first element."""
        self._left = itertools.product(*[range(self._array.shape[axis]) for axis in self._axes])
        self.iternext()
        self._begun = False  # a loop begins at the first element

    def iternext(self) -> bool:
        """Go on, and tell whether there is another element."""
        self._at = next(self._left, None)
        return self._at is not None

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The indices of the element."""
        if not self._tracks:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()

    def _place(self) -> tuple[int, ...]:
        if self._at is None:
            raise ValueError("Iterator is past the end")
        place = dict(zip(self._axes, self._at, strict=True))
        return tuple([place[axis] for axis in range(len(place))])

    def __getitem__(self, key: SupportsIndex) -> object:
        if operator.index(key) != 0:
            raise IndexError("Iterator operand index is out of bounds")
        place: Any = (*self._place(), ...)
        return to_snippet(self._array[place])

    def __iter__(self) -> NdIter:
        return self

    def __next__(self) -> object:
        if self._begun:
            self.iternext()
        self._begun = True
        if self._at is None:
            raise StopIteration
        return self[0]

    def __enter__(self) -> NdIter:
        return self

    def __exit__(self, *exc: object) -> None:
        return None


def _fromfunction(
    function: Callable[..., object], shape: object, *, dtype: object = float, **keywords: object
) -> object:
    places = np.indices(to_numpy(shape), dtype=numeric(dtype))
    return function(*[to_snippet(each) for each in places], **keywords)


def _vectorize(function: Callable[..., object]) -> Callable[..., object]:
    def call(values: object) -> Any:
        array = np.asarray(to_numpy(values))
        made = [to_numpy(function(to_snippet(each))) for each in array.ravel()]
        return to_snippet(np.array(made).reshape(array.shape))

    return call


def _apply_along_axis(func1d: Callable[..., object], axis: int, arr: object, *args: object) -> object:
    def call(row: object) -> Any:
        return to_numpy(func1d(to_snippet(row), *args))

    return to_snippet(np.apply_along_axis(call, int(axis), to_numpy(arr)))


def _default_rng(seed: int | None = None) -> object:
    source = np.random.default_rng(None if seed is None else int(seed))
    return stand_in("Generator", _random_names(source, _GENERATOR))


def _random_state(seed: int | None = None) -> object:
    source = np.random.RandomState(None if seed is None else int(seed))
    return stand_in("RandomState", _random_names(source, _RANDOM))


def warm_arrays() -> None:
    """Exercise what NumPy imports lazily, because nothing can be opened once the worker is locked."""
    a = np.arange(6.0).reshape(2, 3)
    for name in "mean std var sum max min prod any all argmax cumsum".split():
        getattr(a, name)()
    square = np.eye(2)
    warm_formats()
    for name in "inv det eig eigh svd qr cholesky pinv norm slogdet".split():
        getattr(np.linalg, name)(square)
    np.fft.fft(a)
    np.unique(a), np.histogram(a), np.percentile(a, 50), np.median(a), np.ptp(a), np.einsum("ij,ij", a, a), np.pad(a, 1)
    np.polyfit([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], 1), np.array2string(a, precision=2), np.clip(a, 0, 1), np.average(a)
    str(a), repr(a), repr(a.astype("f2")), repr(a.astype(complex)), f"{a[0, 0]:.2f}", np.format_float_positional(0.1)
    np.finfo(np.float32).tiny, np.finfo(np.float64).eps, np.iinfo(np.int64).max, np.c_[a[0], a[1]], np.mgrid[0:2, 0:2]
    np.random.default_rng(0).normal(), np.random.RandomState(0).choice(3), functools.reduce(np.add, a)
