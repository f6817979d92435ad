"""`torch.func`: derivatives of functions as functions. Built on repeated backward passes over the ordinary graph;
`vmap` runs its function once for each row, which gives PyTorch's values in another graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.call import grad as _backward
from gradviz.engine.modes import enable_grad
from gradviz.engine.tensor import Tensor
from gradviz.torch.autograd import functional

Fn = Callable[..., Any]


def _positions(argnums: int | tuple[int, ...]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else argnums


def grad_and_value(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Fn:
    """A function that returns the gradient of a scalar function, and its value."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            given = list(args)
            for i in _positions(argnums):
                given[i] = args[i].view_as(args[i]) if args[i].requires_grad else args[i].detach().requires_grad_()
            found = func(*given, **kwargs)
            value, aux = found if has_aux else (found, None)
            if value.ndim:
                raise RuntimeError(
                    "Expected f(*args) to return a scalar tensor, got tensor with "
                    f"{value.ndim} dims. Did you forget to return a scalar or to use vmap?"
                )
            nested = any(args[i].requires_grad for i in _positions(argnums))
            grads = _backward(value, [given[i] for i in _positions(argnums)], create_graph=nested, allow_unused=True)
        filled = tuple(
            T["zeros_like"](given[i]) if g is None else g for i, g in zip(_positions(argnums), grads, strict=True)
        )
        result = filled[0] if isinstance(argnums, int) else filled
        value = value if nested else value.detach()
        return (result, (value, aux)) if has_aux else (result, value)

    return wrapper


def grad(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Fn:
    """A function that returns the gradient of a scalar function."""
    both = grad_and_value(func, argnums, has_aux)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def vjp(func: Fn, *primals: Any, has_aux: bool = False) -> Any:
    """The value of a function, and the function that pulls a cotangent back through it."""
    with enable_grad():
        given = [x.detach().requires_grad_() for x in primals]
        found = func(*given)
        out, aux = found if has_aux else (found, None)

    def pull(cotangents: Any) -> Any:
        outs = out if isinstance(out, tuple) else (out,)
        weights = cotangents if isinstance(cotangents, tuple) else (cotangents,)
        grads = _backward(list(outs), given, list(weights), retain_graph=True, allow_unused=True)
        return tuple(T["zeros_like"](x) if g is None else g for x, g in zip(given, grads, strict=True))

    value = tuple(each.detach() for each in out) if isinstance(out, tuple) else out.detach()
    return (value, pull, aux) if has_aux else (value, pull)


def jvp(func: Fn, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The value of a function and its directional derivative."""
    return functional.jvp(func, tuple(primals), tuple(tangents))


def _jacobian(func: Fn, argnums: int | tuple[int, ...]) -> Fn:
    def wrapper(*args: Any) -> Any:
        places = _positions(argnums)

        def partial(*chosen: Any) -> Any:
            given = list(args)
            for place, each in zip(places, chosen, strict=True):
                given[place] = each
            return func(*given)

        chosen = tuple(args[place] for place in places)
        nested = any(each.requires_grad for each in chosen)
        found = functional.jacobian(partial, chosen, create_graph=nested)
        return found[0] if isinstance(argnums, int) else found

    return wrapper


def jacrev(func: Fn, argnums: int | tuple[int, ...] = 0) -> Fn:
    """A function that returns the Jacobian."""
    return _jacobian(func, argnums)


def jacfwd(func: Fn, argnums: int | tuple[int, ...] = 0) -> Fn:
    """A function that returns the Jacobian; computed backwards, with the same values."""
    return _jacobian(func, argnums)


def hessian(func: Fn, argnums: int = 0) -> Fn:
    """A function that returns the second derivatives."""

    def wrapper(*args: Any) -> Any:
        def partial(x: Tensor) -> Any:
            return func(*args[:argnums], x, *args[argnums + 1 :])

        return functional.hessian(partial, args[argnums])

    return wrapper


def vmap(func: Fn, in_dims: Any = 0, out_dims: Any = 0) -> Fn:
    """A function that is mapped over a dimension of its arguments."""

    def wrapper(*args: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        count = next(arg.shape[dim] for arg, dim in zip(args, dims, strict=True) if dim is not None)
        rows = [
            func(*(arg if dim is None else arg.select(dim, i) for arg, dim in zip(args, dims, strict=True)))
            for i in range(count)
        ]
        if isinstance(rows[0], tuple):
            outs = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(rows[0])
            return tuple(T["stack"]([row[j] for row in rows], outs[j]) for j in range(len(rows[0])))
        return T["stack"](rows, out_dims)

    return wrapper


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


def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Call a module with given tensors instead of its own."""
    dicts = parameter_and_buffer_dicts
    tensors = dicts if isinstance(dicts, Mapping) else {name: t for each in dicts for name, t in each.items()}
    with _replaced(module, tensors):
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
