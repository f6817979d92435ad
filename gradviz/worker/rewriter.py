"""The rewrites of a snippet's syntax tree: what is read, written or called through a hook of `guard`.

The names of the hooks contain `<`: legal in a tree, impossible to type, so no source text can name, shadow or rebind
them. Everything else is ordinary bytecode; line and column numbers stay. Next: `guard`, which has the hooks.
"""

from __future__ import annotations

import ast
from typing import Any

from gradviz.worker.policy_names import HOOKED_ATTRIBUTES, NUMPY_ATTRIBUTES, OWN_NAMES, is_dunder

_HOOKED = HOOKED_ATTRIBUTES | NUMPY_ATTRIBUTES


class Rewriter(ast.NodeTransformer):
    """Puts the hooks in; runs after `check` and after the trace's own instrumentation."""

    def __init__(self) -> None:
        self._classes: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        self._classes.append(node.name.lstrip("_"))
        node.body = [self.visit(each) for each in node.body]
        self._classes.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        entry = _entry(node, node.args)
        if entry is not None:
            after_docstring = 0 if ast.get_docstring(node, clean=False) is None else 1
            node.body.insert(after_docstring, ast.copy_location(ast.Expr(entry), node))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        entry = _entry(node.body, node.args)
        if entry is not None:  # which returns None
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [entry, node.body]), node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """super() without arguments stays what it is: Python looks for the class and `self` itself."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "super" and not (node.args or node.keywords):
            return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "super":
            node.id = "<super>"
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """A dotted name in a pattern has no place for a hook; the check has looked at it."""
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        name = node.attr
        if name == "__class__":
            return _hook("<class>", node, node.value)
        if name == "__dict__":
            return _hook("<vars>", node, node.value)
        mangled = OWN_NAMES.get(name) or self._mangled(name)
        node.attr = mangled
        private = mangled.startswith("_") and not is_dunder(mangled)
        constant = ast.copy_location(ast.Constant(mangled), node)
        if isinstance(node.ctx, ast.Load):
            if private or mangled in _HOOKED or mangled == "__init__":
                return _hook("<get>", node, node.value, constant)
        else:
            node.value = _hook("<write>", node, node.value, constant)
        return node

    def _mangled(self, name: str) -> str:
        """`self.__x` in a class body is `_Class__x`; done here because hooks take the name as text."""
        if name.startswith("__") and not name.endswith("__") and self._classes and self._classes[-1]:
            return f"_{self._classes[-1]}{name}"
        return name


def _entry(node: ast.AST, given: ast.arguments) -> ast.Call | None:
    """The hook that looks at the arguments of a call: PyTorch's own code may call a function of the snippet, too."""
    several = [each for each in (given.vararg, given.kwarg) if each is not None]
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]
    arguments = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
    return _hook("<entry>", node, *arguments) if arguments else None


def _hook(name: str, node: ast.AST, *arguments: Any) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), node)
    return ast.copy_location(ast.Call(function, list(arguments), []), node)
