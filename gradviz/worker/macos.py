"""The lock of macOS: `sandbox-exec` around a worker's command, with a profile that leaves it computing and little else.

Written after Apple's profiles and others' experience, not run on a Mac by us. The later rule of a profile wins. Paths
are resolved first, because the kernel sees `/private/var` where people write `/var`. Who calls: `starting`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
_TRUE = "/usr/bin/true"
_PROBE_SECONDS = 10
_PRIVATE = ("/Users", "/Volumes", "/Network", "/private/var/folders", "/private/tmp", "/private/var/root")
_SERVICES = ("com.apple.system.notification_center", "com.apple.system.logger", "com.apple.logd")

_RULES = """(version 1)
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
(allow file-read* {readable})
(allow file-read-metadata {ancestors})
"""


def quoted(text: str) -> str:
    """A string of the profile's language, which is Scheme."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def profile(readable: Sequence[str]) -> str:
    """The profile for a worker that may read and execute what is under these folders, besides the system."""
    folders = sorted({os.path.realpath(path) for path in readable})
    ancestors = sorted({above for path in folders for above in _above(path)})
    return _RULES.format(
        services=" ".join(f"(global-name {quoted(name)})" for name in _SERVICES),
        readable=" ".join(f"(subpath {quoted(path)})" for path in folders),
        private=" ".join(f"(subpath {quoted(path)})" for path in _PRIVATE),
        ancestors=" ".join(f"(literal {quoted(path)})" for path in ancestors),
    )


def _above(path: str) -> list[str]:
    parent = os.path.dirname(path)
    return [parent] if parent == path else [parent, *_above(parent)]


def sandbox(
    readable: Sequence[str], run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run
) -> list[str]:
    """What to put before a command; OSError says why there is no sandbox. The profile is tried on `true` first,
    because a wrong one ends the program at once."""
    if not os.access(SANDBOX_EXEC, os.X_OK):
        raise OSError("this system has no sandbox-exec")
    probe = [SANDBOX_EXEC, "-p", profile([*readable, _TRUE]), _TRUE]
    try:
        tried = run(probe, capture_output=True, text=True, errors="replace", timeout=_PROBE_SECONDS)
    except subprocess.SubprocessError as error:
        raise OSError(str(error)) from None
    if tried.returncode:
        said = tried.stderr.strip().splitlines()
        raise OSError(said[-1] if said else f"sandbox-exec ended with {tried.returncode}")
    return [SANDBOX_EXEC, "-p", profile(readable)]
