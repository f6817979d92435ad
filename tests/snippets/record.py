"""Record what real PyTorch does with each snippet: run with the Python that has torch 2.13.0 installed.

    python tests/snippets/record.py [NAME...]

Writes `golden/NAME.json` for `corpus/NAME.py`, `programs/NAME.py` and `later/NAME.py`. Without names all are recorded anew.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import execute  # noqa: E402
import torch  # noqa: E402

EXPECTED = "2.13.0"


def main(names: list[str]) -> None:
    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    torch.set_num_threads(1)
    golden = HERE / "golden"
    golden.mkdir(exist_ok=True)
    for path in sorted(path for part in ("corpus", "programs", "later") for path in (HERE / part).glob("*.py")):
        if names and path.stem not in names:
            continue
        result = execute.run_file(str(path))
        if (result["error"] or "").startswith("runner:"):
            raise SystemExit(f"{path.name}: {result['error']}")
        result["stdout"] = result["stdout"].split("\n")
        text = json.dumps({"torch": EXPECTED, **result}, indent=1, ensure_ascii=False)
        (golden / f"{path.stem}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # programs save models and plots
        main(sys.argv[1:])
