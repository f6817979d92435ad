"""What the pages name is there: files that they link to, their headings, and the paths, modules and names in backticks;
and the files that a docstring names."""

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
WRITTEN = [page for page in PAGES if page not in GENERATED]
FILE = re.compile(r"[\w./*-]+\.(py|spec|qss|json|gradviz)")
MODULE = re.compile(r"(gradviz|tests)(\.\w+)+")
NAME = re.compile(r"_?[A-Z][A-Z_]+|[A-Z][a-z]+|\w+_\w+")  # `USUAL`, `Panel`, `kind_of`: what a developer looks for
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)  # that of a module, with which it opens
NO_FILES = {"27_what_it_shows.py"}  # the file that the reader is to write


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


@pytest.mark.parametrize("page", WRITTEN)
def test_every_path_and_module_in_backticks_is_there(page: str) -> None:
    named = [word for code in CODE.findall(text(page)) for word in code.split()]
    paths = [word for word in named if word.startswith(FOLDERS) and word == word.lower()]
    modules = [
        code.split()[2] for code in CODE.findall(text(page)) if re.match(r"(\S*/)?python -m (gradviz|tests)\.", code)
    ]
    missing = [path for path in paths if not (ROOT / path).exists()]
    missing += [name for name in modules if not list(ROOT.glob(name.replace(".", "/") + "*"))]
    assert not missing


def sources() -> list[Path]:
    return [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]


def missing_files(words: set[str]) -> list[str]:
    """Those that are the end of no path."""
    found = [path.relative_to(ROOT) for path in sources() if path.is_file()]
    named = {word for word in words - NO_FILES if FILE.fullmatch(word)}
    return sorted(word for word in named if not any(path.match(word) for path in found))


@pytest.mark.parametrize("page", WRITTEN)
def test_every_file_and_module_that_a_page_names_is_there(page: str) -> None:
    words = {word for code in CODE.findall(text(page)) for word in code.split()}
    modules = {word.replace(".", "/") for word in words if MODULE.fullmatch(word) and not FILE.fullmatch(word)}
    assert missing_files(words) == []
    assert sorted(name for name in modules if not list(ROOT.glob(f"{name}*"))) == []


def test_every_name_that_contributing_sends_the_reader_to_is_there() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources() if path.suffix == ".py")
    known = set(re.findall(r"\w+", code))
    named = {word for word in CODE.findall(text("CONTRIBUTING.md")) if NAME.fullmatch(word)}
    assert len(named) > 20
    assert sorted(named - known) == []


def test_every_file_that_a_docstring_names_is_there() -> None:
    openings = [DOCSTRING.match(path.read_text(encoding="utf-8")) for path in (ROOT / "gradviz").rglob("*.py")]
    words = {word for one in openings if one for code in CODE.findall(one[1]) for word in code.split()}
    assert missing_files(words) == []
