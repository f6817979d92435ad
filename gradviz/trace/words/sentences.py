"""The sentences about steps, each with an id and named places, so that their wording is reviewed, and one day
translated, here. `explain`, `contributions` and `updates` provide the names, numbers and formulas for the places; rules
of gradients come from the operations, explanations of errors from `errors`.

An id begins with the kind of step, "accumulate.first"; ids starting with "part." are for use within others."""

from __future__ import annotations

from string import Formatter

SENTENCES: dict[str, str] = {
    "before": "Nothing has run yet.",
    "leaf.stored": "{made} It is a leaf and requires grad, so backward() will put its gradient into .grad.",
    "leaf.unstored": "{made} It is a leaf and requires grad: gradients can be computed for it.",
    "leaf.later": "{tensor} = {value} ({dtype}). It does not require grad yet: that is set later.",
    "leaf.constant": "{tensor} = {value} ({dtype}). It does not require grad: no gradient will flow to it.",
    "forward.kept": "{made} {node} is made for the backward pass and keeps {kept}.",
    "forward.stored": "{made} It is a leaf and requires grad, so backward() will put its gradient into .grad.",
    "forward.unstored": "{made} It is a leaf and requires grad: gradients can be computed for it.",
    "forward.detached": (
        "{made} It shares the memory of {source} and is cut off from its history: no gradient flows back."
    ),
    "forward.untracked": "{made} Not tracked: it has no grad_fn and saves nothing.",
    "forward.untracked.inputs": (
        "{made} Not tracked, as none of its inputs requires grad: it has no grad_fn and saves nothing."
    ),
    "forward.untracked.off": (
        "{made} Not tracked, as gradients are switched off here: it has no grad_fn and saves nothing."
    ),
    "forward.untracked.rule": "{made} Not tracked, as it is not differentiable: it has no grad_fn and saves nothing.",
    "part.again": "Computed again for the backward pass: {made}",
    "part.AddBatchDim": " vmap splits it into examples, which are computed together with a leading batch dimension.",
    "part.BatchRepeat": " vmap passes the same value to every example.",
    "part.BatchSum": " vmap sums the results of the examples.",
    "part.RemoveBatchDim": " vmap stacks the results of all examples.",
    "inplace": "{tensor} was overwritten: it is {value} now, version {version}.{shared}{stale}",
    "part.shared": " {others} changed with it: they share memory.",
    "part.stale.one": " {nodes} saved an earlier version: running it backward will fail.",
    "part.stale.all": " {nodes} saved an earlier version: running them backward will fail.",
    "part.stale.either": " {nodes} saved an earlier version: running either of them backward will fail.",
    "part.stale.any": " {nodes} saved an earlier version: running any of them backward will fail.",
    "backward_call": "The backward pass starts at {roots}.{only}{keep}{build}",
    "part.implicit": "{root} with the implicit gradient 1",
    "part.given": "{root} with the gradient {gradient}",
    "part.only.one": " Only {tensors} is asked for (inputs).",
    "part.only.all": " Only {tensors} are asked for (inputs).",
    "part.retained": " The buffers are kept (retain_graph).",
    "part.created": " The gradients get a graph of their own (create_graph).",
    "backward": "{came}{sent}.{letters}",
    "backward.end": "{came}{node} sends no gradient on.",
    "backward.unknown": "A node that was not recorded ran.",
    "part.came": "{grad} = {value} came in. ",
    "part.came.several": "Gradients came in: {values}. ",
    "part.came.many": "Gradients of {count} results came in. ",
    "contribution.first": "{tensor} has {arrived} of its {expected} contributions: {value} came from {sender}.",
    "contribution.part": (
        "{tensor} has {arrived} of its {expected} contributions: {value} came from {sender}, which makes {sum} so far."
    ),
    "contribution.both": "{tensor} has both contributions now, as {value} came from {sender}: {gradient} = {sum}.",
    "contribution.all": (
        "{tensor} has all {expected} contributions now, as {value} came from {sender}: {gradient} = {sum}."
    ),
    "accumulate.none": "{tensor}.grad stays None.",
    "accumulate.first": "{tensor}.grad was None, so it takes the incoming gradient: None → {now}.",
    "accumulate.zero": "{tensor}.grad was 0, so it becomes the incoming gradient: {before} → {now}.",
    "accumulate.added": "{tensor}.grad still held {before} from before; the incoming gradient is added: {sum}.",
    "free": "{node} lets go of {kept}.",
    "free.first": (
        "{node} lets go of {kept}, as this call was not given retain_graph=True: another backward() through it would "
        "fail."
    ),
    "hook": "The hook was called and changed nothing.",
    "hook.same": "The hook returned a new gradient, which reads the same: {after}.",
    "hook.changed": "The hook changed the gradient: {before} → {after}.",
    "clear_grad": "{tensor}.grad: {before} → {now}.",
    "clear_grad.none": "{tensor}.grad was None already.",
    "clear_grad.zero": "{tensor}.grad was 0 already.",
    "optimizer": "{updates}.",
    "optimizer.more": "{updates}, and {more} more in the same way.",
    "optimizer.none": "The optimizer has no parameter with a gradient.",
    "optimizer.value": (
        "Elements of a gradient above {bound} become {bound}, those below -{bound} become -{bound}: {changes}"
    ),
    "optimizer.value.kept": "No element of a gradient is above {bound} or below -{bound}: they stay as they are.",
    "optimizer.norm": (
        "The norm of all gradients together ({how}) is {total}, more than max_norm = {bound}, so each is multiplied by "
        "{bound} / ({total} + 1e-06) = {factor}: {changes}"
    ),
    "optimizer.norm.kept": (
        "The norm of all gradients together ({how}) is {total}, not more than max_norm = {bound}: they stay as they "
        "are."
    ),
    "optimizer.norm.infinite": (
        "The norm of all gradients together ({how}) is {total}, so that no factor brings it to max_norm = {bound}: "
        "{changes}"
    ),
    "print": "{text}",
    "print.empty": "An empty line is printed.",
    "warning": "{text}",
    "warning.empty": "An empty line is printed.",
    "collective": "{text}",
    "gap": "{count} iterations, {span}, ran without being recorded. What changed meanwhile: {changes}.",
    "gap.one": "The iteration {span} ran without being recorded. What changed meanwhile: {changes}.",
    "gap.unchanged": "{span} ran without being recorded. Nothing that is known here changed meanwhile.",
    "gap.open": "{span} run without being recorded.",
    "gap.outside": "From here on the run was not recorded.{changes}",
    "error": "{text}",
    "caught": "{text} The snippet catches the error and goes on.",
    "fold.untracked": "{count} on {lines}: {results}. None of this is recorded for the backward pass{later}.",
    "fold.untracked.off": (
        "{count} on {lines}, with gradients switched off: {results}. None of this is recorded for the backward "
        "pass{later}."
    ),
    "part.later.one": "; {tensors} is made to require grad afterwards",
    "part.later.all": "; {tensors} are made to require grad afterwards",
    "fold.write": "{write} Computed for it, untracked: {results}.",
    "fold.backward": "{backward} {free}",
}


class Said(str):
    """A sentence with its id."""

    id: str


def said(which: str, **places: object) -> Said:
    """The sentence with this id and its places filled: all of them and no others."""
    template = SENTENCES[which]
    if places.keys() != places_of(template):
        raise KeyError(f"{which} has the places {sorted(places_of(template))}, not {sorted(places)}")
    made = Said(template.format_map(places))
    made.id = which
    return made


def places_of(template: str) -> set[str]:
    """The names of the places of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}
