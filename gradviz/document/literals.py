"""Numbers and lists as they appear in code. The text gives the same number when Python reads it (the same float32
number, if a tensor keeps no more), and looks as a person types it: `2.`, `0.1`, `1e-3`."""

from __future__ import annotations

import ast
import math
import struct

from gradviz.document.drawing import Literal

PLACE = "_"  # in an index: where a tensor stands
LONG = 12  # characters from which a float that becomes a float32 is shortened
DTYPES = frozenset(
    "float16 bfloat16 float32 float64 complex64 complex128 uint8 int8 int16 int32 int64 bool half float double "
    "short int long cfloat cdouble complex32 chalf uint16 uint32 uint64".split()
)


def number_text(value: complex | str | None, *, single: bool = False) -> str:
    """Return a number, a bool, a text or None as Python code; `single`: it becomes a float32."""
    if isinstance(value, float):
        return _float_text(value, single=single)
    if isinstance(value, complex):
        return _complex_text(value, single=single)
    if isinstance(value, str):
        return _quoted(value)
    return repr(value)


def literal_text(value: Literal, *, single: bool = False) -> str:
    """Return any literal in one line, nested tuples as tuples."""
    if not isinstance(value, tuple):
        return number_text(value, single=single)
    inner = ", ".join(literal_text(each, single=single) for each in value)
    return f"({inner},)" if len(value) == 1 else f"({inner})"


def as_floats(data: Literal) -> Literal:
    """Convert integers in it to floats, for what can have, or be, a gradient."""
    if isinstance(data, tuple):
        return tuple(map(as_floats, data))
    return as_float(data) if isinstance(data, int) else data


def as_float(number: float) -> float:
    """Convert a number to a float: an integer that is too large becomes infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _quoted(text: str) -> str:
    shown = repr(text)
    inner = shown[1:-1]
    return f'"{inner}"' if shown.startswith("'") and '"' not in inner else shown


def _float_text(value: float, *, single: bool) -> str:
    if math.isnan(value):
        return 'float("nan")'
    if math.isinf(value):
        return 'float("inf")' if value > 0 else '-float("inf")'
    text = repr(value)
    if single and len(text) > LONG:
        text = _shortest(value) or text
    if text.endswith(".0"):
        return text[:-1]
    mantissa, found, exponent = text.partition("e")
    if not found:
        return text
    sign = "-" if exponent.startswith("-") else ""
    return f"{mantissa}e{sign}{exponent.lstrip('+-').lstrip('0') or '0'}"


def _shortest(value: float) -> str:
    """Return the shortest decimal number that is the same float32; "" if it is too large for one."""
    try:
        wanted = struct.pack("f", value)
    except OverflowError:
        return ""
    for digits in range(1, 10):
        text = repr(float(f"{value:.{digits}g}"))
        if struct.pack("f", float(text)) == wanted:
            return text
    return ""


def _complex_text(value: complex, *, single: bool) -> str:
    real, imag = value.real, value.imag
    plain = all(math.isfinite(part) and (part or math.copysign(1, part) > 0) for part in (real, imag))
    if not plain:
        return f"complex({_float_text(real, single=single)}, {_float_text(imag, single=single)})"
    imaginary = _float_text(abs(imag), single=single) + "j"
    if not real:
        return imaginary if imag >= 0 else f"-{imaginary}"
    return f"{_float_text(real, single=single)} {'-' if imag < 0 else '+'} {imaginary}"


def parameters(text: str) -> dict[str, Literal]:
    """Parse "dim=(1,), keepdim=True, reduction=mean" into values; anything but a number, list or bool is a text."""
    found: dict[str, Literal] = {}
    for part in _parts(text):
        name, _, value = part.partition("=")
        try:
            found[name] = _frozen(ast.literal_eval(value))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            found[name] = float(value) if value in ("inf", "-inf", "nan") else value.strip("'\"")
    return found


def _parts(text: str) -> list[str]:
    """Split at commas outside brackets."""
    found, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [*found, text[begin:].strip()] if text.strip() else []


def _frozen(value: object) -> Literal:
    if isinstance(value, list | tuple):
        return tuple(_frozen(each) for each in value)
    return value if value is None or isinstance(value, bool | int | float | complex | str) else str(value)
