"""Texts that serve as names: an expression that is too long has less in its brackets, and steps that only give another
shape are written as one."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from gradviz.trace.table.schema import REPLACING
from gradviz.trace.table.values import number_text

LONGEST = 40  # characters of an expression that still serves as a name
_ELLIPSIS, _BARE = "…", "(…)"
_HEAD, _TAIL = LONGEST - 19, 16  # characters of both ends, where what is in no brackets is too long
_LONGEST_ROLE = 50  # of "transpose in scaled_dot_product_attention", of which nothing can be left out


@lru_cache(maxsize=4_096)
def shortened(text: str) -> str:
    """An expression that fits: what is in brackets gives way, "log_softmax(…, dim=1)", as little as is enough, then the
    middle. Its brackets are in pairs."""
    while len(text) > LONGEST:
        if (groups := _groups(text)) is None:  # the end was cut off when it was recorded
            return f"{text.partition('(')[0][: LONGEST - 3]}({_ELLIPSIS})"
        found = [each for start, end in groups for each in _with_less(text, start, end) if len(each) < len(text)]
        if not found:
            return (
                within if len(within := _MODULES.sub("", text)) <= LONGEST else _with_operators(within) or _ends(text)
            )
        fits = [each for each in found if len(each) <= LONGEST]
        text = max(fits or found, key=lambda each: (_BARE not in (each[:3], each[-3:]), each[:3] != _BARE, len(each)))
    return text


@lru_cache(maxsize=4_096)
def is_primary(text: str) -> bool:
    """Whether ".exp()" can follow without brackets: a name, a call, an element, what stands in brackets itself."""
    groups = _groups(text) or []
    outside = (sign for at, sign in enumerate(text) if not any(start <= at < end for start, end in groups))
    return _PRIMARY.fullmatch("".join(outside)) is not None


def tree_of(source: str) -> ast.Module:
    """The syntax tree of a snippet; empty where Python can't read it."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
    except SystemError:  # another thread parsed at the same moment: CPython #106905, until 3.11.8 and 3.12.2
        return tree_of(source)


def is_of_sum(op: str, text: str) -> bool:
    """Whether an operation is one of the additions of Python's `sum()`."""
    return op == "add" and text.startswith("sum(")


def with_ending(name: str, ending: str) -> str:
    """What was done to a tensor: "x.detach()", "(x * w).log_softmax()", "(x for einsum).sum()"."""
    if (role := _PURPOSE.match(ending)) is not None:
        name, ending = f"{name}{role[0]}", ending[role.end() :]
    whole = not ending.startswith((".", "[", " ")) or is_primary(name)
    return f"{name}{ending}" if whole else f"({name}){ending}"


def owned(name: str, owner: str, ambiguous: set[str]) -> str:
    """A name with that of the module that has it, where it needs one."""
    is_whole = owner and ("." not in name or name in ambiguous or name[:1].isdigit())
    return indexed_path(f"{owner}.{name}" if is_whole else name) if owner else name


def indexed_path(path: str) -> str:
    """A module as the snippet gets at it: "net[2].conv" of "net.2.conv"."""
    return _CHILD.sub(r"[\1]", path)


def ordinal(number: int) -> str:
    """ "1st", "2nd", "4th", "21st"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number // 10 % 10 == 1 else ending}"


def subscript(number: int) -> str:
    """ "₁₂"."""
    return str(number).translate(_SUBSCRIBED)


def numbered(name: str, number: int) -> str:
    """A name that several tensors of a picture have: "h₁", "mul₁ in ∇y", "(h * w)₁"."""
    if _ROLE.match(name) or _LETTER.match(name):
        return _PLACE.sub(f"{subscript(number)}\\g<0>", name, count=1)
    return f"{name if is_primary(name) else f'({name})'}{subscript(number)}"


def with_article(name: str) -> str:
    """A name within a sentence: "the mask of dropout1", "the recomputed exp", "w", "L of cholesky"."""
    return f"the {name}" if _ROLE.match(name) or name.startswith("recomputed ") else name


def opening(text: str) -> str:
    """The same at the beginning of a sentence, where a name stays as it is: "The mask of dropout1"."""
    return f"The{text[3:]}" if text.startswith("the ") else text


def read_text(text: str) -> str:
    """What an expression reads: "x[0]" of "x[0] += 1"."""
    return text if "= " not in text else _WRITES.sub("", text)


def written_to(text: str, names: Container[str]) -> str:
    """What an expression writes to: "row" of "row.mul_(2)" and "row += 1", if this is one of the names, or a part."""
    if "_(" not in text:
        return read_text(text)
    opened = next((start for start, end in _groups(text) or () if end == len(text) - 1 and text[end] == ")"), 0)
    found = _WRITING.fullmatch(text, 0, max(opened - 1, 0))
    return found[1] if found and (found[1] in names or found[1].endswith("]")) else read_text(text)


def indexed(text: str) -> str:
    """What an expression takes elements of: "w" of "w[w < 1]"."""
    opened = next((start for start, end in _groups(text) or () if end == len(text) - 1 and text[end] == "]"), 0)
    return text[: opened - 1] if opened > 1 else text


@lru_cache(maxsize=4_096)
def last_call(text: str) -> str:
    """What an expression calls last: "x.log_prob" of "x.log_prob(torch.ones(2))"; "" if it calls nothing, or calculates
    with the result, as in "q @ k.transpose(0, 1)"."""
    opened = next((start for start, end in _groups(text) or () if end == len(text) - 1 and text[end] == ")"), 0)
    found = _CALLED.search(text, 0, opened - 1) if opened > 1 else None
    found = found or re.match(r"([\w.]+)(?=\()", text)
    return found[0].lstrip(".") if found and not _OPERATOR.search(_outside(text)) else ""


def loop_over(text: str) -> str:
    """What a `for` statement goes through: "loader" of "for x, y in loader: …"; "" for other texts."""
    if not text.startswith("for "):
        return ""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in _PAIRS) - (sign in _PAIRS.values())
        if sign == ":" and not depth:
            return shortened(text[:at].partition(" in ")[2].strip())
    return shortened(text.partition(" in ")[2].strip())  # the place of a loop is its head


_OPERATOR = re.compile(r" (?:[^\w\s.,()\[\]]+|and|or|if|in|is|not) ")


def _outside(text: str) -> str:
    """What of a text is in no brackets."""
    inside = {at for start, end in _groups(text) or () for at in range(start, end)}
    return "".join(sign for at, sign in enumerate(text) if at not in inside)


def arguments(params: str) -> str:
    """The numbers given to an operation besides its tensor: "1" for "alpha=1, other=1"."""
    found = re.search(r"(?:^|, )(?:other|exponent)=(-?[\d.]+(?:e-?\d+)?)(?=,|$)", params)
    return number_text(float(found[1])) if found else ""


def short_op(op: str) -> str:
    """The name of an operation within a name: "batch_norm" of "native_batch_norm"."""
    if "attention" in op:
        return "attention"
    return _SHORT.get(op) or op.lstrip("_").removeprefix("native_").removesuffix("_with_indices")


def inner_op(op: str) -> str:
    """The name of an operation as that of what it made: "transpose" of "t", which seems to be a variable."""
    return "transpose" if op == "t" else short_op(op)


def called_op(op: str) -> str:
    """What a person would call an operation: "linalg.eigh" of PyTorch's inner "_linalg_eigh"."""
    return _CALLED_OP.get(op) or short_op(op).replace("linalg_", "linalg.", 1)


_CALLED_OP = {
    "numpy": "NumPy",
    "_to_copy": "to",
    "view_dtype": "view",
    "_unique2": "unique",
    "_fw_primal": "primal part",
    "_fft_r2c": "rfft",
    "_fft_c2r": "irfft",
    "_fft_c2c": "fft",
}
_SHORT = {
    "_unsafe_view": "view",
    "_reshape_alias": "view",
    "_safe_softmax": "softmax",
    "_prelu_kernel": "prelu",
    "unique_dim": "unique",
    "_unique2": "unique",
    "_to_copy": "copy",
    "_weight_norm_interface": "weight_norm",
}


def is_text_of(op: str, label: str) -> bool:
    """Whether an expression yields the results of an operation one after the other."""
    return op in _SPLITTING or op.lower().removeprefix("_").removeprefix("linalg_") in re.split(r"\W+", label.lower())


def is_own_text(op: str, text: str) -> bool:
    """Whether a function of the snippet makes what an expression yields: not what a transform makes of its results."""
    is_call = op[:1].isupper() and is_text_of(op, text)
    return is_call and not gives_no_tensor(op, text) and _TRANSFORM.match(text) is None


def is_transformed(text: str) -> bool:
    """Whether an expression calls a function that a transform of torch.func made."""
    return _OF_GRADIENT.match(text) is not None or _TRANSFORM.match(text) is not None


@lru_cache(maxsize=4_096)
def gives_no_tensor(op: str, text: str) -> bool:
    """Whether a call steps an optimizer, checks gradients, changes a module or returns one of the things that it
    compares, or makes an object whose arguments are checked, "Normal(mean, 1.0)", or a list: what it computes is
    internal."""
    if (text[:1] in ("[", "{") or _GENERATOR.match(text)) and (1, len(text) - 1) in (_groups(text) or ()):
        return True
    if op == "as_strided" and _DIAGONAL.search(text) is not None:
        return True
    if _STEP.search(text) is not None or _OF_GRADIENT.match(text) is not None or _DISTRIBUTION.match(text) is not None:
        return True
    if op in ("all", "linalg_cholesky_ex") and makes_object(text):
        return True
    if op == "expand" and _SAMPLES.search(text) is not None:  # its parameters for each of the samples
        return True
    if op == "slice" and _PARTS.search(text) is not None:  # one of several results
        return True
    called = _RETURNS_OTHER.search(text)
    return called is not None and last_call(text) == called[1] and (op in ("gt", "lt")) == (called[2] in _COMPARING)


def makes_object(text: str) -> bool:
    """Whether an expression calls a class, "torch.nn.Linear(2, 1)"."""
    return _CLASS.fullmatch(text) is not None


class Rearranged(NamedTuple):
    """Where the axes of a tensor that are longer than 1 stand that was only given another shape."""

    shape: tuple[int, ...]  # of those axes, before they were exchanged
    order: tuple[int, ...]  # that of them that now stands first, second, ...

    def then(self, op: str, params: str, before: tuple[int, ...], after: tuple[int, ...]) -> Rearranged | None:
        """With one more step, None where that begins anew."""
        if op in ("permute", "transpose"):
            long = [axis for axis, size in enumerate(before) if size != 1]
            moved = [axis for axis in _order(op, params, len(before)) if before[axis] != 1]
            return Rearranged(self.shape, tuple(self.order[long.index(axis)] for axis in moved))
        sizes = tuple(size for size in after if size != 1)
        if sizes == tuple(size for size in before if size != 1):
            return self
        is_plain = self.order == tuple(range(len(self.order))) and math.prod(before) == math.prod(after)
        return Rearranged(sizes, tuple(range(len(sizes)))) if is_plain else None

    def text(self, before: tuple[int, ...], after: tuple[int, ...]) -> str:
        """ ".reshape(2, 1, 3)", ".permute(1, 0)": from the first shape to the last in one step, where one will do."""
        if self.order == tuple(range(len(self.order))):
            return f".reshape({_sizes(after) or '()'})"
        if permuted := self._permuted(before, after):
            return f".permute({_sizes(permuted)})"
        first = "" if before == self.shape else f".reshape({_sizes(self.shape)})"
        turned = tuple(self.shape[axis] for axis in self.order)
        return f"{first}.permute({_sizes(self.order)}){'' if turned == after else f'.reshape({_sizes(after)})'}"

    def _permuted(self, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
        """The order of all axes, those of one element included, if exchanging them is all that was done; ()
        otherwise."""
        long = [axis for axis, size in enumerate(before) if size != 1]
        if len(before) != len(after) or tuple(before[axis] for axis in long) != self.shape:
            return ()
        moved, others = (long[at] for at in self.order), (axis for axis in range(len(before)) if before[axis] == 1)
        found = tuple(next(moved if size != 1 else others, 0) for size in after)
        return found if tuple(before[axis] for axis in found) == after else ()


def rearranged(before: tuple[int, ...]) -> Rearranged:
    """A tensor as it is."""
    sizes = tuple(size for size in before if size != 1)
    return Rearranged(sizes, tuple(range(len(sizes))))


def _order(op: str, params: str, count: int) -> list[int]:
    axes = [int(each) % max(1, count) for each in _AXIS.findall(params)]
    if op == "permute":
        return axes
    return [axes[1 - axes.index(each)] if each in axes else each for each in range(count)]


def _sizes(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def _groups(text: str) -> list[tuple[int, int]] | None:
    """Where the contents of brackets begin and end; None if one has no other."""
    found, opened, quote = [], list[tuple[int, str]](), ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in _PAIRS:
            opened.append((at + 1, _PAIRS[sign]))
        elif sign in _PAIRS.values():
            if not opened or opened[-1][1] != sign:
                return None
            found.append((opened.pop()[0], at))
    return None if opened or quote else found


def _with_less(text: str, start: int, end: int) -> Iterator[str]:
    """The text with less between two brackets: some of the first and last arguments, or none."""
    inside = text[start:end]
    depths, depth, commas = [*_PAIRS, *_PAIRS.values()], 0, []
    quote = ""
    for at, sign in enumerate(inside):
        quote = ("" if sign == quote else quote) if quote else sign if sign in "'\"" else ""
        if not quote and sign in depths:
            depth += 1 if sign in _PAIRS else -1
        elif sign == "," and not quote and not depth:
            commas.append(at)
    if commas and not inside[commas[-1] + 1 :].strip():  # "(x,)"
        commas.pop()
    if commas and " for " not in inside and re.search(r"[^\W\d]", inside):
        first, last = inside[: commas[0]], inside[commas[-1] + 1 :].strip()
        if len(commas) > 1:
            yield f"{text[:start]}{first}, {_ELLIPSIS}, {last}{text[end:]}"
        yield f"{text[:start]}{_ELLIPSIS}, {last}{text[end:]}"
        yield f"{text[:start]}{first}, {_ELLIPSIS}{text[end:]}"
    yield f"{text[:start]}{_ELLIPSIS}{text[end:]}"


def _with_operators(text: str) -> str:
    """A sum or product with the operators between all its operands, of which the longest after the first give way,
    "a + … * c"; "" if it is none, or the first does not fit."""
    groups = _groups(text) or []
    if re.search(r" (?:for|if) ", text):
        return ""
    between = [each for each in _OPERATOR.finditer(text) if not any(a <= each.start() < b for a, b in groups)]
    bounds = [0, *(at for each in between for at in each.span()), len(text)]
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    for at in sorted(range(2, len(pieces), 2), key=lambda at: -len(pieces[at])):
        pieces[at] = _ELLIPSIS
        if len(shorter := "".join(pieces)) <= LONGEST:
            return shorter
    return ""


def _ends(text: str) -> str:
    """Both ends of a text, neither of which begins or ends within brackets, or within a word that fits."""
    groups = _groups(text) or []
    if not groups and len(text) <= _LONGEST_ROLE and _ROLE.match(text):
        return text
    outside = [at for at in range(len(text) + 1) if not any(start <= at <= end for start, end in groups)]
    spaces = [at for at in outside if text[at : at + 1] == " "]
    links = spaces or [at for at in outside if text[at : at + 1] == "."] or outside  # of a chain of calls
    head = max((at for at in links if at <= _HEAD), default=_HEAD)
    room = max(_TAIL, LONGEST - 2 - head)
    if tails := [at for at in links if at > head and at >= len(text) - room]:
        return f"{text[:head].rstrip()} {_ELLIPSIS} {text[min(tails) :].lstrip()}".strip()
    tail = len(text) - (LONGEST - 2 - head)
    tail = min((at for at in outside if at >= tail and not text[at - 1].isalnum()), default=tail)
    return f"{text[:head].rstrip()} {_ELLIPSIS}{text[tail:]}".strip()


_OPERATOR = re.compile(r" (?:[-+*/@]|\*\*|//) ")
_CHILD = re.compile(r"\.(\d+)(?![^.])")  # of a Sequential: "net[2].bias" of "net.2.bias"
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_SUBSCRIBED = str.maketrans("0123456789", SUBSCRIPTS)
_ROLE = re.compile(r"partial sum|(?:initial )?[a-z][a-z]\w*(?:\.\w+|\[\d+\])? (?:of|in) \S")
_LETTER = re.compile(r"[A-Z]\w* (?:of|in) \S")  # "L of cholesky"; "Double in gradcheck", of a function of the snippet
_WRITES = re.compile(r" (?:[-+*/@%&|^]|\*\*|//|<<|>>)= .*$", re.DOTALL)
_PURPOSE = re.compile(r" (?:for \w+|as (?:\d+|a) matri(?:x|ces))(?=\.|\[)")
_WRITING = re.compile(r"(.+)\.\w+_", re.DOTALL)
_PLACE = re.compile(r" (?:of|in) |(?<=^partial sum)")
_CALLED = re.compile(r"[\w.]+$")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_MODULES = re.compile(  # of "torch.nn.functional.binary_cross_entropy(…)" and "torch.linalg.eigvals(A).real.sort()"
    r"^(?:\w+\.)+(?=\w+\(…\)$)|(?<![\w.])(?:torch|nn)\.(?:\w+\.)*(?=\w+\()"
)
_PRIMARY = re.compile(r"([\w.]+|\(\)(?=\.|\[))(\(\)|\[\]|\.\w+)*")
_AXIS = re.compile(r"(?<!\w)-?\d+")  # "0" of "dim0=0"
OF_SHAPE = frozenset("permute transpose unsqueeze squeeze view _unsafe_view _reshape_alias expand".split())
_SPLITTING = frozenset("split split_with_sizes unsafe_split unsafe_chunk chunk unbind meshgrid".split())
_OF_GRADIENT = re.compile(  # "grad(f)(x)", which is no value of f
    r"[\w.]*\bgrad(?:_and_value)?\((?:[^()]|\([^()]*\))*\)\("
)
_GENERATOR = re.compile(r"\([^'\"]* for [^'\"]* in ", re.DOTALL)  # "(x.sum() for x in loader)"
_DIAGONAL = re.compile(r"\.fill_diagonal_\([^()]*\)$")  # through a view of its own
_TRANSFORM = re.compile(r"[\w.]*\b(?:vmap|jacrev|jacfwd|hessian|vjp|jvp|linearize)\(")
_STEP = re.compile(  # which return no tensor that they make
    r"\.step\([^()]*\)$|\.backward\(|(?:^|\.)(?:grad)?gradcheck\("
)
_SAMPLES = re.compile(r"\.sample\([^()]*(?:\([^()]*\))?[^()]*\)$")
_PARTS = re.compile(r"\b(?:tensor_split|[hvd]split)\([^()]*(?:\([^()]*\))?[^()]*\)$")
_COMPARING = ("max", "min", "sorted")  # Python's own, which return one of their arguments
_RETURNS_OTHER = re.compile(
    rf"((?:[\w.]+\.)?\b(?:{REPLACING}|global_unstructured|(?<=prune\.)identity|load_state_dict|to_empty|update_bn|"
    r"setattr|summary)|^(max|min|sorted))(?=\()"
)
_DISTRIBUTION = re.compile(
    r"(?:\w+\.)*(?:Bernoulli|Beta|Binomial|Categorical|Cauchy|Chi2|ContinuousBernoulli|Dirichlet|Exponential|"
    r"FisherSnedecor|Gamma|GeneralizedPareto|Geometric|Gumbel|HalfCauchy|HalfNormal|Independent|InverseGamma|"
    r"Kumaraswamy|LKJCholesky|Laplace|LogNormal|LogisticNormal|LowRankMultivariateNormal|MixtureSameFamily|"
    r"Multinomial|MultivariateNormal|NegativeBinomial|Normal|OneHotCategorical\w*|Pareto|Poisson|Relaxed\w+|StudentT|"
    r"TransformedDistribution|Uniform|VonMises|Weibull|Wishart)\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)$"
)
_CLASS = re.compile(r"(\w+\.)*[A-Z]\w*\(.*\)", re.DOTALL)  # "torch.nn.Linear(2, 1)"
