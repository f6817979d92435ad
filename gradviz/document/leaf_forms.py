"""The forms that the numbers of a leaf can have (written down as a scalar, vector, matrix or tensor, or made by a
factory), the arguments of a factory, and how a leaf changes from one form to another while keeping as many of its
numbers as fit. Which leaves can be placed is in `catalogue`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, prod

from gradviz.document.catalogue import Parameter
from gradviz.document.drawing import Leaf, Literal
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import RANDOM
from gradviz.document.literals import as_float, as_floats
from gradviz.document.shaping.values import DIFFERENTIABLE, MOST, flat
from gradviz.document.tables import Value, resized, shape_of, shaped

DTYPES = (
    *("float32", "float64", "float16", "bfloat16", "complex64", "complex128"),
    *("int64", "int32", "int16", "int8", "uint8", "bool"),
)


@dataclass(frozen=True)
class Form:
    """One form; `dims` is how many dimensions written numbers have, -1 for three or more. `params` are the arguments of
    a factory in order; if it `packs`, they are together the one shape."""

    key: str
    title: str
    maker: str = "tensor"
    dims: int = 0
    params: tuple[Parameter, ...] = ()
    packs: bool = False


SHAPE = Parameter("shape", "shape", required=True)
FORMS = (
    Form("scalar", "Scalar"),
    Form("vector", "Vector", dims=1),
    Form("matrix", "Matrix", dims=2),
    Form("array", "Tensor", dims=-1),
    Form("randn", "Random, normal (randn)", "randn", params=(SHAPE,), packs=True),
    Form("rand", "Random, 0 to 1 (rand)", "rand", params=(SHAPE,), packs=True),
    Form(
        "randint",
        "Random, whole (randint)",
        "randint",
        params=(Parameter("low", "int", 0), Parameter("high", "int", required=True), SHAPE),
    ),
    Form("randperm", "Random order (randperm)", "randperm", params=(Parameter("n", "int", required=True),)),
    Form("zeros", "Zeros", "zeros", params=(SHAPE,), packs=True),
    Form("ones", "Ones", "ones", params=(SHAPE,), packs=True),
    Form("full", "One number (full)", "full", params=(SHAPE, Parameter("fill_value", "number", required=True))),
    Form(
        "arange",
        "Range (arange)",
        "arange",
        params=(
            Parameter("start", "number", 0),
            Parameter("end", "number", required=True),
            Parameter("step", "number", 1),
        ),
    ),
    Form(
        "linspace",
        "Even steps (linspace)",
        "linspace",
        params=tuple(
            Parameter(name, kind, required=True)
            for name, kind in zip(("start", "end", "steps"), ("number", "number", "int"), strict=True)
        ),
    ),
    Form(
        "eye",
        "Identity (eye)",
        "eye",
        params=(Parameter("n", "int", required=True), Parameter("m", "int", optional=True)),
    ),
)
_OF_KIND = ((complex, "complex64"), (float, "float32"), (int, "int64"), (bool, "bool"))  # the first kind that occurs
WRITTEN = {0: "scalar", 1: "vector", 2: "matrix"}


def form(key: str) -> Form:
    """Return the form with this key."""
    return next(one for one in FORMS if one.key == key)


def form_of(leaf: Leaf) -> Form:
    """Return the form of a leaf; a factory without a row here gets a form with its arguments unchanged."""
    if leaf.maker == "tensor":
        return form(WRITTEN.get(len(shape_of(leaf.data)), "array"))
    known = next((one for one in FORMS if one.maker == leaf.maker), None)
    return known or Form(leaf.maker, leaf.maker, leaf.maker, params=(Parameter("arguments", "numbers", required=True),))


def arguments(leaf: Leaf) -> dict[str, Literal]:
    """Return the arguments of its factory by name; those that are not given are left out."""
    made = form_of(leaf)
    data = leaf.data if isinstance(leaf.data, tuple) else (leaf.data,)
    if made.packs:
        return {"shape": data}
    if made.key not in {one.key for one in FORMS}:
        return {"arguments": data}
    if len(data) == 1 and leaf.maker == "arange":
        return {"end": data[0]}
    if len(data) == 2 and leaf.maker == "randint":
        return {"high": data[0], "shape": data[1]}
    return {one.name: value for one, value in zip(made.params, data, strict=False)}


def packed(made: Form, given: dict[str, Literal]) -> Literal:
    """Return the arguments as a leaf holds them: as few as express the same."""
    if made.packs or made.key not in {one.key for one in FORMS}:
        data = next(iter(given.values()))
        return data if isinstance(data, tuple) else (data,)
    if made.key == "arange" and given.get("step", 1) == 1:
        given = {name: value for name, value in given.items() if name != "step"}
        if given.get("start", 0) == 0:
            return (given["end"],)
    shape = given.get("shape")
    if shape is not None and not isinstance(shape, tuple):
        given = {**given, "shape": (shape,)}
    values = [given.get(one.name, one.default) for one in made.params]
    while values and values[-1] is None:
        values.pop()
    if made.key == "arange" and "step" not in given:
        values.pop()
    return tuple(values)


def leaf_shape(leaf: Leaf) -> tuple[int, ...]:
    """Return the shape of its tensor, as far as its arguments determine it."""
    if leaf.maker == "tensor":
        return shape_of(leaf.data)
    given = arguments(leaf)
    shape = given.get("shape", given.get("n", given.get("steps")))
    if leaf.maker == "eye":
        rows, columns = given.get("n"), given.get("m")
        shape = (rows, rows if columns is None else columns)
    if leaf.maker == "arange":
        start, end, step = (_real(given.get(*one)) for one in (("start", 0), ("end", 0), ("step", 1)))
        count = -(-(end - start) // step) if step else 0.0
        shape = max(0, int(count)) if isfinite(count) else 0
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return tuple(size if isinstance(size, int) else 1 for size in sizes)


def _real(value: Literal) -> float:
    return as_float(value) if isinstance(value, int | float) else 0.0


def leaf_dtype(leaf: Leaf) -> str:
    """Return the dtype that its tensor will have."""
    if leaf.dtype:
        return leaf.dtype
    if leaf.maker in ("randint", "randperm"):
        return "int64"
    if leaf.maker not in ("tensor", "arange", "full"):
        return "float32"
    numbers = flat(leaf.data[1:] if leaf.maker == "full" and isinstance(leaf.data, tuple) else leaf.data)
    kinds = set(map(type, numbers)) or {float}
    return next((dtype for kind, dtype in _OF_KIND if kind in kinds), "float32")


def fitted(leaf: Leaf, data: Literal) -> Literal:
    """Convert typed numbers to the leaf's kind: a 3 typed into a leaf of floats becomes 3.0, so that it keeps its dtype
    and its gradient."""
    dtype = leaf_dtype(leaf)
    numbers = flat(data)
    if dtype in DIFFERENTIABLE and any(type(number) in (int, bool) for number in numbers):
        numbers = [as_floats(number) for number in numbers]
    elif dtype == leaf.dtype and "int" in dtype:
        whole = [int(number) if isinstance(number, float) and number.is_integer() else number for number in numbers]
        numbers = whole
    return shaped(numbers, shape_of(data)) if numbers else data


def zero(leaf: Leaf) -> Value:
    """Return what an empty cell holds."""
    return 0 if "int" in leaf_dtype(leaf) else False if leaf_dtype(leaf) == "bool" else 0.0


def as_form(leaf: Leaf, key: str) -> Leaf:
    """Return the leaf in another form, keeping its numbers or its shape as far as they fit."""
    new, shape = form(key), leaf_shape(leaf)
    if new.key == form_of(leaf).key:
        return leaf
    seed = (0 if leaf.seed is None else leaf.seed) if new.maker in RANDOM else None
    slider = leaf.slider if new.key == "scalar" else None
    is_float = leaf_dtype(leaf) in DIFFERENTIABLE
    if new.maker != "tensor":
        dtype = leaf.dtype or (
            "float32" if is_float and leaf.requires_grad and new.key in ("arange", "randint", "randperm") else ""
        )
        return replace(leaf, maker=new.maker, data=_made(new, shape), seed=seed, slider=slider, dtype=dtype)
    if prod(shape) > MOST:
        raise UserError(f"{prod(shape):,} numbers are too many for a constant; at most {MOST:,} are the most.")
    data = leaf.data if leaf.maker == "tensor" else _written(leaf, shape)
    wanted = _shape_for(new.dims, shape)
    return replace(leaf, maker="tensor", data=resized(data, wanted, zero(leaf)), seed=None, slider=slider)


def _shape_for(dims: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the closest shape with that many dimensions."""
    wanted = 3 if dims < 0 else dims
    if len(shape) > wanted:
        return shape[len(shape) - wanted :]
    if not shape:
        return {0: (), 1: (3,), 2: (2, 2)}.get(wanted, (2, 2, 2))
    return (1,) * (wanted - len(shape)) + shape


def _written(leaf: Leaf, shape: tuple[int, ...]) -> Literal:
    """Return the numbers that a factory makes if they are known without a run, otherwise zeros."""
    count = prod(shape)
    fill: Literal = zero(leaf)
    given = arguments(leaf)
    if leaf.maker == "ones":
        fill = 1.0
    elif leaf.maker == "full" and isinstance(given.get("fill_value"), bool | int | float | complex):
        fill = given["fill_value"]
    numbers: list[Literal] = [fill] * count
    if leaf.maker == "eye" and len(shape) == 2:
        numbers = [1.0 if at // shape[1] == at % shape[1] else 0.0 for at in range(count)]
    if leaf.maker == "arange":
        start, step = given.get("start", 0), given.get("step", 1)
        numbers = [start + step * at for at in range(count)]  # type: ignore[operator]
    return shaped(numbers, shape)


def _made(new: Form, shape: tuple[int, ...]) -> Literal:
    """Return the arguments of a factory that come closest to a shape."""
    count = max(1, prod(shape))
    shape = shape or (2, 3)
    return {
        "randint": (0, 10, shape),
        "randperm": (count,),
        "full": (shape, 1.0),
        "arange": (count if count > 1 else 6,),
        "linspace": (0.0, 1.0, count if count > 1 else 5),
        "eye": (shape[-1],) if len(set(shape[-2:])) == 1 else shape[-2:],
    }.get(new.key, shape)
