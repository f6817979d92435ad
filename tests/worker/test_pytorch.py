"""Scripts in the user's own PyTorch: which Pythons are found, without starting any, and what a job tells while it runs.
The job is a program that records in PyTorch's place; `tests/recorder/check_jobs.py` runs real ones."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gradviz.document.snippet import Attached
from gradviz.trace.table.recording import Ending
from gradviz.trace.table.trace import Trace
from gradviz.worker.process.events import Done, Event, Intake, Mailbox, Output
from gradviz.worker.process.pytorch import Job, PyTorchRun, interpreters, look_at
from tests.pythons import environment, recording_python
from tests.trace.running import run as traced

ALL = {"torch": "2.4.0+cu121", "numpy": "1.26.4", "ml_dtypes": "0.5.1"}
TEXT = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
WAIT = 30
runs_scripts = pytest.mark.skipif(os.name == "nt", reason="the stand-in is started by its first line")


class Listener:
    """Takes what a run tells, as the window does."""

    def __init__(self, job: Job) -> None:
        self.trace = Trace(job.text)
        self.printed: dict[str, str] = {"out": "", "err": ""}
        self.done: Done | None = None
        self._mailbox = Mailbox()
        self.run = PyTorchRun(job, Intake(self.trace, self._mailbox).put)

    def until_steps(self, count: int) -> None:
        deadline = time.monotonic() + WAIT
        while len(self.trace) < count:
            assert time.monotonic() < deadline and self.done is None, self.printed
            self._take(self._mailbox.take())
            time.sleep(0.005)

    def until_done(self) -> Done:
        while self.done is None:
            self._take(self._mailbox.wait())
        self.run.join()
        return self.done

    def _take(self, event: Event | None) -> None:
        if isinstance(event, Output):
            self.printed[event.stream] += event.text
        elif isinstance(event, Done):
            self.done = event


def test_environments_are_found_by_their_folders_and_the_useful_ones_come_first(tmp_path: Path) -> None:
    near = environment(tmp_path / "project" / ".venv", numpy="2.0")
    active = environment(tmp_path / "active", **ALL)
    conda = environment(tmp_path / "home" / "miniconda3" / "envs" / "gpu", "3.12", torch="2.6.0", numpy="2.1")
    old = environment(tmp_path / "old", "3.9", **ALL)
    variables = {"VIRTUAL_ENV": str(tmp_path / "active"), "PATH": os.pathsep.join([str(old.parent), str(tmp_path)])}
    found = interpreters(tmp_path / "project" / "src", tmp_path / "home", variables)
    assert found[0].path == active and {each.path for each in found} == {near, active, conda, old}
    said = {each.path: (each.title, each.why_not) for each in found}
    assert said[active] == ("PyTorch 2.4.0+cu121, Python 3.11", "")
    assert said[near] == (
        "Python 3.11 without PyTorch",
        f"has no PyTorch, which this installs: {near} -m pip install torch",
    )
    assert said[old][1] == "needs Python 3.11 or newer"


def test_what_is_compiled_for_another_python_is_to_be_installed_there(tmp_path: Path) -> None:
    path = environment(tmp_path / "next", "3.19", torch="3.0", numpy="3.0")
    assert look_at(path).why_not == f"has no ml_dtypes, which this installs: {path} -m pip install ml_dtypes"


def test_a_python_in_a_folder_is_not_started_to_look_at_it(tmp_path: Path) -> None:
    path = environment(tmp_path / ".venv", **ALL)
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    path.chmod(0o755)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("version = 3.12.4\n")
    (found,) = interpreters(tmp_path, tmp_path / "nobody", {})
    assert found.python == "3.12.4" and not (tmp_path / "started").exists()


@runs_scripts
def test_steps_come_while_the_job_runs_and_are_those_of_the_recording(tmp_path: Path) -> None:
    trace = traced(TEXT)
    python = recording_python(tmp_path / "env", trace, Ending("ok", seconds=1.5))
    files = [Attached("data/names.txt", b"Anna")]
    job = Job(look_at(python), TEXT, files=files, arguments=("--epochs", "1"), values="summary", steps="0-3")
    listener = Listener(job)
    listener.until_steps(len(trace))
    assert listener.done is None, "it waits"
    python.with_name("go").touch()
    done = listener.until_done()
    assert (done.status, done.detail.sentence, done.detail.seconds) == ("ok", "Ran in PyTorch 9.9.", 1.5)
    assert [listener.trace.steps.kind[at] for at in range(len(trace))] == [*trace.steps.kind]
    assert "--values summary --budget 256 --steps 0-3 arguments --epochs 1\n" in listener.printed["out"]
    assert "ready" in listener.printed["err"]


@runs_scripts
def test_a_job_is_stopped_and_what_came_before_stays(tmp_path: Path) -> None:
    trace = traced(TEXT)
    listener = Listener(Job(look_at(recording_python(tmp_path / "env", trace, Ending())), TEXT))
    listener.until_steps(len(trace))
    listener.run.stop()
    assert listener.until_done().status == "stopped" and len(listener.trace) == len(trace)


@runs_scripts
@pytest.mark.parametrize(
    ("ending", "status", "sentence"),
    [
        (Ending("raised", "ValueError: no", 2, 0.5), "raised", "ValueError: no"),
        (Ending("stopped", "The recorder failed.", -1, 0.5), "stopped", "The recorder failed."),
        (None, "died", "The script ended with the status 0: ready"),
    ],
)
def test_how_a_job_ended_is_said(tmp_path: Path, ending: Ending | None, status: str, sentence: str) -> None:
    python = recording_python(tmp_path / "env", traced(TEXT), ending)
    python.with_name("go").touch()
    done = Listener(Job(look_at(python), TEXT)).until_done()
    assert (done.status, done.detail.sentence) == (status, sentence)


@runs_scripts
def test_damage_and_a_python_that_does_not_start_end_in_a_sentence(tmp_path: Path) -> None:
    python = recording_python(tmp_path / "env", traced(TEXT), Ending())
    part = python.with_name("1.part")
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    python.with_name("go").touch()
    assert Listener(Job(look_at(python), TEXT)).until_done().status == "died"
    broken = environment(tmp_path / "broken", **ALL)
    done = Listener(Job(look_at(broken), TEXT)).until_done()
    assert done.status == "died" and "could not be started" in done.detail.sentence


@runs_scripts
def test_a_file_of_the_user_runs_where_it_is(tmp_path: Path) -> None:
    python = recording_python(tmp_path / "env", traced(TEXT), Ending())
    python.with_name("go").touch()
    script = tmp_path / "train.py"
    script.write_text("a = 1\nb = 2\n")
    listener = Listener(Job(look_at(python), "another text", script))
    assert listener.until_done().status == "ok"
    assert "script train.py 2" in listener.printed["out"] and sorted(tmp_path.iterdir()) == [
        python.parent.parent,
        script,
    ]
