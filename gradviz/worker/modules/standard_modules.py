"""The parts of Python's standard library that a snippet may import, each as a stand-in with individually chosen names.

Left out on purpose: what reads attributes by name without the guard (the original `operator.attrgetter`,
`functools.update_wrapper` with lists of names), evaluates text (`typing.get_type_hints`, `functools.singledispatch`),
makes classes from text (`dataclasses.make_dataclass`, the call form of Enum) or reaches files. Next: `stand_ins`, which
adds torch, numpy and plots."""

from __future__ import annotations

import abc
import bisect
import cmath
import collections
import contextlib
import copy
import datetime
import functools
import heapq
import html
import inspect
import io
import math
import operator
import random
import re
import statistics
import string
import sys
import time
import types
import typing
import unicodedata
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from gradviz.engine.kernel.tensor import ORDINARY
from gradviz.worker.language.classes import (
    ABSTRACT_META,
    NamedTupleForm,
    ProtocolForm,
    TypedDictForm,
    may_be_abstract,
)
from gradviz.worker.language.data_classes import dataclass_names
from gradviz.worker.language.enumerations import enum_names
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.command_line import PROGRAM, command_line_module, tyro_module
from gradviz.worker.modules.file_formats import format_modules
from gradviz.worker.modules.log_messages import experiments_module, logging_module
from gradviz.worker.modules.saved_files import ByteBuffer
from gradviz.worker.modules.scratch import HOME
from gradviz.worker.modules.scratch_paths import open_, path_modules
from gradviz.worker.modules.text_modules import error_modules, of_plain_text, text_modules
from gradviz.worker.modules.unit_tests import unit_test_module
from gradviz.worker.objects.iterators import iterator_names
from gradviz.worker.objects.numpy_boundary import PLAIN, REAL
from gradviz.worker.policy_names import is_dunder

MAX_SLEEP = 0.1
_OF_FUNCTIONS = (property, classmethod, staticmethod, functools.partial, type(functools.cache(len)))
Writer = Callable[[str, str], None]  # (stream, text)


def standard_modules(guard: Guard, write: Writer) -> dict[str, object]:
    """Return every stand-in of the standard library for one run, by module name."""
    abstract = stand_in("collections.abc", _named(typing, _ABSTRACT))
    argv = [PROGRAM]
    modules = {
        "math": stand_in("math", _public(math)),
        "random": stand_in("random", _random_names()),
        "itertools": stand_in("itertools", iterator_names()),
        "functools": stand_in("functools", _functools_names(guard)),
        "collections": stand_in("collections", {**_collections_names(guard), "abc": abstract}),
        "collections.abc": abstract,
        "typing": stand_in(
            "typing", _named(typing, _TYPING) | _TYPING_FORMS | {"final": _final, "overload": _overload}
        ),
        "dataclasses": stand_in("dataclasses", dataclass_names(guard)),
        "time": stand_in("time", {**_named(time, _TIME), "sleep": _sleep}),
        "copy": stand_in("copy", {"copy": _copier(copy.copy), "deepcopy": _copier(copy.deepcopy), "Error": copy.Error}),
        "__future__": stand_in("__future__", dict.fromkeys(_FUTURE)),
        "abc": stand_in("abc", {"ABC": Abstract, "ABCMeta": ABSTRACT_META, "abstractmethod": _abstractmethod(guard)}),
        "enum": stand_in("enum", enum_names()),
        "operator": stand_in("operator", _operator_names(guard)),
        "statistics": stand_in("statistics", _statistics_names()),
        "string": stand_in("string", _named(string, _STRING)),
        "contextlib": stand_in(
            "contextlib", _named(contextlib, "contextmanager nullcontext suppress ExitStack closing")
        ),
        "warnings": stand_in("warnings", _warnings_names()),
        "datetime": stand_in("datetime", _named(datetime, "datetime date time timedelta timezone MINYEAR MAXYEAR UTC")),
        "sys": stand_in("sys", _sys_names(write, argv)),
        "argparse": command_line_module(guard, write, argv),
        "tyro": tyro_module(guard, write, argv),
        "wandb": experiments_module(guard, write),
        "io": stand_in("io", {"BytesIO": ByteBuffer, "StringIO": io.StringIO, "open": open_}),
        "logging": logging_module(guard, write),
        **text_modules(guard, write),
        **path_modules(),
        **format_modules(),
        **error_modules(guard, write),
        "unittest": unit_test_module(guard, write),
    }
    plain = {name: _named(module, names) for name, (module, names) in _PLAIN.items()}
    plain["re"]["escape"] = of_plain_text(re.escape)
    plain["html"] = {function.__name__: of_plain_text(function) for function in (html.escape, html.unescape)}
    return modules | {name: stand_in(name, names) for name, names in plain.items()}


_PLAIN: dict[str, tuple[types.ModuleType, str]] = {  # functions of text and numbers only
    "bisect": (bisect, "bisect bisect_left bisect_right insort insort_left insort_right"),
    "cmath": (cmath, "exp log log10 sqrt sin cos tan sinh cosh tanh phase polar rect isnan isinf pi e tau inf nan"),
    "heapq": (heapq, "heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge"),
    "re": (
        re,
        "compile match fullmatch search findall finditer sub subn split escape error I IGNORECASE M MULTILINE S DOTALL",
    ),
    "unicodedata": (unicodedata, "normalize category name lookup combining numeric decimal digit"),
}


def _public(module: types.ModuleType) -> dict[str, object]:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


def _named(module: types.ModuleType, names: str) -> dict[str, object]:
    return {name: getattr(module, name) for name in names.split() if hasattr(module, name)}


_TIME = """time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns strftime
localtime gmtime ctime asctime mktime struct_time"""
_STATISTICS = "fmean median median_low median_high mode quantiles correlation"
_EXACT_STATISTICS = "mean stdev pstdev variance pvariance"  # these calculate with fractions
_STRING = "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation whitespace printable"
_TYPING = """Any AnyStr Callable ClassVar DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable
Iterator List Literal Mapping MutableMapping NewType NoReturn Optional Sequence Set Sized Tuple Type
TypeAlias TypeVar Union TYPE_CHECKING cast Annotated Self Reversible Collection SupportsFloat SupportsInt
Text Never LiteralString ParamSpec Concatenate Required NotRequired Unpack Container MutableSequence MutableSet
AbstractSet Counter OrderedDict ChainMap ItemsView KeysView ValuesView Pattern Match SupportsIndex"""
_TYPING_FORMS = {"NamedTuple": NamedTupleForm, "Protocol": ProtocolForm, "TypedDict": TypedDictForm}
_FUTURE = (
    "annotations division print_function absolute_import unicode_literals generators nested_scopes with_statement "
    "generator_stop"
).split()


_ABSTRACT = """Callable Collection Container Generator Hashable Iterable Iterator Mapping MutableMapping MutableSequence
MutableSet Reversible Sequence Sized"""


def _random_names() -> dict[str, object]:
    source = random.Random(0)
    names = """random uniform randint choice choices shuffle sample gauss normalvariate seed randrange triangular
    betavariate expovariate gammavariate lognormvariate vonmisesvariate paretovariate weibullvariate getrandbits
    randbytes getstate setstate"""
    return {name: getattr(source, name) for name in names.split()} | {"Random": random.Random}


def _statistics_names() -> dict[str, object]:
    names = _named(statistics, _STATISTICS + " " + _EXACT_STATISTICS)
    return names | {name: _of_numbers(getattr(statistics, name)) for name in _EXACT_STATISTICS.split()}


def _of_numbers(real: Callable[..., object]) -> Callable[..., object]:
    """Return a function of numbers that hands its fractions to no other class."""

    def plain(value: object) -> object:
        if type(value) in PLAIN or type(value) in REAL:
            return value
        for base in (int, float):
            if isinstance(value, base):
                return getattr(base, f"__{base.__name__}__")(value)
        raise TypeError(f"can't convert type '{type(value).__name__}' to numerator/denominator")

    def call(data: Iterable[object], *more: object, **named: object) -> object:
        return real(map(plain, data), *map(plain, more), **{name: plain(each) for name, each in named.items()})

    call.__name__ = call.__qualname__ = real.__name__
    return call


def _sleep(seconds: float) -> None:
    """Let a snippet wait, but not long: nobody watches it while it runs."""
    if not isinstance(seconds, int | float):
        raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")
    plain = (float if isinstance(seconds, float) else int).__float__(seconds)  # a class may say that it is less
    if plain < 0:
        raise ValueError("sleep length must be non-negative")
    time.sleep(min(plain, MAX_SLEEP))


def _copier(real: Callable[[object], object]) -> Callable[[object], object]:
    def copied(x: object) -> object:
        return real(x)

    copied.__name__ = copied.__qualname__ = real.__name__
    return copied


# --- functools, collections, dataclasses, enum, abc, operator ---


def _functools_names(guard: Guard) -> dict[str, object]:
    def update_wrapper(wrapper: Any, wrapped: Any) -> object:
        if not guard.wrote(wrapper):
            raise TypeError("functools.wraps works on functions of the snippet")
        ours = guard.wrote(wrapped)
        return functools.update_wrapper(wrapper, wrapped, updated=("__dict__",) if ours else ())

    def wraps(wrapped: object) -> object:
        return lambda wrapper: update_wrapper(wrapper, wrapped)

    def total_ordering(cls: object) -> object:
        return functools.total_ordering(_own_class(guard, cls, "total_ordering"))

    names = _named(functools, "partial reduce lru_cache cache cmp_to_key")
    names |= {"cached_property": _cached_property(guard), "total_ordering": total_ordering}
    return names | {"wraps": wraps, "update_wrapper": update_wrapper}


def _cached_property(guard: Guard) -> type:
    class cached_property:
        # Python's own would read and write any name in an object's table, including the module's and the engine's
        __module__, __qualname__ = "functools", "cached_property"
        __slots__ = ("__doc__", "_function", "_name")

        def __init__(self, func: Callable[[object], object]) -> None:
            self._function = func
            self._name: str | None = None
            self.__doc__ = getattr(func, "__doc__", None)

        def __set_name__(self, owner: type, name: str) -> None:
            if self._name is not None and self._name != name:
                raise TypeError("Cannot assign the same cached_property to two different names")
            self._name = name

        def __get__(self, instance: object, owner: object = None) -> object:
            if instance is None:
                return self
            if self._name is None:
                raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
            value, name = self._function(instance), str.__str__(self._name)
            guard.write(instance, name)
            object.__getattribute__(instance, "__dict__")[name] = value
            return value

    return cached_property


def _own_class(guard: Guard, cls: object, what: str) -> type:
    if not isinstance(cls, type) or not guard.owns(cls):
        raise TypeError(f"{what} works on classes of the snippet")
    return cls


def _collections_names(guard: Guard) -> dict[str, object]:
    def namedtuple(
        typename: str, field_names: Any, *, rename: bool = False, defaults: Iterable[object] | None = None
    ) -> type:
        fields = (
            field_names.replace(",", " ").split() if type(field_names) is str else [str(each) for each in field_names]
        )
        plain = [str.__str__(each) for each in fields]
        values = None if defaults is None else list(defaults)
        options: dict[str, Any] = {"rename": bool(rename), "defaults": values, "module": "__main__"}
        made = collections.namedtuple(str.__str__(typename), plain, **options)  # type: ignore[misc]
        return guard.adopt(made)

    return _named(collections, "OrderedDict defaultdict deque Counter ChainMap") | {"namedtuple": namedtuple}


@may_be_abstract
class Abstract:
    """`abc.ABC` without a metaclass: the guard finds abstract methods when a class is made."""


def _abstractmethod(guard: Guard) -> Callable[[object], object]:
    def abstractmethod(funcobj: Any) -> object:
        function = inspect.unwrap(funcobj) if type(funcobj) is types.FunctionType else funcobj
        if not guard.wrote(function) and not isinstance(function, _OF_FUNCTIONS):  # all runs share it
            raise TypeError("abstractmethod works on functions of the snippet")
        return abc.abstractmethod(funcobj)

    return abstractmethod


def _final(f: object) -> object:
    """Return the argument unchanged: nothing here uses the mark that Python's own leaves on it."""
    return f


def _overload(func: object) -> Callable[..., NoReturn]:
    """Return what `typing.overload` returns; nothing here asks for the function, which that keeps for ever."""
    return _overloaded


def _overloaded(*given: object, **named: object) -> NoReturn:
    raise NotImplementedError(
        "You should not call an overloaded function. A series of @overload-decorated functions outside a stub module "
        "should always be followed by an implementation that is not @overload-ed."
    )


Abstract.__name__ = Abstract.__qualname__ = "ABC"
Abstract.__module__ = "abc"


def _operator_names(guard: Guard) -> dict[str, object]:
    def attrgetter(*names: str) -> Callable[[object], object]:
        paths = [_path(name) for name in names]

        def read(thing: object) -> object:
            found = tuple(functools.reduce(guard.getattr, path, thing) for path in paths)
            return found[0] if len(found) == 1 else found

        return read

    def methodcaller(name: str, /, *args: object, **keywords: object) -> Callable[[object], object]:
        return lambda thing: guard.getattr(thing, name)(*args, **keywords)

    names = {name: value for name, value in _public(operator).items() if name not in ("attrgetter", "methodcaller")}
    return names | {"attrgetter": attrgetter, "methodcaller": methodcaller}


def _path(name: object) -> list[str]:
    if type(name) is not str:
        raise TypeError("attribute name must be a string")
    return name.split(".")


# --- warnings, sys ---


def _warnings_names() -> dict[str, object]:
    def warn(message: Any, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
        warnings.warn(message, category, stacklevel=max(1, stacklevel) + 1)

    def filterwarnings(
        action: object, message: str = "", category: type[Warning] = Warning, lineno: int = 0, append: bool = False
    ) -> None:
        warnings.filterwarnings(str.__str__(action), str.__str__(message), category, "", lineno, append)  # type: ignore[arg-type]

    def simplefilter(action: object, category: type[Warning] = Warning, lineno: int = 0, append: bool = False) -> None:
        warnings.simplefilter(str.__str__(action), category, lineno, append)  # type: ignore[arg-type]

    def catch_warnings(*, record: bool = False) -> object:
        return warnings.catch_warnings(record=bool(record))

    chosen = [warn, filterwarnings, simplefilter, catch_warnings, warnings.resetwarnings]
    return {function.__name__: function for function in chosen}


class TextStream:
    """`sys.stdout` and `sys.stderr`: text goes where print's text goes."""

    __slots__ = ("_send", "name")

    def __init__(self, name: str, send: Callable[[str], None]) -> None:
        self.name = f"<{name}>"
        self._send = send

    def write(self, text: str) -> int:
        """Print the text unchanged."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._send(str.__str__(text))
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def isatty(self) -> bool:
        """Whether it is a terminal: False."""
        return False


def _sys_names(write: Writer, argv: list[str]) -> dict[str, object]:
    def leave(status: object = None, /) -> None:
        raise SystemExit(status)

    names = _named(
        sys, "version version_info maxsize float_info byteorder maxunicode platform getsizeof getrecursionlimit"
    )
    streams = {name: TextStream(name, functools.partial(write, name[3:])) for name in ("stdout", "stderr")}
    return names | streams | {"exit": leave, "argv": argv, "path": [HOME]}


def offered_classes(modules: Iterable[object]) -> frozenset[type]:
    """Return the classes among the names of some stand-ins that a snippet may derive from."""
    found = {
        value
        for module in modules
        for name, value in vars(type(module)).items()
        if not is_dunder(name) and type(value) in ORDINARY and not issubclass(value, np.generic | np.ndarray)
    }
    return frozenset(found)
