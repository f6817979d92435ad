"""Small modules that tutorials use: json, pprint, traceback, timeit, hashlib, uuid, gc, types and tqdm.

Functions take plain options only, and only `timeit` evaluates text, as `exec` does. Tracebacks are text of the
snippet's own lines, which `errors` writes; there are no frames to walk. With tqdm, a loop runs unchanged, and no bar is
drawn. Next: `log_messages` for logging, `standard_modules`, which offers these."""

from __future__ import annotations

import hashlib
import json
import numbers
import pprint
import random
import sys
import textwrap
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradviz.worker.language.errors import ErrorText, describe
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.run_texts import timeit_module
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.scratch import plain_bytes
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.policy_names import MEMORY, is_dunder

Writer = Callable[[str, str], None]


def text_modules(guard: Guard, write: Writer) -> dict[str, object]:
    """Return the stand-ins by module name."""
    guard.plain_bases += (Space,)
    space = guard.adopt(type("namespace", (Space,), {"__module__": "types"}))
    wrapping = {
        name: of_plain_text(getattr(textwrap, name)) for name in ("dedent", "indent", "fill", "wrap", "shorten")
    }
    return {
        "json": stand_in("json", _JSON),
        "pprint": stand_in("pprint", _pprint_names(write)),
        "textwrap": stand_in("textwrap", wrapping),
        "timeit": timeit_module(guard),
        "gc": stand_in("gc", {"collect": _collect, "enable": _nothing, "disable": _nothing, "isenabled": _yes}),
        "types": stand_in("types", {"SimpleNamespace": space}),
        "hashlib": stand_in("hashlib", {name: _digest(name) for name in _DIGESTS}),
        "uuid": stand_in("uuid", _uuid_names()),
        "tracemalloc": stand_in("tracemalloc", dict.fromkeys(_TRACING.split(), _nothing) | _TRACED),
    }


def of_plain_text(real: Callable[..., object]) -> Callable[..., object]:
    """Return a function of a text that gets no object of a class of the snippet, to which it would pass tables that all
    share."""

    def call(text: object, *rest: object, **options: object) -> object:
        if not isinstance(text, str | bytes):
            raise TypeError(f"expected string or bytes-like object, got '{type(text).__name__}'")
        return real(str.__str__(text) if isinstance(text, str) else bytes(text), *rest, **options)

    call.__name__ = call.__qualname__ = real.__name__
    return call


class Space(types.SimpleNamespace):
    """`types.SimpleNamespace` without names that Python or NumPy would look up on an object."""

    def __init__(self, **values: object) -> None:
        for name in values:
            if type(name) is not str or is_dunder(name) or name == MEMORY:
                raise AttributeError(f"the attribute '{name}' is not available in GradViz snippets")
        super().__init__(**values)


class _Encoder(json.JSONEncoder):
    """Python's own encoder in Python: in C code, a table is freed when its `items` has removed it from its list."""

    def iterencode(self, o: object, _one_shot: bool = False) -> Iterator[str]:
        return super().iterencode(o)


def _dumps(
    obj: object,
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    allow_nan: bool = True,
    indent: object = None,
    separators: Any = None,
    default: Callable[[object], object] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        obj,
        cls=_Encoder,
        skipkeys=bool(skipkeys),
        ensure_ascii=bool(ensure_ascii),
        allow_nan=bool(allow_nan),
        indent=indent if indent is None or type(indent) is int else str.__str__(indent),
        separators=None if separators is None else (str.__str__(separators[0]), str.__str__(separators[1])),
        default=default,
        sort_keys=bool(sort_keys),
    )


def loads(s: str | bytes) -> object:
    """Parse a JSON text."""
    if not isinstance(s, str | bytes | bytearray):
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {type(s).__name__}")
    return json.loads(str.__str__(s) if isinstance(s, str) else bytes(s))


def _load(fp: Any, **look: object) -> object:
    return loads(fp.read())


def _dump(obj: object, fp: Any, **look: Any) -> None:
    fp.write(_dumps(obj, **look))


_JSON = {"dumps": _dumps, "loads": loads, "dump": _dump, "load": _load, "JSONDecodeError": json.JSONDecodeError}


def _pprint_names(write: Writer) -> dict[str, object]:
    known: dict[object, object] = pprint.PrettyPrinter._dispatch  # type: ignore[attr-defined]
    known[OrderedDict.__repr__] = pprint.PrettyPrinter._pprint_ordered_dict  # type: ignore[attr-defined]  # see ordered_tables

    def pformat(
        object: object,
        indent: int = 1,
        width: int = 80,
        depth: int | None = None,
        *,
        compact: bool = False,
        sort_dicts: bool = True,
    ) -> str:
        return pprint.pformat(object, indent, width, depth, compact=bool(compact), sort_dicts=bool(sort_dicts))

    def print_(object: object, stream: Any = None, *rest: int, **look: Any) -> None:
        text = pformat(object, *rest, **look) + "\n"
        if stream is None:
            write("out", text)
        else:
            stream.write(text)

    def sorted_as_made(object: object, *rest: int, **look: object) -> None:
        print_(object, None, *rest, **{"sort_dicts": False, **look})

    return {"pprint": print_, "pformat": pformat, "pp": sorted_as_made}


# --- hashlib, tracemalloc ---

_TRACING = "start stop clear_traces"
_TRACED: dict[str, object] = {"is_tracing": lambda: False, "get_traced_memory": lambda: (0, 0)}  # it says nothing here
_DIGESTS = {name: getattr(hashlib, name) for name in "md5 sha1 sha224 sha256 sha384 sha512".split()}


@keep_methods
class Digest:
    """What `hashlib` returns: the digest of the bytes so far."""

    __slots__ = ("_hash", "name")

    def __init__(self, name: str, data: object) -> None:
        self.name = name
        self._hash: Any = _DIGESTS[name](plain_bytes(data))

    def update(self, data: object) -> None:
        """Add bytes."""
        self._hash.update(plain_bytes(data))

    def digest(self) -> bytes:
        """Return the digest."""
        return bytes(self._hash.digest())

    def hexdigest(self) -> str:
        """Return the digest as hexadecimal text."""
        return str(self._hash.hexdigest())


def _digest(name: str) -> Callable[..., Digest]:
    def make(data: object = b"", **how: object) -> Digest:
        return Digest(name, data)

    make.__name__ = make.__qualname__ = name
    return make


# --- uuid ---


@keep_methods
class Uuid(str):
    """A random name, the same in each run."""

    __slots__ = ()

    hex = property(lambda self: self.replace("-", ""), doc="Its digits alone.")

    def __repr__(self) -> str:
        return f"UUID('{self}')"


def _uuid_names() -> dict[str, object]:
    source = random.Random(4)

    def uuid4() -> Uuid:
        digits = f"{source.getrandbits(128):032x}"
        return Uuid(f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}")

    return {"uuid4": uuid4}


# --- gc ---


def _collect(generation: int = 2) -> int:
    return 0


def _nothing() -> None:
    pass


def _yes() -> bool:
    return True


# --- traceback, and the kinds of numbers, which can't be extended ---


def error_modules(guard: Guard, write: Writer) -> dict[str, object]:
    """Return the stand-ins by module name."""
    kinds = {name: _kind(name) for name in ("Number", "Complex", "Real", "Rational", "Integral")}
    return {
        "traceback": stand_in("traceback", _traceback_names(guard, write)),
        "numbers": stand_in("numbers", kinds),
    }


def _traceback_names(guard: Guard, write: Writer) -> dict[str, object]:
    def told(error: object) -> ErrorText:
        if not isinstance(error, BaseException):
            raise TypeError("give the exception itself: except ValueError as e: traceback.print_exception(e)")
        return describe(error, str(guard.globals.get("__file__")))

    def send(text: str, file: Any) -> None:
        write("err", text) if file is None else file.write(text)

    def format_exc(limit: object = None, chain: bool = True) -> str:
        error = sys.exception()
        return "NoneType: None\n" if error is None else told(error).traceback

    def print_exc(limit: object = None, file: object = None, chain: bool = True) -> None:
        send(format_exc(), file)

    def format_exception(exc: object, /, value: object = None, tb: object = None, limit: object = None) -> list[str]:
        return told(exc if value is None else value).traceback.splitlines(keepends=True)

    def print_exception(
        exc: object, /, value: object = None, tb: object = None, limit: object = None, file: object = None
    ) -> None:
        send("".join(format_exception(exc, value)), file)

    def format_exception_only(exc: object, /, value: object = None) -> list[str]:
        return [told(exc if value is None else value).last_line + "\n"]

    chosen = [format_exc, print_exc, format_exception, print_exception, format_exception_only]
    return {function.__name__: function for function in chosen}


class _Kind(type):
    """Asks the class of the same name in `numbers`, whose list of members can't be changed here."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, getattr(numbers, cls.__name__))

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, getattr(numbers, cls.__name__))

    def __repr__(cls) -> str:
        return f"<class 'numbers.{cls.__name__}'>"


def _kind(name: str) -> type:
    return _Kind(name, (), {"__slots__": (), "__module__": "numbers"})


# --- tqdm ---


class Progress:
    """What `tqdm(...)` returns: the iterable itself, with the methods that loops call on a progress bar."""

    def __init__(
        self, iterable: Iterable[object] | None = None, desc: str | None = None, total: Any = None, **look: object
    ):
        self.iterable = iterable
        self.total = total
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable if self.iterable is not None else ())

    def __len__(self) -> int:
        return len(self.iterable) if self.iterable is not None else int(self.total or 0)  # type: ignore[arg-type]

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: int = 1) -> None:
        """Count, without drawing."""
        self.n += n

    def _ignore(self, *args: object, **keywords: object) -> None:
        pass

    set_description = set_description_str = set_postfix = set_postfix_str = refresh = close = reset = clear = _ignore


def progress_modules(write: Callable[[str, str], None]) -> dict[str, object]:
    """Return `tqdm` and the modules that also provide it."""

    class tqdm(Progress):
        __qualname__ = "tqdm"

        @staticmethod
        def write(s: object = "", file: object = None, end: str = "\n", nolock: bool = False) -> None:
            """Print a line."""
            write("out", str.__str__(str(s)) + str.__str__(end))

    names = {"tqdm": tqdm, "trange": lambda *args, **look: tqdm(range(*args), **look)}
    names |= {"tqdm_notebook": tqdm, "tnrange": names["trange"]}
    return {name: stand_in(name, names) for name in ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std")}
