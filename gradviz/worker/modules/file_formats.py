"""File formats in the folder of a run: `pickle`, `csv`, and NumPy's functions that read and write.

A pickle is a program for a small machine, two of whose instructions find something by its name and call it. The machine
here lacks them, and all others that plain data does not need (numbers, texts, bytes, and lists, tuples, dictionaries
and sets of these), so that bytes from anywhere can be read: they can only make a new object of one of these types. For
other objects `pickle` here writes a marker of an object that this run has stored, and reads back a copy of it. NumPy's
own code only gets bytes and lines, never a file name, which it would open, and no objects. Next: `scratch`."""

from __future__ import annotations

import csv
import gzip
import io
import operator
import pickle
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.archives import archive_modules, inflated
from gradviz.worker.modules.saved_files import ByteBuffer
from gradviz.worker.modules.scratch import MARK, MARK_BYTES, SCRATCH, Content, ScratchFile, encoding_of, plain_bytes
from gradviz.worker.modules.scratch_paths import Path, open_, plain_path
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import numeric, to_numpy, to_snippet

_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})

_NUMBERS = {ord("K"): "<B", ord("M"): "<H", ord("J"): "<i", ord("G"): ">d"}
_CONSTANTS = {ord("N"): None, 0x88: True, 0x89: False}
_EMPTY: dict[int, Callable[[], object]] = {ord("}"): dict, ord("]"): list, ord(")"): tuple, 0x8F: set}
_LENGTHS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_TEXTS = {0x8C: 1, ord("X"): 4, 0x8D: 8}
_BYTES = {ord("C"): 1, ord("B"): 4, 0x8E: 8}
_LONGS = {0x8A: 1, 0x8B: 4}
_TUPLES = {0x85: 1, 0x86: 2, 0x87: 3}
_PUTS = {ord("q"): 1, ord("r"): 4}
_GETS = {ord("h"): 1, ord("j"): 4}
_SKIPPED = {0x80: 1, 0x95: 8}  # the version, and how long a part is
_STOP, _MARK, _MEMOIZE = ord("."), ord("("), 0x94
_GLOBAL, _STACK_GLOBAL = ord("c"), 0x93


def is_plain(thing: object) -> bool:
    """Whether an object is plain data all through; it may contain itself."""
    seen: set[int] = set()
    waiting = [thing]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind in _PLAIN or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, dict) and kind is dict:
            waiting += [*each, *each.values()]
        elif isinstance(each, list | tuple | set | frozenset) and kind in (list, tuple, set, frozenset):
            waiting += each
        else:
            return False
    return True


def read(data: bytes) -> tuple[Any, int]:
    """Return what a pickle at the start of the bytes holds, and its length; raises pickle.UnpicklingError."""
    machine = _Machine(data)
    try:
        return machine.run(), machine.at
    except (IndexError, KeyError, struct.error):
        raise pickle.UnpicklingError("pickle data was truncated") from None
    except (TypeError, ValueError):
        raise pickle.UnpicklingError("invalid load key: this is no pickle of plain data") from None


class _Machine:
    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._data = data
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}

    def run(self) -> object:
        """Follow the instructions to the end."""
        while True:
            code = self._taken(1)[0]
            if code == _STOP:
                return self._stack.pop()
            if code == _MARK:
                self._marks.append(len(self._stack))
            elif code in _SKIPPED:
                self._taken(_SKIPPED[code])
            elif code == _MEMOIZE:
                self._memo[len(self._memo)] = self._stack[-1]
            elif code in _PUTS:
                self._memo[self._length(_PUTS[code])] = self._stack[-1]
            elif code in _FILLS:
                _FILLS[code](self)
            else:
                self._stack.append(self._made(code))

    def _taken(self, size: int) -> bytes:
        part = self._data[self.at : self.at + size]
        if len(part) < size:
            raise IndexError
        self.at += size
        return part

    def _length(self, size: int) -> int:
        return int(struct.unpack(_LENGTHS[size], self._taken(size))[0])

    def _made(self, code: int) -> object:
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code in _NUMBERS:
            form = _NUMBERS[code]
            return struct.unpack(form, self._taken(struct.calcsize(form)))[0]
        if code in _TEXTS:
            return self._taken(self._length(_TEXTS[code])).decode("utf-8", "surrogatepass")
        if code in _BYTES:
            return self._taken(self._length(_BYTES[code]))
        if code in _LONGS:
            return int.from_bytes(self._taken(self._length(_LONGS[code])), "little", signed=True)
        if code in _EMPTY:
            return _EMPTY[code]()
        if code in _GETS:
            return self._memo[self._length(_GETS[code])]
        if code in _TUPLES:
            return tuple(self._last(_TUPLES[code]))
        if code == ord("t"):
            return tuple(self._since_mark())
        if code == 0x91:
            return frozenset(map(_key, self._since_mark()))
        raise pickle.UnpicklingError(self._refusal(code))

    def _last(self, count: int) -> list[object]:
        if len(self._stack) < count:
            raise IndexError
        found = self._stack[-count:]
        del self._stack[-count:]
        return found

    def _since_mark(self) -> list[object]:
        start = self._marks.pop()
        found = self._stack[start:]
        del self._stack[start:]
        return found

    def _set_items(self, pairs: list[object]) -> None:
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            dict.__setitem__(self._stack[-1], _key(key), value)

    def _append(self, items: list[Any]) -> None:
        list.extend(self._stack[-1], items)

    def _add(self, items: list[Any]) -> None:
        set.update(self._stack[-1], map(_key, items))

    def _refusal(self, code: int) -> str:
        name = ""
        if code == _GLOBAL:
            name = ".".join(self._data[self.at :].decode("latin-1").split("\n")[:2])
        elif code == _STACK_GLOBAL and len(self._stack) > 1:
            name = ".".join(str(each) for each in self._stack[-2:])
        what = f"an object of {name[:80]}" if name.isprintable() and name else "more than that"
        return (
            f"pickle in GradViz snippets reads numbers, texts and containers of them, and this holds {what}; what the "
            "run itself has put away can be loaded, too"
        )


_FILLS: dict[int, Callable[[_Machine], None]] = {
    ord("u"): lambda machine: machine._set_items(machine._since_mark()),
    ord("s"): lambda machine: machine._set_items(machine._last(2)),
    ord("e"): lambda machine: machine._append(machine._since_mark()),
    ord("a"): lambda machine: machine._append(machine._last(1)),
    0x90: lambda machine: machine._add(machine._since_mark()),
}


def _key(value: object) -> object:
    """Return a key of a dictionary or a member of a set; TypeError for one whose hash goes deep."""
    parts = value if type(value) is tuple else (value,)
    if not all(type(each) in _PLAIN for each in parts):
        raise TypeError("a key is a number, a text, or a tuple of these")
    return value


# --- The files of a run ---


class Writable(Protocol):
    """A file that is open for writing."""

    def write(self, text: Any, /) -> object: ...


# --- pickle ---

_PROTOCOLS = {"HIGHEST_PROTOCOL": 5, "DEFAULT_PROTOCOL": 4}


def _dump(obj: object, file: Writable, protocol: object = None, **rest: object) -> None:
    content = file._content if isinstance(file, ScratchFile) else None
    file.write(_written(obj, content))


def _written(obj: object, content: Content | None = None) -> bytes:
    if is_plain(obj):
        return pickle.dumps(obj, _PROTOCOLS["DEFAULT_PROTOCOL"])
    return SCRATCH.put_away(obj, content)


def _load(file: Any, **rest: object) -> object:
    start = plain_bytes(file.read(MARK_BYTES))
    if not start or start.startswith(MARK):
        return _loads(start)
    data = start + plain_bytes(file.read())
    found, used = read(data)
    if used < len(data):  # another object may follow
        file.seek(used - len(data), 1)
    return found


def _dumps(obj: object, protocol: object = None, **rest: object) -> bytes:
    return _written(obj)


def _loads(data: object, **rest: object) -> object:
    given = plain_bytes(data)
    if not given:
        raise EOFError("Ran out of input")
    if not given.startswith(MARK):
        return read(given)[0]
    try:
        return SCRATCH.brought_back(given)
    except ValueError as error:
        raise pickle.UnpicklingError(str(error)) from None


# --- csv ---


def _options(
    delimiter: object = ",", quotechar: object = '"', skipinitialspace: object = False, **look: Any
) -> dict[str, Any]:
    chosen: dict[str, object] = {"delimiter": str.__str__(delimiter), "quotechar": str.__str__(quotechar)}
    quoting, end = look.pop("quoting", csv.QUOTE_MINIMAL), look.pop("lineterminator", "\r\n")
    chosen |= {"quoting": operator.index(quoting), "lineterminator": str.__str__(end)}
    return {**chosen, "skipinitialspace": bool(skipinitialspace)}


def _reader(csvfile: Iterable[object], dialect: object = "excel", **look: object) -> Iterator[list[object]]:
    return _rows(csvfile, "\t" if dialect == "excel-tab" else None, look)


def _rows(csvfile: Iterable[object], delimiter: str | None, look: dict[str, object]) -> Iterator[list[object]]:
    options = _options(**({"delimiter": delimiter} if delimiter else {}), **look)
    yield from csv.reader((str.__str__(line) for line in csvfile), **options)


class _Writer:
    """`csv.writer`."""

    __slots__ = ("_file", "_options")

    def __init__(self, csvfile: Writable, dialect: object = "excel", **look: object) -> None:
        self._file = csvfile
        self._options = _options(**look)

    def writerow(self, row: Iterable[object]) -> object:
        """Write one row."""
        held = io.StringIO()
        csv.writer(held, **self._options).writerow([_cell(each) for each in row])
        return self._file.write(held.getvalue())

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        """Write several rows."""
        for each in rows:
            self.writerow(each)


def _cell(value: object) -> object:
    if value is None or type(value) in (int, float):
        return value
    return str.__str__(str(value))


class _DictReader:
    """`csv.DictReader`."""

    __slots__ = ("_names", "_rows")

    def __init__(
        self, f: Iterable[object], fieldnames: Iterable[object] | None = None, *rest: object, **look: object
    ) -> None:
        self._rows = _reader(f, **look)
        self._names = None if fieldnames is None else list(fieldnames)

    @property
    def fieldnames(self) -> list[object] | None:
        """The names of the columns."""
        if self._names is None:
            self._names = next(self._rows, None)
        return self._names

    def __iter__(self) -> Iterator[dict[object, object]]:
        return self

    def __next__(self) -> dict[object, object]:
        names = self.fieldnames or []
        row: list[object] = []
        while not row:
            row = next(self._rows)
        return dict(zip(names, [*row, *[None] * (len(names) - len(row))], strict=False))


class _DictWriter:
    """`csv.DictWriter`."""

    __slots__ = ("_names", "_writer")

    def __init__(self, f: Writable, fieldnames: Iterable[object], *rest: object, **look: object) -> None:
        self._names = list(fieldnames)
        self._writer = _Writer(f, **look)

    def writeheader(self) -> object:
        """Write a row with the names of the columns."""
        return self._writer.writerow(self._names)

    def writerow(self, rowdict: Mapping[object, object]) -> object:
        """Write one row."""
        return self._writer.writerow([rowdict.get(name, "") for name in self._names])

    def writerows(self, rowdicts: Iterable[Mapping[object, object]]) -> None:
        """Write several rows."""
        for each in rowdicts:
            self.writerow(each)


# --- gzip ---


def _gzip_open(
    filename: object, mode: object = "rb", compresslevel: object = 9, encoding: object = None, **rest: object
) -> Any:
    plain_mode = str.__str__(mode)
    if plain_mode not in ("r", "rb", "rt"):
        raise PermissionError("gzip files can be read in GradViz snippets, not written; use open()")
    data = inflated(bytes(SCRATCH.file(plain_path(filename)).data))
    if plain_mode != "rt":
        return ByteBuffer(data)
    return io.StringIO(data.decode("utf-8" if encoding is None else encoding_of(encoding)))


def format_modules() -> dict[str, object]:
    """Return the stand-ins by module name."""
    pickles = {"dump": _dump, "load": _load, "dumps": _dumps, "loads": _loads}
    errors = {"PickleError": pickle.PickleError, "UnpicklingError": pickle.UnpicklingError}
    tables = {"reader": _reader, "writer": _Writer, "DictReader": _DictReader, "DictWriter": _DictWriter}
    quoting = {name: getattr(csv, name) for name in ("QUOTE_ALL", "QUOTE_MINIMAL", "QUOTE_NONE", "QUOTE_NONNUMERIC")}
    return {
        **archive_modules(),
        "gzip": stand_in("gzip", {"open": _gzip_open, "GzipFile": _gzip_open, "BadGzipFile": gzip.BadGzipFile}),
        "pickle": stand_in("pickle", {**pickles, **errors, **_PROTOCOLS}),
        "csv": stand_in("csv", {**tables, **quoting, "Error": csv.Error}),
    }


# --- NumPy ---


def _saved(file: object, ending: str) -> Any:
    """Return a file to write to: an open one, or one by name, to which the suffix is added."""
    if not isinstance(file, str | Path):
        return file
    name = plain_path(file)
    return open_(name if name.endswith(ending) else name + ending, "wb")


def _save(file: object, arr: object, *rest: object) -> None:
    array = np.asarray(to_numpy(arr))
    numeric(array.dtype)
    held = io.BytesIO()
    np.lib.format.write_array(held, array, allow_pickle=False)
    target = _saved(file, ".npy")
    target.write(held.getvalue())
    target.flush() if isinstance(target, ScratchFile) else None


def _savez(file: object, *args: object, **kwds: object) -> None:
    named = {**{f"arr_{at}": each for at, each in enumerate(args)}, **kwds}
    arrays = {name: to_snippet(np.array(to_numpy(each))) for name, each in named.items()}
    target = _saved(file, ".npz")
    target.write(SCRATCH.put_away(arrays, target._content if isinstance(target, ScratchFile) else None))
    target.flush() if isinstance(target, ScratchFile) else None


@keep_methods
class _Arrays:
    """What `np.load` returns for several arrays."""

    __slots__ = ("_held",)

    def __init__(self, held: dict[str, object]) -> None:
        self._held = dict(held)

    @property
    def files(self) -> list[str]:
        """The names of the arrays."""
        return list(self._held)

    def keys(self) -> list[str]:
        """Return the names of the arrays."""
        return list(self._held)

    def items(self) -> list[tuple[str, object]]:
        """Return names and arrays."""
        return list(self._held.items())

    def close(self) -> None:
        """Do nothing: no file is open."""

    def __getitem__(self, name: object) -> Any:
        if name not in self._held:
            raise KeyError(f"{name} is not a file in the archive")
        return self._held[name]

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._held))

    def __len__(self) -> int:
        return len(self._held)

    def __enter__(self) -> _Arrays:
        return self

    def __exit__(self, *error: object) -> None:
        pass


_Arrays.__name__ = _Arrays.__qualname__ = "NpzFile"
_Arrays.__module__ = "numpy"


def _load_arrays(file: Any, mmap_mode: object = None, allow_pickle: object = False, **rest: object) -> Any:
    data = bytes(SCRATCH.file(plain_path(file)).data) if isinstance(file, str | Path) else plain_bytes(file.read())
    if len(data) == MARK_BYTES and not data.startswith(b"\x93NUMPY"):
        found = SCRATCH.brought_back(data)
        return _Arrays(found) if type(found) is dict else found
    if not data.startswith(b"\x93NUMPY"):
        raise ValueError("np.load reads what np.save and np.savez of this run have written in GradViz snippets")
    return to_snippet(np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))


def _lines(given: Any) -> list[str]:
    """Return the lines of a file given by name, which may be packed by gzip, of one that is open, or of a list."""
    if isinstance(given, str | Path):
        with _gzip_open(given, "rt") if plain_path(given).endswith(".gz") else open_(given) as file:
            return [str.__str__(line) for line in file]
    return [str.__str__(line) if isinstance(line, str) else plain_bytes(line).decode("latin-1") for line in given]


_READING = frozenset(
    """dtype comments delimiter skiprows usecols unpack ndmin max_rows skip_header skip_footer filling_values
    missing_values invalid_raise""".split()
)


def _reading(function: Callable[..., object]) -> Callable[..., object]:
    def call(fname: object, *rest: object, **options: object) -> Any:
        if len(rest) > 1 or not options.keys() <= _READING | {"encoding"}:
            unknown = sorted(options.keys() - _READING) or ["a third argument"]
            raise TypeError(f"{call.__name__}() in GradViz snippets takes no {unknown[0]}")
        plain: dict[str, object] = {key: to_numpy(each) for key, each in options.items() if key in _READING}
        if rest:
            plain["dtype"] = to_numpy(rest[0])
        if plain.get("dtype") is not None:
            plain["dtype"] = numeric(plain["dtype"])
        return to_snippet(function(_lines(fname), **plain))

    call.__name__ = call.__qualname__ = function.__name__
    return call


def _savetxt(
    fname: Any, X: object, fmt: object = "%.18e", delimiter: object = " ", newline: object = "\n", header: object = "",
    footer: object = "", comments: object = "# ", encoding: object = None,
) -> None:  # fmt: skip
    forms = [str.__str__(each) for each in fmt] if isinstance(fmt, list | tuple) else str.__str__(fmt)
    held = io.StringIO()
    words = [str.__str__(each) for each in (delimiter, newline, header, footer, comments)]
    np.savetxt(held, np.asarray(to_numpy(X)), forms, *words)
    if isinstance(fname, str | Path):
        with open_(fname, "w") as file:
            file.write(held.getvalue())
    else:
        fname.write(held.getvalue())


def _frombuffer(buffer: object, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
    data = plain_bytes(buffer)
    return to_snippet(np.frombuffer(data, numeric(dtype), operator.index(count), operator.index(offset)).copy())


def _fromfile(file: Any, dtype: object = float, count: object = -1, sep: object = "", offset: object = 0) -> Any:
    if sep:
        raise ValueError("np.fromfile reads bytes in GradViz snippets; np.loadtxt reads text")
    data = SCRATCH.file(plain_path(file)).data if isinstance(file, str | Path) else file.read()
    return _frombuffer(data, dtype, count, offset)


def _memmap(
    filename: object, dtype: object = "u1", mode: object = "r+", offset: object = 0, shape: object = None
) -> Any:
    """Return a file as an array: a copy, whose changes do not reach the file."""
    if mode not in ("r", "c"):
        raise ValueError("np.memmap is for reading, mode='r' or 'c', in GradViz snippets")
    found = _fromfile(filename, dtype, -1, "", offset)
    return found if shape is None else found.reshape(shape)


def array_files() -> dict[str, object]:
    """Return NumPy's file functions by name."""
    names = {"save": _save, "savez": _savez, "savez_compressed": _savez, "load": _load_arrays, "savetxt": _savetxt}
    reading = {name: _reading(getattr(np, name)) for name in ("loadtxt", "genfromtxt")}
    return {**names, **reading, "frombuffer": _frombuffer, "fromfile": _fromfile, "memmap": _memmap}


def warm_formats() -> None:
    """Import what NumPy would import when these are first used."""
    held = io.BytesIO()
    np.lib.format.write_array(held, np.eye(2), allow_pickle=False)
    np.lib.format.read_array(io.BytesIO(held.getvalue()), allow_pickle=False)
    np.loadtxt(["1 2", "3 4"])
    np.genfromtxt(["1,2", "3,4"], delimiter=",")
    np.savetxt(io.StringIO(), np.eye(2))
