"""`backward()` and `grad()` as users call them: checks of the arguments, seeds, PyTorch's errors; `backward.py` does
the work."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.graph import Edge, GradientEdge, Meta, edge_of
from gradviz.engine.kernel.messages import NO_DIMENSION
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Size, Tensor, wrap
from gradviz.engine.run.backward import GraphTask, target_edge
from gradviz.engine.run.overrides import ask, deciding

_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause "
    "a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this "
    "function, make "
    "sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
    " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/engine.cpp:1319.)"
)


def backward(
    tensors: object,
    grad_tensors: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: object = None,
    inputs: object = None,
) -> None:
    """Accumulate gradients of `tensors` into leaves, as torch.autograd.backward does."""
    layers.refuse_backward()
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    wanted = None if inputs is None else _wanted(inputs, "backward")
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _sequence(tensors)
    given = [None] * len(roots) if grad_tensors is None else _sequence(grad_tensors)
    if isinstance(tensors, Tensor) and isinstance(grad_tensors, list | tuple):
        for each in given:
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(f"gradients can be either Tensors or None, but got {type(each).__name__}")
    seeds = _seeds(roots, given)
    given = given[: len(roots)]
    keep = create_graph if retain_graph is None else retain_graph
    _execute(roots, seeds, given, keep, create_graph, wanted, accumulate=True)


def grad(
    outputs: object,
    inputs: object,
    grad_outputs: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, without touching `.grad`; as torch.autograd.grad does."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots, wanted = _sequence(outputs), _wanted(inputs, "grad")
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if state.overriding and (asked := deciding((*roots, *wanted))):
        given = dict(grad_outputs=grad_outputs, retain_graph=retain_graph, create_graph=create_graph)
        given |= dict(only_inputs=only_inputs, allow_unused=allow_unused, is_grads_batched=is_grads_batched)
        given["materialize_grads"] = materialize_grads
        return ask(grad, "torch.autograd.grad", asked, map(type, asked), (outputs, inputs), given)
    options = (retain_graph, create_graph, allow_unused, materialize_grads)
    if is_grads_batched:
        batches = [None] * len(roots) if grad_outputs is None else _sequence(grad_outputs)
        found = _batched(roots, wanted, batches, *options)
    else:
        found = _gradients(roots, wanted, grad_outputs, *options)
    return dict(zip(inputs, found, strict=True)) if type(inputs) is dict else found


def _gradients(
    roots: list[object],
    wanted: list[Any],
    grad_outputs: object,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool,
    materialize_grads: bool,
) -> tuple[Tensor | None, ...]:
    given = [None] * len(roots) if grad_outputs is None else _sequence(grad_outputs)
    seeds = _seeds(roots, given)
    given = given[: len(roots)]
    keep = create_graph if retain_graph is None else retain_graph
    captured = _execute(roots, seeds, given, keep, create_graph, wanted, accumulate=False)
    for i, found in enumerate(captured):
        if found is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
    if materialize_grads:
        if any(g is None and not isinstance(t, Tensor) for g, t in zip(captured, wanted, strict=True)):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        return tuple(_zeros(t, create_graph) if g is None else g for g, t in zip(captured, wanted, strict=True))
    return tuple(captured)


def _zeros(like: Tensor, requires_grad: bool) -> Tensor:
    found = wrap(np.zeros_like(like._data))
    found._requires_grad = requires_grad
    return found


def _batched(
    roots: list[Any],
    wanted: list[object],
    given: list[Any],
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool,
    materialize_grads: bool,
) -> tuple[Tensor | None, ...]:
    """`is_grads_batched`: the first dimension of each gradient enumerates independent passes, which run as one."""
    for i, (root, each) in enumerate(zip(roots, given, strict=False)):
        shape, _ = root.node.metas[root.output_nr] if isinstance(root, GradientEdge) else _meta(root)
        if each is not None and each._data.shape[1:] != shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {Size(each._data.shape[2:])} "
                f"and output[{i}] has a shape of {Size(shape)}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )
    # for a missing gradient PyTorch makes a single one, not one for each pass
    for root, seed in [(root, _seed(root, None, 0)) for root, each in zip(roots, given, strict=False) if each is None]:
        _refuse_to_map(root, seed)
    if not given[0].ndim:
        raise IndexError(NO_DIMENSION)
    size = given[0].shape[0]
    with layers.layer("vmap", size, "legacy") as layer:
        seeds = [None if g is None else layers.transforms.add(g, layer.number, 0) for g in given]
        found = _gradients(roots, wanted, seeds, retain_graph, create_graph, allow_unused, materialize_grads)
        return tuple(None if g is None else layers.transforms.remove(g, layer.number, 0, size) for g in found)


def _refuse_to_map(root: Tensor | GradientEdge, seed: Tensor) -> None:
    head = "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for "
    if isinstance(root, Tensor) and not root._requires_grad:
        raise ValueError(
            f"{head}an input but the input is of type <class 'NoneType'>. We cannot vmap over non-Tensor arguments, "
            "please use None as the respective in_dim"
        )
    if not seed.ndim:
        raise ValueError(
            f"{head}some input, but that input is a Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= "
            "in_dim < 0."
        )
    raise RuntimeError(
        f"invalid gradient at index 0 - got [] but expected shape compatible with {list(seed._data.shape)}"
    )


def _execute(
    roots: list[Any],
    seeds: list[Tensor],
    given: Sequence[Tensor | None],
    retain_graph: bool,
    create_graph: bool,
    wanted: list[Any] | None,
    accumulate: bool,
) -> list[Tensor | None]:
    retain_graph, create_graph = bool(operator.index(retain_graph)), bool(operator.index(create_graph))
    edges: list[tuple[Edge, Tensor]] = []
    for i, (root, seed) in enumerate(zip(roots, seeds, strict=True)):
        edge: Edge | None = tuple(root[:2]) if isinstance(root, GradientEdge) else edge_of(root)  # type: ignore[assignment]
        if edge is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        edges.append((edge, seed))
    if not accumulate and any(isinstance(each, Tensor) and not each._requires_grad for each in wanted or ()):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    if accumulate:
        for each in wanted or ():
            if isinstance(each, Tensor):
                each.retain_grad()
        if create_graph and (state.warn_always or "cycle" not in state.warned):
            state.warned.add("cycle")
            warnings.warn(_CYCLE, UserWarning, stacklevel=4)
    observer = state.observer
    targets = None if wanted is None else [target_edge(each) for each in wanted]
    if observer is not None:
        tensors = None if wanted is None else [each for each in wanted if isinstance(each, Tensor)]
        observer.backward_begin([_shown(root) for root in roots], given, retain_graph, create_graph, tensors)
    try:
        task = GraphTask(
            edges, retain_graph=retain_graph, create_graph=create_graph, targets=targets, accumulate=accumulate
        )
        task.run()
    finally:
        if observer is not None:
            observer.backward_end()
    return task.captured


def _wanted(inputs: object, function: str) -> list[Any]:
    """The tensors (or edges) whose gradients are wanted."""
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{function}()` must be a dict, not {type(inputs).__name__}. Other Mapping types "
                "are not supported."
            )
        inputs = list(inputs.values())
    wanted = _sequence(inputs)
    for each in wanted:
        if not isinstance(each, Tensor | GradientEdge):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(each).__name__}")
    return wanted


def _sequence(value: object) -> list[Any]:
    """One or several tensors; anything else is refused in Python's words."""
    return [value] if isinstance(value, Tensor | GradientEdge) else list(cast(Iterable[Any], value))


def _seeds(roots: list[Any], given: Sequence[Tensor | None]) -> list[Tensor]:
    seeds = [_seed(root, grad, i) for i, (root, grad) in enumerate(zip(roots, given, strict=False))]
    if len(seeds) != len(roots):  # PyTorch ignores surplus gradients
        raise RuntimeError(f"got {len(roots)} tensors and {len(seeds)} gradients")
    return seeds


def _seed(root: Tensor | GradientEdge, grad: Tensor | None, index: int) -> Tensor:
    if not isinstance(root, Tensor | GradientEdge):
        raise AssertionError("Expected output to be a torch.Tensor")
    shape, numpy_type = root.node.metas[root.output_nr] if isinstance(root, GradientEdge) else _meta(root)
    dtype = dtypes.OF_NUMPY[numpy_type]
    if grad is None:
        if isinstance(root, Tensor) and not root._requires_grad:
            return wrap(np.ones_like(root._data))  # refused later, when the edge is looked up
        if math.prod(shape) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not dtype.is_floating_point:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {dtype}")
        seed = wrap(np.ones(shape, numpy_type))
        seed._on_meta, seed._inference = isinstance(root, Tensor) and root._on_meta, state.inference
        return seed
    if not isinstance(grad, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if grad._data.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {grad.shape} and output[{index}] has a shape of "
            f"{Size(shape)}."
        )
    if dtype.is_complex != grad.dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{index}] has a dtype of {grad.dtype} and output[{index}] has a dtype of {dtype}."
        )
    return grad if grad._data.dtype == numpy_type else grad.to(dtype)


def _meta(root: Tensor) -> Meta:
    return root._data.shape, root._data.dtype


def _shown(root: Tensor | GradientEdge) -> Tensor:
    """A tensor to report for a root: an edge outlives its value."""
    if isinstance(root, Tensor):
        return root
    shape, dtype = root.node.metas[root.output_nr]
    found = wrap(np.full(shape, np.nan, dtype))
    found._node, found._output_nr, found._requires_grad = root.node, root.output_nr, True
    return found
