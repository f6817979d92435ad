"""Which rows of a trace are which nodes of a drawing."""

from __future__ import annotations

from dataclasses import replace

from gradviz.document.code.parse import parse
from gradviz.document.documents import text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Operation, Ref
from gradviz.document.snippet import Snippet
from gradviz.session.drawn import Drawn, drawing_of, drawn, stale
from tests.trace.running import run


def rows_of(drawing: Drawing) -> tuple[Drawn, list[str]]:
    """The mapping, and the names of the operations in the trace."""
    trace = run(text_of(drawing))
    return drawn(drawing, trace), trace.nodes.op.tolist()


def matrix(id: int, name: str, *, requires_grad: bool = True) -> Leaf:
    return Leaf(id, name, ((1.0, 2.0), (3.0, 4.0)), requires_grad=requires_grad)


def test_nodes_in_one_expression_have_rows_of_their_own() -> None:
    drawing = Drawing(
        (
            Leaf(1, "w", 3.0, requires_grad=True),
            Leaf(2, "x", 2.0),
            Operation(3, "mul", (Ref(1), Ref(2))),
            Operation(4, "add", (Ref(3), Ref(1))),
            Operation(5, "tanh", (Ref(4),), names=("y",)),
        ),
        calls=(BackwardCall(Ref(5)),),
        next_id=6,
    )
    found, ops = rows_of(drawing)
    assert {node: [ops[row] for row in rows] for node, rows in found.rows.items()} == {
        3: ["mul"], 4: ["add"], 5: ["tanh"],
    }  # fmt: skip
    assert sorted(found.tensors, key=lambda ref: ref.node) == [Ref(1), Ref(2), Ref(3), Ref(4), Ref(5)]
    assert found.node_of("node", found.rows[4][0]) == 4
    assert found.ref_of_tensor[found.tensors[Ref(5)]] == Ref(5)


def test_an_output_is_what_the_operation_gives_and_not_all_that_it_makes() -> None:
    """`argsort` sorts, and leaves the sorted values to nobody."""
    leaf, sorting = matrix(1, "x"), Operation(2, "argsort", (Ref(1),), names=("order",))
    drawing = Drawing((leaf, sorting), next_id=3)
    trace = run(text_of(drawing))
    tensors = drawn(drawing, trace).tensors
    assert list(tensors) == [Ref(1), Ref(2)]
    assert trace.tensors.dtype[tensors[Ref(2)]] == "int64"
    in_place = (leaf, replace(sorting, names=()), Operation(3, "mul", (Ref(2), Ref(1)), names=("y",)))
    found, _ = rows_of(Drawing(in_place, next_id=4))
    assert sorted(found.tensors, key=lambda ref: ref.node) == [Ref(1), Ref(2), Ref(3)]


def test_a_node_that_is_several_operations_has_all_their_rows() -> None:
    nodes = (matrix(1, "x"), matrix(2, "w"), Operation(3, "nn.functional.linear", (Ref(1), Ref(2)), names=("y",)))
    found, ops = rows_of(Drawing(nodes, next_id=4))
    assert len(found.rows[3]) > 1
    inside = [tensor for tensor, node in found.node_of_tensor.items() if node == 3]
    assert len(inside) == len(found.rows[3])
    assert found.tensors[Ref(3)] == max(inside)
    assert ops[found.rows[3][-1]] in ("mm", "addmm", "matmul")


def test_several_outputs_are_several_tensors() -> None:
    nodes = (matrix(1, "x"), Operation(2, "max", (Ref(1),), params=(("dim", 1),), names=("values", "indices")))
    found, _ = rows_of(Drawing(nodes, next_id=3))
    assert {ref.output for ref in found.tensors if ref.node == 2} == {0, 1}


def test_what_gives_back_its_input_is_found_by_its_name() -> None:
    nodes = (matrix(1, "x"), Operation(2, "Tensor.contiguous", (Ref(1),), names=("y",)))
    found, _ = rows_of(Drawing(nodes, next_id=3))
    assert found.tensors[Ref(2)] == found.tensors[Ref(1)]
    assert found.ref_of_tensor[found.tensors[Ref(1)]] == Ref(1)


def test_what_can_not_run_is_not_there() -> None:
    nodes = (Leaf(1, "w", 3.0), Operation(2, "mul", (Ref(1), None)), Operation(3, "exp", (Ref(1),), names=("e",)))
    found, _ = rows_of(Drawing(nodes, next_id=4))
    assert 2 not in found.rows and 3 in found.rows
    assert found.node_of("node", 99) == 0


def test_the_mapping_is_made_once() -> None:
    drawing = Drawing((Leaf(1, "w", 3.0), Operation(2, "exp", (Ref(1),), names=("e",))), next_id=3)
    trace = run(text_of(drawing))
    assert drawn(drawing, trace) is drawn(drawing, trace)


def test_a_trace_of_the_same_text_counts_for_a_drawing() -> None:
    drawing = Drawing((Leaf(1, "w", 3.0),), next_id=2)
    assert drawing_of(Snippet(text_of(drawing)), drawing) is drawing
    assert drawing_of(Snippet("print(1)"), drawing) is None
    assert drawing_of(drawing, Drawing()) is drawing


def test_the_node_that_raised_is_found_by_its_line() -> None:
    x, w = matrix(1, "x"), Leaf(2, "w", ((1.0, 2.0),))
    product, also = Operation(3, "mm", (Ref(1), Ref(2))), Operation(4, "mm", (Ref(1), Ref(1)))
    total = Operation(5, "add", (Ref(4), Ref(3)), names=("y",))
    found, _ = rows_of(Drawing((x, w, product, also, total), next_id=6))
    assert found.failed == 3
    fine, _ = rows_of(Drawing((x, also), next_id=6))
    assert fine.failed == 0


def test_what_changed_and_all_that_follows_from_it_is_stale() -> None:
    w, x = Leaf(1, "w", 3.0), Leaf(2, "x", 2.0)
    e, y = Operation(3, "exp", (Ref(1),)), Operation(4, "mul", (Ref(3), Ref(2)), names=("y",))
    drawing = Drawing((w, x, e, y), next_id=5)
    moved = replace(drawing, nodes=(replace(w, x=50.0, name="v"), x, replace(e, pinned=True), y))
    assert stale(moved, drawing) == frozenset()
    assert stale(replace(drawing, nodes=(replace(w, data=4.0), x, e, y)), drawing) == {1, 3, 4}
    assert stale(replace(drawing, nodes=(w, x, e, replace(y, op="add"))), drawing) == {4}


def test_what_gives_on_its_input_has_run_also_without_a_name() -> None:
    text = (
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.contiguous().float().exp() + x.detach().float()\n"
    )
    drawing = parse(text)
    found, _ = rows_of(drawing)
    ops = {node.id: node.op for node in drawing.nodes if isinstance(node, Operation)}
    assert [ops[node] for node in sorted(found.passed)] == ["Tensor.contiguous", "Tensor.float", "Tensor.float"]
    assert all(Ref(node) in found.tensors for node in ops) and found.failed == 0


def test_what_raised_half_way_is_the_node_that_failed_and_has_no_result() -> None:
    drawing = parse(
        "import torch\nimport torch.nn.functional as F\nx = torch.ones(2, 3)\ny = F.linear(x, torch.ones(5, 4))\n"
    )
    (linear,) = (node.id for node in drawing.nodes if isinstance(node, Operation))
    found, _ = rows_of(drawing)
    assert found.failed == linear and Ref(linear) not in found.tensors


def test_what_raised_has_not_given_on_its_input() -> None:
    drawing = parse("import torch\nx = torch.ones(2)\ny = x.float().view(3).contiguous() + 1\n")
    found, _ = rows_of(drawing)
    ops = {node.id: node.op for node in drawing.nodes if isinstance(node, Operation)}
    assert not {ops[node] for node in found.passed} & {"Tensor.view", "Tensor.contiguous"}
    assert "contiguous" not in ops[found.failed]


IN_PLACE = "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\nx = torch.tensor([3., 4.])\n"


def test_the_result_of_an_in_place_method_is_what_it_changed() -> None:
    drawing = parse(f"{IN_PLACE}h = x * w\nx.add_(1)\nx.mul_(2)\nz = (x * w).sum()\nz.backward()")
    trace = run(text_of(drawing))
    found = drawn(drawing, trace)
    add, double = (next(node.id for node in drawing.nodes if getattr(node, "op", "") == f"Tensor.{name}_")
                   for name in ("add", "mul"))  # fmt: skip
    x = found.tensors[Ref(2)]
    assert found.tensors[Ref(add)] == found.tensors[Ref(double)] == x and found.ref_of_tensor[x] == Ref(2)
    assert [trace.nodes.op[row] for node in (add, double) for row in found.rows[node]] == ["add", "mul"]
    ran = [int(trace.nodes.step[found.rows[node][0]]) for node in (add, double)]
    frames = [trace.frame(step) for step in (*ran, len(trace))]
    assert [(frame.version(x), frame.value(x).array.tolist()) for frame in frames] == [
        (0, [3, 4]), (1, [4, 5]), (2, [8, 10]),
    ]  # fmt: skip


def test_a_tracked_in_place_method_makes_the_next_version_of_what_it_changed() -> None:
    drawing = parse(f"{IN_PLACE}h = torch.exp(w)\nk = h * 2\nh.add_(x)\nz = (h * k).sum()\nz.backward()")
    trace = run(text_of(drawing))
    found = drawn(drawing, trace)
    exp, add = (next(node.id for node in drawing.nodes if getattr(node, "op", "") == op)
                for op in ("exp", "Tensor.add_"))  # fmt: skip
    before, after = found.tensors[Ref(exp)], found.tensors[Ref(add)]
    assert trace.tensors.storage[before] == trace.tensors.storage[after]
    assert [int(trace.tensors.version[each]) for each in (before, after)] == [0, 1]
    assert len(trace.errors) == 1  # exp needs its result for the gradient, which add_ has changed


def test_a_method_that_failed_has_no_result() -> None:
    drawing = parse(f"{IN_PLACE}w.add_(1)\nz = w.sum()")
    found, _ = rows_of(drawing)
    assert found.failed == 3 and Ref(3) not in found.tensors and not found.passed
