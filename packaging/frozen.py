"""Freezes the program with PyInstaller into `dist/gradviz`, takes away what nobody loads, and writes down what is left.
Run by `build_packages.py`, with the Python of the build environment, in a clean copy of the sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import libraries
import parts

from gradviz import __version__, about

ROOT = Path(__file__).parents[1]
# What the folder is made of, for the table of sizes: the first row that fits, by the beginning of the path.
GROUPS = (
    ("ICU", ("_internal/PySide6/Qt/lib/libicu",)),
    ("Qt", ("_internal/PySide6/Qt/",)),
    ("PySide6 and shiboken6", ("_internal/PySide6", "_internal/shiboken6")),
    ("OpenBLAS and libgfortran", ("_internal/numpy.libs",)),
    ("NumPy and ml_dtypes", ("_internal/numpy", "_internal/ml_dtypes")),
    ("sources of the recorder, for a Python of the user", ("_internal/recorder",)),
    ("Python: library and extension modules", ("_internal/libpython", "_internal/python3", "_internal/base_library")),
    ("GradViz and Python modules: the two executables", ("gradviz",)),
    ("fonts, examples, catalogue, licences", ("_internal/resources", "_internal/licenses")),
    ("libraries of the system that a desktop may lack", ("_internal/",)),
)


def freeze(work: Path, dist: Path) -> Path:
    """The folder of the frozen program."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN", "--workpath", str(work)]
    command += ["--distpath", str(dist), str(ROOT / "packaging/gradviz.spec")]
    subprocess.run(command, check=True, env=environment)
    folder = dist / "gradviz"
    if sys.platform == "linux":
        libraries.prune(folder)
        libraries.strip(folder)
    known = about.build(ROOT / "resources")
    for each in [folder, *dist.glob("GradViz.app/Contents/Resources")]:
        parts.write(each, __version__, known.commit, known.date)
    return folder


def sizes(folder: Path) -> list[tuple[str, int]]:
    """What each group of files takes, in bytes, the largest first."""
    found = dict.fromkeys((name for name, _ in GROUPS), 0)
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            place = path.relative_to(folder).as_posix()
            name = next(name for name, starts in GROUPS if place.startswith(starts))
            found[name] += path.stat().st_size
    return sorted(found.items(), key=lambda row: -row[1])


def table(folder: Path) -> str:
    """The sizes as Markdown."""
    found = sizes(folder)
    rows = [f"| {name} | {size / 1e6:.1f} |" for name, size in (*found, ("together", sum(size for _, size in found)))]
    return "\n".join(["| part | MB |", "| --- | --- |", *rows])


if __name__ == "__main__":
    made = freeze(Path(sys.argv[1]), Path(sys.argv[2]))
    print(table(made))
