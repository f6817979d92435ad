"""A release in one command: `make release`. It checks what a release must have, runs all tests, builds the packages,
tries them, and writes checksums and notes into dist/. It publishes nothing: pushing the tag does (`.github/workflows`).

`--notes` only prints the notes, `--check` only checks, without the tests and the build."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
METAINFO = "packaging/linux/org.gradviz.GradViz.metainfo.xml"
HEADING = re.compile(r"^## ([\d.]+), (.+)$", re.MULTILINE)
DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Licences under which a part may be shipped with a program under the MIT licence, in a folder where it can be replaced.
ALLOWED = """
    0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause Bitstream-Vera CC0-1.0 GPL-2.0-or-later GPL-3.0-or-later LGPL-3.0-only MIT
    OFL-1.1 PSF-2.0 Unicode-DFS-2016 Zlib bzip2-1.0.6 Bootloader-exception GCC-exception-3.1
""".split()
INSTALL = """
## Install

* Debian, Ubuntu and relatives: `sudo apt install ./gradviz_{version}_amd64.deb`
* any Linux: unpack `gradviz-{version}-linux-x86_64.tar.xz` and run `./install.sh`; no administrator is needed
* Windows: `gradviz-{version}-windows-setup.exe`; for labs, `/S` installs without a question
* macOS: open the `.dmg` and drag GradViz to Applications
* with a Python of your own: `pipx install gradviz-{version}-py3-none-any.whl`

`sha256sum --check SHA256SUMS` says whether the files arrived whole.
"""


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def version() -> str:
    """The version of the program."""
    found = re.search(r'^__version__ = "(.+)"$', text("gradviz/__init__.py"), re.MULTILINE)
    assert found is not None
    return found[1]


def obstacles() -> list[str]:
    """What is missing for a release, in sentences."""
    now = version()
    heading = HEADING.search(text("CHANGELOG.md"))
    found = []
    if heading is None or heading[1] != now:
        found.append(f"CHANGELOG.md does not begin with {now}.")
    elif not DAY.fullmatch(heading[2]):
        found.append(f"CHANGELOG.md says {heading[2]!r} and not the day of {now}.")
    if tomllib.loads(text("pyproject.toml"))["project"]["version"] != now:
        found.append(f"pyproject.toml has another version than {now}.")
    newest = ElementTree.fromstring(text(METAINFO)).find("releases/release")
    assert newest is not None
    if newest.get("version") != now or (heading is not None and newest.get("date") != heading[2]):
        found.append(f"The newest release in {METAINFO} is not that of CHANGELOG.md.")
    if newest.get("type") == "development":
        found.append(f"{METAINFO} calls {now} a development release.")
    if said("git", "status", "--porcelain"):
        found.append("There are changes that are not committed.")
    if said("git", "tag", "--list", f"v{now}"):
        found.append(f"There is a tag v{now} already.")
    return found


def said(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def strange_licences(bill: dict[str, list[dict[str, object]]]) -> list[str]:
    """The parts of a bill of materials whose licence is not among those that were thought about; of several that
    are offered with OR, one is enough."""
    found = []
    for part in bill["components"]:
        (first, *_) = part["licenses"]  # type: ignore[misc]
        offers = re.split(r"\s+OR\s+", first["expression"])
        known = [all(word in ALLOWED for word in re.split(r"\s+(?:AND|WITH)\s+", offer)) for offer in offers]
        if not any(known):
            found.append(f"{part['name']} has the licence {first['expression']}")
    return found


def notes() -> str:
    """What changed, from the changelog, how to install it, and the checksums."""
    log = text("CHANGELOG.md")
    (first, *later) = HEADING.finditer(log)
    changes = log[first.end() : later[0].start() if later else None].strip()
    sums = DIST / "SHA256SUMS"
    listed = f"\n```\n{sums.read_text('utf-8')}```\n" if sums.exists() else ""
    return f"{changes}\n{INSTALL.format(version=version())}{listed}"


def main(only_check: bool) -> None:
    """Check, test, build, try, and write the notes."""
    missing = obstacles()
    for sentence in missing:
        print(f"FAILED: {sentence}")
    if missing:
        sys.exit(1)
    print(f"ok: version, changelog and metainfo are those of {version()}")
    if only_check:
        return
    for target in ("test", "packages"):  # lint, types, contracts, links of all pages; then building and trying
        subprocess.run(["make", target], cwd=ROOT, check=True)
    bill = ROOT / "build/packages/dist/gradviz/_internal/resources/sbom.cdx.json"
    strangers = strange_licences(json.loads(bill.read_text("utf-8")))
    if strangers:
        sys.exit(f"FAILED: {'; '.join(strangers)}. See ALLOWED in packaging/release.py.")
    (DIST / "NOTES.md").write_text(notes(), "utf-8")
    print(f"Ready: dist/ holds {version()}. To publish: git tag v{version()} && git push origin v{version()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make a release in dist/.")
    parser.add_argument("--notes", action="store_true", help="print the notes and exit")
    parser.add_argument("--check", action="store_true", help="check what a release must have and exit")
    options = parser.parse_args()
    if options.notes:
        print(notes())
    else:
        main(options.check)
