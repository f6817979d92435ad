"""PyTorch's words for what goes wrong with saved buffers and nodes that run. Where they are said: `saved.py` and
`backward.py`."""

from __future__ import annotations

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)
HOOKS_AFTER_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)
PACK_WROTE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)
ONCE_ONLY = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. "
    "Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
WRITTEN_TWICE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
SET_ON_INFERENCE = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
LEAF_OF_GRAD = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
    "currently not supported."
)
_HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_HINT_ANOMALY = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. "
    "The variable in question was changed in there or anywhere later. Good luck!"
)


def overwritten(what: str, now: int, expected: int, anomaly: bool) -> str:
    """A saved buffer (`what` names its type, shape and source) was written to since."""
    return (
        f"one of the variables needed for gradient computation has been modified by an inplace operation: {what} is at "
        f"version {now}; expected version {expected} instead. {_HINT_ANOMALY if anomaly else _HINT}"
    )


_VIEWS = {
    "multiple": (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "custom": (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}
_MIXED = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)


def view_written(made_by: str, origin: str, what: str) -> str:
    """A view, or the memory that it looks at, is written to, and how it was made forbids that."""
    block = {"no_grad": "no_grad", "inference": "inference_mode"}.get(origin)
    if made_by and block is None:
        start = f"{made_by} is a view and {what} modified inplace."
    else:
        mode, end = ("inference", "in normal mode") if origin == "inference" else ("no_grad", "with grad mode enabled")
        first = f"{made_by} is a view of a view which was created in" if made_by else "A view was created in"
        start = f"{first} {mode} mode and {what} modified inplace {end}."
    return f"{start} {_VIEWS[origin] if block is None else _MIXED.format(block)}"
