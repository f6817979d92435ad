"""About this GradViz: its version, the commit and date that it was built from, and its parts with their licences. In a
package these are recorded (`packaging/build_packages.py`); otherwise as much as Python's package metadata tells. No Qt,
no NumPy: used by `gradviz --version --verbose`, the About box and reports."""

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
PARTS = "sbom.cdx.json"  # CycloneDX; part of frozen programs
MAIN_PARTS = ("PySide6-Essentials", "numpy", "ml_dtypes", "networkx", "fastjsonschema", "einops", "pyqtgraph")

UPDATES = (  # where GradViz came from, and how to get a newer one
    ("a .deb", "sudo apt install ./gradviz_VERSION_amd64.deb"),
    ("the Linux archive", "./install.sh in the new one"),
    ("the Windows installer", "gradviz-VERSION-windows-setup.exe"),
    ("the macOS disk image", "drag the new GradViz to Applications"),
    ("pipx", "pipx install --force gradviz-VERSION-py3-none-any.whl"),
    ("uv", "uv tool install --force gradviz-VERSION-py3-none-any.whl"),
)


@dataclass(frozen=True)
class Part:
    """Third-party work: a library or a font."""

    name: str
    version: str
    licence: str


@dataclass(frozen=True)
class Build:
    """Where this program comes from; "" if unknown."""

    commit: str = ""
    date: str = ""


def build(resources: Path = RESOURCES) -> Build:
    """The commit and its date as recorded when a package was built; nothing in a work tree."""
    found = _json(resources / BUILD)
    return Build(str(found.get("commit", "")), str(found.get("date", "")))


def version() -> str:
    """The version for people: 0.1.0 (3f2a1bc, 2026-05-01)."""
    known = build()
    inside = ", ".join(filter(None, (known.commit[:10], known.date)))
    return f"{__version__} ({inside})" if inside else __version__


def how() -> str:
    """The form in which this GradViz was installed."""
    if getattr(sys, "frozen", False):
        return "program with its own Python"
    return "installed package" if (RESOURCES / BUILD).exists() else "source"


def parts(resources: Path = RESOURCES) -> tuple[Part, ...]:
    """The parts recorded in a frozen program, otherwise the packages that Python lists for GradViz."""
    listed = _json(resources / PARTS).get("components")
    if isinstance(listed, list):
        return tuple(Part(each["name"], each.get("version", ""), _licence(each)) for each in listed)
    python = Part("Python", platform.python_version(), "PSF-2.0")
    return (python, *filter(None, map(_installed, MAIN_PARTS)))


def licences_folder(resources: Path = RESOURCES) -> Path | None:
    """The folder of a frozen program with the texts of all licences."""
    folder = resources.parent / "licenses"
    return folder if folder.is_dir() else None


def lines() -> list[str]:
    """Everything as text, for a report."""
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
