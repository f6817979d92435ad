"""Record what PyTorch does with odd inputs: `python tests/engine/record_odd_shapes.py`, with torch 2.13.0 installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine import odd_shapes

GOLDEN = Path(__file__).parent / "golden" / "odd_shapes.json"
EXPECTED = "2.13.0"


def main() -> None:
    import torch

    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    torch.set_num_threads(1)
    lines = [f"{json.dumps(name)}: {json.dumps(seen)}" for name, seen in odd_shapes.observe_all(torch).items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
