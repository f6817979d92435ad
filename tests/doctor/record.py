"""Record what the fixed snippets print in real PyTorch: run with the Python that has torch 2.13.0 installed.

python tests/doctor/record.py
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import torch  # noqa: E402
from cases import CASES, CONFUSIONS  # noqa: E402

EXPECTED = "2.13.0"


def main() -> None:
    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    torch.set_num_threads(1)
    printed = {}
    right = {case.name: case.fixed for case in CASES}
    for case in CONFUSIONS:
        right |= {f"confusion {case.name}, {place}": text for place, text in enumerate(case.fixes)}
    right |= {f"confusion {case.name}": case.text for case in CONFUSIONS if case.id == "none"}
    for name, text in right.items():
        torch.manual_seed(0)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(text, name, "exec"), {"__name__": "__main__"})
        printed[name] = out.getvalue()
    (HERE / "golden.json").write_text(json.dumps(printed, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
