"""Values: the arrays in a trace, each complete or as a summary with the elements at its edges. `Value` is what the
program shows, in full or briefly for a formula; `ValueStore` keeps the bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.memory import occurrences
from gradviz.trace.table.schema import Dims, Summaries, Values

Array = NDArray[Any]


def number_text(number: complex | float | int | bool, digits: int = 4) -> str:
    """A number for a formula: "7", "0.3333", "12346", "-2e-05", "nan", "1+2j"."""
    if isinstance(number, (bool, int)):
        return str(number)
    if isinstance(number, complex):
        sign = "-" if number.imag < 0 or (number.imag == 0 and math.copysign(1, number.imag) < 0) else "+"
        return f"{number_text(number.real, digits)}{sign}{number_text(abs(number.imag), digits)}j"
    if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
        return str(int(number))
    text = f"{number:.{digits}g}"
    return f"{number:.0f}" if "e+" in text and abs(number) < 1e6 else text


def factor_text(number: str) -> str:
    """A number beside others in a product: in brackets if it has a sign or two parts."""
    return f"({number})" if number.startswith("-") else summand_text(number)


def summand_text(number: str) -> str:
    """A number beside others in a sum: in brackets if it has two parts, "(1+2j)"."""
    return f"({number})" if number.endswith("j") else number


def with_signs(text: str) -> str:
    """A formula in which the numbers have their signs as everywhere else: "-1 × 3". The minus between two numbers, and
    before a name or a bracket, is that of mathematics: "−grad", "2 − 1"."""
    return re.sub(r"−(?=\d)", "-", text)


def array_text(array: Array, digits: int = 4) -> str:
    """All elements on one line, each as in a formula: "3", "[0.2, 2]", "[[1, 2], [3, 4]]"."""
    if 0 in array.shape:
        return "[]"
    if not array.ndim:
        return number_text(array.item(), digits)
    return f"[{', '.join(array_text(each, digits) for each in array)}]"


DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
BLOCK = 32_768  # elements that are summed at once: in double precision they fit into a cache, and memory is reused
ALONE = 8_192  # the longest vectors whose inner product BLAS does not share among threads: OpenBLAS does from 10,001 on
WHOLE = 65_536  # a value with more elements is kept as a summary
EDGES, ALL, NOTHING, NO_NUMBERS = range(4)  # what is kept of a value; on the meta device there is nothing to keep
EDGE = 3  # elements kept at each end of each dimension of such a value
MATRIX = 25  # elements of an array that a sentence writes individually
SAME = 9  # elements that a sentence writes individually though they are all equal
FEW = 4  # elements of an array that a formula writes individually
MOST_DIGITS = 10  # of a number in a sentence, where fewer would not show what is said


def digits_shown(run: Callable[..., Any], sides: Sequence[Array], result: Any) -> int:
    """How few digits show the numbers of an operation as different as they are: those of a difference of almost equal
    numbers take more than 4."""
    for digits in range(4, MOST_DIGITS):
        seen = np.vectorize(lambda one, to=digits: float(number_text(float(one), to)), otypes=[float])
        with np.errstate(all="ignore"):
            if np.allclose(run(*map(seen, sides)), result, rtol=_SEEN, atol=0, equal_nan=True):
                break
    return digits


_SEEN = 5e-3  # how far a result of rounded numbers may be off


def precision(dtype: np.dtype[Any]) -> float:
    """The distance from 1 to the next number of a dtype; 0 for integers."""
    import ml_dtypes

    return 0.0 if dtype.kind in "biu" else float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The little-endian NumPy type of one of `DTYPES`."""
    if name == "bfloat16":
        import ml_dtypes

        half: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return half
    found: np.dtype[Any] = np.dtype(name).newbyteorder("<")
    return found


def edge_indices(size: int) -> list[int]:
    """The positions of a dimension that are kept if a value is too large."""
    return list(range(size)) if size <= 2 * EDGE else [*range(EDGE), *range(size - EDGE, size)]


def edges_of(array: Array) -> Array:
    """The elements at the edges of an array: at most 2 * EDGE along each dimension."""
    return array[np.ix_(*[edge_indices(size) for size in array.shape])] if array.ndim else array


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics over the finite and infinite elements of an array; all NaN when it is empty."""

    low: float
    high: float
    mean: float
    norm: float
    nans: int

    @property
    def is_uniform(self) -> bool:
        """Whether all elements are the same number."""
        return not self.nans and self.low == self.high


def summarise(array: Array) -> Summary:
    """Smallest, largest and mean element (of the magnitudes, for complex numbers), Euclidean norm, and number of NaNs.
    An element that an expanded array repeats is read once."""
    elements, often = occurrences(array)
    if isinstance(often, int):
        elements = elements.ravel(order="K")  # in memory order, so that a transposed matrix is not copied
    real = np.abs(elements) if array.dtype.kind == "c" else elements
    real = real.astype(np.float32) if real.dtype.kind not in "fiu" else real
    nan = float("nan")
    with np.errstate(all="ignore"):
        total, squares = _sums(real, often)
        norm = math.sqrt(squares) if squares >= 0 else nan
        if norm == norm and real.size:
            shown = real if isinstance(often, int) else real[often > 0]
            return Summary(float(shown.min()), float(shown.max()), total / array.size, norm, 0)
        return _summary_with_nans(real, np.broadcast_to(np.asarray(often), real.shape), norm)


def summarise_all(arrays: Array) -> dict[str, Array]:
    """The same for each of several arrays of one shape, as columns: `arrays[i]` is one of them."""
    flat = arrays.reshape(len(arrays), -1)
    real = np.abs(flat) if flat.dtype.kind == "c" else flat
    real = real.astype(np.float32) if real.dtype.kind not in "fiu" else real
    found = {name: np.zeros(len(flat)) for name in ("low", "high", "mean", "norm", "nans")}
    together = max(1, BLOCK // real.shape[1])
    with np.errstate(all="ignore"):
        for start in range(0, len(flat), together):
            some = slice(start, start + together)
            wide = real[some].astype(np.float64)
            found["mean"][some] = wide.sum(1) / real.shape[1]
            found["norm"][some] = np.sqrt(_products(wide, wide))
            found["low"][some], found["high"][some] = real[some].min(1), real[some].max(1)
    for at in np.flatnonzero(np.isnan(found["norm"])):
        one = summarise(arrays[at])
        for name, column in found.items():
            column[at] = getattr(one, name)
    return found


def _summary_with_nans(real: Array, often: Array, norm: float) -> Summary:
    missing = np.isnan(real)
    nans, shown = int(often[missing].sum()), ~missing & (often > 0)
    kept, weights = real[shown].astype(np.float64), often[shown].astype(np.float64)
    if not kept.size:
        return Summary(math.nan, math.nan, math.nan, norm, nans)
    mean = float((kept * (weights / weights.sum())).sum())
    return Summary(float(kept.min()), float(kept.max()), mean, norm, nans)


def _sums(real: Array, often: Any) -> tuple[float, float]:
    """The sums of the elements and of their squares in double precision, block by block, because converting everything
    at once is slow."""
    flat = real.reshape(-1)
    total = squares = 0.0
    room = np.empty(min(BLOCK, flat.size))
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        wide = room[: len(block)]
        wide[:] = block
        if not isinstance(often, int):
            weights = often[start : start + BLOCK]
            wide = np.where(weights > 0, wide, 0)
            total += float(_products(wide, weights))
            squares += float(_products(wide * wide, weights))
        else:
            total += float(wide.sum())
            squares += float(_products(wide, wide))
    return (total * often, squares * often) if isinstance(often, int) else (total, squares)


def _products(one: Array, other: Array) -> Any:
    """The inner products along the last dimension, in pieces so small that BLAS computes them in this thread: on busy
    cores, threads that share one wait for each other a thousand times as long as it takes."""
    pieces = (np.s_[..., at : at + ALONE] for at in range(0, one.shape[-1], ALONE))
    return sum(np.vecdot(one[piece], other[piece]) for piece in pieces)


def kept_elements(rows: Mapping[str, Array] | Array, sizes: Array) -> Array:
    """How many elements of each value were sent, given the sizes of all their dimensions in sequence."""
    whole = np.repeat(rows["kept"] == ALL, rows["ndim"])
    found = products(rows["ndim"], np.where(whole, sizes, np.minimum(sizes, 2 * EDGE)))
    return np.where(rows["kept"] >= NOTHING, 0.0, found)


def products(ndim: Array, sizes: Array) -> Array:
    """The products of the sizes of several values, given in sequence."""
    found = np.ones(len(ndim))
    deep = ndim > 0
    if deep.any():
        starts = np.concatenate([[0], np.cumsum(ndim[deep], dtype=np.int64)[:-1]])
        found[deep] = np.multiply.reduceat(sizes.astype(np.float64), starts)
    return found


_UNKNOWN = Summary(math.nan, math.nan, math.nan, math.nan, 0)
_NUMBERLESS = Summary(math.nan, math.nan, math.nan, math.nan, 0)


class Value:
    """One value of the trace."""

    def __init__(
        self, shape: tuple[int, ...], dtype: str, array: Array | None, edges: Array, summary: Summary | None
    ) -> None:
        self.shape = shape
        self.dtype = dtype  # "float32"
        self.array = array  # None if only a summary was kept
        self.edges = edges  # the elements at the edges; the whole array if it is small
        self._summary = summary

    @cached_property
    def summary(self) -> Summary:
        """Statistics over all elements."""
        return self._summary if self._summary is not None else summarise(self.edges)

    @property
    def is_known(self) -> bool:
        """Whether more than its shape and dtype was kept."""
        return self._summary is not _UNKNOWN and self._summary is not _NUMBERLESS

    @property
    def positions(self) -> NDArray[np.int64]:
        """The index in the array, in reading order, of each element of `edges`."""
        kept = [range(size) if self.array is not None else edge_indices(size) for size in self.shape]
        found = np.ravel_multi_index(np.ix_(*kept), self.shape) if kept else np.zeros((), np.int64)
        return np.asarray(found, np.int64)

    @property
    def norm(self) -> float:
        """Euclidean norm; NaN if an element is NaN."""
        return self.summary.norm

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @cached_property
    def scalar(self) -> float | complex | int | bool | None:
        """The only element, or None if there are more or fewer."""
        return self.array.reshape(-1)[0].item() if self.array is not None and self.array.size == 1 else None

    @property
    def is_finite(self) -> bool:
        """Whether no element is infinite or NaN."""
        return not self.summary.nans and math.isfinite(self.summary.low) and math.isfinite(self.summary.high)

    def written(self, digits: int = 4) -> str:
        """The numbers for a sentence: all of them up to `MATRIX` elements, or `SAME` equal ones, otherwise the shape
        and the range."""
        if self.scalar is not None:
            return number_text(self.scalar, digits)
        if self.array is not None and 1 < self.array.size <= (SAME if self.summary.is_uniform else MATRIX):
            return array_text(self.array, digits)
        return self.brief()

    def text(self, max_chars: int = 40) -> str:
        """All numbers, "3" or "[2, 3]"; if they do not fit, the shape and the range."""
        if self.array is not None and (self.array.size <= max_chars or self.array.size == 1):
            text = array_text(self.array)
            if len(text) <= max_chars or self.array.size == 1:
                return text
        return self.brief()

    def brief(self) -> str:
        """A number for a formula, "7" or "0.3333", or a few, "[1.5, -2]"; for larger arrays the shape and the range,
        "(3, 3) in [0, 24]"."""
        if self.scalar is not None:
            return number_text(self.scalar)
        if self.array is not None and 0 < self.array.size <= FEW:
            return array_text(self.array)
        shape = str(tuple(self.shape))
        if self._summary is _NUMBERLESS:
            return f"{shape} without numbers"
        if not self.is_known:
            return f"{shape}, of which no value was kept"
        if not self.numel:
            return f"{shape} empty"
        found = self.summary
        if found.nans == self.numel:
            return f"{shape} all nan"
        of = "of magnitude " if self.dtype.startswith("complex") else ""  # complex numbers have no order
        if found.is_uniform:
            return f"{shape} all {bool(found.low) if self.dtype == 'bool' else of + number_text(found.low)}"
        if self.dtype == "bool":
            return f"{shape}, {round(found.mean * self.numel):,} of {self.numel:,} True"
        nans = f", {found.nans} nan" if found.nans else ""
        return f"{shape} {of}in [{', '.join(_ends(found.low, found.high))}]{nans}"


def _ends(low: float, high: float) -> tuple[str, str]:
    """The ends of a range, with as many digits as it takes to tell them apart."""
    texts = number_text(low), number_text(high)
    for digits in range(5, MOST_DIGITS + 1):
        if texts[0] != texts[1] or low == high:
            break
        texts = number_text(low, digits), number_text(high, digits)
    return texts


class Elsewhere(Protocol):
    """Elements that are read on demand."""

    def __len__(self) -> int: ...
    def array(self) -> Array: ...
    def between(self, start: int, stop: int) -> Array: ...


def is_same(one: Value | None, other: Value | None) -> bool:
    """Whether a value is unchanged, as far as its elements were kept; one that is not there is the same as none."""
    if one is None or other is None:
        return one is other
    return one.summary == other.summary and bool(np.array_equal(one.edges, other.edges, equal_nan=True))


class ValueStore:
    """The bytes of all values, in typed chunks as they arrived."""

    def __init__(self, rows: Values, dims: Dims, summaries: Summaries) -> None:
        self.rows, self._dims, self._summaries = rows, dims, summaries
        self._chunks: list[Array | Elsewhere] = []

    def place(
        self, elements: Mapping[str, Array | Elsewhere], rows: Mapping[str, Array], sizes: Array
    ) -> dict[str, Array]:
        """Take the elements that new rows brought; returns where each row's are, in columns chunk, offset, count."""
        count = kept_elements(rows, sizes).astype(np.int64)
        chunk, offset = np.zeros(len(count), np.int32), np.zeros(len(count), np.int64)
        for code, name in enumerate(DTYPES):
            mine = np.flatnonzero(rows["dtype"] == code)
            if len(mine):
                chunk[mine], offset[mine] = len(self._chunks), np.cumsum(count[mine]) - count[mine]
                self._chunks.append(elements[name])
        return {"chunk": chunk, "offset": offset, "count": count}

    def as_now(self, rows: Values, dims: Dims, summaries: Summaries) -> ValueStore:
        """The present values for tables that do not grow."""
        made = ValueStore(rows, dims, summaries)
        made._chunks = self._chunks.copy()
        return made

    def shape(self, index: int) -> tuple[int, ...]:
        """The shape of value `index`."""
        ndim = self.rows.ndim[index]
        if not ndim:
            return ()
        start = int(self.rows.sizes[index])
        return tuple(self._dims.size[start : start + int(ndim)].tolist())

    def shapes(self, indices: Array) -> Array:
        """The shapes of several values, () for -1; those that are equal are the same object."""
        found = np.empty(len(indices), object)
        found[:] = [()] * len(indices)
        known = np.flatnonzero(indices >= 0)
        ndim = self.rows.ndim[indices[known]]
        for many in np.unique(ndim[ndim > 0]).tolist():
            mine = known[ndim == many]
            sizes = self._dims.size[self.rows.sizes[indices[mine]][:, None] + np.arange(many)]
            different, which = np.unique(sizes, axis=0, return_inverse=True)
            shapes = np.empty(len(different), object)
            for nth, shape in enumerate(different.tolist()):
                shapes[nth] = tuple(shape)
            found[mine] = shapes[which.reshape(-1)]
        return found

    def get(self, index: int) -> Value:
        """Value `index`; its arrays are read-only views."""
        rows = self.rows
        shape = self.shape(index)
        start = int(rows.offset[index])
        flat = self.part(int(rows.chunk[index]), start, start + int(rows.count[index]))
        name = DTYPES[rows.dtype[index]]
        if rows.kept[index] >= NOTHING:
            return Value(shape, name, None, flat, _UNKNOWN if rows.kept[index] == NOTHING else _NUMBERLESS)
        if rows.kept[index] == ALL:
            array = flat.reshape(shape)
            return Value(shape, name, array, array, None)
        edges = flat.reshape([min(size, 2 * EDGE) for size in shape])
        at = int(np.searchsorted(self._summaries.value, index))
        s = self._summaries
        summary = Summary(float(s.low[at]), float(s.high[at]), float(s.mean[at]), float(s.norm[at]), int(s.nans[at]))
        return Value(shape, name, None, edges, summary)

    def piece(self, chunk: int) -> Array:
        """The elements of all values of one dtype that arrived together, in sequence; read-only."""
        found = self._chunks[chunk]
        return found if isinstance(found, np.ndarray) else found.array()

    def part(self, chunk: int, start: int, stop: int) -> Array:
        """Some of the elements of a piece; must not be written."""
        found = self._chunks[chunk]
        return found[start:stop] if isinstance(found, np.ndarray) else found.between(start, stop)

    def several(self, chunk: int, starts: Array, size: int) -> Array:
        """The elements of values of one size, one value per row, that begin there in a piece."""
        found = self._chunks[chunk]
        if isinstance(found, np.ndarray):
            return found[starts[:, None] + np.arange(size)]
        return np.stack([found.between(at, at + size) for at in starts.tolist()])

    def norms(self, first: int, count: int) -> Array:
        """The norms of `count` values from `first`, at most a million elements at a time."""
        result = np.zeros(count)
        rows = self.rows
        chunk, offset, size = rows.chunk[first:], rows.offset[first:], rows.count[first:]
        full = np.flatnonzero((size > 0) & (rows.kept[first:] == ALL))
        full = full[np.argsort(chunk[full], kind="stable")]  # those of one dtype are in sequence in their chunk
        cuts = np.flatnonzero(
            (np.diff(chunk[full]) != 0)
            | (offset[full][1:] != offset[full][:-1] + size[full][:-1])
            | (np.diff(np.cumsum(size[full]) // 1_000_000) != 0)
        )
        for run in np.split(full, cuts + 1):
            if len(run):
                begin = int(offset[run[0]])
                data = self.piece(chunk[run[0]])[begin : begin + int(size[run].sum())]
                wide = (np.abs(data) if data.dtype.kind == "c" else data).astype(np.float64)
                with np.errstate(all="ignore"):
                    result[run] = np.sqrt(np.add.reduceat(np.square(wide), offset[run] - begin))
        at = int(np.searchsorted(self._summaries.value, first))
        result[self._summaries.value[at:] - first] = self._summaries.norm[at:]
        return result
