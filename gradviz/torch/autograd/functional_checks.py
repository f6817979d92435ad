"""What `torch.autograd.functional` refuses, in PyTorch's words: arguments that are no tensors, vectors of another
shape, and with `strict` whatever does not depend on the inputs. The mathematics is in `functional.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.engine.tensor import Tensor

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
    """`v` must have the shapes of what it multiplies."""
    if len(vs) != len(like):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (v, x) in enumerate(zip(vs, like, strict=True)):
        if v.size() != x.size():
            which = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{which}v has invalid size: should be {x.size()} but got {v.size()}.")


def tracked(values: Found, kind: str, strict: bool) -> None:
    """With `strict`, refuse a value that does not depend on the inputs in a differentiable manner."""
    for i, each in enumerate(values if strict else ()):
        if each is None:
            raise RuntimeError(_MISSING["back"].format(i))
        if not each.requires_grad:
            raise RuntimeError(_UNTRACKED[kind].format(i))


def connected(found: Found, create_graph: bool, stage: str) -> None:
    """Refuse a gradient that is missing, or that can't be differentiated again where that was asked for."""
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
    """As `connected`, for one row of a Jacobian."""
    for i, each in enumerate(found):
        if each is None:
            raise RuntimeError(f"Output {output} of the user-provided function is independent of input {i}.{_STRICT}.")
    connected(found, create_graph, "back")


def single_output(found: Any, function: str, strict: bool) -> Tensor:
    """The one element that a function returned."""
    several, outs = as_tuple(found, "outputs of the user-provided function", function)
    tracked(outs, "outputs", strict)
    if several:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return outs[0]


def is_forward(strategy: str, hint: str = "") -> bool:
    """Whether the strategy is forward mode; another word than the two is refused."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode".{hint}')
    return strategy == "forward-mode"


def forward_options(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """What PyTorch does not offer in forward mode."""
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
