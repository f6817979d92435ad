"""Events on their way from a worker's reader thread to whoever takes them, held back when too many wait.

Note [Held back] `put` waits while as many bytes as there is room for have not been taken. So the reader thread reads no
further, the pipe fills, and the worker waits in its own write: however fast it records, the program holds no more than
`ROOM` of what is not yet decoded. The run's clock stands still meanwhile. `close` lets go of whoever waits in `put`: a
mailbox must be closed before one waits for the reader thread that fills it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from gradviz.worker.events import Batch, Event, Figure, Output

ROOM = 8_000_000  # bytes
EACH = 500  # bytes that an event takes besides what it carries


class Mailbox:
    """A queue between two threads, bounded by bytes; one event is always let in."""

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
        """Whether nobody takes anything any more."""
        return self._closed

    def put(self, event: Event) -> None:
        """Add an event; waits for room. What comes after `close` is forgotten."""
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
        """The oldest event, None if there is none."""
        with self._changed:
            return self._pop() if self._events else None

    def wait(self) -> Event:
        """The oldest event, as soon as there is one."""
        with self._changed:
            while not self._events:
                self._changed.wait()
            return self._pop()

    def close(self) -> None:
        """Forget everything, now and later."""
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
    """About how many bytes an event holds."""
    if isinstance(event, Batch):
        return EACH + max(event.size, len(event.payload))
    if isinstance(event, Output):
        return EACH + 4 * len(event.text)
    if isinstance(event, Figure):
        return EACH + len(event.payload)
    return EACH
