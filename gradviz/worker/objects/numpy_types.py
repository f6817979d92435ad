"""What a snippet gets in place of NumPy's own arrays, scalars and dtypes, of `np.finfo` and `np.iinfo`, and of the
scalar classes that have no objects of their own.

A stand-in has the attributes in the lists below; whatever else NumPy's class has, now or in a later version, is
refused, on the instance and on the class. Its methods and operators go through `numpy_boundary`, so neither they nor
`type(x)` lead to one of NumPy's own types. Next: `arrays`, the functions of `import numpy`."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Container, Iterator
from typing import Any, NoReturn

import numpy as np

from gradviz.engine.numerics.overflow import CAREFUL
from gradviz.torch import Tensor  # including its operators
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.kept_memory import keeping
from gradviz.worker.objects.numpy_boundary import (
    DTYPE_CODES,
    IN,
    ONLY_LETTERS,
    REAL,
    STAND_INS,
    as_tensor,
    call_numpy,
    check_letters,
    errors,
    is_watched,
    numeric,
    offer,
    own,
    part_of,
    to_numpy,
    to_snippet,
    told,
    writing,
)

# The attributes of arrays and scalars that a snippet may use.
_COMPUTED = "T device imag itemsize mT nbytes ndim real shape size strides".split()
_METHODS = """all any argmax argmin argpartition argsort byteswap choose clip compress conj conjugate copy cumprod
cumsum diagonal dot flatten item max mean min nonzero prod ravel repeat reshape round searchsorted squeeze std sum
swapaxes take tobytes tolist trace transpose var""".split()
_WITH_DTYPE = ("astype", "view")
_OF_ARRAYS = "partition put sort".split()
_OF_PYTHON = "as_integer_ratio fromhex hex is_integer bit_count denominator numerator".split()  # of Python's numbers
_OPERATORS = "add and_ floordiv lshift matmul mod mul or_ pow rshift sub truediv xor".split()
_COMPARISONS = "eq ge gt le lt ne".split()
_UNARY = "abs invert neg pos".split()
_INSTEAD = {"base": "; use numpy.shares_memory"}


# --- attributes ---


def _method(name: str) -> Callable[..., object]:
    def method(self: object, *args: object, **keywords: object) -> Any:
        array = own(self)
        if name == "byteswap" and array.dtype.kind == "U":
            raise TypeError(ONLY_LETTERS)
        if name in CAREFUL:
            return call_numpy(functools.partial(CAREFUL[name], array), args, keywords)
        return call_numpy(getattr(type(array), name), (array, *args), keywords, slice(name in _OF_ARRAYS))

    method.__name__ = method.__qualname__ = name
    return method


def _with_dtype(name: str) -> Callable[..., object]:
    """Return a method whose first argument is a dtype."""

    def method(self: object, dtype: object = None, *args: object, **keywords: object) -> Any:
        array = own(self)
        first = () if dtype is None and name == "view" else (numeric(dtype),)
        if name == "view" and any(each != array.dtype and "U" in (each.kind, array.dtype.kind) for each in first):
            raise TypeError(ONLY_LETTERS)
        try:
            named = {key: to_numpy(each) for key, each in keywords.items()}
            return to_snippet(getattr(array, name)(*first, *map(to_numpy, args), **named))
        except UnicodeEncodeError as error:
            raise told(error) from None

    method.__name__ = method.__qualname__ = name
    return method


def _property(name: str) -> property:
    return property(lambda self: to_snippet(getattr(own(self), name)))


class _Refused:
    """An attribute that neither the class nor its instances have."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: object, owner: object = None) -> NoReturn:
        instead = _INSTEAD.get(self._name, "")
        raise AttributeError(f"the array attribute '{self._name}' is not available in GradViz snippets{instead}")


def _shut_others(made: type, offered: Container[str]) -> None:
    """Refuse every public attribute that is not listed."""
    for name in dir(made):
        if not name.startswith("_") and name not in offered:
            setattr(made, name, _Refused(name))


# --- operators ---


def _binary(compute: Callable[[object, object], object], reflected: bool = False) -> Callable[..., object]:
    several = keeping(to_numpy) if compute is operator.eq else to_numpy  # it may run through a `map` in a search

    def method(self: object, other: object) -> Any:
        enter = IN.get(type(other))
        if enter is None:
            if isinstance(other, Tensor):
                return _with_tensor(compute, reflected, self, other)
            if not isinstance(other, np.ndarray | np.generic | list | tuple | int | float | complex | str | bytes):
                return NotImplemented  # the other object decides
            enter = several
        if not errors.raised:
            return to_snippet(compute(own(self), enter(other)))
        with errors.heeded():
            return to_snippet(compute(own(self), enter(other)))

    return method


def _with_tensor(compute: Callable[[object, object], object], reflected: bool, self: object, other: Tensor) -> object:
    """Apply the operator as NumPy does, which lets a tensor go first."""
    if type(self) is Bool:
        return compute(bool(self), other)
    if reflected:
        return as_tensor(to_snippet(compute(own(self), to_numpy(other))))
    sign = _SIGNS.get(getattr(compute, "__name__", "").rstrip("_"))
    return _left_to(other, self, sign) if sign and isinstance(self, SafeArray) else NotImplemented


def _left_to(other: Tensor, array: object, sign: str) -> object:
    """Return what Python makes of `array + tensor`, or of `array += tensor`, after NumPy has left it to the tensor."""
    name = _NAMES_OF_SIGNS[sign.split()[0].removesuffix("=")]
    answer: Any = getattr(type(other), f"__r{name}__", lambda tensor, array: NotImplemented)
    found = answer(other, array)
    if found is not NotImplemented:
        return found
    if name == "add":
        raise TypeError(_CONCATENATION)
    kind = type(other).__name__
    raise TypeError(f"unsupported operand type(s) for {sign}: 'numpy.ndarray' and '{kind}'")


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "matmul": "@"}
_SIGNS |= {"pow": "** or pow()", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}
_NAMES_OF_SIGNS = {sign.split()[0]: name for name, sign in _SIGNS.items()}
_CONCATENATION = (  # Python tries to concatenate sequences last
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on "
    "this error; it may not be given on all Python implementations."
)


def _swapped(compute: Callable[[object, object], object]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compute(b, a)


def _in_place(compute: Callable[[object, object], object], sign: str) -> Callable[..., object]:
    def method(self: object, other: object) -> Any:
        if isinstance(other, Tensor):
            return _left_to(other, self, sign)
        array = own(self)
        with writing(array), errors.heeded():
            compute(array, to_numpy(other))
        return self

    return method


def _unary(compute: Callable[[object], object]) -> Callable[[Any], Any]:
    return lambda self: to_snippet(compute(own(self)))


def _operators() -> dict[str, Any]:
    named = [*((name.rstrip("_"), getattr(operator, name)) for name in _OPERATORS), ("divmod", divmod)]
    names = {f"__{name}__": _binary(compute) for name, compute in named}
    names |= {f"__r{name}__": _binary(_swapped(compute), reflected=True) for name, compute in named}
    names |= {f"__{name}__": _binary(getattr(operator, name)) for name in _COMPARISONS}
    return names | {f"__{name}__": _unary(getattr(operator, name)) for name in _UNARY}


def _shared() -> dict[str, Any]:
    """Return what arrays and scalars have in common."""
    names: dict[str, object] = {name: _property(name) for name in (*_COMPUTED, "dtype")}
    names |= {name: _method(name) for name in _METHODS} | {name: _with_dtype(name) for name in _WITH_DTYPE}
    names |= {"flags": property(Flags), "flat": property(Flat), **_operators()}
    names["__getitem__"] = lambda self, key: to_snippet(own(self)[to_numpy(key)])
    names["__round__"] = lambda self, *digits: to_snippet(round(own(self), *map(to_numpy, digits)))
    return names | {"__repr__": lambda self: repr(own(self)), "__str__": lambda self: str(own(self))}


# --- arrays ---

_SHAPE: Any = vars(np.ndarray)["shape"]


class SafeArray(np.ndarray[Any, Any]):
    """`numpy.ndarray` for a snippet."""

    __slots__ = ()

    def __new__(cls, *args: object, **keywords: object) -> NoReturn:
        raise TypeError("numpy.ndarray() is not available in GradViz snippets; use numpy.array or numpy.zeros")

    def __array_finalize__(self, origin: object) -> None:
        # To ask an array of objects for its type is refused.
        if self.dtype.kind == "U":
            check_letters(self)

    def __setitem__(self, key: object, value: object) -> None:
        array, place = own(self), to_numpy(key)
        is_number = isinstance(value, Tensor) and _is_one_element(array, place)
        try:
            plain = _AS_NUMBER[array.dtype.kind](value) if is_number else to_numpy(value)
            if is_watched(array):
                with writing(part_of(array, place)):
                    array[place] = plain
            else:
                array[place] = plain
        except UnicodeEncodeError as error:
            raise told(error) from None

    def fill(self, value: object) -> None:
        """Fill the array with one number."""
        array = own(self)
        is_number = isinstance(value, Tensor) and array.dtype.kind in _AS_NUMBER
        try:
            with writing(array):
                array.fill(_AS_NUMBER[array.dtype.kind](value) if is_number else to_numpy(value))
        except UnicodeEncodeError as error:
            raise told(error) from None

    def _reshape(self, sizes: object) -> None:
        """Change the shape in place, as long as the number of elements stays the same."""
        _SHAPE.__set__(self, to_numpy(sizes))

    shape = property(lambda self: own(self).shape, _reshape)

    def resize(self, *sizes: Any, refcheck: object = True) -> None:
        """Change the shape if the number of elements stays the same; memory that others may share doesn't grow."""
        given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
        whole = tuple([operator.index(each) for each in given])
        if math.prod(whole) != own(self).size:
            raise ValueError(
                "an array keeps its number of elements in GradViz snippets; numpy.resize(a, shape) makes another one"
            )
        self.shape = whole

    def __iter__(self) -> Iterator[Any]:
        return map(to_snippet, iter(own(self)))

    def __contains__(self, value: object) -> bool:
        return to_numpy(value) in own(self)

    def __copy__(self) -> Any:
        return to_snippet(own(self).copy())

    def __deepcopy__(self, memo: object) -> Any:
        return to_snippet(own(self).copy())

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("cannot pickle 'numpy.ndarray' object")


# NumPy converts what is written to one element to a number, as float() does; a tensor that requires grad has one,
# though
# it has no array.
_AS_NUMBER: dict[str, Callable[[Any], object]] = {
    "b": lambda tensor: Tensor.__bool__(tensor),
    "i": lambda tensor: Tensor.__int__(tensor),
    "u": lambda tensor: Tensor.__int__(tensor),
    "f": lambda tensor: Tensor.__float__(tensor),
    "c": lambda tensor: Tensor.__complex__(tensor),
}


def _is_one_element(array: Any, place: object) -> bool:
    """Whether a NumPy index has an integer for each dimension."""
    parts = place if isinstance(place, tuple) else (place,)
    whole = [np.ndim(part) == 0 and np.asarray(part).dtype.kind in "iu" for part in parts if part is not ...]
    return array.dtype.kind in _AS_NUMBER and len(whole) == len(parts) == array.ndim and all(whole)


@keep_methods
class Flat:
    """`array.flat`."""

    __slots__ = ("_array", "_place")

    def __init__(self, array: object) -> None:
        self._array = own(array)
        self._place = 0

    def __len__(self) -> int:
        return int(self._array.size)

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> object:
        if self._place >= len(self):
            raise StopIteration
        self._place += 1
        return self[self._place - 1]

    def __getitem__(self, key: object) -> Any:
        return to_snippet(self._array.flat[to_numpy(key)])

    def __setitem__(self, key: object, value: object) -> None:
        try:
            with writing(self._array):
                self._array.flat[to_numpy(key)] = to_numpy(value)
        except UnicodeEncodeError as error:
            raise told(error) from None


@keep_methods
class Flags:
    """`array.flags`, read-only."""

    __slots__ = ("_text", "c_contiguous", "f_contiguous", "owndata", "writeable")

    def __init__(self, array: object) -> None:
        found = own(array).flags
        self._text = str(found)
        self.c_contiguous, self.f_contiguous = bool(found.c_contiguous), bool(found.f_contiguous)
        self.owndata, self.writeable = bool(found.owndata), bool(found.writeable)

    def __getitem__(self, key: str) -> bool:
        flags = {name.upper(): getattr(self, name) for name in self.__slots__[1:]}
        if key not in flags:
            raise KeyError("Unknown flag")
        return bool(flags[key])

    def __repr__(self) -> str:
        return self._text


# --- scalars ---


class Bool(np.ndarray[Any, Any]):
    """`numpy.bool` for a snippet: NumPy's class can't be derived from, so this is an array without dimensions."""

    __slots__ = ()

    def __new__(cls, value: object = False, /) -> Any:
        return to_snippet(np.bool_(to_numpy(value)))

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(bool(self))

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise TypeError("'numpy.bool' object does not support item assignment")

    def __iter__(self) -> NoReturn:
        raise TypeError("'numpy.bool' object is not iterable")

    def __contains__(self, value: object) -> NoReturn:
        raise TypeError("argument of type 'numpy.bool' is not iterable")

    def __len__(self) -> NoReturn:
        raise TypeError("object of type 'numpy.bool' has no len()")

    def __index__(self) -> NoReturn:
        raise TypeError("'numpy.bool' object cannot be interpreted as an integer")

    def __copy__(self) -> Bool:
        return self

    def __deepcopy__(self, memo: object) -> Bool:
        return self

    def __reduce_ex__(self, protocol: object) -> tuple[type[Bool], tuple[bool]]:
        return Bool, (bool(self),)


_TRUTHS = {value: np.array(value).view(Bool) for value in (False, True)}


def _scalar_class(real: Any) -> type:
    """Return the stand-in for a class of scalars, derived from it."""

    def __new__(cls: object, *args: Any, **keywords: Any) -> Any:
        return call_numpy(real, args, keywords)

    def __reduce_ex__(self: Any, protocol: object) -> object:
        return made, (self.item(),)

    names = {**_shared(), "__new__": __new__, "__reduce_ex__": __reduce_ex__, "__hash__": real.__hash__}
    names |= {"__copy__": lambda self: self, "__deepcopy__": lambda self, memo: self}
    kept = frozenset(_OF_PYTHON)
    if issubclass(real, np.character):
        kept = frozenset((*dir(str), *dir(bytes)))
        del names["__mod__"], names["__rmod__"]  # "%s" % x
    made = type(real.__name__, (real,), {"__slots__": (), "__module__": "numpy", **names})
    _shut_others(made, kept | names.keys())
    return made


# --- making the classes ---

_view = np.ndarray.view

_TEXT: dict[type, Callable[[Any], Any]] = {  # NumPy's constructors would call the stand-in's `__str__`
    np.str_: lambda value: np.str_(str.__str__(value)),
    np.bytes_: lambda value: np.bytes_(bytes.__getitem__(value, slice(None))),
}


def _of_letters(leave: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def checked(text: object) -> object:
        check_letters(text)
        return leave(text)

    return checked


def _make_scalars() -> None:
    for code in DTYPE_CODES:
        real = np.dtype(code).type
        if real is not np.bool_ and real not in STAND_INS:
            made = STAND_INS[real] = _scalar_class(real)
            leave = functools.partial(real.__new__, made)
            offer(made, real, _of_letters(leave) if real is np.str_ else leave, _TEXT.get(real, real))
    for truth in _TRUTHS.values():
        truth.setflags(write=False)
    STAND_INS[np.bool_] = Bool
    offer(Bool, np.bool_, lambda value: _TRUTHS[bool(value)], lambda truth: _view(truth, np.ndarray)[()])


def _make_arrays() -> None:
    shared = _shared()
    for made in (SafeArray, Bool):
        for name in shared.keys() - vars(made).keys():
            setattr(made, name, shared[name])
    for name in _OF_ARRAYS:
        setattr(SafeArray, name, _method(name))
    for name in _OPERATORS:
        word = name.rstrip("_")
        setattr(SafeArray, f"__i{word}__", _in_place(getattr(operator, f"i{word}"), f"{_SIGNS[word].split()[0]}="))
        setattr(Bool, f"__i{word}__", shared[f"__{word}__"])
    _shut_others(SafeArray, shared.keys() | frozenset((*_OF_ARRAYS, "fill", "resize")))
    _shut_others(Bool, frozenset(shared))
    offer(SafeArray, np.ndarray, lambda array: _view(array, SafeArray), lambda array: _view(array, np.ndarray))

    called: dict[str, Any] = {"ndarray": SafeArray, "bool": Bool, "flatiter": Flat, "flagsobj": Flags}
    for name, made in called.items():
        made.__name__ = made.__qualname__ = name
        made.__module__ = "numpy"


_make_scalars()
_make_arrays()


# --- dtypes and kinds of scalars ---

_KINDS = "generic number integer signedinteger unsignedinteger inexact floating complexfloating character flexible"


def _reader(held: str, name: str) -> property:
    return property(lambda self: to_snippet(getattr(getattr(self, held), name)))


_numeric_in_a_search = keeping(numeric)


class DType:
    """`numpy.dtype` for a snippet."""

    __slots__ = ("_dtype",)

    def __init__(self, dtype: object) -> None:
        self._dtype = numeric(dtype)

    def __eq__(self, other: object) -> bool:
        try:
            return bool(self._dtype == _numeric_in_a_search(other))
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self._dtype)

    def __repr__(self) -> str:
        return repr(self._dtype)

    def __str__(self) -> str:
        return str(self._dtype)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: object) -> DType:
        return self


class Finfo:
    """What `np.finfo` returns; `Iinfo` is the same for integers."""

    __slots__ = ("_of",)
    _real: Any = np.finfo

    def __init__(self, dtype: object) -> None:
        self._of = self._real(numeric(dtype))

    def __repr__(self) -> str:
        return repr(self._of)

    def __str__(self) -> str:
        return str(self._of)


class Iinfo(Finfo):
    """What `np.iinfo` returns."""

    __slots__ = ()
    _real = np.iinfo


class _Kind(type):
    """A class of NumPy's without objects of its own, such as `np.floating`, for isinstance and issubclass."""

    def __instancecheck__(cls, value: object) -> bool:
        return cls.__subclasscheck__(type(value))

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(REAL.get(kind, kind), REAL[cls])

    def __repr__(cls) -> str:
        return f"<class 'numpy.{cls.__name__}'>"

    def __call__(cls, *args: object) -> NoReturn:
        raise TypeError(f"cannot create 'numpy.{cls.__name__}' instances")


def _offer_all() -> None:
    for name in "alignment byteorder char isnative itemsize kind name names ndim num shape str type".split():
        setattr(DType, name, _reader("_dtype", name))
    for name in "bits dtype eps epsneg max min precision resolution smallest_normal smallest_subnormal tiny".split():
        setattr(Finfo, name, _reader("_of", name))
    for made, name in ((DType, "dtype"), (Finfo, "finfo"), (Iinfo, "iinfo")):
        made.__name__ = made.__qualname__ = name
        made.__module__ = "numpy"
    for name in _KINDS.split():
        real = getattr(np, name)
        kind = STAND_INS[real] = _Kind(name, (), {"__slots__": (), "__module__": "numpy"})
        REAL[kind] = real
    offer(DType, np.dtype, DType, operator.attrgetter("_dtype"))


_offer_all()
