"""The gradient-related methods of a tensor: `requires_grad_`, `retain_grad`, hooks, `detach`, `backward`. They are kept
apart from what a tensor is (`tensor.py`)."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.graph import RemovableHandle, _register, accumulator, refresh, retains
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.api import method, prop
from gradviz.engine.run.autograd import backward as run_backward

_DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
    "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)


@method("requires_grad_")
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Change `requires_grad` in place; returns the tensor."""
    if requires_grad and state.layered:
        layers.refuse_requires_grad()
    if requires_grad and self.dtype.rank < 2:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if self._node is None or not requires_grad:  # it changes nothing for a tensor with a history
        self.requires_grad = requires_grad
    return self


def _grad_dtype(self: Tensor) -> Any:
    """The type that `.grad` must have; None if any will do."""
    if self.grad_fn is not None:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return self.dtype if self._grad_dtype is False else self._grad_dtype


def _set_grad_dtype(self: Tensor, value: object) -> None:
    if self.grad_fn is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if value is not None and not isinstance(value, dtypes.dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
    held = self._grad
    if value is not None and held is not None and held.dtype is not value:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{value.title}' because there is already a gradient with dtype "
            f"'{held.dtype.cpp}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the "
            "new grad_dtype matches the existing gradient's dtype."
        )
    self._grad_dtype = value
    if self._accumulator is not None:
        refresh(self._accumulator)


Tensor.grad_dtype = property(_grad_dtype, _set_grad_dtype)


@prop("retains_grad")
def retains_grad(self: Tensor) -> bool:
    """Whether a non-leaf keeps its gradient in `.grad`."""
    node = self._node
    return node is not None and retains(node, self)


@method("retain_grad")
def retain_grad(self: Tensor) -> None:
    """Keep the gradient of a non-leaf in `.grad`."""
    if not self._requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is None:
        return
    if node.retained is None:
        node.retained = {}
    node.retained[self._output_nr] = weakref.ref(self)
    if state.observer is not None:
        state.observer.metadata_changed(self)


@method("register_hook")
def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook(grad)` when the gradient with respect to this tensor is known; what it returns replaces the
    gradient."""
    if not self._requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = self.grad_fn
    if node is None:
        node = accumulator(self)
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    return _register(node.tensor_hooks.setdefault(self._output_nr, OrderedDict()), hook)


@method("register_post_accumulate_grad_hook")
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call `hook(tensor)` after a gradient was accumulated into `.grad`."""
    if not self._requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_accumulate is None:
        self._post_accumulate = OrderedDict()
    return _register(self._post_accumulate, hook)


@method("detach")
def detach(self: Tensor) -> Tensor:
    """The same memory without history."""
    found = wrap(self._data)
    found._inference = self._inference
    if self._lazy:
        found._lazy = self._lazy
    if self._on_meta:
        found._on_meta = True
    if self._coo is not None:
        found._coo = self._coo
    if not self._inference:
        found._version_counter = self._share_version()
    elif not state.inference:
        found._share_version()  # it counts its writes separately
    if state.layered:
        found._wraps = self._wraps
    if state.observer is not None:
        state.observer.detached(self, found)
    return found


@method("detach_")
def detach_(self: Tensor) -> Tensor:
    """Forget the history in place."""
    if state.inference:  # in inference mode nobody looks at histories
        return self
    if self._base is not None:
        raise RuntimeError(_DETACH_VIEW)
    if self._node is not None:
        self._data, self._detached = self._data[...], True  # another array over the memory: a saved buffer can tell
    self._node, self._output_nr, self._requires_grad = None, 0, False
    if self._tangents:
        self._tangents = None
    self._share_version().untracked(self)
    if state.observer is not None:
        state.observer.metadata_changed(self)
    return self


@method("backward")
def backward(
    self: Tensor,
    gradient: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: object = None,
) -> None:
    """Accumulate the gradient of this tensor into the leaves that it was made from.

    `gradient` has the tensor's shape (1 by default for a scalar); `retain_graph` defaults to `create_graph`; `inputs`
    limits which tensors receive gradients. See torch.Tensor.backward."""
    run_backward(self, gradient, retain_graph, create_graph, inputs=inputs)
