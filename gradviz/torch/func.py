"""`torch.func`: the derivatives grad, vjp and jacrev backwards, jvp and jacfwd forwards. Each opens a layer
(`gradviz.engine.kernel.layers`) while the function runs, and works on the ordinary graph and on tangents. `vmap` is in
`maps.py`, modules as functions in `stateless.py`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.graph import Node, edge_of, renamed, show_as
from gradviz.engine.kernel.modes import enable_grad, inference_mode
from gradviz.engine.kernel.state import renaming, state, warn_once
from gradviz.engine.kernel.tensor import Tensor, only_tensor, twin
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.autograd import grad as _backward
from gradviz.engine.transforms import forward_mode, layered
from gradviz.engine.transforms.layered import unwrapped, wrappers
from gradviz.torch.autograd.graph import disable_saved_tensors_hooks
from gradviz.torch.maps import standard_basis, vmap
from gradviz.torch.stateless import functional_call, replace_all_batch_norm_modules_, stack_module_state
from gradviz.torch.trees import (
    flatten,
    no_complex,
    only_tensors,
    places_of,
    pretty,
    replaced,
    tree_map,
    tree_structure,
    value_and_aux,
)

Fn = Callable[..., Any]
_JVP = "jvp(f, primals, tangents)"
_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
_BASIS = 1 << 24  # numbers in the unit vectors that one pass pulls back: a Hessian by two jacrev would fill the memory
_NO_REFERENCE = (  # PyTorch's words about the program that it makes from the function
    "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
    "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the necessary "
    "Parameter, or nn.Module.register_buffer to add the necessary buffer"
)


# --- tensors inside a layer ---


@contextmanager
def _differentiating() -> Iterator[None]:
    """A layer that differentiates backwards, in which inference mode is off."""
    with disable_saved_tensors_hooks(_NO_HOOKS), layers.layer("grad"), inference_mode(False):
        yield


@contextmanager
def _outside_inference() -> Iterator[None]:
    """Inference mode is off, and what it does not track stays untracked."""
    outer, state.inference = state.inference, False
    try:
        yield
    finally:
        state.inference = outer


def _fresh(x: Tensor) -> Tensor:
    """The argument as a new start of differentiation; it stays connected to outer differentiation."""
    if not isinstance(x, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    if x.dtype.rank < 2:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if x._requires_grad:
        made = only_tensor(x.view_as(x))
        node = made.grad_fn
        if isinstance(node, Node):
            node.stands_aside = True
        made._tangents = x._tangents
    else:
        made = only_tensor(x.detach())
        made._tangents = x._tangents
        made._requires_grad = True
        if state.observer is not None:
            state.observer.metadata_changed(made)
    made._wraps, made._inference = layers.tracking(), False
    return made


def _inside(value: Tensor) -> Tensor:
    """An argument that is not differentiated, as a tensor of the layer with its former history."""
    if not isinstance(value, Tensor):
        return value
    if value._requires_grad:
        value = layered.repeat(value, {each.number: each.size for each in layers.maps()})
        edge_of(value)
    made = twin(value)
    if not value._requires_grad:
        made._base = made._view = None
    made._wraps, made._inference = layers.tracking(), False
    return made


def _released(value: Tensor | None) -> Tensor | None:
    if not isinstance(value, Tensor):
        return value
    made = only_tensor(value.detach())
    made._tangents = value._tangents
    return made


def _zeros_for(found: Sequence[Tensor | None], inputs: Sequence[Tensor]) -> list[Tensor]:
    return [T["zeros_like"](x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def _reaches_outside(values: Sequence[Tensor], fresh: Sequence[Tensor]) -> bool:
    """Whether a graph that the caller tracks (its own parameters, an outer derivative) leads to the values."""
    inside = {each._accumulator for each in fresh if each._accumulator is not None}
    seen, waiting = set(), [each.grad_fn for each in values]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not node.next and node not in inside:
            return True
        waiting.extend(edge[0] for edge in node.next if edge is not None)
    return False


# --- backwards ---


def grad_and_value(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Fn:
    """A function that returns the gradient of a scalar function, and its value."""

    @functools.wraps(func)
    def wrapper(*args: object, **kwargs: object) -> Any:
        places, outer = places_of(argnums, len(args)), state.grad
        with _differentiating():
            leaves, rebuild = flatten([args[i] for i in places])
            nested = any(isinstance(each, Tensor) and each._requires_grad for each in leaves)
            fresh = [_fresh(each) for each in leaves]
            given = replaced(tree_map(_inside, args), places, rebuild(list(fresh)))
            found = func(*given, **tree_map(_inside, kwargs))
            value, aux = value_and_aux(found, has_aux, "grad_and_value(f)(*args)")
            _check_scalar(value)
            nested = outer and (nested or _reaches_outside([value], fresh))
            grads: Sequence[Tensor | None] = [None] * len(fresh)
            if value._requires_grad:
                grads = _backward(value, fresh, retain_graph=nested, create_graph=nested, allow_unused=True)
            result = rebuild(_zeros_for(grads, fresh))
        result = result[0] if isinstance(argnums, int) else tuple(result)
        if not nested:
            value, aux = _released(value), tree_map(_released, aux)
        return (result, (value, aux)) if has_aux else (result, value)

    return wrapper


def _check_scalar(value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}")
    if value.ndim:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )


def grad(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Fn:
    """A function that returns the gradient of a scalar function."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: object, **kwargs: object) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def vjp(func: Fn, *primals: object, has_aux: bool = False) -> Any:
    """The value of a function, and the function that pulls a cotangent back through it."""
    return _pulling(func, primals, tuple(range(len(primals))), False, has_aux)


def _pulling(func: Fn, args: tuple[object, ...], places: tuple[int, ...], single: bool, has_aux: bool) -> Any:
    """Like `vjp`, for the arguments at some places; `single` returns a single gradient without a tuple."""
    outer = state.grad
    with _differentiating():
        leaves, rebuild = flatten(tuple(args[i] for i in places))
        nested = any(isinstance(each, Tensor) and each._requires_grad for each in leaves)
        fresh = [_fresh(each) for each in leaves]
        found = func(*replaced(tree_map(_inside, args), places, rebuild(list(fresh))))
        out, aux = value_and_aux(found, has_aux, "vjp(f, *primals)")
        outs, rebuild_out = flatten(out)
        only_tensors(outs, "vjp(f, *primals)")
        for each in outs:
            if each.dtype.rank < 2:
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{each.dtype}"
                )
        nested = outer and (nested or _reaches_outside(outs, fresh))

    def wrapper(cotangents: Tensor, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        weights, _ = flatten(cotangents)
        if tree_structure(cotangents) != tree_structure(out):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {pretty(cotangents)}, primal output: {pretty(out)}"
            )
        tracked = (nested or any(each._requires_grad for each in weights)) and state.grad
        tracked = tracked if create_graph is None else create_graph and tracked
        pairs = [(y, w) for y, w in zip(outs, weights, strict=True) if y._requires_grad]
        grads: Sequence[Tensor | None] = [None] * len(fresh)
        if pairs:
            ys, ws = [y for y, _ in pairs], [w for _, w in pairs]
            grads = _backward(ys, fresh, ws, retain_graph, create_graph=tracked, allow_unused=True)
        result = rebuild(_zeros_for(grads, fresh))
        return result[0] if single else result

    wrapper.__qualname__ = "_vjp_with_argnums.<locals>.wrapper"
    value = out if nested else rebuild_out([_released(each) for each in outs])
    aux = aux if nested else tree_map(_released, aux)
    return (value, wrapper, aux) if has_aux else (value, wrapper)


def jacrev(
    func: Fn, argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False, chunk_size: int | None = None, **_: object
) -> Fn:
    """Return a function that computes the Jacobian backwards: one pass for all rows, or for `chunk_size` at a time."""
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: object) -> Any:
        no_complex("jacrev", args, "inputs")
        places = places_of(argnums, len(args))
        out, pull, *aux = _pulling(func, args, places, False, has_aux)
        outs, rebuild_out = flatten(out)
        no_complex("jacrev", outs, "outputs")
        leaves, rebuild = flatten(tuple(args[i] for i in places))
        stacked = _pulled(pull, outs, rebuild_out, chunk_size)
        rows, before = [], 0
        for y in outs:
            count = y._data.size
            blocks = [
                each.narrow(0, before, count).reshape(*y.shape, *x.shape)
                for each, x in zip(stacked, leaves, strict=True)
            ]
            shaped = rebuild(blocks)
            rows.append(shaped[0] if isinstance(argnums, int) else shaped)
            before += count
        found = rebuild_out(rows)
        return (found, aux[0]) if has_aux else found

    return wrapper


def _pulled(
    pull: Fn, outs: Sequence[Tensor], rebuild_out: Callable[..., object], chunk_size: int | None
) -> list[Tensor]:
    """All rows of the Jacobian of all outputs, for each input."""
    total = sum(each._data.size for each in outs)
    step = max(1, _BASIS // max(total, 1)) if chunk_size is None else chunk_size
    found = []
    for start in range(0, max(total, 1), max(step, 1)):
        basis = standard_basis(outs, start, start + step)
        if chunk_size == 1:
            found.append([g.unsqueeze(0) for g in flatten(pull(rebuild_out([b.squeeze(0) for b in basis])))[0]])
        else:
            found.append(flatten(vmap(pull)(rebuild_out(basis)))[0])
    return found[0] if len(found) == 1 else [T["cat"](list(column), 0) for column in zip(*found, strict=True)]


# --- forwards ---


def jvp(func: Fn, primals: object, tangents: object, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of a function and its directional derivative."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    return _pushing(func, primals, tangents, tuple(range(len(primals))), strict, has_aux)


def _pushing(
    func: Fn, args: tuple[object, ...], tangents: object, places: tuple[int, ...], strict: bool, has_aux: bool
) -> Any:
    """Like `jvp`, for the arguments at some places."""
    chosen = tuple(args[i] for i in places)
    leaves, rebuild = flatten(chosen)
    directions, _ = flatten(tangents)
    if tree_structure(chosen) != tree_structure(tangents):
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {tree_structure(chosen)} and "
            f"tangents with structure {tree_structure(tangents)}"
        )
    for name, each in (("primals", leaves), ("tangents", directions)):
        _check_given(each, name)
    with _outside_inference(), layers.layer("jvp"), layers.dual() as number, forward_mode.pushing():
        duals = [forward_mode.make_dual(x, t, number) for x, t in zip(leaves, directions, strict=True)]
        for one in duals:
            one._wraps, one._inference = layers.tracking(), False
        found = func(*replaced(tree_map(_inside, args), places, rebuild(list(duals))))
        out, aux = value_and_aux(found, has_aux, _JVP)
        outs, rebuild_out = flatten(out)
        only_tensors(outs, _JVP)
        pairs = [_unpacked(each, number, strict) for each in outs]
    values, slopes = rebuild_out([x for x, _ in pairs]), rebuild_out([t for _, t in pairs])
    return (values, slopes, aux) if has_aux else (values, slopes)


def _check_given(leaves: Sequence[object], name: str) -> None:
    if not leaves:
        raise RuntimeError(f"{_JVP}: Expected {name} to contain at least one Tensor.")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{_JVP}: Expected {name} to only contain Tensors, got {type(each)}")


@renaming
def _unpacked(value: Tensor, number: int, strict: bool) -> tuple[Tensor, Tensor]:
    primal, tangent = forward_mode.unpack_dual(value, number)
    if tangent is None and strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    if primal.grad_fn is not None:
        show_as(primal.grad_fn, renamed(primal.grad_fn._kind, "AliasBackward0"))
    return primal, T["zeros_like"](primal) if tangent is None else tangent


def jacfwd(func: Fn, argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error") -> Fn:
    """Return a function that computes the Jacobian forwards: all columns in one run of the function."""

    @functools.wraps(func)
    def wrapper(*args: object) -> Any:
        no_complex("jacfwd", args, "inputs")
        places = places_of(argnums, len(args))
        leaves, rebuild = flatten(tuple(args[i] for i in places))

        def push(basis: object) -> int | tuple[int, int]:
            values, slopes, *aux = _pushing(func, args, basis, places, False, has_aux)
            no_complex("jacfwd", values, "outputs")
            return (slopes, aux[0]) if has_aux else slopes

        found = vmap(push, randomness=randomness)(rebuild(standard_basis(leaves)))
        slopes, aux = found if has_aux else (found, None)
        outs, rebuild_out = flatten(slopes)
        rows = [_columns(each.movedim(0, -1), leaves) for each in outs]
        shaped = [rebuild(row)[0] if isinstance(argnums, int) else rebuild(row) for row in rows]
        result = rebuild_out(shaped)
        return (result, tree_map(lambda each: each[0], aux)) if has_aux else result

    return wrapper


def _columns(jacobian: Tensor, leaves: Sequence[Tensor]) -> list[Tensor]:
    """The last dimension divided among the inputs, in their shapes."""
    found, before = [], 0
    for x in leaves:
        part = jacobian.narrow(-1, before, x._data.size)
        found.append(part.squeeze(-1) if not x.ndim else part.unflatten(-1, tuple(x.shape)))
        before += x._data.size
    return found


def hessian(func: Fn, argnums: int | tuple[int, ...] = 0) -> Fn:
    """Return a function that computes the second derivatives, forwards over backwards."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Fn, *primals: object) -> tuple[Any, Fn]:
    """The value of a function, and its derivative there as a linear function of the tangents."""
    leaves, _ = flatten(primals)
    output = func(*primals)
    warn_once("linearize", _NO_REFERENCE, stacklevel=3)
    _, pull = vjp(func, *primals)
    outs, rebuild_out = flatten(output)

    def push(*tangents: object) -> Any:
        directions, _ = flatten(tangents)
        if tree_structure(tangents) != tree_structure(primals):
            raise RuntimeError(
                f"Expected the tangents {tree_structure(tangents)} to have the same argspec as the primals "
                f"{tree_structure(primals)}"
            )
        for i, (t, x) in enumerate(zip(directions, leaves, strict=True)):
            for what in ("shape", "device", "dtype"):
                if getattr(t, what) != getattr(x, what):
                    raise RuntimeError(
                        f"tangent:{i} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} "
                        f"{getattr(x, what)} of the corresponding primal."
                    )
        with enable_grad():
            seeds = [T["zeros_like"](each).requires_grad_() for each in outs]
            rows, _ = flatten(pull(rebuild_out(list(seeds)), create_graph=True))
        pairs = [(g, t) for g, t in zip(rows, directions, strict=True) if g._requires_grad]
        found: Sequence[Tensor | None] = [None] * len(seeds)
        if pairs:
            found = _backward([g for g, _ in pairs], seeds, [t for _, t in pairs], allow_unused=True)
        return rebuild_out(_zeros_for(found, outs))

    return output, push


__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]


def functionalize(func: Callable[..., object], *, remove: str = "mutations") -> Callable[..., object]:
    """Return the function itself: its results are the same without in-place writes."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )
    return func


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor inside the wrappers of the transforms, to inspect its numbers."""
    return unwrapped(tensor, recurse) if wrappers(tensor) else tensor
