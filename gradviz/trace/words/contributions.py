"""What the backward pass did in one step, in words: which gradients a node sent and by which rule, how they add up if a
tensor is used more than once, and what is stored in `.grad`.

Note [Contributions]: what a node sends to a tensor is the derivative of the root only if the tensor is used once.
Otherwise it is one contribution of several: the sentence says through which use it comes, and the derivative is written
once, when the sum is complete. It is never written if what flows is not a derivative of the root: with several roots, a
`gradient` other than 1, complex numbers, or a hook that changed something."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.lists import listed
from gradviz.trace.table.name_text import SUBSCRIPTS, opening, ordinal, with_article
from gradviz.trace.table.tables import span
from gradviz.trace.table.trace import in_brackets
from gradviz.trace.table.values import FEW, Value, digits_shown, number_text, summand_text
from gradviz.trace.words.elements import is_lost, over
from gradviz.trace.words.formulas import beside_words, bracketed, changed_before, factor, filled, incoming_name, mean_of
from gradviz.trace.words.sentences import Said, said

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame, SavedBuffer
    from gradviz.trace.table.trace import Trace

_MOST_TEXT = 200  # average characters of a rule beyond which its numbers are left out
_MOST_SENT = 320  # the same for the elements of what was sent: more than those of one matrix that is written out
_MOST_SUM = 80  # characters of a sum with its parts
_SELECTIONS = ("select", "slice")


def sender_name(frame: Frame, node: int) -> str:
    """Who sent a gradient, as written in a sentence."""
    if node < 0:
        return "the backward call itself"
    nodes = frame.trace.nodes
    return f"{nodes.name[node]}{in_brackets(frame.trace, int(nodes.site[node]))}"


def gradient_name(frame: Frame, tensor: int) -> str:
    """The name of a tensor's gradient in this backward call: "∂loss/∂w" if it is the derivative of the root, otherwise
    "gradient of w"."""
    name = frame.name(tensor)
    if NUMBER.fullmatch(name):
        return f"gradient of the number {name}"
    if not _is_derivative(frame, tensor):
        return f"gradient of {beside_words(name)}"
    return f"∂{bracketed(frame.root_name())}/∂{bracketed(name)}"


def _is_derivative(frame: Frame, tensor: int) -> bool:
    trace, call = frame.trace, frame.call
    rows = trace.history("roots", "call").all(call)
    if len(rows) != 1 or str(trace.tensors.dtype[tensor]).startswith("complex"):
        return False
    root, given = int(trace.roots.tensor[rows[0]]), trace.value(int(trace.roots.value[rows[0]]))
    value = frame.value(root)
    if value is None or value.numel != 1 or value.dtype.startswith("complex") or root == tensor:
        return False
    if given is not None and given.scalar != 1:
        return False
    hooks = trace.hooks
    low, high = span(hooks.step, int(trace.calls.step[call]), frame.cursor)
    return bool(np.all((hooks.after[low:high] < 0) | (hooks.after[low:high] == hooks.before[low:high])))


def _expected(frame: Frame, tensor: int) -> int:
    """The number of contributions to the gradient of a tensor in this backward call."""
    trace = frame.trace
    rows = trace.history("arrivals", "tensor").all(tensor)
    here = rows[trace.arrivals.call[rows] == frame.call]
    return int(trace.arrivals.expected[here[0]]) if len(here) else 1


@dataclass(frozen=True, slots=True)
class Sent:
    """One gradient that a node sent: its destination as the left side of an equation ("∂loss/∂x =", "through the 1st
    y:"), its rule in names and in numbers, and the gradient itself."""

    slot: int
    tensor: int  # -1 if the tensor was not recorded
    to: str
    rules: tuple[str, ...]
    value: Value


def gradients_sent(frame: Frame) -> list[Sent]:
    """What the node of the current step sent, in the order of its operands."""
    trace, node = frame.trace, frame.current_node
    low, high = span(trace.flows.step, frame.cursor - 1, frame.cursor)
    slots, grad = [int(trace.flows.slot[row]) for row in range(low, high)], received(frame)
    operands = trace.slots_of(node)
    often = Counter(operands.get(slot, -1) for slot in slots)
    nth: Counter[int] = Counter()
    found = []
    for slot, row in zip(slots, range(low, high), strict=True):
        value, tensor = trace.value(int(trace.flows.value[row])), operands.get(slot, -1)
        if value is not None:
            nth[tensor] += 1
            to = _to(frame, tensor, slot, nth[tensor], often[tensor])
            found.append(Sent(slot, tensor, to, filled(frame, node, slot, value, grad), value))
    return found


def received(frame: Frame) -> Value | None:
    """The incoming gradient of the node of the current step, as its hooks left it."""
    results = frame.trace.outputs_of(frame.current_node)
    grads = (frame.passing(int(tensor)) for tensor in results)
    came = next((one for one in grads if one is not None), None)
    changed = changed_before(frame, frame.current_node) if len(results) == 1 else -1
    return came if changed < 0 else frame.trace.value(int(frame.trace.hooks.after[changed]))


def node_sentence(frame: Frame) -> Said:
    """What one grad_fn received and sent, with its rule."""
    trace, node = frame.trace, frame.current_node
    if node < 0:
        return said("backward.unknown")
    came, sent = f"{came_in(frame)}{_retained(frame)}", gradients_sent(frame)
    if not sent:
        return said("backward.end", came=came, node=trace.nodes.name[node])
    text = ""
    for steps, in_full, most in _WAYS:
        parts = [
            _joined(one.to, [*one.rules[:steps], one.value.written() if in_full else one.value.brief()]) for one in sent
        ]
        text = "; ".join(parts)
        if len(text) <= most * len(parts):
            break
    return said("backward", came=came, sent=text[0].upper() + text[1:], letters=_letters(frame, text))


def came_in(frame: Frame) -> str:
    """ "grad = 1 came in. "; for a node with several results "109 came in for x and -110 for y. "."""
    passing = [(int(tensor), frame.passing(int(tensor))) for tensor in frame.trace.outputs_of(frame.current_node)]
    grads = [(tensor, grad) for tensor, grad in passing if grad is not None]
    if not grads:
        return ""
    came = received(frame) if len(passing) == 1 else grads[0][1]
    if len(grads) == 1 and came is not None:
        return said("part.came", grad=incoming_name(frame, frame.current_node), value=came.written())
    each = [f"{grad.written()} for {with_article(frame.name(tensor))}" for tensor, grad in grads]
    if sum(map(len, each)) > _MOST_TEXT:
        return said("part.came.many", count=len(grads))
    return said("part.came.several", values=listed(each))


def _retained(frame: Frame) -> str:
    """What the results of the node with retain_grad() have in `.grad` now."""
    said = ""
    for tensor in map(int, frame.trace.outputs_of(frame.current_node)):
        now = frame.grad(tensor) if frame.retains_grad(tensor) else None
        if now is None:
            continue
        name, before = frame.name(tensor), frame.trace.frame_at(frame.cursor - 1).grad(tensor)
        came = frame.passing(tensor)
        how = f"None → {now.written()}" if before is None else added([] if came is None else [before, came], now)
        why = f"{name}.retain_grad() was called, so " if name.isidentifier() else f"{name} retains its gradient: "
        said += f"{why}{f'{name}.grad takes it' if before is None else f'it is added to {name}.grad'}: {how}. "
    return said


def _letters(frame: Frame, text: str) -> str:
    """The meaning of the letters in a rule that are not names of the snippet."""
    node = frame.current_node
    is_fixed = "training=False" in str(frame.trace.nodes.params[node]) and frame.trace.nodes.op[node] != "dropout"
    letters = (
        ("x̂", f"x̂ = ({_normalised(frame, node) if 'x̂' in text else ''}) / σ"),
        ("/ σ", f"σ = √({'the running' if is_fixed else 'its'} variance + ε)"),
        ("ℓ′", "ℓ′ is the derivative of the loss"),
        ("f″", "f″ is the second derivative of the function"),
        ("σ(", "σ is the sigmoid function"),
        ("φ(", "Φ is the standard normal distribution function and φ its density"),
        ("ψ(", "ψ is the derivative of ln Γ"),
        ("ψ′(", "ψ′ is the second derivative of ln Γ"),
    )
    said = listed([what for letter, what in letters if letter in text or (letter == "/ σ" and "x̂" in text)])
    return f" Here {said}{_what_is_summed(frame, node, text)}." if said else _of_which_sum(frame, node, text)


def _normalised(frame: Frame, node: int) -> str:
    """What a layer that normalises divides by σ: "x − the mean of its channel"."""
    op, params = str(frame.trace.nodes.op[node]), str(frame.trace.nodes.params[node])
    return f"{factor(frame.name(int(frame.trace.slots_of(node)[0])))} − {mean_of(op, params)}"


def _what_is_summed(frame: Frame, node: int, text: str) -> str:
    """Over what the means and sums of a layer that normalises are, in whose gradients they have no other words."""
    op, params = str(frame.trace.nodes.op[node]), str(frame.trace.nodes.params[node])
    rows, of_layer = mean_of(op, params).removeprefix("its mean "), op == "native_layer_norm"
    what = rows if of_layer else "those of one group" if "group" in op else "those of one channel"
    told = [f"the means are {what}"] * ("mean(" in text)
    told += [f"{'each Σ' if told else 'Σ'} is {_REST[of_layer]}"] * ("Σ grad" in text)
    return "".join(f"; {each}" for each in told)


_REST = "that of one channel", "over the other dimensions"


def _of_which_sum(frame: Frame, node: int, text: str) -> str:
    """Over what the sum in the gradient of a softmax is, where that is not all of it."""
    trace = frame.trace
    dimension = over(str(trace.nodes.params[node]))
    shape = trace.tensors.shape[int(trace.outputs_of(node)[0])] if len(trace.outputs_of(node)) else ()
    if not dimension or "Σ" not in text or "softmax" not in trace.nodes.op[node] or len(shape) < 2:
        return ""
    return f" Here Σ is the sum{dimension}."


# The rule and its numbers, then the rule alone; last, with the shape and range of what was sent in place of its
# elements.
_WAYS = ((2, True, _MOST_TEXT), (1, True, _MOST_SENT), (1, False, 0))


def _to(frame: Frame, tensor: int, slot: int, nth: int, often: int) -> str:
    """The destination of a gradient: "∂loss/∂x =", or through which use if the tensor has several."""
    if tensor < 0:
        return f"to input {slot}:"
    if often > 1:
        return f"through the {ordinal(nth)} {frame.name(tensor)}:"
    if _expected(frame, tensor) > 1:
        return f"through this use of {with_article(frame.name(tensor))}:"
    return f"{gradient_name(frame, tensor)} ="


def _ends_with_case(step: str) -> bool:
    return ", else " in step and not step.startswith("Σ(") and ", summed over" not in step


def _joined(left: str, steps: list[str]) -> str:
    """An equation without repeated parts, and with brackets around cases: "else 0 = [1, 0]" would say that of 0."""
    if steps[0] == "0 everywhere":
        return f"{left} {steps[0]}"
    steps = ["0" if step == "-0" else f"({step})" if _ends_with_case(step) else step for step in steps]
    plain = [step.strip("()") for step in steps] + [""]
    return f"{left} {' = '.join(step for at, step in enumerate(steps) if plain[at] != plain[at + 1])}"


def contribution_sentence(frame: Frame, row: int) -> Said:
    """One gradient arrived at an input buffer that waits for several."""
    trace, tensor = frame.trace, frame.current_tensor
    arrived, expected = int(trace.arrivals.arrived[row]), int(trace.arrivals.expected[row])
    value = trace.value(int(trace.arrivals.value[row]))
    places = {
        "tensor": opening(with_article(frame.name(tensor))),
        "value": "None" if value is None else value.written(),
        "sender": sender_name(frame, int(trace.arrivals.from_node[row])),
    }
    if arrived < expected:
        places |= {"arrived": str(arrived), "expected": str(expected)}
        first = arrived <= 1
        return (
            said("contribution.first", **places)
            if first
            else said("contribution.part", **places, sum=_sum(frame, tensor, row))
        )
    places |= {"gradient": gradient_name(frame, tensor), "sum": _sum(frame, tensor, row)}
    return (
        said("contribution.both", **places) if expected == 2 else said("contribution.all", **places, expected=expected)
    )


def _sum(frame: Frame, tensor: int, row: int) -> str:
    """The content of an input buffer: "7 + 6 = 13", or only the sum if it has many parts."""
    trace = frame.trace
    total = trace.value(int(trace.arrivals.total[row]))
    if total is None:
        return "None"
    buffer = frame.buffer(tensor) if trace.arrivals.arrived[row] <= _FEW_PARTS else None
    return added([value for _, value in buffer.contributions] if buffer is not None else [], total)


_FEW_PARTS = 6  # contributions that are written individually


def added(parts: list[Value], total: Value) -> str:
    """A sum with its parts, "6 + 6 = 12"; only the sum if the elements of the parts would be illegible."""
    text, whole = terms(parts), total.written()
    if not text or len(text) > _MOST_SUM:
        return whole
    return f"{text} {'≈' if is_lost(text, whole) else '='} {whole}"


def terms(parts: list[Value]) -> str:
    """ "6 + 6"; "" if the elements would be illegible."""
    if not parts or any(part.scalar is None and part.numel > FEW for part in parts):
        return ""
    arrays = [part.array for part in parts if part.array is not None]
    is_real = len(arrays) == len(parts) and all(one.dtype.kind != "c" for one in arrays)
    sides = [one.astype(np.float64) for one in arrays] if is_real else []
    digits = digits_shown(_total, sides, _total(*sides)) if sides else 4
    first, *rest = (summand_text(part.written(digits)) for part in parts)
    return first + "".join(f" − {each[1:]}" if each.startswith("-") else f" + {each}" for each in rest)


def _total(*sides: Any) -> Any:
    return sum(sides)


def edge_words(trace: Trace, flow: int) -> tuple[str, ...]:
    """What a gradient says on its edge, in several lengths, longest first: the factor, the product, and through which
    use of the tensor if there are several, "1 · 6 = 6, through y's 1st use". () for arrays that can't be written
    there."""
    flows, product = trace.flows, product_on_edge(trace, flow)
    node, slot, sent = int(flows.node[flow]), int(flows.slot[flow]), trace.value(int(flows.value[flow]))
    if sent is None or not product:
        return ()
    frame = trace.frame_at(int(flows.step[flow]) + 1)  # with the values at that time
    steps = filled(frame, node, slot, sent, received(frame))
    rules = [step for step in reversed(steps) if step != "grad"]
    full, *rest = [_joined("", [rule, product]).strip().replace("×", "·") for rule in rules] + [product]
    tensor = int(trace.inputs.tensor[flows.input[flow]]) if flows.input[flow] >= 0 else -1
    use = f", through {frame.name(tensor)}'s {ordinal(_use(trace, flow, tensor))} use" if tensor >= 0 else ""
    is_one_of_several = tensor >= 0 and _expected(frame, tensor) > 1
    ways = [*([f"{full}{use}", f"{product}{use}"] if is_one_of_several else []), full, *rest]
    return tuple(dict.fromkeys(way for way in ways if len(way) <= _MOST_ON_EDGE))


_MOST_ON_EDGE = 44  # characters


def product_on_edge(trace: Trace, flow: int) -> str:
    """The last and shortest of these: the gradient alone."""
    sent = trace.value(int(trace.flows.value[flow]))
    return "" if sent is None or not 0 < sent.numel <= FEW else sent.written()


def _use(trace: Trace, flow: int, tensor: int) -> int:
    """Through which use of a tensor a gradient came, counted from 1 in the order of the code, in its graph."""
    row, of_node = int(trace.flows.input[flow]), trace.graph_of_node
    rows = trace.history("inputs", "tensor").all(tensor)
    mine = of_node[trace.inputs.node[rows]] == of_node[trace.flows.node[flow]]
    return int((rows[mine] <= row).sum())


def accumulate_sentence(frame: Frame) -> Said:
    """`AccumulateGrad` stored a gradient."""
    trace, tensor = frame.trace, frame.current_tensor
    name, now = frame.name(tensor), frame.grad(tensor)
    before = trace.frame_at(frame.cursor - 1).grad(tensor)
    if now is None:
        return said("accumulate.none", tensor=name)
    if before is None:
        return said("accumulate.first", tensor=name, now=now.written())
    if before.norm == 0:
        return said("accumulate.zero", tensor=name, before=before.written(), now=now.written())
    came = frame.arriving(tensor)
    total = added([] if came is None else [before, came], now)
    return said("accumulate.added", tensor=name, before=before.written(), sum=total)


def free_sentence(frame: Frame) -> Said:
    """A node freed what it saved. What that means is said once per backward call."""
    trace, node = frame.trace, frame.current_node
    begin = int(trace.calls.step[frame.call]) if frame.call >= 0 else frame.cursor - 1
    low, high = span(trace.frees.step, begin, frame.cursor - 1)
    kept = listed(saved_names(frame, node)) or "what it kept"
    return said("free" if high > low else "free.first", node=trace.nodes.name[node], kept=kept)


def saved_names(frame: Frame, node: int) -> list[str]:
    """What a node keeps for its backward, in the snippet's words, without repetition."""
    return list(dict.fromkeys(saved_name(frame, node, one) for one in frame.saved(node)))


def saved_name(frame: Frame, node: int, saved: SavedBuffer) -> str:
    """The content of one saved buffer, in the snippet's words."""
    if saved.tensor >= 0:
        name = frame.name(saved.tensor)
        return f"the number {name}" if NUMBER.fullmatch(name) else with_article(name)
    if saved.is_packed:
        return "what a hook packed"
    number = re.search(rf"(?:^|, ){re.escape(saved.name)}=([^,]+)", str(frame.trace.nodes.params[node]))
    if number and NUMBER.fullmatch(number[1]):
        return f"the number {number_text(float(number[1]))}"
    if number:
        return f"the number {number[1].strip('()')}" if number[1].endswith(("j", "j)")) else number[1]
    row, op = frame.trace.op_of(node), str(frame.trace.nodes.op[node])
    slot = row.inputs.index(saved.name) if row is not None and saved.name in row.inputs else -1
    if slot in frame.trace.slots_of(node):  # for an in-place operation that keeps what it overwrites
        return f"a copy of {with_article(frame.name(frame.trace.slots_of(node)[slot]))}"
    if str(frame.trace.nodes.name[node]).endswith("Backward"):
        return "what its forward() saved"
    if saved.name == "total_weight" and 2 not in frame.trace.slots_of(node):  # they all have the weight 1
        return "the number of rows that count"
    words = (word for part, name, word in _ITS_OWN if part in op and name == saved.name)
    return next(words, "a result of its own")


def kept_name(frame: Frame, node: int, saved: SavedBuffer) -> str:
    """The same, short enough for a tab: "x", "2", "means"."""
    return _ARTICLE.sub("", saved_name(frame, node, saved))


_ARTICLE = re.compile(r"^(?:the number(?! of)|what|the|an?|its|their) ")
NUMBER = re.compile(r"-?(?:[\d.]+(?:e[+-]?\d+)?|inf)|nan")
_ITS_OWN = (  # what a node keeps that the snippet never sees: part of the operation's name, PyTorch's word, what it is
    ("weight_norm", "result1", "the norms"),
    ("norm", "result1", "the means"),
    ("norm", "result2", "1 / √(variance + ε)"),
    ("pool", "result1", "the places of the maxima"),
    ("nll", "total_weight", "the sum of the weights of its rows"),
    ("embedding_bag", "result1", "the bag of each row"),
    ("embedding_bag", "result2", "the size of each bag"),
    ("embedding_bag", "result3", "the places of the maxima"),
    ("rnn_layer", "result3", "the gates of every time step"),
    ("attention", "logsumexp", "the logsumexp of each row of scores"),
    ("log_sigmoid", "buffer", "its exponentials"),
    ("", "LU", "the LU factors"),
    ("", "pivots", "their pivots"),
    ("", "result", "its result"),
)


def part_written(frame: Frame, node: int) -> str | None:
    """What a view is called through which something was written that left other elements of its base as they were, ""
    if it has no name; None if all were written, or not through a view. The view, whose history is new, is what the next
    operation made."""
    trace = frame.trace
    if trace.nodes.name[node] != "CopySlices":
        return None
    view = trace.outputs_of(node + 1).tolist() if node + 1 < len(trace.nodes) else []
    if not view or trace.nodes.step[node + 1] != trace.nodes.step[node]:
        return ""
    both = [view[0], int(trace.outputs_of(node)[0])]
    part, whole = (math.prod(trace.tensors.shape[each]) for each in both)
    name, base = (frame.name(each).rstrip(SUBSCRIPTS) for each in both)
    return None if part >= whole else name if name != base else ""


def puts_back(trace: Trace, node: int) -> bool:
    """Whether a copy is the last step of "x[0] += 1": Python assigns what the operator returns, x[0], to x[0]."""
    slots, storage = trace.slots_of(node), trace.tensors.storage
    is_within = trace.nodes.op[node] == "copy" and {0, 1} <= slots.keys() and storage[slots[0]] == storage[slots[1]]
    return is_within and _is_same_view(trace, slots[0], slots[1])


def _is_same_view(trace: Trace, one: int, other: int) -> bool:
    """Whether two tensors were made by the same selections from the same tensor."""
    nodes, producer = trace.nodes, trace.tensors.producer
    while one != other:
        first, second = int(producer[one]), int(producer[other])
        if min(first, second) < 0 or (nodes.op[first], nodes.params[first]) != (nodes.op[second], nodes.params[second]):
            return False
        before = trace.inputs_of(first).tolist(), trace.inputs_of(second).tolist()
        if nodes.op[first] not in _SELECTIONS or not len(before[0]) == len(before[1]) == 1:
            return False
        one, other = before[0][0], before[1][0]
    return True


def harm_sentence(frame: Frame, tensor: int) -> str:
    """What a write in the current step means for the operations that saved the memory of this tensor."""
    return _stale(frame, tensor) or _unnoticed(frame, tensor)


def _stale(frame: Frame, tensor: int) -> str:
    """Which operations saved what was overwritten."""
    stale = [
        sender_name(frame, node)
        for node in frame.trace.saved_on(int(frame.trace.tensors.storage[tensor]), frame.cursor)
        if any(one.state == "stale" for one in frame.saved(node))
    ]
    if not stale:
        return ""
    which = "one" if len(stale) == 1 else "all" if len(set(stale)) > 1 else "either" if len(stale) == 2 else "any"
    return said(f"part.stale.{which}", nodes=listed(_counted(stale)))


def _unnoticed(frame: Frame, tensor: int) -> str:
    """Which operations saved what was overwritten without a change of its version."""
    if not _is_unnoticed(frame):
        return ""
    writes, storage = frame.trace.writes, int(frame.trace.tensors.storage[tensor])
    low, high = span(writes.step, frame.cursor - 1, frame.cursor)
    written = writes.tensor[low:high].tolist()
    hurt = [
        sender_name(frame, node)
        for node in frame.trace.saved_on(storage, frame.cursor)
        if any(one.state == "held" and one.tensor in written for one in frame.saved(node))
    ]
    return said(f"part.unnoticed.{'one' if len(hurt) == 1 else 'many'}", nodes=listed(_counted(hurt))) if hurt else ""


def _is_unnoticed(frame: Frame) -> bool:
    """Whether the current step wrote to memory whose version stayed the same."""
    versions, step = frame.trace.versions, frame.cursor - 1
    row, after = span(versions.step, step, step + 1)
    if row == after:
        return False
    storage = int(versions.storage[row])
    before = frame.trace.history("versions", "storage").last(storage, step)
    version = versions.version[before] if before >= 0 else frame.trace.tensors.version[storage]
    return bool(versions.version[row] == version)


def _counted(names: list[str]) -> list[str]:
    """Each name once, with how often it is there."""
    return [f"{names.count(name)} × {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)]
