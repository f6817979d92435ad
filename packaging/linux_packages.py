"""The frozen folder as packages for Linux: a .deb, and an archive that installs itself for one user. Both hold the same
tree below a prefix: bin, lib/gradviz, share. Run by `build_packages.py`: `python linux_packages.py deb FROZEN OUT`."""

from __future__ import annotations

import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from email.utils import formatdate
from pathlib import Path

import icons
import libraries

from gradviz import __version__

HERE = Path(__file__).parent
ROOT = HERE.parent
NAME = "org.gradviz.GradViz"
MAINTAINER = "The GradViz developers <maintainers@gradviz.org>"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
XZ = "-9"
SHARED = {  # below share/
    f"applications/{NAME}.desktop": f"linux/{NAME}.desktop",
    f"metainfo/{NAME}.metainfo.xml": f"linux/{NAME}.metainfo.xml",
    f"mime/packages/{NAME}.xml": f"linux/{NAME}.mime.xml",
    "bash-completion/completions/gradviz": "completions/gradviz",
    "zsh/vendor-completions/_gradviz": "completions/_gradviz",
    "fish/vendor_completions.d/gradviz.fish": "completions/gradviz.fish",
}
CONTROL = """Package: gradviz
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: fonts-dejavu-core | fonts-liberation | fonts-noto-core
Section: education
Priority: optional
Homepage: https://gradviz.org
Description: see what backward() does, one step at a time
 GradViz runs a PyTorch snippet, or a graph that was drawn by hand, and shows
 its computational graph, forward and backward, one node at a time, with the
 values, gradients and saved buffers of every step and a sentence about it.
 .
 It has its own engine: neither PyTorch nor Python needs to be installed, and
 it uses no network. Snippets run in a process that the kernel locks.
"""
OVERRIDES = """# Python, Qt, NumPy and the fonts travel along as their makers built them, with their licences.
gradviz: custom-library-search-path
gradviz: duplicate-font-file
gradviz: embedded-library
gradviz: extra-license-file
gradviz: hardening-no-bindnow
gradviz: hardening-no-fortify-functions
gradviz: hardening-no-pie
gradviz: library-not-linked-against-libc
gradviz: package-contains-documentation-outside-usr-share-doc
gradviz: shared-library-lacks-prerequisites
gradviz: unstripped-binary-or-object
"""


def fill(frozen: Path, tree: Path) -> None:
    """What is installed below a prefix."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(frozen, tree / "lib/gradviz", symlinks=True)
    (tree / "bin").mkdir()
    (tree / "bin/gradviz").symlink_to("../lib/gradviz/gradviz")
    for target, source in SHARED.items():
        _copy(HERE / source, tree / "share" / target)
    hicolor = tree / "share/icons/hicolor"
    _copy(icons.SOURCE, hicolor / f"scalable/apps/{NAME}.svg")
    for size in icons.LINUX:
        target = hicolor / f"{size}x{size}/apps/{NAME}.png"
        target.parent.mkdir(parents=True)
        target.write_bytes(icons.png(size))
    _zipped((HERE / "linux/gradviz.1").read_bytes(), tree / "share/man/man1/gradviz.1.gz")
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            is_program = path.parent == tree / "lib/gradviz" and path.is_file()
            path.chmod(0o755 if path.is_dir() or is_program else 0o644)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _zipped(data: bytes, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(data, 9, mtime=0))


def deb(frozen: Path, out: Path, work: Path) -> Path:
    """The package for Debian, Ubuntu and what comes from them."""
    root = work / "deb"
    shutil.rmtree(root, ignore_errors=True)
    fill(frozen, root / "usr")
    _documents(root / "usr/share/doc/gradviz")
    _text(root / "usr/share/lintian/overrides/gradviz", OVERRIDES)
    files = sorted(path for path in (root / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files]
    architecture = ARCHITECTURES[platform.machine()]
    control = CONTROL.format(
        version=__version__,
        architecture=architecture,
        maintainer=MAINTAINER,
        size=sum(path.stat().st_size for path in files) // 1024,
        depends=", ".join(_depends(frozen)),
    )
    _text(root / "DEBIAN/control", control)
    _text(root / "DEBIAN/md5sums", "".join(sums))
    target = out / f"gradviz_{__version__}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{XZ[1:]}", "--build", str(root), str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def _depends(frozen: Path) -> list[str]:
    floor = libraries.floor(frozen)
    return [f"{name} (>= {floor})" if name == "libc6" else name for name in libraries.packages(frozen)]


def _documents(folder: Path) -> None:
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    entry = (
        f"gradviz ({__version__}) stable; urgency=medium\n\n  * See changelog.gz.\n\n"
        f" -- {MAINTAINER}  {formatdate(epoch, usegmt=True).replace('GMT', '+0000')}\n"
    )
    _zipped(entry.encode(), folder / "changelog.Debian.gz")
    _zipped((ROOT / "CHANGELOG.md").read_bytes(), folder / "changelog.gz")
    licence = (ROOT / "LICENSE").read_text("utf-8").strip()
    holder = next(line for line in licence.splitlines() if line.startswith("Copyright"))
    body = "\n".join(f" {line}" if line else " ." for line in licence.splitlines())
    head = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: GradViz\n"
    parts = "Comment:\n The program holds parts of others; /usr/lib/gradviz/_internal has their licences\n"
    parts += " in licenses, and a list of them in resources/sbom.cdx.json.\n"
    holder = holder.replace("(c) ", "").replace("Copyright", "Copyright:")
    _text(folder / "copyright", f"{head}{parts}\nFiles: *\n{holder}\nLicense: Expat\n{body}\n")


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def archive(frozen: Path, out: Path, work: Path) -> Path:
    """The portable archive: to be unpacked anywhere, and installed with `install.sh` or run from where it is."""
    name = f"gradviz-{__version__}-linux-{platform.machine()}"
    root = work / "archive" / name
    fill(frozen, root)
    shutil.copy(HERE / "install.sh", root / "install.sh")
    shutil.copyfile(ROOT / "LICENSE", root / "LICENSE")
    target = out / f"{name}.tar.xz"
    order = ["--sort=name", f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}", "--owner=0", "--group=0", "--numeric-owner"]
    command = ["tar", *order, "-C", str(root.parent), "-cJf", str(target), name]
    subprocess.run(command, check=True, env={**os.environ, "XZ_OPT": XZ})
    return target


if __name__ == "__main__":
    kind, given, into = sys.argv[1:]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    {"deb": deb, "archive": archive}[kind](Path(given), Path(into), Path(given).parents[1])
