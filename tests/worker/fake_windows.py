"""Libraries of Windows whose functions record what they are given, and answer as Microsoft documents it; some may fail,
some may not exist. A process is a real one of this system, so that its pipe can be read."""

from __future__ import annotations

import ctypes
import shlex
import struct
import subprocess
from typing import Any

from gradviz.worker.locks import windows
from gradviz.worker.locks.windows import Windows
from gradviz.worker.process import windows_process

PRIVILEGES = 3
ACCESS_DENIED = 5
USER, GROUP, LOGON, LEVEL = 0x7001, 0x7002, 0x7003, 0x7004  # addresses of SIDs, which nobody here reads
GROUPS = [(GROUP, 0x7), (LEVEL, 0x60), (LOGON, 0xC0000007)]  # the second is an integrity level
ATTRIBUTE_LIST_SIZE = 48
STILL_RUNS = 0x102
CREATIONS = ("CreateProcessW", "CreateProcessAsUserW")
GIVE_A_HANDLE = {"OpenProcessToken": 2, "CreateRestrictedToken": 8, "DuplicateTokenEx": 5}  # in this parameter


class FakeSystem:
    """`failing` and `missing` name functions; "SetInformationJobObject2" is the call for the desktop."""

    def __init__(self, failing: str = "", missing: str = "", is_restricted: bool = True) -> None:
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.open: set[int] = set()
        self.inherited: list[int] = []
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self._failing, self._missing, self._is_restricted = failing, missing, is_restricted

    def windows(self) -> Windows:
        return Windows(lambda name: FakeLibrary(self, name), lambda: ACCESS_DENIED)

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def given(self, name: str) -> tuple[Any, ...]:
        (arguments,) = [arguments for each, arguments in self.calls if each == name]
        return arguments

    def answer(self, name: str, arguments: tuple[Any, ...]) -> int | None:
        self.calls.append((name, restriction(arguments) if name == "CreateRestrictedToken" else each_copied(arguments)))
        if name == self._failing or (name, arguments[1:2]) == (self._failing.rstrip("2"), (windows._UI_RESTRICTIONS,)):
            return 0xFFFFFFFF if name == "ResumeThread" else 0
        if name in GIVE_A_HANDLE:
            arguments[GIVE_A_HANDLE[name]]._obj.value = self._opened()
        elif name in CREATIONS:
            self._create(arguments[-10:])
        elif name == "CloseHandle":
            self.open.remove(number(arguments[0]))
        elif name == "TerminateProcess":
            self.processes[number(arguments[0])].kill()
            self.processes[number(arguments[0])].wait()
        elif name == "GetExitCodeProcess":
            arguments[1]._obj.value = self.processes[number(arguments[0])].wait() & 0xFFFFFFFF
        elif name in ANSWERS:
            return ANSWERS[name](self, arguments)
        return 1

    def lacks(self, name: str) -> bool:
        return name == self._missing

    def told_of_token(self, arguments: tuple[Any, ...]) -> int:
        """GetTokenInformation: 0 and the size where there is no room."""
        _, kind, buffer, size, needed = arguments
        users = struct.pack("<QII", USER, 0, 0)
        groups = struct.pack("<II", len(GROUPS), 0) + b"".join(struct.pack("<QII", *each, 0) for each in GROUPS)
        privileges = struct.pack("<I", PRIVILEGES) + b"".join(
            struct.pack("<III", 20 + index, 0, 2) for index in range(PRIVILEGES)
        )
        data = {1: users, 2: groups, 3: privileges}[kind]
        needed._obj.value = len(data)
        if size < len(data):
            return 0
        ctypes.memmove(buffer, data, len(data))
        return 1

    def attribute_list(self, arguments: tuple[Any, ...]) -> int:
        room, _, _, size = arguments
        size._obj.value = ATTRIBUTE_LIST_SIZE
        return int(room is not None)

    def inherit(self, arguments: tuple[Any, ...]) -> int:
        self.inherited = [handle or 0 for handle in arguments[3]]
        return 1

    def waited(self, arguments: tuple[Any, ...]) -> int:
        """WaitForSingleObject."""
        process, milliseconds = self.processes[number(arguments[0])], arguments[1]
        try:
            process.wait(None if milliseconds == 0xFFFFFFFF else milliseconds / 1000)
        except subprocess.TimeoutExpired:
            return STILL_RUNS
        return 0

    def restricted(self, arguments: tuple[Any, ...]) -> int:
        return int(self._is_restricted)

    def opened(self, arguments: tuple[Any, ...]) -> int:
        return self._opened()

    def _opened(self) -> int:
        handle = 100 + len(self.calls) + 1000 * len(self.open)
        self.open.add(handle)
        return handle

    def _create(self, arguments: tuple[Any, ...]) -> None:
        _, line, _, _, _, _, block, folder, startup, created = arguments
        handles = [startup._obj.stdin, startup._obj.stdout, startup._obj.stderr]
        environment = dict(pair.split("=", 1) for pair in block[:].rstrip("\0").split("\0"))
        process = subprocess.Popen(
            shlex.split(line.value), stdin=handles[0], stdout=handles[1], stderr=handles[2], cwd=folder, env=environment
        )
        created._obj.process, created._obj.thread = self._opened(), self._opened()
        created._obj.process_id = process.pid
        self.processes[created._obj.process] = process


ANSWERS = {
    "GetCurrentProcess": lambda system, arguments: -1,
    "CreateJobObjectW": FakeSystem.opened,
    "OpenProcess": FakeSystem.opened,
    "GetTokenInformation": FakeSystem.told_of_token,
    "InitializeProcThreadAttributeList": FakeSystem.attribute_list,
    "UpdateProcThreadAttribute": FakeSystem.inherit,
    "DeleteProcThreadAttributeList": lambda system, arguments: None,
    "WaitForSingleObject": FakeSystem.waited,
    "IsTokenRestricted": FakeSystem.restricted,
}


class FakeLibrary:
    """One of them, whose functions must be called as they are declared."""

    def __init__(self, system: FakeSystem, name: str) -> None:
        self._system, self._name = system, name

    def __getattr__(self, name: str) -> Any:
        library, _, parameters = windows.SIGNATURES[name]
        if self._system.lacks(name) or library != self._name:
            raise AttributeError(name)

        def function(*arguments: Any) -> int | None:
            assert len(arguments) == len(parameters), name
            for kind, value in zip(parameters, arguments, strict=True):
                kind.from_param(value)
            return self._system.answer(name, arguments)

        return function


def number(handle: Any) -> int:
    return int(handle.value if isinstance(handle, ctypes.c_void_p) else handle)


def each_copied(arguments: tuple[Any, ...]) -> tuple[object, ...]:
    return tuple(map(copied, arguments))


def copied(argument: Any) -> object:
    """The bytes that a pointer points to, as they are now."""
    pointed = getattr(argument, "_obj", argument)
    if isinstance(pointed, windows_process.StartupInfo):
        return windows_process.StartupInfo.from_buffer_copy(pointed)
    is_data = isinstance(pointed, ctypes.Structure | ctypes.Array | ctypes.c_uint32 | ctypes.c_void_p | ctypes.c_size_t)
    return bytes(pointed) if is_data else argument


def restriction(arguments: tuple[Any, ...]) -> tuple[object, ...]:
    """CreateRestrictedToken: what the addresses lead to that it gets beside their counts."""
    _, flags, count, denied, privileges, first, restrictions, restricting, _ = arguments
    assert (count, restrictions) == (len(denied or ()), len(restricting or ()))
    held = ctypes.string_at(first, 12 * privileges) if first else b""
    return flags, sids(denied or ()), struct.unpack(f"<{3 * privileges}I", held), sids(restricting or ())


def sids(array: Any) -> list[object]:
    """Each with its attributes; one that is not the system's is looked at."""
    known = (USER, GROUP, LOGON, LEVEL)
    return [
        (each.sid if each.sid in known else ctypes.string_at(each.sid, 12), each.attributes) for each in array or ()
    ]
