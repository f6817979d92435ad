"""An unmodified script under the recorder: `python -m gradviz.record`, with the script and its arguments. The script is
instrumented like a snippet, so that its names, loops and functions are recorded, and run as `__main__` with its own
arguments, streams and errors."""

from __future__ import annotations

import argparse
import ast
import linecache
import sys
import tokenize
import types
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from gradviz.recorder import rank_of
from gradviz.trace.record.binding import length_of
from gradviz.trace.record.chosen import EXAMPLES, Choice
from gradviz.trace.record.location import TOTAL
from gradviz.trace.table.recording import SUFFIX

_MOST = 64  # elements of a container that get names


def main(arguments: Sequence[str]) -> int:
    """Record a script; return the exit status that the script itself would have."""
    options = _parser().parse_args(arguments)
    script = Path(options.script)
    try:
        with tokenize.open(script) as file:
            source = file.read()
        tree = ast.parse(source, str(script))
    except (OSError, SyntaxError, UnicodeDecodeError, ValueError) as error:
        return _refuse(f"{script} can't be read: {error}")
    try:
        import torch  # noqa: F401
    except ImportError:
        return _refuse("Recording needs PyTorch: install torch in this environment, or use one that has it.")
    from gradviz.recorder.job import Wishes

    out = _out(options.out, script)
    wishes = Wishes(options.steps, options.values, budget=options.budget << 20)
    sys.stdout.flush()
    status = run(script, source, tree, out, wishes, options.arguments)
    if not options.quiet:
        opening = f"it: gradviz {out}" if rank_of()[1] == 1 else f"all ranks: gradviz {out.parent}"
        sys.stderr.write(f"Recorded {out}. To open {opening}\n")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gradviz.record",
        description="Run a PyTorch script as it is, and record every step of it for the window.",
    )
    parser.add_argument("-o", "--out", type=Path, metavar="OUT", help="the recording; SCRIPT.gvtrace if absent")
    kept = ("full", "summary", "none")
    parser.add_argument("--values", choices=kept, default="full", help="how much of each tensor is kept")
    wanted = f"which iterations, counted by the updates of an optimizer from 0: {EXAMPLES}, also with commas between"
    parser.add_argument("--steps", type=_choice, metavar="WHICH", help=wanted)
    parser.add_argument("--budget", type=int, default=1024, metavar="MB", help="how much of values is kept whole")
    parser.add_argument("--quiet", action="store_true", help="do not say where the recording is")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="the script's own arguments")
    return parser


def _choice(text: str) -> Choice:
    try:
        return Choice.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _out(given: Path | None, script: Path) -> Path:
    """The file of the recording: several processes each have their own file in a folder."""
    out = given or Path(script.with_suffix(SUFFIX).name)
    rank, ranks = rank_of()
    if ranks > 1:
        folder = out.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"rank{rank}{SUFFIX}"
    return out


def run(script: Path, source: str, tree: ast.Module, out: Path, wishes: Any, arguments: Sequence[str]) -> int:
    """Run the script as `python script.py arguments` would, under the recorder."""
    from gradviz.recorder.job import Job
    from gradviz.trace.record.instrument import instrument

    name = str(script)
    job = Job(out, source, name, wishes)
    binder = _Binder(job)
    code = compile(instrument(tree), name, "exec")
    module = types.ModuleType("__main__")
    vars(module).update({"__file__": name, "__builtins__": __builtins__, **binder.hooks()})
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    sys.modules["__main__"], sys.argv = module, [name, *arguments]
    sys.path[0] = str(script.resolve().parent)
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = tees = _Tee(job, sys.stdout, "out"), _Tee(job, sys.stderr, "err")
    status, failed = 0, None
    job.begin()
    try:
        exec(code, vars(module))
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException as error:  # noqa: BLE001  it is told as Python does, below
        status, failed = 1, error
    finally:
        sys.stdout, sys.stderr = streams
        for tee in tees:
            tee.end()
    job.end(failed, failed.__traceback__ if failed is not None else None)
    if failed is not None:
        _tell(failed)
    return status


def _tell(error: BaseException) -> None:
    """Print the traceback as Python does, without the frames of the recorder."""
    frames = []
    at = error.__traceback__
    while at is not None:
        if not str(at.tb_frame.f_globals.get("__name__")).startswith(__package__):
            frames.append(at)
        at = at.tb_next
    made: TracebackType | None = None
    for each in reversed(frames):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    sys.excepthook(type(error), error.with_traceback(made), made)


class _Tee:
    """Turns each line that the script prints into a step."""

    def __init__(self, job: Any, stream: TextIO, name: str) -> None:
        self._job, self._stream, self._name, self._text = job, stream, name, ""

    def write(self, text: str) -> int:
        """Print, and keep the text up to the end of the line."""
        written = self._stream.write(text)
        self._text += text
        if self._text.endswith("\n"):
            self.end()
        return written

    def end(self) -> None:
        """Record what was printed without a final newline as a step, too."""
        if self._text:
            self._job.print(self._name, self._text)
            self._text = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Binder:
    """Records the names that the script binds, as `binding.Binder` does for a snippet."""

    def __init__(self, job: Any) -> None:
        self._job = job
        self._stack = job.rows.regions.stack

    def hooks(self) -> dict[str, object]:
        """The names that instrumented code needs."""
        from gradviz.trace.record.instrument import ALSO, CATCH, HOOK, ITERATE, LEFT, SIZED, STACK

        tells = {HOOK: self.bind, ITERATE: self.iterate, ALSO: self.also, CATCH: _nothing}
        return {**tells, SIZED: self.sized, LEFT: _nothing, STACK: self._stack}

    def bind(self, name: str, value: Any, rank: int = 0) -> Any:
        """The script bound `value` to `name`."""
        import torch

        if isinstance(value, torch.Tensor):
            self._name(value, name, rank)
        elif isinstance(value, torch.nn.Module):
            if not name.startswith("self") and self._is_ready(value):
                self._job.name_module(name, value)
        elif type(value) in (list, tuple, dict):
            pairs = list(value.items() if type(value) is dict else enumerate(value))[:_MOST]
            for key, each in pairs:
                if isinstance(each, torch.Tensor) and isinstance(key, (str, int)):
                    self._name(each, f"{name}[{key!r}]", max(rank, 1))
        return value

    def _is_ready(self, module: Any) -> bool:
        return "_parameters" in vars(module) and self._job.is_recording

    def _name(self, tensor: Any, name: str, rank: int) -> None:
        self._job.name(tensor, name, rank)

    def iterate(self, name: str, value: Any) -> None:
        """The next iteration of a loop begins, and `name` is its first variable."""
        from gradviz.trace.record.location import COUNT, ROW, UNKNOWN, VALUE, VARIABLE

        stack = self._stack
        stack[COUNT] += 1
        stack[ROW] = UNKNOWN
        is_number = type(value) in (int, float, str) and name[:1] != "_"
        stack[VARIABLE], stack[VALUE] = (name, value) if is_number else ("", None)
        if not is_number:
            self.bind(name, value, 2)

    def sized(self, gone_through: Any) -> Any:
        """A loop will go through this."""
        self._stack[TOTAL] = length_of(gone_through)
        return gone_through

    def also(self, name: str, value: Any) -> None:
        """Another variable of a loop."""
        from gradviz.trace.record.location import VALUE, VARIABLE

        if type(value) not in (int, float, str):
            self.bind(name, value, 2)
        elif self._stack[VALUE] is None and name[0] != "_":
            self._stack[VARIABLE], self._stack[VALUE] = name, value


def _nothing() -> None:
    """Not recorded: what the script catches, and where a loop ends."""


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 2
