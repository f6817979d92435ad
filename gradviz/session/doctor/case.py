"""What the finders of mistakes ask about one run: the trace together with the syntax tree of its snippet. No finder
looks at anything else, and nothing here judges. A mistake is reported as a `Hit`; see `lessons` next."""

from __future__ import annotations

import ast
import bisect
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gradviz.session.doctor.text import Text, collected, decorated_at, drawn_in_turn, name_of, receiver_of
from gradviz.trace.table.frame import ZERO
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.words.error_explanation import Mark

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Array = NDArray[Any]
SEARCHED = 4_000  # tensors examined on the way back from one
USERS = 100  # of one tensor that are examined: each iteration uses a parameter anew


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix it: a short description, and the complete changed text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A mistake in this run: where it was made, the cursor at which it shows, what it is about.

    Note [The line of a mistake] The line is the one that has to change:
    1. the first line of the innermost call, otherwise of the statement, that the first fix changes; a number with a
       name of its own (`rate = 8.0`, `"lr": 8.0`) has its own line;
    2. for a call that is missing (zero_grad, eval, retain_grad), the line that needed it first: the backward() that
       adds up, the model's call in the evaluation, the read of .grad; for something left out of a loss, the last line
       that computes something with it, or else with what is most like it;
    3. if either of two lines could change (shapes that don't fit, a second backward(), a softmax that follows another),
       the later one, which is also the one that raises."""

    line: int
    step: int
    why: str
    advice: str
    fixes: tuple[Fix, ...] = ()
    marks: tuple[Mark, ...] = ()


def fixes(*offered: tuple[str, str | None]) -> tuple[Fix, ...]:
    """Return those of the fixes that could be made."""
    return tuple(Fix(title, text) for title, text in offered if text is not None)


class Event(NamedTuple):
    """What happened to a leaf or its .grad: "added", "cleared", "clipped", "updated"; and the value of .grad then."""

    step: int
    what: str
    value: int = -1


class Case(Text):
    """One run and its text."""

    def __init__(self, trace: Trace, text: str | None = None) -> None:
        super().__init__(trace.source if text is None else text)
        self.trace = trace

    # -- names and places

    @cached_property
    def bound(self) -> dict[str, tuple[list[int], list[int]]]:
        """The steps at which each name was bound, and the tensors."""
        names, found = self.trace.names, defaultdict[str, tuple[list[int], list[int]]](lambda: ([], []))
        for step, tensor, name, owner in zip(
            names.step.tolist(), names.tensor.tolist(), names.name, names.owner, strict=True
        ):
            for text in {str(name), f"{owner}.{name}"} if owner else {str(name)}:
                steps, tensors = found[text]
                steps.append(step)
                tensors.append(tensor)
        return dict(found)

    def maker(self, tensor: int) -> ast.expr | None:
        """Return the expression that made a tensor."""
        sites, site = self.trace.sites, int(self.trace.tensors.site[tensor])
        if site < 0:
            return None
        columns = (sites.line, sites.col, sites.end_line, sites.end_col)
        line, col, end_line, end_col = (int(column[site]) for column in columns)
        return self.expressions.get((line, col, end_line, end_col))

    def named(self, text: str, step: int) -> list[int]:
        """Return the tensors that a name was bound to before a step, the latest last."""
        dotted = re.sub(r"\[(\d+)\]", r".\1", text)  # net[0].weight
        steps, tensors = self.bound.get(text) or self.bound.get(dotted, ([], []))
        return tensors[: bisect.bisect_left(steps, step)]

    @cached_property
    def _placed(self) -> dict[tuple[int, int, int, int], list[int]]:
        sites, found = self.trace.sites, defaultdict[tuple[int, int, int, int], list[int]](list)
        columns = (sites.line, sites.col, sites.end_line, sites.end_col)
        places = list(zip(*(column.tolist() for column in columns), strict=True))
        for tensor, site in enumerate(self.trace.tensors.site.tolist()):
            if site >= 0:
                found[places[site]].append(tensor)
        return found

    def made_by(self, node: ast.expr) -> list[int]:
        """Return the tensors that an expression made, in order."""
        return self._placed.get(self.place(node), [])

    def were(self, node: ast.expr, step: int) -> list[int]:
        """Return the tensors that an expression may have meant before a step, the likeliest last."""
        text = ast.unparse(node)
        found = self.named(text, step)
        if found:
            return [*found, *_bound_inside(self, text, found[-1], step)]
        made = [each for each in self.made_by(node) if self.trace.tensors.step[each] < step]
        if made:
            return made
        if isinstance(node, ast.Name):
            return []
        tail = ast.unparse(node).partition(".")[2]
        if not isinstance(node, ast.Attribute) or not tail:
            return []
        return self.named(tail, step) or self.named(f"self.{tail}", step)

    def was(self, node: ast.expr, step: int) -> int:
        """Return the tensor that an expression meant before a step, -1 for none."""
        found = self.were(node, step)
        return found[-1] if found else -1

    def name(self, tensor: int, cursor: int | None = None) -> str:
        """Return the snippet's name of a tensor."""
        return self.trace.naming.name(tensor, len(self.trace) if cursor is None else cursor)

    # -- what happened

    @cached_property
    def raised(self) -> bool:
        """Whether an error ended the run."""
        return len(self.trace.errors) > 0

    def steps_of(self, kind: Kind) -> list[int]:
        """Return the steps of one kind."""
        found: list[int] = np.flatnonzero(self.trace.steps.kind == kind).tolist()
        return found

    def line_of(self, step: int) -> int:
        """Return the line that was running."""
        return int(self.trace.steps.line[step]) if 0 <= step < len(self.trace) else -1

    @cached_property
    def events(self) -> dict[int, list[Event]]:
        """What happened to each leaf: gradients that were added, cleared, and used."""
        trace, found = self.trace, defaultdict[int, list[Event]](list)
        grads = trace.grads
        added = np.append(trace.steps.kind == Kind.ACCUMULATE, False)[grads.step]  # -1: before the first step
        zero = np.append(trace.value_flag == ZERO, True)[grads.value]  # -1: None
        clipped = np.isin(grads.step, clips(self.trace))
        kept = np.where(clipped, "clipped", "changed")
        what = np.where(added, "added", np.where(zero, "cleared", kept)).tolist()
        rows = zip(grads.step.tolist(), grads.tensor.tolist(), what, grads.value.tolist(), strict=True)
        for step, tensor, happened, value in rows:
            found[tensor].append(Event(step, happened, value))
        for step, tensor in {*zip(trace.writes.step.tolist(), trace.writes.tensor.tolist(), strict=True)}:
            if tensor in found:
                found[tensor].append(Event(step, "updated"))
        for events in found.values():
            events.sort(key=lambda event: event.step)
        return dict(found)

    @cached_property
    def updates(self) -> set[int]:
        """The tensors that an optimizer has changed."""
        updates = self.trace.updates
        return set(updates.tensor[~np.isin(updates.step, clips(self.trace))].tolist())

    @cached_property
    def optimizer_steps(self) -> list[int]:
        """The steps of optimizers, in order, without those that only change gradients."""
        return sorted({*self.trace.optimizers.step.tolist()} - {*clips(self.trace).tolist()})

    @cached_property
    def roots(self) -> set[int]:
        """Every tensor at which a backward call began."""
        return set(self.trace.roots.tensor.tolist())

    def ancestors(self, *tensors: int, most: int = SEARCHED) -> dict[int, None]:
        """Return the tensors that these were computed from, including themselves, which come first; about as many as
        asked for."""
        trace, queue = self.trace, list(tensors)
        seen = dict.fromkeys(queue)
        for each in queue:
            node = int(trace.tensors.producer[each])
            for before in self.read_by(node) if node >= 0 else ():
                if before not in seen and len(queue) < most:
                    seen[before] = None
                    queue.append(before)
        return seen

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        inputs = self.trace.inputs
        starts = np.searchsorted(inputs.node, np.arange(len(self.trace.nodes) + 1))
        return starts.tolist(), inputs.tensor.tolist()

    def read_by(self, node: int) -> list[int]:
        """Return the tensors that a node read."""
        starts, tensors = self._starts
        return tensors[starts[node] : starts[node + 1]]

    @cached_property
    def ended_roots(self) -> set[int]:
        """Return the roots that the snippet has finished with: those of calls that made no graph of the gradients."""
        calls, roots = self.trace.calls, self.trace.roots
        return set(roots.tensor[~calls.create_graph[roots.call]].tolist()) if len(roots) else set()

    @cached_property
    def below_roots(self) -> set[int]:
        """Every tensor that some backward root was computed from."""
        seen, producer = set(self.roots), self.trace.tensors.producer.tolist()
        queue, (starts, tensors) = list(seen), self._starts
        for each in queue:
            if (node := producer[each]) >= 0:
                for before in tensors[starts[node] : starts[node + 1]]:
                    if before not in seen:
                        seen.add(before)
                        queue.append(before)
        return seen

    def output(self, node: int) -> int:
        """Return the first tensor that a node made, -1 for none."""
        return self._first_made.get(node, -1)

    @cached_property
    def _first_made(self) -> dict[int, int]:
        made = np.flatnonzero(self.trace.tensors.producer >= 0)[::-1]
        return dict(zip(self.trace.tensors.producer[made].tolist(), made.tolist(), strict=True))

    def shape(self, tensor: int) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return tuple(self.trace.tensors.shape[tensor])

    def array(self, value: int) -> Array | None:
        """Return the elements of a value, None if they were not kept."""
        found = self.trace.value(value)
        return found.array if found is not None else None

    def first_value(self, tensor: int) -> Array | None:
        """Return the elements of a tensor when it was made."""
        return self.array(int(self.trace.tensors.value[tensor]))

    def outer_line(self, node: int) -> int:
        """Return the line of the outermost module call around an operation, otherwise its own."""
        trace, region = self.trace, int(self.trace.nodes.region[node])
        line = int(trace.nodes.line[node])
        for each in trace.nesting.ancestors(region) if region >= 0 else ():
            if trace.regions.kind[each] == RegionKind.MODULE and trace.regions.site[each] >= 0:
                line = int(trace.sites.line[trace.regions.site[each]])
        return line

    def written(self, node: int) -> int:
        """Return the line of a layer in a Sequential that is called as a whole, otherwise that of the operation."""
        line, op = int(self.trace.nodes.line[node]), str(self.trace.nodes.op[node])
        if any(isinstance(each, ast.Call) and name_of(each) == op for each in self.on_line(line)):
            return line
        layers = [each for each in self.calls if name_of(each).lower() == op.replace("_", "")]
        layers = [each for each in layers if name_of(each)[:1].isupper()]
        inside = [each for each in layers if isinstance(self.parents.get(each), (ast.Call, ast.List, ast.Tuple))]
        lines = {each.lineno for each in layers}
        return inside[0].lineno if inside and len(lines) == 1 else line

    def begun(self, tensor: int) -> int:
        """Return the line that gave a leaf its initial numbers."""
        trace = self.trace
        first = int(trace.calls.step[0]) if len(trace.calls) else len(trace)
        rows = trace.history("writes", "tensor").all(tensor).tolist()
        steps = [int(trace.writes.step[row]) for row in rows if trace.writes.step[row] < first]
        made, node = int(trace.tensors.line[tensor]), int(trace.steps.node[steps[-1]]) if steps else -1
        used = (*self.read_by(node), *trace.outputs_of(node).tolist()) if node >= 0 else ()
        if trace.tensors.storage[tensor] in trace.tensors.storage[[*used]].tolist():
            return self.line_of(steps[-1])
        return self._drawn(tensor, made) if steps else made

    def _drawn(self, tensor: int, line: int) -> int:
        """Return the line of the call that drew random numbers into a leaf, which is no step: the one with the most
        similar name, otherwise the given line."""
        parts, found = self.name(tensor).split(".")[::-1], list[tuple[int, int]]()
        calls = [each for each in self.calls if name_of(each).endswith("_")]
        for call in [each for each in calls if each.lineno > line or self.function_of(each) is not None]:
            held = call.args[0] if "init" in self.source(call.func) and call.args else receiver_of(call)
            named = self.source(held).removesuffix(".data").split(".")[::-1] if held is not None else []
            alike = next((k for k, (one, other) in enumerate(zip(parts, named, strict=False)) if one != other), None)
            alike = min(len(parts), len(named)) if alike is None else alike
            if alike:
                found.append((alike, call.lineno))
        return max(found)[1] if found else drawn_in_turn(self, line)

    def mark(self, node: int, reason: str) -> tuple[Mark, ...]:
        """Return a mark on a node, or none if it does not exist."""
        return (Mark(node, reason, int(self.trace.nodes.step[node]) + 1),) if node >= 0 else ()

    def call_of(self, step: int) -> int:
        """Return the backward call that a step belongs to."""
        return int(self.trace.steps.call[step]) if step >= 0 else -1


Found = TypeVar("Found")


def once(find: Callable[[Case], Iterable[Found]]) -> Callable[[Case], list[Found]]:
    """Return a function that finds things only once in each case, as several lessons ask for them."""
    kept: WeakKeyDictionary[Case, list[Found]] = WeakKeyDictionary()

    @wraps(find)
    def found(case: Case) -> list[Found]:
        if case not in kept:
            kept[case] = list(find(case))
        return kept[case]

    return found


def case_of(trace: Trace, text: str | None = None) -> Case:
    """Return the case of a run, which all who ask about it share; one of its own for another text."""
    if text is None or text == trace.source:
        return trace.kept(_SHARED, lambda: Case(trace))
    return Case(trace, text)


def hand_over(case: Case, trace: Trace) -> None:
    """Make the case of a copy that of its original, unless that has grown since."""
    if len(trace) == len(case.trace):
        case.trace = trace
        trace.kept(_SHARED, lambda: case)


_SHARED = "case of the doctor"


def _bound_inside(case: Case, text: str, latest: int, step: int) -> list[int]:
    """Return what methods have bound `self.total` to since it was the latest tensor of the only `meter.total`."""
    tail = f".{text.rpartition('.')[2]}"
    inside = case.named(f"self{tail}", step) if tail != f".{text}" and text != f"self{tail}" else []
    alone = latest in inside and sum(name.endswith(tail) for name in case.bound) == 2
    return inside[inside.index(latest) + 1 :] if alone else []


def ran(case: Case, line: int, cursor: int) -> int:
    """Return the cursor at which a line, or else what it called, last ran up to a cursor, otherwise at which it
    first ran; the cursor itself if no step belongs to the line, or if it is at the grad_fn of an operation there."""
    trace, nesting = case.trace, case.trace.nesting
    node = int(trace.steps.node[cursor - 1]) if 0 < cursor <= len(trace) else -1
    if node >= 0 and int(trace.nodes.line[node]) == line:
        return cursor
    cursors = np.flatnonzero(trace.steps.line == line) + 1
    decorated = decorated_at(case, line) if not len(cursors) else None
    if decorated is not None:
        inside = (trace.steps.line > line) & (trace.steps.line <= (decorated.end_lineno or line))
        cursors = np.flatnonzero(inside) + 1
    if not len(cursors):
        called = (trace.regions.site >= 0) & (nesting.last >= 0)
        cursors = np.unique(nesting.last[called][trace.sites.line[trace.regions.site[called]] == line]) + 1
    if not len(cursors):
        return cursor
    return int(cursors[max(int(np.searchsorted(cursors, cursor, "right")) - 1, 0)])


def clips(trace: Trace) -> Array:
    """The steps that clip gradients, recorded as those of optimizers."""
    optimizers = trace.optimizers
    return optimizers.step[[str(name).startswith("clip") for name in optimizers.name]]


def of_module(case: Case, call: ast.Call) -> list[int]:
    """Return what the last operation inside each call of a module made, in order."""
    trace, place, found = case.trace, case.place(call), list[int]()
    sites, regions = trace.sites, trace.regions
    columns = (sites.line, sites.col, sites.end_line, sites.end_col)
    at = np.flatnonzero(np.all([column == each for column, each in zip(columns, place, strict=True)], axis=0))
    for region in np.flatnonzero((regions.kind == RegionKind.MODULE) & np.isin(regions.site, at)).tolist():
        inside = np.flatnonzero(trace.nesting.contains(region, trace.nodes.region))
        made = case.output(int(inside[-1])) if len(inside) else -1
        found += [made] if made >= 0 else []
    return found


def read_by_error(case: Case) -> tuple[Mark, ...]:
    """Return marks on what made the tensors that the failed line reads: by their names, otherwise those it made
    itself."""
    line, end = int(case.trace.errors.line[0]), len(case.trace) + 1
    read = [each for each in case.on_line(line) if isinstance(each, (ast.Name, ast.Attribute))]
    tensors = [case.was(each, end) for each in read if isinstance(each.ctx, ast.Load)]
    if all(each < 0 or case.trace.tensors.producer[each] < 0 for each in tensors):
        made_here = [each for each in case.on_line(line) if isinstance(each, ast.expr)]
        tensors = [tensor for each in made_here for tensor in case.made_by(each)[-1:]]
    made = {int(case.trace.tensors.producer[each]): case.name(each) for each in tensors if each >= 0}
    return tuple(mark for node, name in made.items() for mark in case.mark(node, f"made {name}"))


def root_before(case: Case, cursor: int) -> tuple[Mark, ...]:
    """Return a mark on what made the root of the backward call before a cursor."""
    call = int(np.searchsorted(case.trace.calls.step, cursor)) - 1
    roots = case.trace.roots_of(call).tolist() if call >= 0 else []
    return case.mark(int(case.trace.tensors.producer[roots[0]]), "backward() began here") if roots else ()


def _targets(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple) else [target]


def under_keys(case: Case, node: ast.expr, step: int) -> list[int]:
    """Return the tensors of a container before a step, if an expression reads one of them by a variable: `held[name]`,
    or `each` in a comprehension over it, over its items, or over several tensors."""
    if isinstance(node, ast.Name):
        turns = [turn for each in case.around(node) for turn in getattr(each, "generators", ())]
        turns = [turn for turn in turns if node.id in [case.source(each) for each in _targets(turn.target)]]
        held = turns[0].iter if turns else None
    else:
        held = node.value if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant) else None
    if isinstance(held, ast.Call) and name_of(held) == "enumerate" and held.args:
        held = held.args[0]
    if isinstance(held, (ast.Tuple, ast.List)):
        return [tensor for each in held.elts for tensor in case.were(each, step)[-1:]]
    if held is None:
        return []
    method, module = (name_of(held), receiver_of(held)) if isinstance(held, ast.Call) else ("", None)
    if module is not None and method in ("items", "values"):
        held, module = module, None
    module = module if method in ("parameters", "named_parameters") else None
    start = f"{ast.unparse(module)}." if module is not None else f"{ast.unparse(held)}["
    found = (case.named(name, step)[-1:] for name in case.bound if name.startswith(start))
    under = [each for tensors in found for each in tensors]
    return under or [each for one in collected(case, held) for each in case.were(one, step)[-1:]]


def returned(case: Case, call: ast.Call) -> list[int]:
    """Return what the calls of a function of the snippet returned, if an expression made it; otherwise what a call
    made."""
    for statement in case.statements:
        around = case.function_of(statement)
        here = isinstance(around, ast.FunctionDef) and around.name == name_of(call)
        if here and isinstance(statement, ast.Return) and statement.value is not None:
            if isinstance(statement.value, ast.Name):
                return case.named(statement.value.id, len(case.trace) + 1)
            return case.made_by(statement.value)
    return case.made_by(call) or of_module(case, call)


def requires(case: Case, tensor: int, step: int) -> bool:
    """Whether a tensor required grad before a step, initially or because it was set later."""
    flags, rows = case.trace.flags, case.trace.history("flags", "tensor").before(tensor, step)
    return bool(case.trace.tensors.requires_grad[tensor] or flags.requires_grad[rows].any())


def expected(case: Case) -> list[int]:
    """Return the parameters that an optimizer was given, as far as its call says so."""
    trace, found = case.trace, dict[int, None]()
    names = {str(each) for each in trace.optimizers.name}
    end = len(trace) + 1
    for call in case.calls:
        if name_of(call) not in names or not call.args:
            continue
        given = case.assigned(call.args[0].id, call.lineno) if isinstance(call.args[0], ast.Name) else None
        for node in [*ast.walk(call.args[0]), *(ast.walk(given) if given is not None else ())]:
            if isinstance(node, ast.Call) and name_of(node) == "parameters":
                held = receiver_of(node)
                if held is not None:
                    found |= dict.fromkeys(parameters_of(case, case.source(held)))
        if isinstance(call.args[0], ast.List):
            found |= dict.fromkeys(each for node in call.args[0].elts if (each := case.was(node, end)) >= 0)
    flags = trace.frame_at(len(trace))
    return [each for each in found if flags.requires_grad(each) and trace.tensors.is_leaf[each]]


def parameters_of(case: Case, owner: str) -> list[int]:
    """Return the tensors under a module's own names at the end of the run."""
    names = case.trace.names
    if owner.startswith("self.") and not any(text == owner or text.startswith(f"{owner}.") for text in names.owner):
        attribute = owner.removeprefix("self")  # it may be known by the attribute of the object that holds it
        owner = next((str(each) for each in names.owner if str(each).endswith(attribute)), owner)
    path = f"{owner}."
    last: dict[str, int] = {}
    for text, name, tensor in zip(names.owner, names.name, names.tensor.tolist(), strict=True):
        full = f"{text}.{name}"
        if text == owner or (text and full.startswith(path)):
            last[full] = tensor
    parts = tuple((f"{owner}[", path))
    changes = [s for s in case.statements if isinstance(s, ast.Assign) and case.source(s.targets[0]).startswith(parts)]
    if not changes:
        return list(last.values())
    lines = [line for each in changes for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)]
    tensors = case.trace.tensors
    made = np.flatnonzero(tensors.is_parameter & np.isin(tensors.line, lines)).tolist()
    found = dict.fromkeys([*last.values(), *made])
    return [each for each in found if len(case.trace.users_of(each))]  # nothing uses what was there before


def sources(case: Case, *makings: ast.Call) -> dict[str, list[int]]:
    """Return what optimizers were given, all that have stepped or those made by some calls, each thing in a list by
    itself: `[*a.parameters(), *b.parameters(), w]`."""
    names, found = {str(each) for each in case.trace.optimizers.name}, dict[str, list[int]]()
    for call in [each for each in makings or case.calls if each.args and (makings or name_of(each) in names)]:
        given: ast.expr | None = call.args[0]
        if isinstance(given, ast.Name):
            given = case.assigned(given.id, call.lineno)
        if given is None:
            continue
        for node in ast.walk(given):
            held = receiver_of(node) if isinstance(node, ast.Call) and name_of(node) == "parameters" else None
            if held is not None:
                found[case.source(held)] = parameters_of(case, case.source(held))
        groups = [pair for node in ast.walk(given) if isinstance(node, ast.Dict)
                  for pair in zip(node.keys, node.values, strict=True)]  # fmt: skip
        lists = [given, *(value for key, value in groups if isinstance(key, ast.Constant) and key.value == "params")]
        for each in [one for held in lists if isinstance(held, ast.List) for one in held.elts]:
            tensor = case.was(each, len(case.trace) + 1) if isinstance(each, (ast.Name, ast.Attribute)) else -1
            if tensor >= 0:
                found[case.source(each)] = [tensor]
    return {name: tensors for name, tensors in found.items() if tensors}


def steps_for(case: Case, making: ast.Call, left: list[int]) -> bool:
    """Whether the backward pass before each step of an optimizer brings gradients to some leaves."""
    statement, trace = case.statement(making.lineno), case.trace
    name = case.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    stepping = [each for each in case.calls if name_of(each) == "step" and case.source(each.func) == f"{name}.step"]
    steps = [step for step in case.optimizer_steps if case.line_of(step) in {each.lineno for each in stepping}]
    before = np.searchsorted(trace.calls.step, steps) - 1
    added = {case.call_of(event.step) for each in left for event in case.events.get(each, []) if event.what == "added"}
    return bool(len(before)) and {*before.tolist()} <= added


def first_use(case: Case, tensor: int) -> tuple[Mark, ...]:
    users = case.trace.users_of(tensor).tolist()
    return case.mark(users[0], f"uses {case.name(tensor)}") if users else ()


def optimizer_of(case: Case, step: int) -> ast.Call | None:
    """Return the call that made the optimizer of a step."""
    call = case.called("step", case.line_of(step))
    held = receiver_of(call) if call is not None else None
    name = case.source(held).split(".")[-1] if held is not None else ""
    kind = str(case.trace.optimizers.name[case.trace.optimizers.step.tolist().index(step)])
    made = [each for each in case.calls if name_of(each) == kind]
    for each in made:
        statement = case.statement(each.lineno)
        if isinstance(statement, ast.Assign) and case.source(statement.targets[0]).split(".")[-1] == name:
            return each
    return made[0] if made else None


def owners_of(case: Case, tensor: int) -> list[str]:
    rows = case.trace.history("names", "tensor").all(tensor)
    return [str(each) for each in case.trace.names.owner[rows] if each]


def trained_beside(case: Case, tensor: int) -> bool:
    """Whether some backward call gave gradients to both a tensor and one that an optimizer has."""

    def calls(leaf: int) -> set[int]:
        return {case.call_of(event.step) for event in case.events.get(leaf, []) if event.what == "added"}

    own = calls(tensor)
    return any(own & calls(each) for each in case.updates)
