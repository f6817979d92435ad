"""Record what PyTorch's distributions answer: run with the Python that has torch 2.13.0 installed.

python tests/distributions/record.py
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.distributions.cases import observe_all

GOLDEN = Path(__file__).parent / "golden.json"


def main() -> None:
    import torch

    assert torch.__version__.startswith("2.13.0")
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = observe_all(torch)
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in seen.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
