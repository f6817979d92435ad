"""Which names tensors get, and that the rewritten snippet runs as before, on the same lines and columns."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from gradviz.trace.record.instrument import ALSO, CATCH, HOOK, ITERATE, LEFT, SIZED, STACK, instrument
from gradviz.trace.record.location import WIDTH
from gradviz.trace.table.schema import ELEMENT, LOCAL, PLAIN
from tests.trace.running import run


def bindings(source: str) -> list[tuple[str, Any, int]]:
    """What an instrumented snippet reports."""
    found: list[tuple[str, Any, int]] = []

    def hook(name: str, value: Any, rank: int = PLAIN) -> Any:
        found.append((name, value, rank))
        return value

    def variable(name: str, value: Any) -> None:
        found.append((name, value, LOCAL))

    nothing = lambda: None  # noqa: E731
    hooks = {HOOK: hook, ITERATE: variable, ALSO: variable, STACK: [0] * WIDTH, CATCH: nothing, LEFT: nothing}
    hooks[SIZED] = lambda gone_through: gone_through
    exec(compile(instrument(ast.parse(source)), "<snippet>", "exec"), hooks)
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", [("x", 1, PLAIN)]),
        ("x = y = 2", [("y", 2, PLAIN), ("x", 2, PLAIN)]),
        ("x: int = 3", [("x", 3, PLAIN)]),
        ("x: int", []),
        ("a, (b, *c) = 1, (2, 3, 4)", [("a", 1, PLAIN), ("b", 2, PLAIN), ("c", [3, 4], PLAIN)]),
        ("x = 1\nx += 2", [("x", 1, PLAIN), ("x", 3, PLAIN)]),
        ("for i in 5, 6: pass", [("i", 5, LOCAL), ("i", 6, LOCAL)]),
        ("for i, j in [(1, 2)]: pass", [("i", 1, LOCAL), ("j", 2, LOCAL)]),
        ("def f(a, b=2, *, c=3):\n    'doc'\n    d = a\nf(1)", [("a", 1, 2), ("b", 2, 2), ("c", 3, 2), ("d", 1, 2)]),
        ("class C: pass\nobject_ = C()\nobject_.w = 7", [("object_.w", 7, ELEMENT)]),
        ("print((n := 4), end='')", [("n", 4, PLAIN)]),
        ("d = {}\nd['k'] = 1", [("d", {"k": 1}, PLAIN)]),
        ("import math", []),
        ("x = [i for i in range(2)]", [("x", [0, 1], PLAIN)]),
    ],
)
def test_every_binding_is_reported(source: str, expected: list[tuple[str, Any, int]]) -> None:
    assert [one for one in bindings(source) if one[0] not in ("object_", "")] == expected


def test_docstrings_stay_docstrings() -> None:
    tree = instrument(ast.parse("def f(x):\n    '''Says so.'''\n    return x"))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef) and ast.get_docstring(function) == "Says so."


def test_lines_and_columns_of_the_snippets_own_code_stay() -> None:
    source = "x = 3\ny = (x +\n     x * 2)\nfor i in range(2):\n    y += i\n"
    before = {
        ast.dump(n) + str((n.lineno, n.col_offset)) for n in ast.walk(ast.parse(source)) if isinstance(n, ast.BinOp)
    }
    after = {
        ast.dump(n) + str((n.lineno, n.col_offset))
        for n in ast.walk(instrument(ast.parse(source)))
        if isinstance(n, ast.BinOp)
    }
    assert before == after


def test_a_guard_that_a_policy_put_around_the_object_is_seen_through() -> None:
    tree = ast.parse("guard(self).w = 1")
    target = tree.body[0].targets[0]  # type: ignore[attr-defined]
    target.value.func.id = "<w>"
    (statement,) = instrument(tree).body
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    name = statement.value.args[0]
    assert isinstance(name, ast.Constant) and name.value == "self.w"


NAMES = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(1))
    def forward(self, x):
        h = self.fc1(x)
        return h * self.scale
net = Net()
layer = nn.Linear(3, 1)
params = [torch.zeros(2, requires_grad=True)]
config = {"lr": torch.tensor(0.1)}
data = torch.ones(4, 2)
out = layer(net(data))
alias = out
"""


def test_names_of_parameters_containers_and_results() -> None:
    trace = run(NAMES)
    frame = trace.frame(len(trace))
    names = [frame.name(t) for t in range(len(trace.tensors))]
    for name in ("fc1.weight", "fc1.bias", "net.scale", "layer.weight", "params[0]", "config['lr']", "data", "out"):
        assert name in names
    assert trace.naming.all(names.index("out"), len(trace)) == ("out", "alias")
    assert "h" in names and set(trace.nodes.scope.tolist()) == {"fc1", "Net", "Linear"}


def test_ambiguous_parameters_are_called_by_their_module() -> None:
    trace = run(NAMES + "other = Net()\n")
    frame = trace.frame(len(trace))
    names = [frame.name(t) for t in range(len(trace.tensors))]
    assert "net.fc1.weight" in names and "other.fc1.weight" in names and "fc1.weight" not in names


def test_a_name_that_is_bound_again_belongs_to_both_tensors_in_turn() -> None:
    trace = run("import torch\nx = torch.tensor(1., requires_grad=True)\ny = x * 2\ny = y * 3\n")
    assert [trace.frame(3).name(t) for t in range(3)] == ["x", "y₁", "y₂"]
    assert trace.nodes.source.tolist() == ["x * 2", "y * 3"]


def test_only_a_snippet_asks_whether_an_endless_loop_goes_on() -> None:
    """A job has threads, which share the stack: one would end the loop of another."""
    text = "while True:\n    if x:\n        break\n"
    for can_end, kind in ((True, ast.Compare), (False, ast.Constant)):
        tree = instrument(ast.parse(text), can_end)
        (loop,) = [each for each in ast.walk(tree) if isinstance(each, ast.While)]
        assert type(loop.test) is kind
