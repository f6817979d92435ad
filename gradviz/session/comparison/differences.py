"""What differs between two runs, as a list of short rows with the place where each begins, and as one sentence. Pure;
`compare` has the numbers, the What-if panel shows the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.lists import quantity, size_text
from gradviz.session.comparison.compare import ALONE, GRADIENT, TEXT, Comparison, compare, held_values, plain
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import ELEMENT, GATHERED, Grads, Writes

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Array = NDArray[Any]

MOST = 60  # rows of one sort
MOST_LINES = 5  # of output
LONGEST = 28  # characters of a value
SPOKEN = 20  # of one in the sentence
NONE = "–"


@dataclass(frozen=True)
class Difference:
    """One row: what differs, what it is in this run and in the other, and the cursors at which the difference begins.

    `sort` is "rank", "error", "gradient", "value", "flag", "memory", "output" or "step"; `tensors` are its rows in both
    traces, -1 for none."""

    sort: str
    subject: str
    here: str
    there: str
    note: str = ""
    cursor_here: int = -1
    cursor_there: int = -1
    tensors: tuple[int, int] = (-1, -1)
    lasts: bool = True  # it still differs at the end

    def flipped(self) -> Difference:
        """From the point of view of the other run."""
        return replace(
            self,
            here=self.there,
            there=self.here,
            cursor_here=self.cursor_there,
            cursor_there=self.cursor_here,
            tensors=self.tensors[::-1],
        )


def differences(found: Comparison) -> tuple[Difference, ...]:
    """Every difference, the most telling first."""
    rows = [*_errors(found), *_gradients(found), *_values(found), *_memory(found), *_output(found), *_steps(found)]
    return tuple(rows)


# errors


def _errors(found: Comparison) -> Iterator[Difference]:
    here, there = _error(found.here), _error(found.there)
    if here != there:
        at = len(found.here), len(found.there)
        yield Difference("error", "error", here or NONE, there or NONE, "", *at)


def _error(trace: Trace) -> str:
    if not len(trace.errors):
        return ""
    line = int(trace.errors.line[0])
    place = f"line {line}: " if line > 0 else ""
    message = str(trace.errors.message[0]).split(". ")[0].split(" (")[0]
    message = next(iter(message.splitlines()), "").rstrip(".")
    return f"{place}{trace.errors.type[0]}" + (f": {_cut(message, 90)}" if message else "")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


# tensors


def _gradients(found: Comparison) -> Iterator[Difference]:
    """The final .grad of every tensor that had one in either run."""
    here, there = found.here, found.there
    ends = held_values(here, "grads", len(here)), held_values(there, "grads", len(there))
    had = _had_grad(here), _had_grad(there)
    a, b = _paired(found, had)
    wrong = ~found.same_values(np.append(ends[0], -1)[a], np.append(ends[1], -1)[b])
    for one, other in zip(a[wrong][:MOST].tolist(), b[wrong][:MOST].tolist(), strict=True):
        texts = _text(here, ends[0], one), _text(there, ends[1], other)
        if texts != ("None", "None"):
            name = _name(here, one) if one >= 0 else _name(there, other)
            where = _first(found, "grads", one, other)
            yield Difference("gradient", f"{name}.grad", *texts, _since(where), *where, (one, other))
    for one, other in zip(a[~wrong].tolist(), b[~wrong].tolist(), strict=True):
        yield from _for_a_while(found, one, other)


def _for_a_while(found: Comparison, one: int, other: int) -> Iterator[Difference]:
    """A .grad that is the same at the end but was different before."""
    if one < 0 or other < 0:
        return
    rows = found.here.history("grads", "tensor").all(one)
    steps = found.here.grads.step[rows]
    wrong = steps[(steps >= 0) & ((found.steps_here[steps] & GRADIENT) > 0)]
    if len(wrong):
        where = int(wrong[0]) + 1, found.cursor_there(int(wrong[0]) + 1)
        held = held_values(found.here, "grads", where[0]), held_values(found.there, "grads", where[1])
        texts = _text(found.here, held[0], one), _text(found.there, held[1], other)
        note = f"at step {where[0]:,}, not at the end"
        yield Difference("gradient", f"{_name(found.here, one)}.grad", *texts, note, *where, (one, other), lasts=False)


def _values(found: Comparison) -> Iterator[Difference]:
    """The final value of each name."""
    here, there = found.here, found.there
    mine, theirs = _variables(here), _variables(there)
    ends = held_values(here, "writes", len(here)), held_values(there, "writes", len(there))
    names = [name for name in mine if name in theirs]
    a = np.array([mine[name] for name in names], np.int64)
    b = np.array([theirs[name] for name in names], np.int64)
    equal = found.same_values(ends[0][a], ends[1][b]) if names else np.zeros(0, bool)
    told = 0
    for name, one, other, alike in zip(names, a.tolist(), b.tolist(), equal.tolist(), strict=True):
        grads = str(_tracked(here, one)), str(_tracked(there, other))
        where = _first(found, "writes", one, other)
        if not alike and told < MOST:
            told += 1
            texts = _text(here, ends[0], one), _text(there, ends[1], other)
            yield Difference("value", name, *texts, _since(where), *where, (one, other))
        if grads[0] != grads[1] and told < MOST:
            told += 1
            yield Difference("flag", f"{name}.requires_grad", *grads, "", *where, (one, other))


def _tracked(trace: Trace, tensor: int) -> bool:
    return trace.frame_at(len(trace)).requires_grad(tensor)


def _variables(trace: Trace) -> dict[str, int]:
    """The tensor that each variable or parameter was last bound to."""
    rows = trace.names
    bound = np.flatnonzero(rows.rank <= ELEMENT)
    found = {}
    for name, owner, tensor in zip(rows.name[bound], rows.owner[bound], rows.tensor[bound].tolist(), strict=True):
        if trace.tensors.grad_of[tensor] < 0:
            found[f"{owner}.{name}" if owner and "." not in name else str(name)] = tensor
    return found


def _had_grad(trace: Trace) -> Array:
    had = np.zeros(len(trace.tensors), bool)
    had[trace.grads.tensor[trace.grads.value >= 0]] = True
    return had


def _paired(found: Comparison, had: tuple[Array, Array]) -> tuple[Array, Array]:
    """The tensors that had a gradient in either run, with their partners, -1 for none."""
    match = found.alignment.tensors
    a = np.flatnonzero(had[0] | (np.append(had[1], False)[match.there]))
    b = match.there[a]
    lonely = np.flatnonzero(had[1] & (match.back < 0))
    return np.concatenate([a, np.full(len(lonely), -1)]), np.concatenate([b, lonely])


def _name(trace: Trace, tensor: int) -> str:
    return trace.naming.name(tensor, len(trace))


def _text(trace: Trace, values: Array, tensor: int) -> str:
    value = trace.value(int(values[tensor])) if tensor >= 0 else None
    return value.text(LONGEST) if value is not None else "None" if tensor >= 0 else NONE


def _first(found: Comparison, table: str, one: int, other: int) -> tuple[int, int]:
    """The cursors after the first step at which this tensor differs."""
    cursors = []
    for trace, marks, tensor in ((found.here, found.steps_here, one), (found.there, found.steps_there, other)):
        if tensor < 0:
            cursors.append(-1)
            continue
        rows = trace.history(table, "tensor").all(tensor)
        steps = (trace.writes if table == "writes" else trace.grads).step[rows]
        steps = np.concatenate([trace.tensors.step[[tensor]], steps]) if table == "writes" else steps
        steps = steps[steps >= 0]
        wrong = steps[marks[steps] > 0]
        cursors.append(int(wrong[0] if len(wrong) else steps[-1]) + 1 if len(steps) else -1)
    if min(cursors) < 0:
        cursors = [cursors[0], found.cursor_there(cursors[0])] if cursors[0] >= 0 else cursors
        cursors = [found.cursor_here(cursors[1]), cursors[1]] if cursors[0] < 0 <= cursors[1] else cursors
    return cursors[0], cursors[1]


def _since(where: tuple[int, int]) -> str:
    return f"from step {where[0]:,}" if where[0] > 0 else f"from step {where[1]:,} there" if where[1] > 0 else ""


# the rest


def _memory(found: Comparison) -> Iterator[Difference]:
    mine, theirs = found.here.held_bytes, found.there.held_bytes
    for subject, one, other, at in (
        ("buffers held at the end", mine[-1], theirs[-1], (len(mine) - 1, len(theirs) - 1)),
        ("buffers held at most", mine.max(), theirs.max(), (int(mine.argmax()), int(theirs.argmax()))),
    ):
        if one != other:
            yield Difference("memory", subject, size_text(int(one)), size_text(int(other)), "", *at)


def _output(found: Comparison) -> Iterator[Difference]:
    """Output at the same place with different text, or in one run only."""
    theirs = dict(zip(found.there.texts.step.tolist(), found.there.texts.text.tolist(), strict=True))
    told = 0
    for step, text in zip(found.here.texts.step.tolist(), found.here.texts.text.tolist(), strict=True):
        if step < 0 or not found.steps_here[step] & TEXT or told == MOST_LINES:
            continue
        told += 1
        partner = int(found.alignment.steps.there[step])
        subject = f"output of line {int(found.here.steps.line[step])}"
        texts = _lines(text, theirs.get(partner, ""))
        yield Difference("output", subject, *texts, "", step + 1, partner + 1)


def _lines(here: str, there: str) -> tuple[str, str]:
    """Two texts in short: if they start with the same long part, from a little before they differ."""
    a, b = " ".join(plain(here).split()), " ".join(plain(there).split())
    alike = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if alike > LONGEST // 2:
        a, b = (f"…{text[alike - LONGEST // 4 :]}" for text in (a, b))
    return _cut(a, LONGEST) or NONE, _cut(b, LONGEST) or NONE


def _steps(found: Comparison) -> Iterator[Difference]:
    """Steps that only one run has, grouped by kind and line."""
    for trace, marks, is_here in ((found.here, found.steps_here, True), (found.there, found.steps_there, False)):
        rows = np.flatnonzero((marks & ALONE) > 0)
        groups: dict[tuple[int, int, str], list[int]] = {}
        for step in rows.tolist():
            node = int(trace.steps.node[step])
            op = str(trace.nodes.name[node]) or str(trace.nodes.op[node]) if node >= 0 else ""
            line = int(trace.nodes.line[node]) if node >= 0 else int(trace.steps.line[step])
            groups.setdefault((int(trace.steps.kind[step]), line, op), []).append(step)
        for (kind, line, op), steps in list(groups.items())[:MOST]:
            if kind == Kind.ERROR:
                continue
            times = "once" if len(steps) == 1 else f"{len(steps):,} times"
            row = Difference("step", _step_words(kind, line, op), times, NONE, "", steps[0] + 1, -1)
            other = found.cursor_there(steps[0] + 1) if is_here else found.cursor_here(steps[0] + 1)
            row = replace(row, cursor_there=other)
            yield row if is_here else row.flipped()


STEP_WORDS = {
    "LEAF": "a leaf is made",
    "FORWARD": "{}",
    "INPLACE": "{} in place",
    "BACKWARD_CALL": "a backward call",
    "BACKWARD": "{} runs",
    "CONTRIBUTION": "{} sends a contribution",
    "ACCUMULATE": "AccumulateGrad",
    "FREE": "{} frees its buffers",
    "HOOK": "a hook",
    "CLEAR_GRAD": ".grad is cleared",
    "OPTIMIZER": "an optimizer step",
    "PRINT": "output",
    "WARNING": "a warning",
    "CAUGHT": "a caught error",
    "COLLECTIVE": "an exchange of the ranks",
    "GAP": "iterations that were not recorded",
}


def _step_words(kind: int, line: int, op: str) -> str:
    words = STEP_WORDS[Kind(kind).name].format(op or "backward()").strip()
    return f"{words} (line {line})" if line > 0 else words


# the sentence


def sentence(phrase: str, found: Comparison, rows: tuple[Difference, ...]) -> str:
    """One sentence: "Without x.grad = None at line 4, w.grad is 50. instead of 25. at the end; 2 gradients differ."

    `found` and `rows` are from the point of view of the unchanged snippet."""
    error = next((row for row in rows if row.sort == "error"), None)
    if error is not None:
        return f"{phrase}, {_error_words(error)}."
    lasting = [row for row in rows if row.sort in ("gradient", "value") and row.lasts]
    if lasting:
        return f"{phrase}, {_numbers(lasting)}."
    passing = next((row for row in rows if row.sort == "gradient"), None)
    if passing is not None:
        place = f"at step {passing.cursor_here:,}"
        return (
            f"{phrase}, {passing.subject} is {passing.there} instead of {passing.here} {place}; at the end it is equal."
        )
    if not rows:
        return f"{phrase}, nothing differs: the same steps, values, gradients and buffers."
    memory = next((row for row in rows if row.sort == "memory"), None)
    if memory is None:
        return f"{phrase}, every value and gradient stays the same; see the list for what differs."
    return (
        f"{phrase}, every value and gradient stays the same; {memory.subject}: {memory.there} instead of {memory.here}."
    )


def _numbers(rows: list[Difference]) -> str:
    """The first gradient, or value, that is short enough to write, and how many differ."""
    few = [row for row in rows if max(len(row.here), len(row.there)) <= SPOKEN]
    gradients = sum(row.sort == "gradient" for row in rows)
    counts = [_count(gradients, "gradient"), _count(len(rows) - gradients, "value")]
    differ = " and ".join(count for count in counts if count) + (" differs" if len(rows) == 1 else " differ")
    if not few:
        return f"{differ} at the end, {rows[0].subject} among them"
    return f"{few[0].subject} is {few[0].there} instead of {few[0].here} at the end; {differ}"


def _error_words(row: Difference) -> str:
    if row.there == NONE:
        return f"it runs to the end; as written it stops at {_stop(row.here)}"
    end = "it runs to the end" if row.here == NONE else f"it stops at {_stop(row.here)}"
    place, _, rest = row.there.partition(": ")
    return f"it stops at {place} with {rest} – as written {end}"


def _stop(text: str) -> str:
    """ "line 9 (RuntimeError)"."""
    place, _, rest = text.partition(": ")
    return f"{place} ({rest.partition(': ')[0]})" if rest else text


def _count(number: int, noun: str) -> str:
    return quantity(number, noun) if number else ""


# the ranks of a job

APART = "should be equal on all ranks"
TOGETHER = "what all ranks should have in common is equal: what they sum"
UPDATED = ", and what updates make of the parameters"
_COMMON = ("all_reduce", "all_reduce is over", "broadcast")  # these give all ranks the same result


def parting(found: Comparison) -> Difference | None:
    """The first thing that should be equal on all ranks of a job but is not: the result of an exchange, and, unless
    parameters are sharded, that of an optimizer."""
    here = found.here
    names = np.append(here.collectives.name, "")
    exchanges = np.isin(names[np.where(here.steps.kind == Kind.COLLECTIVE, here.steps.ref, -1)], _COMMON)
    updates = (here.steps.kind == Kind.OPTIMIZER) & (not _is_sharded(here))
    apart = [*_apart(found, "grads", exchanges), *_apart(found, "writes", exchanges | updates)]
    return min(apart, key=lambda row: row.cursor_here, default=None)


def _is_sharded(trace: Trace) -> bool:
    return any(str(name).endswith(GATHERED) for name in trace.names.name)


def _apart(found: Comparison, table: str, common: Array) -> Iterator[Difference]:
    """The tensors, or their gradients, to which one of these steps gave a different value in the other run."""
    ours, theirs = found.here.tables[table], found.there.tables[table]
    assert isinstance(ours, Writes | Grads) and isinstance(theirs, Writes | Grads)
    places = zip(theirs.step.tolist(), theirs.tensor.tolist(), strict=True)
    there = dict(zip(places, theirs.value.tolist(), strict=True))
    rows = np.flatnonzero(np.append(common, False)[ours.step])
    steps, tensors = ours.step[rows], ours.tensor[rows]
    partners = found.alignment.steps.there[steps].tolist(), found.alignment.tensors.there[tensors].tolist()
    values = np.array([there.get(place, -1) for place in zip(*partners, strict=True)], np.int64)
    wrong = (values >= 0) & ~found.same_values(ours.value[rows], values)
    for at in np.flatnonzero(wrong).tolist():
        pair = int(tensors[at]), partners[1][at]
        subject = f"{_name(found.here, pair[0])}{'.grad' * (table == 'grads')}"
        texts = _written(found.here, int(ours.value[rows[at]])), _written(found.there, int(values[at]))
        yield Difference("rank", subject, *texts, APART, int(steps[at]) + 1, partners[0][at] + 1, pair)


def _written(trace: Trace, value: int) -> str:
    found = trace.value(value)
    return found.text(LONGEST) if found is not None else "None"


def of_ranks(verdict: Verdict) -> Verdict:
    """For two ranks of a job, which have different data: whatever should be equal but is not comes first."""
    first = parting(verdict.comparison)
    return verdict if first is None else replace(verdict, rows=(first, *verdict.rows))


def ranks_sentence(names: tuple[str, str], verdict: Verdict) -> str:
    """The sentence about two ranks."""
    first = verdict.rows[0] if verdict.rows and verdict.rows[0].sort == "rank" else None
    both = f"{names[0].capitalize()} and {names[1]}"
    if first is None:
        together = f"{TOGETHER}{'' if _is_sharded(verdict.comparison.here) else UPDATED}"
        return f"{both}: {together}. The list says what differs, as with other data it may."
    return f"{both} part at step {first.cursor_here:,}: {first.subject} {first.note}."


@dataclass(frozen=True, eq=False)
class Verdict:
    """What two runs have in common, and how they differ."""

    comparison: Comparison
    rows: tuple[Difference, ...]


def judge(here: Trace, there: Trace) -> Verdict:
    """Compare two finished runs."""
    found = compare(here, there)
    return Verdict(found, differences(found))
