"""What the pages name is there: files that they link to, their headings, paths and modules that stand in code signs."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "packaging").glob("*.md"))
)
GENERATED = {"docs/coverage.md", "docs/operations.md", "docs/escapes.md"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = ("gradviz/", "tests/", "docs/", "packaging/", "resources/", "benchmarks/")


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    kept = string.ascii_lowercase + string.digits + "-_ "
    return {"".join(sign for sign in each.lower() if sign in kept).replace(" ", "-") for each in headings}


def test_there_are_the_pages_that_a_newcomer_reads() -> None:
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/safety.md", "packaging/README.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    wrong = []
    for link in LINK.findall(text(page)):
        if link.startswith(("https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert not wrong


@pytest.mark.parametrize("page", [page for page in PAGES if page not in GENERATED])
def test_every_path_and_module_in_code_signs_is_there(page: str) -> None:
    named = [word for code in CODE.findall(text(page)) for word in code.split()]
    paths = [word for word in named if word.startswith(FOLDERS) and word == word.lower()]
    modules = [
        code.split()[2] for code in CODE.findall(text(page)) if re.match(r"(\S*/)?python -m (gradviz|tests)\.", code)
    ]
    missing = [path for path in paths if not (ROOT / path).exists()]
    missing += [name for name in modules if not list(ROOT.glob(name.replace(".", "/") + "*"))]
    assert not missing
