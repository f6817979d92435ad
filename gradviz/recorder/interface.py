"""The API for jobs: `with gradviz.record("run.gvtrace"): ...` and `gradviz.show(loss)`. In the calling file, the names
of variables and modules are recorded whenever another of its lines runs something."""

from __future__ import annotations

import linecache
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from gradviz.recorder.job import Job, Wishes
from gradviz.recorder.output import guarded
from gradviz.trace.record.chosen import Choice
from gradviz.trace.table.recording import SUFFIX


@contextmanager
def record(
    path: str | Path,
    frame: FrameType,
    *,
    steps: str | Collection[int] | None,
    values: str,
    modules: Collection[str] | None,
) -> Iterator[None]:
    """Record what runs inside the `with` block; `frame` is the caller's."""
    script = frame.f_code.co_filename
    chosen = Choice.of(steps) if isinstance(steps, str) else steps if steps is None else frozenset(steps)
    job = Job(_named(path), "".join(linecache.getlines(script)), script, Wishes(chosen, values, modules))
    look = _Watch(job, script)
    job.watch(look)
    job.begin()
    try:
        yield
    except BaseException as error:
        look(frame)
        job.end(error, error.__traceback__)
        raise
    look(frame)
    job.end()


def _named(path: str | Path) -> Path:
    found = Path(path)
    return found if found.suffix == SUFFIX else found.with_name(f"{found.name}{SUFFIX}")


class _Watch:
    """Watches the variables of the recording file."""

    def __init__(self, job: Job, script: str) -> None:
        self._job, self._script, self.output = job, script, job.output
        self._line = -1
        self._seen: set[tuple[str, int]] = set()

    @guarded
    def __call__(self, frame: FrameType | None = None, *, anew: bool = False) -> None:
        """Record new names if the line has changed."""
        anew = anew or frame is not None
        at = frame or sys._getframe(1)
        while at is not None and at.f_code.co_filename != self._script:
            at = at.f_back  # type: ignore[assignment]
        if at is None or (at.f_lineno == self._line and not anew):
            return
        self._line = at.f_lineno
        self._job.flush()
        for name, value in _variables(at):
            if isinstance(value, torch.Tensor):
                if self._job.rows.known(value) >= 0:
                    self._job.rows.name(value, name)
            else:
                for where, module in _modules(name, value):
                    self._name_module(where, module, at)

    def _name_module(self, name: str, module: torch.nn.Module, frame: FrameType) -> None:
        if (name, id(module)) not in self._seen:
            self._seen.add((name, id(module)))
            self._job.name_module((name == "self" and self._name_outside(module, frame)) or name, module)

    def _name_outside(self, module: torch.nn.Module, frame: FrameType) -> str:
        """What a module whose own method runs is called by those who called it, "" if they have no name for it."""
        at = frame.f_back
        while at is not None:
            held = _variables(at) if at.f_code.co_filename == self._script else []
            for name, value in held:
                found = next((where for where, each in _modules(name, value) if each is module), "")
                if found:
                    return found
            at = at.f_back
        return ""


def _variables(frame: FrameType) -> list[tuple[str, Any]]:
    """The variables of a frame, but for "_", of which nobody asks for the value."""
    return [(name, value) for name, value in frame.f_locals.items() if name.strip("_")]


def _modules(name: str, value: Any) -> list[tuple[str, torch.nn.Module]]:
    """The module that a variable is, or those that it holds, as the elements of a list or the attributes of an object:
    "net", "nets[0]", "self.actor"."""
    if isinstance(value, torch.nn.Module):
        return [(name, value)]
    held: list[tuple[str, Any]] = []
    if type(value) in (list, tuple) and value and isinstance(value[0], torch.nn.Module):
        held = [(f"{name}[{at}]", each) for at, each in enumerate(value[:_MOST])]
    elif type(value) is dict and isinstance(next(iter(value.values()), None), torch.nn.Module):
        held = [(f"{name}[{key!r}]", each) for key, each in islice(value.items(), _MOST)]
    elif name == "self":
        held = [(f"{name}.{key}", each) for key, each in islice(getattr(value, "__dict__", {}).items(), _MOST)]
    return [(where, each) for where, each in held if isinstance(each, torch.nn.Module)]


_MOST = 64  # elements of a container, or attributes, that are looked at


def show(*tensors: Any, frame: FrameType, window: bool) -> Path:
    """Record the graphs that made these tensors and open them in the window."""
    script = frame.f_code.co_filename
    with tempfile.NamedTemporaryFile(prefix="gradviz-", suffix=SUFFIX, delete=False) as file:
        path = Path(file.name)
    job = Job(path, "".join(linecache.getlines(script)), script, Wishes())
    for tensor in tensors:
        job.rows.number(tensor)
    for name, value in _variables(frame):
        if isinstance(value, torch.Tensor) and job.rows.known(value) >= 0:
            job.rows.name(value, name)
        for where, module in _modules(name, value):
            for each, parameter in module.named_parameters():
                if job.rows.known(parameter) >= 0:
                    job.rows.name(parameter, each, where, 1)
    job.end()
    if window:
        subprocess.Popen([sys.executable, "-m", "gradviz", str(path)])
    return path
