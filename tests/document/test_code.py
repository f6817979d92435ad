"""Drawing to code and back: what is written, that it reads as the same drawing, and that hostile text is refused with a
sentence."""

from __future__ import annotations

import ast
import builtins
import warnings
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradviz.torch as ours
from gradviz.document.catalogue import catalogue, outputs
from gradviz.document.code.emit import Span
from gradviz.document.code.parse import parse, parse_expression, read
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Number, Operation, Ref
from gradviz.document.entry import copy_code, paste_code
from gradviz.document.errors import UserError
from gradviz.document.shaping import tidy
from tests.document.drawings import chain, squared_error
from tests.document.random_drawings import drawing
from tests.engine.catalogue_calls import variants, written

HEAD = "import torch\nw = torch.tensor(2., requires_grad=True)\nx = torch.tensor([[1., 2.], [3., 4.]])\n"


def form(found: Drawing) -> list[object]:
    """All that code says of a drawing, with names for numbers."""
    names = {id: names[0] for id, names in code_of(found).names}
    order = {node.id: at for at, node in enumerate(found.nodes)}

    def ref(one: object) -> object:
        return (names.get(one.node, order[one.node]), one.output) if isinstance(one, Ref) else repr(one)

    nodes: list[object] = []
    for node in found.nodes:
        if isinstance(node, Leaf):
            nodes.append((node.name, repr(node.data), node.maker, node.seed, node.dtype, node.requires_grad))
        else:
            nodes.append((node.op, [ref(one) for one in node.inputs], repr(node.params), node.names))
    calls = [replace(call, root=Ref(0), inputs=None) for call in found.calls]
    return [*nodes, *map(repr, calls), *(ref(call.root) for call in found.calls)]


def again(found: Drawing) -> Drawing:
    """Read from its code, with nothing else known."""
    back = parse(text_of(found))
    assert text_of(back) == text_of(found)
    return back


def line(code: str) -> str:
    """The last line of the drawing of these lines, below the usual leaves."""
    return text_of(parse(HEAD + code)).rstrip("\n").split("\n")[-1]


def expressions(found: Drawing) -> list[Span]:
    """Checked against the syntax tree: each span is one whole expression."""
    places = {
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        for node in ast.walk(ast.parse(text_of(found)))
        if isinstance(node, ast.expr)
    }
    for span in code_of(found).spans:
        assert (span.line, span.col, span.end_line, span.end_col) in places, span
    return list(code_of(found).spans)


def test_what_is_drawn_by_hand_reads_as_a_person_writes() -> None:
    found, _ = squared_error()
    assert text_of(found).split("\n\n")[1:] == [
        "w = torch.tensor(3., requires_grad=True)\nx = torch.tensor(2.)\nb = torch.tensor(1., requires_grad=True)\n"
        "t = torch.tensor(5.)",
        "loss = (w * x + b - t) ** 2\n",
    ]


@pytest.mark.parametrize(
    "code, expected",
    [
        ("y = torch.multiply(w, x)", "y = w * x"),
        ("y = -(w ** 2)", "y = -w**2"),
        ("y = (-w) ** 2", "y = (-w) ** 2"),
        ("y = w ** -2", "y = w**-2"),
        ("y = w - (x - (w - 1))", "y = w - (x - (w - 1))"),
        ("y = (w * x) / (w * x)", "y = w * x / (w * x)"),
        ("y = 2 ** w", "y = 2**w"),
        ("y = (-2) ** w", "y = (-2) ** w"),
        ("y = (w + x).sum()", "y = (w + x).sum()"),
        ("y = torch.sum(x, dim=(0, 1), keepdim=True)", "y = x.sum(dim=(0, 1), keepdim=True)"),
        ("y = torch.mean(x, None, True)", "y = x.mean(dim=None, keepdim=True)"),
        ("y = x.view([4, 1]).T", "y = x.view(4, 1).T"),
        ("y = x[0, :2]", "y = x[0, :2]"),
        ("k = 1\ny = x[k]", "y = x[1]"),
        ("y = torch.relu(x)", "y = F.relu(x)"),
        ("from torch import cat\ny = cat([x, x], axis=1)", "y = torch.cat([x, x], dim=1)"),
        ("y = x.max(0)[1]\nz = y", "values, y = x.max(dim=0)"),
        ("y = x.max(dim=1).values", "y, indices = x.max(dim=1)"),
        ("a, b = x.unbind()", "a, b = x.unbind()"),
        ("y = (w > 1) & (x < 2)", "y = (w > 1) & (x < 2)"),
        ("y = x.add(w, alpha=2)", "y = torch.add(x, w, alpha=2)"),
        ("y = w * x\ny += 1", "y = w * x + 1"),
        ("y = w\ny = y * 2\ny = y + 1", "y = w * 2 + 1"),
        ("y = w * float('-inf')", 'y = w * -float("inf")'),
        ("y = w * (1 + 2j)", "y = w * (1. + 2.j)"),
        ("lr = 1 / 4\ny = lr * w", "y = 0.25 * w"),
        ("y = x.to(torch.float64)", "y = x.to(torch.float64)"),
        ("y = torch.einsum('ij,jk->ik', x, x)", 'y = torch.einsum("ij,jk->ik", x, x)'),
        ("y = x.view((), 1)", "y = x.view((), 1)"),
        ("(w * x).backward(torch.ones(2, 2))", "y.backward(torch.tensor([[1., 1.], [1., 1.]]))"),
        ("y = w * x\ny.backward(torch.ones_like(y))", "y.backward(torch.ones_like(y))"),
        ("w.backward(retain_graph=True, inputs=[w])", "w.backward(retain_graph=True, inputs=[w])"),
    ],
)
def test_usual_spellings(code: str, expected: str) -> None:
    assert line(code) == expected
    again(parse(HEAD + code))


@pytest.mark.parametrize(
    "code, expected",
    [
        ("torch.tensor(0.1)", "torch.tensor(0.1)"),
        ("torch.tensor(0.30000000000000004)", "torch.tensor(0.3)"),
        ("torch.tensor(0.1 + 0.2, dtype=torch.double)", "torch.tensor(0.30000000000000004, dtype=torch.float64)"),
        ("torch.tensor([True, False])", "torch.tensor([True, False])"),
        ("torch.tensor(1e-7)", "torch.tensor(1e-7)"),
        ("torch.tensor(-0.)", "torch.tensor(-0.)"),
        ("torch.tensor([torch.inf, float('nan')])", 'torch.tensor([float("inf"), float("nan")])'),
        ("torch.tensor(2j)", "torch.tensor(2.j)"),
        ("torch.zeros((2, 3), requires_grad=True)", "torch.zeros(2, 3, requires_grad=True)"),
        ("torch.zeros(())", "torch.zeros(())"),
        ("torch.full([2], fill_value=5.)", "torch.full((2,), 5.)"),
        ("torch.arange(0, 1, step=0.5)", "torch.arange(0, 1, 0.5)"),
        ("torch.nn.Parameter(torch.ones(3))", "torch.ones(3, requires_grad=True)"),
        ("torch.tensor([0.] * 3)", "torch.tensor([0., 0., 0.])"),
    ],
)  # fmt: skip
def test_leaves(code: str, expected: str) -> None:
    found = parse(f"import torch\na = {code}")
    assert text_of(found) == f"import torch\n\na = {expected}\n"
    again(found)


def test_seeds_belong_to_random_leaves() -> None:
    found = parse("import torch\ntorch.manual_seed(3)\na = torch.rand(2)\nb = torch.randn(2, 2)\n")
    assert [node.seed for node in found.nodes if isinstance(node, Leaf)] == [3, None]
    assert "torch.manual_seed(3)\na = torch.rand(2)\nb = torch.randn(2, 2)\n" in text_of(found)


def test_long_code_is_broken_as_a_person_would() -> None:
    rows = tuple(tuple(1.25 * row + column for column in range(6)) for row in range(4))
    matrix = Drawing((Leaf(1, "w", rows, requires_grad=True),), next_id=2)
    assert text_of(matrix).count("\n    [") == 4 and "\n], requires_grad=True)" in text_of(matrix)
    long = parse(HEAD + "y = " + " + ".join(f"torch.cos(w * {at}.5)" for at in range(6)))
    assert "y = (\n    torch.cos(w * 0.5)\n    + torch.cos(w * 1.5)\n" in text_of(long)
    for found in (matrix, long):
        assert max(map(len, text_of(found).split("\n"))) <= 88
        assert form(again(found)) == form(found)
        expressions(found)


def test_ten_thousand_nodes_deep() -> None:
    found = chain(10_000)
    assert len(code_of(found).spans) == 10_001
    back = parse(text_of(found), like=found)
    assert back == found
    assert len(parse(text_of(found)).nodes) == 10_001


def test_what_cannot_run_yet_is_a_comment_and_is_found_again() -> None:
    found = Drawing(
        (
            Leaf(1, "w", 2.0),
            Operation(2, "mul", (Ref(1), None)),
            Operation(3, "exp", (Ref(2),), names=("y",)),
            Operation(4, "sin", (Ref(1),), names=("z",)),
            Operation(5, "nothing.such", (Ref(1),), names=("k",)),
            Operation(6, "Tensor.__getitem__", (Ref(1),), (("index", "0]; import os; x["),), names=("m",)),
        ),
        calls=(BackwardCall(Ref(3)), BackwardCall(Ref(4))),
        next_id=7,
    )
    assert "# not yet: mul needs other\n# not yet: exp waits for mul\n" in text_of(found)
    assert "os" not in [node.module for node in ast.walk(ast.parse(text_of(found))) if isinstance(node, ast.ImportFrom)]
    assert text_of(found).endswith("# not yet: backward waits for y\nz.backward()\n")
    assert [id for id, _ in code_of(found).left_out] == [2, 3, 5, 6] and code_of(found).call_lines[0] == 0
    changed = parse(text_of(found).replace("2.)", "2.5)"), like=found)
    assert {node.id for node in changed.nodes} == {1, 2, 3, 4, 5, 6} and len(changed.calls) == 2


@pytest.mark.parametrize("seed", range(0, 500, 5))
def test_a_drawing_is_its_code(seed: int) -> None:
    found = drawing(seed)
    back = again(found)
    assert form(parse(text_of(back))) == form(back)
    assert sorted(map(str, form(back))) == sorted(map(str, form(again(back))))
    assert len(back.nodes) == len(found.nodes)
    assert parse(text_of(found) + "\n# a comment\n", like=found) == found
    expressions(found)


def execute(text: str, seed: int) -> dict[str, Any]:
    """Run code with our torch."""
    space: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": lambda *_: ours}}
    ours.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(text.replace("import torch.nn.functional as F", "F = torch.nn.functional"), space)
    return space


@pytest.mark.slow
def test_every_call_of_the_catalogue_is_read_and_written() -> None:
    wrong = []
    for entry in catalogue().values():
        for operation, all_ports in variants(entry):
            names = [f"r{at}" for at in range(len(outputs(entry, operation)))]
            code = f"import torch\n{', '.join(names)} = {written(entry, operation, all_ports=all_ports)}\n"
            found = again(parse(code))
            expressions(found)
            first, second = execute(code.replace("inf)", "float('inf'))"), 0), execute(text_of(found), 0)
            wrong += [code for name in names if str(first[name]) != str(second[name])]
    assert not wrong


@given(st.data())
@settings(max_examples=60)
def test_any_drawing_writes_code_that_reads_as_it_was(data: st.DataObject) -> None:
    """Whatever stands at the ports, whether it runs or not."""
    keys = list(catalogue())
    nodes: list[Leaf | Operation] = [Leaf(1, "w", 1.5, requires_grad=True), Leaf(2, "x", (1.0, -2.0))]
    for id in range(3, data.draw(st.integers(4, 12))):
        entry = catalogue()[data.draw(st.sampled_from(keys))]
        refs = st.builds(Ref, st.integers(1, id - 1))
        numbers = st.builds(Number, st.sampled_from((2, -1.5, 1e-9, True, float("inf"), 1 + 2j)))
        inputs = [
            data.draw(refs | numbers if port.number else refs | st.none() if port.optional else refs)
            for port in entry.ports
        ]
        nodes.append(Operation(id, entry.key, tuple(inputs)))
    found = tidy(Drawing(tuple(nodes), next_id=len(nodes) + 1))
    ast.parse(text_of(found))
    left_out = {id for id, _ in code_of(found).left_out}
    runs = tidy(replace(found, nodes=tuple(node for node in found.nodes if node.id not in left_out)))
    assert parse(text_of(found), like=found) == found
    assert len(again(runs).nodes) == len(runs.nodes)


def test_typing_moves_nothing() -> None:
    found, ids = squared_error()
    leaf = found.by_id[ids["x"]]
    assert isinstance(leaf, Leaf)
    slid = replace(leaf, slider=(-3.0, 3.0), data=0.1 + 0.2, pinned=True)
    found = replace(found, nodes=tuple(slid if node.id == slid.id else node for node in found.nodes))
    changed = parse(text_of(found).replace("w * x + b", "w * torch.exp(x) + c").replace("b = ", "c = "), like=found)
    assert {node.id: (node.x, node.y) for node in changed.nodes if node.id in found.by_id} == {
        node.id: (node.x, node.y) for node in found.nodes
    }
    assert changed.by_id[ids["x"]] == slid
    assert len(changed.nodes) == len(found.nodes) + 1
    assert parse(text_of(found), like=changed).by_id.keys() <= changed.by_id.keys()


def test_lines_that_only_look_are_passed_over_and_said() -> None:
    reading = read(HEAD + "y = w * x\nprint(y.shape, f'{w}')\nassert y\nw.retain_grad()\n")
    assert len(reading.drawing.nodes) == 3 and reading.passed_over[0] == "Line 5: print is no part of a drawing."
    assert len(reading.passed_over) == 3


@pytest.mark.parametrize(
    "code, sentence",
    [
        ("for i in range(3): pass", "Line 4: a loop can't be drawn. Run it and choose Edit as Drawing to unroll it."),
        ("y = w * q", "Line 4: q is not defined above."),
        ("x[0] = 1", "Line 4: a write to part of a tensor can't be drawn."),
        ("x[0] += 1", "Line 4: a write to part of a tensor can't be drawn."),
        ("x.data += 1", "Line 4: only names can be given a value in a drawing."),
        ("y = [w for i in x]", "Line 4: a list comprehension can't be drawn."),
        ("y = w.grad", "Line 4: a gradient is there only after backward"),
        ("y = x.mm()", "Line 4: mm needs mat2."),
        ("y = torch.foo(w)", "Line 4: torch.foo can't be drawn."),
        ("a, b = x.max()", "Line 4: this is one tensor."),
        ("y = torch.sum(x, nothing=1)", "Line 4: sum can't have nothing in a drawing."),
        ("y = torch.tensor([1., [2.]])", "Line 4: these lists have different lengths."),
        ("def f(): pass", "Line 4: a function can't be drawn."),
        ("y = w *", "Line 4: Python can't read this"),
        ("y = 2 ** 10 ** 10", "Line 4: this number is too large"),
        ("torch.manual_seed(-1)", "Line 4: a seed is a whole number from 0 to 2**63 - 1."),
        ("w.backward(1.)", "Line 4: write the numbers of the gradient"),
        ("y = __import__('os').system('true')", "Line 4: __import__ is not defined above."),
    ],
)
def test_what_cannot_be_drawn_is_said_with_its_line(code: str, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(HEAD + code)
    assert str(refused.value).startswith(sentence)


HOSTILE = {
    "long": "y = 1\n" * 100_000, "sum": "y = 1" + " + 1" * 50_000, "signs": "y = " + "-" * 100_000 + "1",
    "brackets": "(" * 5_000, "lists": "y = " + "[" * 90 + "]" * 90 + "\nimport torch\nz = torch.tensor(y)",
    "fields": "import torch\nx = torch.ones(1)\ny = x" + ".T" * 50_000, "digits": "y = " + "9" * 9_000,
    "bits": "import torch\ny = torch.tensor(0x" + "f" * 90_000 + ")", "null": "a\0b", "half": "y = '\ud800'",
    "not Python": "\x1b[31m<html>" * 100, "calls": "import torch\ny = " + "torch.exp(" * 180 + "1." + ")" * 180,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_a_sentence(name: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(HOSTILE[name])
    assert 10 < len(str(refused.value)) < 300


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(HEAD.split() + list("()[]=*-+.,:\n@~")), max_size=30).map(" ".join)
)
@settings(max_examples=150)
def test_any_text_is_a_drawing_or_a_sentence(text: str) -> None:
    try:
        found = parse(HEAD + text)
    except UserError as refused:
        assert str(refused)
    else:
        again(found)


def test_an_expression_becomes_nodes() -> None:
    found = parse_expression("w*x + b", {"w": Ref(5), "x": Ref(9, 1)})
    mul, leaf, add = found.nodes
    assert isinstance(mul, Operation) and mul.inputs == (Ref(5), Ref(9, 1)) and mul.id == 10
    assert isinstance(leaf, Leaf) and leaf.name == "b"
    assert isinstance(add, Operation) and add.inputs == (Ref(mul.id), Ref(leaf.id))
    for text in ("", "y = 1", "2 + 3", "w)(", "for"):
        with pytest.raises(UserError) as refused:
            parse_expression(text, {"w": Ref(5)})
        assert not str(refused.value).startswith("Line")


def test_nodes_on_the_clipboard_are_code_that_runs() -> None:
    found, ids = squared_error()
    text = copy_code(found, [ids["add"]])
    assert text.endswith("y = w * x + b\n") and execute(text, 0)["y"].item() == 7.0
    pasted = paste_code(found, text, 500, 500)
    assert len(pasted.nodes) == 5 and len(pasted.drawing.nodes) == len(found.nodes) + 5
    names = {node.name for node in pasted.drawing.nodes if isinstance(node, Leaf)}
    assert names == {"w", "x", "b", "t", "w2", "x2", "b2"}
    more = paste_code(found, "k = w * 2  # twice\nprint(k)", 0, 0)
    assert len(more.nodes) == 1 and "k = w * 2\n" in text_of(more.drawing)
    assert more.passed_over == (
        "Line 2: print is no part of a drawing.",
        "Line 1: a comment is no part of a drawing.",
    )
    for numbers, code in (("3.5", "(3.5)"), ("1\t2\n3\t4\n", "([[1, 2], [3, 4]])"), ("[0.5, 1.]", "([0.5, 1.])")):
        assert f"torch.tensor{code}" in text_of(paste_code(Drawing(), numbers, 0, 0).drawing)
    for nothing in ("", "# nothing", "while True: pass", "x" * 1000):
        with pytest.raises(UserError):
            paste_code(found, nothing, 0, 0)
