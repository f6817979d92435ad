"""Runs a script in the user's own PyTorch, under the recorder: an ordinary process of the user, without any of a
worker's locks, which is why it is only started for what the user has said to trust. What it prints and records arrives
as the events of a `run.Run`, while it runs.

Note [Looking without running] Which Pythons exist, and which have PyTorch, is read from the names of folders. None of
them is started for that, because one may lie beside a file that came from elsewhere."""

from __future__ import annotations

import codecs
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.snippet import Attached
from gradviz.trace.table.encoding import TraceFormatError
from gradviz.trace.table.recording import Ending, Follower
from gradviz.worker.process.events import UNREADABLE, Batch, Detail, Done, Event, Output
from gradviz.worker.process.spawn import package_folder

NEEDED = ("torch", "numpy")
LEAST = (3, 11)
LOOK_EVERY = 0.1  # seconds between two checks of the recording
GATHERED = 0.02  # seconds for which printed text is collected before it is reported
MOST_PRINTED = 4_000_000  # characters of a stream that are reported
GRACE = 3.0  # seconds for a job to write its last steps when it is stopped

# What is part of this program comes from there, everything else from the environment that runs the script. A printed
# line is sent whole, as in a terminal: in pieces, one of the other stream could come in between.
_BOOT = """
import importlib.machinery, json, sys
places = json.loads(sys.argv.pop(1))
sys.stdout.reconfigure(line_buffering=True, write_through=False)
class Finder:
    def find_spec(name, path=None, target=None):
        found = path is None and name in places
        return importlib.machinery.PathFinder.find_spec(name, [places[name]]) if found else None
sys.meta_path.append(Finder)
from gradviz.recorder.script import main
sys.exit(main(sys.argv[1:]))
"""


# -- which Pythons there are


@dataclass(frozen=True)
class Interpreter:
    """A Python that was found, and the versions in it, "" if unknown or absent."""

    path: Path
    python: str = ""
    torch: str = ""
    lacks: tuple[str, ...] = ()

    @property
    def why_not(self) -> str:
        """Return why it can't run a script under the recorder; "" if it can."""
        numbers = tuple(int(each) for each in re.findall(r"\d+", self.python)[:2])
        if numbers and numbers < LEAST:
            return f"needs Python {LEAST[0]}.{LEAST[1]} or newer"
        if self.lacks:
            what = self.lacks[0].replace("torch", "PyTorch")
            return f"has no {what}, which this installs: {self.path} -m pip install {self.lacks[0]}"
        return ""

    @property
    def title(self) -> str:
        """Return a short description."""
        python = f"Python {self.python}".strip()
        return f"PyTorch {self.torch}, {python}" if self.torch else f"{python} without PyTorch"


def interpreters(folder: Path | None, home: Path, environment: Mapping[str, str] = os.environ) -> list[Interpreter]:
    """Return the Pythons that were found, those with PyTorch first, then by likelihood: an environment in the script's
    folder or above, the active one, those of conda, pyenv and the like, the one on PATH."""
    found: dict[str, Interpreter] = {}
    for prefix in _prefixes(folder, environment, home):
        for name in ("bin/python3", "Scripts/python.exe", "python.exe"):
            path = prefix / name
            if path.is_file():
                found.setdefault(os.path.normcase(os.path.realpath(path.parent)), look_at(path))
                break
    return sorted(found.values(), key=lambda each: bool(each.why_not))


def look_at(path: Path) -> Interpreter:
    """Return what is in the environment of this Python."""
    prefix = path.parent.parent if path.parent.name in ("bin", "Scripts") else path.parent
    parts: dict[str, str] = {}
    python = _version_of(prefix)
    for packages in _packages(prefix, path):
        match = re.search(r"python(3\.\d+)", packages.parent.name)
        python = python or (match.group(1) if match else "")
        for name in ("torch", "numpy", "ml_dtypes"):
            for each in packages.glob(f"{name}-*.dist-info"):
                parts.setdefault(name, each.name.removesuffix(".dist-info").partition("-")[2])
    lacks = [name for name in NEEDED if name not in parts]
    if "ml_dtypes" not in parts and not python.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}"):
        lacks.append("ml_dtypes")  # compiled: this program's copy only works with the same version of Python
    return Interpreter(path, python, parts.get("torch", ""), tuple(lacks))


def _prefixes(folder: Path | None, environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    for place in [] if folder is None else [folder, *folder.parents][:4]:
        yield from (place / name for name in (".venv", "venv", "env"))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environment.get(name):
            yield Path(environment[name])
    for pattern in (".pyenv/versions/*", "*conda3", "*conda3/envs/*", "*forge3", "*forge3/envs/*", ".virtualenvs/*"):
        yield from sorted(home.glob(pattern), reverse=True)
    for part in environment.get("PATH", "").split(os.pathsep):
        if part and Path(part).name in ("bin", "Scripts"):
            yield Path(part).parent
        elif part:
            yield Path(part)


def _version_of(prefix: Path) -> str:
    """Return the version that `pyvenv.cfg` states, if it exists."""
    try:
        text = (prefix / "pyvenv.cfg").read_text("utf-8", "replace")[:10_000]
    except OSError:
        return ""
    found = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)", text, re.MULTILINE)
    return found.group(1) if found else ""


def _packages(prefix: Path, path: Path) -> Iterator[Path]:
    """Return the package folder of the newest Python of an environment; of several, the one that is meant."""
    meant = re.search(r"python(3\.\d+)", os.path.realpath(path))
    pattern = f"python{meant.group(1)}" if meant and (prefix / "lib" / meant.group()).is_dir() else "python3*"
    for base in (prefix / "lib", prefix / "local" / "lib", prefix / "lib64"):
        for each in sorted(base.glob(pattern), reverse=True):
            yield from (each / "site-packages", each / "dist-packages")
    yield prefix / "lib" / "python3" / "dist-packages"
    yield prefix / "Lib" / "site-packages"


# -- a run


@dataclass(frozen=True)
class Job:
    """What to run: a script file, or a text with the files that it reads; and what of it is kept."""

    interpreter: Interpreter
    text: str
    script: Path | None = None
    name: str = "snippet.py"
    files: Sequence[Attached] = ()
    arguments: tuple[str, ...] = ()
    values: str = "full"  # or "summary", "none"
    steps: str = ""  # "0-9": these iterations; "": all
    budget_mb: int = 256


class PyTorchRun:
    """A running job; `on_event` is called from threads, the last time with `Done`. Callers can treat it as a
    `run.Run`."""

    def __init__(self, job: Job, on_event: Callable[[Event], None]) -> None:
        self._job, self._on_event = job, on_event
        self._stopped = threading.Event()
        self._said = ""  # the end of what it wrote to stderr
        self._thread = threading.Thread(target=self._run, name="gradviz-pytorch", daemon=True)
        self._thread.start()

    @property
    def seconds_left(self) -> float:
        """No limit: nothing ends it but its own end, and Stop."""
        return math.inf

    def stop(self) -> None:
        """Interrupt it as Ctrl+C does, and end it if that does not; its `Done` follows as usual."""
        self._stopped.set()

    def answer(self, text: str | None) -> None:
        """Do nothing: it asks nothing, and its input() finds the end of the input."""

    def keep_going(self) -> None:
        """Do nothing: it has no limit."""

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join()

    def _run(self) -> None:
        with tempfile.TemporaryDirectory(prefix="gradviz-pytorch-", ignore_cleanup_errors=True) as folder:
            try:
                done = self._recorded(Path(folder))
            except OSError as error:
                done = Done("died", Detail(f"{self._job.interpreter.path} could not be started: {error.strerror}."))
            self._on_event(done)

    def _recorded(self, folder: Path) -> Done:
        job, out = self._job, folder / "job.gvtrace"
        script = job.script or _written(folder / "script", job)
        began = time.monotonic()
        process = subprocess.Popen(
            _command(job, script, out),
            cwd=script.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(os.environ),
            start_new_session=os.name != "nt",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        assert process.stdout is not None and process.stderr is not None
        pipes = [("out", process.stdout.fileno()), ("err", process.stderr.fileno())]
        readers = [threading.Thread(target=self._read, args=pipe, daemon=True) for pipe in pipes]
        for reader in readers:
            reader.start()
        with contextlib.closing(Follower(out)) as follower:
            failure = self._follow(process, follower)
            for reader in readers:
                reader.join(GRACE)  # a child that is left behind may keep a pipe open
            process.stdout.close()
            process.stderr.close()
            return self._verdict(process.returncode, follower.ending, failure, time.monotonic() - began)

    def _follow(self, process: subprocess.Popen[bytes], follower: Follower) -> str:
        """Report what is recorded until the process has ended; return what was wrong with it."""
        deadline = math.inf
        while True:
            is_over = process.poll() is not None
            try:
                for batch in follower.batches():
                    self._on_event(Batch(batch.header, batch.payload))
            except TraceFormatError as error:
                _end(process, signal.SIGTERM)
                process.wait()
                return UNREADABLE.format(error)
            if is_over:
                return ""
            if self._stopped.is_set() and deadline == math.inf:
                _end(process, getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))
                deadline = time.monotonic() + GRACE
            if time.monotonic() > deadline:
                _end(process, getattr(signal, "SIGKILL", signal.SIGTERM))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_EVERY)

    def _read(self, stream: str, descriptor: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        told = 0
        with contextlib.suppress(OSError):
            while data := os.read(descriptor, 65_536):
                text = decoder.decode(data)
                if stream == "err":
                    self._said = (self._said + text)[-1_000:]
                if told < MOST_PRINTED:
                    self._on_event(Output(stream, text))
                told += len(text)
                time.sleep(GATHERED)

    def _verdict(self, status: int, ending: Ending | None, failure: str, seconds: float) -> Done:
        where = f"PyTorch {self._job.interpreter.torch}".strip()
        if failure:
            return Done("died", Detail(failure))
        if self._stopped.is_set():
            return Done("stopped", Detail(f"Stopped in {where}.", seconds=seconds))
        if ending is not None and ending.status != "ok":
            return Done(ending.status, Detail(ending.sentence, ending.line, seconds=ending.seconds))
        if ending is None:
            how = f"ended with the status {status}" if status >= 0 else f"was ended by the signal {-status}"
            last = self._said.strip().rpartition("\n")[2]
            return Done("died", Detail(f"The script {how}{f': {last}' if last else '.'}", seconds=seconds))
        return Done("ok", Detail(f"Ran in {where}.", seconds=ending.seconds))


def _written(folder: Path, job: Job) -> Path:
    """Write the text and the files that it reads as a script into a new folder."""
    for each in job.files:
        place = folder / each.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(each.data)
    folder.mkdir(exist_ok=True)
    script = folder / (job.name if job.name.endswith(".py") else "snippet.py")
    script.write_text(job.text, "utf-8")
    return script


def _command(job: Job, script: Path, out: Path) -> list[str]:
    places = json.dumps({name: package_folder(name) for name in ("gradviz", "ml_dtypes")})
    options = ["-o", str(out), "--quiet", "--values", job.values, "--budget", str(job.budget_mb)]
    steps = ["--steps", job.steps] if job.steps else []
    return [str(job.interpreter.path), "-c", _BOOT, places, *options, *steps, str(script), *job.arguments]


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return the user's environment, without what a frozen program has added to its own."""
    made = {name: value for name, value in own.items() if name not in ("PYTHONHOME", "_MEIPASS2")}
    for name in [each for each in made if each.endswith("_ORIG") and each.startswith(("LD_", "DYLD_"))]:
        made[name.removesuffix("_ORIG")] = made.pop(name)
    return {**made, "PYTHONIOENCODING": "utf-8"}


def _end(process: subprocess.Popen[bytes], how: int) -> None:
    """Send a signal to a job and its child processes."""
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.send_signal(how)
        else:
            os.killpg(process.pid, how)
