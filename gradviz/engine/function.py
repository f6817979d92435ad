"""Custom functions: `torch.autograd.Function` with `forward`, `setup_context` and `backward`. The node that one
makes is the user's own code, run by the loop like any other."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.graph import ErrorNode, Node, edge_of, next_sequence
from gradviz.engine.observe import paused
from gradviz.engine.rows import OpRow
from gradviz.engine.saved import save
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, wrap
from gradviz.engine.words import SECOND_BACKWARD


class FunctionCtx(Node):
    """The `ctx` of a custom function: its node, with room for what the user keeps."""

    user: type[Function]
    to_save: tuple[Tensor | None, ...] = ()
    dirty: tuple[Tensor, ...] = ()
    non_differentiable: tuple[Tensor, ...] = ()
    materialize_grads = True
    needs_input_grad: tuple[bool, ...] = ()
    outputs: int = 1
    is_tensor: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward; call it once."""
        for each in tensors:
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {tensors.index(each)} is of type "
                    f"{type(each).__name__}"
                )
        self.to_save = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs were changed in place."""
        self.dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients arrive as zeros (the default) or as None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept."""
        if self.freed:
            raise RuntimeError(SECOND_BACKWARD)
        return tuple(None if one is None else one.value(self) for one in self.saved or ())

    saved_variables = saved_tensors

    def _keep(self, outputs: Sequence[Any]) -> None:
        if self.to_save:
            at = {id(each): i for i, each in enumerate(outputs) if isinstance(each, Tensor)}
            self.saved = [None if t is None else save(t, at.get(id(t), 0), id(t) in at) for t in self.to_save]
            self.to_save = ()

    def saved_items(self) -> Any:
        for i, one in enumerate(self.saved or ()):
            if one is not None:
                yield f"saved[{i}]", one.data, one.version, one

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if self.materialize_grads:
            grads = [wrap(np.zeros(*meta)) if g is None else g for g, meta in zip(grads, self.metas, strict=True)]
        elif all(g is None for g in grads):
            return [None] * len(self.next)
        found = self.user.backward(self, *grads)
        returned = list(found) if isinstance(found, (tuple, list)) else [found]
        return self._matched(returned)

    def _matched(self, returned: list[Any]) -> list[Tensor | None]:
        name = self.class_name
        expected = len(self.is_tensor)
        if len(returned) > expected and all(each is None for each in returned[expected:]):
            returned = returned[:expected]
        if len(returned) != expected:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {expected}, got {len(returned)})"
            )
        kept: list[Tensor | None] = []
        for i, (each, is_tensor) in enumerate(zip(returned, self.is_tensor, strict=True)):
            if not is_tensor:
                if each is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different from None at position {i + 1}, but the "
                        f"corresponding "
                        "forward input was not a Variable"
                    )
                continue
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(f"expected Variable or None (got {type(each).__name__})")
            kept.append(each)
        return kept


class Function:
    """Base of custom functions: override `forward` and `backward` as static methods, call `apply`."""

    row: OpRow
    _backward_cls: type[FunctionCtx]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name = cls.__name__
        cls.row = OpRow(
            name=name,
            inputs=("*inputs",),
            forward=lambda: None,
            gradients={},
            node_name=f"{name}Backward",
            category="custom",
            symbol=name,
            brief="A function of the snippet's own.",
            joint=lambda grads: grads,
        )
        cls._backward_cls = type(
            f"{name}Backward",
            (FunctionCtx,),
            {
                "row": cls.row,
                "class_name": f"{name}Backward",
                "user": cls,
                "__module__": "torch.autograd.function",
                "__repr__": lambda self: f"<torch.autograd.function.{name}Backward object at {id(self):#x}>",
            },
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The value; gets `ctx` first unless `setup_context` is overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what the backward needs, when `forward` does not take `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the inputs from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the function, tracked."""
        if "vjp" in cls.__dict__ and "backward" not in cls.__dict__:
            cls.backward = cls.__dict__["vjp"]  # type: ignore[method-assign]
        ctx = cls._backward_cls()
        ctx.is_tensor = tuple(isinstance(a, Tensor) for a in args)
        tensors = [a for a in args if isinstance(a, Tensor)]
        tracked = state.grad and any(t._requires_grad for t in tensors)
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a._requires_grad for a in args)
        separate = cls.setup_context is not Function.setup_context
        edges = tuple(edge_of(t) if t._requires_grad else None for t in tensors) if tracked else ()
        if tracked:
            ctx.sequence_nr = next_sequence()
            if state.anomaly:
                ctx.stack = traceback.format_stack()[:-1]
        grad, state.grad = state.grad, False
        try:
            with paused():
                output = cls.forward(*args, **kwargs) if separate else cls.forward(ctx, *args, **kwargs)
                if separate:
                    cls.setup_context(ctx, args, output)
        finally:
            state.grad = grad
        return _finish(cls, ctx, tensors, output, edges, tracked)


Function.__module__ = "torch.autograd.function"  # what a snippet sees when it prints a type


def _finish(
    cls: type[Function], ctx: FunctionCtx, tensors: list[Tensor], output: Any, edges: tuple[Any, ...], tracked: bool
) -> Any:
    """Give the outputs their history, keep the buffers, report."""
    several = isinstance(output, (tuple, list))
    outputs = [_own(each, tensors, ctx) for each in (output if several else [output])]
    shown = [each for each in outputs if isinstance(each, Tensor)]
    if tracked:
        ctx.next = edges
        ctx.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in outputs
        ]
        fixed = {id(each) for each in ctx.non_differentiable}
        for nr, each in enumerate(outputs):
            if isinstance(each, Tensor) and each.dtype.rank >= 2 and id(each) not in fixed:
                each._node, each._output_nr, each._requires_grad = ctx, nr, True
        ctx._keep(outputs)
    else:
        ctx.to_save = ()
    if state.observer is not None:
        state.observer.forward(cls.row, tensors, shown, ctx if tracked else None, {})
    return (
        type(output)(outputs)
        if several and type(output) in (tuple, list)
        else tuple(outputs)
        if several
        else outputs[0]
    )


def _own(value: Any, tensors: list[Tensor], ctx: FunctionCtx) -> Any:
    """An output that is an input (not marked dirty) becomes another tensor over the same memory."""
    if not isinstance(value, Tensor):
        return value
    if any(value is each for each in ctx.dirty):
        if value._requires_grad and value.grad_fn is None and state.grad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        value._share_version().value += 1
        return value
    if any(value is each for each in tensors):
        made = wrap(value._data)
        made._version_counter = value._share_version()
        ctx.to_save = tuple(made if each is value else each for each in ctx.to_save)
        return made
    return value


def once_differentiable(fn: Any) -> Any:
    """Mark a backward whose result can't be differentiated again."""

    def wrapper(ctx: Any, *args: Any) -> Any:
        grad, state.grad = state.grad, False
        try:
            found = fn(ctx, *args)
        finally:
            state.grad = grad
        if not grad or not any(isinstance(a, Tensor) and a._requires_grad for a in args):
            return found
        message = "trying to differentiate twice a function that was marked with @once_differentiable"
        several = found if isinstance(found, tuple) else (found,)
        marked = tuple(_dead_end(each, message) for each in several)
        return marked if isinstance(found, tuple) else marked[0]

    return wrapper


def _dead_end(value: Any, message: str) -> Any:
    if not isinstance(value, Tensor):
        return value
    made = value.detach()
    made._node, made._requires_grad = ErrorNode(message), True
    made._node.metas = ((made._data.shape, made._data.dtype),)
    return made
