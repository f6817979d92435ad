"""A process in a worker's place that says what it likes on the pipe: `worker_that(script, limits)`. The script has
`send(kind, request, header, payload=b"")`, and begins when the request to run has come."""

from __future__ import annotations

import sys
from pathlib import Path

from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import VERSION
from gradviz.worker.process.worker_process import WorkerProcess

ROOT = Path(__file__).parents[2]
_BEGINS = f"""\
import json, os, struct, sys
sys.path.insert(0, {str(ROOT)!r})
def send(kind, request, header, payload=b''):
    raw = json.dumps(header).encode()
    os.write(1, struct.pack('<2sBBIII', b'GV', {VERSION}, kind, request, len(raw), len(payload)) + raw + payload)
send(1, 0, {{'layers': {{'language': 'on'}}}})
os.read(0, 100_000)
"""


def worker_that(script: str, limits: Limits | None = None) -> WorkerProcess:
    """Does this, and then nothing for ever."""
    command = [sys.executable, "-c", f"{_BEGINS}{script}\nwhile True: pass\n"]
    return WorkerProcess(limits or Limits(), command=command)
