"""How `checkpoint(..., use_reentrant=False)` works without buffers: what the function saves in the forward pass is
dropped, and the first buffer that a backward pass asks for runs the function again. The public functions are in
`checkpoint.py`.

Note [Places] A pack hook gives each saved tensor a numbered place instead of keeping it. Running the function again
saves the same tensors in the same order, and puts each into its place; an unpack takes it out. A place belongs to one
node, and dies with the node's buffers, so nothing is kept that nobody can ask for. The inputs of a checkpoint inside
another one are saved like any other tensor, so they too are dropped and recomputed."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from gradviz.engine.kernel.modes import enable_grad
from gradviz.engine.kernel.state import paused, resumed, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as F
from gradviz.engine.run.function import Function
from gradviz.torch.autograd.graph import saved_tensors_hooks

_TIP = (
    "\nTip: To see a more detailed error message, either pass `debug=True` to\n"
    "`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\n"
    "with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\n"
    "enable checkpoint\u2011debug mode globally.\n\n"
    "If this error occurs under torch.compile with automatic_dynamic_shapes enabled,\n"
    "it may be because the recomputation selected a different compiled graph than the\n"
    "forward pass (e.g., a dynamic graph instead of the original static graph).\n"
    "To fix this, either:\n"
    "  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as\n"
    "    dynamic upfront, avoiding the static-to-dynamic transition.\n"
    "  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache\n"
    "    reordering, which can change which graph is checked first between forward\n"
    "    and recompute.\n"
    "See https://github.com/pytorch/pytorch/issues/166926 for more details and\n"
    "workaround examples.\n"
)
_DEBUG = (
    " An error happened while unpacking tensors; what was saved both times follows.\n\n"
    "Saved during the original forward:\n\n{}\n\nSaved during recomputation:\n\n{}\n\n"
    " ERROR: Detected non-determinism while running activation checkpointing\n\n"
    " You are seeing this error because you passed `debug=True` to checkpoint and\n"
    " tensors to be saved during the original forward and differ between those saved\n"
    " during recomputation. This can happen if different operators were ran in the\n"
    " original forward and in the recomputation.\n"
)
_ONCE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
_OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
    "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)


class CheckpointError(RuntimeError):
    """The function did something else when it ran again."""

    __module__ = "torch.utils.checkpoint"


class _Enough(Exception):
    """Ends a recomputation when every place is filled."""


class GraphExecGroup:
    """Inside, backward passes run each checkpointed function again only once, whichever of them needs it first."""

    current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup.current is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {self.current}")
        GraphExecGroup.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        GraphExecGroup.current = None


GraphExecGroup.__module__ = "torch.utils.checkpoint"


class _Moment:
    """Stands for a backward pass if a buffer is read outside of one."""


class _Place:
    """The place of one saved tensor; see Note [Places]."""

    def __init__(self) -> None:
        self.values: weakref.WeakKeyDictionary[Any, Tensor | None] = weakref.WeakKeyDictionary()


class _KeepInputs(Function):
    """Saves the inputs of a checkpointed function, under the hooks that are in force around it."""

    @staticmethod
    def forward(ctx: Any, start: Tensor, *inputs: object) -> Tensor:
        ctx.others = [None if isinstance(each, Tensor) else each for each in inputs]
        ctx.at = [i for i, each in enumerate(inputs) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(inputs[i] for i in ctx.at))
        return F["empty"](0)


class Frame:
    """One call of `checkpoint`: what it saved, by place, and how to run it again."""

    def __init__(
        self,
        again: Callable[..., object],
        inputs: tuple[object, ...],
        *,
        early_stop: bool,
        facts: Callable[[Tensor], Mapping[str, object]] | None,
        debug: bool,
    ) -> None:
        self.again = again
        self.early_stop = early_stop
        self.facts = facts
        self.debug = debug
        with paused():  # not a step of the snippet
            self.inputs: Any = _KeepInputs.apply(F["empty"](0, requires_grad=True), *inputs).grad_fn
        self.places: list[weakref.ref[_Place]] = []
        self.expected: list[Mapping[str, object]] = []
        self.counts: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()
        self.done: weakref.WeakSet[object] = weakref.WeakSet()
        self.forward_ended = False
        self.backward_inside = False  # and it saved more than the forward pass had by then

    def hooks(self) -> AbstractContextManager[None]:
        """The hooks in force while the function runs the first time."""
        return saved_tensors_hooks(self._leave, self._fetch)

    def _leave(self, x: Tensor) -> _Place:
        place = _Place()
        self.places.append(weakref.ref(place))
        if self.facts is not None:
            self.expected.append(self.facts(x))
        return place

    def _fetch(self, place: _Place) -> Tensor:
        when = GraphExecGroup.current or state.running or _Moment()
        try:
            if when not in self.done:
                self._run_again(when)
                self.done.add(when)
                self._compare(when)
            found = place.values[when]
            if found is None:
                raise CheckpointError(_ONCE.format(_OVERLAP if GraphExecGroup.current is not None else ""))
        except CheckpointError as error:
            if not self.debug:
                raise
            raise CheckpointError(_DEBUG.format(*self._both(when))) from error
        place.values[when] = None
        return found

    def _run_again(self, when: object) -> None:
        node = self.inputs
        values = list(node.others)
        for i, tensor in zip(node.at, node.saved_tensors, strict=True):
            values[i] = tensor
        self.counts[when] = 0
        try:
            with resumed(), saved_tensors_hooks(lambda x: self._refill(x, when), lambda x: x), enable_grad():
                self.again(*values)
        except _Enough:
            pass

    def _refill(self, x: Tensor, when: object) -> Tensor:
        x = x.detach() if x.requires_grad else x
        at = self.counts[when]
        self.counts[when] = at + 1
        if at >= len(self.places):
            if not self.forward_ended:
                self.backward_inside = True
                return x
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                f"forward pass.\n{_TIP}"
            )
        place = self.places[at]()
        if place is not None:
            place.values[when] = x
        if self.early_stop and at + 1 == len(self.places):
            raise _Enough
        return x

    def _compare(self, when: object) -> None:
        """Refuse a recomputation that saved other tensors than the forward pass."""
        if self.backward_inside:
            return
        if self.counts[when] != len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.places)}\n"
                f"Number of tensors saved during recomputation: {self.counts[when]}.\n{_TIP}"
            )
        told = [
            f"tensor at position {i}:\nsaved metadata: {self.expected[i]}\nrecomputed metadata: {now}\n"
            for i, now in self._facts_now(when)
            if now != self.expected[i]
        ]
        if told:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{''.join(told)}.\n{_TIP}"
            )

    def _facts_now(self, when: object) -> list[tuple[int, Mapping[str, object]]]:
        """(number, facts) of each tensor that was recomputed and has not been taken yet."""
        found = []
        for i, known in enumerate(self.places if self.facts is not None else ()):
            place = known()
            value = None if place is None else place.values.get(when)
            if value is not None and self.facts is not None:
                found.append((i, self.facts(value)))
        return found

    def _both(self, when: object) -> tuple[str, str]:
        """What was saved in the forward pass and in the recomputation, one line each."""
        before = [f"  {i}: {facts}" for i, facts in enumerate(self.expected)]
        return "\n".join(before), "\n".join(f"  {i}: {facts}" for i, facts in self._facts_now(when))
