"""Records what PyTorch returns for the programs of cases.py into golden/nn.json. Run it with a Python that has torch:
`python -m tests.nn.record`."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden" / "nn.json"


def plain(value: Any) -> Any:
    """Data that JSON can hold; a tensor becomes its dtype, shape and numbers."""
    if hasattr(value, "detach"):
        flat = value.detach().reshape(-1).tolist()
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": [_number(each) for each in flat]}
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return _number(value)


def _number(value: Any) -> Any:
    return (
        repr(value)
        if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf")))
        else value
    )


def main() -> None:
    """Write the golden file."""
    import torch

    from tests.nn.cases import PROGRAMS

    warnings.simplefilter("ignore")
    lines = [f"{json.dumps(name)}: {json.dumps(plain(program(torch)))}" for name, program in PROGRAMS.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
