"""The text of a snippet and its syntax tree, as the finders of mistakes ask about them. What happened when it ran is
added by `case`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

Place = tuple[int, int, int, int]


class Text:
    """A snippet and its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; empty where the text can't be read."""
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    @cached_property
    def walked(self) -> list[ast.AST]:
        """Every node of the tree, in the order of the text."""
        found = [node for node in ast.walk(self.tree) if hasattr(node, "lineno")]
        return sorted(found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each node."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is around a node, the innermost first."""
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def function_of(self, node: ast.AST) -> ast.AST | None:
        """The function around a node."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((each for each in self.around(node) if isinstance(each, kinds)), None)

    def loop_of(self, node: ast.AST) -> ast.For | ast.While | None:
        """The loop around a node, in the same function."""
        for each in self.around(node):
            if isinstance(each, (ast.For, ast.While)):
                return each
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return None
        return None

    def is_off(self, line: int) -> bool:
        """Whether the text around a line switches gradients off."""
        return self.off_at(line) > 0

    def off_at(self, line: int) -> int:
        """The line in a block that switches gradients off, or of the decorator that does; -1 if there is none."""
        statement = self.statement(line)
        for each in [statement, *self.around(statement)] if statement is not None else ():
            heads: list[ast.expr] = []
            if isinstance(each, ast.With):
                heads = [item.context_expr for item in each.items]
            elif isinstance(each, ast.FunctionDef):
                heads = each.decorator_list
            for head in heads:
                if "no_grad" in self.source(head) or "inference_mode" in self.source(head):
                    return head.lineno if isinstance(each, ast.FunctionDef) else line
        return -1

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a node."""
        return next((each for each in self.around(node) if isinstance(each, ast.ClassDef)), None)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Every statement, in the order of the text."""
        return [node for node in self.walked if isinstance(node, ast.stmt)]

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call, in the order of the text."""
        return [node for node in self.walked if isinstance(node, ast.Call)]

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that covers a line."""
        found = None
        for node in self.statements:
            if node.lineno > line:
                break
            if line <= (node.end_lineno or node.lineno):
                found = node
        return found

    def on_line(self, line: int) -> list[ast.AST]:
        """The nodes of the statement that a line belongs to; of a compound one only its head."""
        statement = self.statement(line)
        if statement is None:
            return []
        body = {inner for part in getattr(statement, "body", []) if isinstance(part, ast.stmt) for inner in [part]}
        found: list[ast.AST] = []
        queue: list[ast.AST] = [statement]
        for each in queue:
            found.append(each)
            queue += [child for child in ast.iter_child_nodes(each) if child not in body]
        return found

    def source(self, node: ast.AST) -> str:
        """The text of a node as it is written."""
        return ast.get_source_segment(self.text, node) or ""

    def called(self, name: str, line: int = -1) -> ast.Call | None:
        """The first call of a function or method of this name (on a line)."""
        for call in self.calls:
            if name_of(call) == name and (line < 0 or call.lineno <= line <= (call.end_lineno or line)):
                return call
        return None

    @cached_property
    def expressions(self) -> dict[tuple[int, int, int, int], ast.expr]:
        """The expression at each place."""
        return {self.place(node): node for node in self.walked if isinstance(node, ast.expr)}

    def assigned(self, name: str, line: int) -> ast.expr | None:
        """What a plain variable was given last before a line."""
        found = None
        for node in self.statements:
            if isinstance(node, ast.Assign) and node.lineno <= line and name in map(self.source, node.targets):
                found = node.value
        return found

    def all_assigned(self, name: str, line: int) -> list[ast.expr]:
        """All that a plain variable was given, or that was added to it, before a line."""
        found = []
        for node in self.statements:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            value = getattr(node, "value", None)
            plain = any(isinstance(target, ast.Name) and target.id == name for target in targets)
            if plain and isinstance(value, ast.expr) and node.lineno < line:
                found.append(value)
        return found

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
        """Where a node is, as the trace writes it: columns in characters."""
        end = node.end_lineno or node.lineno
        return node.lineno, self._column(node.lineno, node.col_offset), end, self._column(end, node.end_col_offset or 0)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.splitlines()

    def _column(self, line: int, byte: int) -> int:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))


def name_of(call: ast.Call) -> str:
    """The last part of what is called: "backward" of `loss.backward()`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def receiver_of(call: ast.Call) -> ast.expr | None:
    """What a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None
