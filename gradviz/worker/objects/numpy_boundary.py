"""The only way into and out of NumPy for a snippet: `to_snippet` and `to_numpy`.

Nothing of NumPy's own reaches a snippet: from every one of its types, it takes two calls to make an array over any
memory, or of any objects. `to_snippet` takes what NumPy returned and returns a stand-in of `numpy_types` for it, or
raises; `to_numpy` takes what a snippet passed and returns NumPy's own object, or refuses objects that NumPy would ask
for their memory. Next: `numpy_types`, which fills the tables here."""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import on_new_run, state
from gradviz.engine.kernel.tensor import Tensor

ONLY_NUMBERS = "only types of numbers and of text are available in GradViz snippets"
ONLY_LETTERS = "a text of NumPy consists of letters in GradViz snippets, and its memory can't be read as other types"
DTYPE_CODES = "?bBhHiIlLqQefdFDSU"  # of the dtypes that a snippet may use
DEEPEST = 32  # nested lists; NumPy has 64 dimensions

PLAIN: frozenset[Any] = frozenset(
    (int, float, bool, str, complex, bytes, type(None), type(...))
)  # the same on both sides
REAL: dict[type, type] = {}  # class of a stand-in -> NumPy's own class
STAND_INS: dict[type, type] = {}  # NumPy's own class of a scalar or kind of number -> its stand-in's class
OUT: dict[type, Callable[[Any], Any]] = {}  # exact class of a value -> conversion for the snippet
IN: dict[type, Callable[[Any], Any]] = {}  # exact class of a snippet's value -> conversion for NumPy


# --- out ---


def to_snippet(value: object) -> Any:
    """Return what a snippet gets for a value that NumPy returned; raises TypeError if there is no stand-in for it."""
    leave = OUT.get(type(value))
    if leave is not None:
        return leave(value)
    if isinstance(value, np.dtype):
        return OUT[np.dtype](value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # results of eigh, svd and unique
        return tuple(map(to_snippet, value))
    if isinstance(value, np.ndarray | np.generic):
        raise TypeError(ONLY_NUMBERS)
    if isinstance(value, type) and (value in STAND_INS or value in REAL):
        return STAND_INS.get(value, value)
    raise TypeError(f"what NumPy returned, a {type(value).__name__}, is not available in GradViz snippets")


def _same(value: object) -> object:
    return value


OUT.update(dict.fromkeys((*PLAIN, type(NotImplemented)), _same))
IN.update(dict.fromkeys(PLAIN, _same))
IN[Fraction] = float  # statistics.mean converts it to the kind of number it was given
OUT[list] = lambda value: [to_snippet(each) for each in value]
OUT[tuple] = lambda value: tuple([to_snippet(each) for each in value])
OUT[dict] = lambda value: {key: to_snippet(each) for key, each in value.items()}


def check_letters(text: object) -> None:
    """Raise TypeError if an array or scalar of text holds a number that is no letter: an encoder of Python's would
    write more for it than it has made room for."""
    array = np.ascontiguousarray(text)
    codes = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
    if array.nbytes and np.any(array.view(codes) > sys.maxunicode):
        raise TypeError(ONLY_LETTERS)


def told(error: UnicodeEncodeError) -> UnicodeEncodeError:
    """Return an error of encoding, which holds Python's own text from here on instead of NumPy's."""
    error.object = str.__str__(error.object)
    error.args = (error.args[0], error.object, *error.args[2:])
    return error


def offer(made: type, real: type, leave: Callable[[Any], Any], enter: Callable[[Any], Any]) -> None:
    """Let objects of class `made` stand for those of NumPy's class `real`: `leave` makes them, `enter` converts them
    back."""
    REAL[made], OUT[real], OUT[made], IN[made] = real, leave, _same, enter


def as_tensor(found: object) -> object:
    """Return a tensor for np.sin(tensor): PyTorch's tensors wrap the results of functions of numbers."""
    from gradviz.torch import from_numpy

    if type(found) is tuple:
        return tuple(map(as_tensor, found))
    array = np.asarray(to_numpy(found))
    return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


# --- in ---


def to_numpy(value: Any, depth: int = 0) -> Any:
    """Return NumPy's own object for a value of a snippet; raises TypeError for objects that NumPy would ask for
    memory."""
    kind = type(value)
    enter = IN.get(kind)
    if enter is not None:
        return enter(value)
    if isinstance(value, np.ndarray | np.generic | np.dtype):  # the engine's
        return value
    if isinstance(value, Tensor):
        return to_numpy(Tensor.numpy(value))  # not an override in a class of the snippet
    if kind is slice:
        return slice(*map(to_numpy, (value.start, value.stop, value.step)))
    if isinstance(value, type):
        return _class_for_numpy(value)
    if depth < DEEPEST and (isinstance(value, list | tuple) or kind in _SEVERAL):
        return _several(value, depth + 1)
    for plain, exactly in _EXACTLY.items():  # a class of the snippet, such as an IntEnum
        if isinstance(value, plain):
            return exactly(value)
    raise TypeError(f"NumPy in GradViz snippets takes numbers, lists, arrays and tensors, not {kind.__name__} objects")


def own(thing: object) -> Any:
    """Return NumPy's own array, with the same memory, or scalar for the `self` of a stand-in's method: no other object
    is used with NumPy's own operands."""
    kind = type(thing)
    if kind not in REAL:
        raise TypeError(f"this method requires an array or a NumPy scalar, not {kind.__name__}")
    return IN[kind](thing)


def numeric(dtype: object) -> Any:
    """Return the dtype that is meant; raises TypeError for types other than numbers or text."""
    found = np.dtype(to_numpy(dtype))
    if found.char not in DTYPE_CODES:
        raise TypeError(ONLY_NUMBERS)
    return found


def is_watched(array: Array) -> bool:
    """Whether tensors share the memory of one of NumPy's own arrays, and an observer is to know of writes to it."""
    observer = state.observer
    return observer is not None and observer.is_shared(array)


def writing(*arrays: object) -> AbstractContextManager[None]:
    """Return the context in which NumPy writes to some of its own arrays."""
    watched = [each for each in arrays if isinstance(each, np.ndarray) and is_watched(each)]
    return _observed(watched) if watched else _UNWATCHED


@contextmanager
def _observed(arrays: list[Array]) -> Iterator[None]:
    observer = state.observer
    assert observer is not None
    for each in arrays:
        observer.before_numpy_writes(each)
    yield
    for each in arrays:
        observer.numpy_wrote(each)


def part_of(array: Array, place: object) -> Array | None:
    """Return the view of NumPy's own array that an index stands for; the whole array if the index makes a copy, and
    None if it is out of range, so that nothing will be written."""
    parts = place if type(place) is tuple else (place,)
    if any(type(each) not in _VIEWING for each in parts):
        return array
    try:
        return array[parts if ... in parts else (*parts, ...)]
    except IndexError:
        return None


class Errors:
    """What a snippet wants NumPy to do about errors of floating point, while it computes for the snippet and not for a
    tensor. Only `"raise"` makes a difference: NumPy's warnings are never shown here."""

    def __init__(self) -> None:
        self.ways = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
        self.raised: dict[str, Any] = {}

    def change(self, given: dict[str, object]) -> dict[str, str]:
        """Set the ways of some or all kinds of errors and return those before, as `np.seterr` does."""
        before, every = dict(self.ways), given.pop("all", None)
        if unknown := given.keys() - before.keys():
            raise TypeError(f"seterr() got an unexpected keyword argument {min(unknown)!r}")
        named = given if every is None else {**dict.fromkeys(before, every), **given}
        ways = {key: str.__str__(way) for key, way in named.items() if way is not None}
        if wrong := [way for way in ways.values() if way not in ("ignore", "warn", "print", "raise")]:
            raise ValueError(f"invalid error mode {wrong[0]!r}")
        self.ways.update(ways)
        self.raised = {key: way for key, way in self.ways.items() if way == "raise"}
        return before

    def heeded(self) -> AbstractContextManager[None]:
        """While NumPy computes something for the snippet."""
        return np.errstate(**self.raised) if self.raised else _UNWATCHED


_UNWATCHED = nullcontext()
errors = Errors()
on_new_run(lambda: Errors.__init__(errors))
_VIEWING = (int, slice, type(None), type(...))


def call_numpy(
    function: Callable[..., object], args: tuple[object, ...], keywords: dict[str, object], written: slice = slice(0)
) -> Any:
    """Call a function of NumPy with what a snippet passed, some of which is `written` to; an array given as `out=` is
    returned unchanged."""
    plain = [to_numpy(each) for each in args]
    named = {key: to_numpy(each) for key, each in keywords.items()}
    if named.get("dtype") is not None:
        named["dtype"] = numeric(named["dtype"])
    out = named.get("out")
    try:
        with writing(*plain[written], *(out if type(out) is tuple else (out,))), errors.heeded():
            found = function(*plain, **named)
    except UnicodeEncodeError as error:
        raise told(error) from None
    return keywords["out"] if out is not None and found is out else to_snippet(found)


def _several(value: Any, depth: int) -> object:
    """Return the items of a list as stored, whatever a subclass in the snippet overrides; or of an iterator."""
    if isinstance(value, tuple):
        return tuple([to_numpy(each, depth) for each in tuple.__iter__(value)])
    items = list.__iter__(value) if isinstance(value, list) else value
    return [to_numpy(each, depth) for each in items]


def _class_for_numpy(value: type) -> object:
    if value in REAL:
        return REAL[value]
    if value in _EXACTLY or value in STAND_INS:  # the engine names NumPy's own types
        return value
    raise TypeError(ONLY_NUMBERS)


_SEVERAL = (range, map, zip, filter, collections.deque)
_EXACTLY: dict[type, Callable[[Any], Any]] = {
    bool: bool,
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex(complex.__add__(value, 0)),
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}
