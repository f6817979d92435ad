"""The reader of recordings: files as programs write them, changed anywhere: bytes, lengths, blocks that are missing or
twice, and, with checksums that are right, whatever a stranger may put into heads and batches. A file is refused with
`TraceFormatError`, or all that the program asks of its trace can be read; a cut one opens up to where it is whole."""

from __future__ import annotations

import copy
import io
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from gradviz.document.files.recordings import document_of, figures_of
from gradviz.trace.table import recording
from gradviz.trace.table.encoding import TraceFormatError
from gradviz.trace.table.recording import BATCH, About, Ending, RecordingWriter
from gradviz.trace.table.schema import Batch
from gradviz.trace.table.values import DTYPES, numpy_dtype
from tests.fuzz import figures, traces
from tests.fuzz.choices import Choices

HEADS = (
    "source",
    "name",
    "maker",
    "when",
    "rank",
    "ranks",
    "schema",
    "dtypes",
    "status",
    "sentence",
    "line",
    "seconds",
    "parts",
)
ODD = (*traces.WRONG, {"nodes": {}}, {"steps": {"kind": "O"}}, {"steps": {"kind": "u1"}}, ["bool"], "died", 2**31 - 1)


@cache
def honest() -> tuple[bytes, ...]:
    """Files as they are written."""
    return tuple(written(source, list(batches)) for source, batches in traces.recordings())


def written(source: str, batches: list[Batch]) -> bytes:
    """A whole file."""
    file = io.BytesIO()
    writer = RecordingWriter(file, About(source, "net.py", "PyTorch 2.13.0", "2026-11-23", 0, 2))
    for batch in batches:
        writer.batch(batch)
    header, count = figures.honest(["line"])
    writer.figure(header, bytes(8 * count))
    writer.end(Ending())
    return file.getvalue()


def one_input(data: bytes) -> None:
    """Which file, and what is changed in it; whether its elements stay on disk."""
    choices = Choices(data)
    lazily = bool(choices.number(2))
    made = _forged(choices) if choices.number(2) else _damaged(choices)
    look_through(made, lazily)


def look_through(data: bytes, lazily: bool = False) -> recording.Recording | None:
    """What the file is taken for, all of which is asked for; None where it is refused."""
    before = recording.ON_DISK
    recording.ON_DISK = 0 if lazily else before
    try:
        with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "x.gvtrace"
            path.write_bytes(data)
            try:
                found = recording.load(path)
            except TraceFormatError as error:
                assert str(error).startswith("malformed trace: ")
                return None
            traces.look_at_everything(found.trace)
            traces.ask_the_session(found.trace.as_now())
            assert document_of(found).origin.isprintable() or not found.about.maker.isprintable()
            assert len(figures_of(found)) <= len(found.figures)
            return found
    finally:
        recording.ON_DISK = before


def _damaged(choices: Choices) -> bytes:
    """Bytes changed, cut, put in or left out."""
    made = bytearray(choices.of(honest()))
    for _ in range(1 + choices.number(4)):
        at = choices.number(len(made) + 1)
        what = choices.number(4)
        if what == 0:
            made[at : at + 8] = choices.bytes(8)
        elif what == 1:
            del made[at:]
        elif what == 2:
            del made[at : at + choices.number(64)]
        else:
            made[at:at] = made[choices.number(len(made) + 1) :][: choices.number(4000)]
    return bytes(made)


class _Forger(RecordingWriter):
    """Writes what nobody records, with the right checksums."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        source, batches = choices.of(traces.recordings())
        self._file = io.BytesIO()
        super().__init__(self._file, About(source))
        for batch in batches:
            if choices.number(2):
                self.batch(batch)
                continue
            for each in traces.changed(batch, choices):
                self._as_it_is(each)
        self.end(Ending())

    def _as_it_is(self, batch: Batch) -> None:
        rows, elements = batch.header.get("rows"), batch.header.get("elements")
        values = rows.get("values") if isinstance(rows, dict) else 0
        many = values if type(values) is int and 0 <= values < 10_000 else 0
        sizes = [numpy_dtype(name).itemsize * each for name, each in elements.items()] if _is_fair(elements) else [0]
        cut = self._choices.number(len(batch.payload) + 1) if self._choices.number(4) == 0 else -sum(sizes)
        cut = cut or len(batch.payload)
        behind = batch.payload[cut:]
        self._block(BATCH, batch.header, bytes(8 * many) + batch.payload[:cut], behind, len(behind))

    def _block(self, tag: bytes, header: Any, rows: bytes = b"", elements: bytes = b"", large: int = 0) -> None:
        header = copy.deepcopy(dict(header))
        if self._choices.number(6) == 5:
            name = self._choices.of(HEADS)
            inside = header.get(name)
            if isinstance(inside, dict) and inside and self._choices.number(2):
                inside[self._choices.of([*inside])] = self._choices.of(ODD)
            else:
                header[name] = self._choices.of(ODD)
        super()._block(tag, header, rows, elements, large)

    @property
    def made(self) -> bytes:
        return self._file.getvalue()  # type: ignore[attr-defined,no-any-return]


def _is_fair(elements: object) -> bool:
    """Whether these may be counts of elements by type."""
    return isinstance(elements, dict) and all(
        name in DTYPES and type(each) is int and 0 <= each < 1 << 20 for name, each in elements.items()
    )


def _forged(choices: Choices) -> bytes:
    return _Forger(choices).made
