"""`torch.save` and `torch.load` without a disk: what a run saves under a name it can load again, and then it is
gone."""

from __future__ import annotations

import copy
import errno
import io
import os
from typing import Any

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import paused
from gradviz.torch.serialization import check_weights_only, dumped, loaded
from gradviz.worker.numpy_boundary import to_snippet
from gradviz.worker.text_modules import Path


class SavedFiles:
    """The "files" of one run: copies of objects, by name."""

    def __init__(self) -> None:
        self._held: dict[str, Any] = {}

    def forget(self) -> None:
        """As on an empty disk."""
        self._held.clear()

    def _found(self, name: str) -> Array:
        if name not in self._held:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return copy.deepcopy(self._held[name])

    def names(self) -> dict[str, Any]:
        """The functions for the torch stand-in."""

        def save(obj: object, f: object, *rest: object, **options: object) -> None:
            with paused():
                if isinstance(f, ByteBuffer):
                    f.write(dumped(obj))
                else:
                    self._held[_name(f)] = copy.deepcopy(obj)

        def load(
            f: object,
            map_location: object = None,
            pickle_module: object = None,
            *,
            weights_only: object = None,
            **more: object,
        ) -> Array:
            with paused():
                found = loaded(f.read(), to_snippet) if isinstance(f, ByteBuffer) else self._found(_name(f))
                if weights_only is None or weights_only:
                    check_weights_only(found)
                return found

        return {"save": save, "load": load}


class ByteBuffer:
    """`io.BytesIO`, without a view into its memory."""

    __slots__ = ("_inner",)

    def __init__(self, initial_bytes: bytes = b"") -> None:
        self._inner = io.BytesIO(bytes(initial_bytes))

    def write(self, data: bytes) -> int:
        """Put bytes at the place."""
        return self._inner.write(bytes(data))

    def read(self, size: int | None = -1) -> bytes:
        """The bytes from the place on."""
        return self._inner.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move the place."""
        return self._inner.seek(offset, whence)

    def tell(self) -> int:
        """The place."""
        return self._inner.tell()

    def truncate(self, size: int | None = None) -> int:
        """Cut the rest off."""
        return self._inner.truncate(size)

    def getvalue(self) -> bytes:
        """All bytes."""
        return self._inner.getvalue()

    def close(self) -> None:
        """Give the memory back."""
        self._inner.close()

    def __enter__(self) -> ByteBuffer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


ByteBuffer.__name__ = ByteBuffer.__qualname__ = "BytesIO"
ByteBuffer.__module__ = "_io"


def _name(file: object) -> str:
    if isinstance(file, Path):
        return Path.__str__(file)
    if not isinstance(file, str):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    return str.__str__(file)
