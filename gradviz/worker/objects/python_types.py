"""What a worker changes in Python's own types and functions, once, before snippets arrive.

After that, they write no address into a text, seed no generator with one and leave no mark on what a snippet gets, and
their C code reads and writes no memory that a method of the snippet has freed meanwhile: what it works with is kept, or
is converted to plain objects before it begins. The types are those of the whole process; what only a snippet uses has
its own form in `iterators`. Next: `hardening`, which calls this."""

from __future__ import annotations

import _random
import _thread
import argparse
import codecs
import collections
import contextvars
import copy
import copyreg
import datetime
import encodings.aliases
import encodings.unicode_escape
import functools
import inspect
import operator
import pprint
import random
import sys
import time
import types
import typing
import warnings
import weakref
from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex, TypeGuard

import numpy as np

from gradviz.engine.kernel.tensor import Tensor
from gradviz.worker.objects.identity import current
from gradviz.worker.objects.iterators import OWN
from gradviz.worker.objects.kept_memory import (
    at_its_end,
    emptied_key_by_key,
    emptied_later,
    filled_key_by_key,
    find_memory,
    keeping,
    without_cache,
)
from gradviz.worker.objects.ordered_tables import order_tables
from gradviz.worker.objects.type_slots import Change, change, is_known, put, renew


def change_python() -> None:
    """Make all changes."""
    change_types()
    find_memory()
    _seed_without_addresses()
    vars(pprint)["_recursion"] = _recursion
    vars(collections).update(_count_elements=_count, _chain=OWN["chain"])
    _keep_in_comparisons()
    _leave_no_marks()
    _copy_of_functions_only()
    _copy_methods_as_they_are()
    _copy_as_classes_say()
    _copy_no_super()
    _tell_of_arguments_by_text()
    _decode_quietly()
    vars(inspect)["_signature_fromstr"] = _signature_of_text(vars(inspect)["_signature_fromstr"])


_CAPSULE = type(np._core._multiarray_umath._ARRAY_API)  # type: ignore[attr-defined]
_WITH_ADDRESS = (  # the types whose `repr` writes an address; others have that of `object`, or of what they contain
    *(object, types.FunctionType, types.BuiltinFunctionType, types.MethodWrapperType, types.GeneratorType),
    *(types.CoroutineType, types.AsyncGeneratorType, types.CellType, types.CodeType, types.FrameType, memoryview),
    *(weakref.ReferenceType, weakref.ProxyType, weakref.CallableProxyType, contextvars.ContextVar, contextvars.Token),
    *(_thread.LockType, _thread.RLock, _CAPSULE),
)


def change_types() -> bool:
    """Change methods of Python's own types; return False if these are laid out differently."""
    with_address = [each for each in _WITH_ADDRESS if type(vars(each).get("__repr__")) is types.WrapperDescriptorType]
    others: list[Change] = [(bytearray, "__mod__", _formatting), (bytearray, "__rmod__", _formatting_with)]
    others += [(bytearray, "__contains__", _of_bytes), (list, "__setitem__", _of_listed_values)]
    others += [(bytearray, "__setitem__", _at_plain_places), (collections.deque, "__contains__", _with_items_kept)]
    others += [(each, "__next__", _one_at_a_time) for each in (_CALLING, _IN_BRACKETS)]
    others += [(OSError, "__str__", _of_kept_parts), (types.UnionType, "__eq__", keeping)]
    others += [(dict, "__ior__", filled_key_by_key)]
    others += [(types.GeneratorType, "__del__", at_its_end), (_CACHING, "__call__", without_cache)]
    others += [(each, "__repr__", _kept) for each in _OF_PARTS]
    others += [(types.GenericAlias, "__repr__", _of_kept_lists), (types.MethodType, "__repr__", _as_in_pytorch)]
    others += [(each, "__str__", _of_plain_parts) for each in _CODEC_ERRORS]
    others += [(each, "__init__", _with_plain_places) for each in _CODEC_ERRORS]
    changes: list[Change] = [*((each, "__repr__", _numbered) for each in with_address), *others]
    if sys.version_info < (3, 13):
        changes += [(list, name, _of_held_items) for name in ("__lt__", "__le__", "__gt__", "__ge__")]
    if not all(is_known(cls, name) for cls, name, _ in changes):
        return False
    for cls, name, around in changes:
        change(cls, name, around)
    for cls, name, around in _METHODS:
        put(cls, name, around)
    renew(list, "append")  # of which 3.13 expects that it is called with a list
    order_tables()
    return True


def _numbered(original: Callable[[object], str]) -> Callable[[object], str]:
    def __repr__(self: object) -> str:
        text, identities = original(self), current()
        return text if identities is None else identities.local(text)

    return __repr__


_IN_PYTHON = frozenset(  # the methods of tensors that PyTorch has written in Python, which show in another way
    """backward storage index register_hook register_post_accumulate_grad_hook is_shared share_memory_ module_load norm
    lu stft istft resize split unique unique_consecutive storage_type unflatten dim_order""".split()
)


def _as_in_pytorch(original: Callable[[object], str]) -> Callable[[object], str]:
    """Return the text of a method; of one of a tensor's own, such as `loss.item` without brackets, PyTorch's."""

    def __repr__(self: Any) -> str:
        thing, function = self.__self__, self.__func__
        name = function.__name__ if type(function) is types.FunctionType else ""
        if not issubclass(type(thing), Tensor) or vars(Tensor).get(name) is not function:
            return original(self)
        if name in _IN_PYTHON:
            return f"<bound method Tensor.{name} of {thing!r}>"
        place = object.__repr__(thing).rpartition(" ")[2]
        return f"<built-in method {name} of {type(thing).__name__} object at {place}"

    return __repr__


def _formatting(original: object) -> Callable[[bytearray, object], bytearray]:
    """Return `bytearray % values` with a format that survives when a method of the values empties the bytearray."""

    def __mod__(self: bytearray, values: object) -> bytearray:
        return bytearray(bytes(self) % values)

    return __mod__


def _formatting_with(original: object) -> Callable[[object, object], object]:
    def __rmod__(self: object, form: object) -> object:
        return bytearray.__mod__(form, self) if isinstance(form, bytearray) else NotImplemented

    return __rmod__


def _of_bytes(original: Callable[..., object]) -> Callable[..., object]:
    """Return a method of a bytearray, on a copy if a method of an argument may empty the bytearray meanwhile."""
    same = getattr(bytes, original.__name__)

    def call(self: object, *given: object, **named: object) -> Any:
        if all(type(each) in _PLAIN for each in (*given, *named.values())):
            return original(self, *given, **named)
        if not isinstance(self, bytearray):
            raise TypeError(f"expected a 'bytearray', not '{type(self).__name__}'")
        return same(bytes(self), *given, **named)

    return call


def _extending(original: Callable[..., None]) -> Callable[..., None]:
    """Return `bytearray.extend`, given something that really has as many items as it says."""

    def extend(self: bytearray, values: object, /) -> None:
        original(self, values if type(values) in (bytes, bytearray) or _has_memory(values) else _listed(values))

    return extend


def _has_memory(values: Any) -> bool:
    try:
        memoryview(values).release()
    except TypeError:
        return False
    return True


def _listed(values: Any) -> object:
    """Return a list of the same values; if it is not iterable, return it unchanged, so that Python says so."""
    if type(values) in (list, tuple):
        return values
    try:
        found = iter(values)
    except TypeError:
        return values
    return list(found)


def _of_listed_values(original: Callable[..., None]) -> Callable[..., None]:
    """Return `some[a:b:c] = values` with values that are already a list, so that no method of theirs shortens the list
    meanwhile."""

    def __setitem__(self: list[object], key: object, value: object) -> None:
        original(self, key, _listed(value) if type(key) is slice else value)

    return __setitem__


def _of_held_items(original: Callable[..., object]) -> Callable[..., object]:
    """Return `some < others` for lists whose items are kept while one of them is compared and empties its list; 3.13
    holds them."""

    copied = list.copy

    def call(self: Any, other: Any, /) -> object:
        held = (copied(self), copied(other)) if isinstance(other, list) else None
        try:
            return original(self, other)
        finally:
            del held

    return call


def _at_plain_places(original: Callable[..., None]) -> Callable[..., None]:
    """Return `some[a] = values` or `del some[a]` for a bytearray: places and values become numbers before C code reads
    the address of its memory."""

    def call(self: bytearray, key: object, *value: object) -> None:
        if type(key) is int and (not value or type(value[0]) is int):
            original(self, key, *value)
        elif type(key) is slice:
            parts = (key.start, key.stop, key.step)
            original(self, slice(*(each if each is None else operator.index(each) for each in parts)), *value)
        else:
            original(self, _number(key), *map(_number, value))

    return call


def _number(given: Any) -> object:
    """Return the same as a number of Python's; if it is not a number, return it unchanged, so that Python says so."""
    return operator.index(given) if hasattr(type(given), "__index__") else given


def _with_items_kept(original: Callable[..., object]) -> Callable[..., object]:
    """Return a method of a deque that compares, whose items are kept while one of them empties it."""

    def call(self: object, *given: object) -> object:
        kept = list(collections.deque.__iter__(self)) if isinstance(self, collections.deque) else None
        try:
            return original(self, *given)
        finally:
            del kept

    return call


def _one_at_a_time(original: Callable[[object], object]) -> Callable[[object], object]:
    """Return the next item of an iterator that drops its source at its end: not while the source is running."""
    working: set[int] = set()

    def __next__(self: object) -> object:
        key = id(self)
        if key in working:
            raise ValueError("iterator already executing")
        working.add(key)
        try:
            return original(self)
        finally:
            working.discard(key)

    return __next__


def _by_a_kept_factory(original: Callable[..., object]) -> Callable[..., object]:
    """Return what a defaultdict makes with its factory, which is kept while it replaces itself."""
    factory = vars(collections.defaultdict)["default_factory"]

    def __missing__(self: object, key: object) -> object:
        kept = factory.__get__(self)
        try:
            return original(self, key)
        finally:
            del kept

    return __missing__


def _not_at_work(original: Callable[..., object]) -> Callable[..., object]:
    """Return `throw` of a generator, which refuses while the generator, or one that it goes through, is running: before
    3.12 C code takes one value more from its stack each time that what it goes through is asked to throw."""

    def throw(self: object, *given: object) -> object:
        each = self
        while isinstance(each, types.GeneratorType):
            if each.gi_running:
                raise ValueError("generator already executing")
            each = each.gi_yieldfrom
        return original(self, *given)

    return throw


def _kept(original: Callable[[object], str]) -> Callable[[object], str]:
    """Return the text of an object that is kept while a part of it is asked for its own text and drops the whole."""

    def __repr__(self: object) -> str:
        return original(self)

    return __repr__


def _of_kept_lists(original: Callable[[object], str]) -> Callable[[object], str]:
    """Return the text of a type in brackets, with copies of the lists in it: C code iterates over them by their old
    length."""

    def __repr__(self: Any) -> str:
        if not any(type(each) is list for each in self.__args__):
            return original(self)
        given = tuple(each.copy() if type(each) is list else each for each in self.__args__)
        text = original(types.GenericAlias(self.__origin__, given))
        return f"*{text}" if self.__unpacked__ else text

    return __repr__


def _of_kept_parts(original: Callable[[object], str]) -> Callable[[object], str]:
    """Return the text of an OSError whose parts are kept while one of them replaces the others."""
    parts = [each for each in vars(OSError).values() if isinstance(each, types.MemberDescriptorType)]

    def __str__(self: object) -> str:
        kept = [part.__get__(self) for part in parts]
        try:
            return original(self)
        finally:
            del kept

    return __str__


def _of_plain_parts(original: Callable[[object], str]) -> Callable[[Any], str]:
    """Return the text of a codec error, which names a byte only if it exists."""
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


def _with_plain_places(original: Callable[..., None]) -> Callable[..., None]:
    """Return `__init__` of a codec error, whose places are numbers before it begins: while it asks for one, it has its
    other parts without holding them."""

    def __init__(self: object, *parts: object, **named: object) -> None:
        original(self, *(operator.index(each) if _is_place(each) else each for each in parts), **named)

    return __init__


def _is_place(part: object) -> TypeGuard[SupportsIndex]:
    return not isinstance(part, int) and hasattr(type(part), "__index__")


def _of_a_year(original: Callable[[object], str]) -> Callable[[object], str]:
    """Return `ctime` of a valid date: made from bytes, a date may be in the year 0, whose days have no names."""
    year = vars(datetime.date)["year"]

    def ctime(self: object) -> str:
        if year.__get__(self) < datetime.MINYEAR:
            raise ValueError("year 0 is out of range")
        return original(self)

    return ctime


def _that_keeps_none(original: Callable[..., property]) -> Callable[..., property]:
    """Return `getter` of a property and the like, which change nothing for None: before 3.12 C code gives it back each
    time, though it was only lent, until Python thinks that nobody needs None any more and ends the process."""

    def call(self: property, function: object, /) -> property:
        if function is not None or not isinstance(self, property):
            return original(self, function)
        return type(self)(self.fget, self.fset, self.fdel, self.__doc__)

    return call


_PLAIN = frozenset((int, bytes, str, type(None)))
_CODEC_ERRORS = (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)
_CALLING = type(iter(int, 1))
_IN_BRACKETS: type = type(iter(type("", (), {"__getitem__": None})()))
_CACHING: type = type(functools.cache(len))
_OF_PARTS: tuple[type, ...] = (  # whose `repr` asks for that of several parts without holding them or itself
    *(slice, types.UnionType, datetime.timezone, collections.defaultdict),
    *(time.struct_time, type(sys.float_info)),
)
_METHODS: list[Change] = [
    (bytearray, "__delitem__", _at_plain_places),
    (collections.defaultdict, "__missing__", _by_a_kept_factory),
    (dict, "clear", emptied_key_by_key),
    (dict, "update", filled_key_by_key),
    *((collections.deque, name, _with_items_kept) for name in ("count", "index", "remove")),
    *((bytearray, name, _of_bytes) for name in "find rfind index rindex count startswith endswith hex".split()),
    (bytearray, "extend", _extending),
    (_CACHING, "cache_clear", emptied_later),
    (types.GeneratorType, "throw", _not_at_work),
    *((cls, "ctime", _of_a_year) for cls in (datetime.date, datetime.datetime)),
    *((property, name, _that_keeps_none) for name in ("getter", "setter", "deleter")),
]


# --- where Python's own code does not hold what it works with ---


_count_in_c: Callable[[object, object], None] = collections._count_elements  # type: ignore[attr-defined]


def _count(mapping: Any, iterable: Any) -> None:
    """What Counter counts with; in C code the value is freed when its `__add__` empties the Counter, so it counts in a
    separate table."""
    if type(mapping) is collections.Counter:
        found: dict[object, int] = {}
        _count_in_c(found, iterable)
        for each, times in found.items():
            mapping[each] = mapping.get(each, 0) + times
        return
    for each in iterable:
        mapping[each] = mapping.get(each, 0) + 1


def _keep_in_comparisons() -> None:
    """Keep memory in comparisons of types in brackets: they can be keys, and ask what is in the brackets for its
    hash."""
    for each in vars(typing).values():
        if isinstance(each, type) and type(vars(each).get("__eq__")) is types.FunctionType:
            each.__eq__ = keeping(each.__eq__)  # type: ignore[method-assign]


def _leave_no_marks() -> None:
    """Prevent `List[int](...)` from leaving a mark on what it returns, which all runs may share."""
    alias: Any = typing._BaseGenericAlias  # type: ignore[attr-defined]
    call = alias.__call__

    def __call__(self: Any, *given: Any, **named: Any) -> Any:
        return self.__origin__(*given, **named) if self._inst else call(self, *given, **named)

    alias.__call__ = __call__


def _copy_of_functions_only() -> None:
    """Let `functools.wraps` and what uses it, such as `functools.cache`, copy the attributes of functions: those of a
    class or an object would be read, and called, on what wraps it, where nothing knows what they belong to."""
    update = functools.update_wrapper

    def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = _NAMES, updated: Any = ("__dict__",)) -> object:
        return update(wrapper, wrapped, assigned, updated if type(wrapped) is types.FunctionType else ())

    vars(functools)["update_wrapper"] = update_wrapper


_NAMES = functools.WRAPPER_ASSIGNMENTS


def _copy_methods_as_they_are() -> None:
    """Let `copy.copy` return a method itself: Python's reads the name of its function from its object, and a snippet
    binds any of its functions to any object. `copy.deepcopy` returns itself what is a function in Python, such as
    getattr, and a method of GradViz's here: it would copy the object with everything that it knows."""
    deeply = vars(copy)["_deepcopy_dispatch"]
    copied = deeply[types.MethodType]

    def copied_deeply(method: types.MethodType, memo: dict[int, Any]) -> object:
        return method if type(method.__self__).__module__.startswith("gradviz.worker.") else copied(method, memo)

    vars(copy)["_copy_dispatch"][types.MethodType] = lambda method: method
    deeply[types.MethodType] = copied_deeply


def _copy_as_classes_say() -> None:
    """Let `copy` ask the class of an object how it is copied: in the object itself the answer may lie as data."""

    def of_class(thing: object, name: str, *default: object) -> object:
        if isinstance(thing, type):
            return getattr(thing, name, *default)
        found = getattr(type(thing), name, *default)
        return found.__get__(thing, type(thing)) if hasattr(found, "__get__") else found

    vars(copy).update(getattr=of_class, hasattr=lambda thing, name: hasattr(type(thing), name))


def _copy_no_super() -> None:
    """Refuse to copy `super()`, which answers for a number or a tuple behind it: the copy would be made like theirs and
    know no class, which C code of 3.13 reads without looking whether there is one."""

    def refuse(thing: super) -> NoReturn:
        raise TypeError("cannot pickle 'super' object")

    copyreg.pickle(super, refuse)


def _tell_of_arguments_by_text() -> None:
    """Keep no argument in argparse's error, which a choice of the snippet's that is shown meanwhile has behind it: the
    argument leads to the parser."""
    fill = argparse.ArgumentError.__init__

    def init(self: argparse.ArgumentError, argument: argparse.Action | None, message: str) -> None:
        fill(self, argument, message)
        self.args = (None, message)

    argparse.ArgumentError.__init__ = init  # type: ignore[method-assign]


def _decode_quietly() -> None:
    """Handle errors quietly: when an error is ignored, C code reads the invalid character that it warns about after it
    has freed the text."""
    decode = codecs.unicode_escape_decode

    def decoded(text: Any, errors: str | None = None, final: bool = True) -> tuple[str, int]:
        if errors in (None, "strict"):
            return decode(text, errors, final)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return decode(text, errors, final)

    vars(encodings)["_cache"].pop("unicode_escape", None)
    encodings.unicode_escape.Codec.decode = staticmethod(decoded)  # type: ignore[method-assign]
    codecs.unregister(encodings.search_function)  # which clears its cache
    codecs.register(_loaded_codec)


def _loaded_codec(name: str) -> codecs.CodecInfo | None:
    """Return a codec whose module is there: another one would be looked for in files, which are closed."""
    plain = encodings.normalize_encoding(name)
    module = encodings.aliases.aliases.get(plain, plain)
    if f"encodings.{module}" in sys.modules:
        return encodings.search_function(name)
    if module in _OTHER_CODECS:
        raise LookupError(f"the encoding {name} is not available in GradViz snippets")
    return None


_OTHER_CODECS = frozenset(encodings.aliases.aliases.values())


_MADE_BY_A_STATEMENT = 1 << 9  # of a type's flags: it is not one of C code's own


def _signature_of_text(original: Callable[..., object]) -> Callable[..., object]:
    """Return what makes a signature of a docstring, but not of the docstring of a class that anybody can write: the
    defaults in it are evaluated."""

    def signature(cls: type, described: object, *rest: object) -> object:
        if isinstance(described, type) and described.__flags__ & _MADE_BY_A_STATEMENT:
            raise ValueError(f"no signature found for {described!r}")
        return original(cls, described, *rest)

    return signature


# --- where Python's own code makes a number from an address ---


def _seed_without_addresses() -> None:
    """Seed generators without addresses: the seed is the hash of anything but an integer, which may depend on an
    address."""
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
    """Return what pprint says of a list that contains itself."""
    identities = current()
    return f"<Recursion on {type(thing).__name__} with id={id(thing) if identities is None else identities.id(thing)}>"
