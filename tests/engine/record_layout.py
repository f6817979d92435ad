"""Record how PyTorch lays results in memory: `python tests/engine/record_layout.py`, with torch 2.13.0 installed."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine.layout_lines import INPUTS, LINES

GOLDEN = Path(__file__).parent / "golden" / "layout.json"


def strides(torch: Any) -> dict[str, dict[str, Any]]:
    """For each line and input the strides of the result, or None where the line can't take the input."""
    names = {"torch": torch, "F": torch.nn.functional}
    found: dict[str, dict[str, Any]] = {}
    for line in LINES.strip().splitlines():
        found[line] = {}
        for title, text in INPUTS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    made = eval(line, {**names, "x": eval(text, names)})
                except (RuntimeError, ValueError, IndexError, NotImplementedError, AssertionError, TypeError):
                    found[line][title] = None
                else:
                    # a dimension of one element has no step that says anything
                    found[line][title] = [s for n, s in zip(made.shape, made.stride(), strict=True) if n != 1]
    return found


def main() -> None:
    import torch

    rows = [f"{json.dumps(line)}: {json.dumps(one)}" for line, one in strides(torch).items()]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
