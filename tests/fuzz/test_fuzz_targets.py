"""The same targets as the fuzzer's, with inputs that hypothesis makes and shrinks: a few of them in each run of the
tests, thousands with HYPOTHESIS_PROFILE=long."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.fuzz import documents, figures, lessons, messages, plots, policy, recordings, traces
from tests.fuzz.choices import Choices

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
some = settings(
    max_examples=20_000 if LONG else 60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
slowly = settings(some, max_examples=5_000 if LONG else 25)
decisions = st.binary(max_size=120)
words = st.text(max_size=60) | st.text("abx_.()[]{}:=,@*+- \n'\"\\f0", max_size=120)


@some
@given(decisions)
def test_any_program_is_refused_or_hooked(data: bytes) -> None:
    policy.one_input(b"\0" + data)


@some
@given(words)
def test_any_text_is_refused_or_hooked(text: str) -> None:
    assert policy.compiled(text) in ("refused", "wrong", "accepted")


@some
@given(st.integers(0, 7), decisions)
def test_any_document(reader: int, data: bytes) -> None:
    documents.one_input(bytes([reader]) + data)


@some
@given(decisions)
def test_any_lessons_and_notebooks(data: bytes) -> None:
    lessons.one_input(data)


@slowly
@given(decisions)
@example(data=b"\x01\x00\x9d\x9d")  # a module whose name ends in a zero
@example(data=b"{\x01\x00\n\x06\x00\x01\x0f")  # a memory with the largest number
def test_any_trace(data: bytes) -> None:
    traces.one_input(data)


@slowly
@given(decisions)
def test_any_recording(data: bytes) -> None:
    recordings.one_input(data)


@some
@given(decisions)
def test_any_figure(data: bytes) -> None:
    figures.one_input(data)


@slowly
@given(decisions)
def test_any_plot(data: bytes) -> None:
    plots.one_input(data)


@some
@given(st.sampled_from(["yes", None, "no answer"]), decisions)
def test_any_messages(answer: str | None, data: bytes) -> None:
    events = messages.listened(b"".join(messages.messages(Choices(data))), answer)
    assert events


@some
@given(decisions)
def test_any_bytes_of_a_worker(data: bytes) -> None:
    assert len(messages.listened(messages.encoded(1, 0, {"layers": {}}) + data, None)) == 1
