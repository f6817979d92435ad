"""A worker in which only some layers hold, for measuring what each contains: `language`, `kernel`, or `parent`, where
nothing does but the program's own clock and limits. It belongs to the tests; the shipped worker has no such choice.

With the language alone, whatever a snippet's expressions come to is looked at, too: what no function of a snippet may
be given may not be had in any other way, whether the attack does something with it or not.

Started by `harness` as a fork server, with the arguments of a worker.
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from gradviz.worker import main
from gradviz.worker.language.guard import Guard
from gradviz.worker.modules import stand_ins
from gradviz.worker.objects import hardening
from gradviz.worker.objects.arguments import check_arguments
from gradviz.worker.running import audit, runner

# What attacks import is there already: a lock that only kept a module from being loaded would not have been tried.
_MODULES = """
asyncio atexit codecs concurrent.futures.process concurrent.futures.thread copy ctypes dbm.dumb dbm.gnu dbm.ndbm
dbm.sqlite3 faulthandler fileinput gc getpass glob http.client importlib.machinery importlib.util linecache logging
marshal mmap multiprocessing.popen_fork numpy.ctypeslib pathlib pickle platform pty pwd resource runpy shelve shutil
signal socket sqlite3 subprocess sysconfig tempfile threading tokenize urllib.request zipfile
""".split()


class PlainRunner(runner.Runner):
    """Runs a snippet as Python does, without the language's policy: with Python's own builtins and modules, NumPy
    itself, and `gradviz.torch` as torch."""

    def _run(self, source: str, filename: str, *more: Any) -> dict[str, Any]:
        for name, module in stand_ins.load_torch().items():
            sys.modules[name] = module
        names = {"__name__": "__main__", "print": runner.printer(self._write)}
        self._ticker.start()
        try:
            exec(compile(source, filename, "exec"), names)
        except BaseException as error:  # noqa: BLE001 how it ended is the result
            return _ended(error)
        finally:
            self._ticker.stop()
        return {"status": "ok"}


class Watching(ast.NodeTransformer):
    """Passes the value of each expression through a hook."""

    def generic_visit(self, node: ast.AST) -> Any:
        fields = _UNWATCHED.get(type(node), ())
        kept = {name: getattr(node, name) for name in fields}
        for name in fields:
            setattr(node, name, [] if isinstance(kept[name], list) else None)
        super().generic_visit(node)
        for name, value in kept.items():
            setattr(node, name, value)
        is_super = isinstance(node, ast.Name) and (node.id == "super" or "<" in node.id)
        if not isinstance(node, _VALUES) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or is_super:
            return node
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name("<watch>", ast.Load()), node), [node], []), node)


_VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Yield)
_UNWATCHED: dict[type, tuple[str, ...]] = {  # what is no value, or has to stay as it is written
    ast.AnnAssign: ("annotation",),
    ast.arg: ("annotation",),
    ast.FunctionDef: ("returns",),
    ast.MatchClass: ("cls",),
    ast.MatchValue: ("value",),
    ast.MatchMapping: ("keys",),
}


def parts_of(value: Any, deep: int = 3) -> Iterator[Any]:
    """Yield a value, what it contains, and what an error has behind it."""
    yield value
    inner: list[Any] = []
    if type(value) in (list, tuple, set, frozenset):
        inner = list(value)
    elif isinstance(value, dict):
        inner = list(dict.values(value))
    elif type(value) is functools.partial:
        inner = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, BaseException):
        told = vars(BaseException)
        inner = [*told["args"].__get__(value), *(told[each].__get__(value) for each in ("__context__", "__cause__"))]
    for each in inner[:_MOST] if deep else ():
        yield from parts_of(each, deep - 1)


_MOST = 50
_LOOKS = 2000  # values of one run: a method that runs in a search gives no memory back


def watching(write: Callable[[str, str], None]) -> Callable[[Any], Any]:
    left = iter(range(_LOOKS))

    def watch(value: Any) -> Any:
        for each in parts_of(value) if next(left, None) is not None else ():
            try:
                check_arguments(each)
            except TypeError:
                write("out", f"ESCAPED as a value: {type(each)}\n")
            if each is type or isinstance(each, Guard):
                write("out", f"ESCAPED as a value: {each!r}\n")
        return value

    return watch


class WatchedWorld(stand_ins.World):
    """What a snippet is offered, with the hook that looks at its values."""

    def __init__(self, torch: Any, write: Any, show: Any) -> None:
        super().__init__(torch, write, show)
        hooks = self.guard.hooks()
        self.guard.hooks = lambda: {**hooks, "<watch>": watching(write)}  # type: ignore[method-assign]


def _ended(error: BaseException) -> dict[str, Any]:
    try:
        words = f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001 a text that raises
        words = type(error).__name__
    return {"status": "raised", "sentence": words[:2000], "line": 1, "traceback": "", "last_line": ""}


def run(layer: str) -> None:
    """Be a worker with this layer only."""
    audit.refuse_from_now_on = lambda: None
    main._warm_up = lambda runner: None  # it makes a first run quicker, and none of these is timed
    if layer != "kernel":
        main.lock_down = lambda memory_mb, reading, writing: {}
    if layer == "parent":
        main.forget_places = main.forget_environment = lambda: None
    if layer == "language":
        names = runner.instrument
        runner.instrument = lambda tree: ast.fix_missing_locations(Watching().visit(names(tree)))
        runner.World = WatchedWorld  # type: ignore[misc]
    else:
        for name in _MODULES:
            with suppress(ImportError):
                importlib.import_module(name)
        hardening.harden = lambda torch: None
        runner.Runner = PlainRunner  # type: ignore[misc]
    main.main()
