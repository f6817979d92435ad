"""Record what PyTorch does when it writes to memory that it also reads: `python tests/engine/record_turns.py`, with
torch 2.13.0 installed. Each program is made from its number: a tensor, two views of it, and an operation that writes to
one of them and reads the other. What is recorded is the whole tensor afterwards, or the error."""

from __future__ import annotations

import json
import random
import sys
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

GOLDEN = Path(__file__).parent / "golden" / "turns.json"
COUNT = 400
KINDS = ("float32", "float32", "float64", "int64", "int32", "complex64", "int8")
VIEWS = """
x
x[:, :1]
x[:, 1:2]
x[:, 1:]
x[:, :-1]
x[1:]
x[:-1]
x[0]
x[:, 0]
x[1:, 1:]
x[:-1, :-1]
x[:, ::2]
x[:, 1::2]
x[::2]
x.t()
x[:, :3]
x[:, :3].t()
x.diagonal()
x.view(-1)
x.view(-1)[::3]
x.view(-1)[1:4]
x.unfold(0, 2, 1)
x.unfold(1, 2, 1)
x[:, 2:].unfold(0, 2, 1)
x.as_strided((3, 3), (1, 1))
x[1, 1]
x[None]
x[:, 2:3].expand(3, 3)
x.flip(0)
""".strip().splitlines()
WRITES = """
a.add_(b)
a.sub_(b, alpha=2)
a.mul_(b)
a.copy_(b)
a[...] = b
a.maximum(b)
a.clamp_(b)
a.bitwise_xor_(b)
a.eq_(b)
a.addcmul_(b, b)
a.addcmul_(b, x[:, 1:2])
a.masked_fill_(b == 2, 3)
a.sub_(b).add_(1)
torch.add(b, 1, out=a)
torch.sub(a, b, out=a)
torch.neg(b, out=a)
torch.where(b == 1, b, a, out=a)
a += b
a *= b
a -= b[..., :1]
""".strip().splitlines()


def program(number: int) -> list[str]:
    """The lines of one program."""
    choice = random.Random(number)
    columns, kind = choice.choice((3, 4, 5, 9, 19, 37)), choice.choice(KINDS)
    return [
        f"x = (torch.arange({3 * columns}).reshape(3, {columns}) * 7 % 5 - 1).to(torch.{kind})",
        f"a = {choice.choice(VIEWS)}",
        f"b = {choice.choice(VIEWS)}",
        choice.choice(WRITES),
    ]


def observed(torch: Any, number: int) -> str:
    """What one program does."""
    known: dict[str, Any] = {"torch": torch}
    said = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in program(number):
            try:
                exec(line, known)
            except (RuntimeError, TypeError, ValueError, IndexError, NameError) as error:
                said = f"{line}: {type(error).__name__}: {str(error)[:80]} "
    return said + " ".join(f"{each}" for each in known["x"].resolve_conj().flatten().tolist()).replace(".0", "")


def main() -> None:
    import torch

    torch.set_num_threads(1)
    lines = [json.dumps(observed(torch, number)) for number in range(COUNT)]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
