"""What it costs to find the names of all tensors."""

from __future__ import annotations

import pytest

from gradviz.trace.table.trace import Trace
from tests.trace.running import run

CHAIN = """
import torch
x = torch.tensor(1.0, requires_grad=True)
v = [x]
[v.append(v[-1] * 1.5) for i in range(COUNT)]
"""


@pytest.mark.parametrize("count", [100, 400])
def test_what_a_tensor_was_made_of_is_found_once_however_many_are_called_after_it(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = run(CHAIN.replace("COUNT", str(count)))
    asked: list[int] = []
    look_up = Trace.inputs_of
    monkeypatch.setattr(Trace, "inputs_of", lambda self, node: (asked.append(node), look_up(self, node))[1])
    names = [trace.naming.name(tensor, len(trace)) for tensor in range(len(trace.tensors))]
    assert len(set(names)) > 3
    assert 0 < len(asked) <= len(trace.nodes)
