"""An unmodified script under the recorder: `python -m gradviz.record`, with the script and its arguments. The script is
instrumented like a snippet, so that its names, loops and functions are recorded, and run as `__main__` with its own
arguments, streams and errors."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import linecache
import sys
import tokenize
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from gradviz.recorder import rank_of
from gradviz.recorder.output import guarded
from gradviz.trace.record.binding import length_of
from gradviz.trace.record.chosen import EXAMPLES, Choice, Thinning
from gradviz.trace.record.location import TOTAL
from gradviz.trace.table.recording import SUFFIX

if TYPE_CHECKING:
    from gradviz.recorder.job import Job

_MOST = 64  # elements of a container that get names
_COMPILER = ("torch._compile", "torch._dynamo.eval_frame")  # around our functions, so that it leaves them alone


def main(arguments: Sequence[str]) -> int:
    """Record a script; return the exit status that the script itself would have."""
    options = _parser().parse_args(arguments)
    try:
        spec = _spec_of(options.script) if options.is_module else None
        script = Path(options.script if spec is None else str(spec.origin))
        with tokenize.open(script) as file:
            source = file.read()
        tree = ast.parse(source, str(script))
    except (OSError, SyntaxError, ImportError, ValueError) as error:
        return _refuse(f"{options.script} can't be read: {error}")
    try:
        import torch  # noqa: F401
    except ImportError:
        return _refuse("Recording needs PyTorch: install torch in this environment, or use one that has it.")
    try:
        from gradviz.recorder.job import Job, Wishes
    except ImportError as error:  # too old, or the environment lacks something else
        return _refuse(str(error))

    steps = options.steps or Thinning()
    wishes = Wishes(steps, options.values, budget=options.budget << 20)
    sys.stdout.flush()
    try:
        out = _out(options.out, script if spec is None else Path(options.script.rpartition(".")[2]))
        job = Job(out, source, str(script.absolute()), wishes)
    except OSError as error:
        return _refuse(f"The recording can't be written: {error}")
    status = run(script, source, tree, job, options.arguments, spec)
    if not options.quiet:
        opening = f"it: gradviz {out}" if rank_of()[1] == 1 else f"all ranks: gradviz {out.parent}"
        thinned = f" {told}" if isinstance(steps, Thinning) and (told := steps.told()) else ""
        sys.stderr.write(f"Recorded {out}.{thinned} To open {opening}\n")
    return status


def _spec_of(name: str) -> ModuleSpec:
    """The module that `python -m name` would run, of a package its `__main__`; this imports the packages around it."""
    found = importlib.util.find_spec(name)
    if found is not None and found.submodule_search_locations is not None:
        name = f"{name}.__main__"
        found = importlib.util.find_spec(name)
    if found is None:
        raise ImportError(f"there is no module {name}")
    if not (found.origin or "").endswith(".py"):
        raise ImportError("it is not made of Python code")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gradviz.record",
        description="Run a PyTorch script as it is, and record every step of it for the window.",
    )
    parser.add_argument("-o", "--out", type=Path, metavar="OUT", help="the recording; SCRIPT.gvtrace if absent")
    kept = ("full", "summary", "none")
    parser.add_argument("--values", choices=kept, default="full", help="how much of each tensor is kept")
    wanted = f"which iterations, counted by the updates of an optimizer from 0: {EXAMPLES}, also with commas between"
    absent = "; all if absent, but fewer and fewer of a long job"
    parser.add_argument("--steps", type=_choice, metavar="WHICH", help=wanted + absent)
    parser.add_argument("--budget", type=int, default=1024, metavar="MB", help="how much of values is kept whole")
    parser.add_argument("--quiet", action="store_true", help="do not say where the recording is")
    called = "SCRIPT is the name of a module, as for python -m"
    parser.add_argument("-m", action="store_true", dest="is_module", help=called)
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


def run(
    script: Path,
    source: str,
    tree: ast.Module,
    job: Job,
    arguments: Sequence[str],
    spec: ModuleSpec | None = None,
) -> int:
    """Run the script as `python script.py arguments` would, or `python -m` with a module, under the recorder."""
    name = str(script.absolute())
    binder = _Binder(job)
    code = binder.compiled(tree, name) or compile(source, name, "exec")
    module = types.ModuleType("__main__")
    vars(module).update({"__file__": name, "__builtins__": __builtins__, **binder.hooks()})
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    sys.modules["__main__"], sys.argv = module, [str(script), *arguments]
    if spec is None:
        sys.path[0] = str(script.resolve().parent)
    else:
        vars(module).update({"__spec__": spec, "__package__": spec.parent, "__loader__": spec.loader})
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
    at = None if failed is None else failed.__traceback__
    if failed is not None:
        failed.with_traceback(own_frames(at))
    job.end(failed, at)
    if failed is not None:
        sys.excepthook(type(failed), failed, failed.__traceback__)
    return status


def own_frames(at: TracebackType | None) -> TracebackType | None:
    """A traceback as it is without the recorder: without its frames, and those of the compiler around them."""
    frames: list[TracebackType] = []
    while at is not None:
        if str(at.tb_frame.f_globals.get("__name__")).startswith(__package__):
            while frames and frames[-1].tb_frame.f_globals.get("__name__") in _COMPILER:
                frames.pop()
        else:
            frames.append(at)
        at = at.tb_next
    made: TracebackType | None = None
    for each in reversed(frames):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return made


class _Tee:
    """Turns each line that the script prints into a step."""

    def __init__(self, job: Any, stream: TextIO, name: str) -> None:
        self._job, self._stream, self._name, self._text = job, stream, name, ""
        self.output = job.output

    def write(self, text: str) -> int:
        """Print, and keep the text up to the end of the line."""
        written = self._stream.write(text)
        self._keep(text)
        return written

    @guarded
    def _keep(self, text: str) -> None:
        self._text += text
        if self._text.endswith("\n"):
            self.end()

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
        self._job, self.output = job, job.output
        self._stack = job.rows.regions.stack

    @guarded
    def compiled(self, tree: ast.Module, name: str) -> CodeType:
        """The script with calls of these functions."""
        from gradviz.trace.record.instrument import instrument

        return compile(instrument(tree, can_end=False), name, "exec")

    def hooks(self) -> dict[str, object]:
        """The names that instrumented code needs."""
        from gradviz.trace.record.instrument import ALSO, CATCH, HOOK, ITERATE, LEFT, SIZED, STACK

        tells = {HOOK: self.bind, ITERATE: self.iterate, ALSO: self.also, CATCH: _nothing}
        return {**tells, SIZED: self.sized, LEFT: _nothing, STACK: self._stack}

    def bind(self, name: str, value: Any, rank: int = 0) -> Any:
        """The script bound `value` to `name`."""
        if self._job.is_recording:
            self._note(name, value, rank)
        return value

    @guarded
    def _note(self, name: str, value: Any, rank: int) -> None:
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

    def _is_ready(self, module: Any) -> bool:
        return "_parameters" in vars(module) and self._job.is_recording

    def _name(self, tensor: Any, name: str, rank: int) -> None:
        self._job.name(tensor, name, rank)

    @guarded
    def iterate(self, name: str, value: Any) -> None:
        """The next iteration of a loop begins, and `name` is its first variable."""
        from gradviz.trace.record.location import COUNT, ROW, UNKNOWN, VALUE, VARIABLE

        stack = self._stack
        stack[COUNT] += 1
        stack[ROW] = UNKNOWN
        is_number = type(value) in (int, float, str) and name[:1] != "_"
        stack[VARIABLE], stack[VALUE] = (name, value) if is_number else ("", None)
        if not is_number:
            self._note(name, value, 2)

    def sized(self, gone_through: Any) -> Any:
        """A loop will go through this."""
        self._size(gone_through)
        return gone_through

    @guarded
    def _size(self, gone_through: Any) -> None:
        self._stack[TOTAL] = length_of(gone_through)

    @guarded
    def also(self, name: str, value: Any) -> None:
        """Another variable of a loop."""
        from gradviz.trace.record.location import VALUE, VARIABLE

        if type(value) not in (int, float, str):
            self._note(name, value, 2)
        elif self._stack[VALUE] is None and name[0] != "_":
            self._stack[VARIABLE], self._stack[VALUE] = name, value


def _nothing() -> None:
    """Not recorded: what the script catches, and where a loop ends."""


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 2
