"""What a snippet gets in place of NumPy's dtypes, of `np.finfo` and `np.iinfo`, and of the classes of NumPy's scalars
that have no objects of their own. Next: `arrays`, the functions of `import numpy`."""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import numpy as np

from gradviz.worker.numpy_boundary import REAL, STAND_INS, numeric, offer, to_snippet

_KINDS = "generic number integer signedinteger unsignedinteger inexact floating complexfloating character flexible"


def _reader(held: str, name: str) -> property:
    return property(lambda self: to_snippet(getattr(getattr(self, held), name)))


class DType:
    """What a snippet knows as `numpy.dtype`."""

    __slots__ = ("_dtype",)

    def __init__(self, dtype: Any) -> None:
        self._dtype = numeric(dtype)

    def __eq__(self, other: object) -> bool:
        try:
            return bool(self._dtype == numeric(other))
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
    """What `np.finfo` gives; `Iinfo` is the same for whole numbers."""

    __slots__ = ("_of",)
    _real: Any = np.finfo

    def __init__(self, dtype: Any) -> None:
        self._of = self._real(numeric(dtype))

    def __repr__(self) -> str:
        return repr(self._of)

    def __str__(self) -> str:
        return str(self._of)


class Iinfo(Finfo):
    """What `np.iinfo` gives."""

    __slots__ = ()
    _real = np.iinfo


class _Kind(type):
    """A class of NumPy's that has no objects of its own, like `np.floating`, to ask with isinstance and issubclass."""

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
