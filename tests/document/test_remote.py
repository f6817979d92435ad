"""Recordings at an address, in the file system in memory that fsspec has."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradviz
from gradviz.cli import run_command_line as main
from gradviz.document.errors import UserError
from gradviz.document.files.recordings import fetched, is_remote
from gradviz.document.snippet import ranks_of
from tests.fuzz.recordings import honest


@pytest.fixture
def memory() -> Iterator[Any]:
    system = importlib.import_module("fsspec").filesystem("memory")
    system.pipe_file("/jobs/run/rank0.gvtrace", honest()[0])
    system.pipe_file("/jobs/run/rank10.gvtrace", honest()[1])
    system.pipe_file("/jobs/run/rank1.gvtrace", honest()[1])
    system.pipe_file("/jobs/run/train.log", b"loss 1")
    system.pipe_file("/jobs/one.gvtrace", honest()[0])
    system.pipe_file("/jobs/broken.gvtrace", b"not a recording")
    yield system
    system.rm("/jobs", recursive=True)


@pytest.mark.parametrize(
    ("name", "remote"),
    [
        ("s3://bucket/run", True),
        ("https://host/a.gvtrace", True),
        ("train.gvtrace", False),
        (r"C:\runs\train.gvtrace", False),
        ("c://runs", False),
        ("://x", False),
    ],
)
def test_what_an_address_is(name: str, remote: bool) -> None:
    assert is_remote(name) is remote


def test_the_recordings_of_all_ranks_are_copied_and_nothing_else(memory: Any) -> None:
    folder = fetched("memory://jobs/run")
    assert [path.name for path in ranks_of(folder)] == ["rank0.gvtrace", "rank1.gvtrace", "rank10.gvtrace"]
    assert folder.name == "run" and len(list(folder.iterdir())) == 3
    assert (folder / "rank10.gvtrace").read_bytes() == honest()[1]


def test_a_recording_at_an_address_opens_in_python(memory: Any) -> None:
    found = gradviz.open_recording("memory://jobs/one.gvtrace")
    assert len(found) > 0
    assert len(gradviz.open_recording("memory://jobs/run")) == len(found)


def test_errors_are_those_of_a_file(memory: Any) -> None:
    with pytest.raises(ValueError, match="not a recording"):
        gradviz.open_recording("memory://jobs/broken.gvtrace")
    with pytest.raises(OSError, match=r"gone\.gvtrace can't be read"):
        gradviz.open_recording("memory://jobs/gone.gvtrace")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("memory://jobs", "holds no recordings of ranks"),
        ("memory://jobs/run/train.log", "neither a recording"),
        ("memory://nowhere", "neither a recording"),
        ("nonesuch://a/b.gvtrace", "nonesuch"),
    ],
)
def test_what_is_refused(memory: Any, address: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        fetched(address)


def test_without_fsspec_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UserError, match=r"pip install gradviz\[remote\]"):
        fetched("s3://bucket/run")


def test_the_command_line_says_what_is_wrong(memory: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory://jobs"]) == 1
    assert "holds no recordings of ranks" in capsys.readouterr().err


def test_the_command_line_opens_the_copy(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    app = importlib.import_module("gradviz.ui.app")
    monkeypatch.setattr(app, "main", lambda files, *_: opened.extend(files) or 0)
    assert main(["memory://jobs/run"]) == 0
    assert len(ranks_of(Path(opened[0]))) == 3
