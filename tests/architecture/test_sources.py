"""House rules that a reader of the sources would check by eye: sizes, docstrings, absolute imports, and which foreign
packages each of our packages may know at all (a list of what is allowed, where the contracts list what is forbidden).

Sizes. A file holds one concept, in at most 600 lines (a table, of operations or of what the tests feed in, 900), and a
class at most 250; with its own base classes, which one has to read with it, a class stays within 400, too. A function
should stay within 40 lines, those of functions inside it not counted, which count for themselves: at most two in a
hundred may exceed that, and none 50.

Types. `Any` says nothing of a value and lets everything be done with it. What nothing is asked of is an `object`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("gradviz", "benchmarks", "packaging", "tests")
USERS_SNIPPETS = (ROOT / "tests" / "snippets", ROOT / "tests" / "recorder" / "jobs")

OP_ROWS = ROOT / "gradviz" / "engine" / "ops"

FILE_LINES = 600
TABLE_LINES = 900
CLASS_LINES = 250
CLASS_LINES_WITH_BASES = 400
TALL = {  # classes that still exceed that: each is to be made of parts instead
    "gradviz.torch.nn.modules.module.Module",
}
PYTORCHS_BASES = {"gradviz.torch.nn.modules.module.Module"}  # one has them in mind: what derives from them counts alone
FUNCTION_LINES = 40
FUNCTION_LINES_AT_MOST = 50
LONG_FUNCTIONS_IN_A_HUNDRED = 2
ANY_AT_MOST = 2_000  # in the packages whose values are strangers' or NumPy's

ALLOWED = {
    "engine": {"numpy", "ml_dtypes"},
    "torch": {"numpy", "ml_dtypes"},
    "trace": {"numpy", "ml_dtypes"},
    "layout": {"numpy"},
    "recorder": {"numpy", "ml_dtypes", "torch"},  # the only one that knows the real PyTorch
    "document": {"numpy", "networkx", "fastjsonschema"},
    "worker": {"numpy", "einops"},
    "session": {"numpy", "networkx", "sympy"},
    "commands": set(),
    "ui": {"numpy", "PySide6", "shiboken6", "PIL", "av"},
    "__main__": set(),
    "cli": set(),
    "report": set(),
    "about": set(),
}


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            is_empty_package = path.name == "__init__.py" and folder == "tests"
            if not any(map(path.is_relative_to, USERS_SNIPPETS)) and not is_empty_package:
                yield path


FILES = list(sources())
PROGRAM = [path for path in FILES if not path.is_relative_to(ROOT / "tests")]


@cache
def tree_of(path: Path) -> ast.Module:
    """Parsed when first asked for, and forgotten after the last test here: all trees are two million objects."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Those that the rules ask for: a tree is walked once."""
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, _ASKED_FOR)]


_ASKED_FOR = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.With, ast.Call)


@pytest.fixture(scope="module", autouse=True)
def _trees_are_forgotten() -> Iterator[None]:
    yield
    tree_of.cache_clear()
    nodes_of.cache_clear()


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> Iterator[tuple[int, int, str]]:
    """(line, number of dots, module) of every import, also of those inside functions."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, 0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.level, node.module or ""


def lines_of(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def sizes_with_bases(trees: dict[str, ast.Module]) -> dict[str, int]:
    """By class, named with its module: its lines and those of all of our classes that it derives from."""
    lines: dict[str, int] = {}
    bases: dict[str, list[str]] = {}
    for module, tree in trees.items():
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                lines[f"{module}.{node.name}"] = lines_of(node)
                named = [ast.unparse(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases]
                bases[f"{module}.{node.name}"] = [
                    imported.get(first, f"{module}.{first}") + dot + rest
                    for first, dot, rest in (name.partition(".") for name in named)
                ]
    sizes = {}
    for name in lines:
        tower, found = [name], {name}
        while tower:
            above = {base for base in bases[tower.pop()] if base in lines} - found - PYTORCHS_BASES
            found |= above
            tower += above
        sizes[name] = sum(lines[each] for each in found)
    return sizes


def own_lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    inside = (node for node in ast.walk(function) if isinstance(node, ast.FunctionDef) and node is not function)
    lines = {line for node in inside for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return lines_of(function) - len(lines)


def functions() -> Iterator[tuple[int, str]]:
    for path in PROGRAM:
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield own_lines_of(node), f"{short(path)}:{node.lineno} {node.name}"


def test_files_are_short() -> None:
    too_long = []
    for path in FILES:
        is_table = path.parent == OP_ROWS or (path.is_relative_to(ROOT / "tests") and not path.name.startswith("test_"))
        bound = TABLE_LINES if is_table else FILE_LINES
        count = len(path.read_text(encoding="utf-8").splitlines())
        if count > bound:
            too_long.append(f"{short(path)}: {count} lines")
    assert not too_long


def test_classes_are_short() -> None:
    classes = (
        (lines_of(node), f"{short(path)}:{node.lineno} {node.name}")
        for path in PROGRAM
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
    )
    assert not [one for one in classes if one[0] > CLASS_LINES]


def test_classes_are_short_with_their_bases() -> None:
    sizes = sizes_with_bases(
        {module_of(path): tree_of(path) for path in PROGRAM if path.is_relative_to(ROOT / "gradviz")}
    )
    tall = {name for name, lines in sizes.items() if lines > CLASS_LINES_WITH_BASES}
    assert not tall - TALL, {name: sizes[name] for name in tall - TALL}
    assert not TALL - tall, "these need no exception any more"


def test_a_tower_of_classes_is_measured_as_one() -> None:
    """Over modules, by `from`, by name of a module, and by a base with type arguments; a shared base counts once."""
    modules = {
        "gradviz.low": "class Low:\n    x = 1\n",
        "gradviz.mid": "from gradviz.low import Low as Lower\nclass Mid(Lower):\n    x = 1\n    y = 2\n",
        "gradviz.top": "from gradviz import low\nfrom gradviz.mid import Mid\nclass Top(Mid[int], low.Low):\n    x = 1",
        "gradviz.out": "from abc import ABC\nclass Out(ABC):\n    class Inner:\n        x = 1\n",
    }
    sizes = sizes_with_bases({name: ast.parse(text) for name, text in modules.items()})
    assert sizes == {"gradviz.low.Low": 2, "gradviz.mid.Mid": 5, "gradviz.top.Top": 7, "gradviz.out.Out": 3}


def test_functions_are_short() -> None:
    sizes = sorted(functions(), reverse=True)
    assert not [one for one in sizes if one[0] > FUNCTION_LINES_AT_MOST]
    long = [one for one in sizes if one[0] > FUNCTION_LINES]
    assert len(long) <= len(sizes) * LONG_FUNCTIONS_IN_A_HUNDRED / 100, long


def test_few_types_say_nothing() -> None:
    parts = [ROOT / "gradviz" / part for part in ("engine", "torch", "worker")]
    texts = [path.read_text() for part in parts for path in part.rglob("*.py")]
    assert sum(len(re.findall(r"\bAny\b", text)) for text in texts) <= ANY_AT_MOST
    assert not any(re.search(r"^\w+ = Any$", text, re.MULTILINE) for text in texts), "another name says no more"


def test_modules_open_with_a_paragraph() -> None:
    assert not [short(path) for path in FILES if not ast.get_docstring(tree_of(path))]


def test_modules_import_absolutely() -> None:
    assert not [f"{short(path)}:{line}" for path in FILES for line, dots, _ in imports(path) if dots]


def test_views_by_sizes_and_strides_are_made_in_one_module() -> None:
    """NumPy makes such views where no memory is, too; that of sliding windows looks first, and so does the recorder,
    which reads PyTorch's own memory."""
    found = {
        short(path)
        for path in (ROOT / "gradviz").rglob("*.py")
        if re.search(r"stride_tricks\.|np\.ndarray\(|__array_interface__ =", path.read_text(encoding="utf-8"))
    }
    others = {"gradviz/worker/objects/hardening.py", "gradviz/recorder/values.py"}
    assert found - others == {"gradviz/engine/kernel/memory.py"}, found


def test_functions_of_numpy_that_miscount_are_called_in_one_module() -> None:
    """What the engine counts with them comes from a snippet."""
    theirs = r"bincount|choose|repeat|tile|trace|fft\.irfft\w*|fft\.hfft|linalg\.diagonal|linalg\.trace"
    miscounting = re.compile(rf"np\.({theirs})\b|np\.diagonal\(\w+, (?!axis)")
    found = {
        short(path)
        for folder in ("engine", "torch")
        for path in (ROOT / "gradviz" / folder).rglob("*.py")
        if miscounting.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"gradviz/engine/numerics/overflow.py"}, found


def test_nothing_is_measured_by_a_clock_that_may_be_set() -> None:
    """The time of day is for what snippets ask for it, for the times of files, and for a line of a log."""
    asks = re.compile(r"\btime\.time\(|\btime\.localtime\(|datetime\.now\(|currentDateTime|\bfrom time import time\b")
    found = {short(path) for path in (ROOT / "gradviz").rglob("*.py") if asks.search(path.read_text(encoding="utf-8"))}
    of_files = {
        "gradviz/document/disk.py",
        "gradviz/worker/process/worker_process.py",
        "gradviz/worker/modules/scratch.py",
    }
    of_ranks = {"gradviz/recorder/rows.py"}  # on several machines, which have nothing else in common
    assert found == of_files | of_ranks | {
        "gradviz/worker/modules/log_messages.py",
        "gradviz/worker/running/warm.py",
    }, found


def test_each_package_knows_only_its_foreign_packages() -> None:
    strangers = []
    for path in (ROOT / "gradviz").rglob("*.py"):
        first = path.relative_to(ROOT / "gradviz").parts[0].removesuffix(".py")
        allowed = ALLOWED.get(first, set()) | {"gradviz", "resources"}
        for line, _, module in imports(path):
            top = module.partition(".")[0]
            if top not in allowed and top not in sys.stdlib_module_names:
                strangers.append(f"{short(path)}:{line} imports {module}")
    assert not strangers


def test_every_painter_ends() -> None:
    """One that an error leaves open takes the process with it when its device goes. So it is made by `with`; one whose
    device may refuse is made first, and entered once it has begun."""
    loose = []
    for path in PROGRAM:
        nodes = nodes_of(path)
        entered = [item.context_expr for node in nodes if isinstance(node, ast.With) for item in node.items]
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        made = [node for node in calls if node.func.id == "QPainter"]
        waiting = [node for node in made if node not in entered]
        begun = sum(isinstance(each, ast.Name) for each in entered)
        loose += [f"{short(path)}:{node.lineno}" for node in waiting if node.args or len(waiting) > begun]
    assert not loose
