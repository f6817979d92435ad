"""`einsum`: sums of products by an equation such as "bij,jk->bik". Computed as PyTorch does, operands two at a
time: each brought to the same dimensions (the result's first, then those to be summed), each pair multiplied by
one bmm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.tensor import Tensor

F = FUNCTIONS
_DOTS = 0x100  # letters from here on stand for the dimensions of an ellipsis


class _Equation:
    """One equation, taken apart: the letters of each operand, and all letters, those of the result first."""

    def __init__(self, equation: str, operands: Sequence[Tensor]) -> None:
        left, arrow, right = equation.replace(" ", "").partition("->")
        parts = left.split(",")
        if len(parts) != len(operands):
            more = "fewer" if len(parts) > len(operands) else "more"
            raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
        counts = [x._data.ndim - len(part.replace("...", "")) for part, x in zip(parts, operands, strict=True)]
        self._check(parts, counts, operands)
        dots = max((n for part, n in zip(parts, counts, strict=True) if "..." in part), default=0)
        names = [chr(_DOTS + i) for i in range(dots)]
        self.inputs = [
            list(part.replace("...", "".join(names[dots - n :]))) if "..." in part else list(part)
            for part, n in zip(parts, counts, strict=True)
        ]
        every = [c for letters in self.inputs for c in letters]
        if arrow:
            self.output = list(right.replace("...", "".join(names)))
        else:
            self.output = names + sorted(c for c in set(every) if every.count(c) == 1 and c not in names)
        for c in self.output:
            if c not in every:
                raise RuntimeError(
                    f"einsum(): output subscript {c} does not appear in the equation for any input operand"
                )
        self.letters = self.output + [c for c in sorted(set(every)) if c not in self.output]

    @staticmethod
    def _check(parts: list[str], counts: list[int], operands: Sequence[Tensor]) -> None:
        for i, (part, count, x) in enumerate(zip(parts, counts, operands, strict=True)):
            if "..." not in part and count:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(part)}) does not match the number of "
                    f"dimensions ({x._data.ndim}) for operand {i} and no ellipsis was given"
                )


def _letter(place: Any) -> str:
    if place is Ellipsis:
        return "..."
    if not 0 <= place < 52:
        raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return (ascii_uppercase + ascii_lowercase)[place]


def _in_letters(given: Sequence[Any]) -> tuple[str, list[Tensor]]:
    """The form that gives the dimensions of each operand, and of the result at the end, as lists of numbers."""
    lists = ["".join(map(_letter, each)) for each in [*given[1::2], *(given[-1:] if len(given) % 2 else [])]]
    inputs = ",".join(lists[: len(given) // 2])
    return inputs + ("->" + lists[-1] if len(given) % 2 else ""), list(given[: len(given) // 2 * 2 : 2])


@api("einsum", where="torch")
def einsum(*args: Any) -> Tensor:
    """Sums of products by an equation."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, *operands = args
    if isinstance(equation, Tensor):
        equation, operands = _in_letters(args)
    given = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], list | tuple) else list(operands)
    plan = _Equation(equation, given)
    _check_sizes(plan, given)
    terms = [_aligned(x, letters, plan.letters) for x, letters in zip(given, plan.inputs, strict=True)]
    kept = len(plan.output)
    if len(terms) == 1:
        summed = list(range(kept, len(plan.letters)))
        return terms[0].sum(summed) if summed else terms[0]
    found = terms[0]
    for i, term in enumerate(terms[1:], start=1):
        rest = terms[i + 1 :]
        now = [d for d in range(kept, len(plan.letters)) if all(x._data.shape[d] == 1 for x in rest)]
        found = _pair(found, term, now)
    return found.view(*found._data.shape[:kept]) if len(plan.letters) > kept else found


def _check_sizes(plan: _Equation, operands: list[Tensor]) -> None:
    seen: dict[str, int] = {}
    for i, (x, letters) in enumerate(zip(operands, plan.inputs, strict=True)):
        for c, n in zip(letters, x._data.shape, strict=True):
            if n != 1 and seen.setdefault(c, n) != n:
                raise RuntimeError(
                    f"einsum(): subscript {c} has size {n} for operand {i} which does not broadcast with previously "
                    f"seen size {seen[c]}"
                )


def _aligned(x: Tensor, letters: list[str], order: list[str]) -> Tensor:
    """An operand with a dimension for every letter, in one order; a letter that stands twice names its diagonal."""
    letters = list(letters)
    while len(set(letters)) < len(letters):
        c = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(c)
        j = letters.index(c, i + 1)
        x = x.diagonal(0, i, j).movedim(-1, i)
        del letters[j]
    missing = [c for c in order if c not in letters]
    for _ in missing:
        x = x.unsqueeze(-1)
    letters += missing
    return x.permute([letters.index(c) for c in order])  # type: ignore[no-any-return]


def _pair(x: Tensor, y: Tensor, now: list[int]) -> Tensor:
    """The product of two aligned operands, summed over the dimensions `now`, which stay with size 1."""
    sizes = [(n, m) for n, m in zip(x._data.shape, y._data.shape, strict=True)]
    only_x = [d for d in now if sizes[d][0] != 1 and sizes[d][1] == 1]
    only_y = [d for d in now if sizes[d][0] == 1 and sizes[d][1] != 1]
    both = [d for d in now if 1 not in sizes[d]]
    x = x.sum(only_x, keepdim=True) if only_x else x
    y = y.sum(only_y, keepdim=True) if only_y else y
    return _sum_of_products(x, y, both) if both else x * y


def _sum_of_products(x: Tensor, y: Tensor, summed: list[int]) -> Tensor:
    """One bmm: dimensions of both are the batch, of one alone its rows or columns, `summed` the inner one."""
    a, b = x._data.shape, y._data.shape
    free = [d for d in range(len(a)) if d not in summed]
    batch = [d for d in free if a[d] > 1 and b[d] > 1]
    rows = [d for d in free if a[d] > 1 and b[d] == 1]
    columns = [d for d in free if a[d] == 1]
    size = [math.prod(a[d] for d in group) for group in (batch, rows, summed)]
    width = math.prod(b[d] for d in columns)
    left = x.permute(batch + rows + summed + columns).reshape(*size)
    right = y.permute(batch + summed + columns + rows).reshape(size[0], size[2], width)
    order = batch + rows + summed + columns
    shape = [a[d] for d in batch + rows] + [1] * len(summed) + [b[d] for d in columns]
    found: Tensor = F["bmm"](left, right).view(*shape).permute([order.index(d) for d in range(len(order))])
    return found
