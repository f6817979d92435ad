"""`zipfile` and `tarfile` for a snippet: archives that are attached or lie in the folder of a run can be read and
unpacked there; none can be written.

Python's own readers only get bytes, never a file name. An archive is unpacked only as far as the folder has room; names
that would lead out of the folder lose the parts that lead out, and links and devices are skipped. Next:
`file_formats`."""

from __future__ import annotations

import errno
import gzip
import io
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.saved_files import ByteBuffer
from gradviz.worker.modules.scratch import MOST_BYTES, MOST_NAMES, SCRATCH, plain_bytes
from gradviz.worker.modules.scratch_paths import Path, plain_path

READ_ONLY = "archives can be read in GradViz snippets, not written; write the files themselves"
TOO_MUCH = f"more than {MOST_BYTES >> 20} MB or {MOST_NAMES:,} files are in this archive"
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, ValueError, OverflowError, RuntimeError)
_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others allocate as much memory as the file claims
"\0".encode("cp437")  # the encoding of old archives, loaded now because nothing can be loaded later


class Member:
    """`ZipInfo` and `TarInfo`: the name and size of a file in an archive."""

    __slots__ = ("_name", "_size")
    _name: str
    _size: int

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("members are made by their archive in GradViz snippets")

    @property
    def filename(self) -> str:
        """The name, including its folders."""
        return self._name

    name = filename

    @property
    def file_size(self) -> int:
        """The size in bytes."""
        return self._size

    size = file_size

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self._name.endswith("/")

    isdir = is_dir

    def isfile(self) -> bool:
        """Whether it is not a folder."""
        return not self.is_dir()

    def __repr__(self) -> str:
        return f"<Member {self._name!r} size={self._size}>"


def _member(name: str, size: int) -> Member:
    made: Member = object.__new__(Member)
    made._name, made._size = name.encode("utf-8", "replace").decode(), size
    return made


class Archive:
    """An archive opened for reading."""

    __slots__ = ("_members", "_read")
    _members: dict[str, Member]
    _read: Callable[[str], bytes]

    def __new__(cls, file: object, mode: object = "r", *rest: object, **more: object) -> Archive:
        return _zip(file, mode)

    def namelist(self) -> list[str]:
        """The names of all files and folders."""
        return list(self._members)

    def infolist(self) -> list[Member]:
        """Return the entries for all files and folders."""
        return list(self._members.values())

    getnames, getmembers = namelist, infolist

    def getinfo(self, name: object) -> Member:
        """Return the entry of this name."""
        plain = name._name if type(name) is Member else plain_path(name)
        if plain not in self._members:
            raise KeyError(f"There is no item named {plain!r} in the archive")
        return self._members[plain]

    getmember = getinfo

    def read(self, name: object, pwd: object = None) -> bytes:
        """Return the contents of a file."""
        return self._read(self.getinfo(name)._name)

    def open(self, name: object, mode: object = "r", pwd: object = None) -> ByteBuffer:
        """Return an open file to read from."""
        _reading(mode)
        return ByteBuffer(self.read(name))

    def extractfile(self, member: object) -> ByteBuffer | None:
        """Like `open`; None for a folder."""
        return None if self.getinfo(member).is_dir() else ByteBuffer(self.read(member))

    def extract(self, member: object, path: object = None, *rest: object, **more: object) -> str:
        """Extract a file into the folder of the run and return its path."""
        found = self.getinfo(member)
        parts = [part for part in found._name.split("/") if part not in ("", ".", "..")]
        target = posixpath.join("." if path is None else plain_path(path), *parts)
        if found.is_dir():
            SCRATCH.make_folders(SCRATCH.path(target))
            return target
        data = self._read(found._name)
        content = SCRATCH.create(target, makes_folders=True)
        SCRATCH.empty(content)
        SCRATCH.take(content, len(data))
        content.data[:] = data
        return target

    def extractall(
        self, path: object = None, members: Iterable[object] | None = None, *rest: object, **more: object
    ) -> None:
        """Extract all files, or those given, into the folder of the run."""
        for each in self.infolist() if members is None else list(members):
            self.extract(each, path)

    def close(self) -> None:
        """Close the archive."""

    def testzip(self) -> None:
        """Always None: no broken file is known."""

    def __iter__(self) -> Iterator[Member]:
        return iter(self.infolist())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _archive(members: list[Member], read: Callable[[str], bytes]) -> Archive:
    made: Archive = object.__new__(Archive)
    made._members, made._read = {each._name: each for each in members}, read
    return made


def _reading(mode: object) -> None:
    if str.__str__(mode)[:1] != "r":
        raise PermissionError(READ_ONLY)


def _bytes_of(file: Any) -> bytes:
    """Return the bytes of a file given by name or as an open file."""
    if isinstance(file, str | Path):
        return bytes(SCRATCH.file(plain_path(file)).data)
    return plain_bytes(file.read())


def _few(count: int) -> None:
    if count > MOST_NAMES:
        raise OSError(errno.ENOSPC, TOO_MUCH)


def _zip(file: object, mode: object = "r") -> Archive:
    _reading(mode)
    data = _bytes_of(file)
    _few(data.count(b"PK\1\2") // 20)  # including an archive inside this archive
    try:
        real = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as error:
        raise zipfile.BadZipFile(str(error)) from None
    _few(len(real.infolist()))
    infos = {info.filename.encode("utf-8", "replace").decode(): info for info in real.infolist()}

    def read(name: str) -> bytes:
        info = infos[name]
        if info.compress_type not in _KINDS:
            raise NotImplementedError("That compression method is not supported")
        try:
            with real.open(info) as held:
                data = held.read(MOST_BYTES + 1)
        except _BROKEN as error:
            raise zipfile.BadZipFile(str(error)) from None
        if len(data) > MOST_BYTES:
            raise OSError(errno.ENOSPC, TOO_MUCH)
        return data

    return _archive([_member(name, info.file_size) for name, info in infos.items()], read)


def _tar_open(
    name: object = None, mode: object = "r", fileobj: object = None, *rest: object, **more: object
) -> Archive:
    _reading(mode)
    data = _bytes_of(name if fileobj is None else fileobj)
    if data[:2] == b"\x1f\x8b":
        data = inflated(data)
    try:
        real = tarfile.TarFile(fileobj=io.BytesIO(data))
        found = {each.name.encode("utf-8", "replace").decode(): each for each in _first_of(real)}
    except _BROKEN as error:
        raise tarfile.ReadError(f"{error}; a tar file as it is or packed by gzip can be read here") from None
    kept = {each + "/" * info.isdir(): info for each, info in found.items() if info.isdir() or _is_plain(info)}

    def read(name: str) -> bytes:
        try:
            held = real.extractfile(kept[name]) if kept[name].isfile() else None
            return b"" if held is None else held.read()
        except _BROKEN as error:
            raise tarfile.ReadError(str(error)) from None

    return _archive([_member(name, info.size) for name, info in kept.items()], read)


def _first_of(real: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for count, each in enumerate(real):
        _few(count + 1)
        yield each


def _is_plain(info: tarfile.TarInfo) -> bool:
    """Whether it is a regular file whose data lies entirely in the archive: a sparse file's holes may be larger than
    memory."""
    return info.isreg() and not info.issparse()


def _is_one(opened: Callable[[object], Archive]) -> Callable[[object], bool]:
    def is_one(filename: object) -> bool:
        try:
            opened(filename)
        except (OSError, zipfile.BadZipFile, tarfile.TarError):
            return False
        return True

    return is_one


def inflated(data: bytes) -> bytes:
    """Decompress every part of a gzip file, unless the result would be too large."""
    found = b""
    while data:
        part = zlib.decompressobj(wbits=31)
        try:
            found += part.decompress(data, MOST_BYTES - len(found) + 1)
        except zlib.error:
            raise gzip.BadGzipFile("Not a gzipped file, or a damaged one") from None
        if len(found) > MOST_BYTES:
            raise OSError(errno.ENOSPC, f"more than {MOST_BYTES >> 20} MB are in this file")
        if not part.eof:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        data = part.unused_data.lstrip(b"\0")
    return found


def archive_modules() -> dict[str, object]:
    """Return the stand-ins by module name."""
    zips = {"ZipFile": Archive, "ZipInfo": Member, "BadZipFile": zipfile.BadZipFile, "is_zipfile": _is_one(_zip)}
    kinds = {"ZIP_STORED": zipfile.ZIP_STORED, "ZIP_DEFLATED": zipfile.ZIP_DEFLATED}
    tars = {"open": _tar_open, "TarInfo": Member, "is_tarfile": _is_one(_tar_open)}
    errors = {"TarError": tarfile.TarError, "ReadError": tarfile.ReadError}
    return {"zipfile": stand_in("zipfile", zips | kinds), "tarfile": stand_in("tarfile", tars | errors)}
