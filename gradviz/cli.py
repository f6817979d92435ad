"""The command line: `gradviz [FILE]` opens the window, `gradviz run` runs snippets without one, `gradviz export` writes
pictures, pages and data, `gradviz code` and `gradviz draw` convert between drawings and code, and `gradviz explain`
says what is wrong with a snippet.

`run` needs no Qt, and the window needs no worker before its first paint: each imports what it needs on demand. Snippets
run in the same worker, under the same policy and limits, as in the window."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.disk import printable, shown
from gradviz.document.documents import arguments_of, files_of, text_of
from gradviz.document.errors import UserError
from gradviz.document.snippet import is_recording, with_imported
from gradviz.worker.terminal import Terminal, visible

if TYPE_CHECKING:
    from gradviz.document.documents import Document
    from gradviz.document.drawing import Drawing
    from gradviz.document.snippet import Attached
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace
    from gradviz.worker.process.client import WorkerPool
    from gradviz.worker.process.events import Done

EXIT = {"ok": 0, "raised": 1, "refused": 1, "limit": 2, "died": 3, "stopped": 130}
UNREADABLE = 1
CONTROLLED = "{} has control characters, which are written as they are. An editor shows them, a terminal may obey them."

_DESCRIPTION = "See what backward() does: run a PyTorch snippet and step through its graph, forward and backward."
_EPILOG = """commands:
  gradviz run FILE...              run snippets or drawings without a window and print what they print
  gradviz export FILE OUT          its graph as svg, png or pdf, its run as a page (html) or a film (gif)
  gradviz code FILE                print the PyTorch code of a drawing
  gradviz draw FILE -o OUT         turn a snippet into a drawing, a .gradviz file
  gradviz explain FILE             say what is wrong with a snippet or a recorded job, also what raises no error
  (each of them says more with --help)

FILE is a Python file (.py), a snippet or drawing of GradViz (.gradviz), or a recording (.gvtrace). The window also
opens a lesson set: a .gvlessons file, or a folder. What follows a -- are the arguments of the snippet:
gradviz train.py -- --epochs 2"""
_FILES = "what to open, each in a window of its own; your own files run at once, one from elsewhere waits for Run"
_SNIPPET = "a Python file, or a snippet or drawing of GradViz"
_FILE = "a Python file, a snippet or drawing of GradViz, or a recording"
_RUN_EPILOG = """exit status:
  0  all is well
  1  the snippet raised an error or was refused, or the file can't be read
  2  a limit stopped it (time, memory, output, steps); --time-limit sets the time
  3  the worker process died

What follows a -- are the arguments of the snippet: gradviz run train.py -- --epochs 2"""


def run_command_line(arguments: Sequence[str]) -> int:
    """Carry out the command line; returns the exit status."""
    commands = {"run": _run, "export": _export, "code": _code, "draw": _draw, "explain": _explain}
    does = commands.get(arguments[0]) if arguments else None
    return does(arguments[1:]) if does is not None else _window(arguments)


# --- gradviz run ---


def _run(arguments: Sequence[str]) -> int:
    parser = _run_parser()
    options, given = _parsed(parser, arguments)
    if options.record and len(options.files) > 1:
        parser.error("--record goes with one FILE")
    files = _attached(options.attach)
    if files is None:
        return UNREADABLE
    from gradviz.classroom import limits
    from gradviz.worker.process.client import pool_of_a_command

    most = limits()
    if options.time_limit is not None:
        most = replace(most, wall_seconds=options.time_limit, cpu_seconds=options.time_limit)
    with pool_of_a_command(most) as pool:
        pool.warm()
        pool.iterations = options.iterations or ""
        every = options.every_step
        forms = (given, options.json, options.steps or every, options.plots, every, options.record)
        return max(_run_file(pool, path, files, *forms) for path in options.files)


def _run_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradviz run",
        description="Run snippets or drawings, one after the other, each in a worker process of its own, and print "
        "what they print. input() reads from standard input.",
        epilog=_RUN_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=Path, help=f"{_SNIPPET}; with --steps or --json also a recording"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json",
        action="store_true",
        help="print the recorded steps as JSON, one object per file and line, instead of the output",
    )
    steps = "print the recorded steps as text after the output; those that bring no news share a line"
    form.add_argument("--steps", action="store_true", help=steps)
    form.add_argument("--every-step", action="store_true", help="the same, with a line for each step")
    parser.add_argument("--time-limit", type=_seconds, metavar="SECONDS", help="stop a snippet after this time")
    which = "which iterations of a training are recorded: first:20, every:10, last:5, 7, 100-102, or several of these"
    parser.add_argument("--iterations", type=_iterations, metavar="WHICH", help=which)
    parser.add_argument(
        "--plots", type=Path, metavar="FOLDER", help="write what is drawn with matplotlib there, as PNG"
    )
    parser.add_argument(
        "--record", type=_recording, metavar="OUT", help="write all recorded steps to OUT.gvtrace, for the window"
    )
    _add_attach(parser)
    return parser


def _parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> tuple[argparse.Namespace, Sequence[str]]:
    """The options, and the snippet's own arguments after "--"."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return parser.parse_args(arguments[:at]), arguments[at + 1 :]


def _add_attach(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--attach",
        type=Path,
        metavar="PATH",
        action="append",
        default=[],
        help="a file that the snippet reads, or a folder of such files; may be given several times. The modules "
        "beside FILE that it imports need none",
    )


def _attached(paths: Sequence[Path]) -> tuple[Attached, ...] | None:
    """The files at these paths; None, after saying why, if something can't be attached."""
    from gradviz.document.snippet import read, together

    found: tuple[Attached, ...] = ()
    try:
        for path in paths:
            found = together(found, read(path))
    except UserError as error:
        _say(str(error))
        return None
    return found


def _run_file(
    pool: WorkerPool,
    path: Path,
    files: tuple[Attached, ...],
    arguments: Sequence[str],
    as_json: bool,
    as_steps: bool,
    plots: Path | None,
    every: bool = False,
    record: Path | None = None,
) -> int:
    if is_recording(path):
        return _show_recording(path, as_json, as_steps, every)
    document = _document_of(path, "there is nothing to run")
    if document is None:
        return UNREADABLE
    text, name = text_of(document), shown(path.name)
    trace = _new_trace(text) if as_json or as_steps or record else None
    from gradviz.worker.process.headless import follow

    drawn: list[Figure] = []
    files = with_imported(text, path.parent, (*files_of(document), *files))
    given = arguments or arguments_of(document)
    done = follow(pool, text, name, trace, show_output=not as_json, plots=drawn, files=files, arguments=given)
    if trace is not None:
        _print_steps(trace, path, done, as_json, as_steps, every)
    sys.stdout.flush()
    if trace is not None and record is not None and not _write_recording(record, trace, name, done, drawn):
        return UNREADABLE
    sys.stderr.write(done.detail.traceback)
    _say_what_stopped(text, name, done)
    written = not drawn or _write_plots(drawn, path, plots)
    return EXIT[done.status] if written else EXIT[done.status] or UNREADABLE


def _say_what_stopped(text: str, name: str, done: Done) -> None:
    """Say why it did not run, or not to its end, and everything else that would stop this file."""
    detail = done.detail
    if done.status not in ("ok", "raised"):
        for sentence in [each.sentence for each in detail.refusals] or [detail.sentence]:
            _say(f"{name}: {sentence}")
    if detail.missing or detail.refusals:
        from gradviz.session.obstacles import obstacles

        others = obstacles(text, (), detail.missing).every
        for each in others if detail.refusals or len(others) > 1 else ():
            _say(f"{name}: {each.sentence}")


def _print_steps(trace: Trace, path: Path, done: Done, as_json: bool, as_steps: bool, every: bool) -> None:
    if as_json:
        import json

        from gradviz.trace.words.jsonable import trace_json

        document = {"file": path.name, "status": done.status, "sentence": done.detail.sentence, **trace_json(trace)}
        sys.stdout.write(json.dumps(document) + "\n")
    if as_steps:
        from gradviz.report import step_lines

        for line in step_lines(trace, every=every):
            sys.stdout.write(f"{line}\n")


def _write_recording(out: Path, trace: Trace, name: str, done: Done, drawn: Sequence[Figure]) -> bool:
    """Write the recording to a file; False, after saying why, if that failed."""
    from gradviz import __version__
    from gradviz.document.files import recordings
    from gradviz.trace.table.recording import Ending

    detail = done.detail
    ending = Ending(done.status, detail.sentence, detail.line, detail.seconds)
    try:
        about = recordings.about_now(trace.source, name, f"GradViz {__version__}")
        recordings.write(out, trace, about, ending, drawn)
    except UserError as error:
        _say(str(error))
        return False
    return True


def _show_recording(path: Path, as_json: bool, as_steps: bool, every: bool) -> int:
    """Print the steps of a recording, which is not run."""
    from gradviz.document.files import recordings
    from gradviz.worker.process.events import Detail, Done

    name = shown(path.name)
    try:
        found = recordings.read(path)
        if not (as_json or as_steps):
            raise UserError(
                f"{name} is a recording, which can't be run. Add --steps or --json, or open it: gradviz {name}"
            )
    except UserError as error:
        _say(str(error))
        return UNREADABLE
    ending = found.ending
    detail = Detail(ending.sentence if ending else recordings.BROKEN_OFF)
    _print_steps(found.trace, path, Done(ending.status if ending else "stopped", detail), as_json, as_steps, every)
    sys.stdout.flush()
    return 0


def _themes() -> list[str]:
    """The themes for pictures; the window can also follow the system."""
    from gradviz.session.state import THEME_CHOICES

    return [theme for theme in THEME_CHOICES if theme != "system"]


def _recording(text: str) -> Path:
    if not is_recording(Path(text)):
        raise argparse.ArgumentTypeError(f"{text!r} must end in .gvtrace")
    return Path(text)


def _write_plots(drawn: list[Figure], path: Path, folder: Path | None) -> bool:
    """Say where the plots are, or how to see them; False if they could not be written."""
    many = "a plot" if len(drawn) == 1 else f"{len(drawn)} plots"
    name = shown(path.name)
    if folder is None:
        _say(f"{name} drew {many}: gradviz {name} shows them, gradviz run --plots FOLDER writes them.")
        return True
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from gradviz.ui.startup import import_obstacle, obstacle

    try:
        hindrance = obstacle()
        if hindrance is not None:
            raise UserError(hindrance)
        from gradviz.ui.figures.painter import write_all

        for picture in write_all(drawn, folder, path.stem):
            _say(f"{name} drew {printable(str(picture))}")
    except UserError as error:
        _say(str(error))
        return False
    except ImportError as error:
        _say(import_obstacle(error))
        return False
    return True


def _document_of(path: Path, otherwise: str) -> Document | None:
    """A snippet or a drawing; None, after saying why, if there is none."""
    from gradviz.document.files.opening import load

    name = shown(path.name)
    try:
        if is_recording(path):
            raise UserError(f"{name} is a recording, which can't be run or changed. Open it: gradviz {name}")
        contents = load(path)
        if contents.document.is_blank:
            raise UserError(f"{name} is empty: {otherwise}.")
    except UserError as error:
        _say(str(error))
        return None
    if contents.sentence(name):
        _say(contents.sentence(name))
    return contents.document


def _new_trace(source: str) -> Trace:
    from gradviz.trace.table.trace import Trace

    return Trace(source)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return seconds


def _iterations(text: str) -> str:
    from gradviz.trace.record.chosen import Choice

    try:
        Choice.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


# --- gradviz code, gradviz draw ---


def _code(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="gradviz code", description="Print the PyTorch code of a drawing.")
    parser.add_argument("file", metavar="FILE", type=Path, help=_SNIPPET)
    options = parser.parse_args(arguments)
    document = _document_of(options.file, "there is no code")
    if document is None:
        return UNREADABLE
    output, text = Terminal.around(sys.stdout), text_of(document)
    if output.isatty() or visible(text) == text:
        output.write(text)
    else:  # see Note [Not a terminal] in `terminal`
        output.exact(text)
        _say(CONTROLLED.format(shown(options.file.name)))
    return 0


def _draw(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="gradviz draw",
        description="Turn a snippet into a drawing. Code that can't be drawn as it is written, such as loops and "
        "functions, is run, and drawn as it ran.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help=_SNIPPET)
    parser.add_argument("-o", "--out", required=True, type=_drawing, metavar="OUT", help="the drawing, OUT.gradviz")
    options = parser.parse_args(arguments)
    from gradviz.document.documents import Contents
    from gradviz.document.files import opening

    document = _document_of(options.file, "there is nothing to draw")
    if document is None:
        return UNREADABLE
    try:
        drawing, notes = _drawn(document, shown(options.file.name))
        opening.save(options.out, Contents(drawing))
    except UserError as error:
        _say(str(error))
        return UNREADABLE
    for note in notes:
        _say(note)
    return 0


def _drawn(document: Document, name: str) -> tuple[Drawing, Sequence[str]]:
    """The drawing of code as it is written, or else as it ran, and how it differs from the code."""
    from gradviz.document.code.parse import read

    try:
        reading = read(text_of(document))
    except UserError as error:
        from gradviz.classroom import limits
        from gradviz.document.from_trace import from_trace
        from gradviz.worker.process.client import pool_of_a_command
        from gradviz.worker.process.headless import follow

        text, files = text_of(document), files_of(document)
        trace = _new_trace(text)
        with pool_of_a_command(limits()) as pool:
            done = follow(pool, text, name, trace, show_output=False, files=files, arguments=arguments_of(document))
        if done.status != "ok":
            raise UserError(f"{name} can't be drawn: {error} Nor can its run be: {done.detail.sentence}") from error
        drawing, notes = from_trace(trace)
        why = str(error).partition(". ")[0].rstrip(".")
        return drawing, (f"{why}. So {name} was run, and is drawn as it ran.", *notes)
    return reading.drawing, reading.passed_over


def _drawing(text: str) -> Path:
    if Path(text).suffix.lower() != ".gradviz":
        raise argparse.ArgumentTypeError(f"{text!r} must end in .gradviz")
    return Path(text)


# --- gradviz explain ---

_EXPLAIN_EPILOG = """exit status:
  0  nothing was found
  1  something was found, or with --fix: there is no such finding or no fix for it
  2  the file can't be read, or was refused, stopped at a limit or ended with the worker before anything was found"""
_NOT_EXPLAINED = 2


def _explain(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="gradviz explain",
        description="Say what is wrong with a snippet, which is run, or with a recorded job: the error that ended it, "
        "and mistakes that raise none, such as gradients that are never cleared. The worst comes first.",
        epilog=_EXPLAIN_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help=_FILE)
    parser.add_argument("--json", action="store_true", help="print a JSON list with an object for each finding")
    parser.add_argument("--fix", metavar="ID", help="print the snippet with the first fix of this finding instead")
    parser.add_argument("--why", metavar="NAME", help="say why this tensor, or its .grad, is as it is in the end")
    _add_attach(parser)
    options, given = _parsed(parser, arguments)
    from gradviz.report import fixed, found_text, rank_table, reasons
    from gradviz.session.doctor.lessons import diagnose

    try:
        trace, name, stopped = (
            _recorded(options.file) if is_recording(options.file) else _followed(options.file, options.attach, given)
        )
        if options.why is not None:
            sys.stdout.write(reasons(trace, options.why, name))
            return 0
        if not (options.json or options.fix):
            sys.stdout.write(rank_table(options.file))
    except UserError as error:
        _say(str(error))
        return _NOT_EXPLAINED
    findings = diagnose(trace)
    if stopped:
        _say(f"{name}: {stopped}")
        if not findings:
            return _NOT_EXPLAINED
    if options.fix is not None:
        text, why_not = fixed(findings, options.fix)
        sys.stdout.write(text)
        if why_not:
            _say(why_not)
        return int(bool(why_not))
    sys.stdout.write(found_text(trace, findings, name, as_json=options.json))
    return int(bool(findings))


def _followed(path: Path, attach: Sequence[Path], given: Sequence[str]) -> tuple[Trace, str, str]:
    """Run a snippet or a drawing; its trace, its name, and what stopped it, if that was no error of its own."""
    document, files = _document_of(path, "there is nothing to explain"), _attached(attach)
    if document is None or files is None:
        raise SystemExit(_NOT_EXPLAINED)
    from gradviz.classroom import limits
    from gradviz.worker.process.client import pool_of_a_command
    from gradviz.worker.process.headless import follow

    text, name = text_of(document), shown(path.name)
    trace, given = _new_trace(text), given or arguments_of(document)
    files = with_imported(text, path.parent, (*files_of(document), *files))
    with pool_of_a_command(limits()) as pool:
        done = follow(pool, text, name, trace, show_output=False, show_errors=False, files=files, arguments=given)
    return trace, name, "" if done.status == "ok" or len(trace.errors) else done.detail.sentence


def _recorded(path: Path) -> tuple[Trace, str, str]:
    """The same of a recording, which is not run; UserError if it can't be read."""
    from gradviz.document.files import recordings

    found = recordings.read(path)
    name = shown(found.about.name or path.name)
    return found.trace, name, "" if found.ending else recordings.BROKEN_OFF


# --- gradviz export, gradviz [FILE] ---


def _export(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="gradviz export",
        description="Run a snippet or drawing and write a picture of its graph at a step, its whole run as a page or a "
        "film, or the graph as data. The name says which: .svg, .pdf, .png; .html; .webp, .gif, .mp4; .dot, .json or "
        ".graphml.",
    )
    parser.add_argument("file", metavar="FILE", help=_FILE)
    parser.add_argument("name", metavar="OUT", nargs="?", help="the file to write, such as graph.svg")
    parser.add_argument("-o", "--out", metavar="OUT", help="the same")
    parser.add_argument(
        "--step", type=_step, metavar="N|end", default=None, help="the step to draw, or at which a page begins"
    )
    parser.add_argument("--scale", type=_scale, metavar="TIMES", default=1.0, help="how much larger pictures are")
    parser.add_argument("--theme", choices=_themes(), help="the colours; a page without it follows its reader")
    parser.add_argument("--every-step", action="store_true", help="a page or a film stops at steps without news, too")
    parser.add_argument("--vertical", action="store_true", help="from top to bottom instead of from left to right")
    _add_attach(parser)
    options, given = _parsed(parser, arguments)
    if (options.out is None) == (options.name is None):
        parser.error("say once which file to write, such as: gradviz export snippet.py graph.svg")
    files = _attached(options.attach)
    if files is None:
        return UNREADABLE
    from gradviz.ui.sharing.export import Options, export

    wanted = Options(options.step, options.scale, options.theme, options.every_step, options.vertical, files, given)
    return export(options.file, options.out or options.name, wanted)


def _window(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="gradviz", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help=_FILES)
    parser.add_argument("--step", type=_step, metavar="N|end", help="run the snippet and go to this step")
    parser.add_argument("--screenshot", metavar="OUT.png", help="write a picture of the window and exit")
    parser.add_argument("--size", type=_size, metavar="WxH", help="size of the window, as 1400x900")
    parser.add_argument("--theme", choices=_themes(), help="the colours of the picture")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--verbose", action="store_true", help="with --version: also its parts and locks, for a report")
    options, given = _parsed(parser, arguments)
    if given and not options.files:
        parser.error("what follows -- are the arguments of a FILE")
    if options.version:
        return _version(options.verbose)
    if options.verbose:
        parser.error("--verbose goes with --version")
    from gradviz.document.files.recordings import on_this_computer
    from gradviz.ui.app import main

    try:
        files = [on_this_computer(each) for each in options.files]
    except UserError as error:
        _say(str(error))
        return UNREADABLE
    return main(files, options.step, options.screenshot, options.size, options.theme, given)


def _version(verbose: bool) -> int:
    from gradviz import about

    if not verbose:
        sys.stdout.write(f"gradviz {about.version()}\n")
        return 0
    from gradviz.classroom import classroom, limits
    from gradviz.worker.locks.layers import sentence
    from gradviz.worker.process.client import pool_of_a_command

    with pool_of_a_command(limits()) as pool:
        layers = pool.tried_layers(seconds=30)
    for line in (*about.lines(), *classroom().lines()):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"\n{sentence(layers)}\n")
    return 0


def _step(text: str) -> str:
    if text != "end" and not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor 'end'")
    return text


def _scale(text: str) -> float:
    scale = float(text)
    if not 0.05 <= scale <= 20:
        raise argparse.ArgumentTypeError(f"{text} is not between 0.05 and 20")
    return scale


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{2,5})[x×](\d{2,5})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 1400x900")
    return int(found[1]), int(found[2])
