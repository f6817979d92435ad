"""Run snippets, each in a process of its own, and write what each printed, warned and raised as one JSON line.

Standard library only, so that the same file runs under the Python that has the real PyTorch (see `record.py`) and under
ours, where `--gradviz` makes `import torch` mean `gradviz.torch`. What a comparison may ignore is decided in
`compare.py`, not here.

    python execute.py [--gradviz] FILE...       or - for files that are named on standard input, a line each
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import multiprocessing
import re
import sys
import traceback
import types
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

LIMIT_SECONDS = 60


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Make `torch` and `torch.x` the modules `gradviz.torch` and `gradviz.torch.x`."""

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.split(".")[0] != "torch":
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module("gradviz." + spec.name)
        self._kept = module.__spec__, module.__loader__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__, module.__loader__ = self._kept


def without_addresses(text: str) -> str:
    """The place of an object in memory differs from run to run."""
    return re.sub(r"\bat 0x[0-9a-f]+", "at 0x...", text)


@contextlib.contextmanager
def aliased() -> Iterator[None]:
    """Within this, `import torch` means `gradviz.torch`."""
    finder = _Alias()
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "torch"}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        sys.modules.update(hidden)


def first_line(text: str) -> str:
    """The first line of a warning, without the place in PyTorch's C++ sources that raised it."""
    return text.strip().split("\n", 1)[0].split(" (Triggered internally at ")[0]


@contextlib.contextmanager
def _heard(into: list[list[str]]) -> Iterator[None]:
    """Collect warnings under Python's default filters, as a terminal would show them."""

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        into.append([category.__name__, first_line(str(message))])

    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
        warnings.showwarning = show
        yield


def run_source(source: str, filename: str) -> dict[str, Any]:
    """Run one snippet here and now: what it printed, what it warned, and the last line of its traceback or None."""
    main = types.ModuleType("__main__")
    main.__dict__["__file__"] = filename
    sys.modules["__main__"] = main
    sys.argv = [filename]
    printed, heard, error = io.StringIO(), [], None
    with contextlib.redirect_stdout(printed), _heard(heard):
        try:
            exec(compile(source, filename, "exec"), main.__dict__)
        except BaseException as raised:  # noqa: BLE001 what it raised is the result
            if not (isinstance(raised, SystemExit) and raised.code in (None, 0)):
                error = without_addresses("".join(traceback.format_exception_only(raised)).strip())
    return {"stdout": without_addresses(printed.getvalue()), "warnings": heard, "error": error}


def _child(path: str, sender: Any) -> None:
    try:
        result = run_source(Path(path).read_text(encoding="utf-8"), Path(path).name)
    except BaseException:  # noqa: BLE001 goes to the parent as text
        result = {"stdout": "", "warnings": [], "error": "runner: " + traceback.format_exc()}
    sender.send_bytes(json.dumps(result).encode())


def run_file(path: str) -> dict[str, Any]:
    """Run one file in a forked child."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(path, sender))
    process.start()
    sender.close()
    try:
        if not receiver.poll(LIMIT_SECONDS):
            return {"stdout": "", "warnings": [], "error": f"runner: no end after {LIMIT_SECONDS} s"}
        result: dict[str, Any] = json.loads(receiver.recv_bytes())
        return result
    except EOFError:
        return {"stdout": "", "warnings": [], "error": "runner: the process died"}
    finally:
        process.terminate()
        process.join()


def main(arguments: Sequence[str]) -> None:
    files = [a for a in arguments if a != "--gradviz"]
    if "--gradviz" in arguments:
        sys.path.insert(0, str(Path(__file__).parents[2]))
        sys.meta_path.insert(0, _Alias())
    torch = importlib.import_module("torch")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)
    for path in map(str.strip, sys.stdin) if files == ["-"] else files:
        sys.stdout.write(json.dumps({"file": path, **run_file(path)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
