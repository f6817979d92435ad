"""No file of GradViz needs, while the program runs, a file that needs it in turn by way of a third: not at the top of a
file and not inside of a function. What only the type checker reads is not counted, and two files that know each other
may be one concept. The search is tried on circles that were made for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[2]


def modules(root: Path) -> dict[str, str]:
    """The text of each module by its dotted name."""
    found = {}
    for path in sorted((root / "gradviz").rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    return found


def imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those that run, wherever they stand."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and any(_says_type_checking(part) for part in ast.walk(child.test)):
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        yield from imports(child)


def _says_type_checking(part: ast.AST) -> bool:
    return "TYPE_CHECKING" in (getattr(part, "id", ""), getattr(part, "attr", ""))


def imported(node: ast.Import | ast.ImportFrom, known: Mapping[str, str]) -> Iterator[str]:
    """The modules that a statement names: `from package import name` means the module `name` where there is one."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
    elif node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            if inner in known or node.module in known:
                yield inner if inner in known else node.module


def circles(known: Mapping[str, str]) -> set[frozenset[str]]:
    """Sets of three or more modules each of which needs all the others."""
    graph = nx.DiGraph()
    for name, text in known.items():
        for node in imports(ast.parse(text)):
            graph.add_edges_from((name, other) for other in imported(node, known) if other != name)
    return {frozenset(part) for part in nx.strongly_connected_components(graph) if len(part) > 2}


def test_files_do_not_need_each_other_in_circles() -> None:
    assert circles(modules(ROOT)) == set()


def test_a_circle_is_found_at_the_top_and_inside_of_functions() -> None:
    known = {
        "gradviz.a": "from gradviz.b import thing",
        "gradviz.b": "def late():\n    from gradviz import c",
        "gradviz.c": "if True:\n    import gradviz.a",
        "gradviz": "",
    }
    assert circles(known) == {frozenset({"gradviz.a", "gradviz.b", "gradviz.c"})}


def test_what_only_the_type_checker_reads_makes_no_circle() -> None:
    known = {
        "gradviz.a": "from gradviz.b import thing",
        "gradviz.b": "from gradviz.c import thing",
        "gradviz.c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gradviz.a import thing",
    }
    assert circles(known) == set()
