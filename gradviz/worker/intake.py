"""What the reader thread does with the events of a run before the window sees them: recorded steps go into the trace
there, so that the window's thread is free to paint. The window reads `so_far` while it grows, the trace itself once
`Done` has come."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from gradviz.worker.events import Batch, Detail, Done, Event
from gradviz.worker.mailbox import Mailbox

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

DECODED = Batch({}, b"")
UNREADABLE = "The worker sent data that could not be decoded ({}). Run it again."


class Intake:
    """`put` is called by the reader thread."""

    def __init__(self, trace: Trace, mailbox: Mailbox) -> None:
        self._trace = trace
        self._mailbox = mailbox
        self._extending = threading.Lock()
        self._is_readable = True

    def put(self, event: Event) -> None:
        """Decode recorded steps; everything, or that there was more of them, goes on to the mailbox."""
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
        """The trace as it is now; None while it is being extended."""
        if not self._extending.acquire(blocking=False):
            return None
        try:
            return self._trace.as_now()
        finally:
            self._extending.release()
