"""Exported pages in a real Chromium: at each step, forward and back, what is seen there is what the program says. Not a
part of `make test`, for the browser is 200 MB: `make browser`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gradviz.document.disk import shown
from gradviz.session.inspect.inspection import inspect
from gradviz.session.moves import inspected
from gradviz.session.output import pieces
from gradviz.session.state import State
from gradviz.trace.words.explain import explain_fold
from gradviz.ui.sharing.export import write
from tests.trace.running import run
from tests.ui.test_sharing import SNIPPETS

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
CHOSEN = ("01_two_gradients", "04_one_step_of_sgd", "12_gradients_pile_up", "17_used_twice")
PROGRAMS = SNIPPETS | {name: (EXAMPLES / f"{name}.py").read_text(encoding="utf-8") for name in CHOSEN}


def walked(page: Path) -> dict[str, Any]:
    """What a browser shows of a page."""
    command = [sys.executable, "-m", "tests.browser.chromium", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_browser_shows_what_the_program_shows(name: str, tmp_path: Path, qapp: object) -> None:
    trace = run(PROGRAMS[name])
    page = tmp_path / f"{name.replace(' ', '_')}.html"
    write(trace, len(trace), page)
    seen = walked(page)
    stops = [0, *trace.folds.ends.tolist()]
    assert len(seen["there"]) == len(stops)
    for stop, (cursor, look) in enumerate(zip(stops, seen["there"], strict=True)):
        found = explain_fold(trace, cursor)
        assert (look["slider"], look["sentence"]) == (stop, found.sentence)
        assert look["title"].endswith(f" · {found.title}")
        if cursor:
            assert look["line"] == trace.frame(cursor).current_line
        state = State(trace=trace, steps=len(trace), cursor=cursor)
        now = inspect(state, inspected(state))
        rows = {row[0]: row[1] for row in look["rows"]}
        for label in ("value", ".grad", "∇ passing", "shape", "why None", "backward"):
            assert rows.get(label, "") == (now.find(label) if now is not None else ""), (cursor, label)
    for cursor, look in list(zip(stops, seen["there"], strict=True))[:: max(1, len(stops) // 5)]:
        write(trace, cursor, tmp_path / "graph.svg")
        tree = ElementTree.parse(tmp_path / "graph.svg")
        assert Counter(look["texts"]) == Counter(one.text for one in tree.iter() if one.tag.endswith("text"))
    assert list(reversed(seen["back"])) == seen["there"], "backward undoes what forward did"
    assert seen["end"] == seen["there"][-1]
    assert seen["end"]["printed"] == "".join(piece.text for piece in pieces(trace, 0, len(trace.texts)))
    asked = {url.partition("#")[0] for url in seen["asked"] if not url.startswith("data:image/png;base64,")}
    assert asked == {page.as_uri()}, "nothing else is fetched"
    assert seen["messages"] == [], "no error, and nothing that the policy had to stop"
    assert seen["there"][0]["document"] == shown(page.stem) and not seen["start"]["wide"]
    assert page.stat().st_size < 300_000 or name not in ("unequal", "stale", "01_two_gradients")


def test_a_small_page_opens_at_once_and_can_be_turned_dragged_played_and_embedded(tmp_path: Path, qapp: object) -> None:
    trace = run(PROGRAMS["01_two_gradients"])
    write(trace, len(trace), tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 100_000
    seen = walked(tmp_path / "page.html")
    assert seen["turned"]["theme"] != seen["end"]["theme"]
    assert seen["turned"]["texts"] == seen["end"]["texts"]
    assert seen["dragged"]["slider"] == 1
    assert seen["playing"] == ["true", "false"]
    narrow = seen["narrow"]
    assert (narrow["slider"], narrow["embedded"], narrow["wide"]) == (3, "embedded", False)
    assert narrow["theme"] == seen["turned"]["theme"]
