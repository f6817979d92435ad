"""The picture of the architecture, `docs/architecture.md`: made of the import contracts and of the paragraph that each
package opens with, so that it can't say what does not hold. `python -m tests.architecture.picture` prints it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
HEAD = """# Architecture

Made by `make docs` from the import contracts in `pyproject.toml` and the paragraph that each package opens with;
a test says when it is not current.

Everything that runs is a snippet. Running it in the worker process gives a trace; everything on the screen is a
function of document, trace and cursor. A package imports only what stands below it:
"""


def layers(contract: str) -> list[list[str]]:
    """The layers of a contract, each with the modules beside each other in it, from the top."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (found,) = [each for each in contracts if each["id"] == contract]
    return [[name.strip(" ()") for name in re.split(r"[|:]", layer)] for layer in found["layers"]]


def rooms() -> dict[str, str]:
    """The contract inside of each package that has one, by package."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return {
        each["containers"][0]: each["id"]
        for each in contracts
        if each["type"] == "layers" and each["containers"] != ["gradviz"]
    }


def opening(package: str) -> str:
    """The paragraph that a package opens with."""
    place = ROOT / package.replace(".", "/")
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())


def chart(found: list[list[str]]) -> str:
    """Layers as boxes on top of each other; modules side by side in one box are of the same layer."""
    texts = ["   ".join(layer) for layer in found]
    width = max(map(len, texts)) + 4
    lines: list[str] = []
    for at, text in enumerate(texts):
        lines += [f"{'├' if at else '┌'}{'─' * width}{'┤' if at else '┐'}", f"│{text.center(width)}│"]
    return "\n".join(["```text", *lines, f"└{'─' * width}┘", "```", ""])


def page() -> str:
    """The whole page."""
    top = layers("layers")
    parts = [HEAD, chart(top)]
    for name in (name for layer in top for name in layer):
        if not (ROOT / "gradviz" / name).is_dir():  # `cli`, `report`, `classroom`
            continue
        package = f"gradviz.{name}"
        parts.append(f"## {name}\n\n{opening(package)}\n")
        for inner, contract in rooms().items():
            if inner == package or inner.startswith(f"{package}."):
                parts += [f"{'Inside' if inner == package else f'Inside `{inner}`'}:\n", chart(layers(contract))]
        folders = sorted(each.parent.name for each in (ROOT / "gradviz" / name).glob("*/__init__.py"))
        parts += [f"* `{folder}`: {said}" for folder in folders if (said := opening(f"{package}.{folder}"))]
        parts.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
