"""The changes that are offered for a snippet: their words, the changed text, and that lines keep their numbers."""

from __future__ import annotations

import ast

import pytest

from gradviz.document.files.examples import examples
from gradviz.session.comparison.proposals import MOST, Proposal, edited, proposals

CASES = [  # the snippet, the title of a proposal, the changed line
    ("y.backward(retain_graph=True)", "line 1: without retain_graph=True", "y.backward()"),
    ("y.backward(g, retain_graph=True)", "line 1: without retain_graph=True", "y.backward(g)"),
    ("y.backward(retain_graph=True, gradient=g)", "line 1: without retain_graph=True", "y.backward(gradient=g)"),
    ("y.backward()", "line 1: with retain_graph=True", "y.backward(retain_graph=True)"),
    ("d, = grad(y, x, create_graph=True)", "line 1: without create_graph=True", "d, = grad(y, x)"),
    ("y.backward()", "line 1: with create_graph=True", "y.backward(create_graph=True)"),
    ("a = 1\nopt.zero_grad()", "line 2: without opt.zero_grad()", "# opt.zero_grad()"),
    ("for t in r:\n    x.grad = None", "line 2: without x.grad = None", "    pass  # left out"),
    ("for t in r:\n    x.grad = None\n    a()", "line 2: without x.grad = None", "    # x.grad = None"),
    ("a = 1; x.grad.zero_()", "line 1: without x.grad.zero_()", "a = 1; pass  # left out"),
    ("x.grad.zero_(); a = 1", "line 1: without x.grad.zero_()", "pass; a = 1"),
    ("a = 1\nopt.step()  # go", "line 2: without opt.step()", "# opt.step()  # go"),
    ("y = x.detach() * x", "line 1: without .detach()", "y = x * x"),
    ("s += loss.item()", "line 1: without .item()", "s += loss"),
    ("y = x.data * 2", "line 1: with .detach() instead of .data", "y = x.detach() * 2"),
    ("y = x * x", "line 1: with y detached", "y = (x * x).detach()"),
    ("y = f(x)", "line 1: with y detached", "y = f(x).detach()"),
    ("with torch.no_grad():\n    w -= 1", "line 1: without torch.no_grad()", "if True:"),
    ("@torch.no_grad()\ndef f(): pass", "line 1: without @torch.no_grad()", "# @torch.no_grad()"),
    ("y += 1", "line 1: with y = y + 1", "y = y + 1"),
    ("y.add_(1)", "line 1: with y = y.add(1)", "y = y.add(1)"),
    ("x = f(1., requires_grad=True)", "line 1: with requires_grad=False", "x = f(1., requires_grad=False)"),
    ("x.requires_grad_()", "line 1: with requires_grad_(False)", "x.requires_grad_(False)"),
    ("o = SGD(p, lr=0.1)", "line 1: with lr=1", "o = SGD(p, lr=1)"),
    ("lr = 0.1", "line 1: with lr=0.01", "lr = 0.01"),
    ("torch.manual_seed(0)", "line 1: with seed 1", "torch.manual_seed(1)"),
    ("net.eval()", "line 1: with train()", "net.train()"),
    (
        "é = x.detach(); y.backward(retain_graph=True)",
        "line 1: without retain_graph=True",
        "é = x.detach(); y.backward()",
    ),
]


@pytest.mark.parametrize(("text", "title", "line"), CASES, ids=[f"{case[1]} of {case[0]!r}" for case in CASES])
def test_a_change_is_offered(text: str, title: str, line: str) -> None:
    found = {proposal.title: proposal for proposal in proposals(text)}
    assert title in found
    changed = found[title].text.split("\n")
    assert changed[found[title].line - 1] == line
    assert len(changed) == len(text.split("\n")), "every line keeps its number"


def test_gradients_that_pile_up_may_be_cleared() -> None:
    text = "x = t(1., requires_grad=True)\nfor i in r:\n    (x * x).backward()"
    found = next(one for one in proposals(text) if one.title == "line 3: with x.grad = None first")
    assert found.text.endswith("    x.grad = None; (x * x).backward()")
    several = "a = t(1., requires_grad=True)\nb = t(1., requires_grad=True)\n(a * b).backward()\n(a * b).backward()"
    titles = [one.title for one in proposals(several)]
    assert "line 4: with a.grad = b.grad = None first" in titles
    assert "line 3: with a.grad = b.grad = None first" not in titles, "the first backward finds nothing"


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.path.stem)
def test_every_offer_of_an_example_can_be_read(example: object) -> None:
    text = example.path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    found = proposals(text)
    assert found
    assert len(found) <= MOST
    for proposal in found:
        assert ast.parse(proposal.text) and proposal.text != text
        assert len(proposal.text.split("\n")) == len(text.split("\n"))
    assert [one.rank for one in found] == sorted(one.rank for one in found)


@pytest.mark.parametrize("text", ["", "x = = 1", "x = 1", "\0"], ids=["empty", "syntax", "plain", "nul"])
def test_nothing_is_offered_where_nothing_can_be(text: str) -> None:
    assert proposals(text) == ()


EDITS = [
    ("a\nb\nc", "a\nB\nc", "line 2: with B"),
    ("a\nb\nc", "a\nc", "line 2: without b"),
    ("a\nb\nc", "a\n# b\nc", "line 2: without b"),
    ("a\nc", "a\nb\nc", "line 2: with b"),
    ("a\nb\nc\nd", "A\nb\nc\nD", "with lines 1–4 edited"),
]


@pytest.mark.parametrize(("before", "after", "title"), EDITS, ids=[case[2] for case in EDITS])
def test_a_free_edit_has_a_title(before: str, after: str, title: str) -> None:
    found = edited(before, after)
    assert found is not None
    assert (found.title, found.text) == (title, after)


def test_no_edit_is_no_proposal() -> None:
    assert edited("a", "a") is None
    assert Proposal("without x", 3, "").phrase == "Without x at line 3"
