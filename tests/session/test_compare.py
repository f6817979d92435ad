"""Two runs of nearly the same snippet: what corresponds, what differs, and the sentence that says so."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.session.comparison.compare import (
    ALONE,
    BUFFER,
    GRADIENT,
    TEXT,
    VALUE,
    Comparison,
    _match,
    align_keys,
    compare,
    fingerprints,
    line_map,
    merge,
    same,
)
from gradviz.session.comparison.differences import Difference, differences, sentence
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

HEAD = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n"
LOOP = HEAD + "for t in range(3):\n    (x * x).sum().backward()\n    print(x.grad)\n    x.grad = None\n"
TWICE = HEAD + "y = (x * x).sum()\ny.backward({})\ny.backward()\n"


def pair(before: str, after: str) -> Comparison:
    return compare(run(before), run(after))


def named(trace: Trace, name: str) -> int:
    return next(row for row in range(len(trace.tensors)) if trace.naming.name(row, len(trace)) == name)


def subjects(found: Comparison) -> dict[str, Difference]:
    return {row.subject: row for row in differences(found)}


def test_a_run_beside_itself_is_the_same() -> None:
    found = pair(LOOP, LOOP)
    assert (found.alignment.steps.there == np.arange(len(found.here))).all()
    assert (found.alignment.nodes.there >= 0).all()
    assert (found.alignment.tensors.there >= 0).all()
    assert not found.steps_here.any() and not found.steps_there.any()
    assert differences(found) == ()
    assert "nothing differs" in sentence("Without it", found, ())
    assert found.next_difference(0) is None


def test_gradients_that_are_not_cleared_pile_up() -> None:
    found = pair(LOOP, LOOP.replace("    x.grad = None", "    # x.grad = None"))
    kinds, marks = found.here.steps.kind, found.steps_here
    assert (marks[kinds == Kind.CLEAR_GRAD] == ALONE).all()
    assert (found.alignment.steps.there[kinds == Kind.ACCUMULATE] >= 0).all()
    assert marks[kinds == Kind.ACCUMULATE].tolist() == [0, GRADIENT, GRADIENT]
    assert marks[kinds == Kind.PRINT].tolist() == [0, TEXT, TEXT]
    row = subjects(found)["x.grad"]
    assert (row.here, row.there) == ("None", "[6, 12]")
    words = sentence("Without x.grad = None at line 6", found, differences(found))
    assert words == (
        "Without x.grad = None at line 6, x.grad is [6, 12] instead of None at the end; 1 gradient differs."
    )


def test_a_retained_graph_runs_on_and_keeps_its_buffers() -> None:
    found = pair(TWICE.format(""), TWICE.format("retain_graph=True"))
    rows = subjects(found)
    assert rows["error"].here.startswith("line 5: RuntimeError: Trying to backward")
    assert rows["error"].there == "–"
    assert rows["x.grad"].there == "[4, 8]"
    freed = int(np.flatnonzero(found.here.steps.kind == Kind.FREE)[0])
    assert found.steps_here[freed] == ALONE
    here, there = found.marks(freed + 1, found.cursor_there(freed + 1))
    assert here.nodes[0] & BUFFER and there.nodes[0] & BUFFER
    before = found.marks(freed, found.cursor_there(freed))[0]
    assert not before.nodes.any()
    assert sentence("With it", found, differences(found)).startswith("With it, it runs to the end; as written")


def test_a_removed_detach_lets_the_other_gradient_through() -> None:
    before = HEAD + "y = (x.detach() * x).sum()\ny.backward()\n"
    found = pair(before, before.replace(".detach()", ""))
    leaf = named(found.here, "x")
    assert found.partner("tensor", leaf) == named(found.there, "x")
    here, _ = found.marks(len(found.here), len(found.there))
    assert here.tensors[leaf] == GRADIENT
    alone = named(found.here, "x.detach()")
    assert here.tensors[alone] == ALONE and found.partner("tensor", alone) == -1
    assert found.partner("tensor", 10_000) == -1 and found.partner("group", 0) == -1
    assert subjects(found)["x.grad"].there == "[2, 4]"


def test_a_gradient_that_only_passes_is_marked_too() -> None:
    before = HEAD + "y = x * 2\nz = (y * y).sum()\nz.backward()\n"
    found = pair(before, before.replace("y * y", "y.detach() * y"))
    here, there = found.marks(len(found.here), len(found.there))
    passes = named(found.here, "y")
    assert here.tensors[passes] == GRADIENT and there.tensors[found.partner("tensor", passes)] == GRADIENT
    assert not here.tensors[named(found.here, "z")]


def test_gradients_of_many_numbers_are_told_without_them() -> None:
    found = pair(LOOP, LOOP)
    rows = tuple(Difference("gradient", f"{name}.grad", 21 * "1", 21 * "2") for name in "ab")
    assert sentence("With it", found, rows) == "With it, 2 gradients differ at the end, a.grad among them."


def test_a_gradient_that_differs_only_for_a_while_is_told() -> None:
    before = HEAD + "(x.detach() * x).sum().backward()\nx.grad = None\n"
    found = pair(before, before.replace(".detach()", ""))
    row = subjects(found)["x.grad"]
    assert (row.here, row.there, row.lasts) == ("[1, 2]", "[2, 4]", False)
    assert "at the end it is equal" in sentence("Without it", found, differences(found))


def test_only_memory_differs() -> None:
    before = HEAD + "y = (x * x).sum()\ny.backward()\n"
    found = pair(before, before.replace("backward()", "backward(retain_graph=True)"))
    assert subjects(found)["buffers held at the end"].there == "8 B"
    words = sentence("With it", found, differences(found))
    assert words == ("With it, every value and gradient stays the same; buffers held at the end: 8 B instead of 0 B.")


def test_an_in_place_step_goes_with_the_one_that_is_not() -> None:
    before = HEAD + "y = x * 2\ny += 1\ny.sum().backward()\n"
    found = pair(before, before.replace("y += 1", "y = y + 1"))
    assert (found.alignment.steps.there >= 0).all()
    assert len(found.here) == len(found.there)


def test_cursors_go_together() -> None:
    found = pair(LOOP, LOOP.replace("    x.grad = None", "    # x.grad = None"))
    for cursor in range(len(found.here) + 1):
        other = found.cursor_there(cursor)
        assert 0 <= other <= len(found.there)
        step = found.alignment.steps.there[cursor - 1] if cursor else -1
        if cursor and step >= 0 and cursor < len(found.here):
            assert other == step + 1
            assert found.cursor_here(other) == cursor or other == len(found.there)
    assert (found.cursor_there(0), found.cursor_there(len(found.here))) == (0, len(found.there))
    first = found.next_difference(0)
    assert first is not None and found.steps_here[first - 1]
    assert found.next_difference(first, -1) is None


def test_an_error_may_say_nothing() -> None:
    found = subjects(
        pair("import torch\nx = torch.ones(1)\nraise ValueError", "import torch\nx = torch.ones(1)\nassert x == 2")
    )
    assert (found["error"].here, found["error"].there) == ("line 3: ValueError", "line 3: AssertionError")
    found = subjects(pair("raise ValueError('\\n two')", "raise ValueError(' (a)')"))
    assert "error" not in found


def test_a_flipped_comparison_is_seen_from_the_other_run() -> None:
    found = pair(TWICE.format(""), TWICE.format("retain_graph=True"))
    turned = found.flipped()
    assert turned.here is found.there and turned.steps_there is found.steps_here
    assert turned.cursor_there(len(turned.here)) == len(turned.there)
    rows = [row.flipped() for row in differences(found)]
    assert {row.here for row in rows} == {row.there for row in differences(found)}
    assert rows[0].flipped() == differences(found)[0]


def test_addresses_of_objects_are_no_difference() -> None:
    found = pair(HEAD + "print('<object at 0x7f01>')\n", HEAD + "print('<object at 0x7f02>')\n")
    assert not (found.steps_here & TEXT).any()
    told = pair(HEAD + "print('a', 1)\n", HEAD + "print('a', 2)\n")
    assert subjects(told)["output of line 3"].there == "a 2"


def test_lines_that_were_added_move_the_others() -> None:
    before = HEAD + "y = x * 2\nz = y.sum()\nz.backward()\n"
    found = pair(before, before.replace("z = y", "y = y * 3\nz = y"))
    forward = [int(found.here.steps.line[step]) for step in np.flatnonzero(found.alignment.steps.there < 0)]
    assert forward == []
    assert line_map("a\nb\nc", "a\nx\nb\nc").tolist() == [0, 1, 5 + 1, 2, 3]
    assert line_map("a\nb", "a\nc").tolist() == [0, 1, 2]


KEYS = [  # one side, the other side, what is aligned
    ("abc", "abc", "abc"),
    ("abc", "ac", "ac"),
    ("abcd", "acbd", "abd"),
    ("ababab", "bababa", "babab"),
    ("", "abc", ""),
    ("xaaay", "xaay", "xaay"),
    ("abcabc", "abc", "abc"),
]


@pytest.mark.parametrize(("one", "other", "common"), KEYS, ids=[f"{one}-{other}" for one, other, _ in KEYS])
def test_keys_are_aligned_in_order(one: str, other: str, common: str) -> None:
    a, b = (np.frombuffer(text.encode(), np.uint8).astype(np.uint64) for text in (one, other))
    first, second = align_keys(a, b)
    assert "".join(one[place] for place in first) == "".join(other[place] for place in second)
    assert (np.diff(first) > 0).all() and (np.diff(second) > 0).all()
    assert len(first) >= len(common) - 1


def test_one_axis_for_both() -> None:
    axis = merge(_match(5, 6, np.array([0, 1, 4]), np.array([0, 3, 4])))
    assert axis.here.tolist() == [0, 3, 4, 5, 6]
    assert axis.there.tolist() == [0, 1, 2, 3, 6, 7]
    assert axis.step_here.tolist() == [0, -1, -1, 1, 2, 3, 4, -1]
    assert axis.step_there.tolist() == [0, 1, 2, 3, -1, -1, 4, 5]
    assert axis.count == 8


VALUES = [  # two values, whether they count as the same
    ("torch.tensor([1., 2.])", "torch.tensor([1., 2.])", True),
    ("torch.tensor([1., 2.])", "torch.tensor([2., 1.])", False),
    ("torch.tensor([1., 2.])", "torch.tensor([[1., 2.]])", False),
    ("torch.tensor([1., 2.])", "torch.tensor([1., -2.])", False),
    ("torch.tensor([1, 2])", "torch.tensor([1., 2.])", False),
    ("torch.tensor(float('nan'))", "torch.tensor(float('nan'))", True),
    ("torch.tensor([float('nan'), 1.])", "torch.tensor([1., float('nan')])", False),
    ("torch.tensor(float('inf'))", "torch.tensor(-float('inf'))", False),
    ("torch.zeros(3)", "torch.zeros(3)", True),
    ("torch.zeros(0)", "torch.zeros(0)", True),
    ("torch.arange(300000.)", "torch.arange(300000.)", True),
    ("torch.arange(300000.)", "torch.arange(300000.) + 1", False),
    ("torch.tensor(1j)", "torch.tensor(-1j)", False),
    ("torch.tensor(0.1, dtype=torch.bfloat16)", "torch.tensor(0.1, dtype=torch.bfloat16)", True),
]


@pytest.mark.parametrize(("one", "other", "alike"), VALUES, ids=[f"{one}-{other}" for one, other, _ in VALUES])
def test_values_are_told_apart(one: str, other: str, alike: bool) -> None:
    here, there = run(f"import torch\nx = {one}\n"), run(f"import torch\nx = {other}\n")
    rows = [trace.tensors.value[[len(trace.tensors) - 1]] for trace in (here, there)]
    assert same(fingerprints(here), fingerprints(there), *rows).tolist() == [alike]
    assert (VALUE in compare(here, there).steps_here) is not alike or len(here) != len(there)


def test_two_traces_without_anything() -> None:
    found = compare(Trace(""), Trace(""))
    assert differences(found) == ()
    assert found.cursor_there(0) == 0
