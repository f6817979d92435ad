"""Custom functions: `torch.autograd.Function` with `forward`, `setup_context` and `backward`. Its node is the user's
code, run by the loop like any other. The treatment of its outputs is here, too: their history, which of them can be
written to, and PyTorch's errors for inputs that the function wrote to; and nodes that compute nothing: one whose
backward is an error, for `once_differentiable`, and one that sends no gradient on."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.formula import rule
from gradviz.engine.kernel.graph import Node, edge_of, next_sequence
from gradviz.engine.kernel.messages import ONCE_ONLY, SECOND_BACKWARD
from gradviz.engine.kernel.modes import forward_stack
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.saved import SavedTensor, save
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor, View, only_tensor, wrap
from gradviz.engine.run.inplace import check_writable, rebase_history
from gradviz.engine.run.overrides import is_own

# --- the outputs ---


_PURE_VIEW = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
    "support more."
)
_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
_PLACE = " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/custom_function.cpp:320.)"
_DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)


def finish(
    cls: type[Function],
    ctx: FunctionCtx,
    tensors: list[Tensor],
    output: Any,
    edges: tuple[Any, ...],
    tracked: bool,
    versions: list[int],
) -> Tensor | tuple[Tensor, ...]:
    """Give the outputs their history, keep the buffers, report, also which of the `tensors` was written to that had
    these `versions` before."""
    several = isinstance(output, tuple)  # a list is one output, which is no tensor
    given = list(output) if several else [output]
    _check_said(ctx, tracked)
    _check_dirty(given, tensors, ctx, tracked)
    outputs = [_own(each, tensors, ctx, tracked) for each in given]
    shown = [each for each in outputs if isinstance(each, Tensor)]
    if tracked:
        ctx.next = edges
        ctx.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in outputs
        ]
        fixed = {id(each) for each in ctx._fixed}
        ctx._blank = frozenset(
            nr
            for nr, each in enumerate(outputs)
            if not isinstance(each, Tensor) or (id(each) in fixed and not ctx._materialize_non_diff_grads)
        )
        for nr, each in enumerate(outputs):
            if isinstance(each, Tensor) and each.dtype.rank >= 2 and id(each) not in fixed:
                _give_history(each, ctx, nr)
        ctx._keep(outputs)
    else:
        ctx._to_save = ()
    _mark_views(ctx, shown)
    if state.observer is not None:
        state.observer.forward(cls.row, tensors, shown, ctx if tracked else None, {})
        for each, version in zip(tensors, versions, strict=True):
            is_marked = any(each is one for one in shown)
            if _writes_to(each) != version and not is_marked:
                state.observer.metadata_changed(each)
    return tuple(outputs) if several else outputs[0]


def _writes_to(tensor: Tensor) -> int:
    """How often it was written to, which an inference tensor does not tell."""
    return 0 if tensor._version_counter is None else tensor._version_counter.value


def _own(value: Tensor, tensors: list[Tensor], ctx: FunctionCtx, tracked: bool) -> Tensor:
    """An output as the caller gets it: an output that is an input becomes a view of it, or shares its memory without
    history if nothing is recorded, unless it is marked dirty and can be the output itself."""
    if not isinstance(value, Tensor):
        return value
    detached = value._requires_grad and not tracked
    if any(value is each for each in ctx._dirty) and not detached:
        return value
    if any(value is each for each in tensors):
        made = wrap(value._data)
        counter = made._version_counter = value._share_version()
        if not detached:
            made._base, made._view = value if value._base is None else value._base, View(counter.value)
        ctx._to_save = tuple(made if each is value else each for each in ctx._to_save)
        if not is_own(type(value)):
            made.__class__ = type(value)
        return made
    return value


def _give_history(output: Tensor, ctx: FunctionCtx, nr: int) -> None:
    """Make the function the history of an output, or of the base if a view was written to."""
    if output._base is not None and any(output is each for each in ctx._dirty):
        rebase_history(output, ctx)
        return
    if not output._requires_grad and output._version_counter is not None:
        output._version_counter.now_tracked(output)
    if output._view is not None:
        output._view.version = output._version
    output._node, output._output_nr, output._requires_grad = ctx, nr, True


def _mark_views(ctx: FunctionCtx, outputs: list[Tensor]) -> None:
    """Forbid writing to a view, which would bypass the function's backward."""
    differentiable = sum(each._node is ctx for each in outputs)
    for each in outputs:
        view = each._view
        if view is None or any(each is one for one in ctx._dirty):
            continue
        view.origin = "multiple" if differentiable > 1 else "" if ctx._is_pure_view else "custom"
        view.lent = view.lent and each._node is None


def _check_said(ctx: FunctionCtx, tracked: bool) -> None:
    """Refuse anything but tensors among what was saved and marked."""
    for i, each in enumerate(ctx._to_save if tracked else ()):
        if each is not None and not isinstance(each, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type(each).__name__}"
            )
    if not all(isinstance(each, Tensor) for each in ctx._fixed):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    if not all(isinstance(each, Tensor) for each in ctx._dirty):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")


def _check_dirty(outputs: list[object], tensors: list[Tensor], ctx: FunctionCtx, tracked: bool) -> None:
    """Check the tensors given to `mark_dirty`; each of those inputs counts one write."""
    if ctx._is_pure_view and (len(tensors) != 1 or sum(isinstance(each, Tensor) for each in outputs) != 1):
        raise RuntimeError(_PURE_VIEW)
    if not all(any(each is output for output in outputs) for each in ctx._dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    for each in ctx._dirty:
        if tracked:
            _check_written(each, any(each is one for one in tensors), len(outputs))
        each._count_write()


def _check_written(tensor: Tensor, is_input: bool, outputs: int) -> None:
    """Refuse an input whose history can't be replaced by the function."""
    if not is_input and tensor._base is None:
        warnings.warn(_NO_INPUT + _PLACE, UserWarning, stacklevel=6)
    elif not is_input:
        raise RuntimeError(_NO_INPUT)
    elif tensor._base is not None and outputs > 1:
        raise RuntimeError(_DIRTY_VIEW)
    elif tensor._base is not None:
        check_writable(tensor, True)
    elif tensor._requires_grad and tensor._node is None:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")


# --- nodes that compute nothing ---


class ErrorNode(Node):
    """A node for a gradient that can't be differentiated again; running it raises."""

    class_name = "Error"

    def __init__(self, message: str = "") -> None:
        self.message = message

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(self.message)


class UndefinedNode(Node):
    """Sends no gradient on, whatever arrives."""

    class_name = "UndefinedGradBackward"

    def name(self) -> str:
        return "torch::autograd::UndefinedGradBackward"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        return [None] * len(self.next)


ErrorNode.__name__, UndefinedNode.__name__ = ErrorNode.class_name, UndefinedNode.class_name


def passed_through(node: Node, inputs: Sequence[object]) -> object:
    """The inputs as outputs of `node`, if one of them requires grad."""
    made = [wrap(each._data) if isinstance(each, Tensor) else each for each in inputs]
    if any(isinstance(each, Tensor) and each._requires_grad for each in inputs):
        node.sequence_nr = next_sequence()
        node.next = tuple(edge_of(each) if isinstance(each, Tensor) else None for each in inputs)
        node.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in inputs
        ]
        for nr, each in enumerate(made):
            if isinstance(each, Tensor):
                each._node, each._output_nr, each._requires_grad = node, nr, True
    return made[0] if len(made) == 1 else tuple(made)


def delayed_error(message: str, outputs: int) -> Callable[..., Any]:
    """A function that returns its inputs, with an error as their gradient."""
    return lambda *inputs: passed_through(ErrorNode(message), inputs)


def undefined_grad() -> Callable[..., object]:
    """A function that returns its inputs, without a gradient."""
    return lambda *inputs: passed_through(UndefinedNode(), inputs)


class FunctionCtx(Node):
    """The `ctx` of a custom function: its node, which also stores what the user keeps."""

    _user: type[Function]
    _to_save: tuple[Tensor | None, ...] = ()
    _dirty: tuple[Tensor, ...] = ()
    _fixed: tuple[Tensor, ...] = ()  # the outputs without a gradient
    _materialize = True
    needs_input_grad: tuple[bool, ...] = ()
    _is_tensor: tuple[bool, ...] = ()
    _blank: frozenset[int] = frozenset()  # the outputs whose gradient is never filled in with zeros
    _materialize_non_diff_grads = True
    _for_forward: tuple[Tensor | None, ...] = ()
    _is_pure_view = False  # the only output is a view of the only input, and nothing else happens
    _taken = False  # the saved tensors, if they are cleared on access
    _pushing = False  # while `jvp` runs

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward; call it once."""
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the `jvp`; call it once."""
        self._for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs were changed in place."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._fixed = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients arrive as zeros (the default) or as None."""
        if not isinstance(value, bool):
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)"
            )
        self._materialize = value

    # What was said in `forward`, under PyTorch's names: None if nothing was, and again when the function has run.
    to_save = property(lambda self: self._to_save or None)
    saved_for_forward = property(lambda self: self._for_forward or None)
    dirty_tensors = property(lambda self: self._dirty or None)
    non_differentiable = property(lambda self: self._fixed or None)
    _forward_cls = property(lambda self: self._user)

    @property
    def materialize_grads(self) -> bool:
        """Whether missing gradients arrive as zeros: can only be set."""
        raise AttributeError("attribute 'materialize_grads' of 'torch._C._FunctionBase' objects is not readable")

    @materialize_grads.setter
    def materialize_grads(self, value: bool) -> None:
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept; within `jvp`, what `save_for_forward` did."""
        if self._pushing:
            return self._for_forward
        if self.freed:
            raise RuntimeError(SECOND_BACKWARD)
        found = tuple(None if one is None else one.value(self) for one in self.saved or ())
        if self._user.clear_saved_tensors_on_access and state.node is self:
            if self._taken:
                raise RuntimeError(ONCE_ONLY)
            self._taken, self.saved = True, None
        return found

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The former name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self.freed:
            raise RuntimeError(SECOND_BACKWARD)
        return tuple(SavedTensor(self, i) for i in range(len(self.saved or ())))

    def _keep(self, outputs: Sequence[object]) -> None:
        kept, self._to_save = self._to_save, ()  # nothing stays here, even if saving fails halfway
        if kept:
            fixed = {id(each) for each in self._fixed}
            at = {id(each): i for i, each in enumerate(outputs) if isinstance(each, Tensor) and id(each) not in fixed}
            self.saved = [None if t is None else save(t, at.get(id(t), 0), id(t) in at) for t in kept]

    def saved_items(self) -> Any:
        for i, one in enumerate(self.saved or ()):
            if one is not None:
                yield f"saved[{i}]", one.data, one.version, one

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if self._materialize:
            for nr, meta in enumerate(self.metas):
                if grads[nr] is None and nr not in self._blank:
                    grads[nr] = wrap(np.zeros(*meta))
        formula = self._formula()
        if self._user.boxed_grads_call:  # the list itself, for the function to empty
            found = formula(self, grads if state.observer is None else list(grads))
        else:
            found = formula(self, *grads)
        returned = list(found) if isinstance(found, (tuple, list)) else [found]
        return self._matched(returned)

    def _formula(self) -> Callable[..., object]:
        user, base = self._user, Function.backward
        if user.vjp is base:
            return user.backward
        if user.backward is not base:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return user.vjp

    def _matched(self, returned: list[Any]) -> list[Tensor | None]:
        name = self.class_name
        expected = len(self._is_tensor)
        if len(returned) > expected and all(each is None for each in returned[expected:]):
            returned = returned[:expected]
        if len(returned) != expected:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {expected}, got {len(returned)})"
            )
        kept: list[Tensor | None] = []
        for i, (each, is_tensor) in enumerate(zip(returned, self._is_tensor, strict=True)):
            if not is_tensor:
                if each is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different than None at position {i + 1}, but the "
                        f"corresponding "
                        "forward input was not a Variable"
                    )
                continue
            if each is not None and not isinstance(each, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(each).__name__})")
            kept.append(each)
        return kept


class Function:
    """Base of custom functions: override `forward` and `backward` as static methods, call `apply`."""

    clear_saved_tensors_on_access = False
    row: OpRow
    _backward_cls: type[FunctionCtx]
    _context: FunctionCtx
    generate_vmap_rule = False
    boxed_grads_call = False

    def __init_subclass__(cls, **kwargs: object) -> None:
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
            joint=rule(lambda grads: grads),
        )
        cls._backward_cls = type(
            f"{name}Backward",
            (FunctionCtx,),
            {
                "row": cls.row,
                "class_name": f"{name}Backward",
                "_user": cls,
                "__module__": "torch.autograd.function",
                "__repr__": lambda self: Node.__repr__(self).replace("<", "<torch.autograd.function.", 1),
            },
        )

    def __init__(self, *args: object, **kwargs: object) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )
        self._context = self._backward_cls()

    def __getattr__(self, name: str) -> Any:
        if name == "_context":  # made without `__init__`
            raise AttributeError(name)
        return getattr(self._context, name)

    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def __call__(self, *args: object, **kwargs: object) -> Any:
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
    def setup_context(ctx: object, inputs: tuple[object, ...], output: object) -> Any:
        """Keep what the backward needs, when `forward` does not take `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: object, *grad_outputs: Any) -> Any:
        """The gradients of the inputs from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: object, *grad_inputs: object) -> Any:
        """The tangents of the outputs from those of the inputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: object, in_dims: tuple[int | None, ...], *args: object) -> Any:
        """The outputs for all examples at once, and the dimension of the examples in each."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: object, **kwargs: object) -> Any:
        """Run the function, tracked."""
        if cls.setup_context is not Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        args = _in_place_order(cls.forward, args, kwargs) if kwargs else args
        if state.layered:
            return layers.apply_function(cls, args)
        ctx, made = cls._run(args)
        ctx._dirty = ctx._fixed = ctx._for_forward = ()
        return made

    @classmethod
    def _run(cls, args: tuple[object, ...]) -> tuple[FunctionCtx, Any]:
        """The context, and what `forward` returned with its history."""
        ctx = cls._backward_cls()
        ctx._is_tensor = tuple(isinstance(a, Tensor) for a in args)
        tensors = [a for a in args if isinstance(a, Tensor)]
        tracked = state.grad and any(t._requires_grad for t in tensors)
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a._requires_grad for a in args)
        separate = cls.setup_context is not Function.setup_context
        edges = tuple(edge_of(t) if t._requires_grad else None for t in tensors) if tracked else ()
        if tracked:
            ctx.sequence_nr = next_sequence()
            if state.anomaly:
                ctx.stack = forward_stack()
                ctx.parent = state.node
        versions = [*map(_writes_to, tensors)] if state.observer is not None else []
        grad, state.grad = state.grad, False
        try:
            with paused():
                output = cls.forward(*args) if separate else cls.forward(ctx, *args)
                if separate:
                    _set_up_below(cls, args, output)
                    cls.setup_context(ctx, args, output)
        finally:
            state.grad = grad
        return ctx, finish(cls, ctx, tensors, output, edges, tracked, versions)


Function.__init_subclass__.__func__(Function)  # type: ignore[attr-defined]  # the base itself can be applied too
Function.__module__ = "torch.autograd.function"  # shown when a snippet prints a type


def _set_up_below(cls: type[Function], args: tuple[object, ...], output: object) -> None:
    """Within `torch.func.grad` and `jvp` PyTorch keeps what the backward needs once for each of the open transforms and
    once below them all; here one context serves all of them, so the others get nothing to keep."""
    tracked = tuple(isinstance(each, Tensor) and each._requires_grad for each in args)
    for level in range(len(layers.tracking()) if state.layered else 0):
        spare = cls._backward_cls()
        spare.needs_input_grad = tracked if level else (False,) * len(args)
        given = args if level else tuple(wrap(each._data) if isinstance(each, Tensor) else each for each in args)
        cls.setup_context(spare, given, output)


def _in_place_order(
    forward: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
) -> tuple[Any, ...]:
    """The arguments in positional order, including those that were given by name."""
    code = forward.__code__
    names = code.co_varnames[1 : code.co_argcount]  # the first is the context
    given: dict[int, object] = dict(enumerate(args))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
        given[names.index(name)] = value
    for at in range(max(given) + 1):
        if at not in given:
            raise TypeError(f"forward() missing required argument: '{names[at]}' (position {at})")
    return tuple(given[at] for at in range(len(given)))


def once_differentiable(fn: Callable[..., object]) -> Any:
    """Mark a backward whose result can't be differentiated again."""

    @functools.wraps(fn)
    def wrapper(ctx: object, *args: object) -> Any:
        grad, state.grad = state.grad, False
        try:
            found = fn(ctx, *args)
        finally:
            state.grad = grad
        if not grad or not any(isinstance(a, Tensor) and a._requires_grad for a in args):
            return found
        message = "trying to differentiate twice a function that was marked with @once_differentiable"
        several = found if isinstance(found, tuple) else (found,)
        return delayed_error(message, len(several))(*map(_wanting_grad, several))

    return wrapper


def _wanting_grad(value: object) -> object:
    if not isinstance(value, Tensor):
        return value
    made = only_tensor(value.detach())
    made._requires_grad = True
    return made
