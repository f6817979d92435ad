"""`torch.autograd.functional`: jacobian, hessian and products with vectors, by repeated backward passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.api import FUNCTIONS as F
from gradviz.engine.call import grad
from gradviz.engine.modes import enable_grad
from gradviz.engine.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _inputs(inputs: Any, create_graph: bool, function: str) -> tuple[tuple[Tensor, ...], bool]:
    several = isinstance(inputs, tuple)
    given = inputs if several else (inputs,)
    _check_tensors(given, several, "inputs", f"inputs given to {function}")
    return tuple(
        (x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()) for x in given
    ), several


def _outputs(found: Any, function: str) -> tuple[tuple[Tensor, ...], bool]:
    outs, several = (found, True) if isinstance(found, tuple) else ((found,), False)
    _check_tensors(outs, several, "outputs", f"outputs of the user-provided function given to {function}")
    return outs, several


def _check_tensors(values: tuple[Any, ...], several: bool, name: str, what: str) -> None:
    """Refuse anything but tensors."""
    for i, each in enumerate(values):
        if isinstance(each, Tensor):
            continue
        if several:
            raise TypeError(
                f"The {what} must be either a Tensor or a tuple of Tensors but the value at index {i} has type "
                f"{type(each)}."
            )
        raise TypeError(
            f"The {what} must be either a Tensor or a tuple of Tensors but the given {name} has type {type(each)}."
        )


def _check_vector(vs: tuple[Any, ...], like: tuple[Tensor, ...], several: bool) -> None:
    """`v` must have the shapes of what it multiplies."""
    if len(vs) != len(like):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (v, x) in enumerate(zip(vs, like, strict=True)):
        if v.size() != x.size():
            which = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{which}v has invalid size: should be {x.size()} but got {v.size()}.")


def _check_tracked(ys: tuple[Tensor, ...], strict: bool) -> None:
    """With `strict`, refuse an output that does not depend on the inputs in a differentiable manner."""
    for i, y in enumerate(ys):
        if strict and not y.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode."
            )


def _detached(value: Any, keep: bool) -> Any:
    return value if keep else value.detach()


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """∂ outputs / ∂ inputs, of shape (output shape, input shape) for each pair."""
    with enable_grad():
        xs, several = _inputs(inputs, create_graph, "jacobian")
        ys, several_out = _outputs(func(*xs), "jacobian")
        _check_tracked(ys, strict)
        blocks = tuple(_jacobian_rows(y, xs, create_graph) for y in ys)
    shaped = blocks if several else tuple(row[0] for row in blocks)
    return shaped if several_out else shaped[0]


def _jacobian_rows(y: Tensor, xs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    rows: list[list[Tensor]] = [[] for _ in xs]
    elements: Any = y.reshape(-1) if y.ndim else [y]
    for element in elements:
        found: Any = (None,) * len(xs)
        if element.requires_grad:
            found = grad(element, xs, retain_graph=True, create_graph=create_graph, allow_unused=True)
        for row, x, g in zip(rows, xs, found, strict=True):
            row.append(F["zeros_like"](x) if g is None else g)
    return tuple(
        _detached(F["stack"](row).reshape(*y.shape, *x.shape), create_graph) for row, x in zip(rows, xs, strict=True)
    )


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function with one output."""

    def gradient(*xs: Tensor) -> Any:
        y = func(*xs)
        if y.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        found = grad(y.reshape(()), xs, create_graph=True, allow_unused=True)
        kept = tuple(F["zeros_like"](x) if g is None else g for g, x in zip(found, xs, strict=True))
        return kept if isinstance(inputs, tuple) else kept[0]

    return jacobian(gradient, inputs, create_graph=create_graph)


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs, and vᵀ·Jacobian."""
    with enable_grad():
        xs, several = _inputs(inputs, create_graph, "vjp")
        ys, several_out = _outputs(func(*xs), "vjp")
        if v is None and (len(ys) > 1 or ys[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a "
                "single element."
            )
        seeds = None if v is None else (v if isinstance(v, tuple) else (v,))
        if seeds is not None:
            _check_vector(seeds, ys, several_out)
        found = grad(ys, xs, seeds, create_graph=create_graph, allow_unused=True)
    kept = tuple(
        _detached(F["zeros_like"](x) if g is None else g, create_graph) for g, x in zip(found, xs, strict=True)
    )
    outs = tuple(_detached(y, create_graph) for y in ys)
    return (outs if several_out else outs[0]), (kept if several else kept[0])


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs, and Jacobian·v, by the double-backward trick."""
    with enable_grad():
        xs, several = _inputs(inputs, create_graph, "jvp")
        ys, several_out = _outputs(func(*xs), "jvp")
        if v is None and (len(xs) > 1 or xs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                "single element."
            )
        vs = tuple(F["ones_like"](x) for x in xs) if v is None else (v if isinstance(v, tuple) else (v,))
        _check_vector(vs, xs, several)
        seeds = tuple(F["zeros_like"](y, requires_grad=True) for y in ys)
        rows = grad(ys, xs, seeds, create_graph=True, allow_unused=True)
        pairs = [(g, u) for g, u in zip(rows, vs, strict=True) if g is not None and g.requires_grad]
        found: Any = (None,) * len(ys)
        if pairs:
            found = grad(
                [g for g, _ in pairs], seeds, [u for _, u in pairs], create_graph=create_graph, allow_unused=True
            )
    kept = tuple(
        _detached(F["zeros_like"](y) if g is None else g, create_graph) for g, y in zip(found, ys, strict=True)
    )
    outs = tuple(_detached(y, create_graph) for y in ys)
    return (outs if several_out else outs[0]), (kept if several_out else kept[0])


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output, and vᵀ·Hessian."""
    with enable_grad():
        xs, several = _inputs(inputs, create_graph, "vhp")
        y = func(*xs)
        first = grad(y, xs, create_graph=True, allow_unused=True)
        vs = tuple(F["ones_like"](x) for x in xs) if v is None else (v if isinstance(v, tuple) else (v,))
        _check_vector(vs, xs, several)
        pairs = [(g, u) for g, u in zip(first, vs, strict=True) if g is not None and g.requires_grad]
        found: Any = (None,) * len(xs)
        if pairs:
            found = grad([g for g, _ in pairs], xs, [u for _, u in pairs], create_graph=create_graph, allow_unused=True)
    kept = tuple(
        _detached(F["zeros_like"](x) if g is None else g, create_graph) for g, x in zip(found, xs, strict=True)
    )
    return _detached(y, create_graph), (kept if several else kept[0])


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output, and Hessian·v: the same, as the Hessian is symmetric."""
    return vhp(func, inputs, v, create_graph, strict)
