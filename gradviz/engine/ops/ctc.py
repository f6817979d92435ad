"""ctc_loss: the negative log likelihood of a label sequence, summed over all alignments with the input (Graves et
al., 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.neural import chosen_reduction, need_floats, not_differentiable
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call_all

F = FUNCTIONS
Lengths = tuple[int, ...]


def _labels(targets: Array, lengths: Lengths, blank: int) -> list[Array]:
    """The labels of each sample with a blank before, between and after them."""
    found, start = [], 0
    for i, n in enumerate(lengths):
        own = targets[i, :n] if targets.ndim == 2 else targets[start : start + n]
        start += n
        labels = np.full(2 * n + 1, blank, np.int64)
        labels[1::2] = own
        found.append(labels)
    return found


def _may_skip(labels: Array, blank: int) -> Array:
    """Which states can be entered from two states before: labels that differ from the previous label."""
    skip = np.zeros(len(labels), np.bool_)
    skip[2:] = (labels[2:] != blank) & (labels[2:] != labels[:-2])
    return skip


def _sum_of_paths(logs: Array, labels: Array, skip: Array, start: int) -> Array:
    """The log-probabilities of all paths into each state at each time; `start` is how many states may come first."""
    scores = np.full((len(logs), len(labels)), -np.inf)
    scores[0, :start] = logs[0, labels[:start]]
    for t in range(1, len(logs)):
        last = scores[t - 1]
        one = np.concatenate([[-np.inf], last[:-1]])
        two = np.concatenate([[-np.inf, -np.inf], last[:-2]])[: len(last)]
        ways = np.stack([last, one, np.where(skip, two, -np.inf)])
        scores[t] = np.logaddexp.reduce(ways, axis=0) + logs[t, labels]
    return scores


def _ctc(
    logs: Array, targets: Array, *, input_lengths: Lengths, target_lengths: Lengths, blank: int, zero_infinity: bool
) -> tuple[Array, ...]:
    wide = 2 * max(target_lengths, default=0) + 1
    alpha = np.full((logs.shape[1], logs.shape[0], wide), -np.inf)
    losses = np.zeros(logs.shape[1])
    for i, labels in enumerate(_labels(targets, target_lengths, blank)):
        n = input_lengths[i]
        if not n:
            losses[i] = 0.0 if len(labels) == 1 else np.inf
            continue
        found = _sum_of_paths(logs[:n, i], labels, _may_skip(labels, blank), 2)
        alpha[i, :n, : len(labels)] = found
        losses[i] = -np.logaddexp.reduce(found[-1, -2:])
    return losses.astype(logs.dtype), alpha.astype(logs.dtype)


def _ctc_backward(
    g: Array,
    logs: Array,
    targets: Array,
    losses: Array,
    alpha: Array,
    *,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int,
    zero_infinity: bool,
) -> tuple[Array, ...]:
    out = np.zeros_like(logs)
    for i, labels in enumerate(_labels(targets, target_lengths, blank)):
        n = input_lengths[i]
        if not n or (zero_infinity and np.isinf(losses[i])):
            continue
        turned = labels[::-1]
        beta = _sum_of_paths(logs[:n, i][::-1], turned, _may_skip(turned, blank), 2)[::-1, ::-1]
        both = alpha[i, :n, : len(labels)] + beta
        each = np.full((n, logs.shape[2]), -np.inf)
        for s, label in enumerate(labels):
            each[:, label] = np.logaddexp(each[:, label], both[:, s])
        own = logs[:n, i]
        out[:n, i] = ((np.exp(own) - np.exp(each + losses[i] - own)) * g[i]).astype(logs.dtype)
    return (out,)


CTC_BACKWARD: OpRow = op(
    "_ctc_loss_backward",
    "grad, log_probs, targets, neg_log_likelihood, log_alpha",
    _ctc_backward,
    outputs="result, others",
    node="NotImplemented",
    category="losses",
    symbol="ctc′",
    latex="g",
    brief="The gradient through ctc_loss.",
    fixed="targets, neg_log_likelihood, log_alpha",
    joint=not_differentiable("_ctc_loss_backward"),
)


def _ctc_gradient(
    grads: Sequence[Tensor | None],
    log_probs: Tensor,
    targets: Tensor,
    result0: Tensor,
    result1: Tensor,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int,
    zero_infinity: bool,
) -> Tensor:
    settings = {"input_lengths": input_lengths, "target_lengths": target_lengths}
    return call_all(
        CTC_BACKWARD,
        grads[0],
        log_probs,
        targets,
        result0.detach(),
        result1.detach(),
        **settings,
        blank=blank,
        zero_infinity=zero_infinity,
    )[0]


CTC: OpRow = op(
    "_ctc_loss",
    "log_probs, targets",
    _ctc,
    outputs="result0, result1",
    hidden=1,
    node="CtcLossBackward0",
    category="losses",
    symbol="ctc",
    latex=r"-\ln \sum_{\pi \to y} \prod_t p_{t, \pi_t}",
    brief="How badly a sequence of probabilities predicts a shorter sequence of labels.",
    log_probs=sentence("grad · (p − the share of paths through each label)", _ctc_gradient),
)


def _lengths(given: Any) -> Lengths:
    values = given._data.reshape(-1).tolist() if isinstance(given, Tensor) else given
    return tuple(int(n) for n in (values if isinstance(values, (tuple, list)) else [values]))


@api("ctc_loss", where="F")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: object,
    target_lengths: object,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The negative log likelihood of `targets` under log_probs (T, N, C), over all alignments."""
    reduction = chosen_reduction(None, None, reduction)
    for name, each in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(each, Tensor) and each.dtype.rank != 1:
            raise RuntimeError(f"{name} must be integral")
    need_floats(log_probs, "ctc_loss_cpu")
    ins, outs = _lengths(input_lengths), _lengths(target_lengths)
    batched = log_probs._data.ndim == 3
    logs = log_probs if batched else log_probs.unsqueeze(1)
    _check_lengths(logs, targets, ins, outs, blank)
    settings = {"input_lengths": ins, "target_lengths": outs, "blank": blank, "zero_infinity": zero_infinity}
    found = call_all(CTC, logs, targets, **settings)[0]
    if zero_infinity:
        found = F["where"](found == float("inf"), 0.0, found)
    if reduction == "mean":
        counts = np.maximum(np.asarray(outs), 1).astype(found._data.dtype)
        return (found / wrap(counts)).mean()
    if reduction == "sum":
        return found.sum()
    return found if batched else found.squeeze(0)


_CHECKED = " (while checking arguments for ctc_loss_allocate_outputs)"


def _check_lengths(logs: Tensor, labels: Tensor, ins: Lengths, outs: Lengths, blank: int) -> None:
    if logs._data.ndim != 3:
        dims = logs._data.ndim
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {dims}-dimensional tensor for argument #1 'log_probs'{_CHECKED}"
        )
    steps, batch, classes = logs._data.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if len(ins) != batch:
        raise RuntimeError("input_lengths must be of size batch_size")
    if len(outs) != batch:
        raise RuntimeError("target_lengths must be of size batch_size")
    if min(outs, default=0) < 0:
        least = next(n for n in outs if n < 0)
        raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {least}{_CHECKED}")
    flat, longest = labels._data.ndim == 1, max(outs, default=0)
    wanted, length = sum(outs) if flat else batch, labels._data.shape[0]
    if length != wanted:
        raise RuntimeError(
            f"Expected tensor to have size {wanted} at dimension 0, but got size {length} for argument #2 'targets'"
            f"{_CHECKED}"
        )
    if not flat and labels._data.shape[1] < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size {labels._data.shape[1]} for "
            f"argument #2 'targets'{_CHECKED}"
        )
    for n in ins:
        if not 0 <= n <= steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {n}{_CHECKED}")
