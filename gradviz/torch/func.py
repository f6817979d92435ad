"""`torch.func`: derivatives of functions as functions. Built on repeated backward passes over the ordinary graph;
`vmap` runs its function once for each row, which gives PyTorch's values in another graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.call import grad as _backward
from gradviz.engine.modes import enable_grad
from gradviz.engine.tensor import Tensor
from gradviz.engine.trees import broadcast, flatten, map_leaves
from gradviz.torch.autograd import functional

Fn = Callable[..., Any]


def _positions(argnums: int | tuple[int, ...], count: int) -> tuple[int, ...]:
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for place in places:
        if not -count <= place < count:
            raise RuntimeError(f"Got argnum={place}, but only {count} positional inputs")
    return tuple(place % count for place in places)


def _fresh(x: Tensor) -> Tensor:
    """The argument as a new start of differentiation; within an outer one it stays connected."""
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def _zeros_for(found: Sequence[Tensor | None], inputs: Sequence[Tensor]) -> list[Tensor]:
    return [T["zeros_like"](x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def grad_and_value(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Fn:
    """A function that returns the gradient of a scalar function, and its value."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        places = _positions(argnums, len(args))
        leaves, rebuild = flatten([args[i] for i in places])
        nested = any(each.requires_grad for each in leaves)
        with enable_grad():
            given, fresh = list(args), [_fresh(each) for each in leaves]
            for place, value in zip(places, rebuild(fresh), strict=True):
                given[place] = value
            found = func(*given, **kwargs)
            value, aux = found if has_aux else (found, None)
            _check_scalar(value)
            grads: Sequence[Tensor | None] = [None] * len(fresh)
            if value.requires_grad:
                nested = nested or _reaches_outside(value, fresh)
                grads = _backward(value, fresh, retain_graph=nested, create_graph=nested, allow_unused=True)
        result = rebuild(_zeros_for(grads, fresh))
        result = result[0] if isinstance(argnums, int) else tuple(result)
        if not nested:
            value, aux = value.detach(), map_leaves(_detached, aux)
        return (result, (value, aux)) if has_aux else (result, value)

    return wrapper


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, Tensor) else value


def _check_scalar(value: Any) -> None:
    if not isinstance(value, Tensor):
        raise RuntimeError(
            "Expected to be given a function that returns a single Tensor, but the function that was given returned "
            f"{type(value)}"
        )
    if value.ndim:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )


def _reaches_outside(value: Tensor, fresh: Sequence[Tensor]) -> bool:
    """Whether a graph that the caller tracks (its own parameters, an outer derivative) leads into the value."""
    inside = {each._accumulator for each in fresh if each._accumulator is not None}
    seen, waiting = set(), [value.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not node.next and node not in inside:
            return True
        waiting.extend(edge[0] for edge in node.next if edge is not None)
    return False


def grad(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Fn:
    """A function that returns the gradient of a scalar function."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def vjp(func: Fn, *primals: Any, has_aux: bool = False) -> Any:
    """The value of a function, and the function that pulls a cotangent back through it."""
    leaves, rebuild = flatten(primals)
    nested = any(each.requires_grad for each in leaves)
    with enable_grad():
        fresh = [_fresh(each) for each in leaves]
        found = func(*rebuild(fresh))
        out, aux = found if has_aux else (found, None)
    outs, rebuild_out = flatten(out)

    def pull(cotangents: Any, **options: Any) -> Any:
        weights, _ = flatten(cotangents)
        tracked = nested or any(each.requires_grad for each in weights)
        pairs = [(y, w) for y, w in zip(outs, weights, strict=True) if y.requires_grad]
        grads: Sequence[Tensor | None] = [None] * len(fresh)
        if pairs:
            grads = _backward(
                [y for y, _ in pairs], fresh, [w for _, w in pairs], True, create_graph=tracked, allow_unused=True
            )
        return rebuild(_zeros_for(grads, fresh))

    value = out if nested else rebuild_out([each.detach() for each in outs])
    return (value, pull, aux) if has_aux else (value, pull)


def jvp(func: Fn, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of a function and its directional derivative."""
    leaves, rebuild = flatten(tuple(primals))
    directions, _ = flatten(tuple(tangents))
    kept: list[Any] = []

    def flat(*given: Any) -> Any:
        found = func(*rebuild(list(given)))
        out, aux = found if has_aux else (found, None)
        outs, rebuild_out = flatten(out)
        kept[:] = [rebuild_out, aux]
        return tuple(outs)

    nested = any(each.requires_grad for each in (*leaves, *directions))
    values, slopes = functional.jvp(flat, tuple(leaves), tuple(directions), create_graph=nested)
    rebuild_out, aux = kept
    pair = rebuild_out(list(values)), rebuild_out(list(slopes))
    return (*pair, aux) if has_aux else pair


def jacrev(
    func: Fn, argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Fn:
    """A function that returns the Jacobian."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        places = _positions(argnums, len(args))
        leaves, rebuild = flatten([args[place] for place in places])
        kept: list[Any] = []

        def flat(*chosen: Any) -> Any:
            given = list(args)
            for place, each in zip(places, rebuild(list(chosen)), strict=True):
                given[place] = each
            found = func(*given, **kwargs)
            out, aux = found if has_aux else (found, None)
            outs, rebuild_out = flatten(out)
            kept[:] = [rebuild_out, aux]
            return tuple(outs)

        nested = any(each.requires_grad for each in leaves)
        rows = functional.jacobian(flat, tuple(leaves), create_graph=nested)
        rebuild_out, aux = kept
        shaped = [rebuild(list(row)) for row in rows]
        found = rebuild_out([row[0] if isinstance(argnums, int) else tuple(row) for row in shaped])
        return (found, aux) if has_aux else found

    return wrapper


def jacfwd(
    func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Fn:
    """A function that returns the Jacobian; computed backwards, with the same values."""
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: Fn, argnums: int | tuple[int, ...] = 0) -> Fn:
    """A function that returns the second derivatives."""
    return jacfwd(jacrev(func, argnums), argnums)


def vmap(
    func: Fn, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Fn:
    """A function that is mapped over a dimension of its arguments."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        dims = tuple(in_dims) if isinstance(in_dims, (tuple, list)) else (in_dims,) * len(args)
        leaves, rebuild = flatten(list(args))
        places = broadcast(list(dims), list(args))
        count = _batch_size(leaves, places)
        rows = [
            func(
                *rebuild([x if dim is None else x.select(dim, i) for x, dim in zip(leaves, places, strict=True)]),
                **{key: map_leaves(functools.partial(_row, i), value) for key, value in kwargs.items()},
            )
            for i in range(count)
        ]
        _, rebuild_out = flatten(rows[0])
        columns = zip(*(flatten(row)[0] for row in rows), strict=True)
        outs = broadcast(list(out_dims) if isinstance(out_dims, tuple) else out_dims, rows[0])
        return rebuild_out([T["stack"](list(column), dim) for column, dim in zip(columns, outs, strict=True)])

    return wrapper


def _row(i: int, x: Tensor) -> Tensor:
    row: Tensor = x.select(0, i)
    return row


def _batch_size(leaves: Sequence[Any], places: Sequence[Any]) -> int:
    sizes = [x.shape[dim] for x, dim in zip(leaves, places, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap(): at least one input needs a dimension to map over, but in_dims is None for all")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return int(sizes[0])


@contextmanager
def _replaced(module: Any, tensors: Mapping[str, Any]) -> Any:
    """A module with other tensors in the place of its parameters and buffers."""
    put_back = []
    for name, tensor in tensors.items():
        path, _, key = name.rpartition(".")
        owner = module.get_submodule(path)
        known = owner._parameters if key in owner._parameters else owner._buffers
        put_back.append((known, key, known[key]))
        known[key] = tensor
    try:
        yield
    finally:
        for known, key, value in put_back:
            known[key] = value


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, *, strict: bool = False
) -> Any:
    """Call a module with given tensors instead of its own."""
    dicts = parameter_and_buffer_dicts
    tensors = dicts if isinstance(dicts, Mapping) else {name: t for each in dicts for name, t in each.items()}
    given = () if args is None else args
    with _replaced(module, tensors):
        return module(*(given if isinstance(given, tuple) else (given,)), **(kwargs or {}))


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several equal modules, stacked."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    params = {
        name: T["stack"]([dict(m.named_parameters())[name] for m in models]).detach().requires_grad_()
        for name, _ in models[0].named_parameters()
    }
    buffers = {
        name: T["stack"]([dict(m.named_buffers())[name] for m in models]) for name, _ in models[0].named_buffers()
    }
    return params, buffers
