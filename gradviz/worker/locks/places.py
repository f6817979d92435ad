"""What a warm worker forgets before it takes a snippet: the paths of Python, its packages and the program, and its
environment. They contain the user's name, and code that got past the rules could print them.

Everything is imported by then, so nothing needs them: each module becomes one that was frozen into the program, as
Python's own `os` is, and its code says `<frozen gradviz.worker.process.run>` in place of a file name. What is left is
only in raw memory: strings that were freed, and the names by which the system loaded the libraries."""

from __future__ import annotations

import gc
import linecache
import os
import sys
import time
import types
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec
from pathlib import PurePath

FROZEN = "frozen"  # the origin of a module without a file
_FILES = ("__file__", "__cached__")
_LOCAL_TIME = ":/etc/localtime"


def forget_places() -> None:
    """Forget the paths in this process; nothing can be imported from a file afterwards."""
    folders = {*sys.path, sys.prefix, sys.base_prefix, os.path.dirname(sys.executable)}
    private = tuple(folder for folder in folders if len(folder) > 1)
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType):  # `typing.io` is a class
            _freeze(module)
            _forget_in_names(vars(module), private)
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType:
            _forget_in_function(thing, private)
        elif type(thing) is dict and "__file__" in thing and "__name__" in thing:
            for key in _FILES:  # of a module, or of Python's copy of an extension module's initial names
                thing.pop(key, None)
    for names in (sys.path, sys.argv, sys.orig_argv):
        names.clear()
    sys.argv.append("")
    sys.meta_path[:] = [each for each in sys.meta_path if each in (BuiltinImporter, FrozenImporter)]
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    linecache.clearcache()


def forget_environment() -> None:
    """Forget the environment, in this process only. The time zone is set by name, because the C library would otherwise
    look at its file again; on Windows no socket can be created without SYSTEMROOT, and whether one can be created is
    tested (`trial`)."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    os.environ.clear()
    vars(sys.modules[os.name])["environ"].clear()  # `posix` or `nt`, the environment at the start
    os.environ.update(kept)
    if sys.platform.startswith("linux"):
        os.environ["TZ"] = _LOCAL_TIME
        time.tzset()


def _freeze(module: types.ModuleType) -> None:
    """Make a module look frozen: no file, no folder, no loader that knows one."""
    names = vars(module)
    is_package = "__path__" in names
    if is_package:
        names["__path__"] = []
    if names.get("__spec__") is not None:
        names["__spec__"] = ModuleSpec(module.__name__, None, origin=FROZEN, is_package=is_package)
    names["__loader__"] = None


def _forget_in_names(names: dict[str, object], private: tuple[str, ...]) -> None:
    """Forget where a module keeps its data, and what `sys` knows."""
    for key, value in names.items():
        if isinstance(value, str | PurePath) and str(value).startswith(private):
            names[key] = ""


def _forget_in_function(function: types.FunctionType, private: tuple[str, ...]) -> None:
    """Forget paths in a function's code, with everything defined inside, and in its default arguments."""
    code = function.__code__
    if not code.co_filename.startswith("<"):
        imp: types.ModuleType = sys.modules["_imp"]  # with this, Python itself corrects the file name in cached code
        imp._fix_co_filename(code, f"<frozen {function.__globals__.get('__name__', '')}>")
    given = function.__defaults__
    if given and any(_is_private(each, private) for each in given):
        function.__defaults__ = tuple("" if _is_private(each, private) else each for each in given)


def _is_private(value: object, private: tuple[str, ...]) -> bool:
    return type(value) is str and value.startswith(private)
