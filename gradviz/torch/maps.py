"""`torch.vmap`: a function that is written for one example, run once for all of them. The arguments become batched
tensors (`gradviz.engine.kernel.batched`), in which every operation sees the shape of one example."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.batched import levels_of
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops import draw
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.transforms import layered
from gradviz.torch.trees import broadcast, flatten, is_branch, tree_structure

Fn = Callable[..., Any]


def vmap(
    func: Fn, in_dims: object = 0, out_dims: object = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Fn:
    """Return a function that is mapped over a dimension of its arguments."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    return _mapped(func, in_dims, out_dims, randomness, chunk_size)


def legacy_vmap(func: Fn, in_dims: object = 0, out_dims: object = 0, allow_none_pass_through: bool = False) -> Fn:
    """PyTorch's older `torch._vmap_internals._vmap`, used by batched gradients and gradcheck: custom functions run in
    it as they are, and random functions are refused."""
    return _mapped(func, in_dims, out_dims, "legacy", None)


def _mapped(func: Fn, in_dims: Any, out_dims: Any, randomness: str, chunk_size: int | None) -> Fn:
    @functools.wraps(func)
    def wrapped(*args: object, **kwargs: object) -> Any:
        _check_out_dims(out_dims, func)
        size, dims, leaves, rebuild = _inputs(in_dims, args, func)
        if chunk_size is not None:
            run = functools.partial(_once, func, out_dims, randomness, rebuild, kwargs)
            return _in_chunks(run, dims, leaves, size, chunk_size, out_dims, randomness)
        return _once(func, out_dims, randomness, rebuild, kwargs, size, dims, leaves)

    return wrapped


def name_of(func: object) -> str:
    """The name of a function in error messages."""
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return repr(func)


# --- inputs ---


def _inputs(in_dims: int, args: tuple[object, ...], func: Fn) -> tuple[int, list[Any], list[Any], Any]:
    """The number of examples, and for each leaf of the arguments the mapped dimension."""
    head = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{head}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
            "vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, rebuild = flatten(args)
    dims = broadcast(in_dims, args)
    if dims is None:
        raise ValueError(
            f"{head}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_structure(in_dims)} but inputs has structure {tree_structure(args)}."
        )
    dims = [_in_dim(dim, leaf, head) for dim, leaf in zip(dims, leaves, strict=True)]
    return _batch_size(dims, leaves), dims, leaves, rebuild


def _in_dim(dim: int, leaf: Tensor, head: str) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(f"{head}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{head}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -leaf.ndim <= dim < leaf.ndim:
        raise ValueError(
            f"{head}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.ndim} so "
            f"expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
        )
    return dim % leaf.ndim


def _batch_size(dims: Sequence[int | None], leaves: Sequence[Tensor]) -> int:
    sizes = [x.shape[dim] for x, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return int(sizes[0])


# --- one run ---


def _once(
    func: Fn,
    out_dims: int,
    randomness: str,
    rebuild: Any,
    kwargs: dict[str, Any],
    size: int,
    dims: Sequence[int | None],
    leaves: Sequence[Tensor],
) -> Any:
    with layers.layer("vmap", size, randomness) as layer:
        given = [x if dim is None else layered.add(x, layer.number, dim) for x, dim in zip(leaves, dims, strict=True)]
        found = func(*rebuild(given), **kwargs)
        return _outputs(found, out_dims, layer, func)


def _check_out_dims(out_dims: int, func: Fn) -> None:
    for each in flatten(out_dims)[0]:
        if each is not None and not isinstance(each, int):
            raise ValueError(
                f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )


def _outputs(found: object, out_dims: int, layer: layers.Layer, func: Fn) -> Any:
    leaves, rebuild = flatten(found)
    if isinstance(found, Tensor) and is_branch(out_dims):
        places = list(out_dims) if isinstance(out_dims, tuple) and len(out_dims) == 1 else None
    else:
        places = broadcast(out_dims, found)
    if places is None:
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {tree_structure(out_dims)} but outputs has structure "
            f"{tree_structure(found)}."
        )
    return rebuild([_output(x, dim, layer, name_of(func)) for x, dim in zip(leaves, places, strict=True)])


def _output(x: Tensor, dim: int | None, layer: layers.Layer, name: str) -> Tensor:
    if dim is None:
        if isinstance(x, Tensor) and layer.number in levels_of(x._data):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return x
    if not isinstance(x, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. Did you mean to set out_dims= "
            "to None for output?"
        )
    n = x.ndim + 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return layered.remove(x, layer.number, dim % n, layer.size)


# --- in chunks ---


def _in_chunks(
    run: Fn,
    dims: Sequence[int | None],
    leaves: Sequence[Any],
    size: int,
    chunk_size: int,
    out_dims: object,
    randomness: str,
) -> Any:
    held = draw.generator.state_bytes() if randomness == "same" else None
    results = []
    for start in range(0, size, chunk_size):
        count = min(chunk_size, size - start)
        part = [x if dim is None else x.narrow(dim, start, count) for x, dim in zip(leaves, dims, strict=True)]
        if held is not None:
            draw.generator.load_bytes(held)
        results.append(run(count, dims, part))
    _, rebuild = flatten(results[0])
    columns = zip(*(flatten(each)[0] for each in results), strict=True)
    places = broadcast(out_dims, results[0]) or []
    return rebuild([T["cat"](list(column), dim) for column, dim in zip(columns, places, strict=True)])


def standard_basis(tensors: Sequence[Tensor], start: int = 0, stop: int | None = None) -> list[Tensor]:
    """The unit vectors of the joint space of all these tensors, split among them; some of its rows."""
    for each in tensors:
        if not isinstance(each, Tensor):
            raise AttributeError(f"'{type(each).__name__}' object has no attribute 'numel'")
    counts = [each._data.size for each in tensors]
    total = sum(counts)
    stop = total if stop is None else min(stop, total)
    found, before = [], 0
    for each, count in zip(tensors, counts, strict=True):
        rows = np.zeros((stop - start, count), each._data.dtype)
        at = np.arange(max(start, before), min(stop, before + count))
        rows[at - start, at - before] = 1
        before += count
        found.append(wrap(rows.reshape((stop - start, *each._data.shape))))
    return found
