"""What every sentence of a run has to hold: its numbers, computed once more from what it says, agree; a rule gives
what was sent; a derivative is written only where it is the whole gradient; sums and the ledgers of `.grad` add up;
nothing is doubled.

`python -m tests.trace.true_sentences [FILE …]` looks at whole programs, all of the snippet set by default."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np

from gradviz.session.inspect.ledger import ledger, since_cleared
from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import NEVER
from gradviz.trace.table.tables import span
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.contributions import edge_words, gradient_name, received
from gradviz.trace.words.explain import explain, explain_fold
from gradviz.trace.words.formulas import at_nan, formula_for, is_changed, operands_of
from tests.engine.shown_formulas import computed
from tests.trace.running import run

T = TypeVar("T")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_ARITHMETIC = re.compile(r"[-−+×/·@Σ()\[\]\d.,e ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺^√]+|inf|nan")
_ASSIGNMENT = re.compile(r"(?:^|[;,:] )([^\W\d]) = [^=;:,]*(?<![\w.])\1(?![\w\u0302.])")
_STEPS_SAID = (Kind.BACKWARD, Kind.CONTRIBUTION, Kind.ACCUMULATE, Kind.OPTIMIZER)


def sentences(trace: Trace, kind: Kind) -> list[str]:
    """What is said of the steps of a kind."""
    return [explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == kind]


def all_sentences(source: str) -> str:
    """What is said of all steps of these lines, where `x` is a vector."""
    trace = run(f"import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n{source}\n")
    return "\n".join(explain(trace.frame(at + 1)).sentence for at in range(len(trace)))


def problems(trace: Trace, most: int | None = None) -> Iterator[str]:
    """What is wrong with the sentences of a run, each with its step; of a long run those of so many steps, gradients
    and folds at its begin and its end, as iterations are alike."""
    with np.errstate(all="ignore"):
        for cursor in _some(range(1, len(trace) + 1), most):
            frame = trace.frame(cursor)
            kind, sentence = Kind(int(trace.steps.kind[cursor - 1])), explain(frame).sentence
            found = [*_style(kind, sentence), *_sums(kind, sentence)]
            if kind is Kind.FORWARD and "the former " not in sentence and "It is a leaf" not in sentence:
                found += [each for each in _names(frame) if sentence.count(each.rpartition(" called ")[2]) > 1]
            if kind is Kind.BACKWARD:
                found += [*_derivatives(frame, sentence), *_rules(frame, sentence), *_names(frame)]
            yield from (f"step {cursor}: {each}: {sentence}" for each in found)
        for flow in _some(range(len(trace.flows)), most):
            for words in edge_words(trace, flow):
                found = list(_sums(Kind.BACKWARD, words.partition(", through")[0]))
                yield from (f"gradient {flow}: {each}: {words}" for each in found)
        yield from _ledgers(trace, most)
        for first, end in _some(list(pairwise([0, *trace.folds.ends.tolist()])), most):
            kind, sentence = Kind(int(trace.steps.kind[first])), explain_fold(trace, end).sentence
            found = [*_style(kind, sentence), *_sums(kind, sentence)]
            yield from (f"steps {first + 1} to {end}: {each}: {sentence}" for each in found)


def _ledgers(trace: Trace, most: int | None) -> Iterator[str]:
    """The ledger of each `.grad` adds up to what it holds, at every change of it."""
    for row in _some(range(len(trace.grads)), most):
        frame, tensor = trace.frame(int(trace.grads.step[row]) + 1), int(trace.grads.tensor[row])
        held, now = since_cleared(ledger(frame, tensor)), frame.grad(tensor)
        arrays = [entry.value.array for entry in held if entry.value is not None]
        if now is None or now.array is None or not arrays or any(array is None for array in arrays):
            continue
        total = sum(np.asarray(array, now.array.dtype) for array in arrays)
        if not np.allclose(total, now.array, rtol=1e-4, atol=1e-5, equal_nan=True):
            yield f"step {frame.cursor}: the ledger of {frame.name(tensor)}.grad is {total}, not {now.array}"


def _some(all_of: Sequence[T], most: int | None) -> Sequence[T]:
    return all_of if most is None or len(all_of) <= most else [*all_of[: most // 2], *all_of[-most // 2 :]]


def _style(kind: Kind, sentence: str) -> Iterator[str]:
    if kind in (Kind.PRINT, Kind.WARNING, Kind.ERROR, Kind.CAUGHT):
        return
    if re.search(r"(?<!\.)\.\.(?!\.)", sentence):
        yield "two full stops"
    if re.search(r"[-−] ?[-−]\d", sentence) or "+ -" in sentence:
        yield "two signs"
    if "((" in sentence and re.search(r"(?<![\w)\]])\(\(([^()]*)\)\)", sentence):
        yield "two brackets"
    if kind in _STEPS_SAID and re.search(r"= \(?([^=;:()]+)\)? = \1(?:[;.]|$)", sentence):
        yield "says the same twice"
    if not _is_balanced(sentence):
        yield "a bracket without the other one"
    if re.search(r"∂-?\d|∂\(-?[\d.]+\)", sentence):
        yield "a derivative by a number"
    if kind is Kind.OPTIMIZER and _ASSIGNMENT.search(sentence):
        yield "an equation that is an assignment"


def _is_balanced(sentence: str) -> bool:
    depths = np.cumsum([(sign == "(") - (sign == ")") for sign in sentence])
    return not len(depths) or (depths.min() >= 0 and depths[-1] == 0)


def _sums(kind: Kind, sentence: str) -> Iterator[str]:
    """Equations of numbers, which must hold as far as their digits go."""
    if kind in (Kind.FORWARD, Kind.INPLACE):  # "n = 2 × 3 = 6", of which the first is a name
        sentence = sentence.partition(". ")[0].partition(" = ")[2].partition(" now, version")[0]
        sentence = sentence if ", " not in re.sub(r"\[[^=]*\]", "", sentence) else ""  # several results
    elif kind not in _STEPS_SAID:
        return
    for part in re.split(r"[;:] |\. |, (?=[^ ,]+ (?:←|=) )", sentence.removesuffix(".")):
        sides = [each for each in part.split(" = ") if _ARITHMETIC.fullmatch(each.strip())]
        if part.split(" = ")[-1:] != sides[-1:]:
            continue
        results = [_computed(each) for each in sides]
        for text, result in zip(sides, results, strict=True):
            if result is not None and results[-1] is not None and not _agree(text, result, results[-1]):
                yield f"{text} is {result}, not {sides[-1]}"


def _computed(text: str) -> np.ndarray | None:
    text = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)", lambda found: "**" + found[0].translate(_RAISED), text)
    text = text.replace("−", "-").replace("×", "*").replace("·", "*").replace("^", "**").replace("Σ(", "np.sum(")
    text = re.sub(r"√(\d[\d.e-]*|\([^()]*\))", r"((\1)**0.5)", text)
    text = re.sub(r"\[(?=[^\[])", "np.array([", re.sub(r"\]", "])", text)) if text.count("[") == 1 else _nested(text)
    try:
        return np.asarray(eval(text, {"np": np, "inf": np.inf, "nan": np.nan, "e": np.e}), float)
    except (SyntaxError, ValueError, TypeError, ZeroDivisionError, OverflowError):
        return None


def _nested(text: str) -> str:
    """Lists as arrays: brackets of the outermost level only."""
    made, depth = "", 0
    for sign in text:
        if sign == "[":
            made += "np.array([" if not depth else sign
            depth += 1
        elif sign == "]":
            depth -= 1
            made += sign if depth else "])"
        else:
            made += sign
    return made


def _agree(text: str, one: np.ndarray, other: np.ndarray) -> bool:
    largest = max([1e-12, *(abs(float(number)) for number in re.findall(r"\d+\.?\d*(?:e[+-]?\d+)?", text))])
    if not np.isfinite(largest):
        return True
    try:
        return bool(np.allclose(np.squeeze(one), np.squeeze(other), rtol=5e-3, atol=2e-3 * largest, equal_nan=True))
    except ValueError:
        return False


def _derivatives(frame: Frame, sentence: str) -> Iterator[str]:
    """ "∂root/∂x" is followed by the whole gradient of x in this call."""
    trace, node = frame.trace, frame.current_node
    low, high = span(trace.flows.step, frame.cursor - 1, frame.cursor)
    operands = trace.slots_of(node) if node >= 0 else {}
    for row in range(low, high):
        tensor = operands.get(int(trace.flows.slot[row]), -1)
        if tensor < 0 or f"{gradient_name(frame, tensor)} =" not in sentence:
            continue
        arrivals = trace.history("arrivals", "tensor").all(tensor)
        mine = arrivals[trace.arrivals.call[arrivals] == frame.call]
        total = trace.value(int(trace.arrivals.total[mine[-1]])) if len(mine) else None
        sent = trace.value(int(trace.flows.value[row]))
        if len(mine) > 1 or (total is not None and sent is not None and total.written() != sent.written()):
            yield f"{frame.name(tensor)} has {len(mine)} contributions"


def _names(frame: Frame) -> Iterator[str]:
    """No two results or variables that the node of a step reads and makes have one name."""
    trace, node = frame.trace, frame.current_node
    if node >= 0:
        tensors = {int(each) for each in (*trace.slots_of(node).values(), *trace.outputs_of(node)) if each >= 0}
        known = [each for each in sorted(tensors) if trace.tensors.producer[each] >= 0 or trace.naming.all(each, NEVER)]
        names = [frame.name(each) for each in known]
        yield from (f"two tensors are called {name}" for name in sorted({one for one in names if names.count(one) > 1}))


# which read one triangle of a matrix only; whose sums go over all dimensions but one
_NOT_BY_THE_LETTER = frozenset(("linalg_solve_triangular", "triangular_solve", "_weight_norm_interface"))


def _rules(frame: Frame, sentence: str) -> Iterator[str]:
    """Each rule, computed anew in NumPy from the values of its operands, is what was sent, whatever the parameters:
    also where a sentence has no room for the numbers. What is said in words is left out."""
    trace, node = frame.trace, frame.current_node
    if node < 0 or is_changed(frame, node) or trace.nodes.op[node] in _NOT_BY_THE_LETTER:
        return
    if (trace.nodes.op == "AddBatchDim").any():  # of vmap: the rule is that of one example
        return
    known = {name: frame.value(tensor) for name, tensor in operands_of(frame, node).items()} | {"grad": received(frame)}
    values = {name: value.array for name, value in known.items() if value is not None and value.array is not None}
    low, high = span(trace.flows.step, frame.cursor - 1, frame.cursor)
    for row in range(low, high):
        text, sent = formula_for(trace, node, int(trace.flows.slot[row])), trace.value(int(trace.flows.value[row]))
        if not text or text.startswith("Σ grad") or sent is None or sent.array is None:
            continue
        text = at_nan(frame, node, text, operands_of(frame, node))
        told = _said_by(text, values, sent.array, str(trace.nodes.params[node]))
        if told is None:
            continue
        if told.dtype.kind == "c" and sent.array.dtype.kind != "c":
            if "the real part of" not in sentence:
                yield "a complex gradient of a real number"
            told = told.real
        if told.size > sent.numel and "summed" not in sentence:
            yield f"the rule {text} has {told.size} elements, and their sums are sent"
        told = _summed(told, sent.array)
        finite = np.isfinite(told) & np.isfinite(sent.array)
        sizes = (np.abs(each[np.isfinite(each)]).max(initial=0) for each in (sent.array, values.get("grad", told)))
        scale = max(1e-6, *sizes)
        if not np.allclose(told[finite], sent.array[finite], rtol=2e-3, atol=2e-3 * scale):
            yield f"the rule {text} gives {told.tolist()}, not {sent.array.tolist()}"


def _said_by(text: str, values: dict[str, np.ndarray], sent: np.ndarray, params: str) -> np.ndarray | None:
    """The gradient by a rule; None for one that is no formula of known values."""
    given, dim = dict(values), re.search(r"(?:^|, )dim=(-?\d+|\((?:-?\d+,? ?)+\))", params)
    if dim:
        axes = tuple(map(int, re.findall(r"-?\d+", dim[1])))
        given["dim"] = axes
        for name in ("grad", "result"):  # with the dimensions that were reduced
            if name in given and given[name].ndim == sent.ndim - len(axes):
                given[name] = np.expand_dims(given[name], axes)
    try:
        found = np.asarray(computed(text, given))
        return np.broadcast_to(found, np.broadcast_shapes(found.shape, sent.shape))
    except (AssertionError, LookupError, ValueError, TypeError, AttributeError, np.linalg.LinAlgError):
        return None


def _summed(found: np.ndarray, sent: np.ndarray) -> np.ndarray:
    """Over the dimensions by which a smaller operand was spread."""
    found = found.sum(axis=tuple(range(found.ndim - sent.ndim)))
    wide = tuple(at for at, size in enumerate(sent.shape) if size == 1 != found.shape[at])
    return found.sum(axis=wide, keepdims=True) if wide else found


def look_at(path: Path, most: int | None = None) -> list[str]:
    """The problems of one program, which may save its model; see `problems`."""
    nowhere, source = io.StringIO(), path.read_text(encoding="utf-8")
    with contextlib.ExitStack() as around:
        around.enter_context(contextlib.redirect_stdout(nowhere))
        around.enter_context(contextlib.redirect_stderr(nowhere))
        around.enter_context(warnings.catch_warnings())
        around.enter_context(contextlib.chdir(around.enter_context(tempfile.TemporaryDirectory())))
        warnings.simplefilter("ignore")
        return list(problems(run(source), most))


def main(paths: list[str]) -> None:
    here = Path(__file__).parents[1] / "snippets"
    everything = [*(here / "programs").glob("*.py"), *(here / "corpus").glob("*.py")]
    for path in [Path(each) for each in paths] or sorted(everything):
        try:
            found = look_at(path)
        except BaseException as error:  # noqa: BLE001  what cannot be run here is named, a program that exits, too
            found = [f"not run: {error!r}"]
        sys.stdout.writelines(f"{path.stem}: {each[:400]}\n" for each in found[:5])


if __name__ == "__main__":
    main(sys.argv[1:])
