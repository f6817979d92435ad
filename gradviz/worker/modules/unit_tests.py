"""`import unittest` for a snippet: test cases with the usual assertions, in Python's words, and `main()`, which runs
those of the snippet in Python's order and reports as Python does.

It finds tests only in classes that the snippet has bound to names. There are no loaders, suites, runners or mocks.
Next: `standard_modules`, which offers it."""

from __future__ import annotations

import contextlib
import operator
import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from gradviz.worker.language.errors import describe
from gradviz.worker.language.guard import Guard, own_names
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.objects.arguments import keep_methods

Writer = Callable[[str, str], None]  # (stream, text)
_CHECKS: dict[str, tuple[Callable[..., object], str]] = {  # what must hold, and what is said if it does not
    "assertEqual": (operator.eq, "{0!r} != {1!r}"),
    "assertNotEqual": (operator.ne, "{0!r} == {1!r}"),
    "assertTrue": (bool, "{0!r} is not true"),
    "assertFalse": (operator.not_, "{0!r} is not false"),
    "assertIs": (operator.is_, "{0!r} is not {1!r}"),
    "assertIsNot": (operator.is_not, "unexpectedly identical: {0!r}"),
    "assertIsNone": (lambda obj: obj is None, "{0!r} is not None"),
    "assertIsNotNone": (lambda obj: obj is not None, "unexpectedly None"),
    "assertIn": (lambda member, container: member in container, "{0!r} not found in {1!r}"),
    "assertNotIn": (lambda member, container: member not in container, "{0!r} unexpectedly found in {1!r}"),
    "assertIsInstance": (isinstance, "{0!r} is not an instance of {1!r}"),
    "assertNotIsInstance": (lambda obj, cls: not isinstance(obj, cls), "{0!r} is an instance of {1!r}"),
    "assertGreater": (operator.gt, "{0!r} not greater than {1!r}"),
    "assertGreaterEqual": (operator.ge, "{0!r} not greater than or equal to {1!r}"),
    "assertLess": (operator.lt, "{0!r} not less than {1!r}"),
    "assertLessEqual": (operator.le, "{0!r} not less than or equal to {1!r}"),
    "assertRegex": (lambda text, pattern: re.search(pattern, text), "Regex didn't match: {1!r} not found in {0!r}"),
}
_CHECKS |= {f"assert{kind}Equal": _CHECKS["assertEqual"] for kind in ("List", "Tuple", "Dict", "Set", "Sequence")}
_CHECKS["assertMultiLineEqual"] = _CHECKS["assertEqual"]


class SkipTest(Exception):
    """A test is skipped."""

    __module__ = "unittest.case"


@keep_methods
class Skip:
    """Stands for a test that is skipped."""

    __slots__ = ("_reason",)

    def __init__(self, reason: object) -> None:
        self._reason = reason

    def __call__(self, *given: object) -> NoReturn:
        raise SkipTest(self._reason)


@keep_methods
class Raises:
    """What `assertRaises` returns for a `with` block."""

    __slots__ = ("_by", "_expected", "_pattern", "exception")

    def __init__(self, expected: Any, pattern: Any, given: tuple[object, ...]) -> None:
        self._expected, self._pattern = expected, pattern
        self._by = f" by {_name_of(given[0])}" if given else ""
        self.exception: BaseException | None = None

    def __enter__(self) -> Raises:
        return self

    def __exit__(self, kind: Any, error: Any, place: object) -> bool:
        if kind is None:
            raise AssertionError(f"{_name_of(self._expected)} not raised{self._by}")
        if not issubclass(kind, self._expected):
            return False
        self.exception = error.with_traceback(None)
        text = str.__str__(str(error))
        if self._pattern is not None and not re.search(self._pattern, text):
            pattern = getattr(self._pattern, "pattern", self._pattern)
            raise AssertionError(f'"{pattern}" does not match "{text}"')
        return True


class TestCase:
    """Tests are the methods whose names begin with "test"."""

    __module__ = "unittest.case"

    def __init__(self, methodName: str = "runTest") -> None:
        self._testMethodName = methodName

    def setUp(self) -> None:
        """Called before each test."""

    def tearDown(self) -> None:
        """Called after each test."""

    @classmethod
    def setUpClass(cls) -> None:
        """Called before the first test."""

    @classmethod
    def tearDownClass(cls) -> None:
        """Called after the last test."""

    def fail(self, msg: object = None) -> NoReturn:
        """Fail."""
        raise AssertionError(msg)

    def skipTest(self, reason: object) -> NoReturn:
        """Skip the rest of the test."""
        raise SkipTest(reason)

    def subTest(self, msg: object = None, **params: object) -> contextlib.AbstractContextManager[None]:
        """Return a block; what fails in it ends the test."""
        return contextlib.nullcontext()

    def assertAlmostEqual(
        self, first: Any, second: Any, places: Any = None, msg: object = None, delta: Any = None
    ) -> None:
        """Fail if the difference is not zero when rounded, or greater than `delta`."""
        if first == second:
            return
        difference = abs(first - second)
        digits = 7 if places is None else places
        if difference > delta if delta is not None else round(difference, digits) != 0:
            within = f"{delta!r} delta" if delta is not None else f"{digits!r} places"
            _fail(f"{first!r} != {second!r} within {within} ({difference!r} difference)", msg)

    def assertCountEqual(self, first: Iterable[object], second: Iterable[object], msg: object = None) -> None:
        """Fail if these do not have the same items, in any order."""
        rest = list(second)
        for each in first:
            if each not in rest:
                _fail(f"Element counts were not equal:\nFirst has 1, Second has 0:  {each!r}", msg)
            rest.remove(each)
        if rest:
            _fail(f"Element counts were not equal:\nFirst has 0, Second has 1:  {rest[0]!r}", msg)

    def assertRaises(self, expected_exception: object, *args: object, **kwargs: object) -> Raises | None:
        """Call a function that must raise this, or return a block that must."""
        return _raising(Raises(expected_exception, None, args), args, kwargs)

    def assertRaisesRegex(
        self, expected_exception: object, expected_regex: object, *args: object, **kwargs: object
    ) -> Raises | None:
        """The same with a text."""
        return _raising(Raises(expected_exception, expected_regex, args), args, kwargs)


def _name_of(thing: object) -> str:
    return str.__str__(getattr(thing, "__name__", None) or str(thing))


def _fail(text: str, msg: object) -> NoReturn:
    raise AssertionError(text if msg is None else f"{text} : {msg}")


def _raising(block: Raises, args: tuple[Any, ...], kwargs: dict[str, object]) -> Raises | None:
    if not args:
        return block
    with block:
        args[0](*args[1:], **kwargs)
    return None


def _assertion(name: str, holds: Callable[..., object], words: str) -> Callable[..., None]:
    count = 2 if "{1" in words or name == "assertIsNot" else 1

    def check(self: object, *given: object, msg: object = None) -> None:
        values, said = given[:count], given[count:]
        if not holds(*values):
            _fail(words.format(*values), said[0] if said else msg)

    check.__name__ = check.__qualname__ = name
    return check


for _name, _check in _CHECKS.items():
    setattr(TestCase, _name, _assertion(_name, *_check))


def unit_test_module(guard: Guard, write: Writer) -> object:
    """Return the stand-in."""

    def main(*module: object, argv: object = None, exit: object = True, verbosity: object = 1, **more: object) -> None:
        names = sorted(own_names(guard.globals).items())
        kinds = [kind for _, kind in names if isinstance(kind, type) and issubclass(kind, TestCase)]
        report = _Report(write, verbosity, str(guard.globals.get("__file__")))
        report.run([kind for kind in kinds if kind is not TestCase])
        if exit:
            raise SystemExit(int(bool(report.failed)))

    def skipped(reason: object) -> Callable[[object], object]:
        def decorate(thing: object) -> Skip | type:
            if not isinstance(thing, type):
                return Skip(reason)
            guard.setattr(thing, "setUp", Skip(reason))
            return thing

        return decorate

    names = {
        "main": main,
        "TestCase": TestCase,
        "SkipTest": SkipTest,
        "skip": skipped,
        "skipIf": lambda condition, reason: skipped(reason) if condition else _unchanged,
        "skipUnless": lambda condition, reason: _unchanged if condition else skipped(reason),
    }
    return stand_in("unittest", names)


def _unchanged(thing: object) -> object:
    return thing


class _Report:
    """Runs tests and writes what came of them."""

    def __init__(self, write: Writer, verbosity: Any, file: str) -> None:
        self._write, self._verbosity, self._file = write, int(verbosity), file
        self.failed: list[tuple[str, str, str]] = []  # kind, test, traceback
        self._count = self._skipped = 0

    def run(self, kinds: list[type[TestCase]]) -> None:
        """Run all tests of these classes."""
        begun = time.perf_counter()
        made = [(kind, [(name, kind(name)) for name in sorted(_tests(kind))]) for kind in kinds]
        for kind, tests in made:
            if tests and self._try(f"setUpClass (__main__.{kind.__name__})", kind.setUpClass):
                for name, test in tests:
                    self._one(f"{name} (__main__.{kind.__qualname__}.{name})", getattr(test, name), test)
                self._try(f"tearDownClass (__main__.{kind.__name__})", kind.tearDownClass)
        self._say("\n" if self._verbosity == 1 or self.failed else "")
        for what, label, text in self.failed:
            self._say(f"{'=' * 70}\n{what}: {label}\n{'-' * 70}\n{text}\n")
        seconds, several = time.perf_counter() - begun, "" if self._count == 1 else "s"
        self._say(f"{'-' * 70}\nRan {self._count} test{several} in {seconds:.3f}s\n\n")
        kinds_of = [what for what, *_ in self.failed]
        counts = {"failures": kinds_of.count("FAIL"), "errors": kinds_of.count("ERROR"), "skipped": self._skipped}
        told = ", ".join(f"{name}={count}" for name, count in counts.items() if count)
        end = "FAILED" if self.failed else "OK" if self._count else "NO TESTS RAN"
        self._say(end + (f" ({told})" if told else "") + "\n")

    def _one(self, label: str, step: Callable[[], object], test: TestCase) -> None:
        self._count += 1
        self._say(f"{label} ... " if self._verbosity > 1 else "")
        if isinstance(step, Skip):
            self._try(label, step)
        elif self._try(label, test.setUp):
            done = self._try(label, step)
            if self._try(label, test.tearDown) and done:
                self._mark(".", "ok")

    def _try(self, label: str, step: Callable[[], object]) -> bool:
        """Call it; whether nothing was raised."""
        try:
            step()
        except SkipTest as skip:
            self._skipped += 1
            self._mark("s", f"skipped {str(skip)!r}")
        except Exception as error:  # noqa: BLE001 whatever a test raises is reported
            what = "FAIL" if isinstance(error, AssertionError) else "ERROR"
            self.failed.append((what, label, describe(error, self._file).traceback))
            self._mark(what[0], what)
        else:
            return True
        return False

    def _mark(self, sign: str, word: str) -> None:
        self._say(f"{word}\n" if self._verbosity > 1 else sign if self._verbosity == 1 else "")

    def _say(self, text: str) -> None:
        if text:
            self._write("err", text)


def _tests(kind: type[TestCase]) -> Iterator[str]:
    return (name for name in dir(kind) if name.startswith("test") and callable(getattr(kind, name)))
