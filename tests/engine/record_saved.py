"""Record what real PyTorch shows as `_saved_*` of the `grad_fn` of every row of `op_cases`: which names, and of what is
no tensor the values.

`record_ops.py ops` runs it too; alone it runs with a Python that has torch 2.13.0. `observe` is what the test calls
over our own torch, so both sides are looked at in the same way.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine.op_cases import Case, cases

GOLDEN = Path(__file__).parent / "golden" / "saved.json"


def plain(torch: Any, value: Any) -> Any:
    """A value that JSON can hold; of a tensor only that it is one."""
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, list | tuple):
        return [plain(torch, each) for each in value]
    return None if value is None else [type(value).__name__, str(value)]


def observe(torch: Any, case: Case) -> Any:
    """The saved attributes of the node that made the first output; None where there is none."""
    given = []
    for feed, values in zip(case.inputs, case.values(), strict=True):
        kind = {"index": torch.int64, "mask": torch.bool}.get(feed.kind, torch.float64)
        given.append(torch.tensor(values, dtype=kind, requires_grad=feed.differentiable))
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = case.run(*given)
    while isinstance(found, list | tuple) and found:
        found = found[0]
    node = getattr(found, "grad_fn", None)
    if node is None:
        return None
    saved = sorted(name for name in dir(node) if name.startswith("_saved_"))
    return {"node": node.name(), **{name: plain(torch, getattr(node, name)) for name in saved}}


def main() -> None:
    import torch

    assert torch.__version__.startswith("2.13.0")
    found = {name: observe(torch, case) for name, case in cases(torch).items()}
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found)]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
