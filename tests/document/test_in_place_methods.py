"""In-place methods in drawings: in which order the code runs, what is left out, and that it is read back. Random
drawings are compared with an evaluator in which no method changes anything, as each wire is the value that its reader
sees."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gradviz.torch as ours
from gradviz.document.catalogue import catalogue
from gradviz.document.code.parse import parse
from gradviz.document.code.pretty import flat
from gradviz.document.code.spelling import Piece, leaf, number, operation
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Number, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping import tidy
from gradviz.engine.kernel.messages import OVERLAPPING

HEAD = "import torch\n\nw = torch.tensor([1., 2.], requires_grad=True)\nx = torch.tensor([3., 4.])\n\n"
W, X = Leaf(1, "w", (1.0, 2.0), requires_grad=True), Leaf(2, "x", (3.0, 4.0))


def drawn(*operations: Operation, calls: tuple[BackwardCall, ...] = ()) -> Drawing:
    """The two leaves w and x (1 and 2), and these operations."""
    return tidy(Drawing((W, X, *operations), calls=calls, next_id=20))


def body(found: Drawing) -> str:
    """The code below the leaves."""
    return text_of(found).removeprefix(HEAD).rstrip("\n")


def test_what_reads_a_tensor_runs_before_the_method_that_changes_it() -> None:
    found = drawn(
        Operation(3, "Tensor.add_", (Ref(2), Number(1))),
        Operation(4, "mul", (Ref(2), Number(2)), names=("y",)),
        Operation(5, "mul", (Ref(3), Ref(1)), names=("z",)),
    )
    assert body(found) == "y = x * 2\nx.add_(1)\nz = x * w"
    view = replace(found, nodes=(*found.nodes, Operation(6, "Tensor.T", (Ref(2),), names=("v",)),
                                 Operation(7, "exp", (Ref(6),), names=("u",))))  # fmt: skip
    assert body(view) == "y = x * 2\nv = x.T\nu = torch.exp(v)\nx.add_(1)\nz = x * w"


def test_parts_of_a_tensor_share_its_memory_wherever_their_node_is_in_the_drawing() -> None:
    found = drawn(
        Operation(3, "atleast_2d", (Ref(4, 1),), names=("v",)),
        Operation(5, "Tensor.add_", (Ref(2), Number(1))),
        Operation(6, "Tensor.neg_", (Ref(3),)),
        Operation(4, "unbind", (Ref(2),), names=("a", "b")),
    )
    first = "a, b = x.unbind()\nv = torch.atleast_2d(b)\nx.add_(1)\n# not yet: neg_ changes the memory that add_"
    assert body(found).startswith(first)


def test_a_reader_has_a_line_of_its_own() -> None:
    found = drawn(
        Operation(3, "mul", (Ref(2), Ref(1))),
        Operation(4, "Tensor.relu_", (Ref(2),)),
        Operation(5, "add", (Ref(3), Ref(4)), names=("z",)),
    )
    assert body(found) == "y = x * w\nx.relu_()\nz = y + x"
    assert parse(text_of(found) + "# same\n", like=found) == found


def test_what_a_method_changes_has_a_name() -> None:
    found = drawn(Operation(3, "exp", (Ref(1),)), Operation(4, "Tensor.mul_", (Ref(3), Number(2))),
                  Operation(5, "sum", (Ref(4),), names=("z",)), calls=(BackwardCall(Ref(5)),))  # fmt: skip
    assert body(found) == "y = torch.exp(w)\ny.mul_(2)\nz = y.sum()\n\nz.backward()"
    named = replace(found, nodes=(*found.nodes[:3], replace(found.nodes[3], names=("k",)), found.nodes[4]))
    assert "k = torch.exp(w).mul_(2)\nz = k.sum()" in text_of(named)


@pytest.mark.parametrize(
    "operations, sentence",
    [
        ((Operation(3, "Tensor.add_", (Number(1), Ref(2))),), "add_ needs a tensor that it can change"),
        (
            (Operation(3, "Tensor.add_", (Ref(2), Number(1))), Operation(4, "mul", (Ref(2), Ref(3)), names=("y",))),
            "mul reads x after add_ has changed it: connect it to the result of add_, or to a clone of x",
        ),
        (
            (Operation(3, "Tensor.add_", (Ref(2), Number(1))), Operation(4, "Tensor.mul_", (Ref(2), Number(2)))),
            "mul_ changes the memory that add_ changes: connect it to the result of add_, or to a clone",
        ),
        (
            (
                Operation(3, "clone", (Ref(2),), names=("c",)),
                Operation(4, "Tensor.add_", (Ref(2), Number(1))),
                Operation(5, "Tensor.add_", (Ref(3), Number(1))),
                Operation(6, "mul", (Ref(2), Ref(5)), names=("y",)),
                Operation(7, "mul", (Ref(3), Ref(4)), names=("z",)),
            ),
            "add_ would run both before and after others: let it change a clone",
        ),
    ],
)
def test_what_can_have_no_order_is_left_out(operations: tuple[Operation, ...], sentence: str) -> None:
    found = drawn(*operations)
    assert sentence in [reason for _, reason in code_of(found).left_out]
    assert f"# not yet: {sentence}\n" in text_of(found)
    assert parse(text_of(found), like=found) == found


def test_backward_does_not_begin_at_what_a_method_changes_later() -> None:
    nodes = Operation(3, "sum", (Ref(1),), names=("y",)), Operation(4, "Tensor.mul_", (Ref(3), Number(2)))
    assert body(drawn(*nodes, calls=(BackwardCall(Ref(4)),))) == "y = w.sum()\ny.mul_(2)\n\ny.backward()"
    before = drawn(*nodes, calls=(BackwardCall(Ref(3)),))
    assert text_of(before).endswith("# not yet: backward waits for mul_, which changes its root: begin at its result\n")
    assert code_of(before).call_lines == (0,)


@pytest.mark.parametrize(
    "code, expected",
    [
        ("h = x * w\ny = x.add_(1)\nz = h + y", "h = x * w\ny = x.add_(1)\nz = h + y"),
        ("h = x * w\nx += 1\nz = h + x", "h = x * w\nx.add_(1)\nz = h + x"),
        ("x = x.add_(1)\nz = x * w", "x.add_(1)\nz = x * w"),
        ("z = x + x.add_(1)", "x.add_(1)\nz = x + x"),
        ("h = w * 2\nk = h\nk -= x\nz = h * k", "h = w * 2\nh.sub_(x)\nz = h * h"),
        ("z = w.exp().add_(1).mul_(2)", "y = torch.exp(w)\ny.add_(1)\nz = y.mul_(2)"),
        ("h = x * w\nx **= 2\nx //= 2\nx.clamp_(max=5)", "h = x * w\nx.pow_(2)\nx.floor_divide_(2)\nx.clamp_(max=5)"),
        ("a, b = x.unbind()\na.add_(1)\nz = a * w", "a, b = x.unbind()\na.add_(1)\nz = a * w"),
    ],
)
def test_methods_are_read(code: str, expected: str) -> None:
    found = parse(HEAD + code)
    assert body(found) == expected
    again = parse(text_of(found))
    assert text_of(again) == text_of(found) and len(again.nodes) == len(found.nodes)


_STALE = "add_ has changed the memory that this reads, and a drawing has no wire for its new value."


@pytest.mark.parametrize(
    "code, sentence",
    [
        ("v = x[0]\nx.add_(1)\nz = v * w", f"Line 8: {_STALE}"),
        ("v = x[0]\nv.add_(1)\nz = x * w", f"Line 8: {_STALE}"),
        ("a, b = x.unbind()\na.add_(1)\nz = b * w", f"Line 8: {_STALE}"),
        ("z = (x * w).sum()\nz.backward()\nx.add_(1)", "Line 8: add_ comes after backward"),
        ("x.add_(1)\nx.requires_grad_()", "Line 7: requires_grad_ comes after an in-place method"),
    ],
)
def test_what_has_no_wire_is_refused(code: str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        parse(HEAD + code)
    assert str(error.value).startswith(sentence)


# -- random drawings

FRESH = ("mul", "add", "exp", "clone", "sigmoid")
VIEWS = ("Tensor.view", "Tensor.T", "Tensor.__getitem__", "detach", "reshape")
METHODS = ("Tensor.add_", "Tensor.mul_", "Tensor.relu_", "Tensor.sigmoid_", "Tensor.copy_", "Tensor.zero_")
PARAMS = {"Tensor.view": (("shape", (2, 2)),), "reshape": (("shape", (2, 2)),), "Tensor.__getitem__": (("index", ":"),)}


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    """Wires at random among matrices, a quarter of them to in-place methods."""
    rows = ((0.5, -1.5), (2.0, 0.25))
    nodes: list[Leaf | Operation] = [Leaf(1, "w", rows, requires_grad=True), Leaf(2, "x", rows), Leaf(3, "t", rows)]
    fixed = {1}  # what PyTorch lets no method change: a leaf that requires grad, and its views
    for id in range(4, draw(st.integers(5, 13))):
        op = draw(st.sampled_from((*FRESH, *VIEWS, *METHODS, *METHODS)))
        first = draw(st.sampled_from([one for one in range(1, id) if op not in METHODS or one not in fixed]))
        if op in VIEWS and first in fixed and op != "detach":
            fixed.add(id)
        inputs: list[Operand] = [Ref(first)]
        if len(catalogue()[op].ports) > 1 and op != "Tensor.__getitem__":
            inputs.append(Ref(draw(st.integers(1, id - 1))))
        nodes.append(Operation(id, op, tuple(inputs), PARAMS.get(op, ()), (f"n{id}",) * draw(st.integers(0, 1))))
    order = draw(st.permutations(nodes[3:]))
    root = Operation(20, "sum", (Ref(len(nodes)),), names=("loss",))
    return tidy(Drawing((*nodes[:3], *order, root), calls=(BackwardCall(Ref(20)),), next_id=21))


def evaluated(found: Drawing, *, apart: bool = True) -> dict[int, Any]:
    """The value of each node that runs if none changes another: all get copies."""
    values: dict[int, Any] = {}
    left_out = {id for id, _ in code_of(found).left_out}
    waiting = [node for node in found.nodes if node.id not in left_out]
    while waiting:
        node = next(one for one in waiting if isinstance(one, Leaf) or _refs(one) <= values.keys())
        waiting.remove(node)
        if isinstance(node, Leaf):
            values[node.id] = eval(flat(leaf(node).doc), {"torch": ours})
            continue
        space = {f"v{at}": values[each.node].clone() for at, each in enumerate(node.inputs) if isinstance(each, Ref)}
        pieces = [
            number(each.value) if isinstance(each, Number) else each and Piece(f"v{at}", simple=True)
            for at, each in enumerate(node.inputs)
        ]
        text = flat(operation(catalogue()[node.op], node, pieces).doc)
        values[node.id] = eval(text, {"torch": ours, "F": ours.nn.functional}, space)
    return values


def _refs(node: Operation) -> set[int]:
    return {each.node for each in node.inputs if isinstance(each, Ref)}


def steps(found: Drawing) -> dict[int, Any]:
    """The value of each node with a line of its own, right after that line ran; a backward call is not run."""
    space: dict[str, Any] = {}
    lines = {span.line: span.node for span in reversed(code_of(found).spans)}  # the outermost of each line
    seen: dict[int, Any] = {}
    for statement in ast.parse(text_of(found).replace("import torch\n", "\n", 1)).body:
        if "backward" in ast.unparse(statement):
            continue
        exec(ast.unparse(statement), {"torch": ours}, space)
        node = lines[statement.lineno]
        seen[node] = space[dict(code_of(found).names)[node][0]].detach().clone()
    return seen | {0: space}


def memories(found: Drawing) -> dict[int, int]:
    """One number for all nodes that may share memory."""
    memory = {node.id: node.id for node in found.nodes}
    for node in found.nodes:
        if isinstance(node, Operation) and catalogue()[node.op].shares:
            old, new = memory[node.id], memory[node.inputs[0].node]  # type: ignore[union-attr]
            memory = {id: new if each == old else each for id, each in memory.items()}
    return memory


def is_refused(found: Drawing, error: RuntimeError) -> bool:
    """Whether PyTorch refuses a method for what it reads: a transposed view of the memory that it writes to."""
    memory = memories(found)
    methods = [node for node in found.nodes if isinstance(node, Operation) and node.op in METHODS]
    within = any(len({memory[each] for each in _refs(node)}) < len(node.inputs) for node in methods)
    is_turned = any(isinstance(node, Operation) and node.op == "Tensor.T" for node in found.nodes)
    return str(error) == OVERLAPPING and within and is_turned


def can_all_run(found: Drawing) -> bool:
    """Whether some order gives each reader the value that it should have: tried out."""
    nodes = {node.id: node for node in found.nodes if isinstance(node, Operation)}
    memory = memories(found)
    methods = {id for id, node in nodes.items() if node.op in METHODS}
    before: dict[int, set[int]] = {node.id: set() for node in found.nodes}  # methods that a node comes after
    for _ in nodes:
        for id, node in nodes.items():
            for each in _refs(node):
                before[id] |= before[each] | ({each} & methods)
    own = {id: before[id] | ({id} & methods) for id in before}
    seen: set[frozenset[int]] = set()

    def further(done: frozenset[int]) -> bool:
        if len(done) == len(found.nodes):
            return True
        if done in seen:
            return False
        seen.add(done)
        return any(further(done | {id}) for id in nodes if id not in done and _fits(nodes[id], done))

    def _fits(node: Operation, done: frozenset[int]) -> bool:
        if not _refs(node) <= done:
            return False
        for each in _refs(node):
            ran = {method for method in methods & done if memory[method] == memory[each]}
            if ran != {method for method in own[each] if memory[method] == memory[each]}:
                return False
        return True

    return further(frozenset(node.id for node in found.nodes if isinstance(node, Leaf)))


X_AND_ITS_TRANSPOSE = tidy(
    Drawing(
        (
            Leaf(1, "x", ((0.5, -1.5), (2.0, 0.25))),
            Operation(2, "Tensor.T", (Ref(1),)),
            Operation(3, "Tensor.add_", (Ref(1), Ref(2))),
        ),
        next_id=4,
    )
)


def test_a_method_that_reads_what_it_writes_in_another_order_has_pytorchs_error() -> None:
    with pytest.raises(RuntimeError) as error:
        steps(X_AND_ITS_TRANSPOSE)
    assert is_refused(X_AND_ITS_TRANSPOSE, error.value), text_of(X_AND_ITS_TRANSPOSE)


@given(drawings())
@settings(max_examples=150)
def test_each_node_has_the_value_that_its_wires_say(found: Drawing) -> None:
    expected = evaluated(found)
    try:
        seen = steps(found)
    except RuntimeError as error:
        assert is_refused(found, error), text_of(found)
        return
    for id, value in seen.items():
        assert id == 0 or value.tolist() == expected[id].tolist(), text_of(found)
    assert any(id in seen for id in expected)


@given(drawings())
@settings(max_examples=150)
def test_nothing_is_left_out_that_could_run(found: Drawing) -> None:
    assert (not code_of(found).left_out) == can_all_run(found), text_of(found)


@given(drawings())
@settings(max_examples=100)
def test_gradients_are_those_without_changes_or_an_error(found: Drawing) -> None:
    expected = evaluated(found)
    assume(code_of(found).call_lines[0] and expected[20].requires_grad)
    expected[20].backward()
    space: dict[str, Any] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(text_of(found).replace("import torch\n", "\n", 1), {"torch": ours}, space)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error) or is_refused(found, error), text_of(found)
        return
    mine, other = space["w"].grad, expected[1].grad
    assert (mine is None) == (other is None)
    assert mine is None or bool(((mine - other).abs() < 1e-4).all()), text_of(found)


def test_of_equal_expressions_the_first_in_the_code_is_found_first() -> None:
    w = Leaf(1, "w", 1.0, requires_grad=True)
    later, earlier = (Operation(id, "exp", (Ref(1),)) for id in (4, 5))
    users = Operation(2, "sin", (Ref(5),), names=("y",)), Operation(3, "sin", (Ref(4),), names=("z",))
    found = tidy(Drawing((w, later, earlier, *users), next_id=6))
    assert parse(text_of(found) + "# the same\n", like=found) == found


@given(drawings())
@settings(max_examples=150)
def test_what_is_written_is_read_as_the_same_drawing(found: Drawing) -> None:
    assert parse(text_of(found) + "# the same\n", like=found) == found
    left_out = {id for id, _ in code_of(found).left_out}
    kept = tuple(node for node in found.nodes if node.id not in left_out)
    runs = tidy(replace(found, nodes=kept, calls=found.calls if 20 not in left_out else ()))
    assert not code_of(runs).left_out
    again = parse(text_of(runs))
    assert text_of(again) == text_of(runs) and len(again.nodes) == len(runs.nodes)
    wires = {(node.op, node.inputs) for node in parse(text_of(again), like=runs).nodes if isinstance(node, Operation)}
    assert wires == {(node.op, node.inputs) for node in runs.nodes if isinstance(node, Operation)}
