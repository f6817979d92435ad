"""The locks of Windows, by ctypes alone: a Job that the program puts around a worker, and what a worker gives
up itself.

None needs an administrator. They bound memory, processor time, processes and writing; they do not stop reading files
or connecting to the network, which only the language rules and the audit hook do on Windows. Everything follows the
published interfaces; each call that fails raises OSError, and the caller reports that lock as absent. Who calls:
`starting` (the Job), `oslock` (the rest).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

NO_WINDOW = 0x08000000  # CREATE_NO_WINDOW: a worker has no console, not even a hidden one of the program's
_CPU_BACKSTOP_SECONDS = 3600

_HANDLE, _POINTER, _SIZE = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
_BOOL, _INT, _DWORD = ctypes.c_int32, ctypes.c_int32, ctypes.c_uint32  # a C long has 32 bits on Windows only

# function -> (library, what it returns, its parameters); each returns something that is not 0 if it succeeds
SIGNATURES: dict[str, tuple[str, Any, tuple[Any, ...]]] = {
    "CreateJobObjectW": ("kernel32", _HANDLE, (_POINTER, _POINTER)),
    "SetInformationJobObject": ("kernel32", _BOOL, (_HANDLE, _INT, _POINTER, _DWORD)),
    "OpenProcess": ("kernel32", _HANDLE, (_DWORD, _BOOL, _DWORD)),
    "AssignProcessToJobObject": ("kernel32", _BOOL, (_HANDLE, _HANDLE)),
    "CloseHandle": ("kernel32", _BOOL, (_HANDLE,)),
    "GetCurrentProcess": ("kernel32", _HANDLE, ()),
    "SetProcessMitigationPolicy": ("kernel32", _BOOL, (_INT, _POINTER, _SIZE)),
    "OpenProcessToken": ("advapi32", _BOOL, (_HANDLE, _DWORD, _POINTER)),
    "GetTokenInformation": ("advapi32", _BOOL, (_HANDLE, _INT, _POINTER, _DWORD, _POINTER)),
    "AdjustTokenPrivileges": ("advapi32", _BOOL, (_HANDLE, _BOOL, _POINTER, _DWORD, _POINTER, _POINTER)),
    "SetTokenInformation": ("advapi32", _BOOL, (_HANDLE, _INT, _POINTER, _DWORD)),
}


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_user_time", ctypes.c_int64),
        ("job_user_time", ctypes.c_int64),
        ("flags", _DWORD),
        ("least_working_set", _SIZE),
        ("most_working_set", _SIZE),
        ("active_processes", _DWORD),
        ("affinity", _SIZE),
        ("priority", _DWORD),
        ("scheduling", _DWORD),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", _SIZE),
        ("job_memory", _SIZE),
        ("peak_process_memory", _SIZE),
        ("peak_job_memory", _SIZE),
    )


class MandatoryLabel(ctypes.Structure):
    """TOKEN_MANDATORY_LABEL: a SID and its attributes."""

    _fields_ = (("sid", _POINTER), ("attributes", _DWORD))


_PROCESS_TIME, _ACTIVE_PROCESS, _PROCESS_MEMORY, _JOB_MEMORY = 0x2, 0x8, 0x100, 0x200
_DIE_ON_UNHANDLED_EXCEPTION, _KILL_ON_JOB_CLOSE = 0x400, 0x2000
_EXTENDED_LIMITS, _UI_RESTRICTIONS = 9, 4  # JOBOBJECTINFOCLASS
_ALL_UI = 0xFF  # others' handles, clipboard both ways, system parameters, display, global atoms, desktop, exit
_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001

_TOKEN_ACCESS = 0x0008 | 0x0020 | 0x0080  # query, adjust privileges, adjust default
_TOKEN_PRIVILEGES, _TOKEN_INTEGRITY_LEVEL = 3, 25  # TOKEN_INFORMATION_CLASS
_PRIVILEGE_REMOVED, _GROUP_INTEGRITY = 0x4, 0x20
LOW_INTEGRITY = struct.pack("<BB6BI", 1, 1, 0, 0, 0, 0, 0, 16, 4096)  # the SID S-1-16-4096

MITIGATIONS = {  # PROCESS_MITIGATION_POLICY and its flags; a worker that is warm needs nothing that they refuse
    "dynamic code": (2, 1),
    "extension points": (6, 1),
    "unsigned libraries": (8, 1),
    "fonts": (9, 1),
    "remote libraries": (10, 1 | 2),  # and those of low integrity
    "child processes": (13, 1),
}


def _load(name: str) -> Any:
    return ctypes.WinDLL(name, use_last_error=True)  # type: ignore[attr-defined,unused-ignore]


def _last_error() -> int:
    return int(ctypes.get_last_error())  # type: ignore[attr-defined,unused-ignore]


class Windows:
    """Calls by name, their types declared, a failure as OSError with the name and Windows' number."""

    def __init__(self, load: Callable[[str], Any] = _load, last_error: Callable[[], int] = _last_error) -> None:
        self._load = load
        self._last_error = last_error

    def call(self, name: str, *arguments: object) -> int:
        """Call the function; what it returns is never 0."""
        library, result, parameters = SIGNATURES[name]
        try:
            function = getattr(self._load(library), name)
        except AttributeError:
            raise OSError(f"this Windows has no {name}") from None
        function.restype, function.argtypes = result, parameters
        value = function(*arguments)
        if not value:
            raise OSError(f"{name} failed with Windows error {self._last_error()}")
        return int(value)


def put_in_job(pid: int, memory_mb: int, windows: Windows) -> tuple[Callable[[], None], str]:
    """Bound the process by a Job of its own. Returns what ends the Job (and with it the process, should it still run)
    and a detail for people. The Job ends, too, when this program does."""
    limits = ExtendedLimits()
    limits.basic.flags = (
        _PROCESS_TIME
        | _ACTIVE_PROCESS
        | _PROCESS_MEMORY
        | _JOB_MEMORY
        | _DIE_ON_UNHANDLED_EXCEPTION
        | _KILL_ON_JOB_CLOSE
    )
    limits.basic.process_user_time = _CPU_BACKSTOP_SECONDS * 10_000_000
    limits.basic.active_processes = 1
    limits.process_memory = limits.job_memory = memory_mb << 20
    job = windows.call("CreateJobObjectW", None, None)
    try:
        _inform(windows, job, _EXTENDED_LIMITS, limits)
        detail = ""
        try:
            _inform(windows, job, _UI_RESTRICTIONS, _DWORD(_ALL_UI))
        except OSError:
            detail = "without restrictions of the desktop"
        process = windows.call("OpenProcess", _SET_QUOTA_AND_TERMINATE, 0, pid)
        try:
            windows.call("AssignProcessToJobObject", job, process)
        finally:
            windows.call("CloseHandle", process)
    except OSError:
        windows.call("CloseHandle", job)
        raise

    def end() -> None:
        windows.call("CloseHandle", job)

    return end, detail


def _inform(windows: Windows, job: int, kind: int, value: ctypes.Structure | ctypes.c_uint32) -> None:
    windows.call("SetInformationJobObject", job, kind, ctypes.byref(value), ctypes.sizeof(value))


def lower_integrity(windows: Windows) -> str:
    """Remove the privileges of this process and lower it to low integrity: it can't write what is the user's."""
    token = _HANDLE()
    windows.call("OpenProcessToken", windows.call("GetCurrentProcess"), _TOKEN_ACCESS, ctypes.byref(token))
    try:
        detail = ""
        try:
            _remove_privileges(windows, token)
        except OSError:
            detail = "with its privileges"
        sid = ctypes.create_string_buffer(LOW_INTEGRITY, len(LOW_INTEGRITY))
        label = MandatoryLabel(ctypes.addressof(sid), _GROUP_INTEGRITY)
        size = ctypes.sizeof(label) + len(LOW_INTEGRITY)
        windows.call("SetTokenInformation", token, _TOKEN_INTEGRITY_LEVEL, ctypes.byref(label), size)
    finally:
        windows.call("CloseHandle", token)
    return detail


def _remove_privileges(windows: Windows, token: ctypes.c_void_p) -> None:
    """TOKEN_PRIVILEGES is a count and so many of: 8 bytes that name the privilege, 4 bytes of attributes."""
    held = ctypes.create_string_buffer(4096)
    used = _DWORD()
    windows.call("GetTokenInformation", token, _TOKEN_PRIVILEGES, held, len(held), ctypes.byref(used))
    (count,) = struct.unpack_from("<I", held)
    for index in range(count):
        struct.pack_into("<I", held, 4 + 12 * index + 8, _PRIVILEGE_REMOVED)
    windows.call("AdjustTokenPrivileges", token, 0, held, 0, None, None)


def mitigate(windows: Windows) -> str:
    """Give up what a warm worker needs no more; Windows versions know different ones."""
    refused = []
    for name, (policy, flags) in MITIGATIONS.items():
        try:
            windows.call("SetProcessMitigationPolicy", policy, ctypes.byref(_DWORD(flags)), ctypes.sizeof(_DWORD))
        except OSError as error:
            refused.append(name)
            reason = error
    if len(refused) == len(MITIGATIONS):
        raise reason
    return f"without {', '.join(refused)}" if refused else f"{len(MITIGATIONS)} policies"
