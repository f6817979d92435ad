"""Custom functions inside function transforms: their own `jvp` for tangents, their own `vmap` for batched tensors, or
their plain forward with `generate_vmap_rule`. The functions themselves are in `function.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.batched import levels_of, place_of
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.function import Function, FunctionCtx
from gradviz.engine.transforms import forward_mode, layered

_DETAILS = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod. {_DETAILS}"
)
NO_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."

_NO_VIEW_OF = "A custom Function is returning a view but the jvp is not returning a view of"
_IN_PLACE = "An inplace custom Function is not"


class VmapInfo(NamedTuple):
    """What a function's `vmap` is told about the vmap that it runs in."""

    batch_size: int
    randomness: str


def apply_layered(cls: type[Function], args: tuple[object, ...]) -> Any:
    """Run a custom function on arguments that may be dual or batched."""
    if any(each.randomness != "legacy" for each in layers.stack) and cls.setup_context is Function.setup_context:
        raise RuntimeError(NO_SETUP)
    tensors = [each for each in args if isinstance(each, Tensor)]
    number = forward_mode.innermost(tensors)
    if number is not None:
        return _dual(cls, args, number)
    levels = levels_of([each._data for each in tensors])
    mapped = [each for each in layers.maps() if each.number in levels and each.randomness != "legacy"]
    if not mapped:
        return _marked(cls._run(_on_one_level(args))[1])
    if cls.generate_vmap_rule:
        if "vmap" in cls.__dict__:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden "
                "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to "
                f"avoid ambiguity. {_DETAILS}"
            )
        return _marked(cls._run(_on_one_level(args))[1])
    if cls.vmap is Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            f"the vmap staticmethod or set generate_vmap_rule=True. {_DETAILS}"
        )
    return _mapped(cls, args, mapped[-1])


def _on_one_level(args: tuple[object, ...]) -> tuple[Any, ...]:
    """Repeat tracked arguments that are the same for all examples, if others differ from example to example."""
    known = levels_of([each._data for each in args if isinstance(each, Tensor)])
    return tuple(
        layered.repeat(each, known) if known and isinstance(each, Tensor) and each._requires_grad else each
        for each in args
    )


def _marked(made: object) -> object:
    wraps = layers.tracking()
    for each in made if isinstance(made, (tuple, list)) else (made,):
        if isinstance(each, Tensor) and wraps:
            each._wraps = wraps
    return made


# --- vmap ---


def _mapped(cls: type[Function], args: tuple[Any, ...], layer: layers.Layer) -> Any:
    """The function's own `vmap`, on tensors with all examples of the innermost level."""
    whole: list[Any] = []
    dims: list[int | None] = []
    for each in args:
        inside = isinstance(each, Tensor) and layer.number in levels_of(each._data)
        dim = place_of(each._data, layer.number) if inside else None
        dims.append(dim)
        whole.append(each if dim is None else layered.remove(each, layer.number, dim, layer.size))
    found = cls.vmap(VmapInfo(layer.size, layer.randomness), tuple(dims), *whole)
    if not isinstance(found, tuple) or len(found) != 2:
        what = f"Got {len(found)} returns instead" if isinstance(found, tuple) else f"Got a {type(found)} instead"
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. {what}"
        )
    output, out_dims = found
    if not isinstance(output, tuple):
        return _batched(output, out_dims, layer)
    places = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(output)
    return tuple(_batched(each, dim, layer) for each, dim in zip(output, places, strict=True))


def _batched(value: object, dim: int | None, layer: layers.Layer) -> object:
    if dim is None or not isinstance(value, Tensor):
        return value
    return layered.add(value, layer.number, dim % value.ndim)


# --- forward differentiation ---


def _dual(cls: type[Function], args: tuple[object, ...], number: int) -> Any:
    """Run the function on the primals, and its `jvp` on the tangents."""
    if "jvp" not in _defined(cls):
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )
    tensors = [each if isinstance(each, Tensor) else None for each in args]
    with forward_mode.without(tensors, number) as tangents:
        ctx, made = cls._run(args)
        given = [_given(ctx, each, tangents.get(i)) for i, each in enumerate(args)]
        written = {i: _version(each) for i, each in enumerate(given) if isinstance(each, Tensor)}
        found = cls.jvp(_pushing(ctx), *given)
        ctx._pushing = False
    outputs = made if isinstance(made, tuple) else (made,)
    pushed = found if isinstance(found, (tuple, list)) else (found,)
    if len(pushed) != len(outputs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but got "
            f"{len(pushed)})"
        )
    sources = {
        i: (each, tangents[i], written[i]) for i, each in enumerate(tensors) if each is not None and i in tangents
    }
    for i, (output, tangent) in enumerate(zip(outputs, pushed, strict=True)):
        _give(ctx, output, tangent, number, i, list(sources.values()))
    forward_mode.keep_with_saved([each for each in outputs if isinstance(each, Tensor)])
    return made


def _version(tensor: Tensor) -> int:
    """The version of a tangent's memory."""
    return tensor._share_version().value


def _defined(cls: type[Function]) -> set[str]:
    return {name for each in cls.__mro__ if each not in (Function, object) for name in each.__dict__}


def _pushing(ctx: FunctionCtx) -> FunctionCtx:
    ctx._pushing = True
    return ctx


def _given(ctx: FunctionCtx, value: object, tangent: Tensor | None) -> Tensor | None:
    if tangent is not None or not ctx._materialize or not isinstance(value, Tensor):
        return tangent
    return wrap(np.zeros_like(value._data)) if value.dtype.rank >= 2 else None


def _give(
    ctx: FunctionCtx, output: object, tangent: object, number: int, i: int, sources: list[tuple[Tensor, Tensor, int]]
) -> None:
    """Set the tangent of an output; `sources` are the dual inputs, with their tangents and the versions of these before
    the call."""
    fixed = not isinstance(output, Tensor) or output.dtype.rank < 2 or any(output is t for t in ctx._fixed)
    if fixed and tangent is not None:
        raise RuntimeError(
            f"Function's jvp returned a gradient at position {i}, but  the corresponding forward output is not a "
            "differentiable Tensor.You should return None at that position instead."
        )
    if tangent is None or not isinstance(output, Tensor):
        return
    if not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    forward_mode.check_size(output, tangent)
    if any(output is each for each in ctx._dirty):
        _check_written(tangent, [(former, version) for each, former, version in sources if each is output])
        forward_mode.assign(output, number, tangent)
        return
    if output._base is not None:
        for former in [former for each, former, _ in sources if _source(each) is _source(output)][:1]:
            _check_view(tangent, former)
    forward_mode.set_tangent(output, number, tangent)


def _source(tensor: Tensor) -> Tensor:
    return tensor if tensor._base is None else tensor._base


def _check_written(tangent: Tensor, formers: list[tuple[Tensor, int]]) -> None:
    """If an input was written to, its tangent has to be, too."""
    for former, version in formers:
        if _version(tangent) == version:
            raise RuntimeError(
                f"{_IN_PLACE} modifying the forward mode gradients inplace. If the forward is modifying an input "
                "inplace, then the jvp function must modify the corresponding gradient inplace."
            )
        if tangent is not former:
            raise RuntimeError(
                f"{_IN_PLACE} returning the forward mode gradients as-is. If the forward is modifying an input "
                "inplace, then the jvp function must modify the gradient inplace and return it as-is."
            )


def _check_view(tangent: Tensor, former: Tensor) -> None:
    """If the output is a view of an input, its tangent has to be a view of that input's tangent."""
    if tangent._base is None:
        raise RuntimeError(NO_VIEW)
    if former._base is not None and tangent._base is not former._base:
        raise RuntimeError(f"{_NO_VIEW_OF} the same base as the given grad input.")
    if former._base is None and tangent._base is not former:
        raise RuntimeError(f"{_NO_VIEW_OF} the given grad input.")


layers.apply_function = apply_layered
