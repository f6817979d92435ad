"""What one step computed, before its result: in numbers if these are few, "2 × (-3)", otherwise by its rule with the
names of the operands, "b + x @ W"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import SUBSCRIPTS, ordinal, with_article
from gradviz.trace.words.elements import (
    MOST_NUMBERS,
    arithmetic,
    enclosed,
    further_in_names,
    given_numbers,
    in_names,
    is_lost,
    selection_name,
    variant,
)
from gradviz.trace.words.formulas import averaged, beside_words, factor
from gradviz.trace.words.sentences import FURTHER_PARTS

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace


def computed(frame: Frame, tensor: int) -> str:
    """What a step made, with its inputs if they are a few numbers, "2 × (-3) = -6", otherwise with the names of the
    inputs of matrices and tables."""
    value = frame.value(tensor)
    text = "None" if value is None else value.written()
    if value is None or frame.current_node < 0:
        return text
    worked = worked_out(frame, tensor) or enclosed(rule_in_names(frame, tensor))
    said_already = [each.translate(_BARE) for each in ("", text, f"a copy of {text}", frame.name(tensor))]
    as_code = _NUMBERED.sub("", worked.translate(_AS_CODE)).translate(_BARE)
    return text if as_code in said_already else f"{worked} {'≈' if is_lost(worked, text) else '='} {text}"


def worked_out(frame: Frame, tensor: int) -> str:
    """How a step made its result, in numbers if these are few, "2 × (-3)"; otherwise ""."""
    trace, node, value = frame.trace, frame.current_node, frame.value(tensor)
    if value is None or value.numel > MOST_NUMBERS:
        return ""
    before, slots = trace.frame_at(frame.cursor - 1), trace.slots_of(node)
    operands = [before.value(each) if trace.tensors.step[each] < before.cursor else frame.value(each)
                for each in slots.values() if each >= 0]  # fmt: skip
    if not operands or any(one is None for one in operands):
        return ""
    params = str(trace.nodes.params[node])
    op = variant(str(trace.nodes.op[node]), params)
    given = given_numbers(op, params)
    is_first = bool(given) and _begins_with_number(frame, node, op)
    worked = arithmetic(op, [one for one in operands if one is not None], given, value, is_first)
    return worked if len(worked) <= _LONGEST_ARITHMETIC else ""


def _begins_with_number(frame: Frame, node: int, op: str) -> bool:
    """Whether the snippet writes the number before the tensor, "2 * x", which PyTorch computes as x * 2."""
    trace, sign = frame.trace, {"add": "+", "mul": "*"}.get(op, "")
    text, name = str(trace.nodes.source[node]), frame.name(int(trace.inputs_of(node)[0]))
    name = name.rstrip(SUBSCRIPTS)
    return bool(sign) and any(text.endswith(f"{sign} {each}") for each in (name, f"({name})"))


def rule_in_names(frame: Frame, tensor: int) -> str:
    """The rule of the operation with the names of its operands; the rule is that of its first result."""
    trace, node = frame.trace, frame.current_node
    kind = trace.steps.kind[frame.cursor - 1]
    names = {slot: _COPY.sub("", frame.name(each)) for slot, each in trace.slots_of(node).items() if each >= 0}
    if kind == Kind.FORWARD:  # x = x.relu()
        made = frame.name(tensor)
        names = {slot: f"the former {name}" if name == made else name for slot, name in names.items()}
    is_part = trace.nodes.name[node] == "CopySlices"  # of a tensor, which the rule is not about
    if kind == Kind.INPLACE and tensor == frame.current_tensor and not is_part:
        of_it = (frame.name(tensor), names.setdefault(0, ""))  # y.mul_(y)
        names = {slot: f"the former {of_it[0]}" if name in of_it else name for slot, name in names.items()}
    elif kind != Kind.FORWARD:
        return ""
    elif number := trace.outputs_of(node).tolist().index(tensor):
        is_one = (value := frame.value(tensor)) is not None and value.numel == 1
        op, params = str(trace.nodes.op[node]), str(trace.nodes.params[node])
        if of_function(trace, node):
            return f"its {ordinal(number + 1)} result"
        says_it = " of " in made and op not in FURTHER_PARTS  # "Vh of svd"
        return "" if says_it else further_in_names(op, params, next(iter(names.values()), ""), number, is_one)
    elif special := of_function(trace, node) or _of_view(frame, tensor):
        return special
    op, params, factors = str(trace.nodes.op[node]), str(trace.nodes.params[node]), [*map(factor, names.values())]
    if op == "_to_copy":
        before = trace.frame_at(frame.cursor - 1)
        dtypes = [*map(before.dtype, trace.slots_of(node).values()), frame.dtype(tensor)]
        op, params = "clone" if len({*dtypes}) == 1 else op, f"dtype={dtypes[-1]}"
    if op == "linalg_cholesky_ex" and (info := frame.value(int(trace.outputs_of(node)[1]))) and info.summary.high:
        return ""  # it has none
    rule = in_names(op, params, names, factors, averaged(trace, node) if "reduction" in params else 1)
    return rule if len(rule) <= _LONGEST_RULE else ""


def of_function(trace: Trace, node: int) -> str:
    """What a function of the snippet's own makes."""
    op, name = str(trace.nodes.op[node]), str(trace.nodes.name[node])
    if name != f"{op}Backward" or op in _OFTEN_SAME:
        return ""
    return f"{'what' if len(trace.outputs_of(node)) < 2 else 'the 1st result that'} {op}.forward() returns"


def _of_view(frame: Frame, tensor: int) -> str:
    """A selection by its numbers, "row 2 of W", or in the snippet's own words, "w[1]"; what stays as it is, if only the
    operation has another purpose."""
    trace, node = frame.trace, frame.current_node
    op, text, name = str(trace.nodes.op[node]), str(trace.nodes.source[node]), frame.name(tensor)
    first = next(iter(trace.slots_of(node).values()), -1)
    if op in ("select", "slice", "index"):
        return _selection(frame, tensor, first)
    shapes = [trace.tensors.shape[each] for each in (first, tensor)] if first >= 0 else [(), (1,)]
    order = re.findall(r"\d+", str(trace.nodes.params[node])) if op == "permute" else [""]
    is_same = (op in _OFTEN_SAME and shapes[0] == shapes[1]) or order == [*map(str, range(len(order)))]
    is_reshaped = _RESHAPED.search(name) and not text.endswith(name.rstrip(SUBSCRIPTS))
    if not is_same and op in ("transpose", "permute") and is_reshaped:
        return f"{beside_words(frame.name(first))} reshaped"  # axes of one element were exchanged
    if not is_same:
        return ""
    source = frame.name(first)
    return f"the former {source}, unchanged" if source == name else f"{with_article(source)}, unchanged"


def _selection(frame: Frame, tensor: int, whole: int) -> str:
    trace, node = frame.trace, frame.current_node
    text, name, source = str(trace.nodes.source[node]), frame.name(tensor), frame.name(whole)
    if _IN_NUMBERS.search(name) and name.partition("[")[0] == source.partition("[")[0]:
        return ""
    said_by_text = text.endswith("]") and len(text) <= _LONGEST_RULE and name.rstrip(SUBSCRIPTS) != text
    if trace.nodes.op[node] == "index" or (said_by_text and _IN_NUMBERS.search(text)):
        return text if said_by_text and not name.startswith(f"{source}[") else ""
    return selection_name(source, tuple(trace.tensors.shape[whole]), str(trace.nodes.params[node]))


_IN_NUMBERS = re.compile(r"\[[-\d:,. ]*\][₀-₉]*$")  # an index without variables
_RESHAPED = re.compile(r"\.reshape\([\d, ]*\)[₀-₉]*$")
_OFTEN_SAME = (
    "expand", "view", "_unsafe_view", "_reshape_alias", "squeeze", "_fw_primal", "UndefinedGrad",
    "BackwardHookFunction",
)  # fmt: skip
_LONGEST_ARITHMETIC, _LONGEST_RULE = 80, 150  # characters
_AS_CODE = str.maketrans({"−": "-", "×": "*", "·": "*", "²": "**2", "³": "**3", "⁴": "**4", "≥": ">=", "≤": "<="})
_BARE = str.maketrans("", "", " ()")  # what is only there to be read easily
_NUMBERED = re.compile(r"(?<=[)\]])[₀-₉]+|(?<=\.[TH])[₀-₉]+")  # of several that are written alike
_COPY = re.compile(r"^copy of (?=-?\d\S*$)")  # of a number, which has the number's name elsewhere
