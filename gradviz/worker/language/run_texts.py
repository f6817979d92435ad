"""Texts that a snippet runs as a part of itself: `exec`, `eval`, and the statements of `timeit` and
`torch.utils.benchmark`.

Such a text passes the policy as the snippet does and is code with the same hooks: it can do what the snippet could do
in its place, and no more. It runs with the names of the snippet, or with copies of those that it is given; in a
function it sees that function's names, too, and changes none of them. `globals()` is here, too: what is written to it
becomes a name of the snippet, if the snippet could have bound that name itself; `locals()` in a function is a copy.
Next: `policy`, and `own_modules` for files."""

from __future__ import annotations

import ast
import itertools
import re
import statistics
import sys
import textwrap
import time
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, SupportsInt

from gradviz.worker.language.guard import Guard, own_names
from gradviz.worker.language.policy import Refusal
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.policy_names import HERE, is_dunder

Names = dict[str, Any]
_VALUE = "value_of_this_expression"
_STRING = "<string>"
_MOST_TIMED = 100  # runs of a statement, each of which is recorded


def text_builtins(guard: Guard, namespace: Names, fresh: Callable[[Names], Names]) -> Names:
    """Return `exec`, `eval`, `globals` and `locals` for code that has these names; `fresh` makes a namespace from such
    a table."""
    made: list[type[Names]] = []

    def globals_() -> Names:
        if not made:
            made.append(_table(guard, namespace))
        return made[0](own_names(namespace))

    def locals_() -> Names:
        found = _locals(namespace)
        return globals_() if found is None else found

    def exec_(source: Any, globals: Any = None, locals: Any = None, /) -> None:
        code = _compiled(guard, source, "exec")
        if globals is None and locals is None:
            inner = _locals(namespace)
            run_code(code, namespace, namespace if inner is None else inner)
            return
        around = namespace if globals is None else fresh(_plain(guard, globals, "globals"))
        inner = around if locals is None else _plain(guard, locals, "locals")
        before = dict(inner)
        run_code(code, around, inner)
        given = globals if locals is None else locals
        for name, value in own_names(inner).items():
            if name not in before or before[name] is not value:
                given[name] = value

    def eval_(source: object, globals: object = None, locals: object = None, /) -> object:
        text = _text(source, "eval").strip()
        ast.parse(text, _STRING, "eval")  # raises with Python's words for what is wrong
        code = _compiled(guard, f"{_VALUE} = (\n{text}\n)", "eval")
        if globals is None and locals is None:
            inner = _locals(namespace) or {}
        else:
            inner = {} if locals is None else _plain(guard, locals, "locals")
        around = namespace if globals is None else fresh(_plain(guard, globals, "globals"))
        run_code(code, around, inner)
        return inner[_VALUE]

    made_here = {"exec": exec_, "eval": eval_, "globals": globals_, "locals": locals_}
    for name, function in made_here.items():
        function.__name__ = function.__qualname__ = name
    return made_here


def _table(guard: Guard, namespace: Names) -> type[Names]:
    """What `globals()` returns: a copy of the names that the snippet has bound; writing to it also binds those."""

    class Table(dict[str, Any]):
        __slots__ = ()
        __module__, __qualname__ = "builtins", "dict"

        def __setitem__(self, name: str, value: object) -> None:
            _check_name(guard, name)
            namespace[name] = value
            super().__setitem__(name, value)

        def __delitem__(self, name: str) -> None:
            _check_name(guard, name)  # dict.update(globals(), ...) accepts any
            super().__delitem__(name)
            namespace.pop(name, None)

        def update(self, *given: object, **more: object) -> None:
            for name, value in dict(*given, **more).items():
                self[name] = value

        def setdefault(self, name: str, value: object = None) -> object:
            if name not in self:
                self[name] = value
            return self[name]

        def pop(self, name: str, *otherwise: object) -> Any:
            if name not in self:
                return super().pop(name, *otherwise)
            value = self[name]
            del self[name]
            return value

        def _only_names(self, *given: object) -> NoReturn:
            raise TypeError("globals() takes names one by one, or by update(), in GradViz snippets")

        def __reduce__(self) -> tuple[object, ...]:
            return (dict, (dict(self),))  # a copy is a plain dict and writes to nothing

        __ior__ = clear = popitem = _only_names

    keep_methods(Table)
    guard.tables.add(Table)
    return Table


def _check_name(guard: Guard, name: object) -> None:
    """Refuse a name that the snippet could not have bound itself."""
    if type(name) is not str or not name.isidentifier() or is_dunder(name):
        raise PermissionError(f"{name!r} is no name that globals() can be given in GradViz snippets")
    _compiled(guard, f"{name} = 0", "globals")


def _locals(namespace: Names) -> Names | None:
    """Return a copy of the names of the calling function; None if the module itself called."""
    function = sys._getframe().f_back  # exec, eval or locals
    frame = None if function is None else function.f_back
    if frame is None or frame.f_globals is not namespace or frame.f_locals is namespace:
        return None
    return own_names({name: value for name, value in frame.f_locals.items() if name.isidentifier()})


def run_code(code: types.CodeType, around: Names, inner: Names) -> None:
    """Run code that was compiled from a text while the snippet runs, and that the policy has accepted; the only place
    that does. Python would add its own builtins if there were none."""
    if "__builtins__" not in around:
        raise PermissionError("a text runs with the names of the snippet in GradViz snippets")
    exec(code, around, inner)


def _compiled(guard: Guard, source: object, what: str) -> types.CodeType:
    try:
        return guard.compiler(_text(source, what), _STRING, "")
    except Refusal as refusal:
        raise PermissionError(f"{what}(): {refusal.sentence}") from None


def _plain(guard: Guard, names: Any, what: str) -> Names:
    if not (type(names) is dict or type(names) in guard.tables) or not all(type(name) is str for name in names):
        raise TypeError(f"{what} must be a dict of names in GradViz snippets")
    return own_names(names)


def _text(source: object, what: str) -> str:
    if not isinstance(source, str):
        raise TypeError(f"{what}() takes a text in GradViz snippets, not a {type(source).__name__}")
    return str.__str__(source)


# --- timeit ---

_FROM_SNIPPET = re.compile(r"^([ \t]*)from __main__ import (\w+(?:, *\w+)*)[ \t]*$", re.MULTILINE)
_TIMED = """def timed(_repeats, _clock):
{setup}
    _begun = _clock()
    for _each in _repeats:
{stmt}
    return _clock() - _begun
"""


def timeit_module(guard: Guard) -> object:
    """Return `timeit`. A statement is a function, or a text that sees the names of its setup and of `globals`."""

    def imported(setup: str) -> Names:
        """The names of the snippet that a setup imports from it."""
        known = own_names(guard.globals)
        names = [name for found in _FROM_SNIPPET.finditer(setup) for name in re.split(", *", found[2])]
        for name in names:
            if name not in known:
                raise ImportError(f"cannot import name {name!r} from '__main__'")
        return {name: known[name] for name in names}

    def part(what: str, given: object, names: Names, blanks: str) -> str:
        if callable(given):
            names[f"_{what}"] = given
            return f"{blanks}_{what}()"
        if not isinstance(given, str):
            raise ValueError(f"{what} is neither a string nor callable")
        text = str.__str__(given)
        names.update(imported(text))
        return textwrap.indent(_FROM_SNIPPET.sub(r"\1pass", text) + "\npass", blanks)

    class Timer:
        __slots__ = ("_clock", "_timed")
        __module__, __qualname__ = "timeit", "Timer"

        def __init__(
            self, stmt: object = "pass", setup: object = "pass", timer: object = None, globals: object = None
        ) -> None:
            names = {} if globals is None else _plain(guard, globals, "globals")
            parts = {"stmt": part("stmt", stmt, names, " " * 8), "setup": part("setup", setup, names, " " * 4)}
            hooks = {key: value for key, value in guard.globals.items() if "<" in key or key == "__builtins__"}
            around = {"__name__": "timeit", **hooks, **names}
            run_code(_compiled(guard, _TIMED.format(**parts), "timeit"), around, around)
            self._timed, self._clock = around["timed"], timer or time.perf_counter

        def timeit(self, number: int = 1_000_000) -> object:
            return self._timed(itertools.repeat(None, number), self._clock)

        def repeat(self, repeat: int = 5, number: int = 1_000_000) -> list[object]:
            return [self.timeit(number) for _ in range(repeat)]

        def autorange(self, callback: Callable[..., object] | None = None) -> tuple[int, object]:
            for number in _numbers_of_runs():
                took: Any = self.timeit(number)
                if callback is not None:
                    callback(number, took)
                if took >= _LONG_ENOUGH:
                    break
            return number, took

    keep_methods(Timer)

    def timeit(
        stmt: object = "pass",
        setup: object = "pass",
        timer: object = None,
        number: int = 1_000_000,
        globals: object = None,
    ) -> object:
        return Timer(stmt, setup, timer, globals).timeit(number)

    def repeat(
        stmt: object = "pass",
        setup: object = "pass",
        timer: object = None,
        repeat: int = 5,
        number: int = 1_000_000,
        globals: object = None,
    ) -> list[object]:
        return Timer(stmt, setup, timer, globals).repeat(repeat, number)

    names = {"Timer": Timer, "timeit": timeit, "repeat": repeat, "default_timer": time.perf_counter}
    return stand_in("timeit", names)


_LONG_ENOUGH = 0.2  # seconds that `autorange` wants to measure


def _numbers_of_runs() -> Iterable[int]:
    """Yield 1, 2, 5, 10, 20, 50 and so on."""
    return (digit * 10**zeros for zeros in itertools.count() for digit in (1, 2, 5))


# --- torch.utils.benchmark ---


@keep_methods
class Measurement:
    """What a Timer returns: the seconds of each run of its statement."""

    __slots__ = ("_told", "number_per_run", "times")

    def __init__(self, times: list[float], told: tuple[str, str]) -> None:
        self.times, self.number_per_run, self._told = times, 1, told

    mean = property(lambda self: statistics.mean(self.times), doc="Of all runs.")
    median = property(lambda self: statistics.median(self.times), doc="The one in the middle.")
    raw_times = property(lambda self: list(self.times), doc="The same.")
    iqr = property(lambda self: 0.0, doc="How far they lie apart, which says nothing here.")

    def __repr__(self) -> str:
        unit, name = next((each for each in _UNITS if self.median >= each[0]), _UNITS[-1])
        first, rest = self._told
        runs = f"  1 measurement, {len(self.times)} runs , 1 thread"
        return f"<{_HOME}.utils.common.Measurement object>\n{first}\n{rest}  {self.median / unit:.2f} {name}\n{runs}"


_HOME = "torch.utils.benchmark"
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def benchmark_module(guard: Guard, torch: object) -> object:
    """Return `Timer`, which runs its statement, recorded like the rest, at most a hundred times."""

    def statement(source: object, names: Names) -> Callable[[], None]:
        text = _FROM_SNIPPET.sub(r"\1pass", textwrap.dedent(_text(source, "Timer")))  # it has these names
        code = _compiled(guard, text, "Timer")
        return lambda: run_code(code, guard.globals, names)

    class Timer:
        __slots__ = ("_run", "_setup", "_told")

        def __init__(
            self,
            stmt: object = "pass",
            setup: object = "pass",
            global_setup: object = "",
            timer: object = None,
            globals: object = None,
            label: object = None,
            sub_label: object = None,
            description: object = None,
            env: object = None,
            num_threads: object = 1,
            language: object = "Python",
        ) -> None:
            if any(name in str.__str__(str(language)).lower() for name in ("cpp", "c++")):
                raise PermissionError(f"a Timer of C++ is not {HERE}; time Python, or leave it out")
            names = {"torch": torch} | ({} if globals is None else _plain(guard, globals, "globals"))
            self._setup, self._run = statement(setup, names), statement(stmt, names)
            head = ": ".join(str.__str__(str(each)) for each in (label, sub_label) if each) or _text(stmt, "Timer")
            below = f"{str.__str__(str(description))}\n" if description else ""
            below += "" if setup == "pass" else f"setup: {_text(setup, 'Timer')}\n"
            self._told = (head, below)

        def timeit(self, number: SupportsInt = 1_000_000) -> Measurement:
            self._setup()
            times = []
            for _ in range(min(int(number), _MOST_TIMED)):
                begun = time.perf_counter()
                self._run()
                times.append(time.perf_counter() - begun)
            return Measurement(times or [0.0], self._told)

        def blocked_autorange(self, callback: object = None, min_run_time: object = 0.2) -> Measurement:
            return self.timeit(_MOST_TIMED)

        def adaptive_autorange(
            self, threshold: object = 0.1, *, min_run_time: object = 0.01, max_run_time: object = 10.0, **more: object
        ) -> Measurement:
            return self.timeit(_MOST_TIMED)

        def collect_callgrind(self, *given: object, **how: object) -> NoReturn:
            raise PermissionError(f"Timer.collect_callgrind() is not {HERE}; leave it out")

    keep_methods(Timer)
    return stand_in(_HOME, {"Timer": Timer, "Measurement": Measurement})
