"""The two access tokens of a worker on Windows, made from the program's own without an administrator, as Chromium makes
those of its renderers.

The process has a token that is good for nothing: every group and the user count for denials only, all privileges are
gone, and whatever it opens must also be granted to the null SID, which nothing in Windows grants. Its first thread
begins with another one, restricted in name only, so that Python and its packages can be loaded; a thread may take it
because it is the same user's and restricted, too. `windows.give_up_start` drops that for good when everything is warm.

Why not an AppContainer: it has no such start, so that Python's folders, wherever a person has put them, would have to
be opened to all app packages first. Who starts a process with these: `windows_process`.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass

from gradviz.worker.windows import DWORD, HANDLE, POINTER, Windows

_DUPLICATE, _ASSIGN_PRIMARY, _IMPERSONATE, _QUERY, _ADJUST_DEFAULT = 0x2, 0x1, 0x4, 0x8, 0x80
_ACCESS = _DUPLICATE | _ASSIGN_PRIMARY | _IMPERSONATE | _QUERY | _ADJUST_DEFAULT
_USER, _GROUPS, _PRIVILEGES = 1, 2, 3  # TOKEN_INFORMATION_CLASS
_INTEGRITY = 0x20  # SE_GROUP_INTEGRITY: a level among the groups, which is no group
_LEVEL_IMPERSONATION, _TYPE_IMPERSONATION = 2, 2
_LUID = 12  # bytes of a privilege: its number and its attributes

NULL_SID = struct.pack("<BB6BI", 1, 1, 0, 0, 0, 0, 0, 0, 0)  # S-1-0-0


class SidAndAttributes(ctypes.Structure):
    """SID_AND_ATTRIBUTES."""

    _fields_ = (("sid", POINTER), ("attributes", DWORD))


@dataclass(frozen=True)
class Tokens:
    """Handles: of the process, and of its first thread until it is warm."""

    process: int
    start: int
    windows: Windows
    detail: str = ""

    def close(self) -> None:
        """They are not needed any more here."""
        self.windows.call("CloseHandle", self.process)
        self.windows.call("CloseHandle", self.start)


def make_tokens(windows: Windows) -> Tokens:
    """Both; OSError names the call that failed, and no handle is left."""
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
    """The user and the groups of a token, as addresses into what Windows told, which is kept as long as this is."""

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
        """How many, and the address of the first."""
        (count,) = struct.unpack_from("<I", self._privileges)
        return count, ctypes.addressof(self._privileges) + 4


def _told(windows: Windows, token: int, kind: int) -> ctypes.Array[ctypes.c_char]:
    """What is known of a token; asked twice, because first only its size is."""
    size = DWORD()
    windows.ask("GetTokenInformation", token, kind, None, 0, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(max(size.value, 256))
    windows.call("GetTokenInformation", token, kind, buffer, len(buffer), ctypes.byref(size))
    return buffer


def _restricted(
    windows: Windows, token: int, denied: list[int], privileges: tuple[int, int] | None, restricting: list[int]
) -> int:
    """CreateRestrictedToken: SIDs that count for denials only, privileges that go, SIDs that must be granted, too."""
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
