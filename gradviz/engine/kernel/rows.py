"""What an operation is: one row with its name, its forward on NumPy arrays, and one gradient formula per differentiable
input.

Everything else is derived from the row and never written again: the backward class and its number, what it saves (the
names in the formulas that are needed), the function and the methods (`api.py`), the palette entry and the help. A
formula is an expression, from which the function and the text on screen are made, or a function with its mathematics
given beside it (`formula.py`). It is written in differentiable operations, returns a value and never accumulates: only
the loop does that (`backward.py`), and it also undoes broadcasting.

A formula may ask, by name, for: `grad` (or `grads`, all of them, for several outputs); a tensor input or an output
(saved); `<input>_shape` or `<input>_dtype` (not saved: not a tensor); a keyword parameter of the forward; `needs`
(which inputs want a gradient)."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.dtypes import Kernel
from gradviz.engine.kernel.expressions import Math
from gradviz.engine.kernel.formula import Function, JointRule, Rule, rule, written
from gradviz.engine.kernel.graph import Node, OfRow
from gradviz.engine.kernel.memory import row_strides
from gradviz.engine.kernel.messages import SECOND_BACKWARD
from gradviz.engine.kernel.saved import Saved, keep, save
from gradviz.engine.kernel.state import state

if TYPE_CHECKING:
    from gradviz.engine.kernel.tensor import Tensor


@dataclass(eq=False)
class OpRow:
    """One operation. `inputs` are the tensor operands in order; a name with a star (`*tensors`) takes any number
    of them."""

    name: str
    inputs: tuple[str, ...]
    forward: Kernel
    gradients: Mapping[str, Rule]
    node_name: str
    outputs: tuple[str, ...] = ("result",)
    category: str = "other"
    symbol: str = ""
    latex: str = ""
    brief: str = ""
    joint: Rule | None = None  # one formula for all inputs: returns a sequence parallel to them
    view: bool = False
    follower: bool = False  # a view in PyTorch; here it has memory of its own, which follows each write (`conjugates`)
    fixed: tuple[str, ...] = ()  # operands of a joint formula that get no gradient
    inplace_node: str = ""  # the class of the in-place form, if PyTorch numbers it separately
    inplace_refused: bool = False  # PyTorch has no gradient of the in-place form
    hidden: int = 0  # how many of the last outputs are buffers for the gradient, which the caller never sees
    follows: bool = False  # the result is laid out in memory like the operands (`memory.followed`)
    plain_numbers: bool = False  # a number as operand has no entry among the node's next functions
    node_class: type[Node] = Node
    key: str = ""  # its name in ROWS
    plans: dict[int, Plan] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.node_class = type(
            self.node_name,
            (OfRow,),
            {"row": self, "class_name": self.node_name, "__module__": "builtins", "__slots__": ()},
        )
        shown = {"row": self, "class_name": self.inplace_node, "__module__": "builtins", "__slots__": ()}
        self.inplace_class = type(self.inplace_node, (OfRow,), shown) if self.inplace_node else self.node_class
        self.variadic = self.inputs[0].startswith("*")
        self.single = len(self.outputs) == 1
        self.ufunc: Any = self.forward if isinstance(self.forward, np.ufunc) else None
        self.shares = self.view or self.follower  # what is written to the input is written to the result, too
        known = self.inputs if self.joint is not None else tuple(self.gradients)
        self.differentiable = tuple(i for i, n in enumerate(self.inputs) if n in known and n not in self.fixed)

    def shown(self, saved: Tensor) -> object:
        """What `_saved_…` shows of an operand: a number if it was given as such and the node has no place for it."""
        return saved.item() if self.plain_numbers and saved._wrapped is not None else saved

    @functools.cached_property
    def derivatives(self) -> Mapping[str, str]:
        """The gradient of each input as a person writes it."""
        if self.joint is not None:
            return self.joint.texts
        return {name: text for name, one in self.gradients.items() if (text := one.text)}

    @functools.cached_property
    def expressions(self) -> Mapping[str, str]:
        """The gradient of each input that has a formula, as an expression."""
        if self.joint is not None:
            return self.joint.expressions
        return {name: text for name, one in self.gradients.items() if (text := one.expression)}

    @property
    def written(self) -> Mapping[str, Math]:
        """The gradient of each input that has a formula, to be typeset."""
        if isinstance(self.joint, JointRule):
            return {name: written(formula) for name, formula in self.joint.formulas.items()}
        return {name: written(one.written) for name, one in self.gradients.items() if one.is_formula}

    @property
    def saved(self) -> tuple[str, ...]:
        """The tensors that the node saves if every input wants a gradient."""
        return self.plan((1 << len(self.inputs)) - 1).saved_names

    def inplace_plan(self, mask: int) -> Plan:
        """Like `plan`, for the in-place form."""
        if not self.inplace_refused:
            return self.plan(mask)
        found = Plan(self, mask)
        found.run = self._refuse
        return found

    def _refuse(self, node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if self.node_name == "NotImplemented":
            raise RuntimeError(f"derivative for aten::{self.name}_ is not implemented")
        raise NotImplementedError(f"the derivative for 'inplace version of {self.name}' is not implemented.")

    def plan(self, mask: int) -> Plan:
        """What to save and how to run, if the inputs of `mask` want gradients (bit i for input i)."""
        found = self.plans.get(mask)
        if found is None:
            found = self.plans[mask] = Plan(self, mask)
        return found


ROWS: dict[str, OpRow] = {}


_LAYOUTS = {
    "reductions": "rows",
    **dict.fromkeys(("functions", "activations", "arithmetic", "comparison", "losses"), "operands"),
}


def in_rows(forward: Kernel) -> Kernel:
    """Make a forward return its results row by row, however its operands are laid out: NumPy would follow them."""

    @functools.wraps(forward)
    def run(*arrays: object, **params: object) -> object:
        made = forward(*arrays, **params)
        return _rows(made) if isinstance(made, np.ndarray) else [*map(_rows, made)] if type(made) in _SEVERAL else made

    return run


_SEVERAL = (tuple, list)


def _rows(made: object) -> object:
    if isinstance(made, np.ndarray) and isinstance(made.base, np.ndarray) and made.base.size > made.size:
        return made.copy()  # for example the last of running sums: own memory, which begins with it
    if not isinstance(made, np.ndarray) or (made.flags.c_contiguous and 1 not in made.shape):
        return made
    return made if made.strides == row_strides(made.shape, made.itemsize) else made.copy()


def op(
    name: str,
    inputs: str,
    forward: Callable[..., object],
    *,
    node: str | None = None,
    key: str | None = None,
    number: int = 0,
    outputs: str = "result",
    category: str = "other",
    symbol: str = "",
    latex: str = "",
    brief: str = "",
    joint: Rule | Function | None = None,
    view: bool = False,
    follower: bool = False,
    fixed: str = "",
    hidden: int = 0,
    plain_numbers: bool = False,
    layout: str = "",
    inplace_node: str = "",
    inplace_refused: bool = False,
    **gradients: str | Rule | Function,
) -> OpRow:
    """Add a row. `node` is the backward class without its number; `key` distinguishes overloads of one name. `layout`
    is the memory layout of results: "rows", that of the "operands", or the forward's "own"; by default the category
    decides. Gradients, one per input or `joint`, are expressions or rules of `formula.py`."""
    layout = layout or _LAYOUTS.get(category, "own")
    made = OpRow(
        name=name,
        inputs=_parts(inputs),
        forward=in_rows(forward) if layout == "rows" else forward,
        gradients={name: rule(given) for name, given in gradients.items()},
        node_name=f"{_camel(name)}Backward{number}" if node is None else node,
        outputs=_parts(outputs),
        category=category,
        symbol=symbol or name,
        latex=latex,
        brief=brief,
        joint=None if joint is None else rule(joint),
        view=view,
        follower=follower,
        fixed=_parts(fixed),
        hidden=hidden,
        plain_numbers=plain_numbers,
        follows=layout == "operands",
        inplace_node=inplace_node,
        inplace_refused=inplace_refused,
    )
    return _added(made, key or name)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.strip("_").split("_"))


def _parts(names: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in names.split(",") if part)


def _added(row: OpRow, key: str) -> OpRow:
    assert key not in ROWS, f"two rows are called {key}"
    row.key = key
    ROWS[key] = row
    return row


def no_derivative(name: str) -> Function:
    """The joint formula of an operation that PyTorch tracks but can't differentiate; its node is `NotImplemented`."""

    def refuse(grads: object) -> Any:
        raise RuntimeError(f"derivative for {name} is not implemented")

    return refuse


Getter = Callable[[Node, list[Any], list[Any]], Any]  # takes (node, incoming gradients, unpacked buffers)


class Plan:
    """What a row saves and how its node runs, for one choice of inputs that want gradients."""

    def __init__(self, row: OpRow, mask: int) -> None:
        self.row = row
        self.mask = mask
        self.rules = self._rules()
        wanted = {name for _, one in self.rules for name in one.names}
        tensors = [(name, i, False) for i, name in enumerate(row.inputs) if name in wanted]
        tensors.sort()  # PyTorch's order: the inputs before the operation runs, the outputs after it
        tensors += sorted((name, i, True) for i, name in enumerate(row.outputs) if name in wanted)
        self.saved_names = tuple(name for name, _, _ in tensors)
        self.saves = tuple((index, is_output) for _, index, is_output in tensors)
        self.captures = tuple(
            (name, row.inputs.index(base), kind)
            for name in sorted(wanted)
            for base, _, kind in [name.rpartition("_")]
            if kind in ("shape", "dtype", "strides") and base in row.inputs
        )
        self.run: Callable[[Node, list[Tensor | None]], Sequence[Tensor | None]] = self._run_first
        self.formulas: tuple[tuple[int, Function, tuple[Getter, ...]], ...] = ()  # set by the first backward
        self.parts: dict[tuple[bool, ...], Plan] = {}

    def part(self, wanted: tuple[bool, ...]) -> Plan:
        """The plan of a pass that wants the gradients of some inputs only: those at these places of `next`."""
        if self.run == self.row._refuse:
            return self
        found = self.parts.get(wanted)
        if found is None:
            found = self.parts[wanted] = copy.copy(self)
            found.formulas = ()
            unwanted = {i for i, is_wanted in enumerate(wanted) if not is_wanted}
            found.mask = sum(1 << i for at, i in enumerate(self.row.differentiable) if at not in unwanted) & self.mask
            found.rules = [(at, rule) for at, rule in self.rules if self.row.joint is not None or at not in unwanted]
            found.run = functools.partial(found._run_part, unwanted)
        return found

    def _run_part(self, unwanted: set[int], node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if not self.formulas:
            self._compile()
        run = self._run_joint if self.row.joint is not None else self._run if self.row.single else self._run_several
        return [None if at in unwanted else each for at, each in enumerate(run(node, grads))]

    def _rules(self) -> list[tuple[int, Rule]]:
        row = self.row
        if row.joint is not None:
            return [(0, row.joint)]
        inputs = [(row.inputs[i], at) for at, i in enumerate(row.differentiable) if self.mask >> i & 1]
        return [(at, row.gradients[name]) for name, at in sorted(inputs)]  # PyTorch's order

    def _run_first(self, node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """The first backward of such a node compiles what the others run."""
        self._compile()
        self.run = self._specialise()
        return self.run(node, grads)

    def _compile(self) -> None:
        self.formulas = tuple((i, one.function, tuple(map(self._getter, one.names))) for i, one in self.rules)

    def _getter(self, name: str) -> Getter:
        """How to find the value of one formula parameter, given (node, incoming gradients, unpacked buffers)."""
        if name == "grad":
            return lambda node, grads, saved: grads[0]
        if name == "grads":
            return lambda node, grads, saved: grads
        if name == "needs":
            needs = tuple(bool(self.mask >> i & 1) for i in range(len(self.row.inputs)))
            return lambda node, grads, saved: needs
        if name in self.saved_names:
            at = self.saved_names.index(name)
            return lambda node, grads, saved: saved[at]
        if any(name == captured for captured, _, _ in self.captures) or name == "shapes":
            return lambda node, grads, saved: node.captured[name]
        return lambda node, grads, saved: node.params[name]

    def save(self, node: Node, tensors: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> None:
        """Fill in the node's buffers and the shapes that its formulas ask for."""
        if self.saves:
            one_by_one = save if state.saved_hooks else keep
            saved: list[Saved | None] = []
            for index, is_output in self.saves:
                one = outputs[index] if is_output else tensors[index]
                saved.append(None if one is None else one_by_one(one, index, is_output))
            node.saved = saved
        if self.captures:
            node.captured = {name: _capture(tensors[index], kind) for name, index, kind in self.captures}
        elif self.row.variadic:
            node.captured = {"shapes": [t._data.shape for t in tensors if t is not None]}

    def _specialise(self) -> Callable[[Node, list[Tensor | None]], Sequence[Tensor | None]]:
        if self.row.joint is not None:
            return self._run_joint
        if not self.row.single:
            return self._run_several
        simple = self._simple()
        if simple is None:
            return self._run
        by_buffer = sorted(simple, key=lambda each: each[2])  # the first overwritten buffer is the one to refuse
        return self._run_simple(simple) if by_buffer == simple else self._in_either_order(self._run_simple(by_buffer))

    def _in_either_order(
        self, fast: Callable[[Node, list[Tensor | None]], Sequence[Tensor | None]]
    ) -> Callable[[Node, list[Tensor | None]], Sequence[Tensor | None]]:
        """Buffers are checked in another order than the gradients are computed, which only a graph of them shows."""

        def run(node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
            return self._run(node, grads) if state.grad else fast(node, grads)

        return run

    def _simple(self) -> list[tuple[int, Function, int, str]] | None:
        """(place, formula, buffer or −1, parameter or ""), if every formula takes the gradient and at most one more
        value."""
        found = []
        for at, one in self.rules:
            names, fn = one.names, one.function
            if names[:1] != ("grad",) or len(names) > 2:
                return None
            more = "".join(names[1:])
            if more in self.saved_names:
                found.append((at, fn, self.saved_names.index(more), ""))
            elif more in ("needs", "shapes") or any(more == name for name, _, _ in self.captures):
                return None
            else:
                found.append((at, fn, -1, more))
        return found

    @staticmethod
    def _run_simple(
        formulas: list[tuple[int, Function, int, str]],
    ) -> Callable[[Node, list[Tensor | None]], Sequence[Tensor | None]]:
        def run(node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
            grad = grads[0]
            out: list[Tensor | None] = [None] * len(node.next)
            if grad is None:
                return out
            for at, fn, k, name in formulas:
                if k >= 0:
                    if node.saved is None:
                        raise RuntimeError(SECOND_BACKWARD)
                    one = node.saved[k]
                    out[at] = fn(grad, None if one is None else one.value(node))
                else:
                    out[at] = fn(grad, node.params[name]) if name else fn(grad)
            return out

        return run

    def _run(self, node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        out: list[Tensor | None] = [None] * len(node.next)
        if grads[0] is None:
            return out
        saved = node.unpack() if self.saves else []
        for i, fn, getters in self.formulas:
            out[i] = fn(*[get(node, grads, saved) for get in getters])
        return out

    def _run_several(self, node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        out: list[Tensor | None] = [None] * len(node.next)
        if all(grad is None for grad in grads):
            return out
        saved = node.unpack() if self.saves else []
        for i, fn, getters in self.formulas:
            out[i] = fn(*[get(node, grads, saved) for get in getters])
        return out

    def _run_joint(self, node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if all(grad is None for grad in grads):
            return [None] * len(node.next)
        saved = node.unpack() if self.saves else []
        _, fn, getters = self.formulas[0]
        found: Sequence[Tensor | None] = fn(*[get(node, grads, saved) for get in getters])
        return found if self.row.variadic else [found[i] for i in self.row.differentiable]


def _capture(tensor: Tensor | None, kind: str) -> Any:
    if tensor is None:
        return None
    if kind == "strides":
        return tensor._data.strides
    return tensor._data.shape if kind == "shape" else tensor.dtype
