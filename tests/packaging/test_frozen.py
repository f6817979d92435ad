"""The recipe of the frozen program fits the program: what it leaves out is not used, what it locks is what we test."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import frozen
import libraries
import pytest

from gradviz.ui.startup import ALWAYS, X11
from gradviz.worker.process.spawn import package_folder

ROOT = Path(__file__).parents[2]

SPEC = (ROOT / "packaging/gradviz.spec").read_text("utf-8")
LOCK = (ROOT / "packaging/requirements.lock").read_text("utf-8")


def constant(name: str) -> tuple[str, ...]:
    """A list that the spec assigns to a name."""
    tree = ast.parse(SPEC)
    assigned = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    return tuple(ast.literal_eval(assigned[name]))


def imported(paths: Iterable[Path]) -> set[str]:
    """Every module that these files name in an import."""
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_the_program_imports_nothing_that_is_left_out() -> None:
    """The recorder runs in a Python of the user's with PyTorch."""
    program = (path for path in (ROOT / "gradviz").rglob("*.py") if path.parent.name != "recorder")
    assert not set(constant("NEVER")) & imported(program)


def test_the_recorder_travels_as_sources_with_all_that_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [path for name in constant("SOURCES") for path in (ROOT / "gradviz" / name).rglob("*.py")]
    own = {name for name in imported(paths) if name.startswith("gradviz.")}
    modules = {name.removesuffix(".py") for name in constant("MODULES")}
    assert {name.split(".")[1] for name in own} <= {*constant("SOURCES"), *modules, "RESOURCES", "__version__"}
    read = re.findall(r'RESOURCES / "(.*?)"', "".join(path.read_text("utf-8") for path in paths))
    assert sorted(read) == sorted(constant("READ"))
    others = {name.partition(".")[0] for name in imported(paths)} - {"gradviz", *sys.stdlib_module_names}
    assert others == {"numpy", "ml_dtypes", "torch"}
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert package_folder("gradviz") == package_folder("ml_dtypes") == str(tmp_path / "recorder")


def test_pictures_that_are_left_out_are_there() -> None:
    missing = [name for name in constant("UNUSED_QT") if name.startswith("resources/") and not (ROOT / name).exists()]
    assert not missing


def test_every_requirement_is_locked_by_hash() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    wanted += (ROOT / "packaging/requirements.in").read_text("utf-8").splitlines()[1:]
    names = {re.match(r"[\w-]+", each)[0].lower().replace("_", "-") for each in wanted}
    locked = set(re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE))
    assert names <= locked
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", LOCK)[1:])
    assert "://" not in LOCK


def test_what_a_system_may_lack_is_carried_or_named_by_the_program() -> None:
    assert (ALWAYS | X11).keys() >= libraries.CARRIED
    assert not libraries.CARRIED & libraries.MACHINE.keys()
    assert (ALWAYS | X11).keys() == libraries.CARRIED | ((ALWAYS | X11).keys() & libraries.MACHINE.keys())


def test_every_file_of_the_folder_belongs_to_a_row_of_the_table(tmp_path: Path) -> None:
    for name, size in {
        "gradviz": 1, "gradviz-worker": 2, "_internal/PySide6/Qt/lib/libicudata.so.73": 4,
        "_internal/PySide6/Qt/lib/libQt6Core.so.6": 8, "_internal/PySide6/QtCore.abi3.so": 16,
        "_internal/libffi.so.8": 32,
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    found = dict(frozen.sizes(tmp_path))
    assert (found["ICU"], found["Qt"], found["PySide6 and shiboken6"]) == (4, 8, 16)
    assert sum(found.values()) == 63
    assert list(found.values()) == sorted(found.values(), reverse=True)
