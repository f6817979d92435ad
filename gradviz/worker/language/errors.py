"""The text of an exception as Python prints it, limited to the frames of the snippet and in length: what is too much is
left out, and the text says so.

The message of an exception whose class the snippet defines is code of the snippet: the audit hook and the parent's
limits apply as to the rest of it, and whatever it does instead of returning text becomes `<exception str() failed>`."""

from __future__ import annotations

import itertools
import linecache
import traceback
import types
from collections.abc import Container, Iterator
from dataclasses import dataclass

from gradviz.trace.record.location import Place, place_of

TRACEBACK_CAP = 100_000  # characters; one error with all the caps below stays under this
MESSAGE_CAP = 20_000  # for a message, and for the notes of an error together
FRAMES_CAP = 40_000
LINE_CAP = 2_000  # for a line of the snippet, or a name
NOTES_CAP = 100
CHAIN_CAP = 20
FAILED = "<exception str() failed>"


@dataclass(frozen=True)
class ErrorText:
    """An exception as text: its class, its message, the place it came from, and the two texts that Python prints."""

    type_name: str
    message: str
    place: Place
    traceback: str
    last_line: str

    @property
    def line(self) -> int:
        """The line of the snippet, -1 if it came from elsewhere."""
        return self.place[0] or -1


def describe(error: BaseException, filename: str, own: frozenset[str] = frozenset()) -> ErrorText:
    """Describe an exception in text; `own` are the files of the snippet's own modules."""
    messages = [(link, _guarded_message(link)) for link in _chain(error)]
    message = messages[0][1]
    shown = own | {filename}
    parts = [_one(error, message, shown)]  # the last one, then what came before it
    for (later, _), (link, text) in itertools.pairwise(messages):
        joint = _BECAUSE if later.__cause__ is not None else _MEANWHILE
        parts.append(f"{_one(link, text, shown)}\n{joint}\n\n")
    lengths = itertools.accumulate(map(len, parts), initial=len(_EARLIER))
    next(lengths)
    told = [part for part, length in zip(parts, lengths, strict=True) if length <= TRACEBACK_CAP][:CHAIN_CAP]
    whole = "".join(reversed(told if len(told) == len(parts) else [*told, _EARLIER]))
    return ErrorText(_class_name(error), message, _place(error, filename), whole, _last_line(error, message))


_BECAUSE = "The above exception was the direct cause of the following exception:"
_MEANWHILE = "During handling of the above exception, another exception occurred:"
_EARLIER = "[Earlier errors are left out]\n\n"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Return the exception, its cause, and so on; one more than is printed."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen and len(seen) <= CHAIN_CAP:
        seen.add(id(link))
        yield link
        cause, before = link.__cause__, None if link.__suppress_context__ else link.__context__
        link = before if cause is None else cause  # not `or`: a method of the snippet may decide its truth value


def _guarded_message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 whatever the snippet's __str__ raises, Python prints this
        return FAILED
    return _cut(str.__str__(text), MESSAGE_CAP)


def _cut(text: str, cap: int) -> str:
    """Return as much of it as fits, in characters that UTF-8 can encode."""
    kept = text[:cap].encode("utf-8", "backslashreplace").decode()[:cap]
    return kept if len(text) <= cap else f"{kept}… [{len(text) - cap:,} more characters]"


def _class_name(error: BaseException) -> str:
    cls = type(error)
    module = type.__getattribute__(cls, "__module__")
    name = cls.__qualname__[:LINE_CAP]
    if type(module) is not str or module in ("__main__", "builtins") or module.startswith("gradviz.engine"):
        return name
    return f"{module.removeprefix('gradviz.')}.{name}"


def _syntax_error(error: BaseException) -> SyntaxError | None:
    """Return a copy of Python's own SyntaxError that holds only text and numbers; None for any other, such as one that
    the snippet raised with its own objects in it."""
    if not isinstance(error, SyntaxError) or type(error).__module__ != "builtins":
        return None
    texts = (error.msg, error.filename, error.text)
    places = (error.lineno, error.offset, error.end_lineno, error.end_offset)
    if any(type(each) not in (str, type(None)) for each in texts):
        return None
    if any(each is not None and (type(each) is not int or abs(each) > 1_000_000) for each in places):
        return None
    line, column, end_line, end_column = places
    source = error.text if len(error.text or "") <= LINE_CAP else None
    name = error.filename and error.filename[:LINE_CAP]
    return type(error)(_cut(error.msg or "", MESSAGE_CAP), (name, line, column, source, end_line, end_column))


def _last_line(error: BaseException, message: str) -> str:
    known = _syntax_error(error)
    if known is not None:
        return traceback.format_exception_only(known)[-1].rstrip("\n")
    return f"{_class_name(error)}: {message}" if message else _class_name(error)


def _one(error: BaseException, message: str, shown: Container[str]) -> str:
    calls = calls_of(error.__traceback__, shown)
    head = f"Traceback (most recent call last):\n{_told(calls)}" if calls else ""
    known = _syntax_error(error)
    if known is not None:
        return head + "".join(traceback.format_exception_only(known)) + _notes(error)
    return f"{head}{_last_line(error, message)}\n{_notes(error)}"


def _notes(error: BaseException) -> str:
    notes = getattr(error, "__notes__", ())
    if type(notes) not in (list, tuple):
        return ""
    told: list[str] = []
    left, room = len(notes), MESSAGE_CAP
    for note in notes[:NOTES_CAP]:
        if room <= 0:
            break
        left -= 1
        if issubclass(type(note), str):
            text = _cut(str.__str__(note), room)
            told.append(f"{text}\n")
            room -= len(text)
    if left:
        told.append(f"[{left:,} more {'note is' if left == 1 else 'notes are'} left out]\n")
    return "".join(told)


Call = tuple[types.CodeType, int, int]  # the code, the instruction, the line


def calls_of(trace: types.TracebackType | None, files: Container[str]) -> list[Call]:
    """Return the calls of a traceback that are the snippet's own, in one of these files."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in files:
            found.append((code, trace.tb_lasti, trace.tb_lineno))
        trace = trace.tb_next
    return found


def _told(calls: list[Call]) -> str:
    """Yield the calls as Python prints them; if there are very many, the first and the last."""
    known = {call: _summary(*call) for call in set(calls)}
    entries = traceback.StackSummary.from_list([known[call] for call in calls]).format()
    if sum(map(len, entries)) <= FRAMES_CAP:
        return "".join(entries)
    first, last = _fitting(entries), _fitting(entries[::-1])
    left = len(entries) - len(first) - len(last)
    return "".join([*first, f"  [{left:,} more calls are left out]\n", *reversed(last)])


def _fitting(entries: list[str]) -> list[str]:
    lengths = itertools.accumulate(map(len, entries))
    return [entry for entry, length in zip(entries, lengths, strict=True) if length <= FRAMES_CAP // 2]


def _summary(code: types.CodeType, instruction: int, line_number: int) -> traceback.FrameSummary:
    place = next(itertools.islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    line, end_line, column, end_column = place
    line = line or line_number
    name = code.co_name[:LINE_CAP]
    lines = [linecache.getline(code.co_filename, each) for each in range(line, (end_line or line) + 1)]
    if any(len(each) > LINE_CAP for each in lines):
        return traceback.FrameSummary(code.co_filename, line, name, line=_cut(lines[0].strip(), LINE_CAP))
    return traceback.FrameSummary(code.co_filename, line, name, end_lineno=end_line, colno=column, end_colno=end_column)


def _place(error: BaseException, filename: str) -> Place:
    known = _syntax_error(error)
    if known is not None and known.lineno:
        return known.lineno, None, None, None
    calls = calls_of(error.__traceback__, {filename})
    return place_of(_summary(*calls[-1])) if calls else (None,) * 4
