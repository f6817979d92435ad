"""Which shared libraries the frozen program carries on Linux. Those that belong to the machine stay there: the C++
runtime, OpenGL, X11, the fonts, D-Bus. A second copy of one of them beside a newer driver is what breaks frozen
programs. Of the others, those stay that a program, an extension module or a plugin in the folder loads; readelf says
which."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gradviz.ui.startup import ALWAYS, X11

# Library -> package of Debian and Ubuntu. What a desktop may lack travels along; see CARRIED.
CARRIED = {
    "libxcb-cursor.so.0", "libxcb-icccm.so.4", "libxcb-image.so.0", "libxcb-keysyms.so.1", "libxcb-render-util.so.0",
    "libxcb-xkb.so.1", "libxkbcommon.so.0", "libxkbcommon-x11.so.0",
}  # fmt: skip
MACHINE = {name: package for name, package in (ALWAYS | X11).items() if name not in CARRIED} | {
    "libc.so.6": "libc6",
    "libm.so.6": "libc6",
    "libdl.so.2": "libc6",
    "libpthread.so.0": "libc6",
    "librt.so.1": "libc6",
    "libutil.so.1": "libc6",
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb-render.so.0": "libxcb-render0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}


def needed_by(path: Path) -> set[str]:
    """The libraries that an executable or a library names."""
    done = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=False)
    return {line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "(NEEDED)" in line}


def elf_files(folder: Path) -> list[Path]:
    """Every executable and library in the folder, links left out."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and _is_elf(path))


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def prune(folder: Path) -> None:
    """Remove the machine's libraries and those that nobody loads, with the links to them."""
    files = elf_files(folder)
    libraries = {path.name: path for path in files if _is_library(path)}
    wanted = [path for path in files if not _is_library(path)]
    kept = set(wanted)
    while wanted:
        for name in needed_by(wanted.pop()):
            library = libraries.get(name)
            if library is not None and name not in MACHINE and library not in kept:
                kept.add(library)
                wanted.append(library)
    for path in set(files) - kept:
        path.unlink()
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.exists():
            path.unlink()


def _is_library(path: Path) -> bool:
    """One that others name, and not an extension module, a plugin, or Python itself, which the executables open."""
    is_extension = ".cpython-" in path.name or (".abi3.so" in path.name and "lib" not in path.name[:3])
    return ".so" in path.name and not is_extension and "plugins" not in path.parts and "libpython" not in path.name


def strip(folder: Path) -> None:
    """Take away the symbols; what NumPy's wheel brings in *.libs must stay as it is, or it no longer loads."""
    for path in elf_files(folder / "_internal"):
        if not any(part.endswith(".libs") for part in path.parts):
            subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)


def packages(folder: Path) -> list[str]:
    """The packages of Debian that have what the folder needs and does not hold."""
    files = elf_files(folder)
    names = {name for path in files for name in needed_by(path)} - {path.name for path in files}
    unknown = sorted(names - MACHINE.keys())
    if unknown:
        raise SystemExit(f"no package is known for {', '.join(unknown)}: see MACHINE in packaging/libraries.py")
    return sorted({MACHINE[name] for name in names})


def floor(folder: Path) -> str:
    """The version of the C library that the folder needs at least, as 2.34."""
    found = set()
    for path in elf_files(folder):
        done = subprocess.run(["readelf", "-V", str(path)], capture_output=True, text=True, check=False)
        found |= {word[6:] for word in done.stdout.split() if word.startswith("GLIBC_2.")}
    return max(found, key=lambda version: tuple(map(int, version.split("."))))
