"""Which tensors share memory, as the recorder keeps it: at the same cost however many there are."""

from __future__ import annotations

import sys

import pytest

from gradviz import torch
from gradviz.trace.record.rows import Memory
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain
from tests.trace.running import run


def _calls(count: int) -> int:
    """Calls in Python while so many views of one tensor are entered."""
    views, memory, calls = torch.zeros(count, 2).unbind(), Memory(), 0

    def count_them(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count_them)
    for each in views:
        memory.enter(each)
    sys.setprofile(None)
    assert len(memory.every()) == count
    return calls


def test_a_view_is_entered_without_a_look_at_the_others() -> None:
    assert _calls(800) < 8.5 * _calls(100)


def test_what_died_shares_nothing_any_more() -> None:
    memory, base = Memory(), torch.zeros(4)
    kept, gone = base[:2], base[1:]
    for each in (base, kept, gone):
        memory.enter(each)
    assert [each is gone for each in memory.sharing(kept)] == [False, True]
    del gone, each
    assert [each is base for each in memory.sharing(kept)] == [True]
    assert len(memory.every()) == 2
    del base, kept
    assert not memory._tensors


def test_a_parameter_that_was_drawn_before_shares_nothing_with_what_is_written_next() -> None:
    source = "import torch\nv, w = torch.nn.Linear(2, 2).parameters()\n"
    trace = run(f"{source}torch.nn.init.uniform_(v)\ntorch.nn.init.zeros_(w)\n(v @ w).sum().backward()\n")
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    assert [each for each in said if each.startswith("w was overwritten")] == [
        "w was overwritten: it is [0, 0] now, version 2."
    ]


BEGIN = """\
import numpy as np
import torch

a = np.array([4.0, 2.0, 3.0])
t, w = torch.from_numpy(a), torch.ones(3, dtype=torch.float64, requires_grad=True)
"""
WRITES = """\
a[0] = 7
a[..., 1:] = 7
a[[0, 2]] = 7
a[a > 2] = 7
a += 1
a @= np.eye(3)
a.fill(7)
a.sort()
a.partition(1)
a.put([1], 7)
a.flat[2] = 7
np.add(a, 1, a)
np.add(a, 1, out=a)
np.add(a, 1, out=(a,))
np.clip(a, 0, 2, out=a)
a.clip(0, 2, out=a)
a.cumsum(out=a)
np.copyto(a, 7)
np.copyto(dst=a, src=a + 1)
np.place(a, a > 2, [7])
np.put(a, [1], 7)
np.putmask(a, a > 2, 7)
np.fill_diagonal(a.reshape(3, 1), 7)
np.put_along_axis(a, np.array([1]), 7, 0)
np.random.shuffle(a)
np.random.default_rng(0).random(out=a)
np.asarray(t.numpy())[1] = 7
np.asarray(t)[1] = 7
a.reshape(3, 1)[1:] = 7
""".splitlines()


def _sentences(trace: Trace) -> list[str]:
    return [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]


@pytest.mark.parametrize("write", WRITES)
def test_what_numpy_writes_is_a_step_with_the_value_after_it(write: str) -> None:
    trace = run(f"{BEGIN}{write}\nresult = t + 0\n")
    steps = [at for at in range(len(trace)) if trace.steps.kind[at] == Kind.INPLACE]
    assert [int(trace.steps.line[at]) for at in steps] == [6]
    written = int(trace.steps.tensor[steps[0]])
    after, made = trace.frame(steps[0] + 1).value(written), trace.frame(len(trace)).value(len(trace.tensors) - 1)
    assert after is not None and made is not None and after.array.tolist() == made.array.tolist()


@pytest.mark.parametrize(
    "read",
    ["a[0]", "np.add(a, 1)", "np.add(t, 1, out=np.zeros(3))", "a.copy()[0] = 7", "b = a * 2; b[0] = 7", "a.mean()"],
)
def test_what_numpy_only_reads_is_no_step(read: str) -> None:
    assert not (run(f"{BEGIN}{read}\n").steps.kind == Kind.INPLACE).any()


def test_a_write_of_numpys_that_autograd_cannot_see_is_told_with_what_saved_the_memory() -> None:
    said = _sentences(run(f"{BEGIN}v = t[1:]\nloss = (v * w[1:]).sum()\na[2] = 7\na[0] = 5\nloss.backward()\n"))
    assert said[6:8] == [
        "NumPy wrote to the memory of t: it is [4, 2, 7] now, still version 0. v changed with it: they share memory. "
        "MulBackward0 (line 7) saved it: running it backward will use the new value, as autograd can't see this.",
        "NumPy wrote to the memory of t: it is [5, 2, 7] now, still version 0.",
    ]
    assert "grad · v = [1, 1] × [2, 7] = [2, 7]" in said[10]


def test_a_conjugate_changes_with_what_it_is_the_conjugate_of() -> None:
    source = "x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)\ny = x * 1\nc = y.conj()\nv = c[1:]\ny.add_(1)\n"
    said = _sentences(run(f"import torch\n{source}"))
    assert said[4].startswith("y was overwritten: it is (the former y) + 1 = [2+2j, 4-1j] now, version 1. ")
    assert "c, v changed with it" in said[4] or "c and v changed with it" in said[4]
    trace = run("import torch\nz = torch.tensor([1 + 2j])\nw = z.conj()\nz.mul_(3)\nw.mul_(2)\n")
    last = trace.frame(len(trace))
    held = {last.name(each): last.value(each) for each in range(len(trace.tensors))}
    assert {name: value and value.text(40) for name, value in held.items()} == {"z": "[6+12j]", "w": "[6-12j]"}


def test_what_a_result_or_a_gradient_lends_to_numpy_is_watched() -> None:
    source = "y = torch.exp(w)\nnp.asarray(y.detach())[0] = 0\ny.sum().backward()\nnp.asarray(w.grad)[1] = 9\n"
    said = _sentences(run(BEGIN + source))
    assert "NumPy wrote to the memory of y: it is [0, 2.718, 2.718] now" in said[3]
    assert said[-1] == "NumPy wrote to the memory of w.grad: it is [0, 9, 2.718] now, still version 0."


def test_data_counts_its_writes_apart_and_detach_does_not() -> None:
    source = "loss = (t * w).sum()\nt.{}.mul_(2)\nloss.backward()\nprint(w.grad)\n"
    data, detached = (_sentences(run(BEGIN + source.format(way))) for way in ("data", "detach()"))
    unseen = "MulBackward0 (line 6) saved it: running it backward will use the new value, as autograd can't see this."
    assert data[5].endswith(unseen)
    assert "grad · t = [1, 1, 1] × [8, 4, 6] = [8, 4, 6]" in data[8]
    assert detached[5].endswith("MulBackward0 (line 6) saved an earlier version: running it backward will fail.")
