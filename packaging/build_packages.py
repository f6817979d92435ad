"""Builds the packages from the last commit: `python packaging/build_packages.py`.

Everything is made in build/packages from a clean copy of the commit, with the exact versions of requirements.lock, and
lands in dist/ with its checksums. This file needs the standard library only; the steps run in their own environment.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "packages"
SOURCE = WORK / "source"
FROZEN = WORK / "dist" / "gradviz"
DIST = ROOT / "dist"
STEPS = ("wheel", "frozen", "deb", "archive", "installer")


def run(*command: str | Path, **more: object) -> None:
    """A command that must succeed."""
    subprocess.run([str(each) for each in command], check=True, **more)  # type: ignore[call-overload]


def together(*commands: Sequence[str | Path]) -> None:
    """Commands that do not depend on each other, side by side. Each must succeed; if one fails, the others end."""
    started = [subprocess.Popen([str(each) for each in command], cwd=SOURCE) for command in commands]
    try:
        while any(each.poll() is None for each in started):
            if any(each.poll() for each in started):
                break
            time.sleep(0.2)
        for each, command in zip(started, commands, strict=True):
            if each.poll():
                raise subprocess.CalledProcessError(each.returncode, [str(word) for word in command])
    finally:
        for each in started:
            each.terminate()
            each.wait()


def git(*arguments: str) -> str:
    """What git says of this project."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def stage() -> int:
    """A clean copy of the last commit with its number and day in it; returns its time, which is that of all files."""
    if git("status", "--porcelain"):
        print("Note: what is not committed is not in the packages.")
    commit, seconds = git("log", "-1", "--format=%H %ct").split()
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    archive = WORK / "source.tar"
    git("archive", f"--output={archive}", "HEAD")
    run("tar", "-xf", archive, "-C", SOURCE)
    archive.unlink()
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).date()
    (SOURCE / "resources/build.json").write_text(json.dumps({"commit": commit, "date": str(day)}) + "\n")
    for path in [SOURCE, *SOURCE.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
            os.utime(path, (int(seconds), int(seconds)))
    return int(seconds)


def environment() -> Path:
    """The Python that has what builds and what is frozen, in the versions of the lock."""
    lock = SOURCE / "packaging/requirements.lock"
    folder = WORK / "venv"
    stamp = folder / "lock"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        run(sys.executable, "-m", "venv", "--clear", folder)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", lock)
        shutil.copy(lock, stamp)
    return python


def version() -> str:
    """The version of the copy."""
    line = next(line for line in (SOURCE / "gradviz/__init__.py").read_text().splitlines() if "__version__" in line)
    return line.split('"')[1]


def checksums() -> None:
    """SHA256SUMS of what is in dist."""
    files = sorted(path for path in DIST.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines))
    for path in files:
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.relative_to(ROOT)}")


def main(steps: list[str]) -> None:
    """Build what is asked for."""
    began = time.monotonic()
    os.umask(0o022)
    seconds = stage()
    os.environ["SOURCE_DATE_EPOCH"] = str(seconds)
    os.environ["PYTHONPATH"] = str(SOURCE)
    python = environment()
    DIST.mkdir(exist_ok=True)
    here = SOURCE / "packaging"
    wheel = (python, here / "distributions.py", DIST)
    frozen = (python, here / "frozen.py", WORK / "pyinstaller", WORK / "dist")
    if "frozen" in steps:
        run(python, here / "icons.py", SOURCE / "build/icons")
    together(*(command for step, command in (("wheel", wheel), ("frozen", frozen)) if step in steps))
    if sys.platform == "linux":
        kinds = [kind for kind in ("deb", "archive") if kind in steps]
        together(*((python, here / "linux_packages.py", kind, FROZEN, DIST) for kind in kinds))
    if "installer" in steps and sys.platform == "win32":
        values = {"VERSION": version(), "FOLDER": FROZEN, "ICON": SOURCE / "build/icons/gradviz.ico"}
        values["OUT"] = DIST / f"gradviz-{version()}-windows-setup.exe"
        run("makensis", "-V2", *(f"-D{name}={value}" for name, value in values.items()), here / "windows/gradviz.nsi")
    if "installer" in steps and sys.platform == "darwin":
        image = DIST / f"gradviz-{version()}-macos-{platform.machine()}.dmg"
        run("sh", here / "macos/make_dmg.sh", FROZEN.parent / "GradViz.app", image)
    checksums()
    print(f"Built in {time.monotonic() - began:.0f} s: GradViz {version()}, {git('rev-parse', '--short', 'HEAD')}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the packages of the last commit into dist/.")
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], help="what to build; all if absent")
    main(parser.parse_args().steps or list(STEPS))
