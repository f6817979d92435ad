"""The whole life of the .deb on a fresh system: `python packaging/clean_root.py dist/gradviz_…_amd64.deb`, as root.

A small Debian is made with debootstrap, with no Python and nothing of a desktop. There the portable archive says which
libraries a bare server lacks; an older version of the package is installed by apt, a user named pupil works with it, it
is upgraded, a file is opened by its file association under Xvfb and stepped to the end, and the package is removed.
While the program runs there is no network. The first check that fails ends it with status 1."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from smoke_test import LOCKS

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "packages"
OLD = "0.0.1"
# What the test itself uses; nothing of it brings Python.
TOOLS = """
    xvfb xauth jwm xdotool x11-apps x11-utils libglib2.0-bin desktop-file-utils shared-mime-info fonts-dejavu-core
""".split()
CHANGED_BY_APT = tuple("/var/ /etc/ld.so.cache /opt/test/ /tmp/ /home/ /run/ /proc/ /sys/ /dev/ /root/".split())
SETTINGS = "/home/pupil/.config/GradViz/GradViz.ini"


def check(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"FAILED: {what}")
    print(f"ok: {what}", flush=True)


def host(*command: str | Path, **more: object) -> None:
    """A command on the system that tests."""
    subprocess.run([str(each) for each in command], check=True, **more)  # type: ignore[call-overload]


class Chroot:
    """The fresh system; what runs in it has a process tree and mounts of its own that end with the command."""

    def __init__(self, folder: Path, base: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        if not (base / "usr/bin/apt-get").exists():
            shutil.rmtree(base, ignore_errors=True)
            host("debootstrap", "--variant=minbase", "bookworm", base, stdout=subprocess.DEVNULL)
        host("cp", "-a", base, folder)
        for place in ("etc/resolv.conf", "etc/hosts"):
            shutil.copyfile(f"/{place}", folder / place)
        (folder / "opt/test").mkdir(parents=True)

    def run(self, command: str, user: str = "root", network: bool = True, expected: int = 0, seconds: int = 400) -> str:
        """What a shell command prints."""
        inside = f"mount -t proc proc {self.folder}/proc; exec chroot {self.folder} "
        inside += f'su -s /bin/sh -c "$0" {user}'
        spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"])]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        limit = ["timeout", "--kill-after=5", str(seconds)]
        done = subprocess.run(
            [*limit, *spaces, "sh", "-c", inside, command], env=environment, capture_output=True, text=True
        )
        said = done.stdout + done.stderr
        if done.returncode != expected:
            raise SystemExit(f"FAILED: {command}\nended with {done.returncode}:\n{said[-3000:]}")
        return said

    def files(self) -> set[str]:
        """Every path in it, without what apt keeps for itself."""
        found = subprocess.run(["find", ".", "-xdev"], cwd=self.folder, capture_output=True, text=True, check=True)
        paths = {line[1:] for line in found.stdout.splitlines()}
        return {path for path in paths if not path.startswith(CHANGED_BY_APT)}


def field(deb: Path, name: str) -> str:
    """What the package says of itself."""
    command = ["dpkg-deb", "-f", str(deb), name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def older(deb: Path, work: Path) -> Path:
    """The same package under an older version; a quick compression."""
    folder = work / "older"
    shutil.rmtree(folder, ignore_errors=True)
    host("dpkg-deb", "--raw-extract", deb, folder)
    control = folder / "DEBIAN/control"
    lines = [f"Version: {OLD}" if line.startswith("Version:") else line for line in control.read_text().splitlines()]
    control.write_text("\n".join(lines) + "\n")
    target = work / f"gradviz_{OLD}.deb"
    host("dpkg-deb", "--root-owner-group", "-Zxz", "-z0", "--build", folder, target, stdout=subprocess.DEVNULL)
    shutil.rmtree(folder)
    return target


def bare_server(root: Chroot, archive: Path) -> None:
    """The program starts on a system without any library of a desktop, and says what to install."""
    host("tar", "-xf", archive, "-C", root.folder / "opt/test")
    program = f"/opt/test/{archive.name.removesuffix('.tar.xz')}/bin/gradviz"
    check("gradviz" in root.run(f"{program} --version"), "the portable program starts on a bare system")
    root.run("printf 'import torch\\nprint(torch.ones(2).sum())\\n' > /opt/test/sum.py")
    check("tensor(2.)" in root.run(f"{program} run /opt/test/sum.py", "pupil"), "and runs a snippet there")
    said = root.run(f"{program} /opt/test/sum.py --screenshot /tmp/out.png", "pupil", expected=1)
    check("sudo apt-get install" in said and "libgl1" in said, f"without OpenGL it says: {said.strip()}")
    root.run("rm -r /opt/test/gradviz-*")


def installed(root: Chroot, deb: Path, what: str) -> None:
    shutil.copyfile(deb, root.folder / "opt/test/gradviz.deb")
    root.run("apt-get install -y --no-install-recommends /opt/test/gradviz.deb")
    check(root.run("test -e /usr/bin/python3 || echo none").strip() == "none", f"{what}, and there is no Python")


SESSION = """
set -e
export DISPLAY=:77 XDG_RUNTIME_DIR=/tmp/run-pupil
mkdir -p -m 700 $XDG_RUNTIME_DIR
rm -f /tmp/.X77-lock /tmp/.X11-unix/X77
Xvfb :77 -screen 0 1400x900x24 >/tmp/xvfb.log 2>&1 &
for i in $(seq 100); do xdpyinfo >/dev/null 2>&1 && break; sleep 0.1; done; cat /tmp/xvfb.log
jwm >/dev/null 2>&1 &
cd ~
{start}
window=$(timeout 20 xdotool search --sync --onlyvisible --class GradViz | tail -1)
sleep 3
{keys}
xprop -id $window WM_CLASS
xwd -root -silent > /tmp/{name}.xwd
xdotool key --window $window ctrl+q
{end}
"""


def session(root: Chroot, name: str, start: str, keys: str, end: str) -> str:
    """Pupil works in a window; a picture of the screen stays as /tmp/NAME.xwd."""
    return root.run(SESSION.format(name=name, start=start, keys=keys, end=end), "pupil", network=False, seconds=60)


def picture(root: Chroot, name: str, folder: Path) -> Path:
    """The picture of a session as a PNG, by the Qt of the build environment."""
    target = folder / f"{name}.png"
    code = (
        "import sys, struct; from PySide6.QtGui import QImage; data = open(sys.argv[1], 'rb').read();"
        "head = struct.unpack('>25I', data[:100]); at = head[0] + 12 * head[19];"
        "form = QImage.Format.Format_RGB32 if head[11] == 32 else QImage.Format.Format_BGR888;"
        "QImage(data[at:], head[4], head[5], head[12], form).save(sys.argv[2])"
    )
    host(WORK / "venv/bin/python", "-c", code, root.folder / f"tmp/{name}.xwd", target)
    return target


GONE = "for i in $(seq 100); do pgrep -x gradviz >/dev/null || break; sleep 0.1; done; ! pgrep -x gradviz"


def opened_by_association(root: Chroot, pictures: Path) -> None:
    """A double click on a file, as the desktop does it."""
    root.run("cp /usr/lib/gradviz/_internal/resources/examples/24*.gradviz ~/example.gradviz", "pupil")
    said = root.run("gio info -a standard::content-type ~/example.gradviz", "pupil")
    check("application/x-gradviz+json" in said, "the file has its own type")
    said = root.run("gio mime application/x-gradviz+json", "pupil")
    check("org.gradviz.GradViz.desktop" in said.splitlines()[0], "the type opens with GradViz by default")
    said = root.run("gio mime text/x-python", "pupil")
    check("org.gradviz.GradViz.desktop" in said, "Python files can be opened with it")
    keys = "xdotool key --window $window F5; sleep 3; xdotool key --window $window alt+End; sleep 2"
    said = session(root, "association", "gio open example.gradviz", keys, GONE)
    check('"GradViz"' in said, "the window has the class that the menu entry names")
    print(f"   picture: {picture(root, 'association', pictures)}")


def opened_by_name(root: Chroot, pictures: Path) -> None:
    root.run("cp /usr/lib/gradviz/_internal/resources/examples/01*.py ~/example.py", "pupil")
    session(root, "snippet", "gradviz example.py --step end & program=$!", "sleep 2", "wait $program")
    check(True, "a snippet opens by name, steps to the end and the program exits with 0")
    print(f"   picture: {picture(root, 'snippet', pictures)}")


def locks(root: Chroot) -> None:
    said = root.run("gradviz --version --verbose", "pupil", network=False)
    held = next(line for line in said.splitlines() if line.startswith("This system")).partition("Missing here")[0]
    for lock in LOCKS["linux"]:
        check(lock in held, f"the worker of the installed program is held by {lock}")


def main(deb: Path, archive: Path, pictures: Path) -> None:
    """All of it."""
    pictures.mkdir(parents=True, exist_ok=True)
    version, depends = field(deb, "Version"), field(deb, "Depends")
    root = Chroot(WORK / "root", WORK / "debian")
    root.run("useradd --create-home pupil")
    bare_server(root, archive)
    root.run("apt-get update")
    root.run(f"apt-get install -y --no-install-recommends {' '.join(TOOLS)}")
    libraries = " ".join(each.split()[0] for each in depends.split(","))
    root.run(f"apt-get install -y --no-install-recommends {libraries}")
    before = root.files()
    installed(root, older(deb, WORK), f"version {OLD} is installed")
    session(root, "first", "gradviz & program=$!", "", "wait $program")
    root.run(f"grep -q General {SETTINGS} || sed -i '1i [General]' {SETTINGS}", "pupil")
    root.run(f"sed -i '/^theme=/d; /General/a theme=dark' {SETTINGS}; grep -q theme=dark {SETTINGS}", "pupil")
    installed(root, deb, f"it is upgraded to {version}")
    check(version in root.run("gradviz --version", "pupil"), "the new version is there")
    opened_by_association(root, pictures)
    opened_by_name(root, pictures)
    check("theme=dark" in root.run(f"cat {SETTINGS}", "pupil"), "the user's settings are kept")
    locks(root)
    root.run("apt-get purge -y gradviz")
    left = sorted(root.files() - before)
    check(not left, f"removed without a trace{': ' if left else ''}{' '.join(left[:20])}")
    check("theme=dark" in root.run(f"cat {SETTINGS}", "pupil"), "the user's own files stay")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Install, use, upgrade and remove the .deb on a fresh Debian.")
    parser.add_argument("deb", type=Path)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--pictures", type=Path, default=WORK / "pictures")
    if os.geteuid() != 0:
        sys.exit("This needs root: it makes a system of its own and changes into it.")
    options = parser.parse_args()
    main(options.deb.resolve(), options.archive.resolve(), options.pictures)
