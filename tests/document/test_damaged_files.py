"""Damaged files open with a sentence or in part: more than two hundred, and what hypothesis thinks of. Never with a
traceback, a hang or more than a gigabyte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.document.damage import opened, wholes

ROOT = Path(__file__).parents[2]
HANG = 600  # seconds for all of them; they take twenty

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)
fields = st.sampled_from(
    "format version kind note newline next_id nodes comments groups backward view text id leaf op name data seed "
    "inputs params names x y members title root node output gradient slider dtype float complex".split()
)


@pytest.mark.slow
def test_hundreds_of_damaged_files_open_with_a_sentence_or_in_part() -> None:
    command = [sys.executable, "-m", "tests.document.damage"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    became: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for kind, result, count in json.loads(done.stdout):
        became[result] += count
        kinds[kind] += count
    assert sum(kinds.values()) > 250 and len(kinds) == 8
    assert became["refused"] > 50 and became["part"] > 100, became


@settings(max_examples=150)
@given(st.binary(max_size=300), st.integers(0, 2), st.integers(0), st.integers(0))
def test_bytes_put_anywhere(junk: bytes, which: int, start: int, length: int) -> None:
    data = wholes()[which]
    start %= len(data)
    assert opened(data[:start] + junk + data[start + length % 200 :]) in ("refused", "part", "whole")


@pytest.mark.slow
@settings(max_examples=100)
@given(st.dictionaries(fields, anything | st.lists(st.dictionaries(fields, anything, max_size=6), max_size=4)))
def test_objects_of_the_right_fields_and_any_values(record: dict[str, object]) -> None:
    record |= {"format": "gradviz", "version": 1, "kind": "drawing"}
    assert opened(json.dumps(record).encode()) in ("refused", "part", "whole")


@settings(max_examples=100)
@given(st.sampled_from(["nodes", "comments", "groups", "backward"]), st.dictionaries(fields, anything, max_size=8))
def test_parts_with_any_fields(name: str, part: dict[str, object]) -> None:
    record = json.loads(wholes()[0])
    record[name] = [*record[name], part, {**record[name][0], **part}]
    assert opened(json.dumps(record).encode()) in ("part", "whole")
