"""Run an example and say what it printed, which nodes ran in which backward call, and which gradients were left.

Works over the real PyTorch and over ours: it puts hooks on the nodes of every graph that is about to be walked. Ours is
watched in a second way too, as an observer of the engine (see `test_examples.py`), and both must agree.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine.record_ops import described, walk
from tests.snippets.execute import run_source

Call = Callable[..., Any]


class Watch:
    """The backward calls of one run: for each, the names of the nodes in the order in which they ended."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.calls: list[list[str]] = []
        self._hooked: list[Any] = []

    def around(self, original: Call) -> Call:
        def watched(tensors: Any, *arguments: Any, **keywords: Any) -> Any:
            roots = [tensors] if isinstance(tensors, self.torch.Tensor) else tensors
            self._hook([root.grad_fn for root in roots])
            self.calls.append([])
            return original(tensors, *arguments, **keywords)

        return watched

    def _hook(self, roots: list[Any]) -> None:
        for node in walk(roots):
            if not any(node is seen for seen in self._hooked):
                self._hooked.append(node)
                node.register_hook(functools.partial(self._ran, node.name()))

    def _ran(self, name: str, *_: Any) -> None:
        self.calls[-1].append(name)


def run_example(torch: Any, path: Path) -> dict[str, Any]:
    """Everything about one example that is compared with PyTorch."""
    watch = Watch(torch)
    methods = ((torch.autograd, "backward"), (torch.autograd, "grad"), (torch.Tensor, "backward"))
    originals = [(owner, name, getattr(owner, name)) for owner, name in methods]
    main = sys.modules["__main__"]
    try:
        for owner, name, original in originals:
            setattr(owner, name, watch.around(original))
        result = run_source(path.read_text(encoding="utf-8"), path.name)
        left = dict(vars(sys.modules["__main__"]))
    finally:
        sys.modules["__main__"] = main
        for owner, name, original in originals:
            setattr(owner, name, original)
    leaves = {k: v for k, v in left.items() if isinstance(v, torch.Tensor) and v.is_leaf and v.requires_grad}
    return {
        "stdout": result["stdout"].split("\n"),
        "warnings": result["warnings"],
        "error": result["error"],
        "order": [call for call in watch.calls if call],
        "gradients": {name: described(leaf.grad) for name, leaf in sorted(leaves.items())},
    }
