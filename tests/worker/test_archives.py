"""Archives that are attached are read, and taken apart in the folder of the run; none leads out of it."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

from tests.worker.conftest import Runner


def zipped(files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", kind) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def tarred(files: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return held.getvalue()


FILES = {"data/": b"", "data/names/Irish.txt": b"Ahearn\nAodh\n", "data/a.csv": "1,ä\n".encode()}

READ = """
import csv, io, os, zipfile, tarfile
from pathlib import Path
with zipfile.ZipFile("data.zip", "r") as z:
    print(z.namelist(), [(i.filename, i.file_size, i.is_dir()) for i in z.infolist()][1:2])
    print(z.read("data/a.csv"), z.open("data/names/Irish.txt").readline(), z.testzip())
    z.extractall("unpacked")
print(sorted(os.listdir("unpacked/data")), open("unpacked/data/names/Irish.txt").read().split())
print(zipfile.ZipFile(io.BytesIO(open("data.zip", "rb").read())).extract("data/a.csv"), Path("data/a.csv").exists())
for name in ("data.tar", "data.tar.gz"):
    with tarfile.open(name) as t:
        print(t.getnames(), [m.isfile() for m in t], t.extractfile("data/a.csv").read(), t.getmember("data/a.csv").size)
        t.extractall(path=f"from/{name}")
print(sorted(os.listdir("from/data.tar.gz/data")), zipfile.is_zipfile("data.zip"), tarfile.is_tarfile("data.zip"))
for act in (lambda: z.read("b"), lambda: zipfile.ZipFile("new.zip", "w"), lambda: tarfile.open("data.zip"),
            lambda: zipfile.ZipFile("data.tar"), lambda: zipfile.ZipFile("none.zip")):
    try: act()
    except Exception as error: print(type(error).__name__, error)
"""


def test_archives_are_read_and_taken_apart(run: Runner) -> None:
    plain = tarred({name: data for name, data in FILES.items() if data})
    files: dict[str, str | bytes] = {"data.zip": zipped(FILES), "data.tar": plain, "data.tar.gz": gzip.compress(plain)}
    outcome = run(READ, files=files)
    of_tar = "['data/names/Irish.txt', 'data/a.csv'] [True, True] b'1,\\xc3\\xa4\\n' 5\n"
    assert outcome.printed() == (
        "['data/', 'data/names/Irish.txt', 'data/a.csv'] [('data/names/Irish.txt', 12, False)]\n"
        "b'1,\\xc3\\xa4\\n' b'Ahearn\\n' None\n['a.csv', 'names'] ['Ahearn', 'Aodh']\n./data/a.csv True\n"
        f"{of_tar}{of_tar}['a.csv', 'names'] True False\n"
        "KeyError \"There is no item named 'b' in the archive\"\n"
        "PermissionError archives can be read in GradViz snippets, not written; write the files themselves\n"
        "ReadError truncated header; a tar file as it is or packed by gzip can be read here\n"
        "BadZipFile File is not a zip file\nFileNotFoundError [Errno 2] No such file or directory: 'none.zip'\n"
    ), outcome.sentence


HOSTILE = """
import os, zipfile, tarfile
for act in (lambda: zipfile.ZipFile("out.zip").extractall("in"), lambda: tarfile.open("out.tar").extractall("in")):
    act()
    print(sorted(os.listdir("in/etc")), sorted(os.listdir(".")), open("in/etc/passwd").read())
    os.remove("in/etc/passwd")
    os.remove("in/etc/group")
print(tarfile.open("links.tar").getnames())
for act in (lambda: zipfile.ZipFile("bomb.zip").read("a"), lambda: zipfile.ZipFile("bomb.zip").extractall(),
            lambda: zipfile.ZipFile("many.zip"), lambda: tarfile.open("many.tar"), lambda: tarfile.open("bomb.tgz"),
            lambda: zipfile.ZipFile("other.zip").read("a"), lambda: zipfile.ZipFile("cut.zip").read("a")):
    try: print("not refused", act())
    except Exception as error: print(type(error).__name__, error)
"""


def test_no_archive_leads_out_or_fills_the_memory(run: Runner) -> None:
    link, device, sparse = tarfile.TarInfo("link"), tarfile.TarInfo("device"), tarfile.TarInfo("sparse")
    link.type, device.type, sparse.type = tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE
    link.linkname = "/etc/passwd"
    out = {"../../etc/passwd": b"a", "/./etc//group": b"b"}
    cut = bytearray(zipped({"a": b"abc" * 100}))
    cut[40:44] = b"\xff\xff\xff\xff"
    files: dict[str, str | bytes] = {
        "out.zip": zipped(out),
        "out.tar": tarred(out),
        "links.tar": tarred({"a": b"a"}, link, device, sparse),
        "bomb.zip": zipped({"a": bytes(65 << 20)}),
        "many.zip": zipped({f"{number}": b"" for number in range(2_001)}),
        "many.tar": gzip.compress(tarred({f"{number}": b"" for number in range(2_001)})),
        "bomb.tgz": gzip.compress(bytes(65 << 20)),
        "other.zip": zipped({"a": b"abc"}, zipfile.ZIP_LZMA),
        "cut.zip": bytes(cut),
    }
    names = sorted([*files, "in"])
    outcome = run(HOSTILE, files=files)
    full = "OSError [Errno 28] more than 64 MB or 2,000 files are in this archive\n"
    lines = outcome.printed().splitlines(keepends=True)
    assert lines[:2] == [f"['group', 'passwd'] {names} a\n"] * 2, outcome.sentence
    assert lines[2] == "['a']\n"
    assert lines[3:7] == [full] * 4
    assert lines[7] == "OSError [Errno 28] more than 64 MB are in this file\n"
    assert lines[8] == "NotImplementedError That compression method is not supported\n"
    assert lines[9].startswith("BadZipFile ")
