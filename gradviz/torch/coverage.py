"""`docs/coverage.md` as text: every public name of PyTorch's namespaces that lessons use, whether it is there, and why
not. It follows from the recorded list of names, from what `gradviz.torch` has, and from the reasons in
`pytorch_names.py`."""

from __future__ import annotations

import importlib
from itertools import groupby
from typing import Any

from gradviz.torch.pytorch_names import NAMES, VERSION, reason

SPACES = """
torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrize torch.nn.utils.parametrizations torch.nn.utils.prune torch.nn.utils.stateless
torch.nn.attention torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.autograd torch.autograd.function
torch.autograd.functional torch.autograd.graph torch.autograd.forward_ad torch.autograd.profiler torch.func torch.linalg
torch.fft torch.special torch.distributions torch.distributions.constraints torch.distributions.transforms
torch.utils.data torch.utils.checkpoint torch.random torch.testing torch.amp torch.cuda torch.accelerator torch.profiler
torch.overrides
""".split()
_INTRODUCTION = """# Coverage

Made by `python -m gradviz.torch.coverage > docs/coverage.md` from PyTorch {version}'s public names; do not edit.

{there:,} of {total:,} names are there. A name that is not there is refused in one sentence with the reason below, and
with the way round where there is one. A name that PyTorch does not have either gives PyTorch's own error.
"""


def lookup(space: str) -> Any:
    """The namespace in `gradviz.torch`, or None."""
    if space == "torch.Tensor":
        return importlib.import_module("gradviz.torch").Tensor
    try:
        return importlib.import_module(f"gradviz.{space}")
    except ImportError:
        return None


def states() -> dict[str, dict[str, bool]]:
    """The names of each namespace, and whether each is there."""
    owners = {space: lookup(space) for space in SPACES}  # all of them first: a module is a name of its parent
    names = {space: sorted(NAMES[space]) for space in SPACES}
    return {space: {name: hasattr(owner, name) for name in names[space]} for space, owner in owners.items()}


def document() -> str:
    """The whole file."""
    known = states()
    total = sum(map(len, known.values()))
    there = sum(sum(names.values()) for names in known.values())
    parts = [_INTRODUCTION.format(version=VERSION, there=there, total=total)]
    for space, names in known.items():
        parts.append(f"## {space}: {sum(names.values())} of {len(names)}\n")
        present = [name for name, is_there in names.items() if is_there]
        if present:
            parts.append(f"**There**: {_listed(present)}\n")
        absent = sorted((reason(f"{space}.{name}"), name) for name, is_there in names.items() if not is_there)
        for (why, way), group in groupby(absent, key=lambda each: each[0]):
            means = f"{why}; {way}" if way else why
            parts.append(f"**Not there** ({means}): {_listed([name for _, name in group])}\n")
    return "\n".join(parts)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    import sys

    sys.stdout.write(document())
