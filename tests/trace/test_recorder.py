"""What the recorder writes about writes, views, hooks, optimizers, second derivatives and all else that is reported."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.state import set_observer
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import SUBSCRIPTS
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain
from gradviz.trace.words.reasons import no_grad_reason
from tests.trace.running import run

HEAD = "import torch\n"


def steps(trace: Trace, kind: Kind) -> list[Frame]:
    return [trace.frame(int(step) + 1) for step in np.flatnonzero(trace.steps.kind == kind)]


def tensor(trace: Trace, name: str) -> int:
    frame = trace.frame(len(trace))
    return [number for number in range(len(trace.tensors)) if frame.name(number) == name][-1]


def text(frame: Frame, number: int) -> str | None:
    value = frame.value(number)
    return value.text() if value is not None else None


def test_an_untracked_write_keeps_the_tensor_and_its_former_value_can_be_seen() -> None:
    trace = run(
        HEAD + "w = torch.tensor([1., 2.], requires_grad=True)\nwith torch.no_grad():\n    w += 1\n    w.mul_(2)\n"
    )
    (w,) = [number for number in range(len(trace.tensors)) if trace.frame(9).name(number) == "w"]
    assert [text(frame, w) for frame in (trace.frame(1), *steps(trace, Kind.INPLACE))] == [
        "[1, 2]",
        "[2, 3]",
        "[4, 6]",
    ]
    assert [frame.version(w) for frame in (trace.frame(1), *steps(trace, Kind.INPLACE))] == [0, 1, 2]


def test_a_tracked_write_makes_the_next_tensor_over_the_same_storage() -> None:
    trace = run(HEAD + "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\ny += 1\ny.sum().backward()\n")
    old, new = [number for number in range(len(trace.tensors)) if trace.naming.name(number, 9) == "y"]
    assert [trace.frame(9).name(number) for number in (old, new)] == ["y (before line 4)", "y"]
    assert trace.tensors.storage[old] == trace.tensors.storage[new]
    assert (text(trace.frame(9), old), text(trace.frame(9), new)) == ("[2, 4]", "[3, 5]")
    assert trace.frame(len(trace)).version(new) == 1
    assert trace.inputs_of(int(trace.tensors.producer[new])).tolist()[0] == old
    grad = trace.frame(len(trace)).grad(tensor(trace, "x"))
    assert grad is not None and grad.text() == "[2, 2]"


def test_a_write_through_a_view_changes_its_base_and_the_history_of_both() -> None:
    trace = run(HEAD + "x = torch.ones(3, requires_grad=True)\ny = x * 2\ny[0] = 9.\n(y * y).sum().backward()\n")
    assert "CopySlices" in trace.nodes.name.tolist() and "AsStridedBackward0" in trace.nodes.name.tolist()
    (write,) = steps(trace, Kind.INPLACE)
    assert write.name(write.current_tensor) == "y" and text(write, write.current_tensor) == "[9, 2, 2]"
    assert "CopySlices" in [trace.nodes.name[frame.current_node] for frame in steps(trace, Kind.BACKWARD)]
    grad = trace.frame(len(trace)).grad(tensor(trace, "x"))
    assert grad is not None and grad.text() == "[0, 8, 8]"


def test_memory_that_is_shared_changes_everywhere() -> None:
    trace = run(HEAD + "x = torch.zeros(3)\nv = x[1:]\nd = x.detach()\nx[2] = 7.\nd[0] = 5.\n")
    end = trace.frame(len(trace))
    assert [text(end, tensor(trace, name)) for name in ("x", "v", "d")] == ["[5, 0, 7]", "[0, 7]", "[5, 0, 7]"]
    assert len({int(trace.tensors.storage[tensor(trace, name)]) for name in ("x", "v", "d")}) == 1


def test_data_changes_the_value_but_not_the_version() -> None:
    trace = run(HEAD + "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * x\nx.data += 10\ny.sum().backward()\n")
    x, end = tensor(trace, "x"), trace.frame(len(trace))
    assert text(end, x) == "[11, 12]" and end.version(x) == 0
    assert not len(trace.errors)
    assert "x changed with it" in explain(steps(trace, Kind.INPLACE)[0]).sentence
    assert "x.data" in [end.name(number) for number in range(len(trace.tensors))]


def test_a_stale_buffer_is_seen_before_backward_fails() -> None:
    trace = run(HEAD + "x = torch.tensor([1., 2.], requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n")
    exp = trace.nodes.name.tolist().index("ExpBackward0")
    (write,) = steps(trace, Kind.INPLACE)
    before, after = trace.frame(write.cursor - 1).saved(exp)[0], write.saved(exp)[0]
    assert (before.state, after.state) == ("held", "stale")
    assert (after.version_saved, after.version_now) == (0, 1)


def test_the_numbers_of_a_snippet_are_parameters_of_the_operation() -> None:
    trace = run(HEAD + "x = torch.tensor(3., requires_grad=True)\ny = x * 2\nz = y ** 3\nz.backward()\n")
    assert trace.nodes.params.tolist() == ["other=2", "exponent=3"]
    assert trace.inputs.tensor.tolist() == [0, 1]
    sentences = [explain(frame).sentence for frame in steps(trace, Kind.BACKWARD)]
    assert "∂z/∂x = grad · 2 = 108 × 2 = 216" in sentences[1]


def test_hooks_and_retained_gradients() -> None:
    source = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\ny.retain_grad()\n"
    source += "y.register_hook(lambda g: g * 10)\nx.register_hook(lambda g: None)\ny.sum().backward()\n"
    trace = run(HEAD + source)
    x, y = tensor(trace, "x"), tensor(trace, "y")
    changed, same = steps(trace, Kind.HOOK)
    assert explain(changed).sentence == "The hook changed the gradient: [1, 1] → [10, 10]."
    assert explain(same).sentence == "The hook was called and changed nothing."
    end = trace.frame(len(trace))
    passing, kept, leaf = end.passing(y), end.grad(y), end.grad(x)
    assert passing is not None and kept is not None and leaf is not None
    assert (passing.text(), kept.text(), leaf.text()) == ("[10, 10]", "[10, 10]", "[20, 20]")
    assert end.retains_grad(y) and not trace.frame(1).retains_grad(y)


def test_second_derivatives_belong_to_the_call_that_made_them() -> None:
    source = "x = torch.tensor(3., requires_grad=True)\ny = x ** 3\n"
    source += "(g,) = torch.autograd.grad(y, x, create_graph=True)\ng.backward()\n"
    trace = run(HEAD + source)
    g = tensor(trace, "g")
    assert trace.nodes.call[0] == -1 and set(trace.nodes.call[1:].tolist()) == {0}
    assert trace.calls.create_graph.tolist() == [True, False]
    assert trace.roots_of(1).tolist() == [g] and trace.wanted_by(0).tolist() == [tensor(trace, "x")]
    grad = trace.frame(len(trace)).grad(tensor(trace, "x"))
    assert grad is not None and grad.scalar == 18.0


def test_iterations_that_take_their_batches_from_the_same_data_are_not_one_graph() -> None:
    trace = run(
        HEAD
        + """
w = torch.tensor(1., requires_grad=True)
data = torch.arange(6.) * 2
for epoch in range(2):
    for i in range(3):
        (w * data[2 * i : 2 * i + 2]).sum().backward()
        data = data * 0.5
    with torch.no_grad():
        (w * data).sum()
left = data[:1] * 3
"""
    )
    graph = trace.graph_of_node
    groups = [set(graph[(trace.nodes.line == line) & (trace.nodes.call < 0)].tolist()) for line in (4, 7, 8, 10, 11)]
    assert [len(each) for each in groups] == [1, 12, 6, 2, 1]
    assert groups[4] <= groups[2], "what follows the loop goes on with the data"
    assert len(set().union(*groups)) == 21
    first = int(np.flatnonzero(trace.steps.kind == Kind.BACKWARD)[0])
    assert not trace.graphs.shown(first)[list(groups[0])].any(), "the data are shown, how they were made is not"


def test_training_shows_one_iteration_at_a_time() -> None:
    source = """
w = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    loss = (w * 3 - 1) ** 2
    loss.backward()
    opt.step()
"""
    trace = run(HEAD + source)
    assert len(trace.graphs) == 3
    shown = [tuple(trace.frame(c).shown_graphs()) for c in range(len(trace) + 1)]
    assert list(dict.fromkeys(shown)) == [(), (0,), (1,), (2,)]
    values = [text(frame, tensor(trace, "w")) for frame in steps(trace, Kind.OPTIMIZER)]
    assert len(set(values)) == 3
    assert all(frame.shown_tensors[tensor(trace, "w")] for frame in map(trace.frame, range(1, len(trace) + 1)))


def test_reasons() -> None:
    source = """
x = torch.tensor(2., requires_grad=True)
d = (x * 2).detach()
with torch.no_grad():
    n = x * 3
i = torch.tensor([1, 2])
k = d * 2
u = torch.tensor(5., requires_grad=True)
y = x * d
y.backward()
"""
    trace = run(HEAD + source)
    end = trace.frame(len(trace))
    reasons = {name: no_grad_reason(end, tensor(trace, name)) for name in ("x", "d", "n", "i", "k", "u", "y")}
    assert reasons == {
        "x": None,
        "d": "detached at line 4",
        "n": "computed inside no_grad at line 6",
        "i": "int64: only floating point and complex tensors can require gradients",
        "k": "computed from d, which was detached at line 4",
        "u": "not reached from y: no operation has used it",
        "y": "not a leaf: the gradient passed through and was not stored (retain_grad() stores it)",
    }


def test_a_custom_function_is_one_operation() -> None:
    source = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g
a = torch.tensor(3., requires_grad=True)
v = Square.apply(a)
v.backward()
"""
    trace = run(HEAD + source)
    assert trace.nodes.name.tolist() == ["SquareBackward"] and trace.inputs.tensor.tolist() == [tensor(trace, "a")]
    assert len(trace.tensors) == 2
    assert [one.tensor for one in trace.frame(3).saved(0)] == [tensor(trace, "a")]
    assert Kind.FREE in trace.steps.kind


def test_printed_text_and_lines() -> None:
    trace = run(HEAD + "x = torch.ones(2)\n\nprint(x)\nprint('two', 3)\n")
    assert trace.texts.text.tolist() == ["tensor([1., 1.])\n", "two 3\n"]
    assert [frame.current_line for frame in steps(trace, Kind.PRINT)] == [4, 5]


def test_held_bytes_count_storage_once() -> None:
    trace = run(HEAD + "x = torch.ones(10, requires_grad=True)\ny = x.exp()\nz = y * y\nz.sum().backward()\n")
    exp, mul = (int(np.flatnonzero(trace.nodes.op == op)[0]) for op in ("exp", "mul"))
    before = trace.frame(int(trace.nodes.step[mul]) + 1)
    assert [(one.name, one.nbytes) for n in (exp, mul) for one in before.saved(n)] == [
        ("result", 40),
        ("other", 40),
        ("self", 40),
    ]
    assert trace.held_bytes[before.cursor] == 40
    assert trace.held_bytes[-1] == 0 and max(trace.held_bytes) == 40


def test_a_deep_graph_needs_no_recursion() -> None:
    source = "x = torch.tensor(1., requires_grad=True)\ny = x\nfor i in range(5000):\n    y = y * 1.0001\n"
    source += (
        "z = torch.zeros(2)\nfor i in range(2000):\n    z[0] = z[0] + 1\nw = torch.ones(2, requires_grad=True) * 1\n"
    )
    source += "for i in range(2000):\n    w.add_(1)\ny.backward()\n"
    trace = run(HEAD + source)
    assert not len(trace.errors)
    end = trace.frame(len(trace))
    assert {end.name(number).rstrip(SUBSCRIPTS) for number in range(len(trace.tensors))} >= {"x", "y", "z", "w"}
    assert explain(end).title.startswith("AccumulateGrad")
    assert len(trace.graphs) > 1


def test_buffers_go_with_a_graph_that_nothing_refers_to() -> None:
    source = "x = torch.ones(10, requires_grad=True)\nfor i in range(3):\n    loss = (x * x).sum()\nprint(loss)\n"
    trace = run(HEAD + source)
    assert max(trace.held_bytes) == 40 and trace.held_bytes[-1] == 40
    assert Kind.FREE not in trace.steps.kind and len(trace.drops) == 2
    kept = run(HEAD + source.replace("loss = ", "loss = 0 if i == 0 else loss\n    loss = loss + "))
    assert [
        one.state for node in np.flatnonzero(kept.nodes.op == "mul") for one in kept.frame(99).saved(int(node))
    ] == ["held"] * 6


def test_a_buffer_is_held_at_the_step_that_saves_it_even_if_nothing_keeps_the_result() -> None:
    trace = run("import torch\nw = torch.ones(1, requires_grad=True)\nprint((w * 4).item())\nx = torch.ones(1)")
    assert [trace.frame_at(cursor).saved(0)[0].state for cursor in (2, 3)] == ["held", "freed"]


def test_freed_buffers_are_not_dropped_as_well() -> None:
    trace = run(HEAD + "x = torch.ones(2, requires_grad=True)\nfor i in range(3):\n    (x * x).sum().backward()\n")
    assert len(trace.frees) == 3 and not len(trace.drops)


def test_a_grad_that_is_cleared_or_assigned() -> None:
    source = "x = torch.tensor(2., requires_grad=True)\n(x * x).backward()\nx.grad.zero_()\nx.grad = None\n"
    source += "x.grad = torch.tensor(9.)\nprint(x.grad * 2)\n"
    trace = run(HEAD + source)
    titles = [explain(frame).title for frame in steps(trace, Kind.CLEAR_GRAD)]
    assert titles == ["x.grad is set to zero (line 4)", "x.grad is set to None (line 5)", "x.grad is set (line 6)"]
    sentences = [explain(frame).sentence for frame in steps(trace, Kind.CLEAR_GRAD)]
    assert sentences == ["x.grad: 4 → 0.", "x.grad: 0 → None.", "x.grad: None → 9."]
    assert "x.grad * 2" in [trace.frame(len(trace)).name(number) for number in range(len(trace.tensors))]


def test_a_grad_with_a_graph_changes_with_what_is_written_to_it_until_it_is_no_longer_the_grad() -> None:
    trace = run(
        HEAD + "w = torch.tensor(3., requires_grad=True)\n(w * w).backward(create_graph=True)\ng = w.grad\n"
        "w.grad.data.zero_()\nw.grad = None\nwith torch.no_grad():\n    g.fill_(5)\n"
    )
    values = [trace.value(each) for each in trace.grads.value[trace.grads.tensor == tensor(trace, "w")].tolist()]
    assert [value.text() if value is not None else None for value in values] == ["6", "0", None]


def test_a_grad_with_a_graph_that_is_changed_by_a_recorded_operation_is_still_the_grad() -> None:
    trace = run(
        HEAD + "w = torch.tensor(3., requires_grad=True)\n(w * w).backward(create_graph=True)\nw.grad.zero_()\n"
        "w.grad.data.fill_(5)\n"
    )
    values = [trace.value(each) for each in trace.grads.value[trace.grads.tensor == tensor(trace, "w")].tolist()]
    assert [value.text() if value is not None else None for value in values] == ["6", "0", "5"]


def test_a_gradient_that_is_summed_over_broadcast_dimensions_says_so() -> None:
    trace = run("""
import torch
b = torch.tensor([0.5], requires_grad=True)
c = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
((b + c) * b).sum().backward()
row = torch.nn.Linear(2, 2)(torch.ones(3, 2))
row.sum().backward()
""")
    sentences = [explain(frame).sentence for frame in steps(trace, Kind.BACKWARD)]
    assert "∂(((b + c) * b).sum())/∂(b + c) = grad · b = [1, 1, 1] × 0.5 = [0.5, 0.5, 0.5]" in sentences[1]
    summed = "summed over the broadcast dimensions = Σ("
    assert f"through this use of b: grad · (b + c), {summed}[1, 1, 1] × [1.5, 2.5, 3.5]) = 7.5" in sentences[1]
    assert f"rough this use of b: grad, {summed}[0.5, 0.5, 0.5]) = 1.5; " in sentences[2]
    assert sentences[2].endswith("/∂c = grad = [0.5, 0.5, 0.5].")
    assert " = grad, summed over the broadcast dimensions = [3, 3]" in " ".join(sentences)


def test_a_parameter_of_an_inner_layer_that_is_filled_again_has_its_last_value() -> None:
    trace = run("import torch.nn as nn\natt = nn.MultiheadAttention(4, 2)\n")
    names, frame = trace.names, trace.frame(len(trace))
    bias = int(names.tensor[names.name.tolist().index("out_proj.bias")])
    value = frame.value(bias)
    assert value is not None and value.text() == "[0, 0, 0, 0]"


def test_an_expanded_tensor_holds_the_memory_of_what_it_repeats() -> None:
    trace = run(
        HEAD + "x = torch.tensor([0.5], requires_grad=True)\nfar = x.expand(2**40)\nnear = far[:3]\n"
        "y = near.sin().sum()\nz = torch.sin(torch.ones(2).as_strided((9,), (0,)).requires_grad_())\n"
    )
    last = trace.frame(len(trace))
    assert text(last, tensor(trace, "far")) == "(1099511627776,) all 0.5"
    assert trace.held_bytes.max() == 4 + 8  # one element of x; both of the memory below z's operand
    assert [step.shape for step in (last.value(tensor(trace, "near")),) if step is not None] == [(3,)]


def test_a_write_through_sizes_and_strides_is_a_write_to_the_memory() -> None:
    trace = run(HEAD + "x = torch.arange(4.)\ny = x.as_strided((2,), (2,), 1)\ny.mul_(10)\n")
    assert [text(frame, tensor(trace, "x")) for frame in (trace.frame(1), trace.frame(len(trace)))] == [
        "[0, 1, 2, 3]",
        "[0, 10, 2, 30]",
    ]


def test_a_view_that_was_made_unrecorded_and_is_out_of_date_is_recorded_as_it_stands() -> None:
    """PyTorch refuses its history, but not what needs none."""
    trace = run(
        HEAD + "from gradviz.engine.kernel.state import paused\nx = torch.ones(2, 2, requires_grad=True)\n"
        "with paused():\n    y = x * 1\n    kept = y.unbind()\n    y.mul_(2)\n"
        "place = kept[1].argmax()\nz = x * 3\n"
    )
    frame = trace.frame(len(trace))
    assert text(frame, tensor(trace, "place")) == "0"
    assert text(frame, tensor(trace, "z")) == "[[3, 3], [3, 3]]"


@pytest.mark.parametrize("operand", ["h.detach()", "h.data", "h[:].detach()"])
def test_what_a_write_reads_is_recorded_as_it_was_before(operand: str) -> None:
    trace = run(f"import torch\nh = torch.tensor([1.0, 2.0], requires_grad=True) * 2\nh.mul_({operand})\n")
    frame = trace.frame(len(trace) - 1)
    read = int(trace.inputs_of(len(trace.nodes) - 1)[1])
    value = frame.value(read)
    assert value is not None and value.text() == "[2, 4]"
    after = trace.frame(len(trace)).value(read)
    assert after is not None and after.text() == "[4, 16]"


def test_what_was_recorded_goes_with_the_recorder() -> None:
    weight = torch.ones(3, requires_grad=True)
    recorder = Recorder("", "snippet.py")
    set_observer(recorder)
    (weight * 2).sum().backward()
    set_observer(None)
    rows = weakref.ref(recorder.detached.__self__)  # type: ignore[attr-defined]
    collects = gc.isenabled()
    gc.disable()
    try:
        del recorder
        assert rows() is None
    finally:
        if collects:
            gc.enable()


def test_a_gradient_is_kept_once_on_its_way_from_a_node_to_a_leaf() -> None:
    trace = run(
        HEAD + "b, x, w = (torch.ones(2, 2, requires_grad=True) for _ in range(3))\n"
        "torch.addmm(b, x, w).backward(torch.ones(2, 2))\n"
    )
    end = trace.frame(len(trace))
    leaves = [number for number in range(len(trace.tensors)) if end.grad(number) is not None]
    assert len(leaves) == 3
    for leaf in leaves:
        (arrived,) = np.unique(trace.arrivals.value[trace.arrivals.tensor == leaf])
        (kept,) = np.unique(trace.grads.value[trace.grads.tensor == leaf])
        assert arrived == kept
        assert arrived in trace.flows.value
