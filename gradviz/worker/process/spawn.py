"""The command line and the environment of a new worker process, from source, a wheel or any frozen program."""

from __future__ import annotations

import importlib.util
import os
import sys

WORKER_FLAG = "--gv-worker"
WORKER_EXECUTABLE = "gradviz-worker"
FOLDER_FLAG = "--gv-folder="
_PACKAGES = ("numpy", "ml_dtypes", "einops")


def worker_command() -> list[str]:
    """Return the command that starts a worker: a second executable of the same bundle, this program with a flag, or
    Python."""
    if "__compiled__" in globals():  # Nuitka: sys.executable may not exist
        return [os.path.abspath(sys.argv[0]), WORKER_FLAG]
    name = os.path.basename(sys.executable).lower()
    if not getattr(sys, "frozen", False) and name.startswith("python"):
        return source_command()
    suffix = ".exe" if os.name == "nt" else ""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), WORKER_EXECUTABLE + suffix)
    return [beside, WORKER_FLAG] if os.path.exists(beside) else [sys.executable, WORKER_FLAG]


def source_command(module: str = "gradviz.worker.main", call: str = "main()") -> list[str]:
    """Return a command for isolated Python (no current folder, no site, our own environment) that calls a function of a
    module. Arguments tell it where its packages are, because the text of a running program can't be forgotten."""
    code = (
        f"import sys; found = [each[{len(FOLDER_FLAG)}:] for each in sys.argv if each.startswith({FOLDER_FLAG!r})]; "
        "sys.path.insert(0, found[0]); sys.path.extend(found[1:]); del found; "
        f"from {module} import {call.partition('(')[0]}; {call}"
    )
    folders = [FOLDER_FLAG + folder for folder in search_folders()]
    return [_python(), "-P", "-s", "-S", "-X", "utf8", "-c", code, *folders, WORKER_FLAG]


def _python() -> str:
    """Return the interpreter itself: in a virtual environment on Windows, `python.exe` only starts it as another
    process, which a Job of one process refuses."""
    return getattr(sys, "_base_executable", "") or sys.executable if os.name == "nt" else sys.executable


def search_folders() -> list[str]:
    """Return where a worker looks for its packages, this program's own folder first."""
    packages = {os.path.dirname(folder) for name in _PACKAGES if (folder := _package(name))}
    return [_own_folder(), *sorted(packages)]


def _own_folder() -> str:
    folder = os.path.abspath(__file__)
    for _ in ("spawn", "process", "worker", "gradviz"):
        folder = os.path.dirname(folder)
    return folder


def worker_folders() -> list[str]:
    """Return the folders from which a worker reads its program, with everything below them, packages and Python
    included."""
    beside = os.path.dirname(os.path.abspath(sys.executable))
    if getattr(sys, "frozen", False):  # in a macOS bundle, libraries and resources are beside the folder of executables
        return [os.path.dirname(beside) if os.path.basename(beside) == "MacOS" else beside]
    own = [os.path.join(_own_folder(), name) for name in ("gradviz", "resources")]
    packages = [*own, *filter(None, map(_package, _PACKAGES))]
    return [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *packages]


def package_folder(name: str) -> str:
    """Return the folder in which another Python finds a package of this program; "" if there is none."""
    if getattr(sys, "frozen", False):
        return os.path.join(getattr(sys, "_MEIPASS", ""), "recorder")
    folder = _package(name)
    return os.path.dirname(folder) if folder else ""


def _package(name: str) -> str | None:
    spec = importlib.util.find_spec(name)
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else None


def worker_environment(scratch: str) -> dict[str, str]:
    """Return a clean environment: nothing of the user's, one BLAS thread, the scratch folder as home."""
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": scratch, "PYTHONHASHSEED": "0"}  # sets print the same
    env |= {"MALLOC_ARENA_MAX": "1"}  # glibc: otherwise what a thread forks is twice as slow for large arrays
    env |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
    if os.name == "nt":  # no process starts without SYSTEMROOT; the user's folders are left out
        root = os.environ.get("SYSTEMROOT", r"C:\Windows")
        env |= {
            "SYSTEMROOT": root,
            "PATH": rf"{root}\System32",
            "TEMP": scratch,
            "TMP": scratch,
            "USERPROFILE": scratch,
        }
    return env
