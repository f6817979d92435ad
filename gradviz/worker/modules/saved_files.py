"""`torch.save` and `torch.load` in the folder of a run: what is saved under a name is a copy of the object, which this
run can load again. `io.BytesIO` gets real bytes. Next: `scratch`, the folder."""

from __future__ import annotations

import io
import pickle

from gradviz.engine.kernel.state import paused
from gradviz.torch.serialization import check_weights_only, dumped, loaded
from gradviz.worker.modules.scratch import MARK_BYTES, SCRATCH, ScratchFile
from gradviz.worker.modules.scratch_paths import Path, plain_path
from gradviz.worker.objects.numpy_boundary import to_snippet


def torch_names() -> dict[str, object]:
    """Return the functions for the torch stand-in."""

    def save(obj: object, f: object, *rest: object, **options: object) -> None:
        if isinstance(f, ByteBuffer):
            with paused():
                f.write(dumped(obj))
        elif isinstance(f, ScratchFile):
            f.write(SCRATCH.put_away(obj, f._content))
        else:
            name = _name(f)
            content = SCRATCH.create(name, makes_folders=True)
            SCRATCH.empty(content)
            content.data += SCRATCH.put_away(obj, content)

    def load(
        f: object,
        map_location: object = None,
        pickle_module: object = None,
        *,
        weights_only: object = None,
        **more: object,
    ) -> object:
        if isinstance(f, ByteBuffer | ScratchFile):
            found = unpacked(f.read())
        else:
            name = _name(f)
            found = unpacked(bytes(SCRATCH.file(name).data))
        if weights_only is None or weights_only:
            check_weights_only(found)
        return found

    return {"save": save, "load": load}


def unpacked(data: object) -> object:
    """Return what torch.save has written, as a marker or as bytes."""
    if type(data) is not bytes:
        raise TypeError("a file is opened for torch.load as bytes: open(name, 'rb')")
    if len(data) == MARK_BYTES:
        try:
            return SCRATCH.brought_back(data)
        except ValueError as error:
            raise pickle.UnpicklingError(str(error)) from None
    with paused():
        return loaded(data, to_snippet)


class ByteBuffer:
    """`io.BytesIO`, without access to its memory."""

    __slots__ = ("_inner",)

    def __init__(self, initial_bytes: bytes = b"") -> None:
        self._inner = io.BytesIO(bytes(initial_bytes))

    def write(self, data: bytes) -> int:
        """Write bytes at the position."""
        return self._inner.write(bytes(data))

    def readline(self, size: int | None = -1) -> bytes:
        """Return the next line."""
        return self._inner.readline(size)

    def read(self, size: int | None = -1) -> bytes:
        """Return the bytes from the position on."""
        return self._inner.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move the position."""
        return self._inner.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._inner.tell()

    def truncate(self, size: int | None = None) -> int:
        """Cut off the rest."""
        return self._inner.truncate(size)

    def getvalue(self) -> bytes:
        """Return all bytes."""
        return self._inner.getvalue()

    def close(self) -> None:
        """Free the memory."""
        self._inner.close()

    def __enter__(self) -> ByteBuffer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


ByteBuffer.__name__ = ByteBuffer.__qualname__ = "BytesIO"
ByteBuffer.__module__ = "_io"


def _name(file: object) -> str:
    if not isinstance(file, str | Path):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    return plain_path(file)
