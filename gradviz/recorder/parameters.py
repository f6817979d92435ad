"""The parameters of an operation of PyTorch in the words that the engine has for them, which sentences, formulas and
the doctor read: "dim=(2, 3)", "reduction=mean", and what a call leaves to its default."""

from __future__ import annotations

from typing import Any, NamedTuple

REDUCTIONS = ("none", "mean", "sum")
_OF_PYTORCH_ALONE = ("half_to_float",)
_STATISTICS = ("running_mean", "running_var")  # which a training step changes, beside its result
_NEUTRAL = (("alpha", 1), ("beta", 1))
_OWN_DEFAULTS = {"correction": 1}  # which the schema says nothing of
TO_THE_END = (1 << 63) - 1  # of a slice


class Argument(NamedTuple):
    """One argument of an overload: whether it is written to, or changed beside the result, whether it stands for one
    tensor, which may be missing, and what is said of its default, "" for nothing."""

    name: str
    is_written: bool
    is_changed: bool
    is_tensor: bool
    default: str


def arguments_of(func: Any) -> tuple[Argument, ...]:
    """The arguments of an overload, in their order."""
    found = []
    for spec in func._schema.arguments:
        given = spec.default_value if spec.has_default_value() else None
        given = _OWN_DEFAULTS.get(spec.name) if given is None else given
        is_said = given is not False and (spec.name, given) not in _NEUTRAL
        is_changed = spec.name in _STATISTICS
        is_written = spec.alias_info is not None and spec.alias_info.is_write and not is_changed
        default = in_words(spec.name, given) if is_said else ""
        is_tensor = str(spec.type) in ("Tensor", "Optional[Tensor]")
        found.append(Argument(spec.name, is_written, is_changed, is_tensor, default))
    return tuple(found)


def in_words(name: str, value: Any) -> str:
    """ "dim=(2, 3)"; "" for tensors, None and what only PyTorch has."""
    if isinstance(value, (list, tuple)):
        is_plain = all(isinstance(each, (int, float, complex, str)) for each in value)
        return f"{name}={tuple(value)}" if is_plain else ""
    if not isinstance(value, (int, float, complex, str)) or name in _OF_PYTORCH_ALONE:
        return ""
    if name == "reduction" and isinstance(value, int):
        value = REDUCTIONS[value]
    return f"{'base' if name == 'self' else name}={value}"
