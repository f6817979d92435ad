"""What the inspector says, on the hand-made trace: `z = (w * x + b) * w`, two backward calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradviz.document.files import recordings
from gradviz.document.snippet import Snippet
from gradviz.session.inspect.inspection import Inspection, inspect, value_text
from gradviz.session.moves import error, inspected, neighbour, next_accumulation, next_backward, on_screen
from gradviz.session.state import Phase, Run, Selection, State
from gradviz.trace.table.trace import Trace
from tests.trace.running import run
from tests.trace.sample import ADD, MUL1, MUL2, SOURCE, B, SampleWriter, W, X, Y, Z, sample_batch


@pytest.fixture(scope="module")
def trace() -> Trace:
    made = Trace(SOURCE)
    made.extend(sample_batch())
    return made


def at(trace: Trace, cursor: int, selection: Selection | None = None) -> State:
    snippet = Snippet(SOURCE)
    return State(
        document=snippet,
        run=Run(Phase.RAISED, snippet, "", 11),
        trace=trace,
        traced=snippet,
        steps=len(trace),
        cursor=cursor,
        selection=selection,
    )


def look(trace: Trace, cursor: int, kind: str, index: int) -> Inspection:
    state = at(trace, cursor, Selection(kind, index))
    found = inspect(state, inspected(state))
    assert found is not None
    return found


def section(inspection: Inspection, title: str) -> list[tuple[str, str, str]]:
    rows = next((one.rows for one in inspection.sections if one.title == title), ())
    return [(row.label, row.text, row.tone) for row in rows]


def test_a_node_that_ran_in_an_earlier_call_has_not_yet_run_in_this_one(trace: Trace) -> None:
    found = [look(trace, cursor, "node", MUL1).find("backward") for cursor in (6, 8, 15, len(trace))]
    assert found[0] == "no backward call yet"
    assert found[1] == found[3] == "not yet run in this backward call"
    assert found[2] == "has run in this backward call"
    over = run("import torch\nx = torch.ones((), requires_grad=True)\n(x * 2).backward()\n(x * 3).backward()\nx * 4\n")
    told = [look(over, len(over), "node", node).find("backward") for node in range(3)]
    assert told == ["has run in an earlier backward call", "has run in the last backward call",
                    "made after the last backward call"]  # fmt: skip


def test_what_is_asked_first_stands_first(trace: Trace) -> None:
    leaf, node = look(trace, len(trace), "tensor", W), look(trace, len(trace), "node", MUL1)
    assert [row.label for row in leaf.sections[0].rows][:2] == ["value", ".grad"]
    assert [section.title for section in node.sections] == ["", "Local derivative", "Saved buffers"]


def test_a_derivative_of_one_is_written_once() -> None:
    found = run("import torch\nx = torch.tensor(2., requires_grad=True)\ny = x * torch.ones(())\n")
    (rows,) = [one.rows for one in look(found, len(found), "tensor", 0).sections if one.form == "formula"]
    assert [row.text.replace(" ", "") for row in rows] == ["∂y/∂x=torch.ones(())=1"]
    double = run(
        "import torch\nx = torch.tensor(2., requires_grad=True)\ntorch.autograd.grad(x.sin(), x, create_graph=True)\n"
    )
    texts = [row.text for at in range(len(double.tensors)) for one in look(double, len(double), "tensor", at).sections
             if one.form == "formula" for row in one.rows]  # fmt: skip
    assert texts and not [text for text in texts if re.search(r"= (\S+) = \1$", text)]


def test_a_leaf_before_backward(trace: Trace) -> None:
    found = look(trace, 6, "tensor", W)
    assert found.title == "w"
    assert found.find("kind") == "leaf, requires_grad=True"
    assert found.find("shape") == "[] · float32 · 4 B"
    assert found.find("value") == "3"
    assert found.find(".grad") == "None"
    assert found.find("why None") == "backward() has not run yet"
    assert found.find("grad_fn") == "None → AccumulateGrad"
    assert found.find("used by") == "MulBackward0 (line 7), MulBackward0 (line 8)"


def test_contributions_as_they_arrive(trace: Trace) -> None:
    found = look(trace, 12, "tensor", W)
    assert section(found, "Gradient contributions") == [
        ("+ 7", "MulBackward0 (line 8)", "gradient"),
        ("pending", "MulBackward0 (line 7)", "pending"),
        ("Σ 7", "1 of 2 arrived", "gradient"),
    ]
    assert found.find(".grad") == "None (input buffer 7, waiting)"
    done = look(trace, 16, "tensor", W)
    assert section(done, "Gradient contributions")[-1] == ("Σ 13", "2 of 2 arrived", "gradient")
    assert done.find(".grad") == "13"


def test_a_constant_and_an_intermediate(trace: Trace) -> None:
    assert look(trace, 16, "tensor", X).find("why None") == "requires_grad=False"
    found = look(trace, 16, "tensor", Y)
    assert found.find("∇ passing") == "3 · not stored"
    assert found.find("grad_fn") == "AddBackward0 (line 7)"


def test_saved_buffers_held_and_freed(trace: Trace) -> None:
    assert section(look(trace, 8, "node", MUL2), "Saved buffers") == [
        ("other", "w · 4 B · version 0 · held", ""),
        ("self", "y · 4 B · version 0 · held", ""),
    ]
    assert section(look(trace, 9, "node", MUL2), "Saved buffers") == [
        ("other", "w · 4 B · version 0 · freed at step 9", "freed"),
        ("self", "y · 4 B · version 0 · freed at step 9", "freed"),
    ]


def test_an_operation(trace: Trace) -> None:
    found = look(trace, 16, "node", MUL1)
    assert found.find("code") == "w * x · line 7"
    assert found.find("inputs") == "w, x"
    assert found.find("next") == "AccumulateGrad (w), None"
    assert look(trace, 16, "node", ADD).find("next") == "MulBackward0 (line 7), AccumulateGrad (b)"


def test_a_module_of_a_sequential_is_called_by_more_than_its_number() -> None:
    code = "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())\nnet(torch.ones(1, 2))\n"
    made = run(code)
    modules = [look(made, len(made), "node", node).find("module") for node in range(len(made.nodes))]
    assert modules == ["net[0]", "net[0]", "net[1]"]


def test_local_derivatives(trace: Trace) -> None:
    texts = [text for _, text, _ in section(look(trace, 6, "node", MUL2), "Local derivatives")]
    assert texts == ["∂z/∂y = w = 3", "∂z/∂w = y = 7"]
    assert [text for _, text, _ in section(look(trace, 6, "tensor", B), "Local derivative")] == ["∂y/∂b = 1"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("y = x @ w.t()", "∂y/∂x:  grad @ w"),  # what was transposed is not transposed back
        ("y = x.tanh()", "∂y/∂x = 1 − y²"),
        ("y = x * (x.detach() - 1)", "∂y/∂x = x.detach() - 1 = [[0, 1], [2, 4]]"),
        ("y = z * w[0]", "∂y/∂z:  grad · conj(w[0])"),  # not what is differentiated, but what a gradient becomes
        ("y = x.topk(1).values", "∂y/∂x:  grad at the places the values came from, 0 elsewhere"),
        ("a, b = x.unbind()", "∂(a, b)/∂x:  the gradients of the slices, stacked"),
        ("s, y = torch.linalg.slogdet(x)", "∂y/∂x = x⁻ᵀ"),
        ("y = x.expand(2, 2)", "∂y/∂x = 1"),  # nothing was repeated
        ("y = x.expand(3, 2, 2)", "∂y/∂x:  grad, summed over the repetitions"),
        ("y = x.squeeze(0)", "∂y/∂x = 1"),  # which is 2 long
        ("y = x.view(4)", "∂y/∂x:  grad, reshaped back"),
        ("y = x.permute(0, 1)", "∂y/∂x = 1"),
    ],
)
def test_a_local_derivative_is_one_or_says_what_becomes_of_a_gradient(code: str, said: str) -> None:
    made = run(
        "import torch\nx = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)\nw = torch.ones(2, 2)\n"
        f"z = torch.tensor([1 + 1j, 2], requires_grad=True)\n{code}\n"
    )
    nodes = [node for node in range(len(made.nodes)) if made.nodes.name[node]]
    assert section(look(made, len(made), "node", nodes[-1]), "Local derivative")[0][1] == said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "x = torch.ones(2, requires_grad=True)\ny = x.detach()",
            "it cuts its result off from the history of its input",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\ny = (x * 2).data",
            "it cuts its result off from the history of its input",
        ),
        ("x = torch.ones(2)\ny = x.detach()", "none of its inputs requires grad"),
    ],
)
def test_what_cuts_off_does_not_say_that_nothing_requires_grad(code: str, said: str) -> None:
    trace = run(f"import torch\n{code}\nprint(y)")
    found = look(trace, len(trace.steps) - 1, "node", len(trace.nodes) - 1)
    assert f"not tracked: {said}" in str(found)


def test_an_argument_that_is_detached_on_the_way_into_a_sequential_is_in_no_module() -> None:
    found = run(
        "import torch\nfrom torch import nn\nD = nn.Sequential(nn.Linear(1, 1))\nz = torch.ones(1, 1)\n"
        "y = (z * D[0].weight)\nD(y.detach())\n"
    )
    node = found.nodes.op.tolist().index("detach")
    rows = {one.label: one.text for one in look(found, len(found), "node", node).sections[0].rows}
    assert rows["code"].startswith("y.detach()") and "module" not in rows


def test_a_function_that_returns_a_list_says_so() -> None:
    made = run(
        "import torch\nclass List(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n"
        "        return [a * 2]\nx = torch.ones(2, requires_grad=True)\nfound = List.apply(x)\ny = x * 2\n"
    )
    node = made.nodes.op.tolist().index("List")
    assert look(made, len(made), "node", node).find("forward") == "returned neither a tensor nor a tuple"


def test_a_parameter_of_many_iterations_lists_few_users() -> None:
    """A thousand results that are not linked to each other are a thousand graphs, as in a training loop."""
    out = SampleWriter()
    site = out.add("sites", 1, 0, 1, 1, out.text("w * w"))
    out.leaf("w", 3.0, site, True)
    for _ in range(1000):
        out.forward("mul", "×", [0, 0], 9.0, site, None)
    made = Trace("w * w")
    made.extend(out.take())
    found = look(made, len(made), "tensor", 0)
    assert found.find("used by") == "MulBackward0 (line 1), 999 others"


def test_nothing_to_inspect(trace: Trace) -> None:
    assert inspected(State()) is None
    assert inspected(at(trace, 0)) is None
    assert inspect(State(), None) is None


def test_without_a_selection_the_current_step_is_inspected(trace: Trace) -> None:
    assert inspected(at(trace, 1)) == Selection("tensor", X)
    assert inspected(at(trace, 8)) == Selection("node", MUL2)
    assert inspected(at(trace, 18)) == Selection("node", MUL2), "at the error the operation that it is about"


def test_jumps(trace: Trace) -> None:
    assert next_accumulation(at(trace, 0)) == 12
    assert next_accumulation(at(trace, 16)) is None
    assert next_backward(at(trace, 8)) == 11
    assert error(at(trace, 0)) == 18
    assert error(at(trace, 18)) is None
    assert error(State()) is None


def test_neighbours_go_round(trace: Trace) -> None:
    things = on_screen(at(trace, 6))
    assert Selection("tensor", Z) in things and Selection("node", ADD) in things
    assert neighbour(at(trace, 6, things[-1]), 1) == things[0]
    assert neighbour(at(trace, 6, things[0]), -1) == things[-1]
    assert on_screen(State()) == []


def test_of_very_many_contributions_the_latest_are_listed() -> None:
    source = (
        "import torch\nw = torch.tensor(0.9, requires_grad=True)\nh = torch.tensor(1.)\n"
        "for t in range(40):\n    h = torch.tanh(w * h)\nh.backward()\n"
    )
    trace = run(source)
    shown = inspect(State(trace=trace, steps=len(trace), cursor=len(trace)), Selection("tensor", 0))
    assert shown is not None
    labels = [row.label for section in shown.sections for row in section.rows]
    assert labels.count("28 earlier") == 1
    assert len([label for label in labels if label.startswith("+ ")]) == 12
    assert len([label for label in labels if label.startswith("Σ ")]) == 1


def test_a_tensor_in_memory_that_nobody_has_written_to_has_no_summary() -> None:
    """In a recorded job, nor has one that was gone before: that no value was kept is all that is said of it."""
    trace = recordings.read(Path(__file__).parents[1] / "recorder" / "before.gvtrace").trace
    values = (trace.store.get(value) for value in range(len(trace.values)))
    texts = [value_text(value) for value in values if not value.is_known]
    assert texts and all(text.endswith("of which no value was kept") for text in texts)


def test_a_hook_that_changed_what_waits_in_an_input_buffer_is_told_with_it() -> None:
    found = run(
        "import torch\nx = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\n"
        "(x * 3).backward()\n"
    )
    rows = [look(found, at, "tensor", 0).find(".grad") for at in range(1, len(found) + 1)]
    assert "None (input buffer 3, waiting)" in rows and rows[-1] == "30"
    assert "None (input buffer 3, of which a hook made 30, waiting)" in rows


def test_an_operation_that_is_in_no_graph_has_the_name_that_a_person_calls() -> None:
    trace = run("import torch\nx = torch.ones(2).double()\n")
    node = int(trace.tensors.producer[-1])
    assert look(trace, len(trace), "node", node).title == "to"
