"""The text of an exception as Python prints it, with the frames of the snippet only.

The message of an exception whose class the snippet wrote is code of the snippet: it is asked for while the audit gate
is closed and the parent's limits hold, and whatever it does instead of returning text becomes `<exception str()
failed>`.
"""

from __future__ import annotations

import itertools
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.worker.oslock import AuditGate

MESSAGE_CAP = 20_000
CHAIN_CAP = 20
FAILED = "<exception str() failed>"


@dataclass(frozen=True)
class ErrorText:
    """An exception in words: its class, its message, the line it came from, and the two texts that Python prints."""

    type_name: str
    message: str
    line: int
    traceback: str
    last_line: str


def describe(error: BaseException, filename: str, gate: AuditGate) -> ErrorText:
    """Call with the gate closed; it is open while Python's own parts are read."""
    messages = [(link, _guarded_message(link)) for link in _chain(error)]
    gate.open()
    message = messages[0][1]
    parts = [_one(link, text, filename) for link, text in messages]
    text = parts[0]
    for index, (link, _) in enumerate(messages[:-1]):
        cause = link.__cause__ is not None
        text = f"{parts[index + 1]}\n{_BECAUSE if cause else _MEANWHILE}\n\n{text}"
    return ErrorText(_class_name(error), message, _line(error, filename), text, _last_line(error, message))


_BECAUSE = "The above exception was the direct cause of the following exception:"
_MEANWHILE = "During handling of the above exception, another exception occurred:"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, then what caused it, and so on."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen and len(seen) < CHAIN_CAP:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _guarded_message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 whatever the snippet's __str__ raises, Python prints this
        return FAILED
    return str.__str__(text)[:MESSAGE_CAP].encode("utf-8", "backslashreplace").decode()


def _class_name(error: BaseException) -> str:
    cls = type(error)
    module = type.__getattribute__(cls, "__module__")
    name = cls.__qualname__
    if type(module) is not str or module in ("__main__", "builtins") or module.startswith("gradviz.engine"):
        return name
    return f"{module.removeprefix('gradviz.')}.{name}"


def _syntax_error(error: BaseException) -> SyntaxError | None:
    """A copy of Python's own SyntaxError that holds nothing but text and numbers; None for any other, such as one that
    the snippet raised with objects of its own in it."""
    if not isinstance(error, SyntaxError) or type(error).__module__ != "builtins":
        return None
    texts = (error.msg, error.filename, error.text)
    places = (error.lineno, error.offset, error.end_lineno, error.end_offset)
    if any(type(each) not in (str, type(None)) for each in texts):
        return None
    if any(each is not None and (type(each) is not int or abs(each) > 1_000_000) for each in places):
        return None
    line, column, end_line, end_column = places
    return type(error)(error.msg, (error.filename, line, column, error.text, end_line, end_column))


def _last_line(error: BaseException, message: str) -> str:
    known = _syntax_error(error)
    if known is not None:
        return traceback.format_exception_only(known)[-1].rstrip("\n")
    return f"{_class_name(error)}: {message}" if message else _class_name(error)


def _one(error: BaseException, message: str, filename: str) -> str:
    frames = _frames(error.__traceback__, filename)
    head = (
        "Traceback (most recent call last):\n" + "".join(traceback.StackSummary.from_list(frames).format())
        if frames
        else ""
    )
    known = _syntax_error(error)
    if known is not None:
        return head + "".join(traceback.format_exception_only(known))
    notes = getattr(error, "__notes__", ())
    added = [f"{note}\n" for note in notes if type(note) is str] if type(notes) in (list, tuple) else []
    return head + _last_line(error, message) + "\n" + "".join(added)


def _frames(trace: types.TracebackType | None, filename: str) -> list[traceback.FrameSummary]:
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == filename:
            found.append(_summary(trace, code))
        trace = trace.tb_next
    return found


def _summary(trace: types.TracebackType, code: types.CodeType) -> traceback.FrameSummary:
    place = next(itertools.islice(code.co_positions(), trace.tb_lasti // 2, None), (None, None, None, None))
    line, end_line, column, end_column = place
    return traceback.FrameSummary(
        code.co_filename, line or trace.tb_lineno, code.co_name, end_lineno=end_line, colno=column, end_colno=end_column
    )


def _line(error: BaseException, filename: str) -> int:
    known = _syntax_error(error)
    if known is not None and known.lineno:
        return known.lineno
    frames = _frames(error.__traceback__, filename)
    return (frames[-1].lineno or -1) if frames else -1
