"""The language of conditional breakpoints, such as `name == "w" and grad.abs().max() > 1e3`, and the search for the
steps at which breakpoints stop. The language is Python's grammar, restricted to what is listed here. A condition is
compiled to small functions; Python itself evaluates nothing. The search is over all steps, in pieces, so that a million
steps never block the window. Pure; `condition_values` defines what the names mean at a step, `points` what a breakpoint
is."""

from __future__ import annotations

import ast
import operator
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Protocol

from gradviz.session.breakpoints.condition_values import (
    ABOUT,
    METHODS,
    NO_ANSWER,
    Known,
    Things,
    Which,
    call,
    kind_words,
    things,
    truth,
)
from gradviz.session.breakpoints.points import AbsentError, Breakpoint, ConditionError, Hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


NAMES = ("value", "grad", "norm", "version", "bytes", "line", "step", "kind", "name", "op")
COLUMNS = frozenset({"norm", "bytes", "line", "step", "kind", "op"})  # known for many steps at once
LONGEST = 400  # characters
MOST_PARTS = 120
HIGHEST_POWER = 64
HELP = (
    f"Names: {', '.join(NAMES)}. Methods: {', '.join(METHODS)}, and .shape. "
    'For example grad.abs().max() > 1e3, value.isnan().any(), norm > 5, name == "w" and grad < 0.'
)


class Names(Protocol):
    """The meanings of names: for one thing at one step, or (for COLUMNS) for many at once."""

    def look_up(self, name: str, /) -> Any: ...


Run = Callable[[Names], Any]

_LARGE = re.compile(r"(?:value|grad)(?:\.abs\(\))?\.max\(\) >=? ([0-9][0-9.e+]*)")
_NAN = re.compile(r"(?:value|grad)\.isnan\(\)\.any\(\)")
_PLACE = re.compile(r"-?[0-9]{1,9}")
_INF = re.compile(r"(?:value|grad)\.isinf\(\)\.any\(\)")

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda part, text: part in text,
    ast.NotIn: lambda part, text: part not in text,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_OF_NONE = (operator.is_, operator.is_not, operator.eq, operator.ne)
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True, eq=False)
class Condition:
    """A compiled condition: `many` can be evaluated on whole columns at once, `one` only where all of `many` hold."""

    text: str
    many: tuple[Run, ...]
    one: tuple[Run, ...]
    needs: tuple[Run, ...]  # on whole columns: without these `one` cannot hold, which avoids evaluating it
    uses_norm: bool  # in `many`: it does not hold if there is no norm
    about: frozenset[str]  # "value", "grad": what it refers to

    def holds(self, names: Names) -> bool:
        """Whether the parts that are evaluated one by one hold. Raises ConditionError if the result is not a truth
        value."""
        try:
            return all(truth(part(names)) for part in self.one)
        except (AbsentError, ZeroDivisionError, OverflowError):
            return False
        except ConditionError:
            raise
        except (TypeError, ValueError) as error:  # shapes or types that do not fit together
            raise ConditionError(f"This cannot be evaluated: {error}.") from error

    def mask(self, part: Run, names: Names, count: int) -> Any:
        """For one of `many` or `needs`: for which of `count` rows it holds. Raises ConditionError as `holds` does."""
        import numpy as np

        try:
            found = np.asarray(part(names))
        except (AbsentError, ZeroDivisionError, OverflowError):
            return np.zeros(count, bool)
        except TypeError as error:
            raise ConditionError("Compare numbers with numbers and strings with strings.") from error
        if found.dtype != bool:
            raise ConditionError(NO_ANSWER)
        return np.broadcast_to(found, (count,))


def compiled(text: str, kinds: frozenset[str] = frozenset()) -> Condition:
    """Compile a condition; `kinds` are the words that `kind` may be compared with."""
    if len(text) > LONGEST:
        raise ConditionError(f"A condition may have {LONGEST} characters, and this has {len(text):,}.", LONGEST)
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # anything unusual is refused below
            tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ConditionError(f"This is not valid Python: {error.msg}.", max(0, (error.offset or 1) - 1)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConditionError("This is not valid Python.") from error
    if sum(1 for _ in ast.walk(tree)) > MOST_PARTS:
        raise ConditionError("This condition is too long; split it into two breakpoints.")
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    many = [part for part in parts if _is_columnar(part)]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    about = frozenset(names & {"value", "grad"})
    return Condition(
        text=text.strip(),
        many=tuple(_Reader(kinds, many=True).read(part) for part in many),
        one=tuple(_Reader(kinds, many=False).read(part) for part in parts if part not in many),
        needs=tuple(need for part in parts if len(about) == 1 and (need := _needed(part)) is not None),
        about=about,
        uses_norm=any(isinstance(node, ast.Name) and node.id == "norm" for part in many for node in ast.walk(part)),
    )


def _is_columnar(tree: ast.expr) -> bool:
    simple = (ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Constant, ast.Name)
    by_element = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    operators = [each for node in nodes if isinstance(node, ast.Compare) for each in node.ops]
    return (
        bool(names)
        and names <= COLUMNS
        and all(isinstance(node, simple) for node in nodes)
        and not any(isinstance(each, by_element) for each in operators)
    )


def _needed(part: ast.expr) -> Run | None:
    """What must be true of the norm if this part is to hold: no element exceeds the norm, and non-finite elements make
    the norm non-finite."""
    text = ast.unparse(part)
    found = _LARGE.fullmatch(text)
    if found is not None:
        least = float(found[1]) * (1 - 1e-6)
        return lambda names: names.look_up("norm") >= least
    if _NAN.fullmatch(text):
        return lambda names: names.look_up("norm") != names.look_up("norm")
    if _INF.fullmatch(text):
        return lambda names: ~(names.look_up("norm") < float("inf"))
    return None


class _Reader:
    """From syntax to functions; refuses what is not listed."""

    def __init__(self, kinds: frozenset[str], *, many: bool) -> None:
        self._kinds = kinds
        self._all = _all_many if many else _all_of
        self._any = _any_many if many else _any_of
        self._not: Callable[[Any], Any] = operator.invert if many else _no

    def read(self, node: ast.expr) -> Run:
        """The function of one expression."""
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise ConditionError(f"{_quoted(node)} cannot be used in a condition. {HELP}", node.col_offset)
        made: Run = handler(node)
        return made

    def _constant(self, node: ast.Constant) -> Run:
        value = node.value
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return lambda _: value
        if isinstance(value, int | float):
            try:
                number = float(value)  # integers of unlimited length could take forever
            except OverflowError as error:
                raise ConditionError("This number is too large.", node.col_offset) from error
            return lambda _: number
        raise ConditionError(f"{_quoted(node)} is neither a number nor a text.", node.col_offset)

    def _name(self, node: ast.Name) -> Run:
        name = node.id
        if name not in NAMES:
            raise ConditionError(f"There is nothing called {name} here. {HELP}", node.col_offset)
        return lambda names: names.look_up(name)

    def _tuple(self, node: ast.Tuple) -> Run:
        parts = [self.read(part) for part in node.elts]
        return lambda names: tuple(part(names) for part in parts)

    def _boolop(self, node: ast.BoolOp) -> Run:
        parts = [self.read(part) for part in node.values]
        return self._all(parts) if isinstance(node.op, ast.And) else self._any(parts)

    def _unaryop(self, node: ast.UnaryOp) -> Run:
        part = self.read(node.operand)
        if isinstance(node.op, ast.Not):
            negated = self._not
            return lambda names: negated(part(names))
        if isinstance(node.op, ast.USub):
            return lambda names: -_number(part(names))
        if isinstance(node.op, ast.UAdd):
            return part
        raise ConditionError("Write not instead of ~.", node.col_offset)

    def _binop(self, node: ast.BinOp) -> Run:
        do = _ARITHMETIC.get(type(node.op))
        if do is None:
            word = {ast.BitAnd: "and", ast.BitOr: "or"}.get(type(node.op))
            raise ConditionError(
                f"Write {word} here." if word else f"{_quoted(node)} cannot be used in a condition.", node.col_offset
            )
        if isinstance(node.op, ast.Pow):
            power = node.right.value if isinstance(node.right, ast.Constant) else None
            if not isinstance(power, int | float) or abs(power) > HIGHEST_POWER:
                raise ConditionError(f"A power must be a number up to {HIGHEST_POWER}.", node.right.col_offset)
        left, right = self.read(node.left), self.read(node.right)
        return lambda names: do(_number(left(names)), _number(right(names)))

    def _compare(self, node: ast.Compare) -> Run:
        sides = [node.left, *node.comparators]
        if any(isinstance(side, ast.Name) and side.id == "kind" for side in sides) and self._kinds:
            for side in sides:
                self._check_kind(side)
        pairs = []
        for left, sign, right in zip(sides, node.ops, sides[1:], strict=False):
            pairs.append(_compared(self.read(left), _COMPARE[type(sign)], self.read(right)))
        return pairs[0] if len(pairs) == 1 else self._all(pairs)

    def _check_kind(self, side: ast.expr) -> None:
        if isinstance(side, ast.Constant) and isinstance(side.value, str) and side.value not in self._kinds:
            known = ", ".join(sorted(self._kinds))
            raise ConditionError(f'There is no kind of step called "{side.value}". Kinds: {known}.', side.col_offset)

    def _attribute(self, node: ast.Attribute) -> Run:
        if node.attr in METHODS:
            raise ConditionError(f"Write .{node.attr}() with parentheses.", node.end_col_offset or 0)
        if node.attr != "shape":
            raise ConditionError(f".{node.attr} cannot be used in a condition. {HELP}", node.value.end_col_offset or 0)
        part = self.read(node.value)
        return lambda names: _shape(part(names))

    def _subscript(self, node: ast.Subscript) -> Run:
        index = ast.unparse(node.slice)
        if not (isinstance(node.value, ast.Attribute) and _PLACE.fullmatch(index)):
            raise ConditionError("Only .shape can be indexed.", node.col_offset)
        part, place = self.read(node.value), int(index)

        def one(names: Names) -> Any:
            sizes = part(names)
            if not -len(sizes) <= place < len(sizes):
                raise AbsentError
            return sizes[place]

        return one

    def _call(self, node: ast.Call) -> Run:
        function = node.func
        if not isinstance(function, ast.Attribute):
            raise ConditionError("Write it as a method, such as grad.abs().", node.col_offset)
        if function.attr not in METHODS:
            raise ConditionError(
                f"There is no method .{function.attr}() here. {HELP}", function.value.end_col_offset or 0
            )
        if node.args or node.keywords:
            raise ConditionError(f".{function.attr}() works on all elements; it takes no arguments.", node.col_offset)
        part, method = self.read(function.value), function.attr
        return lambda names: call(part(names), method)


def _quoted(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:39] + "…"


def _compared(left: Run, do: Callable[[Any, Any], Any], right: Run) -> Run:
    def run(names: Names) -> Any:
        one, other = left(names), right(names)
        if isinstance(one, Known | Which) or isinstance(other, Known | Which):
            raise AbsentError
        if (one is None or other is None) and do not in _OF_NONE:
            raise AbsentError
        return do(one, other)

    return run


def _all_of(parts: list[Run]) -> Run:
    def run(names: Names) -> bool:
        try:
            return all(truth(part(names)) for part in parts)
        except AbsentError:
            return False

    return run


def _any_of(parts: list[Run]) -> Run:
    def run(names: Names) -> bool:
        absent = 0
        for part in parts:
            try:
                if truth(part(names)):
                    return True
            except AbsentError:
                absent += 1
        if absent == len(parts):
            raise AbsentError
        return False

    return run


def _no(thing: Any) -> bool:
    return not truth(thing)


def _all_many(parts: list[Run]) -> Run:
    return lambda names: reduce(operator.and_, [part(names) for part in parts])


def _any_many(parts: list[Run]) -> Run:
    return lambda names: reduce(operator.or_, [part(names) for part in parts])


def _number(thing: Any) -> Any:
    if isinstance(thing, str | tuple) or (hasattr(thing, "dtype") and thing.dtype.kind == "O"):
        raise ConditionError("Arithmetic works on numbers only.")
    if thing is None or isinstance(thing, Known | Which):
        raise AbsentError
    return thing


def _shape(thing: Any) -> tuple[float, ...]:
    if thing is None:
        raise AbsentError
    if not hasattr(thing, "shape"):
        raise ConditionError("Only value and grad have a shape.")
    return tuple(float(size) for size in thing.shape)


# --- The search for the steps at which breakpoints stop ---

PIECE = 8192  # steps whose columns are evaluated at once
BREATH = 32  # conditions that are evaluated individually between looks at the clock
MOST_HITS = 200_000  # with more, playback would stop at every step anyway


class Scan:
    """One trace at one length, one list of breakpoints. Call `work` until it returns False."""

    def __init__(self, trace: Trace, points: tuple[Breakpoint, ...]) -> None:
        self._steps = len(trace)
        self._looked = 0
        self._found: list[int] = []
        self._searches = [_Search(trace, point) for point in points]
        self._pieces = self._run()

    def work(self, seconds: float) -> bool:
        """Continue the search for about this long; False when everything has been searched."""
        import numpy as np

        end = time.perf_counter() + seconds
        with np.errstate(all="ignore"):  # not across a yield: other code computes between two pieces
            return any(time.perf_counter() > end for _ in self._pieces)

    @property
    def hits(self) -> Hits:
        """What has been found so far."""
        return Hits(
            tuple(self._found),
            tuple(search.count for search in self._searches),
            tuple(search.problem for search in self._searches),
            self._looked,
            self._steps,
        )

    def _run(self) -> Iterator[None]:
        for first in range(0, self._steps, PIECE):
            last = min(first + PIECE, self._steps)
            found: set[int] = set()
            for search in self._searches:
                if not search.is_idle:
                    yield from search.look(first, last, found)
            self._found += sorted(found)
            self._looked = last
            yield
            if len(self._found) > MOST_HITS:
                break
        self._looked = self._steps


@dataclass
class _Search:
    """The search for one breakpoint."""

    trace: Trace
    point: Breakpoint
    count: int = 0
    problem: str = ""

    def __post_init__(self) -> None:
        self._condition: Condition | None = None
        if self.point.condition:
            try:
                self._condition = compiled(self.point.condition, frozenset(kind_words()))
            except ConditionError as error:
                self.problem = error.sentence

    @property
    def is_idle(self) -> bool:
        """Whether it can't stop anywhere."""
        return not self.point.enabled or bool(self.problem)

    def look(self, first: int, last: int, found: set[int]) -> Iterator[None]:
        """Add the steps from `first` to `last` at which it stops."""
        import numpy as np

        mask = self._steps(first, last)
        if not mask.any():
            return
        steps = np.flatnonzero(mask) + first
        if self._condition is None and self._tensors is None:
            self._take(steps.tolist(), found)
            return
        rows = things(self.trace, first, last)
        rows = rows.kept(mask[rows.step - first] & self._is_about(rows))
        try:
            yield from self._ask(rows, found)
        except ConditionError as error:
            self.problem = error.sentence

    def _ask(self, rows: Things, found: set[int]) -> Iterator[None]:
        condition = self._condition
        if condition is not None:
            rows = self._by_columns(condition, rows)
        if condition is None or not condition.one:
            self._take(rows.step.tolist(), found)
            return
        known = -1
        for place in range(len(rows)):
            if place % BREATH == 0:
                yield
            if int(rows.step[place]) != known and condition.holds(rows.moment(place)):
                known = int(rows.step[place])
                self._take([known], found)

    def _by_columns(self, condition: Condition, rows: Things) -> Things:
        import numpy as np

        if condition.about:
            wanted = [ABOUT[name] for name in sorted(condition.about)]
            rows = rows.kept(np.isin(rows.about, wanted))
        for part in (*condition.many, *condition.needs):
            rows = rows.kept(condition.mask(part, rows, len(rows)))
        if condition.uses_norm:
            rows = rows.kept(rows.norm == rows.norm)
        return rows

    def _take(self, steps: list[int], found: set[int]) -> None:
        new = set(steps)
        self.count += len(new)
        found |= new

    def _steps(self, first: int, last: int) -> NDArray[Any]:
        """The steps that its line, kind and operation allow."""
        import numpy as np

        steps, point = self.trace.steps, self.point
        mask = np.ones(last - first, bool)
        if point.kind:
            mask &= steps.kind[first:last] == kind_words().index(point.kind)
        if point.is_line:  # as in a debugger: once each time the program reaches the line
            here = steps.line[max(0, first - 1) : last] == point.line
            before = here[:-1] if first else np.append(False, here[:-1])
            mask &= here[len(here) - len(mask) :]
            if not point.condition and not point.kind:
                mask &= ~before | self._anew[first:last]
        elif self._nodes is not None and self._tensors is None:
            mask &= np.append(self._nodes, False)[steps.node[first:last]]
            if not point.kind:
                mask &= np.isin(steps.kind[first:last], _RUNS)
        return mask

    def _is_about(self, rows: Things) -> NDArray[Any]:
        """Which things are the tensor that it names."""
        import numpy as np

        if self._tensors is None:
            return np.ones(len(rows), bool)
        found: NDArray[Any] = np.append(self._tensors, False)[rows.tensor]
        return found

    @cached_property
    def _anew(self) -> NDArray[Any]:
        """Steps that begin an iteration or a call: the program reaches the line again, even if it was already there."""
        import numpy as np

        regions = self.trace.regions
        begins = regions.step[np.isin(regions.kind, _COME_AGAIN)]
        found = np.zeros(len(self.trace), bool)
        found[begins[begins >= 0]] = True
        return found

    @cached_property
    def _tensors(self) -> NDArray[Any] | None:
        """The tensors with its name, None if it names none, or an operation."""
        import numpy as np

        if not self.point.name or self.point.line > 0:
            return None
        names = self.trace.names
        is_name = names.name == self.point.name
        if "." in self.point.name:
            owner, _, last = self.point.name.rpartition(".")
            is_name |= (names.owner == owner) & (names.name == last)
        rows = names.tensor[is_name]
        if not len(rows) and self._nodes is not None:
            return None
        found = np.zeros(len(self.trace.tensors), bool)
        found[rows] = True
        return found

    @cached_property
    def _nodes(self) -> NDArray[Any] | None:
        """The operations with its name, None if there are none."""
        import numpy as np

        nodes, point = self.trace.nodes, self.point
        if not point.name:
            return None
        found = (nodes.op == point.name) | (nodes.name == point.name)
        if point.line > 0:
            found &= nodes.line == point.line
        if point.nth:
            rows = np.flatnonzero(found)[point.nth - 1 : point.nth]
            found = np.zeros(len(nodes), bool)
            found[rows] = True
        return found if found.any() or point.line > 0 else None


_COME_AGAIN = (1, 3)  # RegionKind.FUNCTION, ITERATION
_RUNS = (1, 2, 4)  # Kind.FORWARD, INPLACE, BACKWARD: where an operation runs
