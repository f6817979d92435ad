"""`import numpy` for a snippet: chosen functions, and arrays whose doors to files and to foreign memory are shut.

A `SafeArray` is an ndarray whose `tofile`, `dump`, `ctypes`, `data` and the like refuse; every
function here returns such arrays. Objects of the snippet never reach NumPy's converters, which would believe an
`__array_interface__`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradviz.worker.array_checks import CHECKS
from gradviz.worker.stand_in import stand_in

if TYPE_CHECKING:
    from gradviz.worker.guard import Guard

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
mask_indices
""".split()
_LINALG = """norm inv det solve eig eigh eigvals eigvalsh svd qr cholesky matrix_rank pinv lstsq matrix_power slogdet
cond multi_dot"""
_RANDOM = """rand randn randint random random_sample seed normal uniform choice permutation shuffle standard_normal
binomial poisson exponential beta gamma multivariate_normal laplace lognormal geometric multinomial dirichlet
get_state set_state"""
_FFT = "fft ifft fft2 ifft2 fftn rfft irfft fftfreq fftshift ifftshift rfftfreq"
_DTYPES = """float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool_ intp
floating integer number generic half single double int_ uint str_"""
_ASKING_THE_TENSOR = "round clip cumsum cumprod argmax argmin reshape transpose squeeze swapaxes".split()
_BY_INDEX = "c_ r_ mgrid ogrid"
_RANDOM_WORDS = 624  # of the generator's state
ONLY_NUMBERS = "only types of numbers and of text are available in GradViz snippets"
_SHUT = "tofile dump dumps ctypes data setflags getfield setfield newbyteorder itemset".split()


def _shut(name: str) -> property:
    def refuse(array: object) -> NoReturn:
        raise AttributeError(f"the array attribute '{name}' is not available in GradViz snippets")

    return property(refuse)


class SafeArray(np.ndarray[Any, Any]):
    """What a snippet knows as `numpy.ndarray`."""

    __slots__ = ()

    def __new__(cls, *args: object, **keywords: object) -> NoReturn:
        raise TypeError("numpy.ndarray() is not available in GradViz snippets; use numpy.array or numpy.zeros")

    def __array_finalize__(self, origin: object) -> None:
        if self.dtype.hasobject:  # NumPy sorts and resizes those with pointers that code of the snippet can invalidate
            raise TypeError(ONLY_NUMBERS)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if return_scalar and array.ndim == 0:
            return array[()]
        return array if type(array) is SafeArray else np.ndarray.view(array, SafeArray)  # `out=` comes as it is

    def __repr__(self) -> str:
        return repr(_raw(self))

    def nonzero(self) -> Any:
        """The places of what is not zero, one array for each dimension."""
        return safe(_raw(self).nonzero())

    def view(self, dtype: Any = None) -> Any:  # type: ignore[override]
        """The same memory as another type of number."""
        return _raw(self).view(*(() if dtype is None else (_numeric(dtype),))).view(SafeArray)

    def astype(  # type: ignore[override]
        self, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        """The same values as another type of number."""
        return _raw(self).astype(_numeric(dtype), order, casting, copy=bool(copy)).view(SafeArray)


for _name in _SHUT:
    setattr(SafeArray, _name, _shut(_name))
setattr(SafeArray, "strides", property(lambda array: _raw(array).strides))  # noqa: B010 to look at, not to set
SafeArray.__name__ = SafeArray.__qualname__ = "ndarray"
SafeArray.__module__ = "numpy"


def _raw(array: Any) -> np.ndarray[Any, Any]:
    return np.ndarray.view(array, np.ndarray)


def _numeric(dtype: Any) -> np.dtype[Any]:
    found = np.dtype(str.__str__(dtype) if isinstance(dtype, str) else dtype)
    if found.kind not in "biufcSU":
        raise TypeError(ONLY_NUMBERS)
    return found


def safe(value: Any) -> Any:
    """Shut the doors of an array, or of the arrays in a tuple or list, that is handed to the snippet."""
    if type(value) is np.ndarray:
        return value.view(SafeArray)
    if type(value) in (tuple, list):
        return type(value)(safe(each) for each in value)
    if type(value) is dict:
        return {key: safe(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # what eigh, svd and unique return
        return tuple(safe(each) for each in value)
    return value


class _ByIndex:
    """`np.c_[…]` and the like: a function that is called with brackets."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make

    def __getitem__(self, key: Any) -> Any:
        return self._make(key)


@contextmanager
def _printoptions(**look: Any) -> Iterator[None]:
    """No method, because what it returns has its arguments among its attributes."""
    before = np.get_printoptions()
    Arrays._set_printoptions(**look)
    try:
        yield
    finally:
        np.set_printoptions(**before)


class Arrays:
    """Makes the numpy stand-in of one run."""

    def __init__(self, guard: Guard, tensor: type | None) -> None:
        self._guard = guard
        self._tensor = tensor

    def module(self) -> dict[str, Any]:
        """`numpy` and its submodules, by name."""
        source = np.random.RandomState(0)
        names: dict[str, Any] = {name: self._guarded(getattr(np, name)) for name in _FUNCTIONS if hasattr(np, name)}
        names |= {name: getattr(np, name) for name in _DTYPES.split()}
        names |= {"pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan, "newaxis": None, "__version__": np.__version__}
        names |= {
            "ndarray": SafeArray,
            "bool": np.bool_,
            "set_printoptions": self._set_printoptions,
            "vectorize": self._vectorize,
            "apply_along_axis": self._apply_along_axis,
            "printoptions": _printoptions,
            "dtype": lambda dtype: _numeric(dtype),
            "finfo": lambda dtype: np.finfo(_numeric(dtype)),
            "iinfo": lambda dtype: np.iinfo(_numeric(dtype)),
            "errstate": self._errstate,
        }
        names |= {name: _ByIndex(self._guarded(getattr(np, name).__getitem__)) for name in _BY_INDEX.split()}
        parts = {
            "linalg": {name: self._guarded(getattr(np.linalg, name)) for name in _LINALG.split()}
            | {"LinAlgError": np.linalg.LinAlgError},
            "random": self._random_names(source, _RANDOM)
            | {"default_rng": self._default_rng, "RandomState": self._random_state},
            "testing": {name: self._guarded(function) for name, function in CHECKS.items()},
            "fft": {name: self._guarded(getattr(np.fft, name)) for name in _FFT.split()},
        }
        modules = {f"numpy.{part}": stand_in(f"numpy.{part}", held) for part, held in parts.items()}
        names |= {part: modules[f"numpy.{part}"] for part in parts}
        return {"numpy": stand_in("numpy", names), **modules}

    def _guarded(self, function: Any) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            plain = [self.plain(each) for each in args]
            named = {key: self.plain(each) for key, each in keywords.items()}
            if named.get("dtype") is not None:
                named["dtype"] = _numeric(named["dtype"])
            found = function(*plain, **named)
            return self._as_tensor(found) if wraps and any(map(self._is_tensor, args)) else safe(found)

        wraps = isinstance(function, np.ufunc) or getattr(function, "__name__", "") in _ASKING_THE_TENSOR
        call.__name__ = call.__qualname__ = getattr(function, "__name__", "numpy")
        call.__doc__ = None
        return call

    def _is_tensor(self, value: Any) -> bool:
        return self._tensor is not None and isinstance(value, self._tensor)

    @staticmethod
    def _as_tensor(found: Any) -> Any:
        """np.sin(tensor) is a tensor: PyTorch's wrap what a function of numbers makes of them."""
        from gradviz.torch import from_numpy

        if type(found) is tuple:
            return tuple(map(Arrays._as_tensor, found))
        array = np.asarray(found)
        return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)

    def plain(self, value: Any, depth: int = 0) -> Any:
        """`value` without objects of the snippet, which NumPy would ask for memory addresses; tensors become arrays."""
        kind = type(value)
        if kind in (int, float, bool, str, complex, type(None), slice) or isinstance(value, np.generic):
            return value
        if isinstance(value, np.ndarray):  # NumPy's own code uses doors that are shut: np.meshgrid calls setflags
            return _raw(value)
        if self._tensor is not None and isinstance(value, self._tensor):
            return self._tensor.numpy(value)  # type: ignore[attr-defined]  # not what a class of the snippet makes of it
        if kind in (list, tuple) and depth < 32:
            return kind(self.plain(each, depth + 1) for each in value)
        if isinstance(value, type) and issubclass(value, np.generic | int | float | bool | complex):
            return value
        if self._guard.owns(value) or not isinstance(value, range | tuple | map | zip | filter | np.dtype | dict):
            raise TypeError(
                f"NumPy in GradViz snippets takes numbers, lists, arrays and tensors, not {kind.__name__} objects"
            )
        return value if isinstance(value, np.dtype) else [self.plain(each, depth + 1) for each in value]

    def _random_names(self, source: Any, names: str) -> dict[str, Any]:
        """Methods of a generator; `shuffle` works on the snippet's own list, not on a copy of it."""

        def shuffle(x: Any) -> None:
            if type(x) is not list:
                source.shuffle(self.plain(x))
                return
            order = np.arange(len(x))
            source.shuffle(order)
            x[:] = [x[index] for index in order]

        def set_state(state: Any) -> None:
            kind, key, place, *rest = (self.plain(each) for each in tuple(state))
            if not 0 <= int(place) <= len(key) == _RANDOM_WORDS:  # NumPy would read on behind the end
                raise ValueError("state must be what get_state() gave")
            source.set_state((kind, key, int(place), *rest))

        own = {"shuffle": shuffle} | ({"set_state": set_state} if "set_state" in names else {})
        return {name: self._guarded(getattr(source, name)) for name in names.split()} | own

    @staticmethod
    def _set_printoptions(
        precision: Any = None, suppress: Any = None, threshold: Any = None, linewidth: Any = None
    ) -> None:
        np.set_printoptions(precision=precision, suppress=suppress, threshold=threshold, linewidth=linewidth)

    @staticmethod
    def _errstate(**ways: Any) -> Any:
        plain: dict[str, Any] = {key: str.__str__(way) for key, way in ways.items()}
        return np.errstate(**plain)

    def _vectorize(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(values: Any) -> Any:
            flat = [function(each) for each in np.asarray(self.plain(values)).ravel()]
            return safe(np.array(self.plain(flat)).reshape(np.shape(self.plain(values))))

        return call

    def _apply_along_axis(self, func1d: Callable[..., Any], axis: int, arr: Any, *args: Any) -> Any:
        def call(row: Any) -> Any:
            return self.plain(func1d(safe(row), *args))

        return safe(np.apply_along_axis(call, int(axis), self.plain(arr)))

    def _default_rng(self, seed: int | None = None) -> Any:
        source = np.random.default_rng(None if seed is None else int(seed))
        names = "random normal uniform integers choice permutation shuffle standard_normal binomial poisson exponential"
        return stand_in("Generator", self._random_names(source, names))

    def _random_state(self, seed: int | None = None) -> Any:
        source = np.random.RandomState(None if seed is None else int(seed))
        return stand_in("RandomState", self._random_names(source, _RANDOM))


def warm_arrays() -> None:
    """Exercise what NumPy imports lazily, because nothing can be opened once the worker is locked."""
    a = np.arange(6.0).reshape(2, 3)
    for name in "mean std var sum max min prod any all argmax cumsum".split():
        getattr(a, name)()
    square = np.eye(2)
    for name in "inv det eig eigh svd qr cholesky pinv norm slogdet".split():
        getattr(np.linalg, name)(square)
    np.fft.fft(a)
    np.unique(a), np.histogram(a), np.percentile(a, 50), np.median(a), np.ptp(a), np.einsum("ij,ij", a, a), np.pad(a, 1)
    np.polyfit([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], 1), np.array2string(a, precision=2), np.clip(a, 0, 1), np.average(a)
    str(a), repr(a), repr(a.astype("f2")), repr(a.astype(complex)), f"{a[0, 0]:.2f}", np.format_float_positional(0.1)
    np.finfo(np.float32).tiny, np.finfo(np.float64).eps, np.iinfo(np.int64).max, np.c_[a[0], a[1]], np.mgrid[0:2, 0:2]
    np.random.default_rng(0).normal(), np.random.RandomState(0).choice(3), functools.reduce(np.add, a)
