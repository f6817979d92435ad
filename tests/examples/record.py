"""Record what PyTorch does with every example: run it with a Python that has torch 2.13.0."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.examples.watch import run_example

ROOT = Path(__file__).parents[2]
EXPECTED = "2.13.0"


def main() -> None:
    import torch

    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    torch.set_num_threads(1)
    os.environ["MPLBACKEND"] = "template"  # draws nothing and warns of nothing
    found = {path.stem: run_example(torch, path) for path in sorted((ROOT / "resources" / "examples").glob("*.py"))}
    lines = [f"{json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in found.items()]
    text = "{\n" + ",\n".join([f'"torch": "{EXPECTED}"', *lines]) + "\n}\n"
    (Path(__file__).parent / "golden.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
