"""The wheel and the source distribution, built twice and compared byte by byte, then tried: `python distributions.py
OUT` in the clean copy of the sources, with the Python of the build environment. In both, the resources lie inside the
package, so that nothing but `gradviz` appears among a user's packages."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from setuptools import build_meta

ROOT = Path(__file__).parents[1]
SHIPPED = ("gradviz", "packaging/linux", "packaging/completions")
SHIPPED += ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
PICTURES = ("screenshot.png", "drawing.png", "backward.webp", "page.png")  # of the README


def arrange(folder: Path) -> None:
    """What the distributions are made of."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in SHIPPED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy2(source, target)
    shutil.copytree(ROOT / "resources", folder / "gradviz/resources", ignore=shutil.ignore_patterns(*PICTURES))


def build(folder: Path, out: Path) -> list[Path]:
    """A wheel and an sdist of the folder."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    arrange(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        wheel = out / build_meta.build_wheel(str(out))
        sdist = out / build_meta.build_sdist(str(out))
    finally:
        os.chdir(before)
    level(sdist)
    return [wheel, sdist]


def level(sdist: Path) -> None:
    """Take times and owners out of a source distribution, which setuptools leaves in."""
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    plain = io.BytesIO()
    with tarfile.open(sdist) as given, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as made:
        for member in sorted(given.getmembers(), key=lambda each: each.name):
            data = given.extractfile(member)
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.pax_headers = {}
            made.addfile(member, data)
    sdist.write_bytes(gzip.compress(plain.getvalue(), 9, mtime=epoch))


def check(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"FAILED: {what}")
    print(f"ok: {what}", flush=True)


def inspect(wheel: Path) -> None:
    """What the wheel puts among a user's packages, and that nothing is missing in it."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    check({top.partition("-")[0] for top in tops} == {"gradviz"}, "the wheel holds gradviz and nothing beside it")
    wanted = {f"gradviz/resources/{path.relative_to(ROOT / 'resources')}" for path in (ROOT / "resources").rglob("*.*")}
    missing = {name for name in wanted if Path(name).name not in PICTURES} - set(names)
    check(not missing, f"all resources are in the wheel{''.join(sorted(missing)[:5])}")


def attempt(distribution: Path, folder: Path) -> None:
    """Install it into an empty folder, and run an example from there."""
    shutil.rmtree(folder, ignore_errors=True)
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-compile", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *install, str(distribution)], check=True)
    example = next((folder / "gradviz/resources/examples").glob("01*.py"))
    environment = {**os.environ, "PYTHONPATH": str(folder), "QT_QPA_PLATFORM": "offscreen"}
    drawing = [str(example), "--step", "end", "--screenshot", str(folder / "window.png")]
    for command in (["--version"], ["run", str(example)], drawing):
        whole = [sys.executable, "-m", "gradviz", *command]
        done = subprocess.run(whole, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        said = " ".join(command).replace(str(folder), "…")
        check(done.returncode == 0, f"{distribution.name}: python -m gradviz {said}")


def main(out: Path) -> None:
    """Both, into a folder."""
    work = ROOT.parent / "distributions"
    first = build(work / "tree", work / "first")
    second = build(work / "tree", work / "second")
    for one, other in zip(first, second, strict=True):
        check(one.read_bytes() == other.read_bytes(), f"two builds of {one.name} are equal byte for byte")
    inspect(first[0])
    for each in first:
        attempt(each, work / "installed")
        shutil.copy(each, out / each.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
