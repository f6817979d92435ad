"""Starts a worker on Windows so that its locks hold before its first instruction: suspended, inheriting nothing but its
pipe, put into its Job, and only then resumed.

What `subprocess` offers has neither the tokens nor the thread that must be resumed. What this returns behaves like a
`subprocess.Popen`, as far as `worker_process` needs it. Caller: `starting`, which also reports the state of each lock.

Note [Two tokens] Both are made from the program's own without an administrator, as Chromium makes those of its
renderers. The process has a token without any access: every group and the user count for denials only, all privileges
are gone, and whatever it opens must also be granted to the null SID, which nothing in Windows grants. Its first thread
begins with another one, restricted in name only, so that Python and its packages can be loaded; a thread may take it
because it is the same user's and restricted, too. `windows.give_up_start` drops that for good when everything is warm.
Why not an AppContainer: it has no such start, so Python's folders, wherever the user has put them, would have to be
opened to all app packages first."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from gradviz.worker.locks.windows import DWORD, HANDLE, POINTER, SIZE, Job, Windows

_DUPLICATE, _ASSIGN_PRIMARY, _IMPERSONATE, _QUERY, _ADJUST_DEFAULT = 0x2, 0x1, 0x4, 0x8, 0x80
_ACCESS = _DUPLICATE | _ASSIGN_PRIMARY | _IMPERSONATE | _QUERY | _ADJUST_DEFAULT
_USER, _GROUPS, _PRIVILEGES = 1, 2, 3  # TOKEN_INFORMATION_CLASS
_INTEGRITY = 0x20  # SE_GROUP_INTEGRITY: a level listed among the groups that is not a group
_LEVEL_IMPERSONATION, _TYPE_IMPERSONATION = 2, 2
_LUID = 12  # bytes of a privilege: its number and its attributes

NULL_SID = struct.pack("<BB6BI", 1, 1, 0, 0, 0, 0, 0, 0, 0)  # S-1-0-0


class SidAndAttributes(ctypes.Structure):
    """SID_AND_ATTRIBUTES."""

    _fields_ = (("sid", POINTER), ("attributes", DWORD))


@dataclass(frozen=True)
class Tokens:
    """Handles: for the process, and for its first thread until it is warm."""

    process: int
    start: int
    windows: Windows
    detail: str = ""

    def close(self) -> None:
        """Close both once they are no longer needed here."""
        self.windows.call("CloseHandle", self.process)
        self.windows.call("CloseHandle", self.start)


def make_tokens(windows: Windows) -> Tokens:
    """Make both; OSError names the call that failed, and no handle is left open."""
    own = _own_token(windows)
    try:
        sids = _Sids(windows, own)
        process = _restricted(windows, own, sids.all, sids.privileges, [ctypes.addressof(sids.null)])
        try:
            start = _restricted(windows, own, [], None, sids.all)
            try:
                thread = HANDLE()
                windows.call(
                    "DuplicateTokenEx",
                    start,
                    _QUERY | _IMPERSONATE,
                    None,
                    _LEVEL_IMPERSONATION,
                    _TYPE_IMPERSONATION,
                    ctypes.byref(thread),
                )
            finally:
                windows.call("CloseHandle", start)
        except OSError:
            windows.call("CloseHandle", process)
            raise
    finally:
        windows.call("CloseHandle", own)
    return Tokens(process, thread.value or 0, windows)


def _own_token(windows: Windows) -> int:
    token = HANDLE()
    windows.call("OpenProcessToken", windows.call("GetCurrentProcess"), _ACCESS, ctypes.byref(token))
    return token.value or 0


class _Sids:
    """The user and the groups of a token, as addresses into Windows' answer, which is kept as long as this object."""

    def __init__(self, windows: Windows, token: int) -> None:
        self._user = _told(windows, token, _USER)
        self._groups = _told(windows, token, _GROUPS)
        self._privileges = _told(windows, token, _PRIVILEGES)
        self.null = ctypes.create_string_buffer(NULL_SID, len(NULL_SID))
        user = SidAndAttributes.from_buffer(self._user)
        (count,) = struct.unpack_from("<I", self._groups)
        groups = (SidAndAttributes * count).from_buffer(self._groups, ctypes.sizeof(POINTER))
        self.all = [user.sid, *(each.sid for each in groups if not each.attributes & _INTEGRITY)]

    @property
    def privileges(self) -> tuple[int, int]:
        """Return the number of privileges, and the address of the first."""
        (count,) = struct.unpack_from("<I", self._privileges)
        return count, ctypes.addressof(self._privileges) + 4


def _told(windows: Windows, token: int, kind: int) -> ctypes.Array[ctypes.c_char]:
    """Return information about a token; asked twice, because the first call only returns its size."""
    size = DWORD()
    windows.ask("GetTokenInformation", token, kind, None, 0, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(max(size.value, 256))
    windows.call("GetTokenInformation", token, kind, buffer, len(buffer), ctypes.byref(size))
    return buffer


def _restricted(
    windows: Windows, token: int, denied: list[int], privileges: tuple[int, int] | None, restricting: list[int]
) -> int:
    """Call CreateRestrictedToken: SIDs that count for denials only, privileges to remove, SIDs that must be granted,
    too."""
    made = HANDLE()
    to_deny, to_restrict = _array(denied), _array(restricting)
    count, first = privileges or (0, 0)
    windows.call(
        "CreateRestrictedToken",
        token,
        0,
        len(denied),
        to_deny,
        count,
        first or None,
        len(restricting),
        to_restrict,
        ctypes.byref(made),
    )
    return made.value or 0


def _array(sids: list[int]) -> ctypes.Array[SidAndAttributes] | None:
    return (SidAndAttributes * len(sids))(*(SidAndAttributes(sid, 0) for sid in sids)) if sids else None


_SUSPENDED, _DETACHED, _UNICODE_ENVIRONMENT, _EXTENDED = 0x4, 0x8, 0x400, 0x80000
_FLAGS = _SUSPENDED | _DETACHED | _UNICODE_ENVIRONMENT | _EXTENDED  # detached: no console, and no process for one
_USE_HANDLES = 0x100  # STARTF_USESTDHANDLES
_HANDLE_LIST = 0x20002  # PROC_THREAD_ATTRIBUTE_HANDLE_LIST
_FOREVER = _FAILED = 0xFFFFFFFF
_KILLED = 1

HandleOf = Callable[[int], int]


class Refused(OSError):
    """The process could not be started with one of its locks: its name in `layers`, and the reason."""

    def __init__(self, layer: str, why: OSError) -> None:
        super().__init__(str(why))
        self.layer = layer


class StartupInfo(ctypes.Structure):
    """STARTUPINFOEXW: STARTUPINFOW and an attribute list."""

    _fields_ = (
        ("size", DWORD),
        ("reserved", POINTER),
        ("desktop", POINTER),
        ("title", POINTER),
        *((name, DWORD) for name in ("x", "y", "width", "height", "columns", "rows", "fill", "flags")),
        ("show", ctypes.c_uint16),
        ("reserved_size", ctypes.c_uint16),
        ("reserved_data", POINTER),
        ("stdin", HANDLE),
        ("stdout", HANDLE),
        ("stderr", HANDLE),
        ("attributes", POINTER),
    )


class ProcessInformation(ctypes.Structure):
    """PROCESS_INFORMATION."""

    _fields_ = (("process", HANDLE), ("thread", HANDLE), ("process_id", DWORD), ("thread_id", DWORD))


class Child:
    """A process that was started here, and the program's ends of its pipe."""

    def __init__(self, windows: Windows, pid: int, handle: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None
        self._windows = windows
        self._handle = handle
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Return the exit status, None while it runs."""
        return self._wait(0)

    def wait(self) -> int:
        """Block until it has ended; return the exit status."""
        status = self._wait(_FOREVER)
        assert status is not None
        return status

    def kill(self) -> None:
        """End it now."""
        with self._lock:
            if self.returncode is None:
                self._windows.call("TerminateProcess", self._handle, _KILLED)

    def close(self) -> None:
        """Close its handle once it has ended; the program's ends of the pipe belong to their users."""
        with self._lock:
            self._windows.call("CloseHandle", self._handle)

    def _wait(self, milliseconds: int) -> int | None:
        if self.returncode is None and self._windows.ask("WaitForSingleObject", self._handle, milliseconds) == 0:
            with self._lock:
                status = DWORD()
                self._windows.call("GetExitCodeProcess", self._handle, ctypes.byref(status))
                self.returncode = status.value
        return self.returncode


def start(
    command: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    job: Job | None,
    tokens: Tokens | None,
    windows: Windows,
    handle_of: HandleOf,
) -> Child:
    """Start it in the folder with this environment. Refused names the lock with which it did not start, any other
    OSError the call that failed; nothing was started then."""
    ends = _Ends()
    try:
        created = _create(command, folder, environment, tokens, windows, [handle_of(each) for each in ends.theirs])
        process, thread = created.process or 0, created.thread or 0
        try:
            if job is not None:
                with _refused_by("job"):
                    job.take(process)
            if tokens is not None:
                with _refused_by("restricted token"):
                    windows.call("SetThreadToken", ctypes.byref(HANDLE(thread)), tokens.start)
            if windows.ask("ResumeThread", thread) == _FAILED:
                raise windows.failure("ResumeThread")
        except OSError:
            windows.ask("TerminateProcess", process, _KILLED)
            windows.call("CloseHandle", process)
            raise
        finally:
            windows.call("CloseHandle", thread)
        return Child(windows, created.process_id, process, *ends.opened())
    finally:
        ends.close()


@contextmanager
def _refused_by(layer: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refused(layer, error) from None


class _Ends:
    """A pipe in both directions and the null device; the child process inherits three of the ends."""

    def __init__(self) -> None:
        read, self._our_write = os.pipe()
        self._our_read, write = os.pipe()
        self.theirs = [read, write, os.open(os.devnull, os.O_WRONLY)]
        for each in self.theirs:
            os.set_inheritable(each, True)

    def opened(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return our ends, as standard input and output of the other process."""
        ours = open(self._our_write, "wb", buffering=0), open(self._our_read, "rb", buffering=0)  # noqa: SIM115 kept
        self._our_write = self._our_read = -1
        return ours

    def close(self) -> None:
        """Close the ends that were not handed out."""
        for each in (*self.theirs, self._our_write, self._our_read):
            if each >= 0:
                os.close(each)


def _create(
    command: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    tokens: Tokens | None,
    windows: Windows,
    handles: list[int],
) -> ProcessInformation:
    """Call CreateProcess for a suspended process that inherits these three handles and no other."""
    inherited = (HANDLE * len(handles))(*handles)
    startup, created = StartupInfo(), ProcessInformation()
    startup.size, startup.flags = ctypes.sizeof(startup), _USE_HANDLES
    startup.stdin, startup.stdout, startup.stderr = handles
    with _AttributeList(windows, inherited) as startup.attributes:
        rest = (
            command[0],
            ctypes.create_unicode_buffer(subprocess.list2cmdline(command)),  # which it may write to
            None,
            None,
            1,
            _FLAGS,
            ctypes.create_unicode_buffer(_block(environment)),
            folder,
            ctypes.byref(startup),
            ctypes.byref(created),
        )
        if tokens is None:
            windows.call("CreateProcessW", *rest)
        else:
            with _refused_by("restricted token"):
                windows.call("CreateProcessAsUserW", tokens.process, *rest)
    return created


def _block(environment: Mapping[str, str]) -> str:
    """Return the environment as Windows takes it: sorted, each entry followed by a zero; the last zero ends the
    block."""
    return "".join(f"{name}={value}\0" for name, value in sorted(environment.items(), key=lambda pair: pair[0].upper()))


class _AttributeList:
    """A PROC_THREAD_ATTRIBUTE_LIST with the handles to inherit; entering returns its address."""

    def __init__(self, windows: Windows, inherited: ctypes.Array[ctypes.c_void_p]) -> None:
        self._windows, self._inherited = windows, inherited

    def __enter__(self) -> int:
        size = SIZE()
        self._windows.ask("InitializeProcThreadAttributeList", None, 1, 0, ctypes.byref(size))  # returns its size
        self._list = ctypes.create_string_buffer(max(size.value, 64))
        self._windows.call("InitializeProcThreadAttributeList", self._list, 1, 0, ctypes.byref(size))
        try:
            self._windows.call(
                "UpdateProcThreadAttribute",
                self._list,
                0,
                _HANDLE_LIST,
                self._inherited,
                ctypes.sizeof(self._inherited),
                None,
                None,
            )
        except OSError:
            self.__exit__()
            raise
        return ctypes.addressof(self._list)

    def __exit__(self, *error: object) -> None:
        self._windows.ask("DeleteProcThreadAttributeList", self._list)
