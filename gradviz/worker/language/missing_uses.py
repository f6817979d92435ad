"""Every place in a text that uses something missing, for when a run has ended at the first of them, so that nobody has
to find them one run at a time.

It only looks at the text, and prefers to omit a place rather than report a wrong one: a name that the text also binds
in another way is left out, and so is what a `try` handles. Next: `absent`, which has the sentences, and `imports`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gradviz.worker.language.absent import ASKS_TRAINED, TRAINED, is_known, sentence_of
from gradviz.worker.language.imports import Imports, OwnFiles
from gradviz.worker.language.pasted import parse
from gradviz.worker.language.policy import MAX_SOURCE, bound_names, catches_import, is_for_tools
from gradviz.worker.policy_names import HERE
from gradviz.worker.process.limits import MOST_REFUSALS

_SAID = (HERE, "is not in GradViz", "Torch not compiled with CUDA enabled", TRAINED)
_OF_A_CARD = re.compile(r"torch\.cuda\.\w+Tensor")  # there to be asked about: isinstance(x, torch.cuda.FloatTensor)
_TO_A_TYPE = ("type", "set_default_tensor_type")


def is_missing(message: str) -> bool:
    """Whether an error says that something does not exist here."""
    return any(words in message for words in _SAID)


def missing_uses(source: str, filename: str, modules: Mapping[str, object], own: OwnFiles) -> list[list[object]]:
    """Return what is used and missing, as plain lists: its path, how the text writes it, the sentence, and its
    lines; nothing of a text that is refused for its length, whose tree would take seconds."""
    if len(source) > MAX_SOURCE:
        return []
    try:
        return _Uses(parse(source, filename), modules, own).told()
    except Exception:  # noqa: BLE001 what can't be read, or is too deep or too much, has been said before
        return []


@dataclass(frozen=True)
class _Bound:
    """What an import binds a name to."""

    path: str
    is_here: bool


class _Uses:
    """The uses in one text."""

    def __init__(self, tree: ast.Module, modules: Mapping[str, object], own: OwnFiles) -> None:
        self._tree, self._modules, self._own = tree, modules, own
        self._imports = Imports(modules, own, "", bound_names(tree))
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def told(self) -> list[list[object]]:
        bound = self._bindings()
        found: dict[tuple[str, str, str], list[int]] = {}
        for node in ast.walk(self._tree):
            written = _dotted(node)
            parts = written.split(".")
            if parts[0] not in bound or self._is_expected(node) or self._is_hint(node):
                continue
            if isinstance(self._parents[node], ast.Attribute) and _dotted(self._parents[node]):
                continue  # part of a longer name
            lacks = self._lacks(node, bound[parts[0]], parts)
            if lacks is not None:
                found.setdefault(lacks, []).append(getattr(node, "lineno", 1))
        listed = sorted(found.items(), key=lambda each: min(each[1]))[:MOST_REFUSALS]
        return [[*said, sorted(set(lines))[:MOST_REFUSALS]] for said, lines in listed]

    def _lacks(self, node: ast.AST, bound: _Bound, parts: list[str]) -> tuple[str, str, str] | None:
        """Return the path of what is missing, how it is written, and the sentence; None if this use of it raises
        nothing."""
        if not bound.is_here:
            whole = ".".join([bound.path, *parts[1:]])
            return (whole, ".".join(parts), sentence_of(whole)) if self._is_use(node) else None
        path = bound.path
        for at, part in enumerate(parts[1:], 2):
            if path not in self._modules or self._own.find(path) == path:
                return None
            inside = f"{path}.{part}"
            if inside not in self._modules and not hasattr(self._modules[path], part):
                return (inside, ".".join(parts[:at]), sentence_of(inside)) if is_known(path, part) else None
            path = inside
        call = self._parents[node]
        if not isinstance(call, ast.Call):
            return None
        if _OF_A_CARD.fullmatch(path) and (call.func is node or _dotted_end(call.func) in _TO_A_TYPE):
            return path, ".".join(parts), sentence_of(path)
        return (path, ".".join(parts), TRAINED) if call.func is node and trained_weights(path, call) else None

    def _is_use(self, node: ast.AST) -> bool:
        """Whether the stand-in for a missing thing refuses this use: it allows being named and passed on."""
        parent = self._parents[node]
        if isinstance(parent, ast.Call):
            return parent.func is node
        if isinstance(parent, ast.Subscript):
            return parent.value is node
        if isinstance(parent, ast.For | ast.comprehension):
            return parent.iter is node
        if isinstance(parent, ast.ClassDef | ast.FunctionDef):
            return not isinstance(parent, ast.FunctionDef) or parent.returns is not node
        return isinstance(parent, ast.BinOp | ast.UnaryOp | ast.withitem | ast.Starred)

    def _around(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yield a node and each node around it, each with its parent."""
        while node in self._parents:
            yield node, self._parents[node]
            node = self._parents[node]

    def _is_expected(self, node: ast.AST) -> bool:
        for inner, outer in self._around(node):
            if isinstance(outer, ast.Try) and inner in outer.body and any(map(catches_import, outer.handlers)):
                return True
            if isinstance(outer, ast.If) and inner in outer.body and is_for_tools(outer):
                return True
        return False

    def _is_hint(self, node: ast.AST) -> bool:
        """Whether the node is part of a type hint."""
        return any(
            inner in (getattr(outer, "annotation", None), getattr(outer, "returns", None))
            for inner, outer in self._around(node)
        )

    def _bindings(self) -> dict[str, _Bound]:
        """Return the names that imports bind, and nothing else does."""
        found: dict[str, _Bound] = {}
        several = bound_names(self._tree, imports=False)
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for name, bound in [] if self._is_expected(node) else self._bound_by(node):
                if found.setdefault(name, bound) != bound:
                    several.add(name)
            if self._is_expected(node):
                several |= {each.asname or each.name.split(".")[0] for each in node.names}
        return {name: bound for name, bound in found.items() if name not in several}

    def _bound_by(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, _Bound]]:
        if isinstance(node, ast.Import):
            made = [self._imports.statement(alias, False) for alias in node.names]
        else:
            names = self._imports.names_of(node, False) or []
            made = [self._imports.statement_of_name(node, alias, False) for alias in names]
        for each in made:
            if isinstance(each, ast.Assign):
                target, call = each.targets[0], each.value
                assert isinstance(target, ast.Name) and isinstance(call, ast.Call)
                path = call.args[0]
                assert isinstance(path, ast.Constant)
                yield target.id, _Bound(str(path.value), False)
            elif isinstance(each, ast.Import):
                alias = each.names[0]
                root = alias.name.split(".")[0]
                yield (alias.asname, _Bound(alias.name, True)) if alias.asname else (root, _Bound(root, True))
            elif isinstance(each, ast.ImportFrom):
                alias = each.names[0]
                yield alias.asname or alias.name, _Bound(f"{each.module}.{alias.name}", True)


def trained_weights(path: str, call: ast.Call) -> list[ast.expr]:
    """Return the arguments by which a call of this path certainly asks for a trained model: `True`, `"DEFAULT"`,
    `ResNet18_Weights.DEFAULT`."""
    if not path.startswith("torchvision.models."):
        return []
    given = [*call.args[:1], *(each.value for each in call.keywords if each.arg in ASKS_TRAINED)]
    return [each for each in given if (isinstance(each, ast.Constant) and each.value) or "_Weights." in _dotted(each)]


def _dotted_end(called: ast.AST) -> str:
    """Return the last name of what is called."""
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _dotted(node: ast.AST) -> str:
    """Return `a.b.c`, if it is read, as text; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        parts.append(node.attr)
        node = node.value
    is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) and is_read else ""
