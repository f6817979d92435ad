"""What a worker changes on the classes of its own process, torch's and Python's, once, before snippets come.

Some of PyTorch's objects set or read attributes whose names the snippet gives as data: a `ParameterDict` its keys, a
scheduler its `load_state_dict`, a module the names of its children. NumPy would believe an `__array_interface__` that
gets in this way, and a `__class__` would open the class. So names with two underscores on both sides stay out; and
arrays leave as `SafeArray`. Python's own types write no address into a text and seed no generator with one, and their C
code reads and writes no memory that an argument's method has freed meanwhile. The engine's arrays are NumPy's, so an
array that does not fit raises NumPy's MemoryError; PyTorch raises a RuntimeError, and tutorials catch that: here it is
both.
"""

from __future__ import annotations

import _random
import _thread
import codecs
import collections
import contextlib
import contextvars
import ctypes
import datetime
import encodings.unicode_escape
import enum
import fractions
import functools
import gc
import itertools
import math
import operator
import pprint
import random
import re
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from gradviz.engine.kernel.modes import _Mode
from gradviz.engine.numerics.distributions import Generator
from gradviz.torch.optim.lr_scheduler import LRScheduler
from gradviz.torch.optim.optimizer import Optimizer
from gradviz.trace.record.location import Stack
from gradviz.worker.arguments import keep_methods, keep_public_methods, keep_reaching_methods
from gradviz.worker.identity import MEMORIES, current
from gradviz.worker.numpy_boundary import to_snippet
from gradviz.worker.policy_names import MEMORY, is_dunder

# --- the error of an array that does not fit ---


def speak_as_pytorch() -> None:
    """Give NumPy's error the words and the name of PyTorch's; its C code keeps the class, so that is what changes."""
    from numpy._core import _exceptions

    error: Any = _exceptions._ArrayMemoryError
    error.__bases__ = (MemoryError, RuntimeError)
    error.__str__ = _words
    error.__repr__ = lambda raised: f"RuntimeError({str(raised)!r})"
    error.__name__ = error.__qualname__ = "RuntimeError"
    error.__module__ = "builtins"


def _words(raised: Any) -> str:
    size = math.prod(raised.shape) * int(raised.dtype.itemsize)
    return (
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
        f"you tried to allocate {size} bytes. Error code 12 (Cannot allocate memory)"
    )


_PYTHONS = (collections, contextlib, enum, fractions, random, re, warnings)
_HANDING_ON = (Optimizer, LRScheduler, Generator)  # their methods hand tables and arrays to each other


def harden(torch: dict[str, types.ModuleType]) -> None:
    """Do all of it; `torch` are the real modules by the name that a snippet uses."""
    root, modules = torch["torch"], torch["torch.nn"]
    for name in ("numpy", "__array__"):
        if hasattr(root.Tensor, name):
            _wrap(root.Tensor, name, _handing_out)
    _wrap(root.Tensor, "data_ptr", MEMORIES.numbering)
    for cls in _own_classes(torch):
        cls.__array_interface__ = property(_no_array_interface)
    if isinstance(root.dtype, type):
        type.__setattr__(root.dtype, "__init__", _none_more)
    type(root.backends.cudnn).__init__ = _none_more
    module = modules.Module
    _wrap(_owner(module, "__getattr__"), "__getattr__", _with_plain_name)
    _wrap(_owner(module, "__setattr__"), "__setattr__", _with_plain_name_unless_lazy)
    for name in ("__getitem__", "__setitem__", "__delitem__"):
        _wrap(modules.ParameterDict, name, _with_public_name)
    modules.RNNBase._flat_weights = property(_plain_weights)
    for each in list(vars(torch["torch.optim.lr_scheduler"]).values()):
        if isinstance(each, type) and "load_state_dict" in vars(each):
            _wrap(each, "load_state_dict", _with_plain_keys)
    for cls in _own_classes(torch):
        keep = keep_methods if issubclass(cls, _HANDING_ON) else keep_reaching_methods
        keep(cls)
    for cls in _classes_of_python():
        keep_public_methods(cls)
    _wrap(_Mode, "__call__", _no_shared_class)
    speak_as_pytorch()
    change_types()
    _seed_without_addresses()
    vars(pprint)["_recursion"] = _recursion
    vars(collections)["_count_elements"] = _count
    _decode_quietly()
    for error in _errors_of_numpy():
        _keep_text_only(error)


def _own_classes(torch: dict[str, types.ModuleType]) -> set[Any]:
    """Every class that the torch modules define or hand out, and the classes of their objects."""
    values = [value for module in torch.values() for value in vars(module).values()]
    found = {value if isinstance(value, type) else type(value) for value in values}
    bases = {base for cls in found for base in cls.__mro__}
    return {cls for cls in bases if type(cls) is type and cls.__module__.split(".")[0] in ("gradviz", "torch")}


def _classes_of_python() -> list[Any]:
    """Those that a snippet can use or meets the objects of, and that are written in Python; metaclasses are not."""
    values = [value for module in _PYTHONS for value in vars(module).values() if isinstance(value, type)]
    return [cls for cls in dict.fromkeys(values) if cls is not enum.Enum and not issubclass(cls, type)]


def _wrap(owner: type, name: str, around: Callable[[Callable[..., Any]], Callable[..., object]]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(around(original)))


def _owner(cls: type, name: str) -> type:
    """The class in the hierarchy that defines the method."""
    return next(base for base in cls.__mro__ if name in vars(base))


def _handing_out(original: Callable[..., object]) -> Callable[..., Any]:
    return lambda *args, **keywords: to_snippet(original(*args, **keywords))


def _no_array_interface(thing: object) -> NoReturn:
    raise AttributeError(f"'{type(thing).__name__}' object has no attribute '__array_interface__'")


def _errors_of_numpy() -> list[Any]:
    """The classes of errors that keep the function, or the dtypes, of which they tell."""
    values = vars(np._core._exceptions).values()
    return [
        each for each in values if isinstance(each, type) and issubclass(each, Exception) and "__str__" in vars(each)
    ]


def _keep_text_only(error: Any) -> None:
    fill, tell = error.__init__, error.__str__

    def init(self: Any, *args: object) -> None:
        fill(self, *args)
        if type(self) is error:
            self.args = (tell(self),)
            vars(self).clear()

    error.__init__, error.__str__ = init, Exception.__str__


def _none_more(self: object, *given: object, **named: object) -> NoReturn:
    raise TypeError(f"cannot create '{type(self).__module__}.{type(self).__qualname__}' instances")


def _refuse_dunder(name: object) -> None:
    if type(name) is not str or is_dunder(name) or name == MEMORY:
        raise AttributeError(f"the name {name!r} is not available in GradViz snippets")


def _with_plain_name(original: Callable[..., object]) -> Callable[..., Any]:
    def call(self: Any, name: str, *rest: Any) -> Any:
        _refuse_dunder(name)
        return original(self, name, *rest)

    return call


def _with_public_name(original: Callable[..., object]) -> Callable[..., Any]:
    """Else it would be one of the module's own tables."""

    def call(self: Any, name: str, *rest: Any) -> Any:
        if type(name) is not str or name.startswith("_"):
            raise AttributeError(f"the name {name!r} is not available in GradViz snippets")
        return original(self, name, *rest)

    return call


def _with_plain_name_unless_lazy(original: Callable[..., object]) -> Callable[..., Any]:
    def call(self: Any, name: str, value: Any) -> None:
        becomes = name == "__class__" and type(value) is type and value.__module__.split(".")[0] in ("torch", "gradviz")
        if not becomes:  # a lazy layer becomes what it stands for
            _refuse_dunder(name)
        original(self, name, value)

    return call


def _plain_weights(module: Any) -> list[Any]:
    """The weights of a recurrent module, by the names in a list that is its own."""
    names = list(module._flat_weights_names)  # looked at once: the list may be an object of the snippet
    for name in names:
        _refuse_dunder(name)
    return [getattr(module, name, None) for name in names]


def _with_plain_keys(original: Callable[..., object]) -> Callable[..., Any]:
    def call(self: Any, state_dict: dict[str, Any]) -> None:
        plain = _plain_table(state_dict)
        if plain.get("lr_lambdas") is not None:
            plain["lr_lambdas"] = [each and _plain_table(each) for each in plain["lr_lambdas"]]
        if plain.get("_scale_fn_custom") is not None:
            plain["_scale_fn_custom"] = _plain_table(plain["_scale_fn_custom"])
        original(self, plain)

    return call


def _no_shared_class(original: Callable[..., object]) -> Callable[..., Any]:
    """`@torch.no_grad()` gives a class another `__init__`: one of the snippet's."""

    def call(self: Any, fn: Any) -> Any:
        if isinstance(fn, type) and fn.__module__ != "__main__":
            raise TypeError(f"the class '{fn.__name__}' can't be changed in GradViz snippets")
        return original(self, fn)

    return call


def _plain_table(given: Any) -> dict[str, Any]:
    """Names and values, looked at once."""
    plain = dict(given.items())
    for name in plain:
        _refuse_dunder(name)
    return plain


# --- Python's own types ---

_CAPSULE = type(np._core._multiarray_umath._ARRAY_API)  # type: ignore[attr-defined]
_WITH_ADDRESS = (  # the types whose `repr` writes one; others have that of `object`, or of what they hold
    *(object, types.FunctionType, types.BuiltinFunctionType, types.MethodWrapperType, types.GeneratorType),
    *(types.CoroutineType, types.AsyncGeneratorType, types.CellType, types.CodeType, types.FrameType, memoryview),
    *(weakref.ReferenceType, weakref.ProxyType, weakref.CallableProxyType, contextvars.ContextVar, contextvars.Token),
    *(_thread.LockType, _thread.RLock, _CAPSULE),
)
_WORD = ctypes.sizeof(ctypes.c_void_p)
_Change = tuple[type, str, Callable[[Any], object]]  # the method of a class, and what makes another one of it


class _Looking:
    """Its C functions look for the method of the type."""

    def __repr__(self) -> str:
        return ""

    def __str__(self) -> str:
        return ""

    def __mod__(self, other: object) -> None:
        return None

    def __contains__(self, other: object) -> bool:
        return False

    def __setitem__(self, key: object, value: object) -> None:
        return None

    def __next__(self) -> None:
        return None


def change_types() -> bool:
    """Change methods of Python's own types; False where these are laid out otherwise.

    Nobody can set an attribute of such a type; what would happen if one could is done here by hand: the type's table of
    names gets another method, and the type the C function that looks there.
    """
    with_address = [each for each in _WITH_ADDRESS if type(vars(each).get("__repr__")) is types.WrapperDescriptorType]
    others: list[_Change] = [(bytearray, "__mod__", _formatting), (bytearray, "__rmod__", _formatting_with)]
    others += [(bytearray, "__contains__", _of_bytes), (list, "__setitem__", _of_listed_values)]
    others += [(bytearray, "__setitem__", _at_plain_places), (collections.deque, "__contains__", _with_items_kept)]
    others += [(each, "__next__", _one_at_a_time) for each in _DROPPING]
    others += [(each, "__str__", _of_plain_parts) for each in _CODEC_ERRORS]
    changes: list[_Change] = [*((each, "__repr__", _numbered) for each in with_address), *others]
    wrapped = [(_word(_place(cls, name)), _word(id(vars(cls)[name]) + 6 * _WORD)) for cls, name, _ in changes]
    if any(function != same for function, same in wrapped):
        return False
    for cls, name, around in changes:
        _change(cls, name, around)
    for cls, name, around in _METHODS:
        _put(cls, name, around)
    return True


def _put(cls: type, name: str, around: Callable[[Any], object]) -> None:
    (names,) = gc.get_referents(vars(cls))
    made: Any = around(names[name])
    names[name] = functools.wraps(names[name])(made)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _change(cls: type, name: str, around: Callable[[Any], object]) -> None:
    function = _word(_place(cls, name))
    _put(cls, name, around)
    for heir in {cls, *_heirs(cls)} - {Stack}:
        if _word(_place(heir, name)) == function:
            ctypes.c_void_p.from_address(_place(heir, name)).value = _word(_place(_Looking, name))
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(heir))


# of a method of Python's: the word of the type that leads to its C function, and the word there
_PLACES = {
    "__repr__": (11, None),
    "__str__": (17, None),
    "__mod__": (12, 3),
    "__rmod__": (12, 3),
    "__contains__": (13, 7),
    "__setitem__": (14, 2),
    "__next__": (28, None),
}


def _place(cls: type, name: str) -> int:
    """Where a type has the C function for a method."""
    of_type, of_table = _PLACES[name]
    place = id(cls) + of_type * _WORD
    return place if of_table is None else _word(place) + of_table * _WORD


def _word(place: int) -> int:
    return ctypes.c_void_p.from_address(place).value or 0


def _heirs(cls: type) -> Iterator[type]:
    waiting: list[type] = [cls]
    while waiting:
        found: list[type] = type.__subclasses__(waiting.pop())
        yield from found
        waiting += found


def _numbered(original: Callable[[object], str]) -> Callable[[Any], str]:
    def __repr__(self: object) -> str:
        text, identities = original(self), current()
        return text if identities is None else identities.local(text)

    return __repr__


def _formatting(original: object) -> Callable[[bytearray, Any], bytearray]:
    """`bytearray % values` with a format that stays while a method of the values empties the bytearray."""

    def __mod__(self: bytearray, values: object) -> bytearray:
        return bytearray(bytes(self) % values)

    return __mod__


def _formatting_with(original: object) -> Callable[[Any, Any], Any]:
    def __rmod__(self: object, form: object) -> Any:
        return bytearray.__mod__(form, self) if isinstance(form, bytearray) else NotImplemented

    return __rmod__


def _of_bytes(original: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a bytearray, on a copy where a method of an argument may empty the bytearray meanwhile."""
    same = getattr(bytes, original.__name__)

    def call(self: object, *given: object, **named: object) -> Any:
        if all(type(each) in _PLAIN for each in (*given, *named.values())):
            return original(self, *given, **named)
        if not isinstance(self, bytearray):
            raise TypeError(f"expected a 'bytearray', not '{type(self).__name__}'")
        return same(bytes(self), *given, **named)

    return call


def _extending(original: Callable[..., None]) -> Callable[..., None]:
    """`bytearray.extend` by what has as many items as it says."""

    def extend(self: bytearray, values: object, /) -> None:
        original(self, values if type(values) in (bytes, bytearray) or _has_memory(values) else _listed(values))

    return extend


def _has_memory(values: Any) -> bool:
    try:
        memoryview(values).release()
    except TypeError:
        return False
    return True


def _listed(values: Any) -> Any:
    """A list of the same values; of what has none, the thing itself, of which Python says that."""
    if type(values) in (list, tuple):
        return values
    try:
        found = iter(values)
    except TypeError:
        return values
    return list(found)


def _of_listed_values(original: Callable[..., None]) -> Callable[..., None]:
    """`some[a:b:c] = values` with values that are there, so that no method of theirs shortens the list meanwhile."""

    def __setitem__(self: list[object], key: object, value: object) -> None:
        original(self, key, _listed(value) if type(key) is slice else value)

    return __setitem__


def _at_plain_places(original: Callable[..., None]) -> Callable[..., None]:
    """`some[a:b:c] = values` and `del some[a:b:c]` of a bytearray, whose places are numbers before C code looks where
    its memory is."""

    def call(self: bytearray, key: object, *value: object) -> None:
        original(self, _plain_places(key), *value)

    return call


def _plain_places(key: object) -> object:
    if type(key) is not slice:
        return key
    return slice(*(each if each is None else operator.index(each) for each in (key.start, key.stop, key.step)))


def _with_items_kept(original: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a deque that compares, whose items stay while one of them empties it."""

    def call(self: Any, *given: object) -> Any:
        kept = list(collections.deque.__iter__(self)) if isinstance(self, collections.deque) else None
        try:
            return original(self, *given)
        finally:
            del kept

    return call


def _copied(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`OrderedDict.copy`, whose keys stay while a class of one's own looks up what they stand for."""

    def copy(self: Any) -> Any:
        if type(self) is collections.OrderedDict or not isinstance(self, collections.OrderedDict):
            return original(self)
        made: Any = type(self)()
        for key in collections.OrderedDict.__iter__(self):
            made[key] = self[key]
        return made

    return copy


def _one_at_a_time(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The next item of an iterator that drops the one behind it at its end: not while that one is at work."""
    working: set[int] = set()

    def __next__(self: object) -> Any:
        key = id(self)
        if key in working:
            raise ValueError("iterator already executing")
        working.add(key)
        try:
            return original(self)
        finally:
            working.discard(key)

    return __next__


def _of_plain_parts(original: Callable[[object], str]) -> Callable[[Any], str]:
    """The text of an error of a codec, which names a byte only where there is one."""
    names = vars(original.__objclass__)  # type: ignore[attr-defined]
    parts = [names.get(name) for name in ("object", "encoding", "reason", "start", "end")]

    def __str__(self: object) -> str:
        told: list[Any] = [part and part.__get__(self) for part in parts]
        thing, encoding, reason, start, end = told
        texts = {type(each) for each in (encoding, reason)}
        if type(thing) in (str, bytes) and texts <= {str, type(None)} and 0 <= start < len(thing):
            return original(self)
        return "" if thing is None else f"{encoding} codec, position {start}-{end}: {reason}"

    return __str__


def _of_a_year(original: Callable[[object], str]) -> Callable[[Any], str]:
    """`ctime` of a date that is one: made of bytes, it may be in the year 0, whose days have no names."""
    year = vars(datetime.date)["year"]

    def ctime(self: object) -> str:
        if year.__get__(self) < datetime.MINYEAR:
            raise ValueError("year 0 is out of range")
        return original(self)

    return ctime


_PLAIN = frozenset((int, bytes, str, type(None)))
_CODEC_ERRORS = (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)
_DROPPING = (itertools.chain, itertools.cycle, itertools.islice, itertools.pairwise, itertools.zip_longest)
_METHODS: list[_Change] = [
    (bytearray, "__delitem__", _at_plain_places),
    (collections.OrderedDict, "copy", _copied),
    *((collections.deque, name, _with_items_kept) for name in ("count", "index", "remove")),
    *((bytearray, name, _of_bytes) for name in "find rfind index rindex count startswith endswith hex".split()),
    (bytearray, "extend", _extending),
    *((cls, "ctime", _of_a_year) for cls in (datetime.date, datetime.datetime)),
]


# --- where Python's own code keeps no hold of what it works with ---


def _count(mapping: Any, iterable: Any) -> None:
    """What Counter counts with; in C code the value is gone when its `__add__` empties the Counter."""
    for each in iterable:
        mapping[each] = mapping.get(each, 0) + 1


def _decode_quietly() -> None:
    """Where an error is passed over, C code reads the wrong letter of which it warns after it has freed the text."""
    decode = codecs.unicode_escape_decode

    def decoded(text: Any, errors: str | None = None, final: bool = True) -> tuple[str, int]:
        if errors in (None, "strict"):
            return decode(text, errors, final)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return decode(text, errors, final)

    vars(encodings)["_cache"].pop("unicode_escape", None)
    encodings.unicode_escape.Codec.decode = staticmethod(decoded)  # type: ignore[method-assign]
    codecs.unregister(encodings.search_function)  # which forgets what was found before
    codecs.register(encodings.search_function)


# --- where Python's own code makes a number of an address ---


def _seed_without_addresses() -> None:
    """A generator is seeded with the hash of what is no whole number, which may be made of an address."""
    base: Any = _random.Random
    make, fill = base.__new__, base.seed

    def seed(self: object, a: object = None, /) -> None:
        identities = current()
        fill(self, a if a is None or isinstance(a, int) or identities is None else identities.hash(a))

    def __new__(cls: type, *given: object, **named: object) -> Any:
        made = make(cls)
        if len(given) == 1:
            seed(made, *given)
        return made

    random.Random.__new__ = __new__  # type: ignore[method-assign]
    base.seed = seed


def _recursion(thing: object) -> str:
    """What pprint says of a list that holds itself."""
    identities = current()
    return f"<Recursion on {type(thing).__name__} with id={id(thing) if identities is None else identities.id(thing)}>"
