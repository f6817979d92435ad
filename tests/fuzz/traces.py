"""The reader of traces on batches as a worker sends them, changed in every way: rows, counts, texts, bytes; batches
that are missing, twice or cut. A batch is refused with `TraceFormatError`, and then nothing was added, or all that the
program asks of a trace can be read."""

from __future__ import annotations

import copy
import warnings
from functools import cache
from typing import Any

from gradviz.document.code import parse
from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.document.from_trace import from_trace
from gradviz.document.snippet import Snippet
from gradviz.report import step_lines
from gradviz.session.comparison.differences import judge
from gradviz.session.groups import as_operation
from gradviz.session.inspect.chain_rule import paths
from gradviz.session.inspect.inspection import inspect
from gradviz.session.inspect.lineage import ancestors, between, descendants
from gradviz.session.inspect.run_inspection import overview
from gradviz.session.inspect.search import find
from gradviz.session.inspect.sources import place_of
from gradviz.session.moves import changes
from gradviz.session.problem import problem
from gradviz.session.state import Selection, State
from gradviz.session.timeline.outline import holders, outline
from gradviz.trace.record.chains import Question
from gradviz.trace.table.encoding import TraceFormatError
from gradviz.trace.table.schema import TABLES, Batch
from gradviz.trace.table.tables import row_dtype
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain, explain_fold
from gradviz.trace.words.jsonable import trace_json
from gradviz.trace.words.reasons import no_grad_reason
from tests.fuzz.choices import Choices
from tests.trace.running import record
from tests.trace.sample import SOURCE, sample_batch

SNIPPETS = (
    "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\nfor i in range(2):\n    y = (w * w * i).sum()\n"
    "    y.backward()\nwith torch.no_grad():\n    w += 1\nprint(w)\ny.backward()\n",
    "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))\n"
    "best = torch.optim.SGD(net.parameters(), 0.1)\nnet(torch.ones(1, 2)).sum().backward()\nbest.step()\n",
    "import torch\nx = torch.tensor(2., requires_grad=True)\ng, = torch.autograd.grad(x ** 3, x, create_graph=True)\n"
    "x.register_hook(lambda g: g * 2)\ng.backward()\n"
    "try:\n    torch.ones(2) @ torch.ones(3)\nexcept RuntimeError:\n    pass\n"
    "a, b = torch.ones(400, 400, requires_grad=True).chunk(2)\n(a * b).mean().backward()\n",
    "import torch, torch.nn.functional as F\nx, w = torch.ones(1, 3, 8, requires_grad=True), torch.ones(2, 3, 3)\n"
    "y = F.max_pool1d(F.conv1d(x, w), 2)[0][:, 1:3]\na, b = y.split(1, dim=1)\nc, d = x[0, :2].unbind()\n"
    "e = torch.cat([a.flatten(), c[torch.tensor([0, 1])] ** 2, 2 ** d]).to(torch.float64).view(3, -1).select(0, 1)\n"
    "F.elu(F.layer_norm(e, e.shape)).pow(2).sum().backward()\n",
)
ODD = (
    -1,
    0,
    1,
    2,
    3,
    5,
    31,
    64,
    65,
    127,
    128,
    255,
    1 << 15,
    (1 << 16) - 1,
    1 << 24,
    (1 << 31) - 1,
    -(1 << 31),
    1 << 40,
    1 << 62,
)
WRONG = (None, True, -1, 0.5, 1 << 31, 1 << 80, "x", [], {}, [[]], "\ud800", {"x": 1}, [1], 1e400)
FIELDS = ("format", "start", "rows", "strings", "elements", "beyond", "more")
MOST_CURSORS = 8


@cache
def recordings() -> tuple[tuple[str, tuple[Batch, ...]], ...]:
    """What honest workers have sent: the text, and its batches."""
    found = [(SOURCE, (sample_batch(),))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found += [(text, tuple(record(text, 2))) for text in SNIPPETS]
        found.append((SNIPPETS[0], tuple(record(SNIPPETS[0], question=Question(0, 0)))))
    return tuple(found)


def one_input(data: bytes) -> None:
    """Which recording, and what is changed in it."""
    look_through(*decided(Choices(data)))


def decided(choices: Choices) -> tuple[str, list[Batch]]:
    """A recording, changed."""
    source, honest = choices.of(recordings())
    batches = list(honest)
    while not choices.is_over and batches:
        at = choices.number(len(batches))
        batches[at : at + 1] = changed(batches[at], choices)
    return source, batches


def changed(batch: Batch, choices: Choices) -> list[Batch]:
    """One change."""
    what = choices.number(10)
    header, payload = copy.deepcopy(batch.header), bytearray(batch.payload)
    if what < 5:
        _set_number(header, payload, choices)
    elif what == 5:
        _repeat_row(header, payload, choices)
    elif what == 6:
        header[choices.of(FIELDS)] = choices.of(WRONG)
    elif what == 7:
        _set_in_header(header, choices)
    elif what == 8:
        start = choices.number(len(payload) + 1)
        payload[start : start + choices.number(9)] = choices.bytes(8)
    else:
        return choices.of(
            ([], [batch, batch], [Batch(batch.header, batch.payload[: choices.number(len(payload) + 1)])])
        )
    return [Batch(header, bytes(payload))]


def _place(header: dict[str, Any], table: str) -> tuple[int, int]:
    """Where the rows of a table begin in the payload, and how many there are; (0, 0) if the counts are no counts."""
    at = 0
    counts = header.get("rows")
    if not isinstance(counts, dict) or not all(type(counts.get(name)) is int for name in TABLES):
        return 0, 0
    for name in TABLES:
        if name == table:
            return at, counts[name]
        at += counts[name] * row_dtype(TABLES[name]).itemsize
    return 0, 0


def _set_number(header: dict[str, Any], payload: bytearray, choices: Choices) -> None:
    """Another number in one column of one row."""
    table = choices.of([name for name in TABLES if _place(header, name)[1]] or list(TABLES))
    kind = row_dtype(TABLES[table])
    start, count = _place(header, table)
    if count <= 0:
        return
    column = choices.of(list(kind.names or ()))
    part, offset = (kind.fields or {})[column][:2]
    at = start + choices.number(count) * kind.itemsize + offset
    number = choices.of(ODD) if choices.number(2) else choices.number(count + 3) - 1
    payload[at : at + part.itemsize] = (number & ((1 << 8 * part.itemsize) - 1)).to_bytes(part.itemsize, "little")


def _repeat_row(header: dict[str, Any], payload: bytearray, choices: Choices) -> None:
    """A row once more behind it, or one row less, with counts that agree."""
    table = choices.of(list(TABLES))
    size = row_dtype(TABLES[table]).itemsize
    start, count = _place(header, table)
    if count <= 0:
        return
    at = start + choices.number(count) * size
    row = payload[at : at + size]
    times = choices.of((0, 2, 3, 20))
    payload[at : at + size] = row * times
    header["rows"][table] += times - 1


def _set_in_header(header: dict[str, Any], choices: Choices) -> None:
    """Something else inside of one field."""
    inside = header.get(choices.of(FIELDS))
    value = choices.of(WRONG) if choices.number(2) else choices.of(ODD)
    if isinstance(inside, dict) and inside:
        inside[choices.of([*sorted(inside, key=str), "more"])] = value
    elif isinstance(inside, list) and inside:
        inside[choices.number(len(inside))] = value if choices.number(2) else "\ud800{x!r}\0" + "🙂" * choices.number(9)


def look_through(source: str, batches: list[Batch]) -> bool:
    """Whether all was taken; whatever was taken can be read."""
    trace, whole = Trace(source), True
    for batch in batches:
        before = [len(table) for table in trace.tables.values()], len(trace.strings)
        try:
            trace.extend(batch)
        except TraceFormatError as error:
            assert str(error).startswith("malformed trace: ")
            assert before == ([len(table) for table in trace.tables.values()], len(trace.strings)), "a part was added"
            whole = False
            break
    look_at_everything(trace)
    ask_the_session(trace.as_now())
    return whole


def look_at_everything(trace: Trace) -> None:
    """Ask a trace for all that the program asks of it."""
    trace_json(trace)
    now = trace.as_now()
    _ = now.nesting, now.origin_of_node, now.held_bytes, now.runs, now.naming
    _ = now.superseded, now.value_flag, now.error_step
    for index in range(min(len(trace.values), 50)):
        value = trace.value(index)
        assert value is not None
        _ = value.text(), value.brief(), value.norm, value.scalar
    for call in range(min(len(trace.calls), 8)):
        _ = trace.roots_of(call), trace.wanted_by(call), trace.call_end(call)
    every = max(1, len(trace) // MOST_CURSORS)
    for cursor in range(0, len(trace) + 1, every):
        frame = trace.frame(cursor)
        _ = frame.step, explain(frame), explain_fold(trace, cursor), frame.current_line, trace.held_bytes[cursor]
        _ = frame.shown_graphs(), frame.shown_nodes, frame.shown_tensors, frame.node_freed
        _ = frame.input_grad_now, frame.input_grad_norm, frame.input_grad_flag
        for tensor in range(min(len(trace.tensors), 20)):
            _ = frame.name(tensor), no_grad_reason(frame, tensor), frame.buffer(tensor), frame.version(tensor)
        for node in range(min(len(trace.nodes), 20)):
            _ = frame.saved(node), trace.op_of(node), trace.slots_of(node), trace.outputs_of(node)


def ask_the_session(trace: Trace) -> None:
    """What panels and commands work out of a trace: the drawing of it, the timeline, the inspector, a search, what two
    runs have in common."""
    try:
        drawing, _ = from_trace(trace)
        assert text_of(parse.parse(text_of(drawing)))
    except UserError as error:
        assert str(error)
    assert all(map(str, step_lines(trace)))
    _ = outline(trace, len(trace)), paths(trace)
    other = Trace(SOURCE)
    other.extend(sample_batch())
    for verdict in (judge(trace, other), judge(other, trace)):
        assert all(map(str, verdict.rows))
    things = [Selection("node", index) for index in range(min(len(trace.nodes), 6))]
    things += [Selection("tensor", index) for index in range(min(len(trace.tensors), 6))]
    for thing in things:
        _ = ancestors(trace, thing), descendants(trace, thing), between(trace, things[0], thing), changes(trace, thing)
        _ = place_of(trace, thing), as_operation(trace, thing)
        for cursor in {0, len(trace) // 2, len(trace)}:
            state = State(traced=Snippet(trace.source), trace=trace, steps=len(trace), cursor=cursor)
            _ = inspect(state, thing), problem(state), overview(state), holders(trace, cursor)
    for query in ("w", "mul", "line:2", "[2]", "nan", "freed", "a.b"):
        _ = len(find(trace, query, len(trace)))
