"""What is in the frozen program that others made: name, version, licence and its text. Written as a bill of materials
(CycloneDX 1.5) and as a folder of licences; Help > About shows the list. Every library in the folder must belong to a
part, so that none is shipped whose licence nobody has read."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import sysconfig
import uuid
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from libraries import elf_files

HERE = Path(__file__).parent
LICENCES = HERE / "licences"
LGPL = ("GPL-3.0.txt", "LGPL-3.0.txt")
QT_THIRD_PARTY = "https://doc.qt.io/qt-6/licenses-used-in-qt.html"


@dataclass(frozen=True)
class Part:
    """Something that others made, and whose text is shipped with it."""

    name: str
    version: str
    licence: str  # an SPDX expression
    purl: str
    text: str
    url: str = ""


WHEELS = "PySide6-Essentials shiboken6 numpy ml_dtypes networkx fastjsonschema einops pyqtgraph colorama".split()
# Licences in SPDX words where the metadata of a package says it otherwise.
SPDX = {"PyInstaller": "GPL-2.0-or-later WITH Bootloader-exception", "colorama": "BSD-3-Clause"}
# Of Debian's packages, whose copyright files list every file; these are the words for what is linked.
DEBIAN = {
    "libffi8": "MIT", "liblzma5": "0BSD", "libbz2-1.0": "bzip2-1.0.6", "libuuid1": "BSD-3-Clause",
    "libxcb-cursor0": "MIT", "libxcb-icccm4": "MIT", "libxcb-image0": "MIT", "libxcb-keysyms1": "MIT",
    "libxcb-render-util0": "MIT", "libxcb-util1": "MIT", "libxcb-xkb1": "MIT", "libxkbcommon0": "MIT",
    "libxkbcommon-x11-0": "MIT", "libexpat1": "MIT", "libpng16-16": "libpng-2.0", "libbrotli1": "MIT",
    "zlib1g": "Zlib",
}  # fmt: skip


def parts(folder: Path) -> list[Part]:
    """All parts of a frozen program."""
    found = [_python(), *_wheels(), *_in_wheels(folder), *_fonts(folder), *_packages(folder)]
    if sys.platform == "linux":
        found += _of_the_system(folder)
    return sorted(found, key=lambda part: part.name.lower())


def _python() -> Part:
    version = platform.python_version()
    folders = (sysconfig.get_paths()["stdlib"], sys.base_prefix)
    places = [*(Path(folder, "LICENSE.txt") for folder in folders), LICENCES / "Python.txt"]
    text = next(path for path in places if path.exists()).read_text("utf-8")
    return Part("Python", version, "PSF-2.0", f"pkg:generic/python@{version}", text, "https://www.python.org")


def _wheels() -> list[Part]:
    return [_wheel(name) for name in (*WHEELS, "PyInstaller")]


def _wheel(name: str) -> Part:
    found = metadata.distribution(name)
    licence = SPDX.get(name) or found.metadata.get("License-Expression") or found.metadata["License"].splitlines()[0]
    texts = [
        f"=== {path.name}\n{Path(str(path.locate())).read_text('utf-8', 'replace')}"
        for path in found.files or ()
        if "dist-info" in str(path) and re.search(r"licen[cs]e|copying", path.name, re.IGNORECASE)
    ]
    if "LGPL" in licence:
        texts = [(LICENCES / text).read_text("utf-8") for text in LGPL]
    purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{found.version}"
    return Part(name, found.version, licence, purl, "\n\n".join(texts))


def _in_wheels(folder: Path) -> list[Part]:
    """What the wheels of PySide6 and NumPy bring along."""
    qt = metadata.version("PySide6-Essentials")
    lgpl = "\n\n".join((LICENCES / text).read_text("utf-8") for text in LGPL)
    third = f"Qt itself holds code of others, listed with its licences at {QT_THIRD_PARTY}\n\n"
    found = [Part("Qt", qt, "LGPL-3.0-only", f"pkg:generic/qt@{qt}", third + lgpl, "https://www.qt.io")]
    icu = sorted(folder.rglob("libicudata.so.*[0-9]"))
    if icu:
        version = icu[0].name.rpartition(".")[2]
        text = (LICENCES / "ICU.txt").read_text("utf-8")
        found.append(
            Part("ICU", version, "Unicode-DFS-2016", f"pkg:generic/icu@{version}", text, "https://icu.unicode.org")
        )
    within = "Its licence is part of that of NumPy, in numpy.txt."
    blas = Part("OpenBLAS", "", "BSD-3-Clause", "pkg:generic/openblas", within, "https://www.openblas.net")
    gcc = "GPL-3.0-or-later WITH GCC-exception-3.1"
    return [*found, blas, Part("libgfortran", "", gcc, "pkg:generic/libgfortran", within)]


def _fonts(folder: Path) -> list[Part]:
    fonts = _internal(folder) / "resources" / "fonts"
    rows = (
        ("Inter", "4.0", "OFL-1.1", "OFL-Inter.txt"),
        ("JetBrains Mono", "2.242", "Apache-2.0", "Apache-2.0-JetBrainsMono.txt"),
        ("DejaVu Sans", "2.37", "Bitstream-Vera", "LICENSE-DejaVu.txt"),
    )
    found = []
    for name, version, licence, text in rows:
        purl = f"pkg:generic/{name.lower().replace(' ', '-')}@{version}"
        found.append(Part(name, version, licence, purl, (fonts / text).read_text("utf-8")))
    return found


def _packages(folder: Path) -> list[Part]:
    """What snippets import, whose source is among the resources with a table of its versions."""
    packages = _internal(folder) / "resources" / "packages"
    rows = re.findall(
        r"^\| (\w+) \| ([\d.]+) \| (\S+) \| (\w+),", (packages / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert {name for name, *_ in rows} == {each.name for each in packages.iterdir() if each.is_dir()}
    return [
        Part(
            name, version, licence, f"pkg:pypi/{name}@{version}", (packages / name / "LICENSE").read_text("utf-8"), url
        )
        for name, version, url, licence in rows
    ]


def _internal(folder: Path) -> Path:
    return folder / "_internal" if (folder / "_internal").is_dir() else folder


def _of_the_system(folder: Path) -> list[Part]:
    """Libraries that were taken from the system that builds: from packages of Debian."""
    packages = {_package(path) for path in elf_files(folder) if _is_of_the_system(path, folder)}
    found = []
    for package in sorted(packages):
        if package not in DEBIAN:
            raise SystemExit(f"the licence of {package} is not in DEBIAN of packaging/parts.py")
        version = _query("--show", "--showformat=${Version}", package)
        text = Path("/usr/share/doc", package, "copyright").read_text("utf-8")
        found.append(Part(package, version, DEBIAN[package], f"pkg:deb/debian/{package}@{version}", text))
    return found


def _is_of_the_system(path: Path, folder: Path) -> bool:
    return path.parent == folder / "_internal" and ".so" in path.name and not path.name.startswith("libpython")


def _package(library: Path) -> str:
    for place in (f"/lib/*/{library.name}", f"/usr/lib/*/{library.name}"):
        done = subprocess.run(["dpkg", "--search", place], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise SystemExit(f"{library.name} belongs to no package of this system, so its licence is not known")


def _query(*arguments: str) -> str:
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=True).stdout.strip()


def write(folder: Path, version: str, commit: str, date: str) -> list[Part]:
    """The bill of materials beside the resources, and a text for each part."""
    found = parts(folder)
    internal = _internal(folder)
    licences = internal / "licenses"
    licences.mkdir(exist_ok=True)
    for part in found:
        if not part.text.strip():
            raise SystemExit(f"there is no text of the licence of {part.name}")
        (licences / f"{part.name.replace(' ', '-')}.txt").write_text(part.text, "utf-8")
    document = json.dumps(sbom(found, version, commit, date), indent=1, ensure_ascii=False)
    (internal / "resources" / "sbom.cdx.json").write_text(document + "\n", "utf-8")
    return found


def sbom(found: list[Part], version: str, commit: str, date: str) -> dict[str, object]:
    """A bill of materials in the form of CycloneDX."""
    ours = f"pkg:pypi/gradviz@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{ours}#{commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": f"{date}T00:00:00Z",
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": "GradViz",
                "version": version,
                "purl": ours,
                "licenses": [{"license": {"id": "MIT"}}],
                "properties": [{"name": "commit", "value": commit}],
            },
        },
        "components": [_component(part) for part in found],
        "dependencies": [{"ref": ours, "dependsOn": [part.purl for part in found]}],
    }


def _component(part: Part) -> dict[str, object]:
    entry: dict[str, object] = {"type": "library", "bom-ref": part.purl, "name": part.name}
    if part.version:
        entry["version"] = part.version
    entry |= {"purl": part.purl, "licenses": [{"expression": part.licence}]}
    if part.url:
        entry["externalReferences"] = [{"type": "website", "url": part.url}]
    return entry
