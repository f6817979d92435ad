"""The edits that fixes are made of: the new text, or None where the code has another form."""

from __future__ import annotations

import pytest

from gradviz.document import edits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("z.backward()", "z.backward(retain_graph=True)"),
        ("z.backward(g)", "z.backward(g, retain_graph=True)"),
        ("z.backward(g, )", "z.backward(g, retain_graph=True, )"),
        ("z.backward(retain_graph=False)", "z.backward(retain_graph=True)"),
        ("z.backward(\n    g,\n)", "z.backward(\n    g, retain_graph=True,\n)"),
        ("ä.backward()  # → z.backward()", "ä.backward(retain_graph=True)  # → z.backward()"),
        ("(a + b).sum().backward()", "(a + b).sum().backward(retain_graph=True)"),
    ],
)
def test_a_call_gets_a_keyword(text: str, expected: str) -> None:
    assert edits.add_keyword(text, 1, "backward", "retain_graph", "True") == expected


@pytest.mark.parametrize("text", ["z.sum()", "z.backward(", "# z.backward()", ""])
def test_no_keyword_where_there_is_no_such_call(text: str) -> None:
    assert edits.add_keyword(text, 1, "backward", "retain_graph", "True") is None


def test_a_call_gets_its_first_argument() -> None:
    assert edits.insert_argument("y.backward()", 1, "backward", "g") == "y.backward(g)"
    assert edits.insert_argument("y.backward(retain_graph=True)", 1, "backward", "g") == (
        "y.backward(g, retain_graph=True)"
    )
    assert edits.insert_argument("y.backward(h)", 1, "backward", "g") is None


def test_what_a_method_is_called_on() -> None:
    assert edits.receiver("(y * 2).backward()", 1, "backward") == "y * 2"
    assert edits.receiver("torch.autograd.backward(y)", 1, "sum") is None


def test_arguments_of_a_function_and_of_a_method() -> None:
    assert edits.call_arguments("r = torch.mm(torch.randn(2), b)", 1, "mm") == ["torch.randn(2)", "b"]
    assert edits.call_arguments("r = a.mm(b)", 1, "mm") == ["a", "b"]


def test_an_expression_is_replaced_at_its_line_only() -> None:
    text = "a = f(x)\nb = f(x)"
    assert edits.replace_expression(text, 2, "x", "x.reshape(1, -1)") == "a = f(x)\nb = f(x.reshape(1, -1))"
    assert edits.replace_expression(text, 2, "y", "z") is None


def test_in_place_becomes_out_of_place() -> None:
    assert edits.out_of_place("if a:\n    y += 1", 2) == "if a:\n    y = y + 1"
    assert edits.out_of_place("y *= a + b", 1) == "y = y * (a + b)"
    assert edits.out_of_place("y[0] += 1", 1) is None
    assert edits.out_of_place("y.add_(1)", 1) is None


def test_a_statement_moves_under_no_grad() -> None:
    text = "for _ in range(2):\n    w -= 0.1 * w.grad\nprint(w)"
    expected = "for _ in range(2):\n    with torch.no_grad():\n        w -= 0.1 * w.grad\nprint(w)"
    assert edits.under_no_grad(text, 2) == expected
    assert edits.under_no_grad("for _ in range(2): w += 1", 1) is None
