"""`traceback` and `numbers` for a snippet: the text of its errors, and the kinds of numbers to ask with isinstance.

Tracebacks are text of the snippet's own lines; there are no frames to walk. The kinds of numbers
can't be added to. Next: `errors`, which writes the text.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Callable
from typing import Any

from gradviz.worker.errors import ErrorText, describe
from gradviz.worker.guard import Guard
from gradviz.worker.stand_in import stand_in

Writer = Callable[[str, str], None]


def error_modules(guard: Guard, write: Writer) -> dict[str, Any]:
    """The stand-ins, by module name."""
    kinds = {name: _kind(name) for name in ("Number", "Complex", "Real", "Rational", "Integral")}
    return {
        "traceback": stand_in("traceback", _traceback_names(guard, write)),
        "numbers": stand_in("numbers", kinds),
    }


def _traceback_names(guard: Guard, write: Writer) -> dict[str, Any]:
    def told(error: object) -> ErrorText:
        if not isinstance(error, BaseException):
            raise TypeError("give the exception itself: except ValueError as e: traceback.print_exception(e)")
        return describe(error, str(guard.globals.get("__file__")))

    def send(text: str, file: Any) -> None:
        write("err", text) if file is None else file.write(text)

    def format_exc(limit: Any = None, chain: bool = True) -> str:
        error = sys.exception()
        return "NoneType: None\n" if error is None else told(error).traceback

    def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
        send(format_exc(), file)

    def format_exception(exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None) -> list[str]:
        return told(exc if value is None else value).traceback.splitlines(keepends=True)

    def print_exception(exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, file: Any = None) -> None:
        send("".join(format_exception(exc, value)), file)

    def format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
        return [told(exc if value is None else value).last_line + "\n"]

    chosen = [format_exc, print_exc, format_exception, print_exception, format_exception_only]
    return {function.__name__: function for function in chosen}


class _Kind(type):
    """Asks the class of the same name in `numbers`, whose list of members nobody can change here."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, getattr(numbers, cls.__name__))

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, getattr(numbers, cls.__name__))

    def __repr__(cls) -> str:
        return f"<class 'numbers.{cls.__name__}'>"


def _kind(name: str) -> type:
    return _Kind(name, (), {"__slots__": (), "__module__": "numbers"})
