"""A program that saves the same file again and again and is killed while it does so, two hundred times. After each kill
the file is read: it must be whole, and the last that was saved or the one after it. Prints what it found.

The saver is a fork of this small process, because starting Python anew two hundred times would take minutes."""

from __future__ import annotations

import os
import random
import select
import signal
import struct
import sys
from pathlib import Path

from gradviz.document.documents import Contents
from gradviz.document.drawing import Comment, Drawing, Leaf
from gradviz.document.files import opening

KILLS = 200
NUMBER = struct.Struct("q")
LATEST = 0.006  # seconds after the latest news until the kill, at most


def document(number: int) -> Contents:
    """The document that is saved as this number, of a size that takes several pages of the disk."""
    nodes = tuple(Leaf(at, f"x{at}", float(number)) for at in range(1, 100))
    return Contents(Drawing(nodes, (Comment(100, "a" * 5000),), next_id=101))


def number_of(path: Path) -> int:
    """Which one is on disk; fails for half of one."""
    contents = opening.load(path)
    assert contents.dropped == ()
    first = contents.document.nodes[0]  # type: ignore[union-attr]
    assert contents == document(int(first.data))  # type: ignore[union-attr,arg-type]
    return int(first.data)  # type: ignore[union-attr,arg-type]


def save_for_ever(path: Path, number: int, news: int) -> None:
    while True:
        number += 1
        opening.save(path, document(number))
        os.write(news, NUMBER.pack(number))


def killed_once(path: Path, number: int, chance: random.Random) -> tuple[int, int]:
    """The number that was reported as saved last, and the one on disk."""
    heard, news = os.pipe()
    child = os.fork()
    if child == 0:
        save_for_ever(path, number, news)
    os.close(news)
    for _ in range(chance.randrange(3)):
        number = NUMBER.unpack(os.read(heard, NUMBER.size))[0]
    select.select([], [], [], chance.random() * LATEST)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while rest := os.read(heard, NUMBER.size):
        number = NUMBER.unpack(rest)[0]
    os.close(heard)
    return number, number_of(path)


def main(folder: str) -> int:
    path, chance = Path(folder) / "net.gradviz", random.Random(5)
    opening.save(path, document(0))
    reported = on_disk = between = 0
    for _ in range(KILLS):
        reported, on_disk = killed_once(path, on_disk, chance)
        assert on_disk in (reported, reported + 1), (reported, on_disk)
        between += on_disk > reported
    left = [name for name in os.listdir(folder) if name != path.name]
    sys.stdout.write(f"{KILLS} {on_disk} {between} {len(left)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
