"""Random numbers against PyTorch's, bit for bit: recorded, and live where torch is installed."""

import importlib.util
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from gradviz.engine.numerics import distributions, rounding
from gradviz.engine.numerics.distributions import DEFAULT_SEED, Generator
from gradviz.engine.numerics.rounding import fma32, fma64
from tests.engine.record_random import summary, torch_results

HERE = Path(__file__).parent
GOLDEN: list[dict[str, Any]] = json.loads((HERE / "golden" / "random.json").read_text(encoding="utf-8"))
HAS_TORCH = importlib.util.find_spec("torch") is not None


def draw(generator: Generator, call: list[Any]) -> np.ndarray:
    name, *args = call
    kind = None
    if args and isinstance(args[-1], str):
        kind = np.dtype(ml_dtypes.bfloat16 if args[-1] == "bfloat16" else args[-1])
        args = args[:-1]
    if name == "state":
        return generator.state_bytes()
    if name == "bernoulli":
        return distributions.bernoulli(generator, np.array(args[0]).astype(kind))
    if name == "dropout":
        return distributions.dropout_mask(generator, *args, dtype=kind)
    if name == "multinomial":
        return distributions.multinomial(generator, np.array(args[0]).astype(kind), *args[1:])
    if name == "scattered":
        return distributions.normal(generator, args[0][::-1], dtype=kind, contiguous=False).T
    return getattr(distributions, name)(generator, *args, **({} if kind is None else {"dtype": kind}))


@pytest.mark.parametrize("case", GOLDEN, ids=range(len(GOLDEN)))
def test_numbers_are_pytorchs(case: dict[str, Any]) -> None:
    generator = Generator().manual_seed(case["seed"])
    for call, expected in zip(case["calls"], case["results"], strict=True):
        flat = draw(generator, call).reshape(-1)
        assert summary(flat.tobytes(), flat[:4].tolist()) == expected, call
    if HAS_TORCH:
        assert torch_results(case) == case["results"]


def test_enough_cases() -> None:
    assert len(GOLDEN) >= 150


def test_state_restores_the_stream_with_the_kept_normal() -> None:
    generator = Generator().manual_seed(3)
    distributions.normal(generator, [3])
    state = generator.state_bytes()
    first = distributions.normal(generator, [5])
    generator.load_bytes(state)
    assert np.array_equal(first, distributions.normal(generator, [5]))
    other = generator.clone_state()
    assert np.array_equal(distributions.uniform(other, [700]), distributions.uniform(generator, [700]))


def test_state_of_a_fresh_and_of_a_used_up_block() -> None:
    for drawn in (0, 1, 623, 624, 625):
        generator = Generator().manual_seed(8)
        distributions.uniform(generator, [drawn])
        state = generator.state_bytes()
        assert np.array_equal(generator.clone_state().state_bytes(), state)
        assert np.array_equal(generator.clone_state().raw32(3), generator.raw32(3))


def test_seeds() -> None:
    assert Generator().initial_seed() == DEFAULT_SEED
    generator = Generator()
    assert generator.manual_seed(-3) is generator
    assert generator.initial_seed() == 2**64 - 3
    assert generator.seed() == generator.initial_seed()
    with pytest.raises(ValueError, match="Overflow when unpacking long"):
        generator.manual_seed(2**64)
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got str"):
        generator.manual_seed("a")  # type: ignore[arg-type]


def test_bad_state_is_refused() -> None:
    generator = Generator()
    with pytest.raises(RuntimeError, match="of size 5056 but found the input RNG state size to be 5"):
        generator.load_bytes(np.zeros(5, np.uint8))
    with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
        generator.load_bytes(np.zeros(5056))  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        generator.load_bytes(np.zeros(5056, np.uint8))


@pytest.mark.parametrize(
    ("name", "args", "kind", "message"),
    [
        (
            "uniform",
            ([3], 2.0, 1.0),
            RuntimeError,
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
        ),
        (
            "uniform",
            ([3], 0.0, 1.0, np.int64),
            NotImplementedError,
            "\"check_uniform_bounds\" not implemented for 'Long'",
        ),
        ("normal", ([3], 0.0, -1.0), RuntimeError, "normal expects std >= 0.0, but found std -1"),
        ("normal", ([3], 0.0, 1.0, np.int64), NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
        ("bernoulli_scalar", ([3], 2.0), RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=2"),
        ("randint", (5, 5, [2]), RuntimeError, "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
        ("exponential", ([2], 0.0), RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=0"),
        ("geometric", ([2], 1.5), RuntimeError, "geometric_ expects p to be in (0, 1), but got p=1.5"),
        ("cauchy", ([2], 0.0, -1.0), RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=-1"),
        ("log_normal", ([2], 0.0, -1.0), RuntimeError, "log_normal_ expects std > 0.0, but found std=-1"),
        ("randperm", (-1,), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        ("multinomial", (np.float32([0.1, -0.2]), 1), RuntimeError, "contains either `inf`, `nan` or element < 0"),
        ("multinomial", (np.zeros(2), 1), RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)"),
        ("multinomial", (np.ones(2), 3), RuntimeError, "n_sample > prob_dist.size(-1) samples without replacement"),
        ("multinomial", (np.ones(2), 0), RuntimeError, "cannot sample n_sample <= 0 samples"),
        ("multinomial", (np.ones((2, 2, 2)), 1), RuntimeError, "prob_dist must be 1 or 2 dim"),
        ("multinomial", (np.array([1, 2]), 1), RuntimeError, "multinomial only supports floating-point dtypes"),
        ("bernoulli", (np.array([1.5]),), RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true"),
    ],
)
def test_refusals(name: str, args: tuple[Any, ...], kind: type[Exception], message: str) -> None:
    generator = Generator().manual_seed(0)
    with pytest.raises(kind) as caught:
        getattr(distributions, name)(generator, *args)
    assert message in str(caught.value)
    assert np.array_equal(generator.state_bytes(), Generator().manual_seed(0).state_bytes()), "a refusal draws nothing"


def test_one_rounding_is_exact() -> None:
    numbers = np.random.default_rng(0).normal(size=300)
    for value, result in zip(numbers, fma64(numbers, 1.1, -0.7), strict=True):
        exact = Fraction(float(value)) * Fraction(1.1) + Fraction(-0.7)
        assert float(exact) == result
    singles = numbers.astype(np.float32)
    for value, result in zip(singles, fma32(singles, np.float32(1.1), np.float32(-0.7)), strict=True):
        exact = Fraction(float(value)) * Fraction(float(np.float32(1.1))) + Fraction(float(np.float32(-0.7)))
        nearby = [np.nextafter(result, np.float32(side)) for side in (-np.inf, np.inf)]
        assert all(abs(Fraction(float(result)) - exact) <= abs(Fraction(float(n)) - exact) for n in nearby)


def test_polynomials_are_close_to_the_functions() -> None:
    angles = np.linspace(0, 2 * math.pi, 1001, dtype=np.float32)
    sine, cosine = rounding.sincos(angles)
    assert np.allclose(sine, np.sin(angles), atol=2e-7)
    assert np.allclose(cosine, np.cos(angles), atol=2e-7)
    values = np.linspace(2.0**-24, 1, 1001, dtype=np.float32)
    assert np.allclose(rounding.log(values), np.log(values), rtol=2e-7, atol=1e-7)
