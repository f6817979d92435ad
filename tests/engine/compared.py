"""Which operations the cases beside this compare with PyTorch in value, gradient and second gradient, as
`resources/compared.json`: the window says of a snippet whether all of its operations are among them. The names follow
from the cases and from what PyTorch did with them; `test_compared.py` finds a file that is not current.

    python -m tests.engine.compared
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import gradviz.torch as torch
from gradviz.engine.kernel.state import set_observer
from tests.engine.op_cases import cases
from tests.engine.record_ops import observe_case

HERE = Path(__file__).parent
FILE = HERE.parents[1] / "resources" / "compared.json"


class _Used:
    """An observer that keeps the names of operations."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def forward(self, row: Any, *_: Any) -> None:
        self.names.add(row.name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: None


def compared() -> dict[str, Any]:
    """The names of the operations that ran in a case, and of the nodes that PyTorch made there and in the gradients."""
    golden = json.loads((HERE / "golden" / "ops_float64.json").read_text(encoding="utf-8"))
    used, nodes = _Used(), set[str]()
    set_observer(used)  # type: ignore[arg-type]
    try:
        for name, case in cases(torch).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                observe_case(torch, case, "float64")
            found = golden[name]
            nodes |= {node for node, _ in found["graph"]}
            nodes |= {node for node in found.get("first_grad_fn", ()) if node}
    finally:
        set_observer(None)
    leaves = {"torch::autograd::AccumulateGrad"}
    return {"pytorch": golden["torch"], "operations": sorted(used.names), "nodes": sorted(nodes - leaves)}


def text() -> str:
    """The file."""
    return json.dumps(compared(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
