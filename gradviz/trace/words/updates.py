"""What an optimizer did to its parameters, as its rule with numbers: "w ← w − lr · w.grad = 3 − 0.1 × 25 = 0.5". If a
setting changes the rule (`maximize`), and for custom optimizers, it says which settings were used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.trace.table.name_text import with_article
from gradviz.trace.table.tables import span
from gradviz.trace.table.values import FEW, MATRIX, MOST_DIGITS, Value, array_text, factor_text, is_same, number_text
from gradviz.trace.words.sentences import Said, said

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame

_MOST = 4  # parameters that are listed individually
_LONGEST = 160  # characters after which no further rule is written out
# settings that change the rule
_OTHERWISE = frozenset(("maximize", "amsgrad", "centered"))
_LETTERS = {  # letters for settings in the rules
    "betas1": "β₁", "betas2": "β₂", "eps": "ε", "alpha": "α", "rho": "ρ", "lambd": "λ", "etas1": "η⁻", "etas2": "η⁺",
}  # fmt: skip
Settings = dict[str, float]


def update_sentence(frame: Frame) -> Said:
    """The step of an optimizer."""
    trace, at = frame.trace, frame.cursor - 1
    low, high = span(trace.updates.step, at, at + 1)
    parts: list[str] = []
    if low < high and str(trace.optimizers.name[int(trace.steps.ref[at])]).startswith("clip_grad"):
        return _clipped(frame, low, high)
    for row in range(low, min(high, low + _MOST)):
        in_full = sum(map(len, parts)) < _LONGEST
        parts.append(_parameter(frame, row) if in_full else _change(frame, int(trace.updates.tensor[row]), " stays"))
    return _all(parts, high - low) if parts else said("optimizer.none")


def _all(updates: list[str], count: int) -> Said:
    """What was done to each parameter; if there are many, to the first ones."""
    text, more = _plain("; ".join(updates)), count - _MOST
    return said("optimizer.more", updates=text, more=more) if more > 0 else said("optimizer", updates=text)


def _plain(text: str) -> str:
    """Sums without brackets around their negative numbers: "-1 + 2 − 3" for "((-1) + 2) + (-3)"."""
    text = re.sub(rf"(?<=\()\((-{_DIGITS})\)(?= [+−×])", r"\1", text)
    return re.sub(rf"\+ \(-({_DIGITS})\)(?! [×/]|²)", r"− \1", text)


_DIGITS = r"\d[\d.]*(?:e[+-]?\d+)?"


def _clipped(frame: Frame, low: int, high: int) -> Said:
    """What clipping did to the gradients."""
    updates, before = frame.trace.updates, frame.trace.frame_at(frame.cursor - 1)
    settings = _settings(str(updates.settings[low]))
    changes = []
    for tensor in updates.tensor[low : min(high, low + _MOST)].tolist():
        old, now = before.grad(tensor), frame.grad(tensor)
        is_unchanged = old is not None and is_same(old, now)
        changes.append(f"{frame.name(tensor)}.grad{' stays' if is_unchanged else f': {_text(old)} →'} {_text(now)}")
    changed = _all(changes, high - low)
    if "clip_value" in settings:
        bound = number_text(settings["clip_value"])
        pairs = ((before.grad(each), frame.grad(each)) for each in updates.tensor[low:high].tolist())
        if all(old is not None and is_same(old, now) for old, now in pairs):
            return said("optimizer.value.kept", bound=bound)
        return said("optimizer.value", bound=bound, changes=changed)
    total, bound, factor = (number_text(settings.get(key, 0.0)) for key in ("total", "max_norm", "factor"))
    kind = settings.get("norm_type", 2.0)
    named = {2.0: "√(Σ grad²)", float("inf"): "the largest |grad|"}
    places = {"how": named.get(kind, f"of order {number_text(kind)}"), "total": total, "bound": bound}
    if settings.get("factor", 1.0) >= 1:
        return said("optimizer.norm.kept", **places)
    if not np.isfinite(settings.get("total", 0.0)):
        return said("optimizer.norm.infinite", **places, changes=changed)
    return said("optimizer.norm", **places, factor=factor, changes=changed)


def _change(frame: Frame, tensor: int, stays: str = ", which stays") -> str:
    """ "w: 3 → 0.5", "w, which stays 3"."""
    old, now = frame.trace.frame_at(frame.cursor - 1).value(tensor), frame.value(tensor)
    if old and is_same(old, now):
        return f"{frame.name(tensor)}{stays} {_text(now)}"
    before, after = (_text(old), _text(now)) if old is None or now is None else told_apart(old, now)
    return f"{frame.name(tensor)}: {before} → {after}"


def _parameter(frame: Frame, row: int) -> str:
    """One parameter: "w ← w − lr · w.grad = 3 − 0.1 × 25 = 0.5"."""
    trace = frame.trace
    tensor, name = int(trace.updates.tensor[row]), str(trace.optimizers.name[int(trace.steps.ref[frame.cursor - 1])])
    before = trace.frame_at(frame.cursor - 1)
    old, grad, now = before.value(tensor), before.grad(tensor), frame.value(tensor)
    settings = _settings(str(trace.updates.settings[row]))
    shown = frame.name(tensor)
    rule = _RULES.get(name)
    otherwise = _OTHERWISE & settings.keys() or (name in ("NAdam", "RAdam") and "decoupled_weight_decay" in settings)
    text = str(trace.updates.settings[row])
    if rule is None or now is None or old is None or grad is None or otherwise:
        return f"{name} with {_said(text) or 'its defaults'} updates {_change(frame, tensor)}"
    numbers = Numbers(shown, old, grad, now)
    text = text.removesuffix(", decoupled_weight_decay=True")  # the rule shows it
    return rule(frame, row, numbers, settings) + ("" if numbers.are_few else f" (with {_said(text)})")


def rule_of_update(frame: Frame, row: int) -> tuple[str, str]:
    """The rule by which one parameter was changed, in names and in numbers, without the result; "" if it is not written
    out."""
    name = frame.name(int(frame.trace.updates.tensor[row]))
    before, arrow, after = _parameter(frame, row).partition(f"{name} ← {name} ")
    after = f"{name} {after}"
    rule, *steps = after.split(";")[0].split(" = ")
    if not arrow or len(steps) < 2:
        return (f"{name} ← {rule}", "") if arrow and steps else ("", "")
    return f"{name} ← {rule}", f"{before}{name} ← {steps[0]}"


def _said(text: str) -> str:
    """The settings of an optimizer in a sentence: "lr = 0.1, β₁ = 0.9, amsgrad"."""
    pairs = (part.split("=", 1) for part in text.split(", ") if "=" in part)
    return ", ".join(
        name if value == "True" else f"{_LETTERS.get(name, name)} = {number_text(float(value))}"
        for name, value in pairs
    )


def _settings(text: str) -> Settings:
    found = (part.split("=", 1) for part in text.split(", ") if "=" in part)
    return {name: 1.0 if value == "True" else float(value) for name, value in found}


def _text(value: Value | None) -> str:
    return "None" if value is None else value.written()


def module_sentence(frame: Frame, node: int) -> str:
    """What an operation does besides its result: the running statistics of a batch norm, the rows that an embedding
    picks, what a dropout's mask is, which operands a function of the snippet wrote to; "" for all others."""
    op = str(frame.trace.nodes.op[node])
    if op[:1].isupper():
        return _written_unmarked(frame, node)
    if op == "native_batch_norm":
        return _running(frame, node)
    return _dropped(frame, node) if op == "mul" else _picked(frame, node) if op == "embedding" else ""


def _written_unmarked(frame: Frame, node: int) -> str:
    trace, before = frame.trace, frame.trace.frame_at(frame.cursor - 1)
    low, high = span(trace.writes.step, frame.cursor - 1, frame.cursor)
    written = [each for each in trace.writes.tensor[low:high].tolist() if each in trace.inputs_of(node)]
    told = [f"{frame.name(each)}: {_text(before.value(each))} → {_text(frame.value(each))}" for each in written]
    return said("part.wrote", changes="; ".join(told)) if told else ""


def _running(frame: Frame, node: int) -> str:
    """ " bn.running_mean ← 0.9 · running_mean + 0.1 · the mean of the batch = 0.9 × [0, 0] + 0.1 × [2, 4] = …"."""
    trace, slots = frame.trace, frame.trace.slots_of(node)
    given = _settings(str(trace.nodes.params[node]).replace("False", "0"))
    x = frame.value(slots[0])
    if not given.get("training") or not given.get("momentum") or x is None or 3 not in slots or 4 not in slots:
        return ""
    few = x.array is not None and frame.trace.tensors.shape[slots[3]] != () and x.numel > 0
    told = []
    for slot, what in ((3, "mean of the batch"), (4, "variance of the batch (with n − 1)")):
        old, now = trace.frame_at(frame.cursor - 1).value(slots[slot]), frame.value(slots[slot])
        old = trace.value(int(trace.tensors.value[slots[slot]])) if old is None else old
        if old is None or now is None:
            return ""
        name, kept, share = frame.name(slots[slot]), *map(number_text, (1 - given["momentum"], given["momentum"]))
        short = name.rsplit(".", 1)[-1]
        steps = [f"{kept} · {short} + {share} · the {what}"]
        if few and now.numel <= FEW and x.array is not None:
            before, new = (factor_text(each.brief()) for each in (old, _statistic(x, slot == 4, now)))
            steps.append(f"{kept} × {before} + {share} × {new}")
        told.append(f"{name} ← {' = '.join([*steps, now.written()])}")
    return " " + "; ".join(told) + "."


def _statistic(x: Value, is_variance: bool, like: Value) -> Value:
    """The mean or the variance of each channel."""
    assert x.array is not None
    array, axes = x.array.astype(np.float64), (0, *range(2, x.array.ndim))
    with np.errstate(all="ignore"):
        count = max(1, x.numel // max(1, x.array.shape[1]) - 1)
        apart = (array - array.mean(axis=axes, keepdims=True)) ** 2
        found = apart.sum(axis=axes) / count if is_variance else array.mean(axis=axes)
    return Value(like.shape, "float64", found, found, None)


def _dropped(frame: Frame, node: int) -> str:
    """ " The mask of drop is 0 where an element is dropped, else 1 / (1 − p) = 2."."""
    mask = frame.trace.slots_of(node).get(1, -1)
    value = frame.value(mask) if mask >= 0 and frame.name(mask).startswith("mask of ") else None
    if value is None or value.summary.high <= 0:
        return ""
    kept = number_text(float(value.summary.high))
    return f" The {frame.name(mask)} is 0 where an element is dropped, else 1 / (1 − p) = {kept}."


def _picked(frame: Frame, node: int) -> str:
    slots = frame.trace.slots_of(node)
    indices = frame.value(slots[1]) if 1 in slots else None
    if indices is None or indices.array is None or not 0 < indices.numel <= _MOST_ROWS:
        return ""
    rows = [str(int(each)) for each in indices.array.reshape(-1).tolist()]
    listed = rows[0] if len(rows) == 1 else f"{', '.join(rows[:-1])} and {rows[-1]}"
    which = f"This is row {listed}" if len(rows) == 1 else f"These are rows {listed}"
    return f" {which} of {with_article(frame.name(slots[0]))}."


_MOST_ROWS = 12


def told_apart(old: Value, now: Value) -> tuple[str, str]:
    """Two values of one tensor with as many digits as it takes to see by how much it has changed: "2", "1.9999"."""
    texts = old.written(), now.written()
    if old.array is None or now.array is None or old.shape != now.shape or old.numel > MATRIX:
        return texts
    shape = old.shape if old.numel > 1 else ()
    before, after = old.array.reshape(shape), now.array.reshape(shape)
    changes = [*zip(np.ravel(before).tolist(), np.ravel(after).tolist(), strict=True)]
    for digits in range(4, MOST_DIGITS):
        if all(_is_seen(one, other, digits) for one, other in changes):
            break
        texts = array_text(before, digits + 1), array_text(after, digits + 1)
    return texts


def _is_seen(old: complex, now: complex, digits: int) -> bool:
    """Whether a change is seen about as large as it is in numbers of so many digits."""
    shown = complex(number_text(now, digits)) - complex(number_text(old, digits))
    return not abs(now - old) > 0 or abs(shown - (now - old)) <= 0.1 * abs(now - old)


class Numbers:
    """A parameter in an update: its name, its old and new value, its gradient."""

    def __init__(self, name: str, old: Value, grad: Value, now: Value) -> None:
        self.name, self.old, self.grad, self.now = name, old, grad, now
        self.are_few = all(value.numel <= FEW for value in (old, grad, now))
        self.before, self.after = told_apart(old, now) if self.are_few else (old.written(), now.written())

    def said(self, rule: str, in_numbers: str) -> str:
        """The rule, its numbers if they are few, and the result."""
        steps = [rule, in_numbers] if self.are_few else [rule]
        return f"{self.name} ← {' = '.join([*steps, self.after])}"


def _sgd(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    name, lr, decay = numbers.name, number_text(settings.get("lr", 0.0)), settings.get("weight_decay", 0.0)
    old, grad = numbers.before, _bracketed(numbers.grad.brief())
    step, counted = f"{name}.grad", grad
    if decay:
        step, counted = f"({name}.grad + weight_decay · {name})", f"({grad} + {number_text(decay)} × {_bracketed(old)})"
    momentum = settings.get("momentum", 0.0)
    if not momentum:
        return numbers.said(f"{name} − lr · {step}", f"{old} − {lr} × {counted}")
    m, buffer = _momentum(frame, row, numbers, settings)
    ahead = _bracketed(buffer.brief()) if buffer is not None else "m"
    if "nesterov" in settings:
        grad, in_numbers = (each.removeprefix("(").removesuffix(")") if decay else each for each in (step, counted))
        said = numbers.said(
            f"{name} − lr · ({grad} + momentum · m)",
            f"{old} − {lr} × ({in_numbers} + {number_text(momentum)} × {ahead})",
        )
        return f"{m}; looking one step ahead (Nesterov), {said}"
    return f"{m}; {numbers.said(f'{name} − lr · m', f'{old} − {lr} × {ahead}')}"


def _momentum(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> tuple[str, Value | None]:
    """ "m ← momentum · m + w.grad = 0.5 × 6 + 4.8 = 7.8", at first only "m ← w.grad = 6"; and m, if it is known."""
    buffer, former = _value(frame, row, "average"), _former(frame, row, "average")
    if buffer is not None and former is not None and _is_first(buffer, former, _gradient(numbers, settings)):
        former = None  # of another one, newly made
    damped, momentum = settings.get("dampening", 0.0), number_text(settings.get("momentum", 0.0))
    told, in_numbers = _counted(numbers, settings)
    if former is not None or buffer is None:
        before = _bracketed(former.brief()) if former is not None else "0"
        shares = ("(1 − dampening) · ", f"(1 − {number_text(damped)}) × ") if damped else ("", "")
        told, in_numbers = (
            each if damped else each.removeprefix("(").removesuffix(")") if "+" in each else each
            for each in (told, in_numbers)
        )
        told, in_numbers = f"momentum · m + {shares[0]}{told}", f"{momentum} × {before} + {shares[1]}{in_numbers}"
    else:  # the first gradient itself
        told, in_numbers = (each.removeprefix("(").removesuffix(")") for each in (told, in_numbers))
    results = [] if buffer is None else [in_numbers, buffer.written()] if numbers.are_few else [buffer.written()]
    return _chain(f"m ← {told}", *results), buffer


def _is_first(buffer: Value, former: Value, gradient: Any) -> bool:
    """Whether the momentum is the gradient alone, although there was a previous one."""
    return bool(former.norm != 0 and np.allclose(buffer.edges, gradient, rtol=1e-5, atol=0))


def _adam(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    name, decay = numbers.name, settings.get("weight_decay", 0.0)
    is_apart = str(frame.trace.optimizers.name[int(frame.trace.steps.ref[frame.cursor - 1])]) == "AdamW"
    kept = f"{name} · (1 − lr · weight_decay)" if decay and is_apart else name
    counted = {key: value for key, value in settings.items() if not is_apart or key != "weight_decay"}
    said = f"{_moment(frame, row, numbers, counted)}; {_square(frame, row, numbers, counted)}"
    rule, count = f"{kept} − lr · m̂ / (√v̂ + ε)", int(frame.trace.updates.count[row])
    mean, square = _value(frame, row, "average"), _value(frame, row, "square")
    if not count:
        return f"{said}; {name} ← {rule} = {numbers.after}"
    if mean is None or square is None or not numbers.are_few:
        corrected = f"m̂ = m / {_less(settings, 'betas1', count)} and v̂ = v / {_less(settings, 'betas2', count)}"
        return f"{said}; corrected for step {count}, {corrected}; {name} ← {rule} = {numbers.after}"
    first, second = (
        _divided(value, 1 - settings.get(beta, 0.0) ** count).written()
        for value, beta in ((mean, "betas1"), (square, "betas2"))
    )
    lr, eps = number_text(settings.get("lr", 0.0)), number_text(settings.get("eps", 0.0))
    old = numbers.before
    if decay and is_apart:
        old = f"{_bracketed(old)} × (1 − {lr} × {number_text(decay)})"
    in_numbers = f"{old} − {lr} × {_bracketed(first)} / (√{second} + {eps})"
    return (
        f"{said}; corrected for step {count}, "
        f"m̂ = m / (1 − β₁ᵗ) = {mean.brief()} / {_less(settings, 'betas1', count)} = {first}, "
        f"v̂ = v / (1 − β₂ᵗ) = {square.brief()} / {_less(settings, 'betas2', count)} = {second}; "
        f"{numbers.said(rule, in_numbers)}"
    )


def _less(settings: Settings, beta: str, count: int) -> str:
    """ "(1 − 0.9³)", with the number of the step."""
    raised = "" if count == 1 else str(count).translate(_RAISED)
    return f"(1 − {number_text(settings.get(beta, 0.0))}{raised})"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _divided(value: Value, by: float) -> Value:
    return _made(value, lambda array: array / by)


def _made(like: Value, compute: Callable[[Any], Any]) -> Value:
    """The result of a computation on the elements of a small value."""
    with np.errstate(all="ignore"):
        array = np.asarray(compute(like.edges.astype(np.float64)))
    return Value(like.shape, "float64", array, array, None)


def _counted(numbers: Numbers, settings: Settings) -> tuple[str, str]:
    """The effective gradient, including weight decay, as a rule and in numbers."""
    name, grad, decay = numbers.name, _bracketed(numbers.grad.brief()), settings.get("weight_decay", 0.0)
    if not decay:
        return f"{name}.grad", grad
    old = _bracketed(numbers.old.brief())
    return f"({name}.grad + weight_decay · {name})", f"({grad} + {number_text(decay)} × {old})"


def _gradient(numbers: Numbers, settings: Settings) -> Any:
    """The elements of the effective gradient."""
    return numbers.grad.edges.astype(np.float64) + settings.get("weight_decay", 0.0) * numbers.old.edges


def _chain(name: str, *parts: str) -> str:
    """ "v ← rule = in numbers = result", without repetitions."""
    return " = ".join(dict.fromkeys((name, *parts)))


def _rms(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    g, grad = _counted(numbers, settings)
    name, lr, eps = numbers.name, number_text(settings.get("lr", 0.0)), number_text(settings.get("eps", 0.0))
    square, alpha = _value(frame, row, "square"), settings.get("alpha", 0.0)
    rule = f"v ← α · v + (1 − α) · {g}²"
    ratio, buffer = f"{g} / (√v + ε)", _value(frame, row, "average")
    if square is None or not numbers.are_few:
        step = f"m ← momentum · m + {ratio}; {name} ← {name} − lr · m"
        return f"{rule}; {step if 'momentum' in settings else f'{name} ← {name} − lr · {ratio}'} = {numbers.after}"
    former = _former(frame, row, "square")
    before = "0" if former is None else _bracketed(former.brief())
    a = number_text(alpha)
    v = _chain(rule, f"{a} × {before} + (1 − {a}) × {grad}²", square.written())
    in_numbers = f"{grad} / (√{square.brief()} + {eps})"
    if "momentum" not in settings:
        return f"{v}; {numbers.said(f'{name} − lr · {ratio}', f'{numbers.before} − {lr} × {in_numbers}')}"
    last = _former(frame, row, "average")
    if buffer is None:
        return f"{v}; m ← momentum · m + {ratio}; {name} ← {name} − lr · m = {numbers.after}"
    kept = "0" if last is None else _bracketed(last.brief())
    told = f"{number_text(settings['momentum'])} × {kept} + {in_numbers}"
    m = _chain(f"m ← momentum · m + {ratio}", told, buffer.written())
    said = numbers.said(f"{name} − lr · m", f"{numbers.before} − {lr} × {_bracketed(buffer.brief())}")
    return f"{v}; {m}; {said}"


def _adagrad(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    g, grad = _counted(numbers, settings)
    name, eps, count = numbers.name, number_text(settings.get("eps", 0.0)), int(frame.trace.updates.count[row])
    total, slower = _value(frame, row, "square"), settings.get("lr_decay", 0.0)
    lr, said = number_text(settings.get("lr", 0.0)), "lr"
    if slower:
        lr, said = f"{lr} / (1 + {count - 1} × {number_text(slower)})", "lr / (1 + (t − 1) · lr_decay)"
    rule = f"{name} − {said} · {g} / (√s + ε)"
    if total is None or not numbers.are_few:
        return f"s ← s + {g}²; {name} ← {rule} = {numbers.after}"
    s = _chain(f"s ← s + {g}²", f"{_squares_before(frame, row, numbers, settings, total)} + {grad}²", total.written())
    in_numbers = f"{numbers.before} − {lr} × {grad} / (√{total.brief()} + {eps})"
    return f"{s}; {numbers.said(rule, in_numbers)}"


def _squares_before(frame: Frame, row: int, numbers: Numbers, settings: Settings, total: Value) -> str:
    """What the sum of squares was before a step: at first what it begins with, usually 0."""
    former = _former(frame, row, "square")
    if former is not None:
        return former.brief()
    squares = _gradient(numbers, settings) ** 2
    begins = _made(total, lambda array: np.where(np.isclose(array, squares, rtol=1e-5, atol=0), 0, array - squares))
    return "0" if begins.norm == 0 else begins.brief()


def _adadelta(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    g, grad = _counted(numbers, settings)
    name, lr, eps = numbers.name, number_text(settings.get("lr", 0.0)), settings.get("eps", 0.0)
    rho, square = number_text(settings.get("rho", 0.0)), _value(frame, row, "square")
    rules = f"v ← ρ · v + (1 − ρ) · {g}²", f"Δ = √(u + ε) / √(v + ε) · {g}"
    if square is None or not numbers.are_few:
        return f"{'; '.join(rules)}; {name} ← {name} − lr · Δ = {numbers.after}; u ← ρ · u + (1 − ρ) · Δ²"
    former, moved = _former(frame, row, "square"), _former(frame, row, "average")
    u = np.zeros(square.shape) if moved is None else moved.edges.astype(np.float64)
    delta = _made(square, lambda v: np.sqrt(u + eps) / np.sqrt(v + eps) * _gradient(numbers, settings))
    before = "0" if former is None else _bracketed(former.brief())
    v = _chain(rules[0], f"{rho} × {before} + (1 − {rho}) × {grad}²", square.written())
    kept, small = "0" if moved is None else moved.brief(), number_text(eps)
    d = _chain(rules[1], f"√({kept} + {small}) / √({square.brief()} + {small}) × {grad}", delta.written())
    said = numbers.said(f"{name} − lr · Δ", f"{numbers.before} − {lr} × {_bracketed(delta.brief())}")
    now = _value(frame, row, "average")
    told = f"{rho} × {_bracketed(kept)} + (1 − {rho}) × {_bracketed(delta.brief())}²"
    after = f"; {_chain('u ← ρ · u + (1 − ρ) · Δ²', told, now.written())}" if now is not None else ""
    return f"{v}; {d}; {said}{after}"


def _moment(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    """ "m ← β₁ · m + (1 − β₁) · w.grad = 0.9 × 0 + (1 − 0.9) × 6 = 0.6"."""
    return _mean_of_gradients(frame, row, numbers, settings, ("m", "average", "β₁", "betas1", ""))


def _square(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    """ "v ← β₂ · v + (1 − β₂) · w.grad² = …"."""
    return _mean_of_gradients(frame, row, numbers, settings, ("v", "square", "β₂", "betas2", "²"))


def _mean_of_gradients(
    frame: Frame, row: int, numbers: Numbers, settings: Settings, mean: tuple[str, str, str, str, str]
) -> str:
    """A running mean of the gradients: its letter, where it is kept, its weight (as shown, and in the settings), and
    the power of the gradients."""
    letter, kept, weight, key, power = mean
    g, grad = _counted(numbers, settings)
    now, former = _value(frame, row, kept), _former(frame, row, kept)
    rule = f"{letter} ← {weight} · {letter} + (1 − {weight}) · {g}{power}"
    if now is None or not numbers.are_few:
        return rule
    beta, before = number_text(settings.get(key, 0.0)), "0" if former is None else _bracketed(former.brief())
    return _chain(rule, f"{beta} × {before} + (1 − {beta}) × {grad}{power}", now.written())


def _adamax(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    g, grad = _counted(numbers, settings)
    name, count = numbers.name, int(frame.trace.updates.count[row])
    mean, largest = _value(frame, row, "average"), _value(frame, row, "square")
    rule = f"{name} − lr / (1 − β₁ᵗ) · m / u"
    m, bound = _moment(frame, row, numbers, settings), f"u ← max(β₂ · u, |{g.strip('()')}| + ε)"
    if mean is None or largest is None or not numbers.are_few or not count:
        return f"{m}; {bound}; {name} ← {rule} = {numbers.after}"
    former = _former(frame, row, "square")
    before = "0" if former is None else _bracketed(former.brief())
    beta, eps = number_text(settings.get("betas2", 0.0)), number_text(settings.get("eps", 0.0))
    told = f"max({beta} × {before}, |{grad.strip('()')}| + {eps})"
    lr = f"{number_text(settings.get('lr', 0.0))} / {_less(settings, 'betas1', count)}"
    in_numbers = f"{numbers.before} − {lr} × {_bracketed(mean.brief())} / {_bracketed(largest.brief())}"
    return f"{m}; {_chain(bound, told, largest.written())}; {numbers.said(rule, in_numbers)}"


def _nadam(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    g, grad = _counted(numbers, settings)
    name, count, lr = numbers.name, int(frame.trace.updates.count[row]), settings.get("lr", 0.0)
    mean, square = _value(frame, row, "average"), _value(frame, row, "square")
    rule = f"{name} − lr · ((1 − μ) / (1 − Πμ) · {g} + μ′ / (1 − Πμ · μ′) · m) / (√v̂ + ε)"
    said = f"{_moment(frame, row, numbers, settings)}; {_square(frame, row, numbers, settings)}"
    if mean is None or square is None or not numbers.are_few or not count:
        return f"{said}; {name} ← {rule} = {numbers.after}"
    beta, slower = settings.get("betas1", 0.0), settings.get("momentum_decay", 0.0)
    mus = [beta * (1 - 0.5 * 0.96 ** (step * slower)) for step in range(1, count + 2)]
    so_far = float(np.prod(mus[:-1]))
    now, following, product = number_text(mus[-2]), number_text(mus[-1]), number_text(so_far)
    second = _divided(square, 1 - settings.get("betas2", 0.0) ** count).brief()
    told = f"(1 − {now}) / (1 − {product}) × {grad} + {following} / (1 − {product} × {following})"
    below = f"(√{second} + {number_text(settings.get('eps', 0.0))})"
    in_numbers = f"{numbers.before} − {number_text(lr)} × ({told} × {_bracketed(mean.brief())}) / {below}"
    mu = f"μ = {now} and μ′ = {following}, the momentum of this step and the next, Πμ = {product} of all so far"
    corrected = f"v̂ = v / (1 − β₂ᵗ) = {square.brief()} / {_less(settings, 'betas2', count)} = {second}"
    return f"{said}; {corrected}; with {mu}: {numbers.said(rule, in_numbers)}"


def _radam(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    name, count, lr = numbers.name, int(frame.trace.updates.count[row]), number_text(settings.get("lr", 0.0))
    mean, square = _value(frame, row, "average"), _value(frame, row, "square")
    said = f"{_moment(frame, row, numbers, settings)}; {_square(frame, row, numbers, settings)}"
    if mean is None or square is None or not numbers.are_few or not count:
        return f"{said}; {name} ← {name} − lr · m̂, rectified once enough steps are known, = {numbers.after}"
    beta = settings.get("betas2", 0.0)
    longest, rest = 2 / (1 - beta) - 1, 1 - beta**count
    length = longest - 2 * count * beta**count / rest
    first = _divided(mean, 1 - settings.get("betas1", 0.0) ** count).brief()
    said += f"; m̂ = m / (1 − β₁ᵗ) = {mean.brief()} / {_less(settings, 'betas1', count)} = {first}"
    if length <= 5:
        why = f"v is known from too few steps (ρ = {number_text(length)}, at most 5), so it does not count"
        in_numbers = f"{numbers.before} − {lr} × {_bracketed(first)}"
        return f"{said}; {why}: {numbers.said(f'{name} − lr · m̂', in_numbers)}"
    rect = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
    root, r = number_text(rest**0.5), number_text(rect)
    told = f"{_bracketed(first)} × {r} × {root} / (√{square.brief()} + {number_text(settings.get('eps', 0.0))})"
    in_numbers = f"{numbers.before} − {lr} × {told}"
    rule = f"{name} − lr · m̂ · r · √(1 − β₂ᵗ) / (√v + ε)"
    return f"{said}; rectified by r = {r} (ρ = {number_text(length)}): {numbers.said(rule, in_numbers)}"


def _asgd(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    g, grad = _counted(numbers, settings)
    updates, name, decay = frame.trace.updates, numbers.name, settings.get("lambd", 0.0)
    count, earlier = int(updates.count[row]), frame.trace.history("updates", "tensor").all(int(updates.tensor[row]))
    steps = [str(updates.settings[each]) for each in earlier[earlier <= row].tolist()]
    rates = [_settings(each).get("lr", 0.0) for each in steps if "lambd=" in each][-2:]
    lr = rates[0] if count > 1 else rates[-1]  # that of the former step, at whose end η was computed
    eta = lr / (1 + decay * lr * max(0, count - 1)) ** settings.get("alpha", 0.0)
    said, shown = number_text(eta), number_text(decay)
    in_numbers = f"{_bracketed(numbers.before)} × (1 − {shown} × {said}) − {said} × {grad}"
    rate = "lr" if lr == rates[-1] else number_text(lr)
    how = "lr" if count <= 1 else f"{rate} / (1 + λ · {rate} · {count - 1})^α"
    return f"η = {how} = {said}; {numbers.said(f'{name} · (1 − λ · η) − η · {g}', in_numbers)}"


def _rprop(frame: Frame, row: int, numbers: Numbers, settings: Settings) -> str:
    name, size, former = numbers.name, _value(frame, row, "average"), _former(frame, row, "average")
    rule = f"{name} − s · sign({name}.grad)"
    if size is None or size.numel != 1:
        how = "each element has a step s of its own, longer while its gradient keeps the sign, shorter where it turned"
        return f"{name} ← {rule} = {numbers.after}; {how}, and there the element stays"
    told, factor = f"s = {size.brief()}", 1.0
    if former is not None and float(former.edges.reshape(-1)[0]):
        factor = float(size.edges.reshape(-1)[0]) / float(former.edges.reshape(-1)[0])
    shrink, grow = settings.get("etas1", 0.0), settings.get("etas2", 0.0)
    if former is not None and abs(factor - shrink) < 1e-3:
        told = f"the gradient turned its sign, so s = {number_text(shrink)} × {former.brief()} = {size.brief()}"
        return f"{told}, and {name} stays {numbers.after}"
    if former is not None and abs(factor - grow) < 1e-3:
        told = f"the gradient kept its sign, so s = {number_text(grow)} × {former.brief()} = {size.brief()}"
    sign = "sign(" + numbers.grad.brief() + ")"
    return f"{told}; {numbers.said(rule, f'{numbers.before} − {size.brief()} × {sign}')}"


_RULES = {
    "SGD": _sgd, "Adam": _adam, "AdamW": _adam, "RMSprop": _rms, "Adagrad": _adagrad, "Adadelta": _adadelta,
    "Adamax": _adamax, "NAdam": _nadam, "RAdam": _radam, "ASGD": _asgd, "Rprop": _rprop,
}  # fmt: skip


def _value(frame: Frame, row: int, column: str) -> Value | None:
    return frame.trace.value(int(getattr(frame.trace.updates, column)[row]))


def _former(frame: Frame, row: int, column: str) -> Value | None:
    """What the optimizer remembered of the parameter before this step; another optimizer may update it, too."""
    trace, updates = frame.trace, frame.trace.updates
    kept = getattr(updates, column)[:row] >= 0  # clipping rows remember nothing
    rows = np.flatnonzero((updates.tensor[:row] == updates.tensor[row]) & kept)
    name = trace.optimizers.name[trace.steps.ref[updates.step[[*rows, row]]]]
    rows = rows[(name[:-1] == name[-1]) & (updates.count[rows] == max(0, updates.count[row] - 1))]
    at = int(updates.step[rows[-1]]) if len(rows) else -1
    return _after_gap(frame, row, column, at) or (_value(frame, int(rows[-1]), column) if len(rows) else None)


def _after_gap(frame: Frame, row: int, column: str, since: int) -> Value | None:
    """What was remembered when recording resumed, if that was later than `since`."""
    trace, kept = frame.trace, frame.trace.remembered
    updates, at = trace.updates, frame.cursor - 1
    name = trace.optimizers.name[trace.steps.ref[at]]
    is_it = (kept.tensor == updates.tensor[row]) & (kept.step > since) & (kept.step < at) & (kept.optimizer == name)
    rows = np.flatnonzero(is_it & (kept.count == max(0, updates.count[row] - 1)))
    return trace.value(int(getattr(kept, column)[rows[-1]])) if len(rows) else None


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number
