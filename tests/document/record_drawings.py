"""Record what real PyTorch makes of the code of 500 random drawings.

Run it with a Python that has torch 2.13.0, NumPy and ml_dtypes: `python tests/document/record_drawings.py`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from gradviz.document.documents import text_of
from tests.document.random_drawings import drawing, results

GOLDEN = Path(__file__).parent / "golden_drawings.json"
COUNT = 500
EXPECTED = "2.13.0"


def fingerprint(text: str) -> str:
    """Tells which code the numbers are of."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def recorded(torch: Any, seed: int) -> list[Any]:
    """The fingerprint and the numbers of one drawing, six digits each."""
    found = drawing(seed)
    numbers = results(torch, found)
    return [
        fingerprint(text_of(found)),
        {name: [float(f"{one:.6g}") for one in each] for name, each in numbers.items()},
    ]


def main() -> None:
    """Write the file, one drawing a line."""
    import torch

    assert torch.__version__.startswith(EXPECTED), torch.__version__
    lines = [json.dumps(recorded(torch, seed), separators=(",", ":")) for seed in range(COUNT)]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
