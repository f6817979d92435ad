"""Record what PyTorch says of wrong arguments: `python tests/engine/record_arguments.py`, with torch 2.13.0 installed.
Every function and method whose signatures are recorded is called with too many and too few arguments, and with ones of
wrong kinds."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

GOLDEN = Path(__file__).parent / "golden" / "arguments.json"
SIGNATURES = Path(__file__).parents[2] / "resources" / "pytorch_signatures.txt"
X, WRONG = "torch.ones(2, 3)", "Other()"
# What stands between the parentheses, for functions and methods; of a method without the first tensor.
CALLS = (
    "",
    X,
    WRONG,
    f"{X}, {WRONG}",
    f"{X}, [1.5, 2], 'a'",
    f"{X}, None, (1, 'a')",
    f"{X}, {X}, 2.5, True",
    f"{X}, no_such_argument=1",
    f"{X}, dim='a', keepdim=1",
    f"{X}, torch.tensor([1, 2]), dim=torch.tensor(1.5)",
    ", ".join([X] * 9),
)
# These do what they do whatever they are given, or work without any argument.
LEFT_OUT = frozenset(
    """seed initial_seed get_rng_state set_rng_state manual_seed set_grad_enabled random_ set_ data storage empty
    empty_like new_empty empty_strided empty_permuted""".split()
)


class Other:
    """What no function takes."""


def names() -> Iterator[tuple[str, str]]:
    """The place and the name of each function."""
    place = ""
    for line in SIGNATURES.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            place = line.strip("[]")
        elif place in ("torch", "Tensor", "nn.functional", "sparse"):
            yield place, line.partition("(")[0].partition(":")[0]


def lines() -> Iterator[str]:
    for place, name in dict.fromkeys(names()):
        if name in LEFT_OUT:
            continue
        for arguments in CALLS:
            if place != "Tensor":
                yield f"torch.{place}.{name}({arguments})".replace("torch.torch.", "torch.")
            elif arguments in ("", X, WRONG):
                yield f"{X}.{name}({arguments})"
            else:
                yield f"{X}.{name}({arguments.removeprefix(X + ', ')})"


def said(torch: Any) -> dict[str, str]:
    """What each call raises by its arguments alone; "" where it raises something else or nothing."""
    found = {}
    for line in lines():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                eval(line, {"torch": torch, "Other": Other})
            except TypeError as error:
                found[line] = str(error)
            except Exception:  # noqa: BLE001 only the arguments matter here
                found[line] = ""
            else:
                found[line] = ""
    return found


def main() -> None:
    import torch

    rows = [f"{json.dumps(line)}: {json.dumps(text)}" for line, text in said(torch).items()]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
