"""An error of a snippet is told however much hangs on it: notes, causes, messages and lines without end are cut, what
was left out is said, and the error itself, which stands last, is always there."""

from __future__ import annotations

import pytest

from gradviz.worker.language.errors import LINE_CAP, MESSAGE_CAP, NOTES_CAP, TRACEBACK_CAP
from tests.worker.conftest import Runner

LINE = "'" + "a" * 150_000 + "'"
MUTUAL = f"def f(n): return g(n - 1, {LINE}) if n else 1 / 0\ndef g(n, x): return f(n - 1) if n else 1 / 0\nf(900)\n"

LONG = {
    "100,000 notes": (
        "e = ValueError('own')\nfor i in range(100_000): e.add_note(f'note {i}')\nraise e",
        "ValueError: own",
        f"note {NOTES_CAP - 1}\n[{100_000 - NOTES_CAP:,} more notes are left out]\n",
    ),
    "a note of 100 MB": (
        "e = ValueError('own')\ne.add_note('n' * 100_000_000)\ne.add_note('second')\nraise e",
        "ValueError: own",
        f"nnn… [{100_000_000 - MESSAGE_CAP:,} more characters]\n[1 more note is left out]\n",
    ),
    "a message of 100 MB": (
        "raise ValueError('m' * 100_000_000)",
        f"ValueError: {'m' * MESSAGE_CAP}… [{100_000_000 - MESSAGE_CAP:,} more characters]",
        "more characters]\n",
    ),
    "letters that are no text": (
        "e = ValueError('\\udc80' * 1_000_000)\nfor i in range(99): e.add_note('\\udc80' * 10_000)\nraise e",
        "",
        "more notes are left out]\n",
    ),
    "a group of 100,000 errors": (
        "raise ExceptionGroup('m' * 1_000_000, [ValueError(i) for i in range(100_000)])",
        "",
        "more characters]\n",
    ),
    "100,000 causes": (
        "e = ValueError(0)\nfor i in range(100_000):\n"
        "    try: raise ValueError(i) from e\n    except ValueError as n: e = n\nraise e",
        "ValueError: 99999",
        "ValueError: 99999\n",
    ),
    "long causes": (
        "e = ValueError(0)\nfor i in range(9):\n    try: raise ValueError('m' * 19_000) from e\n"
        "    except ValueError as n: e = n\nraise KeyError('own') from e",
        "KeyError: 'own'",
        "KeyError: 'own'\n",
    ),
    "a long syntax error": ("raise SyntaxError('m' * 100_000_000)", "", "more characters]\n"),
    "a syntax error in a long line": (
        "raise SyntaxError('own', ('f', 1, 1, 'y' * 100_000_000, 1, 2))",
        "SyntaxError: own",
        '  File "f", line 1\nSyntaxError: own\n',
    ),
    "notes on a syntax error": (
        "e = SyntaxError('own')\ne.add_note('a note')\nraise e",
        "SyntaxError: own",
        "SyntaxError: own\na note\n",
    ),
    "900 calls in a line of 150,000 characters": (
        MUTUAL,
        "ZeroDivisionError: division by zero",
        "ZeroDivisionError: division by zero\n",
    ),
    "an error that is raised 20,000 times": (
        "e = ValueError('own')\nfor i in range(20_000):\n    try: raise e\n    except ValueError: pass\nraise e",
        "ValueError: own",
        "  [Previous line repeated 19997 more times]\nValueError: own\n",
    ),
    "a name of 90,000 letters": (
        f"class {'E' * 90_000}(Exception): pass\ndef {'f' * 90_000}(): raise {'E' * 90_000}('own')\n{'f' * 90_000}()",
        f"{'E' * LINE_CAP}: own",
        ": own\n",
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_it_is_told(name: str, run: Runner) -> None:
    source, last_line, end = LONG[name]
    outcome = run(source)
    assert outcome.status == "raised", outcome.sentence
    found = outcome.done.detail
    assert found.traceback.startswith("Traceback (most recent call last):\n") or "left out" in found.traceback[:80]
    assert found.traceback.endswith(end), found.traceback[-300:]
    assert len(found.traceback) <= TRACEBACK_CAP
    assert found.last_line == last_line if last_line else found.last_line
    assert found.sentence == found.last_line


def test_what_is_left_out_is_said(run: Runner) -> None:
    told = run(LONG["100,000 causes"][0]).done.detail.traceback
    assert told.startswith("[Earlier errors are left out]\n\nTraceback (most recent call last):\n")
    assert told.count("direct cause") == 19
    told = run(LONG["long causes"][0]).done.detail.traceback
    assert told.startswith("[Earlier errors are left out]\n\n") and told.count("During handling") <= 1
    told = run(
        "def f(n): return g(n - 1) if n else 1 / 0\ndef g(n):\n    return f(n - 1)\nf(900)\n"
    ).done.detail.traceback
    assert " more calls are left out]\n" in told and told.count("File ") > 300


def test_a_short_one_is_as_python_prints_it(run: Runner) -> None:
    told = run("e = ValueError('own')\ne.add_note('one\\ntwo')\ne.add_note('three')\nraise e").done.detail.traceback
    assert told.endswith("    raise e\nValueError: own\none\ntwo\nthree\n")
