"""Where one number of a tensor comes from, in words: the name of an element, a row, a column or a window of elements,
and sums of products with their numbers. `gradviz.session.inspect.elements` finds what is summed;
`tests/session/test_elements.py` computes it again."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.lists import listed
from gradviz.trace.table.name_text import is_primary, ordinal, with_article
from gradviz.trace.table.values import (
    MOST_DIGITS,
    array_text,
    digits_shown,
    factor_text,
    number_text,
    summand_text,
    with_signs,
)
from gradviz.trace.words.formulas import beside_words, bracketed, mean_of, of_function
from gradviz.trace.words.sentences import FURTHER_PARTS, FURTHER_RULES, RULES, RULES_OF_MANY

if TYPE_CHECKING:
    from gradviz.trace.table.values import Value

Shape = tuple[int, ...]
Number = complex | float
Product = tuple[Number, Number]  # a number and what it is multiplied by
MOST_TERMS = 12  # that are written individually
MOST_NUMBERS = 8  # elements of an array in the arithmetic of a whole result


def element_name(name: str, shape: Shape, index: int) -> str:
    """ "x[0, 2]"; a single number is written by name alone."""
    if not shape:
        return name
    return f"{_held(name)}[{', '.join(map(str, place(shape, index)))}]"


def _held(name: str) -> str:
    """A name that an index can follow: a gradient's is already in brackets if necessary."""
    return name if name.startswith("∇") or is_primary(name) else bracketed(name)


def place(shape: Shape, index: int) -> Shape:
    """The row, column and so on of an element, from its index in reading order."""
    return tuple(int(one) for one in np.unravel_index(index, shape)) if shape else ()


def cells_name(name: str, shape: Shape, cells: NDArray[Any], more: int = 0) -> str:
    """Several elements of a tensor: "row 2 of x", "column 0 of W", "W[0, :, 1:3]", "all 6 elements of x"; `more` others
    are only counted."""
    if len(cells) == 1 and not more:
        return element_name(name, shape, int(cells[0]))
    total = math.prod(shape)
    if len(cells) + more == total:
        return f"all {total:,} elements of {name}"
    if more:
        return f"{len(cells) + more:,} elements of {name}"
    places = np.stack(np.unravel_index(cells, shape))
    low, high = places.min(axis=1).tolist(), places.max(axis=1).tolist()
    if len(shape) == 2 and (low[0] == high[0] or low[1] == high[1]):
        line, size = (f"row {low[0]}", shape[1]) if low[0] == high[0] else (f"column {low[1]}", shape[0])
        return f"{line} of {name}" if len(cells) == size else f"{len(cells):,} elements of {line} of {name}"
    if math.prod(b - a + 1 for a, b in zip(low, high, strict=True)) == len(cells):
        ranges = [_range(a, b, size) for a, b, size in zip(low, high, shape, strict=True)]
        return f"{_held(name)}[{', '.join(ranges)}]"
    return f"{len(cells):,} elements of {name}"


def selection_name(name: str, shape: Shape, params: str) -> str:
    """What a `select` or `slice` takes from a tensor of this shape: "row 2 of W", "x[:, 1]", "w[2:4]", "w[::2]"."""
    given = {key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", params)}
    dim = given["dim"]
    if "index" in given and len(shape) == 2:
        return f"{('row', 'column')[dim]} {given['index']} of {with_article(name)}"
    if "index" in given:
        return f"{_held(name)}[{':, ' * dim}{given['index']}]"
    end = given["end"] if given["end"] < shape[dim] else ""
    step = f":{given['step']}" if given["step"] != 1 else ""
    return f"{_held(name)}[{':, ' * dim}{given['start'] or ''}:{end}{step}]"


def _range(low: int, high: int, size: int) -> str:
    if low == high:
        return str(low)
    return ":" if (low, high) == (0, size - 1) else f"{low}:{high + 1}"


def precision_of(dtype: str) -> float:
    """The possible rounding error of a sum of numbers of this dtype."""
    return {"bfloat16": 3e-2, "float16": 4e-3}.get(dtype, 2e-4)


def number(value: Number) -> str:
    """A number in the arithmetic, in at most five digits unless it was rounded on purpose."""
    plain = _plain(value)
    is_rounded = isinstance(plain, float) and plain % 1 != 0 and float(f"{plain:.{MOST_DIGITS - 1}g}") == plain
    return number_text(plain, MOST_DIGITS if is_rounded else 5)


def _plain(value: Number) -> Number:
    return value.real if isinstance(value, complex) and value.imag == 0 else value


def factor(value: Number) -> str:
    """A number as a factor: in brackets if it has a sign."""
    return factor_text(number(value))


def products(terms: Sequence[Product], more: int = 0, rest: Number = 0, in_full: bool = False) -> str:
    """ "0.125 × 1.541 + 2 × 0.568" in reading order; if there are many, the largest, followed by the number of the
    others and their total. Factors of 1 and a common factor are written only if `in_full`, when all factors are numbers
    of a tensor."""
    shown = list(terms)
    if len(shown) > MOST_TERMS:
        order = sorted(range(len(shown)), key=lambda at: -_size(terms[at]))
        shown = [terms[at] for at in order[:MOST_TERMS]]
        more += len(terms) - MOST_TERMS
        rest += sum(terms[at][0] * terms[at][1] for at in order[MOST_TERMS:])
    factors = {_plain(by) for _, by in shown}
    common = factors.pop() if len(factors) == 1 and len(shown) > 1 and not more and not in_full else None
    if in_full:
        text = " + ".join(f"{factor(value)} × {factor(by)}" for value, by in shown)
    elif common in (1, None):
        text = _joined([_product(*term) for term in shown])
    else:
        text = f"({_joined([_alone(value) for value, _ in shown])}) × {factor(common)}"
    if more:
        text += f" + … {more:,} more, together {number(rest)}"
    return text or "0"


def _size(term: Product) -> float:
    size = abs(term[0] * term[1])
    return size if size == size else math.inf


def _product(value: Number, by: Number) -> str:
    if by == 1:
        return _alone(value)
    if by == -1:
        return f"-{factor(value)}"
    return f"{factor(value)} × {factor(by)}"


def _alone(value: Number) -> str:
    """A number as a summand: a complex one in brackets."""
    return summand_text(number(value))


def _joined(parts: Sequence[str]) -> str:
    """Parts as a sum: a leading minus becomes a subtraction."""
    text = ""
    for part in parts:
        if not text:
            text = part
        else:
            text += f" − {part[1:]}" if part.startswith("-") else f" + {part}"
    return text.replace("-", "−", 1) if text.startswith("-(") else text


# -- operations whose arithmetic is more familiar in another form than as a sum of derivatives


def worked_out(op: str, numbers: Sequence[Number], result: Number) -> str:
    """ "6 / 2", "e^1 / (e^1 + e^2)": the formula of a value with its numbers, "" if there is none or it does not give
    the result."""
    return _put_in(_RULES.get(op, ()), numbers, result)


def _put_in(found: Any, numbers: Sequence[Number], result: Number, digits: int = 0) -> str:
    """The numbers in the first rule that gives the result, written with this many `digits`."""
    if not numbers or len(numbers) > MOST_TERMS or any(isinstance(one, complex) for one in numbers):
        return ""
    with np.errstate(all="ignore"):
        for rule in found if isinstance(found, tuple) else (found,):
            try:
                text, computed = rule([float(one.real) for one in numbers])
            except (ArithmeticError, ValueError, TypeError, IndexError):
                continue
            if agree(computed, result):
                return _as_short_as_true(rule, numbers, result, digits) if digits else str(text)
    return ""


def _as_short_as_true(rule: Any, numbers: Sequence[Number], result: Number, digits: int) -> str:
    """A formula with as few digits as it takes to hold as it is written: a difference of almost equal numbers takes
    more."""
    for more in range(digits, MOST_DIGITS):
        short = [float(f"{one.real:.{more}g}") for one in numbers]
        if agree(rule(short)[1], result, precision=_SEEN):
            return str(rule(short)[0])
    return ""


_SEEN = 5e-3  # how far numbers of a few digits may be off


def variant(op: str, params: str) -> str:
    """The name of the formula of an operation where a parameter selects another one."""
    if op == "gelu" and "approximate=tanh" in params:
        return "gelu by tanh"
    return "var by n" if op == "var" and re.search(r"correction=0(?:,|$)", params) else op


def given_numbers(op: str, params: str) -> list[float]:
    """The numbers that an operation has in place of tensors."""
    names = "alpha" if op == "elu" else "other|exponent"
    found = re.findall(rf"(?:^|, )(?:{names})=(-?[\d.]+(?:e-?\d+)?)(?=,|$)", params)
    return [float(text) for text in found]


def arithmetic(
    op: str, operands: Sequence[Value], given: Sequence[float], result: Value, is_given_first: bool = False
) -> str:
    """ "2 × (-3)", "[1, 2] + [0, 4]", "(1 + 4) / 2": a whole result with its few numbers, as in sentences; "" if there
    are more, or the operation has no such formula. `is_given_first` if a number stands before the tensor."""
    arrays = [one.array for one in operands]
    if result.array is None or any(one is None or not 0 < one.size <= MOST_NUMBERS for one in arrays):
        return ""
    known = [one for one in arrays if one is not None]
    if any(one.dtype.kind not in "fiu" for one in (*known, result.array)):
        return ""
    if result.scalar is not None and op in _OF_ALL and len(known) == 1 and known[0].size > 1:
        numbers = [float(one) for one in known[0].reshape(-1).tolist()]
        return _put_in(_OF_ALL[op], numbers, float(result.array.reshape(-1)[0]), 4)
    if result.scalar is not None and all(one.size == 1 for one in known) and op in FORMULAS:
        numbers = [*(float(one.reshape(-1)[0]) for one in known), *given]
        numbers = numbers[::-1] if is_given_first else numbers
        return _plainly(_put_in(FORMULAS[op], numbers, float(result.array.reshape(-1)[0]), 4))
    sign, run = _BETWEEN.get(op, ("", None))
    if run is None or len(known) + len(given) != 2:
        return ""
    sides: list[Any] = [*(one.astype(np.float64) for one in known), *given]
    try:
        with np.errstate(all="ignore"):
            computed = run(*sides)
    except ValueError:  # for a view, of which the whole is known
        return ""
    if np.shape(computed) != result.shape or not np.allclose(computed, result.array, rtol=1e-3, equal_nan=True):
        return ""
    texts = _as_long_as_true(run, known, given, computed)
    texts = texts[::-1] if op == "rsub" or is_given_first else texts
    sign = "×" if sign == "@" and any(np.size(one) == 1 for one in sides) else sign
    return _plainly(f" {sign} ".join(f"({each})" if each.startswith("-") else each for each in texts))


def _as_long_as_true(
    run: Callable[..., Any], known: Sequence[NDArray[Any]], given: Sequence[float], result: Any
) -> list[str]:
    """Both sides of an operation with as few digits as it takes to hold as it is written, as in `_as_short_as_true`."""
    digits = digits_shown(lambda *sides: run(*sides, *given), [one.astype(np.float64) for one in known], result)
    texts = [array_text(each.reshape(()) if each.size == 1 else each, digits) for each in known]
    return [*texts, *map(number_text, given)]


def is_lost(worked: str, result: str) -> bool:
    """Whether a summand is too small to be seen in the result: "1.5 + 1e-06", which reads 1.5."""
    sides = re.split(r" [+−] ", worked)
    try:
        first, second, total = (np.array(ast.literal_eval(each)) for each in (*sides, result))
    except (ValueError, SyntaxError):  # names, or more or fewer summands
        return False
    is_small = (first != 0) & (abs(first) < 1e-3 * abs(total))
    return bool((((first == total) & (second != 0)) | ((second == total) & is_small)).any())


def in_names(op: str, params: str, names: Mapping[int, str], factors: Sequence[str], count: int = 1) -> str:
    """ "b + x @ W", "the mean of x over dimension 1": what an operation on arrays computes, with the names of its
    operands by slot, as they are and as factors, and the number of elements of the first; "" for those that have no
    rule in a few words."""
    given = dict(re.findall(r"(\w+)=(\([^)]*\)|[^,]+)", params)) | {"over": over(params)}
    op = _ALIKE.get(op, op)
    which = op if op != "clamp" else f"clamp {' '.join(each for each in ('min', 'max') if each in given)}"
    which = f"{op} {given.get(_SAID_APART[op], '')}" if op in _SAID_APART else which
    which = f"{op} by known statistics" if given.get("training") == "False" and op == "native_batch_norm" else which
    which = f"{which} without weight" if op == "native_batch_norm" and 1 not in names else which
    which = f"{which} with pos_weight" if op in _WITH_POS_WEIGHT and 3 in names and 2 not in names else which
    which = f"{op} number" if op == "index_put" and 2 not in names else which  # which is no operand
    bound = next((name for name in ("beta", "delta") if op in _BOUNDED and given.get(name, "1.0") != "1.0"), "")
    if bound:
        which, params, given["bound"] = f"{op} by a bound", "", given[bound]
    for unusual, kind in _HELD_APART.get(op, ()):
        which, params = (f"{op} {kind}", "") if re.search(unusual, params) else (which, params)
    template = RULES_OF_MANY.get(op) or RULES.get((which, len(names))) or RULES.get((op, len(names)), "")
    too_many = op in RULES_OF_MANY and len(names) > MOST_JOINED
    if not template or too_many or _OTHERWISE.search(params):
        return ""
    given |= {name: number_text(float(text)) for name, text in given.items() if _REAL.fullmatch(text)}
    given |= {
        name: factor_text(given[name]) for name in ("other", "alpha", "value") if name in given and op != "masked_fill"
    }
    if "exponent" in given:
        given["power"] = _plainly(f"0^{factor_text(given['exponent'])}")[1:]
    given["kept"] = _KEPT.get(given.get("reduce", ""), "")
    given["share"] = f" / {count}" if given.get("reduction") == "mean" and count != 1 else ""
    operands = [*names.values()]
    named = [*map(with_article, operands)]
    before = [*map(beside_words, operands)]
    place = given.get("k", "")
    given["kth"] = f"{ordinal(int(place))} " if place.isdigit() and place != "1" else ""
    times, shifts = (re.findall(r"-?\d+", given.get(name, "")) for name in ("repeats", "shifts"))
    given["times"], given["shift"] = f"{' × '.join(times)} times", listed(shifts)
    given["all"], given["along"] = listed(named), given["over"].replace(" over ", " along ")
    given["mean"] = mean_of(op, params)
    try:
        named_for = {"n": named, "p": before, "of": [*map(_argument, operands)], "at": [*map(of_function, operands)]}
        text = template.format(*factors, **{**given, **named_for})
    except KeyError:  # older recordings of PyTorch jobs do not say what a call left to its default
        return ""
    return _reduced(text, given["reduction"]) if "reduction" in given and "share" not in template else text


def further_in_names(op: str, params: str, operand: str, number: int, is_one: bool) -> str:
    """What a result after the first one is, "their indices"; "" if no row says it."""
    index, former = ("its index", "its former place") if is_one else ("their indices", "their former places")
    template = FURTHER_RULES.get((op, number)) or FURTHER_PARTS.get(op, "")
    kth = ordinal(number + 1)
    return template.format(n=[with_article(operand)], over=over(params), index=index, former=former, kth=kth)


def _argument(name: str) -> str:
    """A name as an exponent or under a root: in brackets unless it is a word."""
    return name if re.fullmatch(r"[\w.]+", name) else f"({name})"


def over(params: str) -> str:
    """ " over dimension 1", as the parameters of an operation say it; "" for all of them."""
    given = re.search(r"\bdims?=(\([^)]*\)|[^,]+)", params)
    dims = re.findall(r"-?\d+", given[1] if given is not None else "")
    if dims == ["-1"]:
        return " over the last dimension"
    if sorted(map(int, dims)) == [*range(-len(dims), 0)] != []:
        return f" over the last {len(dims)} dimensions"
    return f" over dimension{'s' * (len(dims) > 1)} {listed(dims)}" if dims else ""


def _reduced(loss: str, reduction: str) -> str:
    """What a loss function makes of the losses of the elements: "the mean of (y − x)²"."""
    if reduction in ("mean", "sum"):
        several = _SEVERAL.search(_outside(loss)) is not None
        return f"the {reduction} of {f'({loss})' if several else loss}"
    return loss


def enclosed(rule: str) -> str:
    """A rule before its result: in brackets if it has cases, of which only the last would seem to be meant."""
    return f"({rule})" if _CASES.search(_outside(rule)) else rule


def _outside(text: str) -> str:
    """What of a text is in no brackets."""
    while text != (text := _INNERMOST.sub("", text)):
        pass
    return text


_INNERMOST = re.compile(r"\([^()]*\)")  # what is in brackets
_CASES = re.compile(r", else |, 0 where ")
_SEVERAL = re.compile(r" [+−] |, else ")  # terms or cases, of which only the first would seem to be meant


MOST_JOINED = 6  # tensors that are named
_OTHERWISE = re.compile(
    r"\b(?:alpha|beta|delta)=(?!1(?:\.0)?(?:,|$))|left=False|descending=True|(?:divisor_override|rounding_mode)=(?!None)"
    r"|ignore_index=(?!-100)|normalization=(?!0)|largest=False|\b(?:ord|p)=(?!2(?:\.0)?(?:,|$))|correction=(?!1(?:,|$))"
    r"|approximate=tanh|decimals=|is_causal=True|dropout_p=(?!0(?:\.0)?(?:,|$))"
    r"|include_self=False|adjoint=True"
)
_SAID_APART = {  # operations for which the value of a parameter selects the rule
    "permute": "dims", "topk": "k", "addcmul": "value", "addcdiv": "value", "tril": "diagonal", "triu": "diagonal",
    "_embedding_bag": "mode", "linalg_cholesky_ex": "upper", "scatter_reduce": "reduce",
}  # fmt: skip
_KEPT = {"sum": "sum", "prod": "product", "mean": "mean", "amax": "largest element", "amin": "smallest element"}
_ALIKE = {"var_mean": "var", "std_mean": "std", "aminmax": "amin"}  # whose first result is the other's
_HELD_APART = {  # where a parameter is not the usual one, and what the row for this is called
    "convolution": [("transposed=True", "transposed")],
    "std": [(r"correction=0(?:,|$)", "0")],
    "var": [(r"correction=0(?:,|$)", "0")],
    "add": [(r"alpha=(?!1(?:\.0)?(?:,|$))", "with alpha")],
    "sub": [(r"alpha=(?!1(?:\.0)?(?:,|$))", "with alpha")],
    "addmm": [(r"beta=0(?:\.0)?(?:,|$)", "alone"), (r"(?:beta|alpha)=(?!1(?:\.0)?(?:,|$))", "scaled")],
    "baddbmm": [(r"beta=0(?:\.0)?(?:,|$)", "alone"), (r"(?:beta|alpha)=(?!1(?:\.0)?(?:,|$))", "scaled")],
    "sort": [("descending=True", "descending")],
    "softplus": [(r"beta=(?!1(?:\.0)?(?:,|$))", "by beta")],
    "topk": [(r"\bk=1,.*largest=False", "smallest 1"), ("largest=False", "smallest")],
    "scatter_reduce": [("include_self=False", "alone")],
    "index_reduce": [("include_self=False", "alone")],
    "index_put": [("accumulate=True", "adding")],
    "nll_loss": [(r"ignore_index=(?!-100)", "ignoring")],
    "nll_loss2d": [(r"ignore_index=(?!-100)", "ignoring")],
    "multi_margin_loss": [(r"\bp=1(?:,|$)", "1")],
    "elu": [(r"\bscale=(?!1(?:\.0)?(?:,|$))", "scaled"), (r"alpha=(?!1(?:\.0)?(?:,|$))", "by alpha")],
    **{op: [(r"offset=(?!0(?:,|$))", "number")] for op in "diagonal diagonal_scatter diagonal_copy diag_embed".split()},
    "celu": [(r"alpha=(?!1(?:\.0)?(?:,|$))", "by alpha")],
    "grid_sampler_2d": [("interpolation_mode=0", "linear"), ("interpolation_mode=1", "nearest")],
    "linalg_vector_norm": [
        (r"ord=1(?:\.0)?(?:,|$)", "1"),
        (r"ord=0(?:\.0)?(?:,|$)", "0"),
        ("ord=inf", "inf"),
        ("ord=-inf", "-inf"),
        (r"ord=(?!2(?:\.0)?(?:,|$))", "other"),
    ],
}
_WITH_POS_WEIGHT = ("binary_cross_entropy_with_logits",)
_BOUNDED = ("smooth_l1_loss", "huber_loss")
_REAL = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


def _plainly(text: str) -> str:
    """Arithmetic without a bracket around its first number, and with small powers written as powers."""
    text = re.sub(r"^\((-[\d.e-]+)\)(?= )", r"\1", text)
    return re.sub(r"(?<=[\d)\]]) ?\^ ?([0-9])$", lambda found: found[1].translate(_RAISED), text)


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def agree(one: Number, other: Number, scale: float = 0.0, precision: float = 2e-4) -> bool:
    """Whether two numbers are equal up to the rounding of terms as large as `scale`."""
    if not (math.isfinite(abs(one)) and math.isfinite(abs(other))):
        return one == other or (one != one and other != other)
    return one == other or abs(one - other) <= precision * max(abs(one), abs(other), scale)


def _exponentials(numbers: Sequence[float]) -> str:
    return " + ".join(f"e^{factor(one)}" for one in numbers)


def _softmax(numbers: Sequence[float]) -> tuple[str, float]:
    """The first number is the one whose share it is."""
    parts = [math.exp(one) for one in numbers[1:]]
    return f"e^{factor(numbers[0])} / ({_exponentials(numbers[1:])})", math.exp(numbers[0]) / sum(parts)


def _log_softmax(numbers: Sequence[float]) -> tuple[str, float]:
    total = math.log(sum(math.exp(one) for one in numbers[1:]))
    return f"{number(numbers[0])} − ln({_exponentials(numbers[1:])})", numbers[0] - total


def _norm(numbers: Sequence[float]) -> tuple[str, float]:
    return f"√({' + '.join(f'{factor(one)}²' for one in numbers)})", math.sqrt(sum(one * one for one in numbers))


def _one(text: str, run: Any) -> Any:
    """The rule of a function of one number."""
    return lambda numbers: (with_signs(text.format(factor(numbers[0]))), run(numbers[0]))


def _two(text: str, run: Any) -> Any:
    return lambda numbers: (with_signs(text.format(*map(factor, numbers))), run(*numbers))


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _variance(numbers: Sequence[float], less: int) -> tuple[str, float]:
    mean, count = sum(numbers) / len(numbers), len(numbers) - less
    squares = " + ".join(f"({number(one)} − {factor(mean)})²" for one in numbers)
    return f"({squares}) / {count}", sum((one - mean) ** 2 for one in numbers) / count


def _squares(numbers: Sequence[float], averaged: bool) -> tuple[str, float]:
    """Of the differences between the first and the second half."""
    half = len(numbers) // 2
    pairs = list(zip(numbers[:half], numbers[half:], strict=True))
    text, total = " + ".join(f"({number(a)} − {factor(b)})²" for a, b in pairs), sum((a - b) ** 2 for a, b in pairs)
    return (f"({text}) / {half}", total / half) if averaged and half > 1 else (text, total)


def _normalised(numbers: Sequence[float]) -> tuple[str, float]:
    """An element, the weight, the bias and ε, then all elements that it is normalised with."""
    (own, weight, bias, eps), rest = numbers[:4], numbers[4:]
    mean = sum(rest) / len(rest)
    variance = sum((one - mean) ** 2 for one in rest) / len(rest)
    text = f"({number(own)} − {factor(mean)}) / √({number(variance)} + {number(eps)})"
    text += (f" × {factor(weight)}" if weight != 1 else "") + (f" + {factor(bias)}" if bias else "")
    return text, (own - mean) / math.sqrt(variance + eps) * weight + bias


FORMULAS: dict[str, Any] = {  # for elementwise operations
    "add": lambda numbers: (_joined([*map(number, numbers)]), numbers[0] + numbers[1]),
    "sub": _two("{} − {}", lambda a, b: a - b),
    "neg": _one("−{}", lambda x: -x),
    "rsub": _two("{1} − {0}", lambda a, b: b - a),
    "mul": _two("{} × {}", lambda a, b: a * b),
    "div": _two("{} / {}", lambda a, b: a / b),
    "pow": _two("{}^{}", lambda a, b: a**b),
    "square": _one("{}²", lambda x: x * x),
    "reciprocal": _one("1 / {}", lambda x: 1 / x),
    "exp": _one("e^{}", math.exp),
    "log": _one("ln {}", math.log),
    "sqrt": _one("√{}", math.sqrt),
    "rsqrt": _one("1 / √{}", lambda x: 1 / math.sqrt(x)),
    "sin": _one("sin {}", math.sin),
    "cos": _one("cos {}", math.cos),
    "tan": _one("tan {}", math.tan),
    "tanh": _one("tanh {}", math.tanh),
    "abs": lambda numbers: (f"|{number(numbers[0])}|", abs(numbers[0])),
    "sigmoid": _one("1 / (1 + e^(−{}))", _sigmoid),
    "silu": _one("{0} / (1 + e^(−{0}))", lambda x: x * _sigmoid(x)),
    "softplus": _one("ln(1 + e^{})", lambda x: math.log1p(math.exp(x))),
    "relu": lambda numbers: (f"max({number(numbers[0])}, 0)", max(numbers[0], 0.0)),
    "relu6": _one("min(max({}, 0), 6)", lambda x: min(max(x, 0.0), 6.0)),
    "sinh": _one("sinh {}", math.sinh),
    "cosh": _one("cosh {}", math.cosh),
    "asin": _one("arcsin {}", math.asin),
    "acos": _one("arccos {}", math.acos),
    "atan": _one("arctan {}", math.atan),
    "asinh": _one("arsinh {}", math.asinh),
    "acosh": _one("arcosh {}", math.acosh),
    "atanh": _one("artanh {}", math.atanh),
    "exp2": _one("2^{}", lambda x: 2.0**x),
    "expm1": _one("e^{} − 1", math.expm1),
    "log1p": _one("ln(1 + {})", math.log1p),
    "log2": _one("log₂ {}", math.log2),
    "log10": _one("log₁₀ {}", math.log10),
    "erf": _one("erf {}", math.erf),
    "erfc": _one("1 − erf {}", math.erfc),
    "lgamma": _one("ln Γ({})", math.lgamma),
    "logit": _one("ln({0} / (1 − {0}))", lambda x: math.log(x / (1 - x))),
    "log_sigmoid": _one("−ln(1 + e^(−{}))", lambda x: -math.log1p(math.exp(-x))),
    "sinc": _one("sin(π × {0}) / (π × {0})", lambda x: math.sin(math.pi * x) / (math.pi * x)),
    "mish": _one("{0} × tanh(ln(1 + e^{0}))", lambda x: x * math.tanh(math.log1p(math.exp(x)))),
    "gelu": _one("{0} × Φ({0})", lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2),
    "gelu by tanh": _one(
        "{0} / 2 × (1 + tanh(√(2 / π) × ({0} + 0.044715 × {0}³)))",
        lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    "hardsigmoid": _one("min(max({} + 3, 0), 6) / 6", lambda x: min(max(x + 3, 0.0), 6.0) / 6),
    "hardswish": _one("{0} × min(max({0} + 3, 0), 6) / 6", lambda x: x * min(max(x + 3, 0.0), 6.0) / 6),
    "elu": (_one("e^{} − 1", math.expm1), _two("{1} × (e^{0} − 1)", lambda x, alpha: alpha * math.expm1(x))),
    "special_entr": _one("−{0} × ln {0}", lambda x: -x * math.log(x)),
    "ceil": _one("⌈{}⌉", math.ceil),
    "floor": _one("⌊{}⌋", math.floor),
    "trunc": _one("{} without its fraction", math.trunc),
    "round": _one("{} rounded to a whole number", round),
    "sign": _one("the sign of {}", lambda x: float(np.sign(x))),
    "atan2": lambda numbers: (
        f"the angle of the point ({', '.join(map(number, numbers[::-1]))})",
        math.atan2(*numbers),
    ),
    "hypot": _two("√({}² + {}²)", math.hypot),
    "logaddexp": _two("ln(e^{} + e^{})", lambda a, b: math.log(math.exp(a) + math.exp(b))),
    "logaddexp2": _two("log₂(2^{} + 2^{})", lambda a, b: math.log2(2.0**a + 2.0**b)),
    "xlogy": _two("{} × ln {}", lambda a, b: a * math.log(b)),
    "special_xlog1py": _two("{} × ln(1 + {})", lambda a, b: a * math.log1p(b)),
    "fmod": _two("the remainder of {} / {}, with the sign of the dividend", math.fmod),
    "remainder": _two("the remainder of {} / {}, with the sign of the divisor", lambda a, b: a % b),
}
_RULES = FORMULAS | {
    "_safe_softmax": _softmax,
    "glu": _two("{} / (1 + e^(−{}))", lambda a, b: a * _sigmoid(b)),
    "view_as_complex": _two("{} + {} × j", complex),
    "complex": _two("{} + {} × j", complex),
    "polar": _two("{0} × (cos {1} + j × sin {1})", lambda r, angle: r * complex(math.cos(angle), math.sin(angle))),
    "var": lambda numbers: _variance(numbers, 1),
    "var by n": lambda numbers: _variance(numbers, 0),
    "mse_loss": (lambda numbers: _squares(numbers, True), lambda numbers: _squares(numbers, False)),
    "native_layer_norm": _normalised,
    "native_batch_norm": _normalised,
    "native_group_norm": _normalised,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "logsumexp": lambda numbers: (f"ln({_exponentials(numbers)})", math.log(sum(map(math.exp, numbers)))),
    "linalg_vector_norm": _norm,
    "norm": _norm,
    "prod": lambda numbers: (" × ".join(map(factor, numbers)), math.prod(numbers)),
}
_OF_ALL: dict[str, Any] = {  # over the elements of one tensor
    "sum": lambda numbers: (_joined([*map(number, numbers)]), sum(numbers)),
    "mean": lambda numbers: (f"({_joined([*map(number, numbers)])}) / {len(numbers)}", sum(numbers) / len(numbers)),
} | {name: _RULES[name] for name in ("prod", "linalg_vector_norm", "norm", "var", "var by n", "logsumexp")}
_BETWEEN: dict[str, tuple[str, Any]] = {  # between two arrays
    "add": ("+", operator.add), "sub": ("−", operator.sub), "mul": ("×", operator.mul), "div": ("/", operator.truediv),
    "rsub": ("−", lambda a, b: b - a), "pow": ("^", operator.pow), "mm": ("@", operator.matmul),
    "mv": ("@", operator.matmul), "dot": ("@", operator.matmul),
}  # fmt: skip
