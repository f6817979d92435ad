"""The locks of Windows, by ctypes alone: the calls, a Job that the program puts around a worker, and what a worker
gives up itself when it is warm.

None needs an administrator. The tokens with which a worker starts, and its start, are in `windows_process`. Everything
follows the published interfaces; each call that fails raises OSError, and the caller reports that lock as absent.
Callers: `starting` (what is applied from outside), `oslock` (the rest)."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable
from dataclasses import dataclass

NO_WINDOW = 0x08000000  # CREATE_NO_WINDOW: a worker has no console, not even a hidden one of the program's
_CPU_BACKSTOP_SECONDS = 3600

HANDLE, POINTER, SIZE = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
BOOL, INT, DWORD = ctypes.c_int32, ctypes.c_int32, ctypes.c_uint32  # a C long has 32 bits on Windows only
TEXT = ctypes.c_wchar_p

_CREATION = (TEXT, POINTER, POINTER, POINTER, BOOL, DWORD, POINTER, TEXT, POINTER, POINTER)

# function -> (library, return type, parameter types)
SIGNATURES: dict[str, tuple[str, object, tuple[object, ...]]] = {
    "CreateJobObjectW": ("kernel32", HANDLE, (POINTER, POINTER)),
    "SetInformationJobObject": ("kernel32", BOOL, (HANDLE, INT, POINTER, DWORD)),
    "OpenProcess": ("kernel32", HANDLE, (DWORD, BOOL, DWORD)),
    "AssignProcessToJobObject": ("kernel32", BOOL, (HANDLE, HANDLE)),
    "CloseHandle": ("kernel32", BOOL, (HANDLE,)),
    "CreateProcessW": ("kernel32", BOOL, _CREATION),
    "InitializeProcThreadAttributeList": ("kernel32", BOOL, (POINTER, DWORD, DWORD, POINTER)),
    "UpdateProcThreadAttribute": ("kernel32", BOOL, (POINTER, DWORD, SIZE, POINTER, SIZE, POINTER, POINTER)),
    "DeleteProcThreadAttributeList": ("kernel32", None, (POINTER,)),
    "ResumeThread": ("kernel32", DWORD, (HANDLE,)),
    "WaitForSingleObject": ("kernel32", DWORD, (HANDLE, DWORD)),
    "GetExitCodeProcess": ("kernel32", BOOL, (HANDLE, POINTER)),
    "TerminateProcess": ("kernel32", BOOL, (HANDLE, DWORD)),
    "GetCurrentProcess": ("kernel32", HANDLE, ()),
    "SetProcessMitigationPolicy": ("kernel32", BOOL, (INT, POINTER, SIZE)),
    "OpenProcessToken": ("advapi32", BOOL, (HANDLE, DWORD, POINTER)),
    "GetTokenInformation": ("advapi32", BOOL, (HANDLE, INT, POINTER, DWORD, POINTER)),
    "AdjustTokenPrivileges": ("advapi32", BOOL, (HANDLE, BOOL, POINTER, DWORD, POINTER, POINTER)),
    "SetTokenInformation": ("advapi32", BOOL, (HANDLE, INT, POINTER, DWORD)),
    "CreateRestrictedToken": (
        "advapi32", BOOL, (HANDLE, DWORD, DWORD, POINTER, DWORD, POINTER, DWORD, POINTER, POINTER)
    ),
    "DuplicateTokenEx": ("advapi32", BOOL, (HANDLE, DWORD, POINTER, INT, INT, POINTER)),
    "CreateProcessAsUserW": ("advapi32", BOOL, (HANDLE, *_CREATION)),
    "SetThreadToken": ("advapi32", BOOL, (POINTER, HANDLE)),
    "IsTokenRestricted": ("advapi32", BOOL, (HANDLE,)),
    "RevertToSelf": ("advapi32", BOOL, ()),
}  # fmt: skip


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_user_time", ctypes.c_int64),
        ("job_user_time", ctypes.c_int64),
        ("flags", DWORD),
        ("least_working_set", SIZE),
        ("most_working_set", SIZE),
        ("active_processes", DWORD),
        ("affinity", SIZE),
        ("priority", DWORD),
        ("scheduling", DWORD),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", SIZE),
        ("job_memory", SIZE),
        ("peak_process_memory", SIZE),
        ("peak_job_memory", SIZE),
    )


class MandatoryLabel(ctypes.Structure):
    """TOKEN_MANDATORY_LABEL: a SID and its attributes."""

    _fields_ = (("sid", POINTER), ("attributes", DWORD))


_PROCESS_TIME, _ACTIVE_PROCESS, _PROCESS_MEMORY, _JOB_MEMORY = 0x2, 0x8, 0x100, 0x200
_DIE_ON_UNHANDLED_EXCEPTION, _KILL_ON_JOB_CLOSE = 0x400, 0x2000
_EXTENDED_LIMITS, _UI_RESTRICTIONS = 9, 4  # JOBOBJECTINFOCLASS
_ALL_UI = 0xFF  # foreign handles, clipboard both ways, system parameters, display, global atoms, desktop, exit
_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001

_QUERY_TOKEN = 0x0008
_TOKEN_ACCESS = _QUERY_TOKEN | 0x0020 | 0x0080  # adjust privileges, adjust default
_TOKEN_PRIVILEGES, _TOKEN_INTEGRITY_LEVEL = 3, 25  # TOKEN_INFORMATION_CLASS
_PRIVILEGE_REMOVED, _GROUP_INTEGRITY = 0x4, 0x20
LOW_INTEGRITY = struct.pack("<BB6BI", 1, 1, 0, 0, 0, 0, 0, 16, 4096)  # the SID S-1-16-4096

MITIGATIONS = {  # PROCESS_MITIGATION_POLICY and its flags; a warm worker needs nothing that they refuse
    "dynamic code": (2, 1),
    "extension points": (6, 1),
    "unsigned libraries": (8, 1),
    "fonts": (9, 1),
    "remote libraries": (10, 1 | 2),  # and those of low integrity
    "child processes": (13, 1),
}


def _load(name: str) -> object:
    return ctypes.WinDLL(name, use_last_error=True)  # type: ignore[attr-defined,unused-ignore]


def _last_error() -> int:
    return int(ctypes.get_last_error())  # type: ignore[attr-defined,unused-ignore]


class Windows:
    """Calls by name, with declared types; a failure raises OSError with the name and Windows' error number."""

    def __init__(self, load: Callable[[str], object] = _load, last_error: Callable[[], int] = _last_error) -> None:
        self._load = functools.cache(load)  # nothing can be loaded once the locks are closed
        self._last_error = last_error

    def call(self, name: str, *arguments: object) -> int:
        """Call a function that returns nonzero on success."""
        value = self.ask(name, *arguments)
        if not value:
            raise self.failure(name)
        return value

    def ask(self, name: str, *arguments: object) -> int:
        """Call a function, whatever it returns."""
        library, result, parameters = SIGNATURES[name]
        try:
            function = getattr(self._load(library), name)
        except AttributeError:
            raise OSError(f"this Windows has no {name}") from None
        function.restype, function.argtypes = result, parameters
        return int(function(*arguments) or 0)

    def failure(self, name: str) -> OSError:
        """Return the error to raise for a call that has just failed."""
        return OSError(f"{name} failed with Windows error {self._last_error()}")


@dataclass(frozen=True)
class Job:
    """A Job for one process, with a description for people. It ends, and the process with it, when it is closed or this
    program ends."""

    handle: int
    detail: str
    windows: Windows

    def take(self, process: int) -> None:
        """Put a process into the Job, by its handle."""
        self.windows.call("AssignProcessToJobObject", self.handle, process)

    def close(self) -> None:
        """End the Job."""
        self.windows.call("CloseHandle", self.handle)


def make_job(memory_mb: int, windows: Windows) -> Job:
    """Make a Job with limits for memory and processor time, for one process without access to the desktop."""
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
    except OSError:
        windows.call("CloseHandle", job)
        raise
    try:
        _inform(windows, job, _UI_RESTRICTIONS, DWORD(_ALL_UI))
    except OSError:
        return Job(job, "without restrictions of the desktop", windows)
    return Job(job, "", windows)


def put_in_job(pid: int, job: Job) -> None:
    """Put an already running process into the Job."""
    process = job.windows.call("OpenProcess", _SET_QUOTA_AND_TERMINATE, 0, pid)
    try:
        job.take(process)
    finally:
        job.windows.call("CloseHandle", process)


def _inform(windows: Windows, job: int, kind: int, value: ctypes.Structure | ctypes.c_uint32) -> None:
    windows.call("SetInformationJobObject", job, kind, ctypes.byref(value), ctypes.sizeof(value))


def give_up_start(windows: Windows) -> str:
    """Drop the token with which the first thread of this process was started: from now on it only has that of the
    process, to which nothing is granted (`windows_process`)."""
    token = HANDLE()
    windows.call("OpenProcessToken", windows.call("GetCurrentProcess"), _QUERY_TOKEN, ctypes.byref(token))
    try:
        if not windows.ask("IsTokenRestricted", token):
            raise OSError("the process was started without one")
    finally:
        windows.call("CloseHandle", token)
    windows.call("RevertToSelf")
    return ""


def lower_integrity(windows: Windows) -> str:
    """Remove the privileges of this process and lower it to low integrity: it can't write to what belongs to the
    user."""
    token = HANDLE()
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
    """Remove all privileges. TOKEN_PRIVILEGES is a count and that many entries: 8 bytes that name the privilege, 4
    bytes of attributes."""
    held = ctypes.create_string_buffer(4096)
    used = DWORD()
    windows.call("GetTokenInformation", token, _TOKEN_PRIVILEGES, held, len(held), ctypes.byref(used))
    (count,) = struct.unpack_from("<I", held)
    for index in range(count):
        struct.pack_into("<I", held, 4 + 12 * index + 8, _PRIVILEGE_REMOVED)
    windows.call("AdjustTokenPrivileges", token, 0, held, 0, None, None)


def mitigate(windows: Windows) -> str:
    """Give up what a warm worker no longer needs; the policies differ between versions of Windows."""
    refused = []
    for name, (policy, flags) in MITIGATIONS.items():
        try:
            windows.call("SetProcessMitigationPolicy", policy, ctypes.byref(DWORD(flags)), ctypes.sizeof(DWORD))
        except OSError as error:
            refused.append(name)
            reason = error
    if len(refused) == len(MITIGATIONS):
        raise reason
    return f"without {', '.join(refused)}" if refused else f"{len(MITIGATIONS)} policies"
