"""Which dtype comes out of which two: tensors, zero-dimensional tensors and Python numbers, by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")
DTYPES = (*INTEGERS, "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
NUMBERS: dict[str, Any] = {"True": True, "2": 2, "2.5": 2.5, "2j": 2j}
REDUCTIONS = ("sum", "prod", "mean", "cumsum", "max", "std")
FUNCTIONS = ("exp", "sqrt", "sin", "sigmoid", "abs", "neg", "sign", "floor", "relu")


def operations(torch: Any) -> dict[str, Callable[[Any, Any], Any]]:
    return {
        "+": lambda a, b: a + b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "//": lambda a, b: a // b,
        "-": lambda a, b: a - b,
        "**": lambda a, b: a**b,
        ">": lambda a, b: a > b,
        "==": lambda a, b: a == b,
        "maximum": torch.maximum,
        "where": lambda a, b: torch.where(torch.tensor([True, False]), a, b),
        "cat": lambda a, b: torch.cat([a.reshape(-1), b.reshape(-1)]),
    }


def _outcome(run: Callable[[], Any]) -> str:
    """The dtype that came out, or the error."""
    try:
        result = run()
    except (RuntimeError, TypeError, NotImplementedError, ZeroDivisionError) as error:
        return type(error).__name__
    return str(result.dtype).removeprefix("torch.")


def observe(torch: Any) -> dict[str, dict[str, str]]:
    """Rows by operation: the key says what stood left and right, 0 marks a zero-dimensional tensor."""
    made = {name: torch.tensor([1, 1], dtype=getattr(torch, name)) for name in DTYPES}
    single = {name: torch.tensor(1, dtype=getattr(torch, name)) for name in DTYPES}
    table: dict[str, dict[str, str]] = {}
    for sign, run in operations(torch).items():
        row: dict[str, str] = {}
        for left in DTYPES:
            for right in DTYPES:
                row[f"{left} {right}"] = _outcome(lambda a=left, b=right, f=run: f(made[a], made[b]))
                row[f"{left} 0{right}"] = _outcome(lambda a=left, b=right, f=run: f(made[a], single[b]))
            if sign in ("maximum", "cat"):
                continue
            for text, value in NUMBERS.items():
                row[f"{left} {text}"] = _outcome(lambda a=left, v=value, f=run: f(made[a], v))
                if sign not in ("where", ">", "=="):
                    row[f"{text} {left}"] = _outcome(lambda a=left, v=value, f=run: f(v, made[a]))
        table[sign] = row
    for name in (*FUNCTIONS, *REDUCTIONS):
        axis = (0,) if name == "cumsum" else ()
        table[name] = {one: _outcome(lambda t=made[one], n=name, a=axis: getattr(t, n)(*a)) for one in DTYPES}
    return table
