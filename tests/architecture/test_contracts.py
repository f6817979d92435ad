"""The import contracts of pyproject.toml bite: every one is broken on purpose in a temporary copy of the sources, and
the linter must name the very import that breaks it. That the real sources keep them is tested too, also by `make lint`.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDER = ["ui", "commands", "session", "worker", "document", "trace", "torch", "engine"]  # as in the contract "layers"
BELOW_QT = ["commands", "session", "worker", "document", "layout", "trace", "torch", "engine"]

# (importing package, imported module): each must be refused.
UPWARD = [
    *((low, high) for high, low in itertools.pairwise(ORDER)),  # one step up
    ("engine", "ui"),
    ("layout", "worker"),
    ("document", "layout"),
    ("layout", "document"),
    ("trace", "layout"),
]
INNER = [  # (module, one of a higher layer of the same package)
    ("engine.kernel.graph", "engine.run.backward"),
    ("engine.run.apply", "engine.ops.arithmetic"),
    ("document.drawing", "document.code.emit"),
    ("document.snippet", "document.files.opening"),
    ("document.shaping.nodes", "document.code.parse"),
    ("trace.table.kinds", "trace.words.explain"),
    ("session.folding", "session.state"),
    ("session.moves", "session.store"),
]
EXTERNAL = [
    *((package, "PySide6.QtCore") for package in BELOW_QT),
    ("session", "shiboken6"),
    ("engine", "networkx"),
    ("engine", "torch"),
    ("ui", "torch"),
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", command, "--no-cache", "--no-logo", "--config", str(ROOT / "pyproject.toml")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def copy_of_sources(folder: Path) -> Path:
    shutil.copytree(ROOT / "gradviz", folder / "gradviz", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "gradviz"


def planted_name(package: str, module: str) -> str:
    return f"planted_{package}_imports_{module.replace('.', '_')}"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The linter's report on a copy in which every rule is broken once, each in a module of its own."""
    folder = tmp_path_factory.mktemp("broken")
    sources = copy_of_sources(folder)
    for package, module in UPWARD:
        name = planted_name(package, f"gradviz.{module}")
        (sources / package / f"{name}.py").write_text(f"import gradviz.{module}\n")
    for package, module in EXTERNAL:
        name = planted_name(package, module)
        (sources / package / f"{name}.py").write_text(f"import {module}\n")
    for module, above in INNER:
        with (sources / f"{module.replace('.', '/')}.py").open("a") as text:
            text.write(f"\nimport gradviz.{above}\n")
    (sources / "helpers.py").write_text("")
    done = lint(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_the_sources_keep_every_contract() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_order_tested_here_is_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["id"] == "layers")
    every = [layer.replace("document | layout | (recorder)", "document") for layer in layers["layers"]]
    packages = [layer for layer in every if "(" not in layer]
    assert packages == ORDER
    assert layers["exhaustive"] is True


@pytest.mark.parametrize(("package", "module"), UPWARD)
def test_an_import_to_the_left_is_caught(broken: str, package: str, module: str) -> None:
    name = planted_name(package, f"gradviz.{module}")
    assert f"gradviz.{package}.{name} -> gradviz.{module} (l.1)" in broken


@pytest.mark.parametrize(("module", "above"), INNER)
def test_an_import_upward_inside_of_a_package_is_caught(broken: str, module: str, above: str) -> None:
    assert f"gradviz.{module} -> gradviz.{above} (l." in broken


@pytest.mark.parametrize(("package", "module"), EXTERNAL)
def test_a_foreign_package_in_the_wrong_place_is_caught(broken: str, package: str, module: str) -> None:
    top = module.partition(".")[0]
    assert f"gradviz.{package}.{planted_name(package, module)} -> {top} (l.1)" in broken


def test_a_package_that_the_contract_does_not_know_is_caught(broken: str) -> None:
    assert "The following modules are not listed as layers:\n\n- gradviz.helpers\n" in broken
