"""Batches: what goes in comes out, streaming in pieces changes nothing, what is malformed is refused with one error."""

from __future__ import annotations

import copy
import json
import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradviz.session.inspect.chain_rule import paths
from gradviz.trace.table.encoding import LITTLE, WAITING, TraceFormatError, Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import TABLES, Batch
from gradviz.trace.table.tables import columns
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import DTYPES, WHOLE, edges_of, numpy_dtype, summarise
from gradviz.trace.words.explain import explain
from gradviz.trace.words.jsonable import trace_json
from gradviz.trace.words.reasons import no_grad_reason
from tests.trace.running import record
from tests.trace.sample import SOURCE, SampleWriter, sample_batch

LOOP = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for i in range(3):
    loss = ((w * w) * i).sum()
    loss.backward()
    print(loss)
w.grad = None
y = w * 2
with torch.no_grad():
    w += 1
"""


def test_the_header_is_json() -> None:
    batch = sample_batch()
    assert Batch(json.loads(json.dumps(batch.header)), batch.payload) == batch


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (1, 0, 2)])
def test_values_of_every_type_come_back(name: str, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(numpy_dtype(name))
    writer = Writer()
    writer.value(array)
    trace = Trace()
    trace.extend(writer.take())
    value = trace.value(0)
    assert value is not None and value.array is not None
    assert (value.shape, value.dtype) == (shape, name)
    assert value.array.dtype == array.dtype and np.array_equal(value.array, array)
    assert value.norm == pytest.approx(np.linalg.norm(array.astype(complex)))
    assert trace.values.norm[0] == pytest.approx(value.norm)


@given(st.lists(arrays.arrays(np.float32, arrays.array_shapes(max_dims=3, min_side=0, max_side=4)), max_size=20))
def test_norms_are_those_of_the_values(found: list[Any]) -> None:
    writer = Writer()
    for array in found:
        writer.value(array)
    trace = Trace()
    trace.extend(writer.take())
    for i, array in enumerate(found):
        with np.errstate(all="ignore"):
            expected = np.sqrt(np.square(array.astype(float)).sum())
        assert np.array_equal(trace.values.norm[i], expected, equal_nan=True) or np.isclose(
            trace.values.norm[i], expected
        )


def test_non_contiguous_values_come_back() -> None:
    array = np.arange(12.0).reshape(3, 4).T[::2]
    writer = Writer()
    writer.value(array)
    trace = Trace()
    trace.extend(writer.take())
    value = trace.value(0)
    assert value is not None and np.array_equal(value.array, array)


def test_large_values_are_kept_as_summary_and_edges() -> None:
    array = np.arange(300 * 300, dtype=np.float32).reshape(300, 300)
    assert array.size > WHOLE
    writer = Writer()
    writer.value(array)
    trace = Trace()
    trace.extend(writer.take())
    value = trace.value(0)
    assert value is not None and value.array is None
    assert value.shape == (300, 300) and value.edges.shape == (6, 6)
    assert value.edges[0, :3].tolist() == [0, 1, 2] and value.edges[-1, -1] == array[-1, -1]
    assert value.summary.low == 0 and value.summary.high == 89_999 and value.summary.nans == 0
    assert value.norm == pytest.approx(np.linalg.norm(array.astype(float)))
    assert trace.values.norm[0] == pytest.approx(value.norm)
    assert value.text() == "(300, 300) in [0, 89999]"


def test_the_size_of_a_value_has_no_bound_but_that_of_memory() -> None:
    for shape, dtype in (((2**60,), np.float32), ((2**31, 2**30), np.uint8), ((0, 2**59), np.float64)):
        writer = Writer()
        writer.value(np.broadcast_to(np.array(1, dtype), shape))
        trace = Trace()
        trace.extend(writer.take())
        value = trace.value(0)
        assert value is not None and value.shape == shape and value.numel == math.prod(shape)
    assert value.brief() == "(0, 576460752303423488) empty"


def test_sizes_that_no_memory_can_have_are_refused() -> None:
    writer = Writer()
    writer.value(np.broadcast_to(np.float32(1), (2**20, 2**20)))
    batch = writer.take()
    sizes = struct.pack("<2q", 2**20, 2**20)
    assert batch.payload.count(sizes) == 1
    for wrong in ((2**31, 2**31), (2**62, 1), (-1, 2**20), (0, 2**62)):
        with pytest.raises(TraceFormatError, match="impossible size"):
            Trace().extend(Batch(batch.header, batch.payload.replace(sizes, struct.pack("<2q", *wrong))))


def test_beyond_the_budget_only_summaries_are_kept() -> None:
    writer = Writer(budget=100)
    for _ in range(3):
        writer.value(np.ones(10))
    trace = Trace()
    trace.extend(writer.take())
    found = [trace.value(i) for i in range(3)]
    assert [value is not None and value.array is not None for value in found] == [True, False, False]
    assert [value.summary.mean for value in found if value is not None] == [1.0, 1.0, 1.0]
    assert trace.beyond_budget == trace.as_now().beyond_budget == 2


def test_a_value_that_need_not_stay_whole_is_a_summary_within_the_budget() -> None:
    writer, changed = Writer(), np.arange(20.0)
    writer.value(changed, whole=False)
    changed += 1
    writer.value(changed)
    trace = Trace()
    trace.extend(writer.take())
    summary, kept = trace.value(0), trace.value(1)
    assert summary is not None and summary.array is None and summary.summary.mean == 9.5
    assert kept is not None and kept.array is not None and kept.array.tolist() == changed.tolist()
    assert trace.beyond_budget == 0, "nothing was left out"


def test_summaries_beyond_the_budget_are_those_of_each_value_among_others() -> None:
    rng = np.random.default_rng(0)
    shapes = [(40,), (3, 30), (2, 3, 20), (8, 9), (600, 3), (40,), (), (5,), (300, 300), (40,)]
    arrays = [
        (rng.normal(size=shape) * 100).astype(numpy_dtype(name))
        for _ in range(3)
        for shape in shapes
        for name in ("float32", "bool", "complex64", "bfloat16", "int64")
    ]
    arrays[0][3] = np.nan
    arrays[27][1] = np.inf
    arrays.append(np.broadcast_to(np.float32(2), (50, 2)))
    writer, alone, trace, separate = Writer(budget=0), Writer(budget=0), Trace(), Trace()
    for at, array in enumerate(arrays):
        writer.value(array)
        alone.value(array)
        separate.extend(alone.take())
        if at == 70:
            trace.extend(writer.take())
    trace.extend(writer.take())
    for at, array in enumerate(arrays):
        one, other, expected = trace.value(at), separate.value(at), summarise(array)
        assert one is not None and other is not None and one.shape == array.shape
        assert (one.array is None) == (array.nbytes > LITTLE)
        if one.array is None:
            assert np.array_equal(one.edges, edges_of(array), equal_nan=array.dtype.kind in "fc")
        for found in (one.summary, other.summary):
            for name in ("low", "high", "mean", "norm", "nans"):
                assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-12, nan_ok=True), name


def test_values_do_not_wait_for_their_summaries_without_bound() -> None:
    writer = Writer(budget=0)
    array = np.ones(WHOLE, np.float32)
    for _ in range(3 * WAITING // array.nbytes):
        writer.value(array)
        assert sum(len(chunk) for chunk in writer._elements["float32"]) <= WAITING + (1 << 20)
    trace = Trace()
    trace.extend(writer.take())
    assert set(trace.values.norm.tolist()) == {256.0}


def test_a_value_is_what_it_was_when_it_was_recorded() -> None:
    writer, array = Writer(), np.array([1.0, 2.0])
    writer.value(array)
    array += 10
    writer.value(array)
    trace = Trace()
    trace.extend(writer.take())
    assert [value.text() for i in range(2) if (value := trace.value(i))] == ["[1, 2]", "[11, 12]"]


def content(trace: Trace) -> dict[str, list[Any]]:
    """All columns, with values in place of their places."""
    found: dict[str, list[Any]] = {}
    for name, table in TABLES.items():
        for column in columns(table):
            if (name, column) not in (("values", "chunk"), ("values", "offset")):  # how a trace was cut up may differ
                array = getattr(trace.tables[name], column)
                found[f"{name}.{column}"] = [str(x) for x in array.tolist()]
    found["numbers"] = [str(value.array) for i in range(len(trace.values)) if (value := trace.value(i))]
    return found


@pytest.mark.parametrize("every", [1, 2, 3])
def test_streaming_in_pieces_gives_the_same_trace(every: int) -> None:
    for source in (LOOP, SOURCE):
        whole, pieces = Trace(source), Trace(source)
        for batch in record(source):
            whole.extend(batch)
        batches = list(record(source, every))
        assert len(batches) > 1
        for batch in batches:
            pieces.extend(batch)
            explain(pieces.frame(len(pieces)))  # indexes built half-way must not stay
        assert content(whole) == content(pieces)
        assert trace_json(whole) == trace_json(pieces)


def test_a_batch_that_is_missing_or_repeated_is_refused() -> None:
    batches = list(record(LOOP, 1))
    trace = Trace(LOOP)
    with pytest.raises(TraceFormatError, match="missing or came twice"):
        trace.extend(batches[1])
    trace.extend(batches[0])
    with pytest.raises(TraceFormatError, match="missing or came twice"):
        trace.extend(batches[0])
    assert len(trace.strings) == len(batches[0].header["strings"])
    trace.extend(batches[1])


def look_at_everything(trace: Trace) -> None:
    """Ask a trace for all that the program asks of it."""
    trace_json(trace)
    trace.nesting, trace.origin_of_node, trace.as_now().held_bytes
    for cursor in range(len(trace) + 1):
        frame = trace.frame(cursor)
        frame.shown_graphs(), frame.shown_tensors, frame.input_grad_now, trace.held_bytes[frame.cursor]
        for tensor in range(len(trace.tensors)):
            frame.name(tensor), no_grad_reason(frame, tensor), frame.buffer(tensor), frame.version(tensor)


def refused_or_sound(batch: Batch) -> bool:
    """Whether a batch was refused; if it was taken, everything can be read."""
    trace = Trace(SOURCE)
    try:
        trace.extend(batch)
    except TraceFormatError:
        return True
    look_at_everything(trace)
    return False


@given(st.binary(max_size=400), st.data())
def test_random_bytes_are_refused(payload: bytes, data: st.DataObject) -> None:
    header = copy.deepcopy(sample_batch().header)
    header["rows"] = dict.fromkeys(header["rows"], 0)
    table = data.draw(st.sampled_from(sorted(TABLES)))
    header["rows"][table] = data.draw(st.integers(0, 12))
    header["elements"] = data.draw(st.dictionaries(st.sampled_from(DTYPES), st.integers(0, 20), max_size=3))
    refused_or_sound(Batch(header, payload))


@settings(max_examples=300)
@given(st.data())
def test_a_batch_with_changed_bytes_is_refused_or_sound(data: st.DataObject) -> None:
    batch = sample_batch()
    payload = bytearray(batch.payload)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(payload) - 1))
        payload[at] = data.draw(st.sampled_from([0, 1, 2, 5, 127, 128, 255]))
    refused_or_sound(Batch(batch.header, bytes(payload)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from(["format", "start", "rows", "strings", "elements", "beyond", "more"]), JSON)
def test_a_header_with_anything_in_it_is_refused_or_sound(field: str, value: Any) -> None:
    batch = sample_batch()
    refused_or_sound(Batch({**batch.header, field: value}, batch.payload))


@given(st.sampled_from(sorted(TABLES)), st.integers(-3, 1 << 40), st.sampled_from(["rows", "start"]))
def test_wrong_counts_are_refused(table: str, count: int, field: str) -> None:
    batch = sample_batch()
    if batch.header[field][table] != count:
        header = {**batch.header, field: {**batch.header[field], table: count}}
        assert refused_or_sound(Batch(header, batch.payload))


@pytest.mark.parametrize("header", [None, [], {}, {"format": 1}])
def test_what_is_no_header_is_refused(header: Any) -> None:
    with pytest.raises(TraceFormatError):
        Trace().extend(Batch(header, b""))


def test_missing_bytes_and_additional_bytes_are_refused() -> None:
    batch = sample_batch()
    for payload in (batch.payload[:-1], batch.payload + b"\0", b""):
        with pytest.raises(TraceFormatError, match="wrong length"):
            Trace().extend(Batch(batch.header, payload))


def nodes_and_a_tensor(nodes: int) -> Writer:
    """A batch to which tests add rows that an honest run would not have."""
    writer = Writer()
    text, value = writer.text(""), writer.value(np.ones(()))
    for _ in range(nodes):
        writer.add("nodes", -1, text, text, text, -1, -1, text, -1, -1, 0)
    writer.add("tensors", -1, -1, 0, value, 0, 0, False, True, False, -1, -1)
    return writer


def test_the_input_of_a_flow_is_found_among_gaps_and_a_huge_slot_is_none_at_once() -> None:
    writer, trace = nodes_and_a_tensor(3), Trace()
    for node, slot in [(0, 0), (0, 1), (2, 1), (2, 4), (2, 5), (2, 900)]:
        writer.add("inputs", node, slot, 0)
    asked = {(0, 1): 1, (0, 2): -1, (1, 0): -1, (2, 0): -1, (2, 1): 2, (2, 4): 3, (2, 5): 4, (2, 6): -1, (2, 900): 5}
    asked |= {(0, (1 << 31) - 1): -1, (2, (1 << 31) - 1): -1}
    for node, slot in asked:
        writer.add("flows", -1, node, slot, 0)
    trace.extend(writer.take())
    assert trace.flows.input.tolist() == list(asked.values())


def test_what_is_freed_again_and_again_costs_no_more_memory() -> None:
    writer, trace = nodes_and_a_tensor(1), Trace()
    text, count = writer.text(""), 50_000
    for _ in range(count):
        writer.add("saved", -1, 0, text, 0, -1, 4, 0, 0)
        writer.add("frees", -1, 0)
    trace.extend(writer.take())  # 2.5 billion pairs
    assert trace.saved.freed.tolist() == [0] * count


@pytest.mark.parametrize("storage", [2**31 - 1, 1, -1, -(2**31)])
def test_a_version_of_no_storage_is_refused(storage: int) -> None:
    writer = nodes_and_a_tensor(1)
    writer.add("versions", -1, storage, 1)
    with pytest.raises(TraceFormatError, match=r"versions\.storage is out of range"):
        Trace().extend(writer.take())


def with_a_row(table: str, values: dict[str, int]) -> Batch:
    """A batch with one row: -1 in what may refer to nothing, 0 in all else but these columns."""
    writer = Writer()
    writer.text("a")
    specs = columns(TABLES[table]).items()
    writer.add(table, *[values.get(name, -1 if spec.none else 0) for name, spec in specs if not spec.derived])
    return writer.take()


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("regions", "parent"),
        ("regions", "name"),
        ("regions", "site"),
        ("nodes", "region"),
        ("caught", "step"),
        ("caught", "message"),
        ("collectives", "step"),
        ("collectives", "name"),
    ],
)
@pytest.mark.parametrize("number", [2**31 - 1, 1, -2, -(2**31)])
def test_what_refers_to_no_row_is_refused(table: str, column: str, number: int) -> None:
    Trace().extend(with_a_row(table, {}))
    with pytest.raises(TraceFormatError, match=rf"{table}\.{column} is out of range"):
        Trace().extend(with_a_row(table, {column: number}))


def test_a_step_that_catches_needs_its_error() -> None:
    with pytest.raises(TraceFormatError, match="CAUGHT refers to no row"):
        Trace().extend(with_a_row("steps", {"kind": Kind.CAUGHT}))


def test_a_step_that_makes_a_tensor_names_it() -> None:
    out = SampleWriter()
    site = out.add("sites", 1, 0, 1, 1, out.text("x"))
    out.leaf("x", 2.0, site, True)
    made = Trace("x")
    made.extend(out.take())
    out.step(Kind.LEAF, -1, -1, site, -1, 0)
    with pytest.raises(TraceFormatError, match="LEAF has no tensor"):
        made.extend(out.take())


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("roots", "call"),
        ("wanted", "tensor"),
        ("ends", "call"),
        ("saved", "node"),
        ("names", "tensor"),
        ("links", "node"),
    ],
)
def test_what_must_be_a_row_is_not_none(table: str, column: str) -> None:
    with pytest.raises(TraceFormatError, match=rf"{table}\.\w+ is out of range"):
        Trace().extend(with_a_row(table, {column: -1}))


ANSWER = {"calls": (-1, -1, False, False), "roots": (0, 0, -1), "answers": (0, 0, 1.0)}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("answers", (0, 0, 2.0))], "more than one answer"),
        ([("chains", (1, 0))], "a path from no root"),
        ([("chains", (-1, 0))], "a path from no root"),
        ([("chains", (0, 0)), ("links", (1, 0, 0, 1.0, 0))], "a link of no path"),
        ([("chains", (0, 0)), ("chains", (0, 0)), *[("links", (at, 0, 0, 1.0, 0)) for at in (1, 0)]], "goes back"),
    ],
)
def test_paths_that_do_not_fit_their_call_are_refused(rows: list[tuple[str, tuple[Any, ...]]], why: str) -> None:
    writer = nodes_and_a_tensor(1)
    for table, row in [*ANSWER.items(), *rows]:
        writer.add(table, *row)
    with pytest.raises(TraceFormatError, match=why):
        Trace().extend(writer.take())


def test_a_path_that_nobody_asked_for_is_refused() -> None:
    writer = nodes_and_a_tensor(1)
    writer.add("chains", 0, 0)
    with pytest.raises(TraceFormatError, match="nobody asked"):
        Trace().extend(writer.take())


def test_gradients_of_two_shapes_have_no_sum() -> None:
    writer, trace = nodes_and_a_tensor(1), Trace()
    for table, row in ANSWER.items():
        writer.add(table, *row)
    for shape in ((2,), (3,)):
        writer.add("chains", 0, writer.value(np.ones(shape)))
    trace.extend(writer.take())
    found = paths(trace)
    assert found is not None and len(found.found) == 2
    assert found.total is None and found.sum_words() == ""
