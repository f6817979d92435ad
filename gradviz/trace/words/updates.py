"""What an optimizer did to its parameters, as the rule with its numbers: "w ← w − lr · w.grad = 3 − 0.1 × 25 = 0.5".
SGD, Adam and AdamW have their rule; of the others it says by which settings they went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.tables import span
from gradviz.trace.table.values import FEW, Value, number_text

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame

_MOST = 4  # parameters that are told of one by one
_LONGEST = 160  # characters after which the rule of one more parameter is not written out
_OTHERWISE = frozenset(("maximize", "amsgrad", "nesterov"))  # settings that change the rule
Settings = dict[str, float]


def update_sentence(frame: Frame) -> str:
    """The step of an optimizer."""
    trace, at = frame.trace, frame.cursor - 1
    low, high = span(trace.updates.step, at, at + 1)
    parts: list[str] = []
    for row in range(low, min(high, low + _MOST)):
        in_full = sum(map(len, parts)) < _LONGEST
        parts.append(_parameter(frame, row) if in_full else _change(frame, int(trace.updates.tensor[row])))
    more = f", and {high - low - _MOST} more in the same way" if high - low > _MOST else ""
    return f"{'; '.join(parts) or 'The optimizer has no parameter with a gradient'}{more}."


def _change(frame: Frame, tensor: int) -> str:
    """ "w: 3 → 0.5"."""
    before = frame.trace.frame_at(frame.cursor - 1).value(tensor)
    return f"{frame.name(tensor)}: {_text(before)} → {_text(frame.value(tensor))}"


def _parameter(frame: Frame, row: int) -> str:
    """One parameter: "w ← w − lr · w.grad = 3 − 0.1 × 25 = 0.5"."""
    trace = frame.trace
    tensor, name = int(trace.updates.tensor[row]), str(trace.optimizers.name[int(trace.steps.ref[frame.cursor - 1])])
    before = trace.frame_at(frame.cursor - 1)
    old, grad, now = before.value(tensor), before.grad(tensor), frame.value(tensor)
    settings = _settings(str(trace.updates.settings[row]))
    shown = frame.name(tensor)
    rule = _RULES.get(name)
    if rule is None or now is None or old is None or grad is None or _OTHERWISE & settings.keys():
        said = ", ".join(f"{key} = {number_text(value)}" for key, value in settings.items())
        return f"{name} with {said or 'its defaults'} updates {_change(frame, tensor)}"
    return rule(frame, row, Numbers(shown, old, grad, now), settings)


def _settings(text: str) -> Settings:
    found = (part.split("=", 1) for part in text.split(", ") if "=" in part)
    return {name: 1.0 if value == "True" else float(value) for name, value in found}


def _text(value: Value | None) -> str:
    return "None" if value is None else value.written()


class Numbers:
    """A parameter in an update: its name, its value before and after, its gradient."""

    def __init__(self, name: str, old: Value, grad: Value, now: Value) -> None:
        self.name, self.old, self.grad, self.now = name, old, grad, now
        self.are_few = all(value.numel <= FEW for value in (old, grad, now))

    def said(self, rule: str, in_numbers: str) -> str:
        """The rule, its numbers where they are few, and the result."""
        steps = [rule, in_numbers] if self.are_few else [rule]
        return f"{self.name} ← {' = '.join([*steps, self.now.written()])}"


def _sgd(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    name, lr, decay = numbers.name, number_text(settings.get("lr", 0.0)), settings.get("weight_decay", 0.0)
    old, grad = numbers.old.brief(), _bracketed(numbers.grad.brief())
    step, counted = f"{name}.grad", grad
    if decay:
        step, counted = f"({name}.grad + weight_decay · {name})", f"({grad} + {number_text(decay)} × {_bracketed(old)})"
    momentum = settings.get("momentum", 0.0)
    if not momentum:
        return numbers.said(f"{name} − lr · {step}", f"{old} − {lr} × {counted}")
    buffer, former = _value(frame, row, "average"), _former(frame, row, "average")
    if buffer is None or "dampening" in settings:
        return numbers.said(f"{name} − lr · (momentum of {step})", f"{old} − {lr} × the momentum")
    if former is None:  # the first gradient itself
        told, in_numbers = (each.removeprefix("(").removesuffix(")") if decay else each for each in (step, counted))
    else:
        told = f"momentum · m + {step}"
        in_numbers = f"{number_text(momentum)} × {_bracketed(former.brief())} + {counted}"
    steps = [told, in_numbers, buffer.written()] if numbers.are_few else [told, buffer.written()]
    m = f"m = {' = '.join(dict.fromkeys(steps))}"
    return f"{m}, {numbers.said(f'{name} − lr · m', f'{old} − {lr} × {_bracketed(buffer.brief())}')}"


def _adam(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    name, decay = numbers.name, settings.get("weight_decay", 0.0)
    is_apart = str(frame.trace.optimizers.name[int(frame.trace.steps.ref[frame.cursor - 1])]) == "AdamW"
    g = f"{name}.grad" if not decay or is_apart else f"({name}.grad + weight_decay · {name})"
    kept = f"{name} · (1 − lr · weight_decay)" if decay and is_apart else name
    said, rule = f"m = β₁ · m + (1 − β₁) · {g}, v = β₂ · v + (1 − β₂) · {g}²", f"{kept} − lr · m̂ / (√v̂ + ε)"
    mean, square = _value(frame, row, "average"), _value(frame, row, "square")
    count = int(frame.trace.updates.count[row])
    if mean is None or square is None or not numbers.are_few or not count:
        return f"{said}; {name} ← {rule} = {numbers.now.written()}"
    first, second = (
        _divided(value, 1 - settings.get(beta, 0.0) ** count).written()
        for value, beta in ((mean, "betas1"), (square, "betas2"))
    )
    lr, eps = number_text(settings.get("lr", 0.0)), number_text(settings.get("eps", 0.0))
    old = numbers.old.brief()
    if decay and is_apart:
        old = f"{_bracketed(old)} × (1 − {lr} × {number_text(decay)})"
    in_numbers = f"{old} − {lr} × {_bracketed(first)} / (√{second} + {eps})"
    return (
        f"{said}: m = {mean.written()}, v = {square.written()}; corrected for step {count}, "
        f"m̂ = m / (1 − β₁^{count}) = {first}, v̂ = v / (1 − β₂^{count}) = {second}; {numbers.said(rule, in_numbers)}"
    )


def _divided(value: Value, by: float) -> Value:
    with np.errstate(all="ignore"):
        array = np.asarray(value.edges / by)
    return Value(value.shape, value.dtype, array, array, None)


_RULES = {"SGD": _sgd, "Adam": _adam, "AdamW": _adam}


def _value(frame: Frame, row: int, column: str) -> Value | None:
    return frame.trace.value(int(getattr(frame.trace.updates, column)[row]))


def _former(frame: Frame, row: int, column: str) -> Value | None:
    """What the optimizer remembered of the parameter before this step."""
    updates = frame.trace.updates
    rows = np.flatnonzero(updates.tensor[:row] == updates.tensor[row])
    return _value(frame, int(rows[-1]), column) if len(rows) else None


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number
