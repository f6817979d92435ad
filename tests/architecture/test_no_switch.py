"""Nothing turns the policy off, or changes the limits, without a word: every place from which something could be told
to the program is listed here, with all that may be said there. Who adds a variable, an option, a setting or a field
adds it to its list and thereby says that it is no such switch."""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from gradviz import cli
from gradviz.document.documents import Contents
from gradviz.document.files.recovery import Recovery
from gradviz.session.state import View
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.worker.process.spawn import worker_environment

ROOT = Path(__file__).parents[2]
TEXTS = {
    path.relative_to(ROOT / "gradviz").as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "gradviz").rglob("*.py")
}

ENVIRONMENT = {  # the modules that look at the environment, and the names that they look for
    "cli.py": {"QT_QPA_PLATFORM"},
    "classroom.py": {"GRADVIZ_CLASSROOM", "PROGRAMDATA", "XDG_CONFIG_DIRS"},  # limits that Help > Safety shows
    "recorder/__init__.py": {"RANK", "WORLD_SIZE"},  # of a PyTorch job, which is never run in here
    "ui/app.py": {"QT_QPA_PLATFORM"},
    "ui/sharing/export.py": {"QT_QPA_PLATFORM"},
    "ui/startup.py": {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY"},
    "worker/process/pytorch.py": {"VIRTUAL_ENV", "CONDA_PREFIX", "PATH"},  # where a Python with PyTorch may be
    "worker/process/spawn.py": {"SYSTEMROOT"},  # hands it on, on Windows
    "worker/locks/places.py": {"TZ"},  # forgets the others, in the worker
    "worker/locks/trial.py": {"SYSTEMROOT"},  # finds a file there that it must not be able to open, on Windows
}
OPTIONS = {
    *("--help", "--version", "--json", "--steps", "--step", "--screenshot", "--size", "--theme", "--out", "--plots"),
    "--every-step",  # of `gradviz run --steps`, and of a page
    "--record",  # of `gradviz run`: a file of its steps
    *("--scale", "--vertical"),  # of a picture
    "--attach",  # copies for one run
    "--time-limit",  # of one `gradviz run`, in its own words
    "--iterations",  # of one `gradviz run`: what is recorded, not what runs
    "--verbose",  # of --version
}
WORKER_VARIABLES = {
    *("PATH", "LANG", "HOME", "PYTHONHASHSEED", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE"),
    "MALLOC_ARENA_MAX",  # to the C library of Linux, how it divides memory
}
SETTINGS = {
    *("theme", "text_scale", "speed", "recent", "minimap", "vertical", "direct_uses", "animated", "every_step"),
    "iterations",  # of a training that are recorded
    "quiet",  # lessons of the doctor that are told no more
    "overture",  # the next run is shown in five seconds, once
    "done",  # lessons of lesson sets that were seen to their end
    "layout/window",
}
FILE_FIELDS = {
    *("format", "version", "kind", "text", "newline", "note", "nodes", "comments", "groups", "backward", "next_id"),
    *("view", "files", "arguments"),
}
VIEW_FIELDS = {"breakpoints", "closed", "dismissed", "level", "linked", "opened", "tagged"}


def environment_names(tree: ast.Module) -> set[str]:
    """The names in capital letters that are looked up in anything."""
    found = set()
    for node in ast.walk(tree):
        owner, name = None, None
        if isinstance(node, ast.Subscript):
            owner, name = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner, name = node.func.value, node.args[0]
        if owner is not None and isinstance(name, ast.Constant) and re.fullmatch("[A-Z][A-Z0-9_]+", str(name.value)):
            found.add(str(name.value))
    return found


def looks_at_environment(tree: ast.Module) -> bool:
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool(names & {"environ", "environb", "getenv", "getenvb"})


def test_the_environment_is_looked_at_in_few_places_and_for_few_names() -> None:
    trees = {name: ast.parse(text) for name, text in TEXTS.items() if "environ" in text or "getenv" in text}
    assert {name for name, tree in trees.items() if looks_at_environment(tree)} == set(ENVIRONMENT)
    for name, allowed in ENVIRONMENT.items():
        assert environment_names(trees[name]) <= allowed, name


def test_a_worker_is_told_nothing_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADVIZ_POLICY", "off")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    given = worker_environment(str(tmp_path))
    threads = {name for name in given if name.endswith("_THREADS")}
    assert set(given) - threads <= WORKER_VARIABLES
    assert all(given[name] == "1" for name in threads)


def test_the_options_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()

    def note(parser: argparse.ArgumentParser, _: object) -> None:
        seen.update(word for action in parser._actions for word in action.option_strings)
        raise SystemExit

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", note)
    for command in ("run", "export", "code", "draw", ""):
        with pytest.raises(SystemExit):
            cli.run_command_line([command] if command else [])
    assert {option for option in seen if option.startswith("--")} == OPTIONS
    assert {option for option in seen if not option.startswith("--")} == {"-h", "-o"}


class _Memory(Forgetful):
    """Notes what is asked for and what is kept."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def value(self, key: str, /, default: Any = None) -> Any:
        self.keys.add(key)
        return default

    def setValue(self, key: str, value: Any, /) -> None:
        self.keys.add(key)


def test_the_settings_are_about_looks() -> None:
    memory = _Memory()
    settings = Settings(memory)
    settings.remember_view(settings.view())
    settings.layout("window")
    assert memory.keys == SETTINGS
    assert {field.name for field in fields(View)} == SETTINGS - {"layout/window"}


def test_the_fields_of_a_file_are_about_the_document() -> None:
    schema = json.loads((ROOT / "resources" / "gradviz.schema.json").read_text(encoding="utf-8"))
    assert set(schema["properties"]) == FILE_FIELDS
    assert set(schema["definitions"]["view"]["properties"]) == VIEW_FIELDS
    for record in (Contents, Recovery):
        names = {field.name for field in fields(record)}
        assert names <= {"document", "note", "sight", "dropped", "newer", "contents", "path"}, record


def test_limits_are_made_from_nothing_but_their_defaults() -> None:
    """But for the option of `gradviz run`, no module of the program makes other limits."""
    makers = {
        name
        for name, text in TEXTS.items()
        if "Limits(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Limits" and (node.args or node.keywords)
    }
    assert makers == set()


def test_the_engine_is_there_for_ones_own_python() -> None:
    """The way round that the program names: `import gradviz.torch as torch`, without policy and worker."""
    code = (
        "import gradviz.torch as torch, os, sys\n"
        "w = torch.tensor(3.0, requires_grad=True)\n"
        "(w * w).backward()\n"
        "print(w.grad, os.path.basename(os.getcwd()), any('gradviz.worker' in name for name in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"tensor(6.) {ROOT.name} False\n"
