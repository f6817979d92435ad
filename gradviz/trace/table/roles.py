"""What a tensor is called that has neither a name nor a text of its own: after the part that it plays, "mask of drop1",
"output of net[0]", "h_n of lstm"."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.modules import called_names, maker, module_name, modules_in, owners_of_names
from gradviz.trace.table.name_text import (
    OF_SHAPE,
    arguments,
    gives_no_tensor,
    indexed_path,
    last_call,
    makes_object,
    numbered,
    short_op,
    subscript,
)
from gradviz.trace.table.regions import RegionKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

_LOOKED_AT = 32  # users of a tensor
MOST_TOLD_APART = 6_000  # results of a graph that are numbered where their names are alike


def leaf(trace: Trace, tensor: int) -> str:
    """The name of an unbound leaf: a number that no factory made is its own name."""
    step, label = int(trace.tensors.step[tensor]), str(trace.tensors.label[tensor])
    made = step >= 0 and trace.steps.kind[step] == Kind.LEAF and trace.steps.ref[step] == tensor
    value = trace.value(int(trace.tensors.value[tensor]))
    number = value.brief() if value is not None and value.scalar is not None else ""
    may_index = trace.tensors.dtype[tensor] in ("int64", "bool") and not (number and value and not value.shape)
    if may_index and (_SUBSCRIPT.fullmatch(label) or (not made and _has_op(trace, tensor, "index_put"))):
        return f"indices of {label}"
    played = inside(trace, tensor) if not made else ""
    changes = trace.tensors.requires_grad[tensor] or len(trace.history("writes", "tensor").all(tensor))
    if not made and not changes and number and ".running_" not in played:
        return number
    is_inner = not made and number and not last_call(label)
    if label[:1] in ("[", "{") or (is_inner and label and label in trace.nodes.source[trace.users_of(tensor)]):
        return f"tensor made in {label}"  # a list is no tensor, and a sum has no number of its own
    if (imported := _IMPORT.match(label)) is not None:
        return f"constant of {imported[1]}"
    role = played or parameter(trace, tensor, label) or constant(trace, tensor)
    return role or (f"tensor in {last_call(label)}" if gives_no_tensor("", label) else label) or f"tensor {tensor}"


def _has_op(trace: Trace, tensor: int, op: str) -> bool:
    """Whether an operation of this kind is the first that reads a tensor."""
    users = trace.users_of(tensor)
    return bool(len(users)) and str(trace.nodes.op[users[0]]) == op


def copied(trace: Trace, tensor: int, label: str) -> str:
    """What a copy of another type is called that no expression of the snippet gives: that of a number, or of a
    parameter of a module that was converted."""
    source = next(iter(trace.inputs_of(int(trace.tensors.producer[tensor])).tolist()), -1)
    if source < 0:
        value = trace.value(int(trace.tensors.value[tensor]))
        return f"copy of {value.brief()}" if value is not None and value.scalar is not None else ""
    name = trace.naming.name(source, len(trace))
    if NUMBER.fullmatch(name):
        return f"copy of {name}"
    converted = trace.tensors.is_parameter[source] or label.rpartition(".")[0] in owners_of_names(trace)
    of_module = converted and name not in label
    return f"{name}.to({trace.tensors.dtype[tensor]})" if of_module else ""


def inside(trace: Trace, tensor: int) -> str:
    """What a module made for itself, named after its role: "mask of dropout1", "bn.running_mean"; "" for others."""
    users = trace.users_of(tensor)[:_LOOKED_AT]
    if not len(users):
        return ""
    norms = users[trace.nodes.op[users] == "native_batch_norm"]  # a copy may have been made first
    node = int(norms[0] if len(norms) else users[0])
    op, slots = str(trace.nodes.op[node]), trace.slots_of(node)
    slot = next((at for at, each in slots.items() if each == tensor), -1)
    operand = {3: "running_mean", 4: "running_var"}.get(slot, "") if op == "native_batch_norm" else ""
    if operand:
        weight = trace.naming.name(slots[1], len(trace)) if 1 in slots else ""
        owner = weight.removesuffix(".weight") if weight.endswith(".weight") else module_name(trace, node)
        return f"{owner}.{operand}" if owner else ""
    owner = module_name(trace, node)
    if op != "mul" or slot != 1 or not owner or not is_mask(trace, tensor, node):
        return ""
    same = [each for each in _masks(trace, node) if module_name(trace, each) == owner]
    number = subscript(same.index(node) + 1) if len(same) > 1 and node in same else ""
    return f"mask of {owner}{number}"


def parameter(trace: Trace, tensor: int, label: str) -> str:
    """A parameter of a module that has no name: "torch.nn.Linear(2, 1).weight"."""
    tensors = trace.tensors
    if not tensors.is_parameter[tensor] or not makes_object(label) or _PARAMETER.match(label):
        return ""
    same = np.flatnonzero(tensors.is_parameter & (tensors.label == label)).tolist()
    sites = list(dict.fromkeys(tensors.site[same].tolist()))
    mine = [each for each in same if tensors.site[each] == tensors.site[tensor]]
    number = subscript(sites.index(int(tensors.site[tensor])) + 1) if len(sites) > 1 else ""
    is_usual = len(mine) <= 2 and len(tensors.shape[mine[-1]]) == 1
    is_usual |= len(mine) == 1 and _LAYER.match(label) is not None  # of an Embedding, a Linear without bias
    field = ("weight", "bias")[mine.index(tensor)] if is_usual else f"parameters[{mine.index(tensor)}]"
    return f"{label}{number}.{field}"


def field(trace: Trace, tensor: int, producer: int) -> str:
    """Which of several results: ".values" or ".indices" if an operation returns both under these names, otherwise the
    index, "[1]"; "" if there is only one."""
    if len(outputs := trace.outputs_of(producer).tolist()) < 2:
        return ""
    if len(outputs) == 2 and str(trace.nodes.op[producer]) in _WITH_INDICES:
        return (".values", ".indices")[outputs.index(tensor)]
    return f"[{int(trace.tensors.output_nr[tensor])}]"


def part(trace: Trace, tensor: int, producer: int) -> str:
    """ "U", "Vh": PyTorch's name for one of several results; "" if it only numbers them."""
    row, at = trace.op_of(producer), int(trace.tensors.output_nr[tensor])
    numbered = row is None or all(each.startswith(_NUMBERED) for each in row.outputs)
    names = _PARTS.get(str(trace.nodes.op[producer]), ()) if row is None or numbered else row.outputs
    return names[at] if at < len(names) else ""


def constant(trace: Trace, tensor: int) -> str:
    """A tensor that a call made for itself, "zeros in one_hot", "condition of HingeEmbeddingLoss"; "" for one of the
    snippet's."""
    label = str(trace.tensors.label[tensor])
    if not _made_by_call(trace, tensor):
        return ""
    known: dict[str, dict[int, str]] = trace.kept("constants of calls", dict)
    if label not in known:
        alike = np.flatnonzero((trace.tensors.producer < 0) & (trace.tensors.label == label)).tolist()
        known[label] = _numbered(trace, {each: name for each in alike if (name := _made_by_call(trace, each))})
    return known[label].get(tensor, "")


def _numbered(trace: Trace, names: dict[int, str]) -> dict[int, str]:
    """The names of what calls made for themselves, told apart where they are alike. What a recurrent module makes of
    zeros is named after its turn: "h_0 of lstm", "c_0 of lstm"."""
    alike = defaultdict[str, list[int]](list)
    for tensor, name in names.items():
        alike[name].append(tensor)
    found = dict[int, str]()
    for name, tensors in alike.items():
        what, _, owner = name.partition(" in ")
        states = _states(trace).get(owner, ()) if what == _ZEROS else ()
        for number, tensor in enumerate(tensors):
            turn, at = divmod(number, len(states) or 1)
            if states:
                several = len(tensors) > len(states)
                found[tensor] = f"{states[at]} of {owner}{subscript(turn + 1) if several else ''}"
            else:
                found[tensor] = numbered(name, number + 1) if len(tensors) > 1 else name
    return found


def _made_by_call(trace: Trace, tensor: int) -> str:
    """What a call made for itself, without a number; "" for what the snippet made."""
    users, tensors, nodes = trace.users_of(tensor), trace.tensors, trace.nodes
    node, label = (int(users[0]) if len(users) else _next_node(trace, tensor)), str(tensors.label[tensor])
    if node < 0 or not label or nodes.source[node] != label or nodes.site[node] != tensors.site[tensor]:
        return ""
    if given := _given_to(trace, tensor, node):
        return f"input of {given}"
    owner = module_name(trace, node)
    return f"{_what(trace, tensor, label)} {owner}" if owner else ""


def _given_to(trace: Trace, tensor: int, node: int) -> str:
    """The outermost module that a tensor is given to by the function that made it, as `summary` does; "" for others."""
    regions, region, given = trace.regions, int(trace.nodes.region[node]), -1
    while region >= 0:
        is_later = regions.kind[region] == RegionKind.MODULE and regions.step[region] > trace.tensors.step[tensor]
        region, given = int(regions.parent[region]), region if is_later else given
    if given < 0 or trace.tensors.is_parameter[tensor]:
        return ""
    held, name = modules_in(trace, str(trace.tensors.label[tensor])), called_names(trace)[given]
    return held[0] if len(held) == 1 and name[:1].isupper() else name


_ZEROS = "zeros"


def _what(trace: Trace, tensor: int, label: str) -> str:
    """The part that it plays in a call, with the word that goes before the name of the call."""
    tensors, value = trace.tensors, trace.value(int(trace.tensors.value[tensor]))
    if call_that_returned(trace, tensor) >= 0:
        return "gradient in"
    if tensors.dtype[tensor] == "bool":
        return "condition of"
    if tensors.is_parameter[tensor]:
        return "parameter of"
    if value is not None and value.numel and (given := _argument(label, value.summary.low)):
        return f"{given} of"
    if value is not None and value.numel and value.summary.low == value.summary.high in (0, 1):
        both = ("zero", "one") if value.numel == 1 and last_call(label) not in _states(trace) else (_ZEROS, "ones")
        return f"{both[int(value.summary.low)]} in"
    return "noise in" if last_call(label).endswith("rsample") else "constant of"


def _argument(label: str, number: complex | float) -> str:
    """Which parameter of a distribution a number in its call is, "scale" for 1 in Normal(mean, 1.0); "" if several
    are."""
    called = _CALLED_CLASS.match(label)
    names = _PARAMETER_NAMES.get(called[1], ()) if called else ()
    call = _parsed(label) if names else None
    if not isinstance(call, ast.Call):
        return ""
    given = dict(zip(names, call.args, strict=False)) | {each.arg: each.value for each in call.keywords if each.arg}
    found = [name for name in names if isinstance(each := given.get(name), ast.Constant) and each.value == number]
    return found[0] if len(found) == 1 else ""


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def made_for(trace: Trace, root: int) -> NDArray[np.int64]:
    """The results of the operations of all backward calls that start from a tensor."""
    producer, calls = trace.tensors.producer, trace.roots.call[trace.roots.tensor == root]
    return np.flatnonzero((producer >= 0) & np.isin(trace.nodes.call[producer], calls))


def in_one_module(trace: Trace, one: int, other: int) -> bool:
    """Whether two operations ran in the course of the same call of a module."""
    regions, region, site = trace.regions, trace.nodes.region, trace.nodes.site
    around = trace.nesting.ancestors(int(region[one]))
    called = [each for each in around if regions.kind[each] == RegionKind.MODULE and regions.site[each] == site[one]]
    return any(trace.nesting.contains(each, region[other]) for each in called)


def unused_beside(trace: Trace, tensor: int) -> list[int]:
    """A leaf that no operation reads, among those of the same text on its line, one for each place, as in
    `print(torch.rand(2), torch.rand(2))`."""

    def found() -> dict[tuple[str, int], dict[int, int]]:
        tensors, by_text = trace.tensors, defaultdict[tuple[str, int], dict[int, int]](dict)
        unused = (tensors.producer < 0) & (tensors.label != "") & (tensors.site >= 0)
        unused[trace.inputs.tensor[trace.inputs.tensor >= 0]] = False
        unused[trace.names.tensor] = False
        for each in np.flatnonzero(unused).tolist():
            by_text[str(tensors.label[each]), int(tensors.line[each])].setdefault(int(tensors.site[each]), each)
        return by_text

    known: dict[tuple[str, int], dict[int, int]] = trace.kept("unused leaves", found)
    site = int(trace.tensors.site[tensor])
    places = known.get((str(trace.tensors.label[tensor]), int(trace.tensors.line[tensor])), {})
    order = sorted(places, key=lambda each: int(trace.sites.col[each])) if site in places else []
    return [tensor if each == site else places[each] for each in order]


def call_that_returned(trace: Trace, tensor: int) -> int:
    """The backward call that returned this gradient, or a later one in the same expression; -1 for other tensors."""
    step = int(trace.tensors.step[tensor])
    if step < 0 or trace.tensors.producer[tensor] >= 0 or trace.steps.kind[step] == Kind.LEAF:
        return -1
    call = int(trace.steps.call[step])
    is_used_there = bool((trace.nodes.call[trace.users_of(tensor)[:1]] == call).any())
    if call >= 0 and is_used_there and not trace.calls.create_graph[call]:  # the mask of a dropout, computed again
        return -1
    return call


def gradient_of(trace: Trace, tensor: int) -> int:
    """The tensor whose .grad a result of a backward pass with a graph became, -1 for others."""

    def found() -> dict[int, int]:
        rows = np.flatnonzero(trace.grads.via >= 0)
        return dict(zip(trace.grads.via[rows].tolist(), trace.grads.tensor[rows].tolist(), strict=True))

    known: dict[int, int] = trace.kept("results that became gradients", found)
    return known.get(tensor, -1)


def of_attention(trace: Trace, tensor: int, producer: int) -> str:
    """ "q of self_attn": what a module made for its attention; "" for everything else."""
    for node in trace.users_of(tensor)[:1].tolist():
        if "_attention" in trace.nodes.op[node] and trace.nodes.site[node] == trace.nodes.site[producer]:
            slot = next((at for at, each in trace.slots_of(node).items() if each == tensor), -1)
            owner = maker(trace, producer)
            return f"{'qkv'[slot]} of {owner}" if 0 <= slot < 3 and owner else ""
    return ""


def _states(trace: Trace) -> dict[str, tuple[str, ...]]:
    """What each recurrent module makes of zeros where a call gives it no state, by the name of the module."""

    return {
        owner: ("initial state",) if layers == [""] else ("h_0", "c_0") if parts == _LSTM else ("h_0",)
        for owner, (parts, layers) in _recurrent_modules(trace).items()
    }


def _recurrent_modules(trace: Trace) -> dict[str, tuple[int, list[str]]]:
    """By the name of each recurrent module, how many parts its weights have, one for each gate, and what the names of
    the weights of its layers end with, "_l0_reverse"; nothing for a module that makes one time step."""

    def found() -> dict[str, tuple[int, list[str]]]:
        names, modules = trace.names, dict[str, tuple[int, list[str]]]()
        for row in np.flatnonzero(np.char.find(names.name.astype(str), "weight_hh") >= 0).tolist():
            path, _, layer = f"{names.owner[row]}.{names.name[row]}".partition(".weight_hh")
            sides = trace.tensors.shape[names.tensor[row]]
            parts = sides[0] // max(sides[1], 1) if len(sides) == 2 else 0
            for owner in (path, path.removeprefix("self."), path.rpartition(".")[2]):
                layers = modules.setdefault(indexed_path(owner), (parts, []))[1]
                layers.extend({layer} - {*layers})
        return modules

    known: dict[str, tuple[int, list[str]]] = trace.kept("recurrent modules", found)
    return known


def recurrent(trace: Trace, tensor: int) -> str:
    """What a recurrent module made on its way, in the letters of PyTorch's documentation: "h₃ of rnn", "i₁ of lstm",
    "f₂ of layer 1 of lstm before σ", "h_n of gru"; "" for others."""
    known: dict[int, str] = trace.kept("results in recurrent modules", lambda: _recurrent(trace))
    return known.get(tensor, "")


def _recurrent(trace: Trace) -> dict[int, str]:
    modules, letters = _recurrent_modules(trace), dict[int, str]()
    in_calls: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for node in np.flatnonzero(np.isin(trace.nodes.op, _OF_GATES)).tolist() if modules else ():
        owner = maker(trace, node)
        parts = modules.get(owner, (0, []))[0]
        for each, letter in zip(trace.outputs_of(node).tolist(), _letters(trace, node, parts, letters), strict=False):
            letters[each] = letter
            in_calls[int(trace.nodes.region[node]), owner, letter].append(each)
    for region, owner, letter in [*in_calls]:
        if letter == _STACKED:  # over time, but for the last, which is that of the layers
            *outputs, final = in_calls.pop((region, owner, letter))
            in_calls[region, owner, "output"], in_calls[region, owner, "h_n"] = outputs, [final]
    same: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for (_, owner, letter), tensors in in_calls.items():
        for layer, of_layer in _of_layers(modules[owner][1], tensors):
            for each in of_layer:
                same[int(trace.graphs.of_tensor[each]), f"{layer}{owner}", letter].append(each)
    names = dict[int, str]()
    for (_, owner, letter), tensors in same.items():
        letter, _, before = letter.partition(" ")
        for number, each in enumerate(tensors, 1):
            turn = subscript(number) if len(tensors) > 1 else ""
            names[each] = f"{letter}{turn} of {owner}{' ' * bool(before)}{before}"
    return names


def _of_layers(layers: list[str], tensors: list[int]) -> Iterator[tuple[str, list[int]]]:
    """What one call of a recurrent module made, by the layer and in the order of time, which runs layer by layer."""
    if len(layers) < 2 or len(tensors) % len(layers):
        yield "", tensors
        return
    steps = len(tensors) // len(layers)
    for at, layer in enumerate(layers):
        of_layer, is_reverse = tensors[at * steps : (at + 1) * steps], layer.endswith("_reverse")
        number = layer.removesuffix("_reverse").removeprefix("_l")
        yield f"layer {number}{' (reverse)' * is_reverse} of ", of_layer[::-1] if is_reverse else of_layer


def _letters(trace: Trace, node: int, parts: int, known: dict[int, str]) -> tuple[str, ...]:
    """The letters for the results of an operation in a module whose weights have so many parts; `known` are those of
    earlier results."""
    op, inputs = str(trace.nodes.op[node]), trace.inputs_of(node).tolist()
    makers = [int(trace.tensors.producer[each]) for each in inputs if each >= 0]
    ops = [str(trace.nodes.op[each]) if each >= 0 else "" for each in makers]
    before = [known.get(each, "") for each in inputs]
    if op == "stack":
        return (_OF_STACKED[before[0]],) if parts and before[0] in _OF_STACKED else ()
    if parts == _RNN:
        return ("h",) if op in ("tanh", "relu") else ()
    if op == "mkldnn_rnn_layer":
        return ("output", "h_T", "c_T")[: 3 * (parts == _LSTM)]
    if parts == _LSTM:
        if op == "unsafe_split":
            return "i before σ", "f before σ", "g before tanh", "o before σ"
        if op in ("sigmoid", "tanh"):
            return (before[0][0],) if " before" in before[0] else ()
        return ("c",) if op == "add" and ops == ["mul", "mul"] else ("h",) if op == "mul" and "o" in before else ()
    if parts == _GRU:
        if op == "unsafe_split":
            users = trace.users_of(int(trace.outputs_of(node)[0])).tolist()
            is_of_h = bool(users) and trace.slots_of(users[0]).get(0) == trace.outputs_of(node)[0]
            return tuple(f"{gate} from {'h' if is_of_h else 'x'}" for gate in "rzn")
        if op == "sigmoid" and ops == ["add"]:
            return ("rzn"[int(trace.tensors.output_nr[trace.inputs_of(makers[0])[0]])],)
        return ("n",) if op == "tanh" else ("h",) if op == "add" and "n" in before else ()
    return ()


_RNN, _GRU, _LSTM = 1, 3, 4  # parts of their weights
_OF_GATES = ("unsafe_split", "sigmoid", "tanh", "relu", "add", "mul", "stack", "mkldnn_rnn_layer")
_STACKED = "h of all steps or layers"
_OF_STACKED = {"h": _STACKED, "c": "c_n", "h_T": "h_n", "c_T": "c_n"}  # what a module makes of its states


def _next_node(trace: Trace, tensor: int) -> int:
    """The operation that ran next after a leaf was made, -1 if none of the next few steps is one."""
    step = int(trace.tensors.step[tensor])
    after = trace.steps.node[step + 1 : step + 9] if step >= 0 else np.empty(0, np.int64)
    return next((node for node in after.tolist() if node >= 0), -1)


def ending(trace: Trace, tensor: int, producer: int) -> str:
    """What an operation appends to the name of its operand: ".exp()", "[0]" for a step of x[0, j]."""
    op, params = str(trace.nodes.op[producer]), str(trace.nodes.params[producer])
    if op == "select" and (place := _PLACE.fullmatch(params)):
        return f"[{':, ' * int(place[1])}{place[2]}]"
    if op in OF_TRANSFORMS:
        return OF_TRANSFORMS[op]
    if op == "_to_copy":
        return f".to({trace.tensors.dtype[tensor]})"
    if op in ("squeeze", "unsqueeze"):
        return f".{op}({params.partition('dim=')[2]})"
    if op == "expand":
        return f".expand{trace.tensors.shape[tensor]}"
    if op == "slice" and (cut := _CUT.fullmatch(params)):
        return f"[{':, ' * int(cut[1])}{cut[2]}:{cut[3]}{f':{cut[4]}' if cut[4] != '1' else ''}]"
    op = short_op(op).removeprefix("linalg_vector_")  # x.norm()
    return f".{op}({arguments(params)}){field(trace, tensor, producer)}"


def for_product(trace: Trace, tensor: int, producer: int) -> str:
    """What a product of matrices makes of its operand by giving it another shape: " as 6 matrices" is what is
    multiplied, " for einsum" all on the way to it; "" for others."""
    nodes = trace.nodes
    called = last_call(str(nodes.source[producer])).rpartition(".")[2]
    together = [each for each in trace.users_of(tensor).tolist() if nodes.site[each] == nodes.site[producer]]
    read_by = {str(nodes.op[each]) for each in together}
    size, *_ = trace.tensors.shape[tensor] or (1,)
    if read_by & _PRODUCTS and len(trace.tensors.shape[tensor]) == 3:
        return f" as {size} matri{'x' if size == 1 else 'ces'}"
    if read_by and called in _BY_LETTERS:
        return " as a matrix" if "mm" in read_by else f" for {called}"
    after = {str(nodes.op[each]) for one in together for out in trace.outputs_of(one) for each in trace.users_of(out)}
    return f" for {called or 'bmm'}" if read_by <= OF_SHAPE and after & _PRODUCTS else ""


def is_mask(trace: Trace, tensor: int, node: int) -> bool:
    """Whether it is a dropout mask: 0 and one larger number, or that number alone, made in the same call."""
    nodes, label = trace.nodes, str(trace.tensors.label[tensor])
    value = trace.value(int(trace.tensors.value[tensor]))
    if label != str(nodes.source[node]) or value is None:
        return False
    named = "drop" in f"{nodes.scope[node]} {label}".lower()
    return named or (value.summary.low in (0, value.summary.high) and value.summary.high > 1)


def _masks(trace: Trace, node: int) -> list[int]:
    """The operations of the same graph that multiply by a mask, the given one included."""
    outputs = trace.outputs_of(node)
    graph = int(trace.graphs.of_tensor[outputs[0]]) if len(outputs) else -1
    if graph < 0:
        return [node]
    makers = np.unique(trace.tensors.producer[trace.naming.of_graph.all(graph)])
    alike = makers[(trace.nodes.op[makers] == "mul") & (trace.nodes.scope[makers] == trace.nodes.scope[node])]
    found = []
    for each in alike.tolist()[:MOST_TOLD_APART]:
        second = trace.slots_of(each).get(1, -1)
        if second >= 0 and trace.tensors.producer[second] < 0 and is_mask(trace, second, each):
            found.append(each)
    return found


def output(trace: Trace, tensor: int, producer: int) -> str:
    """ "output of net[0]": the result of the last operation in a module, for what follows; "" for everything else."""
    nodes, region = trace.nodes, int(trace.nodes.region[producer])
    if region < 0 or trace.regions.kind[region] != RegionKind.MODULE or trace.tensors.output_nr[tensor] > 0:
        return ""
    is_last = nodes.step[producer] == trace.nesting.last[region]
    module = module_name(trace, producer) if is_last and len(trace.users_of(tensor)) else ""
    variable = re.split(r"[.\[]", module)[0]
    is_class = nodes.scope[producer][:1].isupper() or (module[:1].isupper() and variable not in owners_of_names(trace))
    return f"output of {module}" if module and not is_class else ""


_PRODUCTS = {"bmm", "baddbmm"}
_BY_LETTERS = ("einsum", "tensordot")  # which say what is multiplied by dimensions
_PARTS = {  # as the documentation calls them
    "mkldnn_rnn_layer": ("output", "h_n", "c_n"),
    "linalg_inv_ex": ("inverse", "info"),
    "_linalg_solve_ex": ("result", "LU", "pivots", "info"),
    "linalg_cholesky_ex": ("L", "info"),
    "linalg_lu_factor_ex": ("LU", "pivots", "info"),
    **dict.fromkeys(("linalg_eig", "_linalg_eigh"), ("eigenvalues", "eigenvectors")),
    "_linalg_svd": ("U", "S", "Vh"),
    "unique_dim": ("rows", "inverse indices", "counts"),
}
_NUMBERED = ("result", "output", "others")  # results that PyTorch gives no names
_WITH_INDICES = frozenset("max min sort topk median nanmedian mode kthvalue cummax cummin".split())
OF_TRANSFORMS = {  # steps of vmap, of forward mode and of hooks, and what they make of a tensor
    "AddBatchDim": ".per_example", "BatchRepeat": ".for_every_example", "RemoveBatchDim": ".of_all_examples",
    "_fw_primal": ".primal", "UndefinedGrad": "", "BackwardHookFunction": "",
}  # fmt: skip
_PARAMETER = re.compile(r"(?:\w+\.)*Parameter\(")  # which is no module
_CALLED_CLASS = re.compile(r"(?:\w+\.)*([A-Z]\w*)\(")
_PARAMETER_NAMES = {
    **dict.fromkeys("Normal LogNormal Laplace Cauchy Gumbel".split(), ("loc", "scale")),
    **dict.fromkeys("HalfNormal HalfCauchy".split(), ("scale",)),
    "Uniform": ("low", "high"),
    "Beta": ("concentration1", "concentration0"),
    "Gamma": ("concentration", "rate"),
    **dict.fromkeys("Exponential Poisson".split(), ("rate",)),
    **dict.fromkeys("Bernoulli Geometric".split(), ("probs",)),
}
_CUT = re.compile(r"dim=(\d+), start=(\d+), end=(\d+), step=(\d+)")
_PLACE = re.compile(r"dim=(\d+), index=(-?\d+)")
NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?|True|False|-?inf|nan")
_SUBSCRIPT = re.compile(r"[^\[].*\[.*\]", re.DOTALL)  # "x[[0, 1]]", whose list becomes a tensor
_IMPORT = re.compile(r"(?:from|import)\s+([\w.]+)")
_LAYER = re.compile(r"(?:torch\.)?nn\.\w+\(")
