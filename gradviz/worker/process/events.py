"""What a run reports to its caller: recorded columns, printed text, and once how it ended; and the way of these events
from a worker's reader thread to the thread that handles them. An `Intake` converts recorded steps to a trace in the
reader thread, so that the window's thread is free to paint.

Note [Held back] `Mailbox.put` waits while the bytes that have not been taken exceed its room. So the reader thread
stops reading, the pipe fills, and the worker waits in its own write: however fast it records, the program holds no more
than `ROOM` of undecoded data. The run's clock is held meanwhile. `close` releases whoever waits in `put`: a mailbox
must be closed before waiting for the reader thread that fills it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


@dataclass(frozen=True)
class Batch:
    """Recorded steps: the header and the raw columns, for `Trace.extend`; `size` is what both took in the pipe."""

    header: dict[str, Any]
    payload: bytes
    size: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Output:
    """Text that the snippet printed; `stream` is "out" or "err", or "in" for what was typed for input()."""

    stream: str
    text: str


@dataclass(frozen=True)
class Refused:
    """One thing in a snippet that is refused: the line, what it is, and what to do."""

    line: int
    what: str
    advice: str

    @property
    def sentence(self) -> str:
        """Return the complete sentence."""
        return f"line {self.line}: {self.what}; {self.advice}."


@dataclass(frozen=True)
class Missing:
    """Something that a snippet uses and that does not exist here: its path ("pandas.read_csv"), how the snippet writes
    it ("pd.read_csv"), the sentence, and the lines that use it."""

    path: str
    written: str
    sentence: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Detail:
    """How a run ended, in words: one sentence, the error as Python prints it if the snippet raised, and everything in
    the text that was refused, in line order; the sentence is that of the first. If it was refused, or ended at
    something missing, also all uses of missing things."""

    sentence: str = ""
    line: int = -1
    traceback: str = ""
    last_line: str = ""
    refusals: tuple[Refused, ...] = ()
    missing: tuple[Missing, ...] = ()
    seconds: float = 0.0

    @property
    def summary(self) -> str:
        """Return the sentence, and the other lines with problems of the same kind."""
        more = ", ".join(str(line) for line in dict.fromkeys(each.line for each in self.refusals[1:]))
        return f"{self.sentence} More is refused in: {more}." if more else self.sentence


@dataclass(frozen=True)
class Done:
    """The end of a run; `status` is ok, raised, refused, limit, stopped or died."""

    status: str
    detail: Detail = field(default_factory=Detail)


@dataclass(frozen=True)
class Asked:
    """The snippet called input(): the run waits until `Run.answer` is called."""

    prompt: str


@dataclass(frozen=True)
class Figure:
    """A plot that the snippet showed, checked by `figures.Figure`'s reader before it is drawn."""

    header: dict[str, object]
    payload: bytes


@dataclass(frozen=True)
class Written:
    """A file that the run wrote into its folder, by the name that the snippet gave it; the bytes are missing if there
    were too many, or if they stand for objects of the run that nobody else can read."""

    name: str
    data: bytes
    size: int
    is_object: bool = False

    @property
    def can_be_saved(self) -> bool:
        """Whether its bytes are available."""
        return len(self.data) == self.size and not self.is_object


Event = Batch | Output | Asked | Figure | Written | Done


ROOM = 8_000_000  # bytes
EACH = 500  # bytes that an event takes in addition to its content


class Mailbox:
    """A queue between two threads, bounded by bytes; a single event is always accepted."""

    def __init__(self, on_put: Callable[[], None] | None = None, room: int = ROOM) -> None:
        self._on_put = on_put
        self._room = room
        self._events: deque[tuple[int, Event]] = deque()
        self._weight = 0
        self._changed = threading.Condition()
        self._closed = False

    def __len__(self) -> int:
        return len(self._events)

    @property
    def is_closed(self) -> bool:
        """Whether nobody takes events any more."""
        return self._closed

    def put(self, event: Event) -> None:
        """Add an event; waits for room. What comes after `close` is dropped."""
        weight = weight_of(event)
        with self._changed:
            while self._events and self._weight + weight > self._room and not self._closed:
                self._changed.wait()
            if self._closed:
                return
            self._events.append((weight, event))
            self._weight += weight
            self._changed.notify_all()
        if self._on_put is not None:
            self._on_put()

    def take(self) -> Event | None:
        """Return the oldest event, None if there is none."""
        with self._changed:
            return self._pop() if self._events else None

    def wait(self) -> Event:
        """Return the oldest event, as soon as there is one."""
        with self._changed:
            while not self._events:
                self._changed.wait()
            return self._pop()

    def close(self) -> None:
        """Drop everything, now and later."""
        with self._changed:
            self._closed = True
            self._events.clear()
            self._weight = 0
            self._changed.notify_all()

    def _pop(self) -> Event:
        weight, event = self._events.popleft()
        self._weight -= weight
        self._changed.notify_all()
        return event


def weight_of(event: Event) -> int:
    """Return the approximate number of bytes that an event holds."""
    if isinstance(event, Batch):
        return EACH + max(event.size, len(event.payload))
    if isinstance(event, Output):
        return EACH + 4 * len(event.text)
    if isinstance(event, Figure):
        return EACH + len(event.payload)
    if isinstance(event, Written):
        return EACH + len(event.data)
    return EACH


DECODED = Batch({}, b"")
UNREADABLE = "The worker sent data that could not be decoded ({}). Run it again."


class Intake:
    """Decodes recorded steps; the reader thread calls `put`."""

    def __init__(self, trace: Trace, mailbox: Mailbox) -> None:
        self._trace = trace
        self._mailbox = mailbox
        self._extending = threading.Lock()
        self._is_readable = True

    def put(self, event: Event) -> None:
        """Decode recorded steps; everything else, or the fact that there were more steps, goes on to the mailbox."""
        if not isinstance(event, Batch):
            self._mailbox.put(event)
        elif self._is_readable and not self._mailbox.is_closed:
            self._mailbox.put(self._decoded(event))

    def _decoded(self, batch: Batch) -> Event:
        from gradviz.trace.table import encoding, schema

        try:
            with self._extending:
                self._trace.extend(schema.Batch(batch.header, batch.payload))
        except encoding.TraceFormatError as error:
            self._is_readable = False
            return Done("died", Detail(UNREADABLE.format(error)))
        return DECODED

    def so_far(self) -> Trace | None:
        """Return the trace as it is now; None while it is being extended."""
        if not self._extending.acquire(blocking=False):
            return None
        try:
            return self._trace.as_now()
        finally:
            self._extending.release()
