"""Preconditions for Qt: a display that answers, and the system libraries that Qt loads. Qt itself would abort the
process; here each missing piece is a sentence that says what to do. This module uses no Qt."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

HEADLESS = ("offscreen", "minimal", "minimalegl", "vnc", "linuxfb", "eglfs")

# Library file -> Debian or Ubuntu package. Qt always needs the first ones, the others for a window under X11.
ALWAYS = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
}
X11 = {
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
NO_DISPLAY = (
    "There is no display. Start GradViz on a desktop, or run it without a window: "
    "`gradviz run FILE` prints what happens, "
    "`gradviz FILE --step end --screenshot OUT.png` draws the window into a file."
)


def complain(text: str) -> None:
    """Print a line on standard error; a program started by double click may have none."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{text}\n")


def obstacle(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str | None:
    """The sentence that says why no window can open, or None."""
    if not platform.startswith("linux"):
        return None
    chosen = environment.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
    if chosen in HEADLESS:
        return missing_libraries(ALWAYS)
    wayland, x11 = wayland_answers(environment), x11_answers(environment)
    if not wayland and not x11:
        return NO_DISPLAY
    return missing_libraries(ALWAYS if wayland and not x11 else ALWAYS | X11)


def missing_libraries(libraries: Mapping[str, str]) -> str | None:
    """The packages to install; None if every library can be loaded."""
    packages = [package for name, package in libraries.items() if not _loads(name)]
    if not packages:
        return None
    names = " ".join(packages)
    return f"Qt needs system libraries that are not installed. On Debian or Ubuntu: sudo apt-get install {names}"


def import_obstacle(error: ImportError) -> str:
    """The sentence for Qt modules that cannot be imported."""
    found = re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object", str(error))
    if found:
        package = (ALWAYS | X11).get(found[1])
        how = f"sudo apt-get install {package}" if package else f"install the package that has {found[1]}"
        return f"Qt needs the system library {found[1]}, which is not installed. On Debian or Ubuntu: {how}"
    return f"Qt cannot be loaded ({error}). Install GradViz again with: pip install --force-reinstall gradviz"


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def wayland_answers(environment: Mapping[str, str]) -> bool:
    """Whether a Wayland compositor listens where the environment says."""
    name = environment.get("WAYLAND_DISPLAY", "")
    if not name:
        return False
    import socket

    place = Path(environment.get("XDG_RUNTIME_DIR", "/")) / name
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(str(place))
        except OSError:
            return False
    return True


def x11_answers(environment: Mapping[str, str]) -> bool:
    """Whether the X server of DISPLAY accepts a connection; without libxcb nobody is asked, and its package is reported
    later."""
    display = environment.get("DISPLAY", "")
    if not display:
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    fails = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not fails
