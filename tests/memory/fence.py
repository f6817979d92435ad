"""Memory of arrays between pages that nobody may touch: NumPy asks this allocator for every array, so that a read or a
write beside one ends the process at once, and faulthandler says where. New memory is filled with a byte that the caller
chooses. Nothing is given back, because NumPy frees arrays while an exception is on its way, when no Python code may
run: so it is for a process that ends soon. POSIX only."""

from __future__ import annotations

import ctypes
import mmap
import sys
from ctypes import c_size_t, c_void_p
from typing import Any

import numpy as np

_SET_HANDLER = 304  # the place of PyDataMem_SetHandler in NumPy's table of C functions
_MOST_FILLED = 1 << 20
_MOST = 25_000  # arrays: Linux lets a process have some 65,000 pieces of memory
_PAGE = mmap.PAGESIZE
_MALLOC = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_size_t)
_CALLOC = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)
_REALLOC = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)
_FREE = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class _Allocator(ctypes.Structure):
    _fields_ = [("ctx", c_void_p), ("malloc", _MALLOC), ("calloc", _CALLOC), ("realloc", _REALLOC), ("free", _FREE)]


class _Handler(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("allocator", _Allocator)]


class Fence:
    """The allocator, from `install` on. `fill` is what new memory holds; arrays end at the page behind them, or begin
    at the page before them. It gives no more than `room` bytes."""

    def __init__(self) -> None:
        self.fill = 0
        self.at_end = True
        self.room = 150 << 20
        self._count = 0
        self._sizes: dict[int, int] = {}
        self._libc: Any = None
        self._handler: Any = None

    def install(self) -> bool:
        """Whether this system has what it takes."""
        if sys.platform == "win32":
            return False
        libc = self._libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = c_void_p
        libc.mmap.argtypes = [c_void_p, c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        libc.mprotect.argtypes = [c_void_p, c_size_t, ctypes.c_int]
        functions = (
            _MALLOC(lambda _, size: self._new(size)),
            _CALLOC(lambda _, count, each: self._new(count * each, cleared=True)),
            _REALLOC(lambda _, at, size: self._moved(at, size)),
            ctypes.cast(libc.abs, _FREE),  # a function that does nothing
        )
        self._handler = _Handler(b"fence", 1, _Allocator(None, *functions))
        python = ctypes.pythonapi
        python.PyCapsule_GetPointer.restype = c_void_p
        python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        python.PyCapsule_New.restype = ctypes.py_object
        python.PyCapsule_New.argtypes = [c_void_p, ctypes.c_char_p, c_void_p]
        core: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
        table = ctypes.cast(python.PyCapsule_GetPointer(core._ARRAY_API, None), ctypes.POINTER(c_void_p))
        set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])
        set_handler(python.PyCapsule_New(ctypes.addressof(self._handler), b"mem_handler", None))
        return True

    def _new(self, size: int, *, cleared: bool = False) -> int | None:
        self._count += 1
        if size > self.room or self._count > _MOST:
            return None
        self.room -= size
        length = -(-max(size, 1) // _PAGE) * _PAGE
        start = self._libc.mmap(None, length + _PAGE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if start == c_void_p(-1).value:
            return None
        found: int = start if self.at_end else start + _PAGE
        if self._libc.mprotect(found, length, mmap.PROT_READ | mmap.PROT_WRITE):
            return None
        found += length - size if self.at_end else 0
        if not cleared:
            ctypes.memset(found, self.fill, min(size, _MOST_FILLED))
        self._sizes[found] = size
        return found

    def _moved(self, at: int | None, size: int) -> int | None:
        made = self._new(size)
        if at and made:
            ctypes.memmove(made, at, min(size, self._sizes[at]))
        return made
