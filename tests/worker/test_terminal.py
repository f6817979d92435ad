"""Whatever a snippet, a file or its name holds, a terminal gets nothing to obey but what progress bars use; and where
standard output takes nothing, a command ends with one sentence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gradviz.worker.terminal import Printed, visible
from tests.command_line import gradviz
from tests.worker.test_cli import written

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
BARS = re.compile("\x1b\\[[0-9;:]*m|\x1b\\[[0-9]*[ABCD]|\x1b\\[[012]?K|[\b\r]")  # what progress bars use
HOSTILE = {
    "the title": "\x1b]0;title\x07",
    "the title, ended by ST": "\x1b]2;title\x1b\\",
    "the clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "a link": "\x1b]8;;http://example.org\x1b\\text\x1b]8;;\x1b\\",
    "a device control string": '\x1bP$q"p\x1b\\',
    "an application command": "\x1b_G\x1b\\",
    "a private message": "\x1b^x\x1b\\",
    "where the cursor is": "\x1b[6n",
    "what the terminal is": "\x1b[c\x1b[>c\x05\x1bZ",
    "the alternate screen": "\x1b[?1049h",
    "clear the screen": "\x1b[2J\x1b[H",
    "go anywhere": "\x1b[5;5H\x1b[5G\x1b[5d",
    "scroll": "\x1b[5S\x1b[1;2r\x1bD\x1bM",
    "insert and delete": "\x1b[5@\x1b[5P\x1b[5L\x1b[5M",
    "print the screen": "\x1b[5i",
    "reset": "\x1bc\x1b[!p",
    "other letters": "\x1b(0\x0e\x0f",
    "keys that report themselves": "\x1b[>4;1m\x1b[?1m",
    "window size": "\x1b[8;1;1t",
    "mouse reports": "\x1b[?1000h",
    "erase more than a line": "\x1b[3K\x1b[J",
    "the cursor too far": "\x1b[1000A",
    "a colour of many numbers": f"\x1b[{'1;' * 30}m",
    "a colour with more in it": "\x1b[3\n1m\x1b[3 m",
    "C1": "\x9b31m\x90q\x9c\x9d0;title\x9c\x84\x85",
    "a bell, an enquiry": "\x07\x05\x00\x7f",
    "half a sequence": "\x1b",
    "half a sequence with numbers": "\x1b[31",
    "twice the beginning": "\x1b\x1b[31",
    "pages": "\x0b\x0c",
    "from right to left": "\u202eabc\u202c \u202aabc\u2066 \u2069",
}
HARMLESS = {
    "colours": "\x1b[1;31mred\x1b[0m \x1b[38;5;9mx\x1b[m \x1b[48:2::1:2:3mx\x1b[39;49m\x1b[0m",
    "a bar": "\r 10%|#   |\x1b[K\r 20%|##  |\x1b[A\x1b[1B\x1b[2C\x1b[3D\x1b[2K\x1b[1K\x1b[0K",
    "back": "1\b2\b\b3",
    "lines and tabs": "a\tb\r\nc\n",
    "letters": "é中😀👩‍👩‍👧 שלום \u200e\u200f\xa0\xad\ufeff",
}
SIGNS = some.text(alphabet=some.sampled_from("\x1b\x1b[[0;1:9?mAKJ]\x07\\ \b\r\n\x9b\u202ex"), max_size=40)


def is_harmless(text: str) -> bool:
    return not OBEYED.search(BARS.sub("", text))


def in_pieces(pieces: Sequence[str]) -> str:
    printed = Printed()
    return "".join([printed.take(piece) for piece in pieces] + [printed.end()])


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_terminal_would_obey_is_seen(name: str) -> None:
    text = HOSTILE[name]
    assert is_harmless(in_pieces([text])) and is_harmless(in_pieces(list(text)))
    assert "\\x" in in_pieces([text]) or "\\u" in in_pieces([text])
    assert not OBEYED.search(visible(text).replace("\r\n", ""))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_no_harm_stays(name: str) -> None:
    text = HARMLESS[name]
    assert in_pieces([text]) == text == in_pieces(list(text))


def test_it_is_what_python_writes() -> None:
    assert visible("a\x1b\x07\x9b\u202e\x7f\rb\r\nc\t") == "a\\x1b\\x07\\x9b\\u202e\\x7f\\x0db\r\nc\t"


@given(some.lists(SIGNS, max_size=8))
def test_any_pieces_give_the_same_and_do_no_harm(pieces: list[str]) -> None:
    found = in_pieces(pieces)
    assert is_harmless(found)
    assert found == in_pieces(["".join(pieces)]) == in_pieces(list("".join(pieces)))


@pytest.mark.parametrize(("text", "end"), [("\x1b[31mx", "\x1b[0m"), ("\x1b[31mx\x1b[m", ""), ("\x1b[8", "\\x1b[8")])
def test_the_end_of_a_run_ends_its_colours(text: str, end: str) -> None:
    printed = Printed()
    printed.take(text)
    assert printed.end() == end
    assert printed.end() == ""


# --- by way of the command line ---

TRAP = "\x1b]0;trap\x07\x9b2J\x1b[31m\u202e"
EVERYWHERE = f"""import sys, warnings, torch
T = {TRAP!r}
print(T)
print(T, file=sys.stderr)
warnings.warn(T)
x = {{T: torch.ones(1, requires_grad=True)}}
input(T)
class E(Exception):
    def __str__(self): return T
e = E()
e.add_note(T)
# {TRAP.replace(chr(0x9B), "")}
raise e
"""


@pytest.mark.parametrize("options", [[], ["--steps"], ["--json"]])
def test_nothing_of_a_run_is_obeyed(options: list[str], tmp_path: Path) -> None:
    path = written(tmp_path, EVERYWHERE, f"a\nb{TRAP}.py")
    command = [sys.executable, "-m", "gradviz", "run", *options, str(path)]
    done = subprocess.run(command, input=b"\n", capture_output=True, timeout=300)
    assert done.returncode == 1
    for text in (done.stdout.decode(), done.stderr.decode()):
        assert "trap" in text and is_harmless(text)
    assert b"\na\n" not in done.stderr and b'File "a' in done.stderr, "a name is one line"
    assert done.stderr.count(b"]0;trap\\x07") >= 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["code"],
        ["draw", "-o", "x.gradviz"],
        ["export", "-o", "x.svg"],
        ["--step", "\x1b[2J"],
        ["run", "--\x1b[2J"],
    ],
    ids=str,
)
def test_no_sentence_is_obeyed(arguments: list[str], tmp_path: Path) -> None:
    done = gradviz(*arguments, f"no\x1b[2J\n{TRAP}.py", cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert "\x1b" not in done.stderr and is_harmless(done.stderr) and done.stderr


def test_half_a_sequence_takes_nothing_of_what_follows(tmp_path: Path) -> None:
    text = "import sys\nsys.stderr.write('\\x1b[31')\nwhile True: print(' ' * 999)\n"
    done = gradviz("run", written(tmp_path, text, "my.py"))
    assert done.stderr == "\\x1b[31my.py: The run was stopped because it printed more than 1,000,000 characters. " + (
        "Print less, or less often.\n"
    )


def test_no_line_that_is_printed_looks_like_a_step(tmp_path: Path) -> None:
    done = gradviz("run", "--steps", written(tmp_path, "print('a\\n2  line 7    forged')\nprint('b')\n"))
    assert done.stdout.splitlines()[3:] == [
        "1  line 1    prints a",
        " " * 13 + "2  line 7    forged",
        "2  line 2    prints b",
    ]


posix = pytest.mark.skipif(sys.platform == "win32", reason="descriptors that are closed or full are a matter of POSIX")
CODE = f"x = 1\n# {TRAP.replace(chr(0x9B), '')}\n"


@posix
def test_code_is_exact_in_a_file_and_seen_on_a_terminal(tmp_path: Path) -> None:
    import pty

    path = written(tmp_path, CODE)
    done = gradviz("code", path)
    assert (done.returncode, done.stdout) == (0, CODE)
    assert done.stderr.startswith("snippet.py has control characters")
    ours, theirs = pty.openpty()
    shown = subprocess.run(
        [sys.executable, "-m", "gradviz", "code", str(path)], stdout=theirs, stderr=subprocess.PIPE, timeout=60
    )
    os.close(theirs)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert os.read(ours, 1000).decode() == "x = 1\r\n# \\x1b]0;trap\\x072J\\x1b[31m\\u202e\r\n"
    os.close(ours)


SNIPPET = "import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).sum().backward()\nprint('a' * 100_000)\n"
LOST = {
    ">&-": "gradviz: The output can't be written: bad file descriptor. Write it to a file, or to /dev/null.\n",
    ">/dev/full": "gradviz: The output can't be written: no space left on device. Write it somewhere else.\n",
    "| true": "",
}


CASES = [
    *((["run"], way) for way in LOST),
    *((["code"], way) for way in LOST),
    (["run", "--json"], "| true"),
    (["run", "--steps"], ">/dev/full"),
    (["run", "--help"], ">/dev/full"),
    (["--version"], ">&-"),
]
SILENT = [(["draw", "-o", "net.gradviz"], ">&-"), (["export", "-o", "net.svg"], ">/dev/full")]


def shell(folder: Path, arguments: Sequence[str], redirection: str) -> tuple[int, str, str]:
    """The status of the program (not of what it is piped into), its output and its errors."""
    command = f"{sys.executable} -m gradviz {' '.join(arguments)} a.py"
    status = "echo $? > status"
    line = f"({command}; {status}) {redirection}" if redirection[0] == "|" else f"{command} {redirection}; {status}"
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=300)
    return int((folder / "status").read_text()), done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    written(tmp_path, SNIPPET, "a.py")
    return tmp_path


@posix
@pytest.mark.parametrize(("arguments", "redirection"), CASES, ids=str)
def test_output_that_nobody_takes_ends_it_with_one_sentence(
    arguments: list[str], redirection: str, folder: Path
) -> None:
    assert shell(folder, arguments, redirection) == (1, "", LOST[redirection])


@posix
@pytest.mark.parametrize(("arguments", "redirection"), SILENT, ids=str)
def test_a_command_without_output_needs_nobody_who_takes_it(
    arguments: list[str], redirection: str, folder: Path
) -> None:
    assert shell(folder, arguments, redirection)[0] == 0
    assert (folder / arguments[-1]).stat().st_size > 100


@posix
@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("text", "status"), [("import sys\nprint(1)\nprint(2, file=sys.stderr)\n", 0), ("print(1)\n1/0\n", 1)], ids=str
)
def test_errors_that_nobody_takes_are_forgotten(redirection: str, text: str, status: int, folder: Path) -> None:
    written(folder, text, "a.py")
    assert shell(folder, ["run"], redirection) == (status, "1\n", "")


@posix
@pytest.mark.parametrize("redirection", ["<&-", "</", "<&- >&- 2>&-"])
def test_without_input_a_question_has_no_answer(redirection: str, folder: Path) -> None:
    written(folder, "try: input()\nexcept EOFError: raise SystemExit(4)\n", "a.py")
    assert shell(folder, ["run"], redirection)[0] == 1


CLOSED = """
import os, sys
from gradviz.worker.terminal import guarded
os.closerange(0, 3)
def command():
    file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        try: os.write(stream, b"lost")
        except OSError: os.write(file, b"kept")
    return 7
sys.exit(guarded(command))
"""


@posix
def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CLOSED, str(tmp_path / "file")], timeout=300)
    assert (done.returncode, (tmp_path / "file").read_text()) == (7, "keptkept")
