"""The gradient formula of one node and operand, with its names and numbers: "grad · y", "1 × 7". The formulas come from
the engine, see `Op` in `derive.py`; the sentences around them are in `contributions.py`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.expressions import Math, in_line, typeset_with
from gradviz.trace.table.name_text import SUBSCRIPTS, with_article
from gradviz.trace.table.tables import span
from gradviz.trace.table.values import FEW, Value, digits_shown, factor_text, number_text, with_signs

if TYPE_CHECKING:
    from gradviz.trace.table.derive import Op
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_PARAMETER = re.compile(r"(\w+)=(-?(?:[\d.]+(?:e[+-]?\d+)?|inf))(?=,|$)")
_COMPLEX_PARAMETER = re.compile(r"(\w+)=\(?(-?[\d.]*[+-]?[\d.]+j)\)?(?=,|$)")
_GIVEN = re.compile(r"(\w+)=([^,()]+)")
_DIFFERENCE = re.compile(r"\((\w+) − (\w+)\)")
_ONE_LESS = re.compile(r"1 − (\w+?)(²?)(?!\w)")
_FUNCTIONS = frozenset("exp ln sin cos tan tanh sinh cosh sqrt sign where else conj".split())
_LEADING = re.compile(r"^\((-[\d.e-]+)\)(?= |$)")
_ARTICLES = ("the ", "its ", "each ", "every ")
_NOT_BY_ELEMENT = re.compile(r"[ᴴΣ]|⁻ᵀ|⁻¹|σ(?!\()")  # σ alone is that of a norm
_PRODUCT = re.compile(r"[@⊗]")  # matrix products, whose numbers can nevertheless be written
_MOST_IN_PRODUCT = 8  # elements of each
_ALONE = re.compile(r"−?grad( · [\d.e-]+)?")
_CALLED_GRAD = re.compile(r"(?<![\w.])grad(?!\w|\()")
_OFTEN_ONE = {"alpha": 1, "beta": 1}  # factors of torch.add, addmm …, which are not recorded when they are 1
_EXPONENT = re.compile(r"(?<=\d)e−(?=\d)")
_BY_ZERO = re.compile(r"/ (?:0(?![\d.e])|\[[^/]*(?<![\d.])0(?![\d.e]))")
_BROADCAST = frozenset(  # operations that broadcast a smaller operand
    "add sub rsub mul div pow where maximum minimum fmax fmin clamp clamp_min clamp_max lerp addcmul addcdiv atan2 "
    "hypot xlogy logaddexp logaddexp2 copysign fmod remainder _prelu_kernel".split()
)


def formula_for(trace: Trace, node: int, slot: int) -> str:
    """The formula of the gradient for the operand in this slot, in the operation's own names, with its parameters; ""
    if there is none."""
    op = trace.op_of(node)
    name = op.operand(slot) if op is not None else ""
    if op is None or not name:
        return ""
    special = _special(trace, node, name)
    written = None if special else _written(trace, node, op, name)
    if written is not None:
        return _EXPONENT.sub("e-", in_line(written))
    alpha = _numbers(trace, node, op).get("alpha", 1)
    said = (special or op.derivatives.get(name, "")).replace(" · alpha", f" · {alpha}" if alpha != 1 else "")
    if "weight" in op.inputs and op.inputs.index("weight") not in trace.slots_of(node):
        return said.replace(" · weight", "")  # a layer without parameters
    if said in _RESHAPING[1:]:
        shapes = (trace.tensors.shape[each] for each in (trace.slots_of(node)[slot], trace.outputs_of(node)[0]))
        return _reshaped(said, *shapes)
    return said


def written_for(trace: Trace, node: int, slot: int) -> Math | None:
    """The same formula in typeset form; None if it is in words."""
    op = trace.op_of(node)
    name = op.operand(slot) if op is not None else ""
    if op is None or _special(trace, node, name):
        return None
    return _written(trace, node, op, name)


def _written(trace: Trace, node: int, op: Op, operand: str) -> Math | None:
    there = {op.operand(slot) for slot in trace.slots_of(node)}
    other = _other_rule(str(trace.nodes.op[node]), operand, _given(trace, node), there)
    expression = other or op.expressions.get(operand, "")
    try:
        numbers = tuple(_numbers(trace, node, op).items()) if expression else ()
        return typeset_with(expression, numbers, is_complex(trace, node)) if expression else None
    except ValueError:
        return None  # a trace from outside may contain anything


def _given(trace: Trace, node: int) -> dict[str, str]:
    """The parameters of a node as written."""
    return dict(_GIVEN.findall(str(trace.nodes.params[node])))


def _special(trace: Trace, node: int, operand: str) -> str:
    """The rule in words for this particular node; "" if the usual one applies."""
    op, given = str(trace.nodes.op[node]), _given(trace, node)
    order = re.findall(r"\d+", str(trace.nodes.params[node])) if op == "permute" else []
    if order and order == [*map(str, range(len(order)))]:
        return "grad"
    if op == "permute" and _transposes(trace, node):  # x.T
        return "grad, transposed back"
    if op == "_embedding_bag" and operand == "weight" and 3 in trace.slots_of(node):  # per_sample_weights
        return "grad of each bag, times the weight of each of its rows, added to that row, 0 elsewhere"
    if op in ("tril", "triu") and given.get("diagonal", "0") != "0":
        return "grad at the elements that were kept, 0 elsewhere"
    if op == "_linalg_det" and _is_zero(trace, node):  # there is no inverse
        return "grad · the cofactors of A"
    if op == "logcumsumexp" and is_complex(trace, node):
        return "conj(exp(self)) · the sum from the end of grad · conj(exp(−result))"
    if op == "sgn" and is_complex(trace, node):  # whose angle matters
        return "(grad − Re(grad · conj(result)) · result) / |self|, 0 where self is 0"
    return _of_classes(trace, node, given) if op.startswith("nll_loss") else _exception(op, operand, given)


def _is_zero(trace: Trace, node: int) -> bool:
    """Whether an element of the first result is 0."""
    value = trace.value(int(trace.tensors.value[trace.outputs_of(node)[0]]))
    return value is not None and not np.all(value.edges)


def _of_classes(trace: Trace, node: int, given: Mapping[str, str]) -> str:
    """The rule of a loss that picks the class of each row, depending on its reduction and weights."""
    slots, reduction, ignored = trace.slots_of(node), given.get("reduction", "mean"), given.get("ignore_index", "-100")
    target, weight = (
        trace.value(int(trace.tensors.value[slots[at]])) if slots.get(at, -1) >= 0 else None for at in (1, 2)
    )
    if target is None or target.array is None or (2 in slots and (weight is None or weight.array is None)):
        return ""
    counted = target.array[target.array != int(ignored)]
    total = float(len(counted) if weight is None or weight.array is None else weight.array[counted].sum())
    examples = math.prod(trace.tensors.shape[trace.outputs_of(node)[0]]) if reduction == "mean" else 1  # of vmap
    if examples > 1 and (2 in slots or len(counted) < target.numel):
        return ""
    total /= max(examples, 1)
    share = "−grad" if 2 not in slots else "−grad · weight[class]"
    share += f" / {number_text(total)}" if reduction == "mean" and total != 1 else ""
    each = ("", " of each row", " of each place")[min(len(target.shape), 2)]
    left_out = "" if len(counted) == target.numel else f" and where the class is {ignored} (ignore_index)"
    return f"{share} at the class{each}, 0 elsewhere{left_out}"


def _exception(op: str, operand: str, given: Mapping[str, str]) -> str:
    """The rule for a parameter value for which the operation has a special one, in words; "" for all others."""
    order = given.get("ord", "") if op == "linalg_vector_norm" else given.get("p", "") if op == "dist" else ""
    of = "(self − other)" if op == "dist" else "self"
    if op == "pow" and given.get("exponent") in ("0", "0.0") and operand == "self":  # also at 0, where x⁻¹ is infinite
        return "0"
    if order in ("0", "0.0"):
        return "0"
    sign = "−" if operand == "other" else ""
    if order in ("1", "1.0"):
        return f"{sign}grad · sign {of}"
    if order.endswith("inf"):
        return f"{sign}grad · sign {of} where |{of.strip('()')}| is result (shared equally at ties), 0 elsewhere"
    if op == "convolution" and given.get("transposed") == "True":
        return {
            "input": "weight slides over grad",
            "weight": "each element of input times its window of grad, added up",
        }.get(operand, "")
    if op == "gelu" and given.get("approximate") == "tanh":
        return "grad · the slope of the tanh formula that stands for GELU"
    if op == "rrelu_with_noise" and given.get("training") == "False":
        slope = (float(given.get("lower", 0)) + float(given.get("upper", 0))) / 2
        return f"grad where self > 0, else grad · {number_text(slope)}"
    if op == "native_batch_norm" and given.get("training") == "False" and operand == "input":
        return "grad · weight / σ"
    return _of_rows(op, operand, given)


def _of_rows(op: str, operand: str, given: Mapping[str, str]) -> str:
    """The same for operations that pick rows of a table."""
    if op == "_embedding_bag" and operand == "weight":
        return {
            "1": "grad of each bag / the number of its rows, added up at its rows",
            "2": "grad of each bag at the places of its maxima, 0 elsewhere",
        }.get(given.get("mode", ""), "")
    if op == "embedding" and operand == "weight":
        padding, rule = given.get("padding_idx", "-1"), "each row of grad added to the row that was looked up"
        rule += "" if given.get("scale_grad_by_freq") != "True" else ", divided by how often each was"
        return rule if padding.startswith("-") else f"{rule}, but 0 at row {padding} (padding_idx)"
    if op == "index_add" and operand == "source":
        alpha = given.get("alpha", "1")
        return "grad at index" if alpha in ("1", "1.0") else f"grad at index, times {alpha}"
    return ""


def _other_rule(op: str, operand: str, given: Mapping[str, str], there: set[str]) -> str:
    """The expression of a rule that a parameter, or a usually absent operand, makes different from the one the
    operation shows; "" for the usual one."""
    if op == "_linalg_solve_ex":
        rules = {"B": "grad @ inverse_adjoint(A)", "A": "-(adjoint(result) @ grad @ inverse_adjoint(A))"}
        if given.get("left") != "False":
            rules = {"A": "-outer(inverse_adjoint(A) @ grad, result)"} if given.get("vector") == "True" else {}
        return rules.get(operand, "")
    if op == "div" and "rounding_mode" not in given:  # or it was None, which rounds nothing
        return {"self": "grad / conj(other)", "other": "-grad * conj(self / other / other)"}.get(operand, "")
    if operand != "self":
        return ""
    if op == "softplus" and given.get("threshold", "20") not in ("20", "20.0"):
        return "where(beta * self > threshold, grad, grad * sigmoid(beta * self))"
    if op == "logit" and "eps" in given:
        return f"where(eps <= self <= {1 - float(given['eps'])!r}, grad / (self * (1 - self)), 0)"
    if op == "binary_cross_entropy" and "weight" in there:
        return "grad * weight * (self - target) / (self * (1 - self)) / n"
    if op != "binary_cross_entropy_with_logits" or not there & {"weight", "pos_weight"}:
        return ""
    weight = "weight * " if "weight" in there else ""
    if "pos_weight" not in there:
        return f"grad * {weight}(sigmoid(self) - target) / n"
    return f"grad * {weight}((1 + (pos_weight - 1) * target) * sigmoid(self) - pos_weight * target) / n"


def _numbers(trace: Trace, node: int, op: Op) -> dict[str, int | float]:
    """The numeric parameters of a node given by the snippet, and the number of elements of a mean."""
    found: dict[str, int | float] = dict(_OFTEN_ONE)
    for name, text in _PARAMETER.findall(str(trace.nodes.params[node])):
        found[name] = float(number_text(float(text))) if any(sign in text for sign in ".ef") else int(text)
    if trace.nodes.op[node] == "clamp":  # a bound that was not given
        found = {"min": -math.inf, "max": math.inf} | found
    if "exponent" in found:
        found["n"] = found["exponent"]
    found.setdefault("n", averaged(trace, node))
    if op.operand(0) == "self" and str(trace.nodes.op[node]).startswith(("var", "std")):  # which divide by n − 1
        found["n"] += 1 - found.get("correction", 1)
    tensors = {op.operand(slot) for slot in trace.slots_of(node)}
    return {name: number for name, number in found.items() if name not in tensors}


def averaged(trace: Trace, node: int) -> int:
    """How many elements of the first operand contribute to one element of the result."""
    if "reduction=sum" in str(trace.nodes.params[node]):
        return 1
    operands, results = trace.slots_of(node), trace.outputs_of(node)
    if str(trace.nodes.op[node]).endswith("_loss_backward"):
        return math.prod(trace.tensors.shape[results[0]]) // _examples(trace, node) if len(results) else 1
    source, made = (
        trace.value(int(trace.tensors.value[tensor])) if tensor >= 0 else None
        for tensor in (operands.get(0, -1), int(results[0]) if len(results) else -1)
    )
    return source.numel // made.numel if source is not None and made is not None and made.numel else 1


def _examples(trace: Trace, node: int) -> int:
    """How many examples of vmap a gradient with a graph of its own is of: a root that needs no gradient to start with
    has one element for each."""
    rows = trace.history("roots", "call").all(int(trace.nodes.call[node])) if trace.nodes.call[node] >= 0 else ()
    return max(
        [math.prod(trace.tensors.shape[trace.roots.tensor[row]]) for row in rows if trace.roots.value[row] < 0],
        default=1,
    )


def is_complex(trace: Trace, node: int) -> bool:
    tensors = [*trace.slots_of(node).values(), *trace.outputs_of(node).tolist()]
    return any(str(trace.tensors.dtype[tensor]).startswith("complex") for tensor in tensors if tensor >= 0)


def filled(frame: Frame, node: int, slot: int, sent: Value, grad: Value | None) -> tuple[str, ...]:
    """The formula of a gradient with the snippet's names, and with numbers if they are few; () if the operation has
    none. `grad` is what came in, `sent` what was sent on."""
    return tuple(map(with_signs, _filled(frame, node, slot, sent, grad)))


def _filled(frame: Frame, node: int, slot: int, sent: Value, grad: Value | None) -> tuple[str, ...]:
    formula = formula_for(frame.trace, node, slot)
    if is_changed(frame, node):
        return ()
    if not formula:
        return _without_formula(frame.trace, node, slot)
    operands = operands_of(frame, node)
    formula, operands = untransposed(frame, formula, operands)
    formula = at_nan(frame, node, formula, operands)
    formula = _unturned(frame, node, _unspread(formula, sent, grad))
    names = {name: factor(frame.name(tensor)) for name, tensor in operands.items() if name in formula}
    given = _COMPLEX_PARAMETER.findall(str(frame.trace.nodes.params[node]))
    names = {name: number for name, number in given} | names | {"grad": incoming_name(frame, node)}
    unpacked = _unpacked(frame, node) & operands.keys()
    names |= {name: f"({with_article(frame.name(operands[name]))} as unpacked)" for name in unpacked}
    by_element = _ALONE.fullmatch(formula) or frame.trace.nodes.op[node] in _BROADCAST
    spread = bool(by_element) and _is_summed(sent, grad)
    values = {name: frame.value(tensor) for name, tensor in operands.items() if name not in unpacked} | {"grad": grad}
    values |= dict.fromkeys(unpacked)
    if "− mean)" in formula and "dim" not in _given(frame.trace, node):
        values["mean"] = _mean(values.get("self"))
    if sent.numel > 1 and (formula == "0" or frame.trace.nodes.op[node] == "mean"):  # a number for many elements
        return ("0 everywhere" if formula == "0" else f"{fill(formula, names)} for every element",)
    named = fill(formula, names) + (", summed over the broadcast dimensions" if spread else "")
    if grad is not None and grad.dtype.startswith("complex") > sent.dtype.startswith("complex"):
        return (named if named.startswith(_OF_REAL) or named.endswith("as pairs") else f"the real part of {named}",)
    read = [value for value in _read(formula, values) if value is not None and value.numel > 1]
    if spread:
        is_one_sum = sent.numel == 1 and grad is not None and all(value.shape == grad.shape for value in read)
        in_numbers = _in_numbers(formula, values) if is_one_sum else None
        return (named,) if in_numbers is None else (named, f"Σ({in_numbers})")
    unlike = (
        frame.trace.nodes.op[node] not in _BROADCAST
        and not _PRODUCT.search(formula)
        and any(value.shape != sent.shape for value in read)
    )  # the numbers of a row beside those of a matrix would not show which meets which
    in_numbers = None if unlike else _in_numbers(formula, values)
    if in_numbers is not None and _BY_ZERO.search(in_numbers) and sent.is_finite:  # a place that the rule leaves out
        in_numbers, named = None, f"{named}, 0 where it would divide by 0"
    return (named,) if in_numbers is None or in_numbers == sent.brief() else (named, in_numbers)


def at_nan(frame: Frame, node: int, formula: str, operands: Mapping[str, int]) -> str:
    """The rule of an activation the other way round where an element is NaN, which is neither above a bound nor below
    it, so that PyTorch passes its gradient on."""
    if frame.trace.nodes.op[node] not in ("relu", "elu", "hardtanh"):
        return formula
    values = [frame.value(tensor) for name, tensor in operands.items() if name in formula]
    if not any(value is not None and value.is_known and value.summary.nans for value in values):
        return formula
    formula = re.sub(r"^grad where (\w+) > 0, else (.+)$", r"\2 where \1 ≤ 0, else grad", formula)
    return re.sub(r"^grad where (\S+) < (\w+) < (\S+), else 0$", r"0 where \2 ≤ \1 or \2 ≥ \3, else grad", formula)


def incoming_name(frame: Frame, node: int) -> str:
    """The name of the incoming gradient: "grad", or PyTorch's longer word if the snippet uses "grad" for a tensor of
    this operation."""
    trace = frame.trace
    if not trace.kept("a name has grad in it", lambda: _has_grad_in_names(trace)):
        return "grad"
    tensors = {int(each) for each in (*trace.slots_of(node).values(), *trace.outputs_of(node)) if each >= 0}
    return "grad_output" if any(_CALLED_GRAD.search(frame.name(each)) for each in sorted(tensors)) else "grad"


def _has_grad_in_names(trace: Trace) -> bool:
    """Whether the name of a tensor may have the word "grad" in it: whether a text has that is not a formula only."""
    formulas = {*trace.operands.formula.tolist(), *trace.operands.expression.tolist()}
    names = {*trace.names.name.tolist(), *trace.nodes.source.tolist(), *trace.tensors.label.tolist()}
    return any(map(_CALLED_GRAD.search, names | (set(trace.strings) - formulas)))


def untransposed(frame: Frame, formula: str, operands: dict[str, int]) -> tuple[str, dict[str, int]]:
    """ "grad @ w" for "grad @ w.t()ᵀ" or "grad @ w.Tᵀ": what was transposed is not transposed back."""
    trace = frame.trace
    for name, tensor in operands.items():
        maker = int(trace.tensors.producer[tensor])
        if f"{name}ᵀ" in formula and maker >= 0 and _transposes(trace, maker):
            formula = re.sub(rf"(?<!\w){name}ᵀ", f"{name}_t", formula)
            operands = operands | {f"{name}_t": int(trace.inputs_of(maker)[0])}
    return formula, operands


def _transposes(trace: Trace, node: int) -> bool:
    op, axes = str(trace.nodes.op[node]), re.findall(r"(?<!\w)-?\d", str(trace.nodes.params[node]))
    turned = [int(each) % 2 for each in axes] in ([1, 0], [0, 1] if op == "transpose" else [1, 0])
    is_matrix = len(trace.tensors.shape[int(trace.inputs_of(node)[0])]) == 2
    return op == "t" or (op in ("transpose", "permute") and is_matrix and turned)


def _unspread(formula: str, sent: Value, grad: Value | None) -> str:
    """The rule if nothing was repeated, because at most the shape changed, which is no news for a single element."""
    if grad is None or formula not in _RESHAPING:
        return formula
    return "grad" if sent.numel == grad.numel == 1 else _reshaped(formula, sent.shape, grad.shape)


def _reshaped(formula: str, sent: tuple[int, ...], grad: tuple[int, ...]) -> str:
    """The rule of an operation that may give another shape, for what it gave none, or repeated nothing."""
    if sent == grad:
        return "grad"
    if formula == "grad, reshaped back" or math.prod(sent) != math.prod(grad):
        return formula
    return f"grad in the shape {sent}"  # what was broadcast without a repetition was not reshaped


_OF_REAL = ("the real part", "the imaginary part", "Re(")
_RESHAPING = ("grad", "grad, reshaped back", "grad, summed over the repetitions")


def _unturned(frame: Frame, node: int, formula: str) -> str:
    """The rule for eigenvalues and singular values if no gradient arrived for their vectors."""
    row, trace = frame.trace.op_of(node), frame.trace
    if row is None or " + X)" not in formula:
        return formula
    came = {
        row.outputs[trace.tensors.output_nr[each]]
        for each in trace.outputs_of(node).tolist()
        if frame.passing(each) is not None
    }
    return re.sub(r"\((diag\(.*?\)) \+ X\)(.*?), X .*", r"\1\2", formula) if came <= {"S", "eigenvalues"} else formula


def _without_formula(trace: Trace, node: int, slot: int) -> tuple[str, ...]:
    """The text for a node without a formula: a custom function, a whole recurrent layer, a write to a view."""
    nodes = trace.nodes
    name, op, params = str(nodes.name[node]), str(nodes.op[node]), str(nodes.params[node])
    if name == "CopySlices":
        adds = op.rstrip("_") in ("add", "sub") or (op == "index_put" and "accumulate=True" in params)
        if adds and not slot:
            return ("grad",)
        if op.rstrip("_") in ("copy", "fill", "zero", "index_put"):
            return ("grad where it was written",) if slot else ("grad, 0 where it was overwritten",)
        rule = f"{op}.backward()" if op[:1].isupper() else f"the rule of {op.rstrip('_')}"
        return (f"grad where it was written, by {rule}",) if slot else (f"grad, by {rule} where that wrote",)
    if "Rnn" in name:
        return ("the sum over all time steps, by the chain rule",)
    if name.startswith("BackwardHookFunction"):
        return ("grad",)
    return (f"what {name.removesuffix('Backward')}.backward() returns",) if name.endswith("Backward") else ()


def is_changed(frame: Frame, node: int) -> bool:
    """Whether a hook of the node changed what it sent, or one gradient of several that it received, so that its rule
    does not give what was sent."""
    changed = _changed(frame, node)
    return bool(len(changed)) and (
        len(frame.trace.outputs_of(node)) != 1 or not (frame.trace.hooks.kind[changed] == "pre").all()
    )


def changed_before(frame: Frame, node: int) -> int:
    """The row of a hook that changed what this node received in this backward call, -1 if none did."""
    changed = _changed(frame, node)
    changed = changed[frame.trace.hooks.kind[changed] == "pre"]
    return int(changed[-1]) if len(changed) else -1


def _changed(frame: Frame, node: int) -> NDArray[np.int64]:
    """The hooks of a node that changed something in this backward call."""
    hooks = frame.trace.hooks
    low, high = span(hooks.step, int(frame.trace.calls.step[frame.call]), len(frame.trace))
    mine = (hooks.node[low:high] == node) & (hooks.tensor[low:high] < 0)
    return low + np.flatnonzero(mine & (hooks.before[low:high] != hooks.after[low:high]))


def _unpacked(frame: Frame, node: int) -> set[str]:
    """The operands that a hook of the snippet gives back, which may be other numbers than it was given; a checkpoint
    computes the same ones again."""
    trace = frame.trace
    if (trace.nodes.call == frame.call).any() and not trace.calls.create_graph[frame.call]:
        return set()
    return {one.name for one in frame.saved(node) if one.is_packed}


def operands_of(frame: Frame, node: int) -> dict[str, int]:
    """The tensors in the formulas of a node, by the operation's own names."""
    trace = frame.trace
    op, found = trace.op_of(node), {}
    if op is not None:
        found = {op.inputs[slot]: tensor for slot, tensor in trace.slots_of(node).items() if slot < len(op.inputs)}
        found |= dict(zip(op.outputs, trace.outputs_of(node).tolist(), strict=False))
    return found | {one.name: one.tensor for one in frame.saved(node) if one.tensor >= 0}


def fill(formula: str, words: dict[str, str]) -> str:
    """The formula with every known word replaced; "(x)" gets no second pair of brackets."""

    def word(match: re.Match[str]) -> str:
        if formula[: match.start()].endswith(_ARTICLES):  # "the values" of a sentence, no operand
            return match[0]
        found = words.get(match[0], match[0])
        enclosed = formula[match.start() - 1 : match.start()] == "(" and formula[match.end() : match.end() + 1] == ")"
        is_case = formula[: match.start()].endswith("where ") and formula[match.end() :][:1] in ("", ",")
        found = found[1:-1] if (enclosed or is_case) and is_bracketed(found) else found
        return with_article(found) if is_case else found

    return _WORD.sub(word, formula)


def is_bracketed(text: str) -> bool:
    """Whether one pair of brackets is around all of it: "(a + b)", not "(a + b).view(c)"."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return sign == ")" and at == len(text) - 1
    return False


def _read(formula: str, values: dict[str, Value | None]) -> list[Value | None]:
    """The values that occur in a formula."""
    return [values.get(word) for word in set(_WORD.findall(formula))]


def _in_numbers(formula: str, values: dict[str, Value | None]) -> str | None:
    """The formula in numbers; None if one of them is unknown, or if the elements of an array are too many or do not
    correspond element by element."""
    numbers: dict[str, str] = {}
    for word in set(re.findall(r"(\w+)ᵀ", formula)) & values.keys():
        value = values[word]
        formula, values = formula.replace(f"{word}ᵀ", f"{word}_t"), values | {f"{word}_t": _transposed(value)}
    digits = _digits(formula, values)
    for word in set(_WORD.findall(formula)):
        value = values.get(word)
        if value is None and word not in _FUNCTIONS:
            return None
        if value is not None:
            if value.dtype == "bool":
                return None
            most = _MOST_IN_PRODUCT if _PRODUCT.search(formula) else FEW
            is_long = value.array is None or value.numel > most
            if value.scalar is None and (is_long or _NOT_BY_ELEMENT.search(formula)):
                return None
            numbers[word] = factor_text(value.written(digits.get(word, 4)))
    text = re.sub(r"(\d) \(", r"\1 × (", fill(formula, numbers).replace("·", "×"))
    text = re.sub(r"(?<=[\d)]) [@⊗] | [@⊗] (?=\(?-?\d)", " × ", text)  # with a single number
    return _LEADING.sub(r"\1", text)  # the first number of a product needs no brackets


def _digits(formula: str, values: Mapping[str, Value | None]) -> dict[str, int]:
    """How many digits the sides of a difference need if 4 would not show it as large as it is."""
    found: dict[str, int] = {}
    for name, square in _ONE_LESS.findall(formula):  # "1 − y²", which is small where y is near 1
        value, power = values.get(name), 2 if square else 1
        if value is not None and value.array is not None and value.array.dtype.kind == "f" and value.numel <= FEW:
            side = value.array.astype(np.float64)
            found[name] = digits_shown(lambda each, to=power: 1 - each**to, (side,), 1 - side**power)
    for names in _DIFFERENCE.findall(formula):
        sides = [value.array for name in names if (value := values.get(name)) is not None and value.array is not None]
        if len(sides) < 2 or any(one.dtype.kind != "f" or not 0 < one.size <= FEW for one in sides):
            continue
        first, second = (one.astype(np.float64) for one in sides)
        digits = digits_shown(operator.sub, (first, second), first - second)
        found |= dict.fromkeys(names, digits)
    return found


def _mean(value: Value | None) -> Value | None:
    """The mean of all elements, if they are known."""
    if value is None or value.array is None or not value.numel:
        return None
    mean = value.array.mean(keepdims=True).reshape(())
    return Value((), value.dtype, mean, mean, None)


def _transposed(value: Value | None) -> Value | None:
    """A matrix transposed; None if it is not one or its elements are unknown."""
    if value is None or value.array is None or len(value.shape) != 2:
        return None
    turned = value.array.T
    return Value(turned.shape, value.dtype, turned, turned, None)


def _is_summed(sent: Value, grad: Value | None) -> bool:
    """Whether what was sent is smaller than what came in and could be broadcast to its shape, or each example of vmap
    to that of its own."""
    if grad is None or sent.numel >= grad.numel or len(sent.shape) > len(grad.shape):
        return False
    pairs = [(sent.shape, grad.shape)] + [(sent.shape[1:], grad.shape[1:])] * (sent.shape[:1] == grad.shape[:1])
    return any(all(m in (1, size) for m, size in zip(a[::-1], b[::-1], strict=False)) for a, b in pairs)


def bracketed(name: str) -> str:
    """A name within a formula: in brackets if it is an expression that has none around it."""
    is_in_brackets = (
        name.startswith("(") and name.endswith(tuple(SUBSCRIPTS)) and _first_pair(name) == len(name.rstrip(SUBSCRIPTS))
    )
    return name if is_in_brackets or re.fullmatch(r"[\w.\[\]]+", name) else f"({name})"


def _first_pair(name: str) -> int:
    """The number of characters of a name up to the bracket that closes its first one."""
    depth = 0
    for at, sign in enumerate(name):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            return at + 1
    return len(name)


def factor(name: str) -> str:
    """A name as a factor: in brackets if it is an expression that needs them, unlike calls."""
    depth = 0
    for sign in name:
        depth += (sign in "([{") - (sign in ")]}")
        if not depth and not (sign.isalnum() or sign in "._)]}"):
            return f"({name})"
    return name


def beside_words(name: str) -> str:
    """A name next to other words: "the mask of dropout1", "(a − y)", "w"."""
    said = with_article(name)
    return said if said != name else factor(name)


def of_function(name: str) -> str:
    """A name as the argument of a function: "ln f(x)", "tanh (a + b)₁", "ln ((a + b).pow(2))"."""
    said = factor(name)
    return said if not said.startswith("(") or bracketed(said) == said or is_bracketed(said) else f"({said})"


def mean_of(op: str, params: str) -> str:
    """The mean that a layer which normalises subtracts: "the mean of its channel"."""
    if "norm" not in op or "layer" not in op:
        return "the running mean" if "training=False" in params else f"the mean of its {_NORMED.get(op, 'channel')}"
    shape = re.search(r"normalized_shape=\(([^)]*)\)", params)
    count = len(re.findall(r"\d+", shape[1])) if shape else 1
    return f"its mean over the last {f'{count} dimensions' if count > 1 else 'dimension'}"


_NORMED = {"native_group_norm": "group"}
