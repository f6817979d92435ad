"""The state at every cursor of the hand-made sample: `z = (w * x + b) * w; z.backward(); z.backward()`."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain
from gradviz.trace.words.reasons import no_grad_reason
from tests.trace.sample import ADD, MUL1, MUL2, WX, B, W, X, Y, Z, sample_trace


@pytest.fixture
def trace() -> Trace:
    return sample_trace()


def at(trace: Trace, kind: Kind, number: int = 0) -> Frame:
    """The frame of the step of this kind, counted from 0."""
    return trace.frame(int(np.flatnonzero(trace.steps.kind == kind)[number]) + 1)


def snapshot(frame: Frame) -> dict[str, object]:
    """Everything that a frame says."""
    trace = frame.trace
    tensors = range(len(trace.tensors))
    masks = (
        frame.node_created, frame.node_ran, frame.node_freed, frame.tensor_created, frame.shown_nodes,
        frame.shown_tensors, frame.input_grad_flag, frame.input_grad_now,
    )  # fmt: skip
    return {
        "masks": [mask.tolist() for mask in masks],
        "norm": np.nan_to_num(frame.input_grad_norm, nan=-1).tolist(),
        "names": [frame.name(t) for t in tensors],
        "values": [value.text() if (value := frame.value(t)) else None for t in tensors],
        "grads": [value.text() if (value := frame.grad(t)) else None for t in tensors],
        "passing": [value.text() if (value := frame.passing(t)) else None for t in tensors],
        "saved": [frame.saved(n) for n in range(len(trace.nodes))],
        "reasons": [no_grad_reason(frame, t) for t in tensors],
        "held": int(trace.held_bytes[frame.cursor]),
        "text": explain(frame),
    }


def test_nothing_has_happened_at_cursor_0(trace: Trace) -> None:
    frame = trace.frame(0)
    assert frame.step is None
    assert not frame.node_created.any() and not frame.tensor_created.any() and not frame.shown_tensors.any()
    assert trace.held_bytes[frame.cursor] == 0 and frame.current_line == -1
    assert explain(frame).next == "x: constant (line 3)"


def test_cursors_beyond_the_ends_are_cut(trace: Trace) -> None:
    assert trace.frame(-5).cursor == 0
    assert trace.frame(10**9).cursor == len(trace)


def test_stepping_back_gives_what_stepping_forward_gave(trace: Trace) -> None:
    forward = [snapshot(trace.frame(cursor)) for cursor in range(len(trace) + 1)]
    backward = [snapshot(trace.frame(cursor)) for cursor in range(len(trace), -1, -1)]
    assert forward == backward[::-1]


def test_tensors_appear_as_they_are_made(trace: Trace) -> None:
    assert at(trace, Kind.LEAF, 1).tensor_created.tolist() == [True, True, False, False, False, False]
    assert at(trace, Kind.FORWARD, 0).tensor_created.tolist() == [True, True, True, True, False, False]


def test_names_are_the_snippets_and_else_the_expression(trace: Trace) -> None:
    frame = trace.frame(len(trace))
    assert [frame.name(t) for t in (X, W, B, WX, Y, Z)] == ["x", "w", "b", "w * x", "y", "z"]


def test_gradients_add_up_in_the_input_buffer_before_they_reach_grad(trace: Trace) -> None:
    first = at(trace, Kind.CONTRIBUTION, 0)
    buffer = first.buffer(W)
    assert buffer is not None
    assert (buffer.arrived, buffer.expected, buffer.total.scalar, buffer.used) == (1, 2, 7.0, False)
    assert first.grad(W) is None
    second = at(trace, Kind.CONTRIBUTION, 1).buffer(W)
    assert second is not None and second.total.scalar == 13.0
    assert [(node, value.scalar) for node, value in second.contributions] == [(MUL2, 7.0), (MUL1, 6.0)]
    done = at(trace, Kind.ACCUMULATE, 1)
    grad, buffer = done.grad(W), done.buffer(W)
    assert grad is not None and grad.scalar == 13.0
    assert buffer is not None and buffer.used


def test_gradients_of_intermediates_only_pass(trace: Trace) -> None:
    frame = at(trace, Kind.BACKWARD, 1)
    passing = frame.passing(Y)
    assert passing is not None and passing.scalar == 3.0
    assert frame.grad(Y) is None and frame.passing(B) is None
    assert "passed through and was not stored" in str(no_grad_reason(frame, Y))


def test_edges_light_up_when_a_gradient_flows(trace: Trace) -> None:
    before, first, later = at(trace, Kind.BACKWARD_CALL), at(trace, Kind.BACKWARD, 0), at(trace, Kind.BACKWARD, 1)
    edges = list(zip(trace.inputs.node.tolist(), trace.inputs.tensor.tolist(), strict=True))
    assert edges == [(MUL1, W), (MUL1, X), (ADD, WX), (ADD, B), (MUL2, Y), (MUL2, W)]
    assert not before.input_grad_flag.any()
    assert first.input_grad_flag.tolist() == [0, 0, 0, 0, 1, 1]
    assert first.input_grad_norm[4:].tolist() == [3.0, 7.0]
    assert first.input_grad_now.tolist() == [False] * 4 + [True] * 2
    assert later.input_grad_now.tolist() == [False, False, True, True, False, False]
    assert later.input_grad_flag.tolist() == [0, 0, 1, 1, 1, 1]
    assert later.node_ran.tolist() == [False, True, True]


def test_a_new_call_starts_afresh(trace: Trace) -> None:
    frame = at(trace, Kind.BACKWARD_CALL, 1)
    assert not frame.node_ran.any() and not frame.input_grad_flag.any()
    assert frame.buffer(W) is None
    grad = frame.grad(W)
    assert grad is not None and grad.scalar == 13.0


def test_buffers_are_held_and_then_freed(trace: Trace) -> None:
    held, freed = at(trace, Kind.BACKWARD, 0), at(trace, Kind.FREE, 0)
    assert [(one.name, one.tensor, one.state) for one in held.saved(MUL2)] == [
        ("other", W, "held"),
        ("self", Y, "held"),
    ]
    assert [one.state for one in freed.saved(MUL2)] == ["freed", "freed"]
    assert freed.saved(MUL2)[0].freed_at == freed.cursor
    assert freed.node_freed.tolist() == [False, False, True]
    assert [trace.held_bytes[each.cursor] for each in (held, freed)] == [12, 4]
    assert trace.frame(0).saved(MUL1) == ()
    assert trace.held_bytes.tolist()[-1] == 0


def test_reasons_for_no_gradient(trace: Trace) -> None:
    end, start = trace.frame(len(trace)), at(trace, Kind.FORWARD)
    assert no_grad_reason(end, X) == "requires_grad=False"
    assert no_grad_reason(start, W) == "backward() has not run yet"
    assert no_grad_reason(end, W) is None
    assert str(no_grad_reason(at(trace, Kind.BACKWARD_CALL), B)).startswith(".grad is written at step")


def test_jumps(trace: Trace) -> None:
    kinds = trace.steps.kind.tolist()
    first = kinds.index(Kind.ACCUMULATE) + 1
    assert trace.next_of(Kind.ACCUMULATE, 0) == first
    second = trace.next_of(Kind.ACCUMULATE, first)
    assert second is not None and trace.next_of(Kind.ACCUMULATE, second) is None
    assert trace.error_step == len(trace)


def test_one_graph_is_shown_throughout(trace: Trace) -> None:
    assert len(trace.graphs) == 1
    assert trace.frame(len(trace)).shown_tensors.all() and trace.frame(len(trace)).shown_nodes.all()
    assert trace.graph_of_node.tolist() == [0, 0, 0]
    assert trace.graphs.of_tensor.tolist() == [-1, -1, -1, 0, 0, 0]


def test_sentences_have_the_numbers_put_in(trace: Trace) -> None:
    assert "through this use of w: grad · y = 1 × 7 = 7" in explain(at(trace, Kind.BACKWARD)).sentence
    assert (
        explain(at(trace, Kind.ACCUMULATE)).sentence == "b.grad was None, so it takes the incoming gradient: None → 3."
    )
    waiting = explain(at(trace, Kind.CONTRIBUTION))
    assert waiting.sentence == "w has 1 of its 2 contributions: 7 came from MulBackward0 (line 8)."
    assert "∂z/∂w = 7 + 6 = 13" in explain(at(trace, Kind.CONTRIBUTION, 1)).sentence
    assert explain(at(trace, Kind.FREE)).sentence.startswith("MulBackward0 lets go of w and y, as this call was not")
    assert explain(at(trace, Kind.ACCUMULATE)).title == "AccumulateGrad (b, line 5)"
    assert explain(at(trace, Kind.BACKWARD, 1)).next == "AccumulateGrad (b, line 5)"
