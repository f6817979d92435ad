"""The language of a snippet: an allow-list over the syntax tree.

`check` refuses, with a sentence that names the line and a way round, before anything runs. It looks at the tree, not at
the text: identifiers are already normalised there. The tables are in `policy_names`.

What can only be decided while the snippet runs is read, written or called through a hook of `guard` (`Rewriter`). The
names of the hooks contain `<`: legal in a tree, impossible to type, so no source text can name, shadow or rebind them.
Everything else is ordinary bytecode; line and column numbers stay the same.

Next: `pasted`, which parses the text, and `guard`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType
from typing import Any, NoReturn

from gradviz.worker.language.absent import way_round
from gradviz.worker.language.comprehensions import shared_comprehensions
from gradviz.worker.language.imports import Imports, OwnFiles
from gradviz.worker.language.pasted import ECHOES, NotebookLine, parse
from gradviz.worker.policy_names import (
    ALLOWED_NODES,
    ASKED,
    DEFINABLE_DUNDERS,
    FORBIDDEN_ATTRIBUTES,
    HERE,
    HOOKED_ATTRIBUTES,
    MODULE_NAMES,
    NUMPY_ATTRIBUTES,
    OF_CODE,
    OWN_NAMES,
    PYTHON_ATTRIBUTES,
    READABLE_DUNDERS,
    READABLE_NAMES,
    REFUSED_BUILTINS,
    REFUSED_NODES,
    is_dunder,
)
from gradviz.worker.process.limits import MOST_REFUSALS

# --- hooks ---

_HOOKED = HOOKED_ATTRIBUTES | NUMPY_ATTRIBUTES
_LOOKED_AT = frozenset("__getattr__ __setstate__ __init_subclass__ __new__".split())  # in the finished class


class Rewriter(ast.NodeTransformer):
    """Inserts the hooks; runs after `check` and after the trace's own instrumentation."""

    def __init__(self, replaced: Mapping[ast.AST, list[ast.stmt]] | None = None) -> None:
        self._classes: list[str] = []
        self._replaced = replaced or {}
        self._shared: set[ast.AST] = set()

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self._shared = shared_comprehensions(node)
        return self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._apart(node, ast.List) if node in self._shared else self.generic_visit(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._apart(node, ast.Set) if node in self._shared else self.generic_visit(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        if node not in self._shared:
            return node
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        return _hook("<dict>", node, ast.copy_location(ast.GeneratorExp(pair, node.generators), node))

    def _apart(self, node: ast.ListComp | ast.SetComp, display: type[ast.List] | type[ast.Set]) -> ast.AST:
        """Return `[*(… for …)]`: a generator has a scope of its own."""
        self.generic_visit(node)
        items = ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)
        made = display([ast.copy_location(ast.Starred(items, ast.Load()), node)])
        if isinstance(made, ast.List):
            made.ctx = ast.Load()
        return ast.copy_location(made, node)

    def visit_Import(self, node: ast.Import) -> object:
        return self._replaced.get(node, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> object:
        return self._replaced.get(node, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        self._classes.append(node.name.lstrip("_"))
        node.body = self._visited(node.body)
        self._classes.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "__del__":  # Python would call it in the middle of anything, GradViz's own work too
            node.name = "<del>"
        node.args = self.visit(node.args)  # defaults and decorators are evaluated in the code around it
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.returns = node.returns and self.visit(node.returns)
        node.body = self._visited(node.body)
        entry = _entry(node, node.args)
        after_docstring = 0 if ast.get_docstring(node, clean=False) is None else 1
        if entry is not None:
            node.body.insert(after_docstring, ast.copy_location(ast.Expr(entry), node))
        return node

    def _visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made = [self.visit(each) for each in body]
        return [each for one in made for each in (one if isinstance(one, list) else [one])]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        node.body = self.visit(node.body)
        entry = _entry(node.body, node.args)
        if entry is not None:  # which returns None
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [entry, node.body]), node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """super() without arguments stays unchanged: Python itself finds the class and `self`. Any other call without
        arguments gets an empty tuple of them: for `f()`, where f is a method of a class such as list.sort, Python takes
        as its object what lay on the stack before."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        is_bare = not (node.args or node.keywords)
        if name == "super" and is_bare:
            return node
        self.generic_visit(node)
        if is_bare:
            none = ast.copy_location(ast.Tuple([], ast.Load()), node)
            node.args = [ast.copy_location(ast.Starred(none, ast.Load()), node)]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Print a value in a session."""
        self.generic_visit(node)
        if hasattr(node, ECHOES):
            node.value = _hook("<echo>", node, node.value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "super":
            node.id = "<super>"
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """A dotted name in a pattern has no room for a hook; the check has covered it."""
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Where a class pattern reads an attribute that has a hook elsewhere, a stand-in of the class is made just
        before (`patterns`), by the guard of a case that is never the one."""
        self.generic_visit(node)
        node.cases = [each for case in node.cases for each in (*_stand_ins(case.pattern), case)]
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        node.patterns = [self.visit(each) for each in node.patterns]
        node.kwd_patterns = [self.visit(each) for each in node.kwd_patterns]
        return node

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        node.patterns = [self.visit(each) for each in node.patterns]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        name = node.attr
        if name == "__class__":
            return _hook("<class>", node, node.value)
        if name in ASKED:
            return _hook(ASKED[name], node, node.value)
        if name == "__dict__" and isinstance(node.ctx, ast.Load):
            return _hook("<vars>", node, node.value)
        if is_dunder(name) and name not in READABLE_DUNDERS and isinstance(node.ctx, ast.Load):
            return _hook("<getattr>", node, node.value, ast.copy_location(ast.Constant(name), node))
        mangled = OWN_NAMES.get(name) or self._mangled(name)
        node.attr = mangled
        private = mangled.startswith("_") and not is_dunder(mangled)
        constant = ast.copy_location(ast.Constant(mangled), node)
        if isinstance(node.ctx, ast.Load):
            if private or mangled in _HOOKED or mangled == "__init__":
                return _hook("<get>", node, node.value, constant)
            return node
        if isinstance(node.ctx, ast.Del):
            node.value = _hook("<deletable>", node, node.value, constant)
        node.value = _hook("<write>", node, node.value, constant)
        return node

    def _mangled(self, name: str) -> str:
        """`self.__x` in a class body is `_Class__x`; done here because hooks take the name as text."""
        if name.startswith("__") and not name.endswith("__") and self._classes and self._classes[-1]:
            return f"_{self._classes[-1]}{name}"
        return name


def _entry(node: ast.AST, given: ast.arguments) -> ast.Call | None:
    """Return the hook that checks the arguments of a call: PyTorch's own code may call a function of the snippet,
    too."""
    several = [each for each in (given.vararg, given.kwarg) if each is not None]
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]
    arguments = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
    return _hook("<entry>", node, *arguments) if arguments else None


def _hook(name: str, node: ast.AST, *arguments: Any) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), node)
    return ast.copy_location(ast.Call(function, list(arguments), []), node)


def _stand_ins(pattern: ast.pattern) -> list[ast.match_case]:
    inside = [each for each in ast.walk(pattern) if isinstance(each, ast.MatchClass)]
    return [_stand_in(each, hooked) for each in inside if (hooked := sorted(_HOOKED.intersection(each.kwd_attrs)))]


def _stand_in(pattern: ast.MatchClass, hooked: list[str]) -> ast.match_case:
    """Give a pattern a stand-in in place of its class, and return the case that makes it."""
    key = f"{' '.join(hooked)} {pattern.lineno} {pattern.col_offset}"
    words = [ast.copy_location(ast.Constant(word), pattern) for word in (key, *hooked)]
    made = _hook("<pattern>", pattern, pattern.cls, *words)
    hook = ast.copy_location(ast.Name("<pattern>", ast.Load()), pattern)
    pattern.cls = ast.copy_location(ast.Attribute(hook, key, ast.Load()), pattern)
    anything = ast.copy_location(ast.MatchAs(), pattern)
    return ast.match_case(anything, made, [ast.copy_location(ast.Pass(), pattern)])


MAX_DEPTH = 200
# Python's compiler has room for 20 blocks within each other, one of which is the function's own. It counts those of
# statements only: 3.12 and 3.13 write behind their memory when comprehensions, in others or in a `with`, take more.
MAX_BLOCKS = 18
_BLOCKS: dict[type, int] = {
    **dict.fromkeys((ast.For, ast.While, ast.ExceptHandler, ast.ListComp, ast.SetComp, ast.DictComp), 1),
    ast.Try: 2,
}


def _blocks_of(node: ast.AST) -> int:
    return len(node.items) if isinstance(node, ast.With) else _BLOCKS.get(type(node), 0)


MAX_SOURCE = 400_000


class Refusal(Exception):
    """The policy does not run this snippet; `sentence` says what, at which line, and the way round; `every` holds all
    refusals of the text in line order, this one first."""

    def __init__(self, line: int, what: str, way_round: str) -> None:
        self.line, self.what, self.way_round = line, what, way_round
        self.sentence = f"line {line}: {what}; {way_round}."
        self.every: list[Refusal] = [self]
        super().__init__(self.sentence)


def compile_snippet(
    source: str,
    filename: str,
    modules: Container[str],
    instrument: Callable[[ast.Module], ast.Module] | None = None,
    note: Callable[[str], None] | None = None,
    own: OwnFiles | None = None,
    package: str = "",
) -> CodeType:
    """Check, instrument, rewrite and compile; raises `Refusal` or Python's own SyntaxError. `note` receives what is
    skipped; relative imports begin at `package`."""
    if len(source) > MAX_SOURCE:
        raise Refusal(1, f"the snippet has {len(source):,} characters", f"{MAX_SOURCE:,} is the most that can be run")
    try:
        tree = _parse(source, filename)
    except (RecursionError, MemoryError):  # Python's parser has its own limit of depth
        raise Refusal(1, "this code is nested too deeply", "split it into several statements") from None
    except ValueError:  # a null byte, a lone surrogate
        raise Refusal(1, "the snippet contains an invalid character", "retype the line") from None
    checked = check(tree, modules, own, package)
    if note is not None:
        for text in checked.notes:
            note(text)
    if instrument is not None:
        tree = instrument(tree)
    tree = ast.fix_missing_locations(Rewriter(checked.replaced).visit(tree))
    return compile(tree, filename, "exec", dont_inherit=True)


def _parse(source: str, filename: str) -> ast.Module:
    try:
        return parse(source, filename)
    except NotebookLine as found:
        raise Refusal(found.line, f"{found.text} belongs to a notebook", "leave the line out") from None


@dataclass(frozen=True)
class Checked:
    """What is known of a text that may run: the imports of missing modules, with what replaces them, and notes on what
    is skipped."""

    replaced: Mapping[ast.AST, list[ast.stmt]]
    notes: list[str]


def check(tree: ast.Module, modules: Container[str], own: OwnFiles | None = None, package: str = "") -> Checked:
    """Refuse every construct that is not in the language."""
    bound = bound_names(tree)
    if "super" in bound:
        raise Refusal(1, f"a variable called super is not {HERE}", "choose another name")
    checker = _Checker(modules, bound, own, package)
    with suppress(_TooMany):
        checker.visit(tree)
    if checker.refusals:
        every = sorted(checker.refusals, key=lambda each: each.line)
        every[0].every = every
        raise every[0]
    return Checked(checker.replaced, checker.notes)


class _TooMany(Exception):
    """Raised to skip the rest of the text."""


def _used_names(tree: ast.AST) -> set[str]:
    """Return every name that the snippet reads somewhere."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def bound_names(tree: ast.AST, *, imports: bool = True) -> set[str]:
    """Return every name that the snippet itself binds somewhere: these hide builtins of the same name."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):  # to delete a name is to bind it, too
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias) and imports:
            bound.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
    return bound


class _Checker(ast.NodeVisitor):
    """Walks the whole tree once; `self._line` follows, because some nodes have no line."""

    def __init__(self, modules: Container[str], bound: set[str], own: OwnFiles | None, package: str) -> None:
        self.refusals: list[Refusal] = []
        self.replaced: dict[ast.AST, list[ast.stmt]] = {}
        self.notes: list[str] = []
        self._imports = Imports(modules, own, package, bound)
        self._bound = bound
        self._line = 1
        self._depth = self._blocks = 0
        self._in_class_body = False
        self._expects_failure = False  # in a `try` that catches a failing import

    def visit(self, node: ast.AST) -> None:
        self._line = getattr(node, "lineno", self._line)
        if type(node) not in ALLOWED_NODES:
            kind = type(node).__name__
            self._refuse(f"{REFUSED_NODES.get(kind, f'{kind} is')} not {HERE}", "use plain functions and statements")
            return
        outside = self._depth, self._blocks
        self._depth, self._blocks = self._depth + 1, self._blocks + _blocks_of(node)
        if self._depth > MAX_DEPTH:
            self._refuse_depth()
        if self._blocks > MAX_BLOCKS:
            self._refuse_depth()
        super().visit(node)
        self._depth, self._blocks = outside

    def _refuse_depth(self) -> NoReturn:
        self._refuse("this code is nested too deeply", "split it into several statements")
        raise _TooMany

    def visit_Module(self, node: ast.Module) -> None:
        self._imports.used = _used_names(node)
        self.generic_visit(node)

    def _refuse(self, what: str, way_round: str) -> None:
        if all((each.line, each.what) != (self._line, what) for each in self.refusals):
            self.refusals.append(Refusal(self._line, what, way_round))
        if len(self.refusals) >= MOST_REFUSALS:
            raise _TooMany

    def _name(self, name: str | None, allowed: Container[str] = (), what: str = "name") -> None:
        if name is None:
            return
        if is_dunder(name) and name not in allowed:
            self._refuse(
                f"the {what} {name} is not {HERE}", "names with two underscores on both sides belong to Python"
            )

    def _attribute(self, name: str) -> None:
        self._name(name, READABLE_DUNDERS, "attribute")
        if name in FORBIDDEN_ATTRIBUTES:
            self._refuse(f"the attribute {name} is not {HERE}", "it reaches inside Python; leave it out")

    def visit_Name(self, node: ast.Name) -> None:
        readable = READABLE_NAMES if isinstance(node.ctx, ast.Load) else MODULE_NAMES
        self._name(node.id, readable | DEFINABLE_DUNDERS if self._in_class_body else readable)  # __rmul__ = __mul__
        if isinstance(node.ctx, ast.Load) and node.id in REFUSED_BUILTINS and node.id not in self._bound:
            self._refuse(f"{node.id}() is not {HERE}", REFUSED_BUILTINS[node.id])

    def visit_arg(self, node: ast.arg) -> None:
        self._name(node.arg, what="argument")
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        self._name(node.arg, what="argument")
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self._name(name)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            self._name(name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._name(node.name)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name == "__del__" and self._in_class_body:
            self.notes.append(f"line {node.lineno}: __del__ is skipped: GradViz never calls it.")
        else:
            self._name(node.name, DEFINABLE_DUNDERS | _LOOKED_AT, "method")
        self._scoped(node, False)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._scoped(node, False)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._name(node.name, what="class name")
        if not all(_is_plain_keyword(keyword) for keyword in node.keywords):
            self._refuse(f"a metaclass or another class keyword is not {HERE}", "name base classes only")
        self._scoped(node, True)

    def _scoped(self, node: ast.AST, in_class_body: bool) -> None:
        before, self._in_class_body = self._in_class_body, in_class_body
        self.generic_visit(node)
        self._in_class_body = before

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if _asks_for_arguments(node):
            self.visit(node.value.value)  # type: ignore[attr-defined]
            return
        is_read = isinstance(node.ctx, ast.Load)
        if is_dunder(node.attr) and (node.attr != "__code__" if is_read else node.attr == "__dict__"):
            self.generic_visit(node)  # what is not readable, or can't be replaced, is refused where it is reached
            return
        self._attribute(node.attr)
        if not is_read and is_dunder(node.attr):
            self._refuse(f"{node.attr} can't be assigned to", "define it in a class body or leave it out")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        before = self._expects_failure
        self._expects_failure = before or is_for_tools(node)
        for statement in node.body:
            self.visit(statement)
        self._expects_failure = before
        for part in (node.test, *node.orelse):
            self.visit(part)

    def visit_Try(self, node: ast.Try) -> None:
        """`try: import x` with `except ImportError`: an import that is not available fails when it runs."""
        before = self._expects_failure
        self._expects_failure = before or any(catches_import(handler) for handler in node.handlers)
        for statement in node.body:
            self.visit(statement)
        self._expects_failure = before
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """`x.format += y` would read the attribute without its hook."""
        if isinstance(node.target, ast.Attribute) and node.target.attr in PYTHON_ATTRIBUTES:
            self._refuse(f"{node.target.attr} can't be changed in place", "write x.a = x.a + … instead")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            self._refuse(f"async for is not {HERE}", "use plain functions and statements")
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            self._attribute(name)
            if name.startswith("_"):
                self._refuse(f"{name} can't be used in a class pattern", "match the object and read it afterwards")
        self._dotted(node.cls)
        self.generic_visit(node)

    def visit_MatchValue(self, node: ast.MatchValue) -> None:
        self._dotted(node.value)
        self.generic_visit(node)

    def _dotted(self, *values: ast.expr) -> None:
        """Check a dotted name in a pattern: there is no room for a hook, and `__eq__` gets its value as it is."""
        for part in (part for value in values for part in ast.walk(value)):
            if isinstance(part, ast.Attribute) and (part.attr.startswith("_") or part.attr in HOOKED_ATTRIBUTES):
                self._refuse(f"{part.attr} can't be used in a pattern", "match the object and read it afterwards")

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._name(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._name(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._name(node.rest)
        self._dotted(*node.keys)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._parts(alias.name)
            self._name(alias.asname, MODULE_NAMES)
        self._replace(node, [self._imports.statement(alias, self._expects_failure) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        self._parts(node.module or "")
        kept: list[ast.stmt] = []
        names = self._imports.names_of(node, self._expects_failure)
        if names is None:
            self._refuse(f"from {module} import * is not {HERE}", way_round(module))
            return
        for alias in names:
            if module != "__future__" and alias.name != "*":
                self._name(alias.name, MODULE_NAMES)
            self._name(alias.asname)
            kept.append(self._imports.statement_of_name(node, alias, self._expects_failure))
        self._replace(node, kept or [ast.Pass()])

    def _replace(self, node: ast.Import | ast.ImportFrom, kept: list[ast.stmt]) -> None:
        """Return one statement for each name, if one of them differs from what Python would do."""
        if all(type(each) is type(node) and each.names[0] in node.names and not _moved(each, node) for each in kept):
            return
        self.replaced[node] = [ast.copy_location(each, node) for each in kept]
        for each in kept:
            if isinstance(each, ast.Assign) and (note := self._imports.note_of(each)):
                self.notes.append(f"line {self._line}: {note}")

    def _parts(self, module: str) -> None:
        for part in module.split("."):
            self._name(part, {"__future__"})


def _moved(statement: ast.stmt, node: ast.stmt) -> bool:
    """Whether a name is imported from another module."""
    here = [(each.module, each.level) for each in (statement, node) if isinstance(each, ast.ImportFrom)]
    return len(set(here)) > 1


def _asks_for_arguments(node: ast.Attribute) -> bool:
    """Whether it is `f.__code__.co_varnames`, which scripts read to find out how to call `f`."""
    named = isinstance(node.ctx, ast.Load) and node.attr in OF_CODE
    return named and isinstance(node.value, ast.Attribute) and node.value.attr == "__code__"


def _is_plain_keyword(keyword: ast.keyword) -> bool:
    """Whether it is `metaclass=ABCMeta`, which is checked again when the class is made, or the `total=False` of a
    TypedDict."""
    if keyword.arg == "total":
        return isinstance(keyword.value, ast.Constant)
    return keyword.arg == "metaclass" and _dotted(keyword.value) in ("ABCMeta", "abc.ABCMeta")


def _dotted(node: ast.expr) -> str:
    """Return `a` or `a.b` as text, "" for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_for_tools(node: ast.If) -> bool:
    """Whether it is `if TYPE_CHECKING: import x`, which is for other tools and never runs."""
    return _dotted(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def catches_import(handler: ast.ExceptHandler) -> bool:
    """Whether this handler catches a failing import."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id if isinstance(kind, ast.Name) else None for kind in kinds}
    return handler.type is None or bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
