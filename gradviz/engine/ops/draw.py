"""Random tensors: `rand`, `randn`, `randint`, `normal_` … and the seed; and random numbers whose parameters may require
a gradient: bernoulli, poisson, binomial, normal and gamma. The numbers are drawn in `distributions.py` and
`rejection.py`, bit for bit as PyTorch draws them, and are passed to the row as its second operand; the gradient is zero
for discrete values, and follows the distribution function for gamma."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.batched import everything
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import Rule, sentence
from gradviz.engine.kernel.memory import check_room, from_memory_order, in_memory_order, laid_as
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import on_new_run, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import distributions, rejection
from gradviz.engine.numerics.distributions import DEFAULT_SEED, Generator
from gradviz.engine.ops.creation import check_device, float_type, made, put_out, sizes_of
from gradviz.engine.ops.elementwise import check_broadcast, number_array
from gradviz.engine.ops.shape import expanded_shape
from gradviz.engine.run.api import UNSAID, api, method
from gradviz.engine.run.apply import NO_PARAMS, call
from gradviz.engine.run.arguments import refuse
from gradviz.engine.run.inplace import check_writable, put, write

generator = Generator()
on_new_run(lambda: generator.manual_seed(DEFAULT_SEED))


def source_of(given: object) -> Generator:
    """The stream to draw from: the given one, or the shared default."""
    if given is None:
        return generator
    if not isinstance(given, Generator):
        raise TypeError(f"argument 'generator' must be torch._C.Generator, not {type(given).__name__}")
    return given


def drawn_like(
    like: Array, kind: object, draw: Callable[[tuple[int, ...], bool], Array], memory_format: object
) -> Array:
    """Numbers for a tensor laid out like another one, drawn in memory order. `draw` gets the sizes in that order, and
    whether they are those of the tensor row by row."""
    if type(like) is not np.ndarray or (like.flags.c_contiguous and memory_format is None):
        return draw(like.shape, True)
    made = laid_as(np.empty(like.shape, kind), like, memory_format)
    return from_memory_order(draw(in_memory_order(made, made).shape, made.flags.c_contiguous), made)


def _random(name: str, draw: Callable[[Generator, tuple[int, ...], Any, bool], Array]) -> None:
    def function(
        *sizes: object,
        size: object = None,
        generator: object = None,
        out: Tensor | None = None,
        dtype: Any = None,
        device: object = None,
        requires_grad: bool = False,
    ) -> Tensor:
        check_device(device)
        kind, shape = float_type(dtype).np, sizes_of(sizes if size is None else (size,), name)
        check_room(shape, kind.itemsize)
        drawn = draw(source_of(generator), shape, kind, True)
        return made(drawn, requires_grad) if out is None else put_out(out, drawn)

    def like(
        input: Tensor,
        *,
        dtype: dtypes.dtype | None = None,
        device: object = None,
        requires_grad: bool = False,
        generator: object = None,
        memory_format: object = None,
    ) -> Tensor:
        kind, source = (dtype or input.dtype).np, source_of(generator)
        drawn = drawn_like(input._data, kind, lambda shape, rows: draw(source, shape, kind, rows), memory_format)
        return made(drawn, requires_grad)

    function.__name__ = function.__qualname__ = name
    like.__name__ = like.__qualname__ = f"{name}_like"
    api(name, where="torch")(function)
    api(f"{name}_like", where="torch")(like)


_random("rand", lambda g, shape, kind, rows: distributions.uniform(g, shape, dtype=kind))
_random("randn", lambda g, shape, kind, rows: distributions.normal(g, shape, dtype=kind, contiguous=rows))


def _check_range(low: int, high: int, dtype: dtypes.dtype) -> None:
    """Refuse bounds that the type can't hold, and types without an order."""
    if low < high and dtype.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if dtype.rank < 2:
        least, most = (0, 1) if dtype is dtypes.bool_ else (np.iinfo(dtype.np).min, np.iinfo(dtype.np).max)
    else:
        most = 65504 if dtype is dtypes.float16 else 2**63
        least = -most
    for what, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{what} is out of bounds for {dtype.cpp}")


@api("randint", where="torch")
def randint(
    *args: Any,
    generator: Any = None,
    low: int | None = None,
    high: int | None = None,
    size: Any = None,
    dtype: Any = None,
    device: object = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Integers from `low` (0) up to, without, `high`."""
    given = list(args)
    if size is None and not (given and isinstance(given[-1], (tuple, list))):
        raise TypeError  # in the words of its signatures
    if size is None:
        size = given.pop()
    if high is None:
        high = given.pop() if given else 0
    if low is None:
        low = given.pop() if given else 0
    kind = dtype or dtypes.int64
    _check_range(int(low), int(high), kind)
    target = kind.np
    return made(
        distributions.randint(source_of(generator), int(low), int(high), sizes_of(size, "randint"), target),
        requires_grad,
    )


@api("randint_like", where="torch")
def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    generator: object = None,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
    memory_format: object = None,
) -> Tensor:
    """As `randint`, with shape and type of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    for name, each in (("low", low), ("high", high)):
        if isinstance(each, Tensor) and each._data.ndim:
            raise RuntimeError(f"{name} must be a scalar tensor and on CPU")
    low, high = (int(each) for each in (low, high))
    source, target = source_of(generator), dtype or input.dtype

    def draw(shape: tuple[int, ...], _: bool) -> Array:
        if low < high:
            _check_range(low, high, target)
        return distributions.randint(source, low, high, shape, target.np)

    return made(drawn_like(input._data, target.np, draw, memory_format), requires_grad)


@api("randperm", where="torch")
def randperm(
    n: int,
    *,
    generator: Any = None,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """A permutation of 0 … n−1."""
    if n >= 0 and dtype is not None and dtype.is_complex:
        raise NotImplementedError(f"\"randperm\" not implemented for '{dtype.title}'")
    return made(distributions.randperm(source_of(generator), n, (dtype or dtypes.int64).np), requires_grad)


_NORMAL = [
    f"({', '.join(given)}, *, torch.Generator generator = None, Tensor out = None{more})"
    for *given, more in (
        ("Tensor mean", "Tensor std", ""),
        ("Tensor mean", "float std = 1", ""),
        ("float mean", "Tensor std", ""),
        (
            "float mean",
            "float std",
            "tuple of ints size",
            ", torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
            "bool pin_memory = False, bool requires_grad = False",
        ),
    )
]


def _check_normal(mean: object, std: Tensor | float, size: object) -> None:
    first = next((each for each in (mean, std) if isinstance(each, Tensor)), None)
    if size is not None if first is not None else not isinstance(size, tuple | list):
        given = (mean, std) if size is None else (mean, std, size)
        refuse("normal", given, [((), written, 0) for written in _NORMAL])
    if not isinstance(std, Tensor):
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    elif std.dtype.is_complex:
        raise RuntimeError("normal expects standard deviation to be non-complex")
    elif std._data.size and not everything(std._data).min() >= 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if first is not None and first.dtype.rank < 2:
        raise NotImplementedError(f"\"normal_kernel_cpu\" not implemented for '{first.dtype.title}'")


@api("normal", where="torch")
def normal(
    mean: Any,
    std: Tensor | float = 1.0,
    size: Any = None,
    *,
    generator: object = None,
    dtype: Any = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normally distributed numbers, with means and deviations as numbers or tensors."""
    source = source_of(generator)
    _check_normal(mean, std, size)
    if size is not None:
        return made(
            distributions.normal(source, sizes_of(size, "normal"), float(mean), float(std), float_type(dtype).np),
            requires_grad,
        )
    given = [v._data for v in (mean, std) if isinstance(v, Tensor)]
    check_broadcast(*given)
    shape = np.broadcast_shapes(*(each.shape for each in given))
    kind = next(v._data.dtype for v in (mean, std) if isinstance(v, Tensor))
    for each in (mean, std):
        if state.layered and isinstance(each, Tensor):
            layers.refuse_same(each._data)
    m, s = (v._data if isinstance(v, Tensor) else number_array(v, kind) for v in (mean, std))
    return drawn_normal(mean, std, (distributions.normal(source, shape, 0.0, 1.0, kind) * s + m).astype(kind))


@api("multinomial", where="torch method")
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: object = None) -> Tensor:
    """Indices drawn with the given weights."""
    if input._data.ndim in (1, 2) and not input.dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.title}")
    return made(distributions.multinomial(source_of(generator), input._data, num_samples, replacement))


@api("manual_seed", where="torch")
def manual_seed(seed: int) -> Generator:
    """Start the stream of random numbers that belongs to `seed`."""
    return generator.manual_seed(int(seed))


api("seed", where="torch")(lambda: generator.seed())
api("initial_seed", where="torch")(lambda: generator.initial_seed())
api("get_rng_state", where="torch")(lambda: generator.get_state())
api("set_rng_state", where="torch")(lambda new_state: generator.set_state(new_state))


def _tensor_state(self: Generator) -> Tensor:
    """The state as a tensor of bytes."""
    return wrap(self.state_bytes())


def _set_tensor_state(self: Generator, new_state: Tensor) -> Generator:
    """Continue from a state that `get_state` gave, here or in PyTorch."""
    if not isinstance(new_state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
    self.load_bytes(new_state._data)
    return self


Generator.get_state = _tensor_state
Generator.set_state = _set_tensor_state


# --- written in place ---


def _fill_row(name: str, number: int = 0, inputs: str = "self, noise") -> OpRow:
    """The row of `x.normal_()` and similar methods: what is written does not depend on what was there."""
    title = name.replace("_", " ")
    slopes: Any = {each.strip(): "zero(grad)" for each in inputs.split(",") if each.strip() != "noise"}
    return op(
        f"{name}_",
        inputs,
        lambda x, *drawn: drawn[-1],
        key=f"{name}_{number}" if number else f"{name}_",
        number=number,
        category="random",
        symbol=f"{name}_",
        latex=r"X \sim \mathrm{" + title + "}",
        brief="Replaced by newly drawn numbers.",
        **slopes,
    )


def _fill_random(name: str, rows: Callable[..., OpRow], draw: Callable[..., Array]) -> None:
    """`x.uniform_(a, b)` and similar methods: drawn in the order of the elements in memory. `rows` gives the row for
    the arguments."""

    @method(name)
    def function(self: Tensor, *args: object, generator: object = None, **kwargs: object) -> Tensor:
        given = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
        data, source = self._data, source_of(generator)
        if data.dtype.kind == "c" and name in _REAL_KERNELS:
            _refuse(self, "c", _REAL_KERNELS[name] if not given or name != "bernoulli_" else _BERNOULLI_OF_TENSORS)
        placed = [_placed(each, data) for each in args]
        named = {key: _placed(each, data) for key, each in kwargs.items()}
        return _filled(self, rows(*args, **kwargs), given, lambda x: draw(source, x, *placed, **named))

    function.__name__ = name


_BERNOULLI_OF_TENSORS = "bernoulli_tensor_cpu_self_"
_REAL_KERNELS = {
    "bernoulli_": "bernoulli_scalar_cpu_",
    "geometric_": "geometric_cpu",
    "log_normal_": "log_normal_cpu",
}


def _refuse(input: Tensor, kinds: str, kernel: str) -> None:
    """Raise what PyTorch's kernel raises for element types of these kinds ("c": complex, "biu": integers)."""
    if input._data.dtype.kind in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")


def _filled(self: Tensor, row: OpRow, given: Sequence[Tensor], draw: Callable[[Array], Array]) -> Tensor:
    """Write the drawn numbers; a node is made if this ends a history."""
    tracked = state.grad and any(each._requires_grad for each in (self, *given))
    check_writable(self, tracked)
    if self._on_meta:
        return self
    if state.layered:
        layers.check_drawn_in_place(self._data)
    drawn = from_memory_order(draw(in_memory_order(self._data, self._data)), self._data)
    if tracked or state.layered:
        operands = (self, *given, wrap(drawn))
        return write(self, row, operands, [each._data for each in operands], NO_PARAMS)
    put(self, drawn)
    if state.observer is not None:
        state.observer.metadata_changed(self)
    return self


def _placed(given: object, like: Array) -> object:
    """A tensor among the arguments has a number for each element, in the order of drawing."""
    if isinstance(given, Tensor) and given._data.shape != like.shape:
        expanded_shape(given, like.shape)
    if not isinstance(given, Tensor) or not like.ndim or given._data.ndim > like.ndim:
        return given
    return wrap(in_memory_order(np.broadcast_to(given._data, like.shape), like))


def _fill(name: str, draw: Callable[..., Array]) -> None:
    row = _fill_row(name.strip("_"))
    _fill_random(name, lambda *args, **kwargs: row, draw)


_fill(
    "uniform_",
    lambda g, x, a=0.0, b=1.0, **kw: distributions.uniform(
        g, x.shape, float(kw.get("from", a)), float(kw.get("to", b)), x.dtype
    ),
)


def _cauchy(g: Generator, x: Array, median: float = 0.0, sigma: float = 1.0) -> Array:
    kind = dtypes.of(x)
    if kind.rank != 2:
        named = f"c10::complex<{'double' if x.dtype.itemsize == 16 else 'float'}>" if kind.is_complex else kind.cpp
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {named}"
        )
    return distributions.cauchy(g, x.shape, median, sigma, x.dtype)


def _exponential(g: Generator, x: Array, lambd: float = 1.0) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {dtypes.of(x).title}"
        )
    return distributions.exponential(g, x.shape, lambd, x.dtype)


def _log_normal(g: Generator, x: Array, mean: float = 1.0, std: float = 2.0) -> Array:
    if dtypes.of(x).rank < 2:
        raise NotImplementedError(f"\"log_normal_cpu\" not implemented for '{dtypes.of(x).title}'")
    return distributions.log_normal(g, x.shape, mean, std, x.dtype)


_fill("exponential_", _exponential)
_fill("geometric_", lambda g, x, p: distributions.geometric(g, x.shape, p, x.dtype))
_fill("cauchy_", _cauchy)
_fill("log_normal_", _log_normal)
_BERNOULLI_FILLS = _fill_row("bernoulli", 1, "self, p, noise"), _fill_row("bernoulli", 2)
_fill_random(
    "bernoulli_",
    lambda p=0.5: _BERNOULLI_FILLS[0 if isinstance(p, Tensor) else 1],
    lambda g, x, p=0.5: (
        distributions.bernoulli(g, np.broadcast_to(p._data, x.shape), x.dtype)
        if isinstance(p, Tensor)
        else distributions.bernoulli_scalar(g, x.shape, p, x.dtype)
    ),
)
_RANDOM_FILLS = [_fill_row("random", n) for n in range(3)]
_fill_random(
    "random_",
    lambda low=None, high=UNSAID: _RANDOM_FILLS[2 if low is None else 1 if high is UNSAID else 0],
    lambda g, x, low=None, high=UNSAID: _random_integers(
        g, x, *((0, low) if low is not None and high is UNSAID else (low, high))
    ),
)


def _random_integers(g: Generator, x: Array, low: int | None, high: int | None) -> Array:
    if low is None:
        _refuse(wrap(x), "c", "random_kernel_cpu")
        return distributions.random_full(g, x.shape, x.dtype)
    if high is None:
        return distributions.randint(g, low, distributions.whole_numbers(x.dtype), x.shape, x.dtype)
    if low < high:
        _check_range(low, high, dtypes.of(x))
    return distributions.randint(g, low, high, x.shape, x.dtype)


_NORMAL_FILL = _fill_row("normal")


@method("normal_")
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: object = None) -> Tensor:
    """Normally distributed numbers; PyTorch draws them by blocks where the elements lie row by row."""
    by_blocks = self._data.flags.c_contiguous
    return _filled(
        self,
        _NORMAL_FILL,
        (),
        lambda x: distributions.normal(
            source_of(generator), x.shape, float(mean), float(std), x.dtype, contiguous=by_blocks
        ),
    )


# --- parameters that may require a gradient ---


def _row(name: str, brief: str, gradient: str | Rule, **options: Any) -> OpRow:
    return op(
        name,
        "self, noise",
        lambda x, noise: noise,
        category="random",
        symbol=name.strip("_"),
        latex=r"X \sim \mathrm{" + name.strip("_").replace("_", " ") + "}(x)",
        brief=brief,
        self=gradient,
        **options,
    )


BERNOULLI = _row("bernoulli", "Ones with the given probabilities, else zeros.", "zero(grad)")
POISSON = _row("poisson", "Counts with the given rates.", "zero(grad)")
NORMAL = [
    _row("normal", "Normal numbers around the given means.", "zero(grad)", key=f"normal_{n}", number=n) for n in (1, 2)
]
NORMAL_BOTH = op(
    "normal",
    "mean, std, noise",
    lambda mean, std, noise: noise,
    key="normal_3",
    number=3,
    category="random",
    symbol="normal",
    latex=r"X \sim \mathcal{N}(\mu, \sigma^2)",
    brief="Normal numbers with the given means and deviations.",
    mean="zero(grad)",
    std="zero(grad)",
)
GAMMA_SLOPE = op(
    "_standard_gamma_grad",
    "self, output",
    rejection.gamma_slope,
    category="random",
    symbol="dX/dα",
    latex=r"-\frac{\partial F(x; \alpha)}{\partial \alpha} / p(x; \alpha)",
    brief="The derivative of a gamma number with respect to its shape parameter.",
)
STANDARD_GAMMA = _row(
    "_standard_gamma",
    "Gamma numbers with the given shape parameters and rate one.",
    sentence("grad · (−∂F/∂α ÷ p)(result)", lambda grad, self, result: grad * call(GAMMA_SLOPE, self, result)),
    node="StandardGammaBackward0",
)


def _result(row: OpRow, input: Tensor, drawn: Array) -> Tensor:
    """A new tensor, which has a history only if the parameter has one."""
    return call(row, input, wrap(drawn)) if input.requires_grad else made(drawn)


@api("bernoulli", where="torch method")
def bernoulli(input: Tensor, p: Any = None, *, generator: object = None) -> Tensor:
    """Ones with the given probabilities, otherwise zeros."""
    _refuse(input, "c", _BERNOULLI_OF_TENSORS if p is None else _REAL_KERNELS["bernoulli_"])
    data, source = input._data, source_of(generator)
    if p is not None:
        return _result(BERNOULLI, input, distributions.bernoulli_scalar(source, data.shape, p, data.dtype))
    return _result(BERNOULLI, input, distributions.bernoulli(source, data))


@api("poisson", where="torch")
def poisson(input: Tensor, generator: object = None) -> Tensor:
    """Counts with the given rates."""
    _refuse(input, "biuc", "poisson_cpu")
    return _result(POISSON, input, rejection.poisson(source_of(generator), input._data))


@api("binomial", where="torch")
def binomial(count: Tensor, prob: Tensor, generator: object = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`."""
    for name, each in (("count", count), ("prob", prob)):
        if each._data.dtype.kind in "biu":
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {each.dtype.title}")
    check_broadcast(count._data, prob._data)
    if count.dtype.itemsize == 2:
        raise NotImplementedError(f"\"binomial_cpu\" not implemented for '{count.dtype.title}'")
    counts, probs = np.broadcast_arrays(count._data, prob._data)
    return made(rejection.binomial(source_of(generator), counts, probs))


@api("_standard_gamma", where="torch")
def standard_gamma(input: Tensor, generator: object = None) -> Tensor:
    """Gamma numbers with the given shape parameters."""
    return _result(STANDARD_GAMMA, input, rejection.standard_gamma(source_of(generator), input._data))


@api("_sample_dirichlet", where="torch")
def sample_dirichlet(input: Tensor, generator: object = None) -> Tensor:
    """Parts of one, drawn with the given concentrations; without a history."""
    return made(rejection.dirichlet(source_of(generator), input._data))


@api("_dirichlet_grad", where="torch")
def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """The derivative of a part with respect to its concentration."""
    return made(rejection.beta_slope(x._data, alpha._data, np.broadcast_to(total._data, alpha._data.shape)))


def drawn_normal(mean: Any, std: Any, drawn: Any) -> Tensor:
    """`torch.normal` with tensors: makes a node if one of them has a history."""
    tracked = [isinstance(each, Tensor) and each.requires_grad for each in (mean, std)]
    if not any(tracked):
        return made(drawn)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        return call(NORMAL_BOTH, mean, std, wrap(drawn))
    which = 0 if isinstance(mean, Tensor) else 1
    return call(NORMAL[which], (mean, std)[which], wrap(drawn))
