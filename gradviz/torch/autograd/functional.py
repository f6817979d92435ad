"""`torch.autograd.functional`: jacobian, hessian and products with vectors, by repeated backward passes, even if
`strategy` asks for forward mode: that changes how PyTorch computes, not what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.kernel.modes import enable_grad, set_grad_enabled
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as F
from gradviz.engine.run.autograd import grad

# --- checks ---


Found = Sequence[Tensor | None]

VECTOR_OF_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
VECTOR_OF_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)
STRATEGY_HINT = (
    ' Hint: If your function has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
    'prefer to use "reverse-mode".'
)
_TOGETHER = "torch.autograd.functional.jacobian: `{}` and `{}` are not supported together{}. Please either set `{}` or "
STRICT_VECTORIZED = _TOGETHER.format("strict=True", "vectorized=True", "", "strict=False") + "`vectorize=False`."
_STRICT = " This is not allowed in strict mode"
_UNTRACKED = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function."
    + _STRICT
    + ".",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input."
    + _STRICT
    + ". You should ensure that your function is twice differentiable and that the jacobian depends on the inputs "
    "(this would be violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input."
    + _STRICT
    + ". You should ensure that your function is thrice differentiable and that the hessian depends on the inputs.",
}
_MISSING = {
    "back": "The output of the user-provided function is independent of input {}." + _STRICT + ".",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients." + _STRICT + ".",
    "double_back": "The jacobian of the user-provided function is independent of input {}." + _STRICT + ".",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian."
    + _STRICT
    + " as it prevents from using the double backward trick to replace forward mode AD.",
}


def as_tuple(value: Any, what: str, function: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether a tuple was given, and the tuple."""
    several = isinstance(value, tuple)
    given = value if several else (value,)
    for i, each in enumerate(given):
        if not isinstance(each, Tensor):
            which = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {which} has "
                f"type {type(each)}."
            )
    return several, given


def vector(vs: Sequence[Tensor], like: Sequence[Tensor], several: bool) -> None:
    """Check that `v` has the shapes of what it multiplies."""
    if len(vs) != len(like):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (v, x) in enumerate(zip(vs, like, strict=True)):
        if v.size() != x.size():
            which = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{which}v has invalid size: should be {x.size()} but got {v.size()}.")


def tracked(values: Found, kind: str, strict: bool) -> None:
    """With `strict`, refuse a value that does not depend differentiably on the inputs."""
    for i, each in enumerate(values if strict else ()):
        if each is None:
            raise RuntimeError(_MISSING["back"].format(i))
        if not each.requires_grad:
            raise RuntimeError(_UNTRACKED[kind].format(i))


def connected(found: Found, create_graph: bool, stage: str) -> None:
    """Refuse a gradient that is missing, or that can't be differentiated again if that was requested."""
    for i, each in enumerate(found):
        if each is None:
            raise RuntimeError(_MISSING[stage].format(i))
        if create_graph and not each.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}.{_STRICT} when "
                "create_graph=True."
            )


def row_connected(found: Found, create_graph: bool, output: int) -> None:
    """Like `connected`, for one row of a Jacobian."""
    for i, each in enumerate(found):
        if each is None:
            raise RuntimeError(f"Output {output} of the user-provided function is independent of input {i}.{_STRICT}.")
    connected(found, create_graph, "back")


def single_output(found: object, function: str, strict: bool) -> Tensor:
    """The one element that a function returned."""
    several, outs = as_tuple(found, "outputs of the user-provided function", function)
    tracked(outs, "outputs", strict)
    if several:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return outs[0]


def is_forward(strategy: str, hint: str = "") -> bool:
    """Whether the strategy is forward mode; an unknown strategy is refused."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode".{hint}')
    return strategy == "forward-mode"


def forward_options(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Refuse what PyTorch does not offer in forward mode."""
    mode = 'strategy="forward-mode"'
    for option, given, error in (
        ("create_graph", create_graph, NotImplementedError),
        ("strict", strict, RuntimeError),
    ):
        if given:
            together = _TOGETHER.format(f"{option}=True", mode, " (yet)", f"{option}=False")
            raise error(together + '`strategy="reverse-mode"`.')
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Tensor, ...]
_OUTPUTS = "outputs of the user-provided function"


def _own(inputs: Tensors, create_graph: bool, track: bool = True) -> Tensors:
    """Other tensors with the same values, so that a use of captured inputs is not counted."""
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(track) for x in inputs)


def _gradients(
    ys: Found,
    xs: Tensors,
    seeds: Found | None = None,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    batched: bool = False,
) -> Found:
    """Like `grad`, for those of `ys` that have a gradient."""
    given = (None,) * len(ys) if seeds is None else seeds
    pairs = [(y, u) for y, u in zip(ys, given, strict=True) if y is not None and y.requires_grad]
    if not pairs:
        return (None,) * len(xs)
    found: Found = grad(
        [y for y, _ in pairs],
        xs,
        [u for _, u in pairs],
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=retain_graph,
        is_grads_batched=batched,
    )
    return found


def _filled(found: Found, like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Zeros in place of missing gradients, which `strict` refuses."""
    if strict:
        connected(found, create_graph, stage)
    return tuple(F["zeros_like"](x) if g is None else g for g, x in zip(found, like, strict=True))


def _shown(values: Sequence[Tensor], several: bool, create_graph: bool) -> Any:
    kept = tuple(values) if create_graph else tuple(each.detach() for each in values)
    return kept if several else kept[0]


def _construct_standard_basis_for(tensors: Tensors, tensor_numels: tuple[int, ...]) -> Tensors:
    """The identity matrix, split into the columns that belong to each tensor."""
    total, start = sum(tensor_numels), 0
    chunks = []
    for tensor, count in zip(tensors, tensor_numels, strict=True):
        chunk = tensor.new_zeros(total, count)
        chunk.diagonal(start).fill_(1)
        chunks.append(chunk)
        start -= count
    return tuple(chunks)


def jacobian(
    func: Callable[..., object],
    inputs: object,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """∂ outputs / ∂ inputs, of shape (output shape, input shape) for each pair."""
    forward = is_forward(strategy, STRATEGY_HINT)
    if forward:
        forward_options(create_graph, strict, vectorize)
    with enable_grad():
        several, given = as_tuple(inputs, "inputs", "jacobian")
        xs = _own(given, create_graph)
        several_out, ys = as_tuple(func(*xs), _OUTPUTS, "jacobian")
        tracked(ys, "outputs", strict)
        if strict and vectorize:
            raise RuntimeError(STRICT_VECTORIZED)
        if vectorize:
            blocks = _all_rows(ys, xs, create_graph)
        else:
            blocks = tuple(_rows(y, i, xs, create_graph, strict) for i, y in enumerate(ys))
    if forward:
        made = [[part.to(y.dtype) for part in block] for block, y in zip(blocks, ys, strict=True)]
        nested: Any = made if several else tuple(block[0] for block in made)
    else:
        nested = blocks if several else tuple(block[0] for block in blocks)
    return nested if several_out else nested[0]


def _rows(y: Tensor, number: int, xs: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobian of one output: a backward pass for each of its elements."""
    rows: list[list[Tensor]] = [[] for _ in xs]
    for i in range(y.numel()):
        found = _gradients((y.reshape(-1)[i],), xs, create_graph=create_graph, retain_graph=True)
        if strict:
            row_connected(found, create_graph, number)
        for row, x, g in zip(rows, xs, found, strict=True):
            row.append(F["zeros_like"](x) if g is None else g)
    made = [
        F["stack"](row).view((*y.shape, *x.shape)) if row else x.new_zeros((*y.shape, *x.shape))
        for row, x in zip(rows, xs, strict=True)
    ]
    kept: Tensors = _shown(made, True, create_graph)
    return kept


def _all_rows(ys: Tensors, xs: Tensors, create_graph: bool) -> tuple[Tensors, ...]:
    """The Jacobians of all outputs by one batch of backward passes, each of which starts at every output."""
    counts = tuple(y.numel() for y in ys)
    seeds = _construct_standard_basis_for(ys, counts)
    found = _gradients(tuple(y.reshape(-1) for y in ys), xs, seeds, create_graph, batched=True)
    whole = [x.new_zeros((sum(counts), *x.shape)) if g is None else g for g, x in zip(found, xs, strict=True)]
    parts = [
        [part.view((*y.shape, *x.shape)) for part, y in zip(rows.split(counts), ys, strict=True)]
        for rows, x in zip(whole, xs, strict=True)
    ]
    return tuple(_shown(block, True, create_graph) for block in zip(*parts, strict=True))


def hessian(
    func: Callable[..., object],
    inputs: object,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function with one output."""
    several, given = as_tuple(inputs, "inputs", "hessian")
    is_forward(outer_jacobian_strategy)

    def single(*xs: Tensor) -> Tensor:
        out = single_output(func(*xs), "hessian", strict)
        return out.squeeze()

    def gradient(*xs: Tensor) -> Any:
        found = jacobian(single, xs, create_graph=True)
        tracked(found, "jacobian", strict)
        return found

    if strict and vectorize:
        raise RuntimeError(STRICT_VECTORIZED)
    found = jacobian(gradient, given, create_graph=create_graph, vectorize=vectorize, strategy=outer_jacobian_strategy)
    return found if several else found[0][0]


def vjp(
    func: Callable[..., object], inputs: object, v: object = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """The outputs, and vᵀ·Jacobian."""
    with enable_grad():
        several, given = as_tuple(inputs, "inputs", "vjp")
        xs = _own(given, create_graph)
        several_out, ys = as_tuple(func(*xs), _OUTPUTS, "vjp")
        tracked(ys, "outputs", strict)
        seeds = _vector(v, ys, several_out, create_graph, "vjp", VECTOR_OF_OUTPUT)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(ys, xs, seeds, create_graph)
        kept = _filled(found, xs, strict, create_graph, "back")
    return _shown(ys, several_out, create_graph), _shown(kept, several, create_graph)


def _vector(v: object, like: Tensors, several: bool, create_graph: bool, name: str, unless: str) -> Tensors | None:
    """The vector to multiply with, in the shapes of what it multiplies; None for the number 1."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(unless)
        return None
    seeds = _own(as_tuple(v, "v", name)[1], create_graph, track=False)
    vector(seeds, like, several)
    return seeds


def jvp(
    func: Callable[..., object], inputs: object, v: object = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """The outputs, and Jacobian·v, by the double-backward trick."""
    with enable_grad():
        several, given = as_tuple(inputs, "inputs", "jvp")
        xs = _own(given, create_graph)
        vs = _vector(v, xs, several, create_graph, "jvp", VECTOR_OF_INPUT)
        several_out, ys = as_tuple(func(*xs), _OUTPUTS, "jvp")
        tracked(ys, "outputs", strict)
        seeds = tuple(F["zeros_like"](y, requires_grad=True) for y in ys)
        first = _gradients(ys, xs, seeds, create_graph=True)
        tracked(first, "grad_inputs", strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(first, seeds, vs, create_graph)
        kept = _filled(found, ys, strict, create_graph, "back_trick")
    return _shown(ys, several_out, create_graph), _shown(kept, several_out, create_graph)


def vhp(
    func: Callable[..., object], inputs: object, v: object = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """The output, and vᵀ·Hessian."""
    with enable_grad():
        several, xs, vs, y, first = _first_order(func, inputs, v, create_graph, strict, "vhp")
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(first, xs, vs, create_graph)
        kept = _filled(found, xs, strict, create_graph, "double_back")
    return _shown((y,), False, create_graph), _shown(kept, several, create_graph)


def hvp(
    func: Callable[..., object], inputs: object, v: object = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """The output, and Hessian·v, by the double-backward trick."""
    with enable_grad():
        several, xs, vs, y, first = _first_order(func, inputs, v, create_graph, strict, "hvp")
        seeds = tuple(F["zeros_like"](x, requires_grad=True) for x in xs)
        second = _gradients(first, xs, seeds, create_graph=True)
        tracked(first, "hessian", strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(second, seeds, vs, create_graph)
        kept = _filled(found, xs, strict, create_graph, "double_back_trick")
    return _shown((y,), False, create_graph), _shown(kept, several, create_graph)


def _first_order(
    func: Callable[..., object], inputs: object, v: object, create_graph: bool, strict: bool, name: str
) -> tuple[bool, Tensors, Tensors | None, Tensor, Found]:
    """(whether the inputs are a tuple, the inputs, the vector, the output, the gradient) for `vhp` and `hvp`."""
    several, given = as_tuple(inputs, "inputs", name)
    xs = _own(given, create_graph)
    vs = _vector(v, xs, several, create_graph, name, VECTOR_OF_INPUT)
    y = single_output(func(*xs), name, strict)
    first = _gradients((y,), xs, create_graph=True)
    tracked(first, "jacobian", strict)
    return several, xs, vs, y, first
