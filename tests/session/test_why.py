"""Why something is as it is: the answer, and the lines of the steps that led there, each at its cursor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.session.inspect.causes import MOST
from gradviz.session.inspect.inspection import inspect
from gradviz.session.inspect.why import LONGEST, Answer, Why, answers, in_words
from gradviz.session.state import Selection, State
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import sentence
from gradviz.trace.words.reasons import no_grad_reason
from tests.trace.running import run

CUT = """import torch
w = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
h = (w * 2).detach()
loss = (h * b).sum()
loss.backward()
"""
CUT_LATE = """import torch
w = torch.ones(2, requires_grad=True)
h = w * 2
is_large = (h * 3).sum() > 1
loss = h.detach().sum() * torch.ones(1, requires_grad=True)
loss.backward()
"""
APART = """import torch
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
other = v * 3
loss = w.sum()
loss.backward()
"""
TAKEN = """import torch
w = torch.tensor(1., requires_grad=True)
v = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w, v], lr=0.1)
s = w.item()
loss = (v * s - 2) ** 2
loss.backward()
opt.step()
"""
SWITCHED = """import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
net[0].requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(1, 2)).sum().backward()
opt.step()
"""
DEAD = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w * -3
out = torch.relu(h)
loss = (out * 5).sum()
loss.backward()
"""
BORN = """import torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = x.sqrt()
z = y * 2
z.sum().backward()
q = torch.log(x - 1)
r = q + 1
"""
GROWN = """import torch
w = torch.tensor(1.0, requires_grad=True)
h = w * 50
h = h + 1
h = h * 100
h.backward()
"""
CLEARED = """import torch
w = torch.ones(2, requires_grad=True)
w.sum().backward()
w.grad = None
u = w * 2
"""
FORGOTTEN = """import torch
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w * v).sum()
loss.backward()
optimizer.step()
"""
READ = """import torch
w = torch.ones(2, requires_grad=True)
(w * 0).sum().backward()
g = w.grad
h = g * 2
"""
ASKED_FOR = """import torch
w = torch.ones(2, requires_grad=True)
torch.autograd.grad((w * 2).sum(), [w])
z = w * 3
"""
SHAPED = """import torch
a = torch.ones(4, 1)
b = torch.ones(4)
c = a - b
d = c.mean()
"""
PASSED = """import torch
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2
z = y * 2
z.backward()
"""
RETURNED = """import torch
w = torch.tensor(2.0, requires_grad=True)
loss = w * w
g = torch.autograd.grad(loss, w)
"""
FILLED = """import torch
w = torch.tensor(1.0, requires_grad=True)
(w * 3).backward()
w.grad.zero_()
"""
TOO_LATE = """import torch
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w * w).backward()
optimizer.zero_grad()
optimizer.step()
"""
FROZEN = """import torch
layer = torch.nn.Linear(2, 1)
layer.weight.requires_grad_(False)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 2)).sum().backward()
optimizer.step()
"""
CUT_OFF = """import torch
w = torch.tensor(1.0, requires_grad=True)
v = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w, v], lr=0.1)
loss = (w.detach() * v) ** 2
loss.backward()
optimizer.step()
"""
USED_OFTEN = """import torch
w = torch.tensor(2.0, requires_grad=True)
y = 1000
for _ in range(4):
    y = y * w
y.backward()
"""
PLAIN = """import torch
x = torch.tensor([1.0, 2.0])
n = torch.tensor([1, 2])
"""
CREATED = """import torch
w = torch.ones(2, requires_grad=True)
h = w * 2
loss = h.sum()
"""


def tensor_of(trace: Trace, name: str) -> int:
    names = trace.names
    return [int(tensor) for tensor, text in zip(names.tensor, names.name, strict=True) if text == name][-1]


def asked(trace: Trace, name: str, topic: str) -> Answer:
    found = answers(trace.frame_at(len(trace)), tensor_of(trace, name))
    return next(answer for answer in found if answer.topic == topic)


ASKED = [
    (CUT, "w", "none", "Not reached", [2, 4, 4, 6]),
    (CUT, "h", "none", "etached", [4]),
    (CUT_LATE, "w", "none", "Not reached from loss: detached at line 5.", [2, 3, 5, 6]),
    (APART, "v", "none", "Not reached from loss", [3, 4, 6]),
    (
        DEAD,
        "w",
        "zero",
        "[0, 0]: grad where out > 0, else 0 = [5, 5] where [0, 0] > 0, else 0. It read h = [-3, -6].",
        [4, 3],
    ),
    (DEAD, "out", "zero value", "relu on line 4 made it from h = [-3, -6]: max(h, 0) = [0, 0].", [4]),
    (BORN, "x", "nan", "SqrtBackward0 (line 3)", [3]),
    (BORN, "r", "nan value", "log on line 6 made it from x - 1", [6, 7]),
    (GROWN, "w", "large", "Each of these made it larger", [5, 3]),
    (GROWN, "h", "large value", "It is 5100. Each of these made it larger.", [3, 5]),
    (CLEARED, "w", "none", "set to None at line 4", [4]),
    (FORGOTTEN, "v", "training", "the optimizer was not given it", [3, 7]),
    (SHAPED, "c", "shape", "This operation makes the shape [4, 4] of what it is given.", [4]),
    (SHAPED, "d", "shape", "This operation makes the shape [] of what it is given.", [5]),
    (READ, "g", "shape", "A gradient has the shape of its tensor, and w is [2].", [2]),
    (READ, "h", "zero value", "g is zero itself.", [3, 5]),
    (ASKED_FOR, "z", "none", "Made after the last backward call.", [4, 3]),
    (PASSED, "y", "none", "Not a leaf: the gradient passed through and was not stored", [3, 4]),
    (RETURNED, "w", "none", "The gradient was returned by autograd.grad(), which stores none.", [2, 3, 4]),
    (FILLED, "w", "zero", "It was filled with zeros on line 4.", [4]),
    (
        TOO_LATE,
        "w",
        "training",
        "w gets gradients, but line 5 clears them before the optimizer makes its step.",
        [2, 5, 6],
    ),
    (FROZEN, "weight", "training", "requires no grad, switched off on line 3, so", [2, 6]),
    (CUT_OFF, "w", "training", "(not reached from loss: detached at line 5)", [2, 5, 6, 7]),
    (USED_OFTEN, "w", "large", "It is 32000, the sum of 4 contributions.", [5]),
    (TAKEN, "w", "none", "Not reached from loss: line 5 takes plain numbers out of it", [2, 5, 7]),
    (TAKEN, "w", "training", "line 5 takes plain numbers out of it, which autograd does not follow", [2, 5, 7, 8]),
    (
        SWITCHED,
        "0.weight",
        "training",
        "net[0].weight requires no grad, switched off on line 4, so an optimizer",
        [3, 7],
    ),
    (PLAIN, "x", "none", "It has requires_grad=False.", []),
    (PLAIN, "n", "none", "Its dtype is int64: only floating point", []),
    (CREATED, "loss", "leaf", "sum on line 4 computed it from the leaf w", [2, 3, 4]),
]


@pytest.mark.parametrize(("text", "name", "topic", "why", "lines"), ASKED, ids=[f"{a[1]}-{a[2]}" for a in ASKED])
def test_an_answer_names_the_steps_that_led_there(text: str, name: str, topic: str, why: str, lines: list[int]) -> None:
    trace = run(text)
    answer = asked(trace, name, topic)
    assert why in answer.why
    assert [reason.line for reason in answer.chain] == lines
    assert all(0 < reason.cursor <= len(trace) for reason in answer.chain)
    forward = [reason for reason in answer.chain if " made " in reason.text and "ackward" not in reason.text]
    assert [int(trace.steps.line[reason.cursor - 1]) for reason in forward] == [reason.line for reason in forward]


def test_what_the_root_was_computed_from_is_not_said_to_be_apart() -> None:
    trace = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nh = w * w\nz = (h * w).sum()\nz.backward()\nz.backward()"
    )
    last = asked(trace, "h", "none").chain[-1]
    assert (last.line, last.text) == (6, "backward() began at z")


def test_nothing_notable_is_said_of_a_parameter_that_is_trained() -> None:
    trace = run(FORGOTTEN)
    found = answers(trace.frame_at(len(trace)), tensor_of(trace, "w"))
    assert [(answer.topic, answer.notable) for answer in found] == [("gradient", False), ("shape", False)]


def test_where_an_ordinary_gradient_comes_from_is_told_on_request() -> None:
    trace = run(
        "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\ny = w * 3\nz = (y * y).sum()\nz.backward()"
    )
    said = in_words(trace.frame_at(len(trace)), tensor_of(trace, "w"), "a.py")
    assert said.startswith("Why has w this gradient?\nIt is [18, 36]. These operations sent it, from z back to here.\n")
    lines = ["SumBackward0 got 1 and sent [1, 1]", "MulBackward0 got [1, 1] and sent [3, 6]"]
    lines.append("MulBackward0 got [6, 12] and sent [18, 36], 3 times as large")
    assert [each for each in lines if f": {each}" in said] == lines


def test_of_several_contributions_the_way_of_the_largest_is_told() -> None:
    trace = run("import torch\nw = torch.tensor(2.0, requires_grad=True)\nz = w * 3 + w * 5\nz.backward()")
    said = in_words(trace.frame_at(len(trace)), tensor_of(trace, "w"), "a.py")
    assert "It is 8, the sum of 2 contributions. These operations sent the largest of them, from" in said
    assert "MulBackward0 got 1 and sent 5" in said and "sent 3" not in said
    thrice = run("import torch\nw = torch.tensor(2.0, requires_grad=True)\nz = w * 3 + w * 5 + w\nz.backward()")
    second = next(at for at in range(len(thrice)) if sentence(thrice.frame_at(at)).startswith("w has 2 of its 3"))
    told = in_words(thrice.frame_at(second), tensor_of(thrice, "w"), "a.py")
    assert "It is 6, the sum of 2 of its 3 contributions." in told


def test_a_long_chain_keeps_its_ends() -> None:
    trace = run(
        "import torch\nh = torch.ones(2, requires_grad=True)\nfor i in range(30):\n    h = h * 0\nh.sum().backward()"
    )
    frame = trace.frame_at(len(trace))
    leaf = asked(trace, "h", "leaf")
    zero = answers(frame, 0)[0]
    assert len(leaf.chain) == len(zero.chain) == MOST
    assert leaf.chain[0].text == "h was created"


def test_the_words_in_a_terminal_name_lines_and_steps() -> None:
    trace = run(DEAD)
    said = in_words(trace.frame_at(len(trace)), 0, "a.py")
    assert said.startswith("Why is the gradient of w zero?\nReluBackward0 (line 4)")
    assert "\n  a.py:4: ReluBackward0 got [5, 5] and sent [0, 0] [step " in said


def shown(why: Why, state: State) -> list[str]:
    inspection = inspect(state, state.selection)
    assert inspection is not None
    return [row.text for section in why.added_to(inspection, state).sections for row in section.rows]


def test_the_answers_stay_while_their_steps_are_looked_at() -> None:
    trace = run(APART)
    tensor = tensor_of(trace, "v")
    state = replace(State(), trace=trace, cursor=len(trace), selection=Selection("tensor", tensor))
    why = Why()
    told = shown(why, state)
    assert "Not reached from loss." in told
    assert "this shape?" in told
    why.keep(state, 2)
    earlier = shown(why, replace(state, cursor=2))
    assert "Not reached from loss." in earlier
    assert f"Back to step {len(trace)}, of which this is said" in earlier
    assert "Not reached from loss." not in shown(why, replace(state, cursor=2, selection=Selection("tensor", 0)))


def test_a_question_is_answered_when_it_is_asked() -> None:
    trace = run(CREATED)
    state = replace(State(), trace=trace, cursor=len(trace), selection=Selection("tensor", tensor_of(trace, "h")))
    why = Why()
    assert not any("computed it from the leaf w" in text for text in shown(why, state))
    place = [answer.topic for answer in answers(trace.frame_at(len(trace)), tensor_of(trace, "h"))].index("leaf")
    why.ask(place)
    assert any("computed it from the leaf w" in text for text in shown(why, state))


FAR = """import torch
w = torch.tensor(1.0, requires_grad=True)
h = w * 2
for i in range(COUNT):
    h = torch.tanh(h)
out = h * 0
loss = torch.sin(out)
loss.backward()
"""


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (100, "MulBackward0 (line 6) got 1 and sent 0: grad · 0 = 1 × 0."),
        (LONGEST + 100, f"It was so {LONGEST:,} operations before it came here."),
    ],
)
def test_a_gradient_that_became_zero_far_away_is_traced_to_there(count: int, why: str) -> None:
    trace = run(FAR.replace("COUNT", str(count)))
    found = answers(trace.frame_at(len(trace)), 0)
    (answer,) = (each for each in found if each.topic == "zero")
    assert answer.why == why
    assert len(answer.chain) == MOST


def test_contributions_that_cancel_are_the_reason_for_a_zero() -> None:
    trace = run("""import torch
b = torch.tensor(3.0, requires_grad=True)
c = b * 1
loss = (c + 2) - (c + 5)
loss.backward()
""")
    of_c, of_b = (asked(trace, name, "zero") for name in "cb")
    assert of_c.why == "What came to c through its 2 uses adds up to it: -1 + 1 = 0."
    assert of_b.why == of_c.why and [each.line for each in of_b.chain] == [3]


def test_an_optimizer_that_stepped_before_a_tensor_existed_did_not_pass_over_it() -> None:
    trace = run("""import torch
for _ in range(2):
    v = torch.tensor(1.0, requires_grad=True)
    opt = torch.optim.SGD([v], lr=0.1)
    (v * 2).backward()
    opt.step()
late = torch.nn.Linear(1, 1)
""")
    for cursor in range(1, len(trace) + 1):
        for tensor in [each for each in range(len(trace.tensors)) if trace.tensors.step[each] < cursor]:
            assert not [a for a in answers(trace.frame(cursor), tensor) if a.topic == "training"]


def test_an_expression_whose_grad_is_asked_for_is_in_brackets() -> None:
    trace = run("import torch\na = torch.ones(2, requires_grad=True)\nb = a.sum() + a.sum() * 2\na.sum().backward()\n")
    questions = [a.question for t in range(len(trace.tensors)) for a in answers(trace.frame(len(trace)), t)]
    assert "Why is (a.sum() * 2).grad None?" in questions


def test_a_value_that_was_written_in_place_is_explained_by_the_write() -> None:
    """Also where the write went to what a view, or what was detached, shares its memory with."""
    text = "import torch\nv = torch.ones(2)\nu = v.detach()\nr = v[0:1]\nv.zero_()\nw = r * 2\n"
    trace = run(text)
    frame = trace.frame(len(trace))
    said = {each: answers(frame, each)[0] for each in range(len(trace.tensors)) if frame.name(each) in "urw"}
    shares = {frame.name(each): answer.why for each, answer in said.items()}
    assert shares == {
        "u": "zero on line 5 overwrote v, whose memory u shares: it became [0, 0].",
        "r": "zero on line 5 overwrote v, whose memory r shares: it became [0, 0].",
        "w": "zero on line 5 overwrote v, whose memory r shares: it became [0, 0].",
    }
    assert [each.line for answer in said.values() for each in answer.chain] == [5, 5, 5, 6]


def test_operations_and_numbers_are_called_as_people_call_them() -> None:
    trace = run("import torch\nx = torch.zeros(2, requires_grad=True)\ny = torch.tensor(3) * x.softmax(0)[:1] * 0\n")
    frame = trace.frame(len(trace))
    text = " ".join(in_words(frame, each) for each in range(len(trace.tensors)))
    assert "softmax of x made" in text and "_softmax" not in text
    trace = run("import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * 3).mean()\n"
                "(g,) = torch.autograd.grad(y, x, create_graph=True)\n")  # fmt: skip
    frame = trace.frame(len(trace))
    (one,) = (each for each in range(len(trace.tensors)) if frame.name(each) == "1")
    assert answers(frame, one)[0].question == "Why has the number 1 no .grad?"


def test_what_a_checkpoint_computes_again_is_no_gradient() -> None:
    trace = run("""import torch
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True)
checkpoint(lambda a: torch.nn.functional.dropout(a * 2, 0.5), x, use_reentrant=True).sum().backward()
(g,) = torch.autograd.grad((x * 2).sum(), x)
""")
    frame = trace.frame(len(trace))
    (mask,) = (each for each in range(len(trace.tensors)) if frame.name(each) == "mask of dropout")
    (given,) = (each for each in range(len(trace.tensors)) if frame.name(each) == "g")
    none = {each: next(one.why for one in answers(frame, each) if one.topic == "none") for each in (mask, given)}
    assert none == {
        mask: "It has requires_grad=False.",
        given: "A gradient that was computed without create_graph=True at line 5.",
    }


def test_a_gradient_that_a_transform_returned_is_not_said_to_be_of_another_function() -> None:
    trace = run("import torch\nx = torch.tensor(2.)\nfound = torch.func.grad(torch.sin)(x)\n")
    frame = trace.frame(len(trace))
    (given,) = (each for each in range(len(trace.tensors)) if frame.requires_grad(each) and frame.is_leaf(each))
    why = next(one.why for one in answers(frame, given) if one.topic == "none")
    assert why == "The gradient was returned by the transform, which stores none."


def test_a_truth_value_is_not_asked_why_it_is_zero() -> None:
    trace = run("import torch\nm = torch.ones(2)\nsmall = m.sum() == 1000\n")
    small = int(trace.outputs_of(len(trace.nodes) - 1)[0])
    assert all(each.topic != "zero value" for each in answers(trace.frame_at(len(trace)), small))


def test_a_gradient_that_passed_in_an_earlier_call_was_not_stored() -> None:
    trace = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nh = w * 2\nh.sum().backward()\n(w * 3).sum().backward()\n"
    )
    answer = asked(trace, "h", "none")
    assert answer.why == "Not a leaf: the gradient passed through and was not stored (retain_grad() stores it)."
    assert [reason.line for reason in answer.chain] == [3]


def test_what_required_no_grad_when_it_was_used_is_no_matter_of_derivatives() -> None:
    text = """import torch
w = torch.ones(2)
v = torch.ones(2, requires_grad=True)
h = w * 2
(h * v).sum().backward()
w.requires_grad_()
later = w * 3
"""
    answer = asked(run(text), "w", "none")
    assert answer.why.endswith("none of the inputs of mul required grad at line 4.")


def test_an_error_about_an_unused_input_did_not_keep_its_gradient_away() -> None:
    text = """import torch
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)
y = a ** 2
torch.autograd.grad(y, [a, b])
"""
    assert asked(run(text), "b", "none").why == "Not reached from y: no operation has used it."


def test_what_was_trained_by_hand_before_an_optimizer_came_is_trained() -> None:
    text = """import torch
w = torch.ones(2, requires_grad=True)
w.sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
v = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([v], lr=0.1)
v.sum().backward()
opt.step()
"""
    trace = run(text)
    tensor = int(trace.names.tensor[trace.names.name.tolist().index("w")])
    assert all(each.topic != "training" for each in answers(trace.frame_at(len(trace)), tensor))


def test_what_a_backward_call_computes_was_made_during_it() -> None:
    trace = run("import torch\nx = torch.ones(2, requires_grad=True)\n(x**3).sum().backward(create_graph=True)")
    within = np.flatnonzero(trace.tensors.step > trace.calls.step[0])
    made = [each for each in within.tolist() if trace.tensors.producer[each] >= 0 and trace.tensors.requires_grad[each]]
    frame = trace.frame_at(int(trace.calls.end[0]) - 1)
    assert {no_grad_reason(frame, each) for each in made} == {"made during the last backward call"}


def test_a_large_factor_is_a_plain_number() -> None:
    trace = run("import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * 7512).sum()\ny.backward()")
    assert ", 7500 times as large" in in_words(trace.frame_at(len(trace)), tensor_of(trace, "x"))


def test_a_long_chain_says_how_much_of_it_is_left_out() -> None:
    for times, said in ((MOST // 2, False), (12, True)):
        code = f"import torch\nx = torch.ones(2, requires_grad=True)\ny = x\nfor _ in range({times}):\n"
        trace = run(f"{code}    y = torch.sin(y) * 1.5\ny.sum().backward()")
        found = in_words(trace.frame_at(len(trace)), tensor_of(trace, "x"))
        assert (f"after {2 * times + 1 - MOST} more, MulBackward0 got" in found) == said, "one more is written out"


def test_a_gradient_that_retain_grad_stores_was_not_returned() -> None:
    trace = run(
        "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nh = x * 2\nh.retain_grad()\n"
        "h.register_hook(lambda g: g * 3)\n(h * h).sum().backward()\n"
    )
    made = [trace.frame_at(at) for at in range(1, len(trace) + 1)]
    h = next(each.current_tensor for each in made if each.current_tensor >= 0 and each.name(each.current_tensor) == "h")
    reasons = [no_grad_reason(each, h) for each in made]
    assert "the gradient is in its input buffer; .grad is written next" in reasons
    assert not [each for each in reasons if each and "autograd.grad" in each] and reasons[-1] is None


def test_the_way_of_a_gradient_goes_through_the_result_that_most_came_for() -> None:
    trace = run(
        "import torch\ntorch.manual_seed(0)\nlstm = torch.nn.LSTM(1, 2, num_layers=2)\n"
        "out, (h, c) = lstm(torch.ones(3, 1, 1))\nh[-1].sum().backward()\n"
    )
    frame = trace.frame_at(len(trace))
    told = in_words(frame, tensor_of(trace, "weight_hh_l0"))
    assert "MkldnnRnnLayerBackward0 got" in told and "got [[0, 0]]" not in told
