"""What the program keeps on disk, each with how it is written and what may be found afterwards: the old or the new one.
`python -m tests.faults.kept_files FOLDER` writes each of them in a process that dies at every step in turn."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gradviz.document import disk
from gradviz.document.documents import Contents, text_of
from gradviz.document.files import opening, recovery
from gradviz.document.files.recovery import Recovery
from gradviz.document.files.trust import NAME, OwnFiles
from gradviz.document.snippet import Snippet
from tests.faults.steps import Steps, dies

OLD, NEW = "old = 1\n" * 300, "new = 2\n" * 900
MARKS = (b"1" * 32, b"2" * 32, b"3" * 32)  # digests of files


@dataclass(frozen=True)
class Kept:
    """One kind of file: `before` prepares the old one, `write` is what may be cut short, `found` says what is there."""

    before: Callable[[Path], None]
    write: Callable[[Path], None]
    found: Callable[[Path], object]
    states: tuple[object, ...]  # the old and the new one


def _document(text: str) -> Contents:
    return Contents(Snippet(text))


def _read_document(folder: Path) -> object:
    path = folder / "net.gradviz"
    return text_of(opening.load(path).document) if path.exists() else None


def _read_python(folder: Path) -> object:
    return text_of(opening.load(folder / "net.py").document)


def _recovered(folder: Path) -> object:
    found = recovery.read(folder / "window-1.json")
    return found and text_of(found.contents.document)


def _own(folder: Path) -> object:
    own = OwnFiles(folder)
    return tuple(own.knows(".py", digest) for digest in MARKS)


def _add(*digests: bytes) -> Callable[[Path], None]:
    def add(folder: Path) -> None:
        for digest in digests:
            OwnFiles(folder).add(".py", digest)

    return add


def _long_list(folder: Path) -> None:
    """So many marks that the next one makes the list shorter."""
    _add(MARKS[0])(folder)
    file = folder / NAME
    key, mark, *_ = file.read_bytes().split(b"\n")
    others = [b"%064x" % number for number in range(8000)]
    file.write_bytes(b"\n".join((key, *others, mark, b"")))


KEPT = {
    "a file that is saved again": Kept(
        lambda folder: opening.save(folder / "net.gradviz", _document(OLD)),
        lambda folder: opening.save(folder / "net.gradviz", _document(NEW)),
        _read_document,
        (OLD, NEW),
    ),
    "a new file": Kept(
        lambda folder: None,
        lambda folder: opening.save(folder / "net.gradviz", _document(NEW)),
        _read_document,
        (None, NEW),
    ),
    "a Python file": Kept(
        lambda folder: opening.save(folder / "net.py", _document(OLD)),
        lambda folder: opening.save(folder / "net.py", _document(NEW)),
        _read_python,
        (OLD, NEW),
    ),
    "the recovery file": Kept(
        lambda folder: recovery.write(folder / "window-1.json", Recovery(_document(OLD))),
        lambda folder: recovery.write(folder / "window-1.json", Recovery(_document(NEW))),
        _recovered,
        (OLD, NEW),
    ),
    "the first own file": Kept(lambda folder: None, _add(MARKS[0]), _own, ((False,) * 3, (True, False, False))),
    "one more own file": Kept(_add(MARKS[0]), _add(MARKS[1]), _own, ((True, False, False), (True, True, False))),
    "a long list of own files": Kept(_long_list, _add(MARKS[2]), _own, ((True, False, False), (True, False, True))),
}


def died_at(kept: Kept, folder: Path, fatal: int) -> tuple[bool, object, list[str]]:
    """Write in a child that dies at this step: whether it got there, what is found then, and which files are left."""
    child = os.fork()
    if child == 0:
        steps = Steps(fatal, dies)
        with steps.watched():
            kept.write(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 9), status
    left = [name for name in os.listdir(folder) if name.endswith(disk.TEMPORARY)]
    return os.waitstatus_to_exitcode(status) == 9, kept.found(folder), left


def killed_at_each_step(name: str, folder: Path) -> tuple[int, int, int, int]:
    """How many steps there are, after how many of them the old one was there and after how many the new one, and how
    often half a file was left beside it, which the next time was removed."""
    kept = KEPT[name]
    old = new = beside = fatal = 0
    died = True
    while died:
        place = folder / str(fatal)
        place.mkdir()
        kept.before(place)
        assert kept.found(place) == kept.states[0]
        died, found, left = died_at(kept, place, fatal)
        assert found in kept.states, f"{name}: neither the old nor the new one after step {fatal}"
        old, new = old + (found == kept.states[0]), new + (found == kept.states[1])
        beside += bool(left)
        for forgotten in left:
            os.utime(place / forgotten, (1e9, 1e9))
        kept.write(place)
        assert kept.found(place) == kept.states[1]
        rest = [name for name in os.listdir(place) if name.endswith(disk.TEMPORARY)]
        assert not rest or "own" in name, rest
        fatal += 1
    return fatal, old, new, beside


def main(folder: str) -> int:
    counts = {}
    for number, name in enumerate(KEPT):
        place = Path(folder) / str(number)
        place.mkdir()
        counts[name] = killed_at_each_step(name, place)
    sys.stdout.write(json.dumps(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
