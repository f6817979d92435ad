"""The lock of macOS: `sandbox-exec` around a worker's command, with a profile that lets it compute and little else.

Two profiles, the stricter first: one denies everything but what Python needs to start, modelled on Chromium's and
Codex's; the other allows everything but what a worker must not do, for systems where nothing starts under the first.
Written after those and Apple's own, but not tried on a Mac by us. The later rule of a profile wins. Paths are resolved
first, because the kernel sees `/private/var` where people write `/var`. Caller: `starting`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
_TRUE = "/usr/bin/true"
_PROBE_SECONDS = 10
_SERVICES = ("com.apple.system.notification_center", "com.apple.system.logger", "com.apple.logd")
_PRIVATE = ("/Users", "/Volumes", "/Network", "/private/var/folders", "/private/tmp", "/private/var/root")
_LIBRARIES = (  # of the system, of its updates, and of those who build Python with their own libraries
    "/usr/lib", "/System/Library/Frameworks", "/System/Library/PrivateFrameworks", "/System/Library/SubFrameworks",
    "/System/Library/dyld", "/System/Cryptexes", "/System/Volumes/Preboot/Cryptexes", "/Library/Apple/usr/lib",
    "/Library/Apple/System/Library/Frameworks", "/private/var/db/dyld", "/opt/homebrew/opt", "/opt/homebrew/Cellar",
    "/opt/homebrew/lib", "/opt/local/lib", "/usr/local/opt", "/usr/local/Cellar", "/usr/local/lib",
)  # fmt: skip
_CLOCK = ("/private/var/db/timezone", "/usr/share/zoneinfo", "/usr/share/zoneinfo.default", "/usr/share/icu")
_VERSION = (
    "/System/Library/CoreServices/SystemVersion.plist", "/System/Library/CoreServices/SystemVersionCompat.plist",
    "/private/etc/localtime", "/dev/random", "/dev/urandom",
)  # fmt: skip
_FACTS = (  # about the machine and the system; not its name
    "hw.activecpu", "hw.byteorder", "hw.cachelinesize", "hw.cachelinesize_compat", "hw.cacheconfig", "hw.cpufamily",
    "hw.cpufrequency_compat", "hw.cputype", "hw.l1dcachesize", "hw.l1icachesize", "hw.l2cachesize", "hw.l3cachesize",
    "hw.logicalcpu", "hw.logicalcpu_max", "hw.machine", "hw.memsize", "hw.model", "hw.ncpu", "hw.nperflevels",
    "hw.packages", "hw.pagesize", "hw.pagesize_compat", "hw.physicalcpu", "hw.physicalcpu_max",
    "hw.tbfrequency_compat", "hw.vectorunit", "kern.argmax", "kern.maxfilesperproc", "kern.osproductversion",
    "kern.osrelease", "kern.ostype", "kern.osvariant_status", "kern.osversion", "kern.secure_kernel",
    "kern.usrstack64", "kern.version", "machdep.cpu.brand_string", "sysctl.proc_cputype",
)  # fmt: skip
_KINDS_OF_FACTS = ("hw.optional.", "hw.perflevel", "machdep.cpu.")

_STRICT = """(version 1)
(deny default)
(allow signal (target self))
(allow process-info* (target self))
(allow process-exec* {readable})
(allow sysctl-read {facts})
(allow mach-lookup {services})
(allow ipc-posix-shm-read-data (ipc-posix-name "apple.shm.notification_center"))
(allow file-read* file-map-executable {readable} {libraries})
(allow file-read* {listed} {clock} {version})
(allow file-read* file-write-data (literal "/dev/null"))
(allow file-read* file-write-data file-ioctl (literal "/dev/dtracehelper"))
(allow file-read-metadata {ancestors})
"""
_LENIENT = """(version 1)
(allow default)
(deny network*)
(deny mach-lookup)
(allow mach-lookup {services})
(deny appleevent-send)
(deny process-info*)
(allow process-info* (target self))
(deny signal)
(allow signal (target self))
(deny process-fork)
(deny process-exec*)
(allow process-exec* {readable})
(deny file-write*)
(allow file-write-data (literal "/dev/null"))
(deny file-read* {private})
(allow file-read* {readable} {listed})
(allow file-read-metadata {ancestors})
"""


@dataclass(frozen=True)
class Profile:
    """Rules with placeholders for paths, and what to say about them."""

    rules: str
    detail: str = ""

    @property
    def state(self) -> str:
        """Return the layer's state with this profile."""
        return f"on ({self.detail})" if self.detail else "on"


PROFILES = (Profile(_STRICT), Profile(_LENIENT, "files of the system stay readable"))


def quoted(text: str) -> str:
    """Return a string literal of the profile's language, which is Scheme."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def written(profile: Profile, readable: Sequence[str], listed: Sequence[str] = ()) -> str:
    """Return the profile for a worker that may read and execute what is under these folders, and list those."""
    folders = sorted({os.path.realpath(path) for path in readable})
    lists = sorted({os.path.realpath(path) for path in listed})
    ancestors = {above for path in (*folders, *lists, *_LIBRARIES, *_CLOCK, *_VERSION) for above in _above(path)}
    return profile.rules.format(
        services=_each("global-name", _SERVICES),
        facts=f"{_each('sysctl-name', _FACTS)} {_each('sysctl-name-prefix', _KINDS_OF_FACTS)}",
        readable=_each("subpath", folders),
        listed=_each("literal", ["/", *lists]),
        libraries=_each("subpath", _LIBRARIES),
        clock=_each("subpath", _CLOCK),
        version=_each("literal", _VERSION),
        private=_each("subpath", _PRIVATE),
        ancestors=_each("literal", sorted({*ancestors, "/etc", "/tmp", "/var"})),
    )


def _each(kind: str, values: Sequence[str]) -> str:
    return " ".join(f"({kind} {quoted(value)})" for value in values)


def _above(path: str) -> list[str]:
    parent = os.path.dirname(path)
    return [parent] if parent == path else [parent, *_above(parent)]


def sandbox(
    profile: Profile,
    readable: Sequence[str],
    listed: Sequence[str] = (),
    run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run,
) -> list[str]:
    """Return what to put before a command; OSError says why there is no sandbox. The profile is tried on `true` first,
    because a wrong one ends the program at once."""
    if not os.access(SANDBOX_EXEC, os.X_OK):
        raise OSError("this system has no sandbox-exec")
    probe = [SANDBOX_EXEC, "-p", written(profile, [*readable, _TRUE], listed), _TRUE]
    try:
        tried = run(probe, capture_output=True, text=True, errors="replace", timeout=_PROBE_SECONDS)
    except subprocess.SubprocessError as error:
        raise OSError(str(error)) from None
    if tried.returncode:
        said = tried.stderr.strip().splitlines()
        raise OSError(said[-1] if said else f"sandbox-exec ended with {tried.returncode}")
    return [SANDBOX_EXEC, "-p", written(profile, readable, listed)]
