"""The lessons: one row for each mistake, whether it raises or not; and `diagnose`, which checks one run for all of
them. What a row reports about a run is a `Finding`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.document.snippet import MAX_BYTES
from gradviz.session.doctor import (
    batches,
    dimensions,
    evaluation,
    functions,
    graphs,
    kept,
    losses,
    magnitudes,
    missing,
    not_finite,
    parameters,
    raised,
    rates,
    schedules,
    sequences,
    shapes,
    targets,
    training,
    untrained,
)
from gradviz.session.doctor.case import Case, Fix, Hit, case_of, ran, read_by_error, root_before
from gradviz.trace.words.error_explanation import Mark

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Finder = Callable[[Case], Iterable[Hit]]

RAISED, WRONG, EFFECT, WASTE = range(4)  # severity, the worst first


@dataclass(frozen=True, slots=True)
class Lesson:
    """One mistake."""

    id: str
    title: str
    rank: int
    finders: tuple[Finder, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """Patterns of the messages that it is about: those of errors that it finds, then other messages of PyTorch."""
        found = tuple(each.pattern for each in self.finders if isinstance(each, raised.Raised) and each.pattern)
        return found + _ALSO_SAID.get(self.id, ())

    @property
    def symptoms(self) -> str:
        """How somebody would describe what goes wrong, without a message; for the search."""
        return "; ".join(text for ids, text in _FELT.items() if self.id in ids.split())


@dataclass(frozen=True, slots=True)
class Finding:
    """A lesson that a run triggers."""

    id: str
    title: str
    line: int  # where the mistake is made, -1 unknown: see Note [The line of a mistake] in `case`
    step: int  # the cursor at which that line ran, the last time before it shows; at which it shows if none is known
    explanation: str
    advice: str
    fixes: tuple[Fix, ...]
    marks: tuple[Mark, ...]
    raised: bool  # it is about the error that ended the run


def _error(id: str, title: str, pattern: str, say: raised.Say, *silent: Finder) -> Lesson:
    return Lesson(id, title, RAISED, (raised.Raised(pattern, say), *silent))


def _silent(id: str, title: str, *finders: Finder, rank: int = WRONG) -> Lesson:
    return Lesson(id, title, rank, finders)


_TWICE = r"backward through the graph a second time"
_NONE = (r"'NoneType' object has no attribute '(zero_|data|detach|norm|clamp_|mul_)'", r"operand type.*'NoneType'")
_ALSO_SAID = {  # warnings, messages of older versions, and errors that it causes elsewhere; for the search
    "backward-twice": (r"through the graph second time",),
    "freed-buffer": (r"through the graph second time",),
    "gradient-shape": (r"assigned grad has data of a different",),
    "leaf-in-place": (r"leaf variable has been moved into the graph interior",),
    "non-leaf-grad": (r"\.grad attribute of a Tensor that is not a leaf", *_NONE),
    "grad-none-not-reached": _NONE,
    "grad-none-detached": _NONE,
    "grad-none-no-grad": _NONE,
    "grad-none-rebound": _NONE,
    "grad-none-copied": _NONE,
    "cut-by-item": (r"call numpy\(\) on (Tensor|Variable) that requires grad",),
    "broadcast-loss": (r"Using a target size .* different to the input size .*broadcasting",),
    "matmul-shapes": (r"size mismatch, m1: ", r"mat1 dim 1 must match mat2 dim 0"),
    "unregistered-parameter": (r"optimizer got an empty parameter list",),
    "no-grad-fn": (r"None of the inputs have requires_grad=True",),
    "graph-in-grad": (r"will create a reference cycle",),
    "scheduler-first": (r"lr_scheduler\.step\(\)` before `optimizer\.step\(\)",),
    "graph-kept": (r"out of memory", r"can't allocate memory"),
    "wrong-dim": (r"Implicit dimension choice for (log_)?soft(max|min)",),
    "target-type": (r"expected dtype \w+ but got dtype (Long|Int)", r"[Ee]xpected object of (scalar )?type"),
    "cuda-absent": (r"deserialize object on a CUDA device",),
}
_FELT = {
    "lr-too-small zeroed-too-late other-parameters grad-none-rebound grad-none-detached vanishing dead-relu": (
        "the loss does not decrease, is not decreasing, doesn't go down, does not change, stays the same, constant, "
        "stuck; the model, network does not learn, is not learning, does not train"
    ),
    "lr-too-small zeroed-too-late other-parameters grad-none-rebound unregistered-parameter frozen-parameter": (
        "weights, parameters do not change, are not updating, not updated, don't update"
    ),
    "lr-too-large exploding nan-born": "the loss is nan, inf, diverges, explodes, goes up, increases, gets larger",
    "nan-where": "nan gradients with torch.where, although the value, the loss is finite, not nan; masked nan",
    "not-zeroed": "the gradient doubles, accumulates, is added, adds up, keeps growing, is larger with each backward",
    "nll-without-log": "the loss is negative, below zero",
    "sigmoid-before-bce": "the loss is stuck at 0.69, 0.693, stays at 0.5; probabilities never reach 0 or 1",
    "same-batch": "training loss goes down, but validation, test accuracy is bad, low; overfits, does not generalize",
    "clipped-too-late clipped-too-early": (
        "gradient clipping, clip_grad_norm_ has no effect, does nothing; it still explodes, diverges"
    ),
    "ascent": "the loss goes up, increases, gets larger, diverges; accuracy gets worse with each epoch",
    "never-stepped": "the loss does not change, stays the same; weights, parameters are not updated",
    "scheduler-unused": "the learning rate does not change, decay, stays the same; the scheduler has no effect",
    "batch-first shuffled-apart": "the model, network does not learn, the loss is stuck; predicts the mean",
    "scheduler-each-batch": "the learning rate is 0, decays too fast; the loss stops going down after the first epochs",
    "target-not-detached": "DQN, Q-learning, actor-critic, TD does not learn, is unstable, values diverge",
    "micro-batches-added": "gradient accumulation gives other results than one large batch; the loss diverges",
    "gradient-ignored": "custom autograd Function, gradcheck fails; the gradient is wrong, is not multiplied",
    "gradient-swallowed": "custom autograd Function, backward returns None; .grad is None",
    "gradient-without-graph": "gradient penalty has no effect, WGAN-GP, physics-informed loss does not train",
    "optimizer-anew": "Adam, momentum has no effect, the optimizer forgets; training is slow, noisy, does not converge",
    "state-not-copied": "the best model, weights, checkpoint restored is the last, is not the best, is not saved",
    "layer-repeated": "too few parameters; a deeper network has the same number of parameters, is no better",
    "scheduler-first": "the first learning rate is skipped; the learning rate drops one epoch too early",
    "broadcast-loss": "predictions are all the same, the mean of the targets; regression learns only the average",
    "vanishing dead-relu": "gradients are zero, the gradient is 0, very small",
    "graph-kept needless-retain graph-in-grad": "memory grows, memory leak, each iteration is slower, out of memory",
    "equal-weights softmax-before-ce double-softmax wrong-dim": "accuracy is stuck, always predicts the same class",
    "eval-forgotten": "results, predictions, accuracy differ each time, are random, validation is worse than training",
}
_NO_HISTORY = r"does not require grad and does not have a grad_fn"
_TARGETS = (
    r"[Tt]arget(?! sizes)|can't be cast to the desired output type (Long|Int)|expected scalar type Long"
    r"|expected scalar type Float but found Long|Found dtype (Long|Int|Bool) but expected Float"
    r"|multi-target|not implemented for '(Int|Float|Long|Double)'"
)
_RETURNED = r"Function (\w+)Backward returned an invalid gradient at index (\d+) - got \[(.*?)\] but .* \[(.*?)\]"
_CUDA = r"not compiled with CUDA|No CUDA GPUs|NVIDIA driver|Device type cuda is not supported"
_NAN = r"Function '(\w+)' returned nan values"
_SIZES = r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)"
_MATRICES = r"inconsistent tensor size|must have same reduction dim|1D tensors expected|size mismatch, got"


def _none(id: str, title: str, *more: Finder) -> Lesson:
    return _silent(id, title, missing.none_because(id), untrained.untrained_because(id), *more)


LESSONS: tuple[Lesson, ...] = (
    _error("backward-twice", "Backward twice", _TWICE, graphs.twice, training.summed_twice, training.summed_again),
    _error("freed-buffer", "A saved tensor that was freed", _TWICE, graphs.freed),
    _error("non-scalar-root", "Backward of several numbers", r"only for scalar outputs", raised.not_scalar),
    _error(
        "gradient-shape", "A gradient of the wrong shape",
        r"Mismatch in shape: grad_output|assign a gradient of size", raised.gradient_shape,
        raised.Raised(_RETURNED, raised.returned_shape),
    ),
    _error("no-grad-fn", "A root without a history", _NO_HISTORY, raised.no_grad_fn),
    _error(
        "leaf-in-place", "A leaf changed in place", r"^a leaf Variable that requires grad", graphs.leaf_in_place,
    ),
    _error(
        "view-of-leaf-in-place", "A part of a leaf changed in place", r"a view of a leaf Variable that requires grad",
        raised.with_fix(raised.under_no_grad, "inside no_grad()"),
        raised.Raised(r"is a view and is being modified inplace", graphs.part_of_several),
    ),
    _error("saved-overwritten", "A saved tensor overwritten", r"modified by an inplace operation", graphs.overwritten),
    _none("non-leaf-grad", "The .grad of what was computed", missing.warned),
    _none("grad-none-not-reached", "A leaf that the loss does not use"),
    _none("grad-none-detached", "A gradient stopped by detach()", untrained.constant_term("detached")),
    _none("grad-none-no-grad", "Computed inside no_grad()"),
    _none(
        "grad-none-integer", "Whole numbers have no gradient",
        raised.Raised(r"(?i)only tensors of floating point", shapes.integer_leaf),
    ),
    _none(
        "grad-none-rebound", "A name bound anew",
        raised.Raised(_NO_HISTORY, raised.rebound_root), missing.changed_nothing,
    ),
    _none("grad-none-copied", "A copy knows nothing of the original", untrained.copied_on_the_way),
    _silent("not-zeroed", "Gradients that pile up", training.not_zeroed),
    _silent("zeroed-too-late", "Gradients cleared before they are used", training.zeroed_too_late),
    _silent("other-parameters", "The optimizer has other tensors", parameters.other_parameters),
    _none(
        "cut-by-item", "A loss made of plain numbers", training.number_in_loss,
        raised.Raised(_NO_HISTORY, raised.cut_root("item", "listed")),
        raised.Raised(r"'(float|int)' object has no attribute 'backward'", raised.number_backward),
    ),
    _none(
        "cut-by-data", "What .data and NumPy hide",
        raised.Raised(_NO_HISTORY, raised.cut_root("data")), training.data_written, training.changed_unseen,
        untrained.constant_term("data"),
    ),
    _silent("graph-kept", "Graphs that are kept", kept.graph_kept, rank=WASTE),
    _silent("needless-retain", "retain_graph without need", kept.needless_retain, rank=WASTE),
    _silent("gradient-without-graph", "A gradient that is a constant", untrained.constant_gradient),
    _silent("graph-in-grad", "A .grad that keeps its graph", kept.graph_in_grad, rank=WASTE),
    _silent("clipped-too-late", "Gradients clipped after the step", magnitudes.clipped_too_late),
    _silent("clipped-too-early", "Gradients clipped before there are any", magnitudes.clipped_too_early),
    _silent("ascent", "A loss that is made larger", losses.ascent),
    _silent("never-stepped", "An optimizer that never steps", untrained.never_stepped),
    _silent("gradient-swallowed", "A Function that sends nothing back", functions.swallowed),
    _silent("gradient-ignored", "A Function that forgets the gradient", functions.ignoring),
    _silent("target-not-detached", "A target that learns", targets.trained_target),
    _silent("micro-batches-added", "Micro-batches that are not divided", losses.undivided),
    _silent("scheduler-first", "The scheduler before the optimizer", schedules.scheduler_first),
    _silent("scheduler-unused", "A scheduler that never moves", schedules.scheduler_unused, rank=WASTE),
    _silent("scheduler-each-batch", "A schedule of epochs, moved on by batches", schedules.scheduler_each_batch),
    _silent("optimizer-anew", "An optimizer made anew for each step", rates.optimizer_anew),
    _silent(
        "nan-where", "NaN from the branch that was not taken", not_finite.nan_where,
        raised.Raised(_NAN, not_finite.anomaly(where=True)), rank=EFFECT,
    ),
    _silent("lr-too-large", "The loss climbs", rates.lr_too_large, rank=EFFECT),
    _silent(
        "nan-born", "Where NaN was born", not_finite.nan_born,
        raised.Raised(_NAN, not_finite.anomaly(where=False)), rank=EFFECT,
    ),
    _silent("equal-weights", "Units that are all alike", rates.equal_weights, rank=EFFECT),
    _silent("dead-relu", "A ReLU that lets nothing through", magnitudes.dead_relu, rank=EFFECT),
    _silent("vanishing", "Gradients that vanish", magnitudes.vanishing, rank=EFFECT),
    _silent("exploding", "Gradients that explode", magnitudes.exploding, rank=EFFECT),
    _silent("lr-too-small", "Nothing moves", rates.lr_too_small, rank=EFFECT),
    _silent("broadcast-loss", "Every prediction against every target", dimensions.broadcast_loss),
    _silent("wrong-dim", "Along the wrong dimension", dimensions.wrong_dim),
    _silent("double-softmax", "Softmax twice", losses.double_softmax),
    _silent("softmax-before-ce", "Softmax before cross entropy", losses.softmax_before_ce),
    _silent("sigmoid-before-bce", "Sigmoid before BCEWithLogits", losses.sigmoid_before_bce),
    _silent("nll-without-log", "NLLLoss without the logarithm", losses.nll_without_log, losses.kl_without_log),
    _error("target-type", "Targets of the wrong type or shape", _TARGETS, shapes.target),
    _error(
        "matmul-shapes", "Shapes that can't be multiplied", _SIZES, shapes.products,
        raised.Raised(r"^(self|mat1|mat2|input) must be a matrix", shapes.matrix),
        raised.Raised(r"Expected size for first two dimensions", shapes.batched),
        raised.Raised(_MATRICES, shapes.of_vector),
    ),
    _error(
        "broadcast-sizes", "Sizes that don't broadcast", r"size of tensor a \(\d+\) must match the size of tensor b",
        shapes.broadcast,
    ),
    _error(
        "unused-input", "An input that was not used", r"appears to not have been used in the graph",
        raised.unused_input,
    ),
    _silent("eval-forgotten", "Evaluated in training mode", evaluation.eval_forgotten),
    _silent("state-not-copied", "A state_dict that goes on changing", evaluation.state_not_copied),
    _error("batchnorm-one", "BatchNorm of one sample", r"Expected more than 1 value per channel", shapes.batchnorm),
    _silent(
        "unregistered-parameter", "Parameters that nobody finds", parameters.unregistered, untrained.made_in_forward,
    ),
    _silent("layer-repeated", "One layer several times", untrained.one_layer_repeated),
    _none("frozen-parameter", "A parameter that never gets a gradient", untrained.frozen),
    _silent("same-batch", "The same batch every time", batches.same_batch),
    _silent("batch-first", "Samples taken for steps", sequences.batch_first),
    _silent("shuffled-apart", "Targets of other inputs", targets.shuffled_apart, targets.drawn_apart),
    _error("cuda-absent", "CUDA where there is none", _CUDA, shapes.cuda),
    _error(
        "inference-tensor", "A tensor of inference_mode()", r"[Ii]nference tensor", raised.inference,
    ),
    _error(
        "non-leaf-optimized", "An optimizer of what was computed", r"can't optimize a non-leaf",
        raised.non_leaf_optimized,
    ),
)  # fmt: skip


_HIDES = {  # what follows from another mistake is not reported with it
    "grad-none-rebound": {"not-zeroed", "non-leaf-grad", "cut-by-data", "grad-none-detached"},
    "unregistered-parameter": {"other-parameters", "frozen-parameter", "grad-none-not-reached"},
    "other-parameters": {"grad-none-no-grad", "grad-none-detached", "grad-none-not-reached", "not-zeroed"},
    "zeroed-too-late": {"other-parameters", "grad-none-not-reached", "frozen-parameter"},
    "cut-by-item": {"frozen-parameter", "other-parameters", "grad-none-not-reached", "no-grad-fn"},
    "cut-by-data": {"frozen-parameter", "other-parameters", "grad-none-not-reached"},
    "grad-none-copied": {"grad-none-not-reached", "frozen-parameter", "other-parameters"},
    "frozen-parameter": {"other-parameters", "grad-none-not-reached"},
    "grad-none-detached": {"frozen-parameter", "grad-none-not-reached"},
    "gradient-swallowed": {"frozen-parameter", "grad-none-not-reached"},
    "grad-none-no-grad": {"frozen-parameter", "grad-none-not-reached"},
    "grad-none-integer": {"frozen-parameter", "grad-none-not-reached"},
    "softmax-before-ce": {"double-softmax"},
    "wrong-dim": {"double-softmax", "softmax-before-ce", "nll-without-log"},
}


_OF_NONE = {*missing.ROWS.values(), "non-leaf-grad", "grad-none-not-reached", "grad-none-rebound", "frozen-parameter"}
_MISSING = _OF_NONE | {"unregistered-parameter", "nan-born", "nan-where"}
_OTHER = Lesson("other-error", "An error", RAISED, (raised.Raised("", raised.plain_hit),))


_NEVER = {"frozen-parameter", "other-parameters", "unregistered-parameter", "grad-none-not-reached", "same-batch"}


def diagnose(trace: Trace, text: str | None = None) -> tuple[Finding, ...]:
    """Return the lessons that a run triggers, the worst first."""
    case = case_of(trace, text)
    if len(case.text) > MAX_BYTES:  # only a recording has such a text, or what was refused
        return ()
    never = _NEVER if len(trace.gaps) else set()
    found = [each for each in _found(case) if each[0].id not in never]
    ended = [hit for _, hit in _of_end(case)]
    if case.raised and not any(lesson.rank == RAISED or lesson.id in _MISSING for lesson, _ in found):
        found += [(_OTHER, hit) for hit in _OTHER.finders[0](case)]
    hidden = {other for lesson, _ in found for other in _HIDES.get(lesson.id, ())}
    copied = {hit.line for lesson, hit in found if lesson.id == "grad-none-copied"}
    found = [each for each in found if each[0].id not in hidden]
    found = [(lesson, hit) for lesson, hit in found if lesson.id != "cut-by-item" or hit.line not in copied]
    if any(lesson.rank == RAISED for lesson, _ in found):
        found = [each for each in found if each[0].rank in (RAISED, WRONG)]
    if any(lesson.rank in (RAISED, WRONG) for lesson, _ in found):
        found = [each for each in found if each[0].rank != EFFECT]
    effects = [each for each in found if each[0].rank == EFFECT][1:]
    found = [each for each in found if each not in effects]
    found.sort(key=lambda each: each[0].rank)
    return tuple(_finding(case, lesson, hit, lesson.rank == RAISED or hit in ended) for lesson, hit in found)


def of_error(trace: Trace, text: str) -> Finding | None:
    """Return the lesson on the error that ended a run; None if there is only its explanation."""
    case = case_of(trace, text)
    for lesson in (each for each in LESSONS if each.rank == RAISED):
        for finder in lesson.finders:
            for hit in finder(case):
                return _finding(case, lesson, hit, True)
    found = _of_end(case)
    hidden = {other for lesson, _ in found for other in _HIDES.get(lesson.id, ())}
    return next((_finding(case, lesson, hit, True) for lesson, hit in found if lesson.id not in hidden), None)


def _of_end(case: Case) -> list[tuple[Lesson, Hit]]:
    """Return the silent mistakes that led to the error that ended the run: known by its message, or by the .grad that
    is None on its line."""
    is_none = case.raised and missing.is_read_at_end(case)
    finders = [
        (lesson, finder) for lesson in LESSONS if lesson.rank != RAISED for finder in lesson.finders
        if isinstance(finder, raised.Raised) or (is_none and lesson.id in _OF_NONE and finder is lesson.finders[0])
    ]  # fmt: skip
    return [(lesson, hit) for lesson, finder in finders for hit in finder(case)] if case.raised else []


def _found(case: Case) -> Iterator[tuple[Lesson, Hit]]:
    for lesson in LESSONS:
        seen: set[int] = set()
        for finder in lesson.finders:
            for hit in finder(case):
                if hit.line not in seen:
                    seen.add(hit.line)
                    yield lesson, hit


def _finding(case: Case, lesson: Lesson, hit: Hit, raised: bool) -> Finding:
    marks = hit.marks or (read_by_error(case) if raised and case.raised else ()) or root_before(case, hit.step)
    step = ran(case, hit.line, hit.step)
    changing = tuple(each for each in hit.fixes if each.text != case.text)
    return Finding(lesson.id, lesson.title, hit.line, step, hit.why, hit.advice, changing, marks, raised)


def patch(before: str, after: str, name: str = "snippet.py") -> str:
    """Return a change as a unified diff."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in
             difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")]  # fmt: skip
    return "".join(lines)


def finding_json(text: str, trace: Trace, finding: Finding, name: str = "snippet.py") -> dict[str, object]:
    """Return a finding as plain JSON values."""
    nodes = trace.nodes
    marks = [
        {
            "node": mark.node,
            "name": str(nodes.name[mark.node] or nodes.op[mark.node]),
            "line": int(nodes.line[mark.node]),
            "reason": mark.reason,
        }
        for mark in finding.marks
    ]
    return {
        "id": finding.id,
        "title": finding.title,
        "line": finding.line if finding.line > 0 else None,
        "step": finding.step,
        "nodes": marks,
        "explanation": finding.explanation,
        "advice": finding.advice,
        "fixes": [patch(text, fix.text, name) for fix in finding.fixes],
    }


def finding_text(text: str, finding: Finding, name: str = "snippet.py") -> str:
    """Return a finding as text for a terminal."""
    place = f"{name}:{finding.line}" if finding.line > 0 else name
    parts = [f"{place}: {finding.title} [{finding.id}], step {finding.step}", finding.explanation, finding.advice]
    if finding.fixes:
        parts.append(patch(text, finding.fixes[0].text, name).rstrip("\n"))
    return "\n".join(part for part in parts if part)
