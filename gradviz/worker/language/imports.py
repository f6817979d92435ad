"""What an import statement of a snippet means: a module that is offered, one of the snippet's own, or one that does not
exist here and gets an `Absent` in its place. `policy` checks the names and inserts the statements; the snippet's own
modules are in `own_modules`."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Container, Mapping
from typing import Protocol

from gradviz.worker.language.absent import is_known
from gradviz.worker.policy_names import HERE


class OwnFiles(Protocol):
    """The snippet's own modules."""

    def find(self, name: str) -> str:
        """Return the module that a name means, "" if it is none of these."""


class Imports:
    """The imports of one text: `used` are the names that it reads, `bound` those that it binds itself."""

    def __init__(self, modules: Container[str], own: OwnFiles | None, package: str, bound: set[str]) -> None:
        self._modules, self._own, self._package, self._bound = modules, own, package, bound
        self.used: set[str] = set()
        self._of_stars: set[str] = set()  # what each `*` so far imports
        self._is_open = False  # whether one of them imports names that are known only when it has run

    def statement(self, alias: ast.alias, may_fail: bool) -> ast.stmt:
        """Return the statement for one name of `import a.b as c`."""
        root, found = alias.name.split(".")[0], self._found(alias.name, may_fail)
        if found == alias.name:
            return ast.Import([alias])
        if found and alias.asname:
            return ast.Import([ast.alias(found, alias.asname)])
        if alias.asname is None and root in self._modules:  # its missing names are reported on use
            return ast.Import([ast.alias(root)])
        return _absent(alias.asname or root, alias.name if alias.asname else root)

    def statement_of_name(self, node: ast.ImportFrom, alias: ast.alias, may_fail: bool) -> ast.stmt:
        """Return the statement for one name of `from a import b as c`."""
        home = self._home(node, may_fail)
        if alias.name == "*":
            return ast.Expr(ast.Call(ast.Name("<star>", ast.Load()), [ast.Constant(home)], []))
        if node.level and not self._absolute(node) and (found := self._own_module(alias.name)):  # from . import utils
            return ast.Import([ast.alias(found, alias.asname or alias.name)])
        if home and not self._lacks(home, alias.name, may_fail):
            return ast.ImportFrom(home, [alias], 0)
        module = "." * node.level + (node.module or "")
        return _absent(alias.asname or alias.name, f"{module}{'' if module.endswith('.') else '.'}{alias.name}")

    def names_of(self, node: ast.ImportFrom, may_fail: bool) -> list[ast.alias] | None:
        """Return the names that a statement imports. `*` means, for an offered module, those of its names that this
        text reads, and for one of the snippet's own, all that it has once it has run; None for `*` of a module that
        does not exist here."""
        home = self._home(node, may_fail)
        if node.names[0].name != "*":
            return node.names
        if home and self._own_module(home) == home:
            self._is_open = True
            return node.names
        if home not in self._modules:
            return None
        public = getattr(sys.modules.get(home), "__all__", None)  # for Python's own modules and NumPy
        read = sorted(name for name in self.used if not name.startswith("_") and (public is None or name in public))
        there = {name for name in read if self._has(home, name)}
        elsewhere = self._bound | self._of_stars | vars(builtins).keys()
        left = () if self._is_open else set(read) - there - elsewhere
        self._of_stars |= there
        return [
            ast.alias(name) for name in read if name in there or (name in left and self._lacks(home, name, may_fail))
        ]

    def note_of(self, absent: ast.Assign) -> str:
        """Return the note about an import that is skipped, "" if something uses it."""
        target, call = absent.targets[0], absent.value
        assert isinstance(target, ast.Name) and isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant)
        path = str(call.args[0].value)
        return "" if target.id in self.used else f"{path} is skipped: it is not {HERE}, and nothing here uses it."

    def _home(self, node: ast.ImportFrom, may_fail: bool) -> str:
        """Return the module that names are imported from, "" if it does not exist here."""
        if not node.level:
            return self._found(node.module or "", may_fail)
        return self._own_module(self._absolute(node))

    def _absolute(self, node: ast.ImportFrom) -> str:
        """Return the full name of a module whose name begins with dots."""
        parts = self._package.split(".") if self._package else []
        kept = parts[: len(parts) + 1 - node.level] if node.level <= len(parts) + 1 else []
        return ".".join([*kept, *([node.module] if node.module else [])])

    def _own_module(self, name: str) -> str:
        return self._own.find(name) if self._own is not None and name else ""

    def _found(self, name: str, may_fail: bool) -> str:
        """Return the name of a module that can be imported; an import that may fail is left to Python."""
        own = self._own_module(name)
        return name if own == name or name in self._modules or may_fail else own

    def _lacks(self, module: str, name: str, may_fail: bool) -> bool:
        """Whether this name of a module is missing only here; a name that does not exist anywhere gets Python's own
        ImportError."""
        if may_fail or self._own_module(module) == module:
            return False
        if not isinstance(self._modules, Mapping) or f"{module}.{name}" in self._modules:
            return False
        return not self._has(module, name) and is_known(module, name)

    def _has(self, module: str, name: str) -> bool:
        return isinstance(self._modules, Mapping) and hasattr(self._modules[module], name)


def _absent(name: str, path: str) -> ast.Assign:
    """`name = <absent>(path)`."""
    call = ast.Call(ast.Name("<absent>", ast.Load()), [ast.Constant(path)], [])
    return ast.Assign([ast.Name(name, ast.Store())], call)
