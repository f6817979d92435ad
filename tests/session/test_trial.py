"""Why a wire can't be, in our own words."""

from __future__ import annotations

import pytest

from gradviz.document.code.parse import parse
from gradviz.document.documents import text_of
from gradviz.session.state import Phase
from gradviz.session.wire_check import Tried, forward_only, reason
from tests.trace.running import run

FUNCTIONAL = "import torch.nn.functional as F\n"
REASONS = {
    "torch.mm(torch.ones(2, 3), torch.ones(4, 5))": "mm: 2×3 with 4×5: the inner sizes 3 and 4 differ",
    "torch.dot(torch.ones(3), torch.ones(4))": "dot: 3 with 4: the inner sizes differ",
    "torch.ones(2, 3) + torch.ones(4)": "add: shapes 2×3 and 4 don't broadcast",
    "torch.mm(torch.ones(2, 3), torch.ones(3, 2, dtype=torch.float64))": (
        "mm: float32 with float64: both must have the same dtype"
    ),
    "F.cross_entropy(torch.ones(2, 3), torch.ones(2))": "cross_entropy: the target must be int64 class numbers",
    "F.cross_entropy(torch.ones(2, 3), torch.tensor([1, 2, 0]))": "cross_entropy: 2 rows of scores but 3 targets",
    "F.linear(torch.ones(2, 3), torch.ones(5, 4))": "linear: 2×3 with 4×5: the inner sizes 3 and 4 differ",
    "torch.ones(2, 3).sum(dim=4)": "sum: there is no dimension 4; those of the input are -2 to 1",
    "torch.ones(2, 3).view(4, 2)": "view: 6 elements don't fit into the shape 4×2",
    "torch.cat([torch.ones(2, 3), torch.ones(2, 4)])": (
        "cat: 2×3 with 2×4: all sizes but that of the joined dimension must be equal"
    ),
    "torch.tensor([1, 2]).mean()": "mean: needs floating-point numbers, not integers",
    "torch.gather(torch.ones(2, 3), 1, torch.ones(2, 2))": "gather: Expected dtype int32/int64 for index",
}


def _tried(code: str, before: Tried | None = None) -> str:
    drawing = forward_only(parse(f"import torch\n{FUNCTIONAL}y = {code}\n"))
    trace = run(text_of(drawing))
    if not len(trace.errors):
        return reason(drawing, Tried(Phase.OK), trace, before)
    last = f"{trace.errors.type[0]}: {trace.errors.message[0]}"
    return reason(drawing, Tried(Phase.RAISED, last), trace, before)


@pytest.mark.parametrize("code", REASONS)
def test_the_reason_says_operation_and_shapes(code: str) -> None:
    assert _tried(code) == REASONS[code]


def test_what_was_wrong_before_is_no_reason() -> None:
    code = "torch.ones(2, 3) + torch.ones(4)"
    message = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"
    assert _tried(code, Tried(Phase.RAISED, f"RuntimeError: {message}")) == ""
    assert _tried(code, Tried(Phase.OK)) != ""


def test_what_runs_has_no_reason_and_what_is_too_much_says_so() -> None:
    assert _tried("torch.ones(2, 3) + torch.ones(3)") == ""
    sentence = "The run was stopped because it took longer than 20 seconds."
    drawing = parse("import torch\nx = torch.tensor(1.0)\n")
    assert reason(drawing, Tried(Phase.LIMIT, sentence), run(text_of(drawing)), None) == sentence
