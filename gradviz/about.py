"""What this GradViz is: its version, the commit and the day that it was built from, and the parts that it is made of,
with their licences. Known of a package (`packaging/build_packages.py` writes it down), and of a Python with GradViz in
it as far as that says it. No Qt, no NumPy: `gradviz --version --verbose`, the About box and reports ask here."""

from __future__ import annotations

import json
import platform
import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from gradviz import RESOURCES, __version__

BUILD = "build.json"
PARTS = "sbom.cdx.json"  # CycloneDX; it lies in frozen programs
MAIN_PARTS = ("PySide6-Essentials", "numpy", "ml_dtypes", "networkx", "fastjsonschema", "einops", "pyqtgraph")

UPDATES = (  # where GradViz came from, and what brings a newer one
    ("a .deb", "sudo apt install ./gradviz_VERSION_amd64.deb"),
    ("the Linux archive", "./install.sh in the new one"),
    ("the Windows installer", "gradviz-VERSION-windows-setup.exe"),
    ("the macOS disk image", "drag the new GradViz to Applications"),
    ("pipx", "pipx install --force gradviz-VERSION-py3-none-any.whl"),
    ("uv", "uv tool install --force gradviz-VERSION-py3-none-any.whl"),
)


@dataclass(frozen=True)
class Part:
    """Something that others made: a library, a font."""

    name: str
    version: str
    licence: str


@dataclass(frozen=True)
class Build:
    """Where this program comes from; "" is not known."""

    commit: str = ""
    date: str = ""


def build(resources: Path = RESOURCES) -> Build:
    """The commit and its day, as they were written down when a package was built; nothing in a work tree."""
    found = _json(resources / BUILD)
    return Build(str(found.get("commit", "")), str(found.get("date", "")))


def version() -> str:
    """The version for people: 0.1.0 (3f2a1bc, 2026-05-01)."""
    known = build()
    inside = ", ".join(filter(None, (known.commit[:10], known.date)))
    return f"{__version__} ({inside})" if inside else __version__


def how() -> str:
    """In which form this GradViz is here."""
    if getattr(sys, "frozen", False):
        return "program with its own Python"
    return "installed package" if (RESOURCES / BUILD).exists() else "source"


def parts(resources: Path = RESOURCES) -> tuple[Part, ...]:
    """What a frozen program says that it holds, or else the packages that Python has for GradViz."""
    listed = _json(resources / PARTS).get("components")
    if isinstance(listed, list):
        return tuple(Part(each["name"], each.get("version", ""), _licence(each)) for each in listed)
    python = Part("Python", platform.python_version(), "PSF-2.0")
    return (python, *filter(None, map(_installed, MAIN_PARTS)))


def licences_folder(resources: Path = RESOURCES) -> Path | None:
    """Where a frozen program has the texts of all licences."""
    folder = resources.parent / "licenses"
    return folder if folder.is_dir() else None


def lines() -> list[str]:
    """All of it as text, for a report."""
    known = build()
    rows = [
        ("GradViz", f"{__version__}, {how()}"),
        ("commit", known.commit or "unknown"),
        ("date", known.date or "unknown"),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("system", f"{platform.platform()} {platform.machine()}"),
    ]
    rows += [(part.name, f"{part.version}, {part.licence}".strip(", ")) for part in parts() if part.name != "Python"]
    return [f"{name + ':':<20} {value}" for name, value in rows]


def _json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _licence(component: dict[str, object]) -> str:
    found = component.get("licenses")
    (first, *_) = found if isinstance(found, list) and found else [{}]
    return str(first.get("expression") or first.get("license", {}).get("name", ""))


def _installed(name: str) -> Part | None:
    try:
        found = metadata.metadata(name).json
    except metadata.PackageNotFoundError:
        return None
    licence = found.get("license_expression") or re.split(r"[\n;]", str(found.get("license") or ""))[0]
    return Part(name, str(found["version"]), str(licence))
