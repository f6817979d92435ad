"""The random number generator, PyTorch's CPU `Generator`, which is MT19937 seeded by Knuth's recurrence, with its state
in PyTorch's bytes; and random numbers as PyTorch 2.13 draws them on an x86 CPU: NumPy arrays made from a Generator's
raw numbers, bit for bit. Each function notes how many raw numbers a value takes. If the last bit comes from the C
library's `log`, `sin` and `cos` (float64 and short normals, exponentials), it equals PyTorch's on the same machine. Not
matched: tensors filled in a memory order that is not row by row, and CPUs without AVX2 for 16 and more float32 normals.
See `rounding.py` next."""

from __future__ import annotations

import math
import secrets
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.devices import device as Device
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.layers import per_example
from gradviz.engine.kernel.messages import called
from gradviz.engine.numerics import rounding
from gradviz.engine.numerics.rounding import fma, fma32, fma64

# --- the generator ---


Raw = NDArray[np.uint64]

DEFAULT_SEED = 67280421310721
STATE_BYTES = 5056
_WORDS = 624
_HEAD = struct.Struct("<QiiQ")  # seed, how many are left in the block, seeded, index of the next one
_TAIL = struct.Struct("<dddi4xf?3x")  # unused, the normal number kept for later, unused, whether there is one, unused


@called("torch._C.Generator")
class Generator:
    """One stream of random numbers; equal seeds give equal numbers."""

    def __init__(self, device: str = "cpu") -> None:
        if str(device) != "cpu":
            Device(device)  # refused if there is no such device
            raise RuntimeError(f"Device type {device} is not supported for torch.Generator() api.")
        self.device = Device("cpu")
        self.next_normal: float | None = None
        self._seed = DEFAULT_SEED
        self._fresh = True
        self._bits = np.random.MT19937()
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to `seed`; a negative seed counts from 2**64 down."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._fresh = True
        self.next_normal = None
        self._load(_knuth(self._seed & 0xFFFFFFFF), _WORDS)
        return self

    def _load(self, words: NDArray[np.uint32], position: int) -> None:
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": position}}

    def initial_seed(self) -> int:
        """The seed that the stream started from."""
        return self._seed

    def seed(self) -> int:
        """Seed from the system's entropy and return the seed."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def raw32(self, count: int) -> Raw:
        """The next `count` 32-bit numbers."""
        if count:
            self._fresh = False
        return self._bits.random_raw(count)

    def raw64(self, count: int) -> Raw:
        """The next `count` 64-bit numbers, each made of two 32-bit ones, the high half first."""
        halves = self.raw32(2 * count)
        return (halves[0::2] << np.uint64(32)) | halves[1::2]

    get_state: Any  # the same as a tensor: `draw.py`
    set_state: Any

    def state_bytes(self) -> NDArray[np.uint8]:
        """The state in the layout of PyTorch's `torch.get_rng_state()`."""
        inner: Any = self._bits.state["state"]
        position = 0 if self._fresh else int(inner["pos"])
        left = 1 if self._fresh else _WORDS + 1 - position
        kept = self.next_normal
        head = _HEAD.pack(self._seed, left, 1, position)
        tail = _TAIL.pack(0.0, kept or 0.0, 0.0, int(kept is not None), 0.0, False)
        return np.frombuffer(head + inner["key"].astype("<u8").tobytes() + tail, np.uint8).copy()

    def load_bytes(self, state: NDArray[np.uint8]) -> None:
        """Continue from a state that `state_bytes` returned, here or in PyTorch."""
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} "
                f"but found the input RNG state size to be {state.size}"
            )
        data = state.tobytes()
        seed, left, seeded, position = _HEAD.unpack_from(data)
        if not (seeded == 1 and 0 < left <= _WORDS and position <= _WORDS):
            raise RuntimeError("Invalid mt19937 state")
        _, kept, _, is_kept, _, _ = _TAIL.unpack_from(data, _HEAD.size + 8 * _WORDS)
        self._seed = seed
        self._fresh = left == 1 and position == 0
        self.next_normal = kept if is_kept else None
        words = np.frombuffer(data, "<u8", _WORDS, _HEAD.size).astype(np.uint32)
        self._load(words, _WORDS if left == 1 else position)

    def clone_state(self) -> Generator:
        """A second generator that will produce the same numbers."""
        other = Generator()
        other.load_bytes(self.state_bytes())
        return other


def _knuth(seed: int) -> NDArray[np.uint32]:
    """The 624 words that MT19937 starts from."""
    words = [seed]
    for index in range(1, _WORDS):
        last = words[-1]
        words.append((1812433253 * (last ^ (last >> 30)) + index) & 0xFFFFFFFF)
    return np.array(words, np.uint32)


DType = type[np.generic] | np.dtype[Any]

_TITLES = {"bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long"}
_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
_LONG_RANGE = 2**28  # from here on an integer takes 64 bits, so that the remainder is fair


def _count(shape: Sequence[int]) -> int:
    if any(size < 0 for size in shape):
        negative = next(size for size in shape if size < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {list(shape)}")
    return math.prod(shape)


def _require_float(dtype: np.dtype[np.generic], kernel: str) -> None:
    if dtype.kind in "biu":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_TITLES[dtype.name]}'")


def _each(function: Callable[[float], float], values: Array) -> Array:
    """The C library's function of every double; NumPy's own differ in the last bit."""
    return np.fromiter(map(function, values.tolist()), np.float64, values.size)


def _singles(generator: Generator, count: int) -> Array:
    """Float32 in [0, 1): one raw number each."""
    return (generator.raw32(count) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)


def _doubles(generator: Generator, count: int) -> Array:
    """Float64 in [0, 1): two raw numbers each."""
    return (generator.raw64(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53


def _narrow(values: Array, dtype: np.dtype[np.generic]) -> Array:
    """Doubles as C++ casts them: to half and bfloat16 by way of float32."""
    return values if dtype == np.float64 else values.astype(np.float32).astype(dtype)


def _real(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    return np.dtype(np.float64 if dtype == np.complex128 else np.float32)


@per_example(1)
def uniform(
    generator: Generator, shape: Sequence[int], low: float = 0.0, high: float = 1.0, dtype: DType = np.float32
) -> Array:
    """`uniform_(low, high)` and `rand`: one raw number each, two for float64; a complex number takes two reals."""
    kind = np.dtype(dtype)
    _require_float(kind, "check_uniform_bounds")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if kind.kind == "c":
        return uniform(generator, [*shape, 2], low, high, _real(kind)).view(kind)[..., 0]
    count = _count(shape)
    wide = kind == np.float64
    work: Any = np.float64 if wide else np.float32
    first, last = work(low), work(high)
    end, begin = (_narrow(np.array(bound, np.float64), kind) for bound in (high, low))
    values = np.empty(count, kind)
    for part in _parts(values):
        draws = _doubles(generator, part.size) if wide else _singles(generator, part.size)
        part[...] = draws + first if last - first == 1 else fma(draws, last - first, first)
        part[part == end] = begin
    return values.reshape(shape)


_PART = 1 << 18  # numbers drawn at a time, a multiple of 16: many would take several times the memory of all


def _parts(values: Array) -> list[Array]:
    """Split a row of numbers into consecutive pieces."""
    return [values[at : at + _PART] for at in range(0, values.size, _PART)]


@per_example(1)
def normal(
    generator: Generator,
    shape: Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    dtype: DType = np.float32,
    *,
    contiguous: bool = True,
) -> Array:
    """`normal_(mean, std)` and `randn`: pairs of doubles below 16 values or in scattered memory, otherwise blocks of
    16."""
    kind = np.dtype(dtype)
    _require_float(kind, "normal_kernel_cpu")
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if kind.kind == "c":
        pairs = normal(generator, [*shape, 2], mean, std / math.sqrt(2), _real(kind), contiguous=contiguous)
        return pairs.view(kind)[..., 0]
    count = _count(shape)
    if count < 16 or not contiguous:
        return _narrow(_scalar_normals(generator, count, mean, std), kind).reshape(shape)
    return _block_normals(generator, count, mean, std, kind).reshape(shape)


_CIRCLE = float(np.float32(2 * math.pi))


def _scalar_normals(generator: Generator, count: int, mean: float, std: float) -> Array:
    """Box-Muller on doubles: four raw numbers for a pair; an unused sine is kept for the next call."""
    kept = [generator.next_normal] if count and generator.next_normal is not None else []
    pairs = (count - len(kept) + 1) // 2
    draws = _doubles(generator, 2 * pairs).tolist()
    values = kept
    for u1, u2 in zip(draws[::2], draws[1::2], strict=True):
        radius, theta = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
        values += radius * math.cos(theta), radius * math.sin(theta)
    if count:
        generator.next_normal = values[count] if len(values) > count else None
    found = np.array(values[:count], np.float64)
    return found + mean if std == 1 else fma64(found, std, mean)


def _block_normals(generator: Generator, count: int, mean: float, std: float, kind: np.dtype[np.generic]) -> Array:
    """Blocks of 16; if the size is no multiple of 16, the last 16 values are drawn again."""
    whole = count - count % 16
    wide = kind == np.float64
    draw, transform = (_doubles, _box_muller64) if wide else (_singles, _box_muller32)
    # Reduced precision has a buffer for one block and so never draws the odd rest that float32 draws and overwrites.
    first = count if kind in (np.float64, np.float32) else whole
    values = np.empty(count, np.float64 if wide else np.float32)
    for part in _parts(values[:whole]):
        part[...] = transform(draw(generator, part.size), mean, std)
    draw(generator, first - whole)
    if whole != count:
        values[-16:] = transform(draw(generator, 16), mean, std)
    return values.astype(kind, copy=False)


def _box_muller32(uniforms: Array, mean: float, std: float) -> Array:
    values = np.empty(uniforms.size, np.float32)
    for at in range(0, uniforms.size, rounding.BLOCK):
        pairs = uniforms[at : at + rounding.BLOCK].reshape(-1, 2, 8).astype(np.float64).swapaxes(0, 1)
        fma = rounding.Unchecked(pairs[0].shape, rounding.LOG_SUMS + rounding.SINCOS_SUMS)
        found = _standard_normals(pairs, fma)
        doubtful = fma.doubtful()
        if np.count_nonzero(doubtful):
            found[:, doubtful] = _standard_normals(pairs[:, doubtful], rounding.fma_to_odd)
        values[at : at + rounding.BLOCK].reshape(-1, 2, 8)[...] = found.swapaxes(0, 1)
    return values + np.float32(mean) if std == 1 else fma32(values, np.float32(std), np.float32(mean))


def _standard_normals(pairs: Array, fma: rounding.Fma) -> Array:
    """Two normal numbers from each pair of singles in [0, 1)."""
    first, second = pairs
    radius = rounding.single(np.sqrt(-2 * rounding.log(1 - first, fma)))
    sine, cosine = rounding.sincos(rounding.single(_CIRCLE * second), fma)
    return np.array([radius * cosine, radius * sine], np.float32)


def _box_muller64(uniforms: Array, mean: float, std: float) -> Array:
    blocks = uniforms.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * _each(math.log, 1 - blocks[:, 0].reshape(-1)))
    theta = 2 * math.pi * blocks[:, 1].reshape(-1)
    both = [radius * _each(math.cos, theta), radius * _each(math.sin, theta)]
    return fma64(np.stack([each.reshape(-1, 8) for each in both], axis=1), std, mean).reshape(-1)


@per_example(3)
def randint(generator: Generator, low: int, high: int, shape: Sequence[int], dtype: DType = np.int64) -> Array:
    """`randint` and `random_(low, high)`: remainders of one raw number each, two for a range of 2**28 or more."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    count, span = _count(shape), high - low
    raw = generator.raw64(count) if span >= _LONG_RANGE else generator.raw32(count)
    values = (raw % np.uint64(span)).astype(np.int64) if span < 2**64 else raw.view(np.int64)
    return (values + np.int64(low)).astype(dtype).reshape(shape)


@per_example(1)
def random_full(generator: Generator, shape: Sequence[int], dtype: DType) -> Array:
    """`random_()` without bounds: every value from 0 to the largest (the largest exact one for floating types)."""
    kind = np.dtype(dtype)
    count = _count(shape)
    raw = generator.raw64(count) if kind in (np.int64, np.float64) else generator.raw32(count)
    return (raw % np.uint64(whole_numbers(kind))).astype(kind).reshape(shape)


def whole_numbers(kind: np.dtype[Any]) -> int:
    """How many whole numbers from 0 on a type holds, each exactly."""
    if kind == np.bool_:
        return 2
    return int(np.iinfo(kind).max) + 1 if kind.kind in "iu" else 2 ** _DIGITS[kind.name] + 1


@per_example(1)
def randperm(generator: Generator, n: int, dtype: DType = np.int64) -> Array:
    """A permutation of 0..n-1: one raw number per swap."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    swaps = max(n - 1, 0)
    offsets = (generator.raw32(swaps) % np.arange(n, n - swaps, -1, dtype=np.uint64)).tolist()
    order = list(range(n))
    for i, offset in enumerate(offsets):
        j = i + offset
        order[i], order[j] = order[j], order[i]
    return np.array(order, dtype)


@per_example(1)
def bernoulli_scalar(generator: Generator, shape: Sequence[int], p: float = 0.5, dtype: DType = np.float32) -> Array:
    """`bernoulli_(p)` with a Python number: two raw numbers each."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return (_doubles(generator, _count(shape)) < p).astype(dtype).reshape(shape)


@per_example(1)
def bernoulli(generator: Generator, probabilities: Array, dtype: DType | None = None) -> Array:
    """`torch.bernoulli(p)`: one raw number each, two if the probabilities are float64."""
    kind = probabilities.dtype
    _require_float(kind, "bernoulli_tensor_cpu_p_")
    if not np.all((probabilities >= 0) & (probabilities <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
            "If so, please report an enhancement request to PyTorch.)"
        )
    wide = kind == np.float64
    draws = (_doubles if wide else _singles)(generator, probabilities.size).reshape(probabilities.shape)
    chosen: Array = draws < (probabilities if wide else probabilities.astype(np.float32))
    return np.asarray(chosen, kind if dtype is None else dtype)


@per_example(1)
def dropout_mask(generator: Generator, shape: Sequence[int], p: float, dtype: DType = np.float32) -> Array:
    """What `dropout` multiplies by, for 0 < p < 1: zero with probability p, otherwise 1 / (1 - p)."""
    kept = bernoulli_scalar(generator, shape, 1 - p, np.float32)
    kind = np.dtype(dtype)
    work: Any = np.float64 if kind == np.float64 else np.float32
    scaled: Array = kept.astype(work) / work(1 - p)
    return scaled.astype(kind)


def _of_doubles(generator: Generator, shape: Sequence[int], dtype: DType, make: Callable[[Array], Array]) -> Array:
    return _narrow(make(_doubles(generator, _count(shape))), np.dtype(dtype)).astype(dtype).reshape(shape)


@per_example(1)
def exponential(generator: Generator, shape: Sequence[int], rate: float = 1.0, dtype: DType = np.float32) -> Array:
    """`exponential_(rate)`: two raw numbers each."""
    kind = np.dtype(dtype)
    if kind.kind in "biu":
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. "
            f"dtype must be a floating point but you specified {_TITLES[kind.name]}"
        )
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    return _of_doubles(generator, shape, dtype, lambda u: -1.0 / rate * _each(math.log1p, -u))


@per_example(1)
def geometric(generator: Generator, shape: Sequence[int], p: float, dtype: DType = np.float32) -> Array:
    """`geometric_(p)`: two raw numbers each."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return _of_doubles(generator, shape, dtype, lambda u: np.ceil(_each(math.log, u) / math.log1p(-p)))


@per_example(1)
def cauchy(
    generator: Generator, shape: Sequence[int], median: float = 0.0, sigma: float = 1.0, dtype: DType = np.float32
) -> Array:
    """`cauchy_(median, sigma)`: two raw numbers each."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    return _of_doubles(generator, shape, dtype, lambda u: fma64(_each(math.tan, math.pi * (u - 0.5)), sigma, median))


@per_example(1)
def log_normal(
    generator: Generator, shape: Sequence[int], mean: float = 1.0, std: float = 2.0, dtype: DType = np.float32
) -> Array:
    """`log_normal_(mean, std)`: the exponential of normals drawn in pairs, whatever the size."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    normals = _scalar_normals(generator, _count(shape), mean, std)
    return _narrow(_each(math.exp, normals), np.dtype(dtype)).reshape(shape)


@per_example(1)
def multinomial(generator: Generator, weights: Array, num_samples: int, replacement: bool = False) -> Array:
    """`torch.multinomial`: a race of exponentials without replacement, otherwise a search in the cumulative weights."""
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind in "biu":
        title = _TITLES[weights.dtype.name]
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {title}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if weights.shape[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    bad = weights[~(np.isfinite(weights) & (weights >= 0))]
    if bad.size and replacement and num_samples > 1:
        entry = "= infinity or NaN" if bad[0] > 0 else "< 0"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {entry})")
    if bad.size:
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if np.any(weights.astype(np.float64).sum(axis=-1) <= 0):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and num_samples > 1:
        return _search_samples(generator, weights, num_samples)
    with np.errstate(divide="ignore"):
        race = weights / exponential(generator, weights.shape, 1.0, weights.dtype)
    order = np.argsort(-race.astype(np.float64), axis=-1, kind="stable")
    return np.ascontiguousarray(order[..., :num_samples], np.int64)


def _search_samples(generator: Generator, weights: Array, num_samples: int) -> Array:
    rows = weights.reshape(-1, weights.shape[-1])
    draws = _doubles(generator, rows.shape[0] * num_samples).reshape(rows.shape[0], num_samples)
    samples = np.empty(draws.shape, np.int64)
    for row, weight in enumerate(rows):
        cumulative = np.cumsum(weight, dtype=weight.dtype)
        cumulative = (cumulative / cumulative[-1]).astype(np.float64)
        cumulative[-1] = 1
        samples[row] = np.searchsorted(cumulative, draws[row], side="left")
    return samples.reshape([*weights.shape[:-1], num_samples])


@per_example(1)
def trunc_normal(
    generator: Generator,
    shape: Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    low: float = -2.0,
    high: float = 2.0,
    dtype: DType = np.float32,
) -> Array:
    """`nn.init.trunc_normal_`: normals redrawn until inside; far from the mean, uniform proposals."""
    kind = np.dtype(dtype)

    def cdf(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if cdf((high - mean) / std) - cdf((low - mean) / std) <= 0.3:
        return _rejected_uniforms(generator, shape, mean, std, low, high, kind)
    bottom, top = np.array([low, high]).astype(kind)
    values = normal(generator, shape, mean, std, kind)
    while (outside := (values < bottom) | (values > top)).any():
        values = np.where(outside, normal(generator, shape, mean, std, kind), values)
    return values


def _rejected_uniforms(
    generator: Generator,
    shape: Sequence[int],
    mean: float,
    std: float,
    low: float,
    high: float,
    kind: np.dtype[np.generic],
) -> Array:
    mode = max(low, min(mean, high))
    peak = -0.5 * ((mode - mean) / std) ** 2
    work: Any = np.float64 if kind == np.float64 else np.float32

    def proposal() -> tuple[Array, Array]:
        values = uniform(generator, shape, low, high, kind)
        density = (values.astype(work) - work(mean)).astype(kind)
        density = (density.astype(work) / work(std)).astype(kind)
        density = (density * density).astype(kind)
        density = (density.astype(work) * work(-0.5)).astype(kind)
        density = (density.astype(work) - work(peak)).astype(kind)
        with np.errstate(divide="ignore"):
            draws = np.log(uniform(generator, shape, dtype=kind).astype(work)).astype(kind)
        return values, draws > density

    values, pending = proposal()
    while pending.any():
        again, rejected = proposal()
        values = np.where(pending, again, values)
        pending = pending & rejected
    return values
