"""How the runner meets the engine and the trace: a recorder for each run, instrumented code, and the engine as new."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from gradviz.worker.errors import ErrorText


class Recording:
    """What records one run; without a recorder (plain Python), nothing."""

    def __init__(self, source: str, filename: str) -> None:
        self.busy = False

    def hooks(self) -> dict[str, Any]:
        return {}

    def take_batch(self) -> Any:
        return None

    def text(self, stream: str, text: str) -> None: ...

    def error(self, error: BaseException, described: ErrorText) -> None: ...

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        yield


def new_recording(source: str, filename: str) -> Recording:
    return Recording(source, filename)


def instrumented(tree: ast.Module, source: str) -> ast.Module:
    return tree


def reset_engine() -> None:
    pass
