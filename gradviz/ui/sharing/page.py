"""A whole run as one HTML file that steps forward and back in any browser and fetches nothing: the graph as `pieces` of
SVG, the text of the explanation bar and the inspector, the code and the output. The script for the browser is in
`resources/player`.

Note [Text in a page] Names, code and output come from a stranger. In elements they are escaped, and in the data of the
run no "<" is left; the script only ever sets them as text. A policy in the page allows this one script, by its hash,
and no connections."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from gradviz import RESOURCES, about
from gradviz.session.inspect.call_text import call_texts
from gradviz.session.inspect.inspection import Inspection, inspect
from gradviz.session.moves import inspected
from gradviz.session.printed import pieces as printed_pieces
from gradviz.session.state import Selection, State
from gradviz.trace.words.explain import explain, explain_fold, fold_number
from gradviz.ui.sharing.pieces import LAYERS, Piece, Pieces
from gradviz.ui.sharing.svg import clean, number
from gradviz.ui.theme import DARK, LIGHT, THEMES, Theme

if TYPE_CHECKING:
    from gradviz.ui.sharing.picture import Shown

FOLDER = RESOURCES / "player"
MOST_CHARACTERS = 24_000_000  # of pieces and texts: with more, browsers take seconds
MOST_PRINTED = 200_000
SPACE = 28.0  # around the graph
MARKER = re.compile(r"\{\{(\w+)\}\}")
Told = list[Any]  # [stop, title, [[section, [[label, text, tone], …]], …]], or [stop] for nothing from there on


class PageWriter:
    """Goes through a run; `work` yields the progress from 0 to 1, so that other work can be done in between, and
    afterwards `text` is the page."""

    def __init__(self, run: Shown, theme: str = "system", *, at_cursor: bool = False) -> None:
        self._run = run
        self._theme = theme  # one of `THEMES`, or "system" for light or dark as the reader's system has it
        chosen = THEMES.get(theme, LIGHT)
        self._light, self._dark = (LIGHT, chosen) if chosen.dark else (chosen, DARK)
        self._at_cursor = at_cursor  # where it begins; by default where the gradients begin
        self._state = State(trace=run.trace, steps=len(run.trace))
        self._steps: list[dict[str, Any]] = []
        self._things: dict[str, list[Told]] = {}
        self._told: set[str] = set()  # the things that the latest stop describes
        self._size = 0
        self.left_out = ""  # a sentence if not all steps are in the page

    def work(self) -> Iterator[float]:
        """Paint and describe every stop."""
        self._pieces = Pieces(self._run.scene(self._light), self._run.scene(self._dark))
        stops = self._run.stops
        for stop, cursor in enumerate(stops):
            if self._pieces.size + self._size > MOST_CHARACTERS:
                self.left_out = (
                    f"It has the first {stop:,} of {len(stops):,} steps: a browser could not show a larger page."
                )
                break
            self._pieces.stop_at(stop, cursor)
            self._describe(stop, cursor)
            yield (stop + 1) / len(stops)

    # -- words

    def _describe(self, stop: int, cursor: int) -> None:
        state = self._state = replace(self._state, cursor=cursor)
        trace, every = self._run.trace, self._run.every_step
        frame = trace.frame(cursor)
        found = explain(frame) if every else explain_fold(trace, cursor)
        numbered = f"Step {cursor:,}" if every else fold_number(trace, cursor)
        thing = inspected(state)
        calls = call_texts(state)
        step = {
            "number": numbered if cursor else f"{len(trace):,} steps",
            "cursor": cursor,
            "title": found.title,
            "sentence": found.sentence,
            "next": found.next,
            "line": frame.current_line if cursor else -1,
            "call": calls[0] if calls else "",
            "phase": self._phase(cursor),
            "about": f"{thing.kind} {thing.index}" if thing is not None else "",
            "seen": self._pieces.description,
        }
        self._steps.append(step)
        self._size += sum(len(str(value)) for value in step.values())
        about = {str(step["about"]): None} if step["about"] else {}
        told = {key for key in about | self._pieces.seen if self._tell(stop, key, state)}
        for key in self._told - told:  # it is not in the picture now
            self._things[key].append([stop])
        self._told = told

    def _phase(self, cursor: int) -> str:
        frame = self._run.trace.frame(cursor)
        if cursor and cursor == self._run.trace.error_step:
            return "error"
        return "backward" if cursor and frame.in_call else "forward"

    def _tell(self, stop: int, key: str, state: State) -> bool:
        """What the inspector says about a thing, if that has changed; False if there is nothing to say."""
        kind, _, index = key.partition(" ")
        found = inspect(state, Selection(kind, int(index)))
        if found is None:
            return False
        told = [found.title, _sections(found)]
        known = self._things.setdefault(key, [])
        if not known or known[-1][1:] != told:
            known.append([stop, *told])
            self._size += len(str(told))
        return True

    def _printed(self) -> list[list[Any]]:
        """What was printed: from which stop on, the stream, the text."""
        rows: list[list[Any]] = []
        trace, size, before = self._run.trace, 0, 0
        for stop, step in enumerate(self._steps):
            count = int(trace.texts.step.searchsorted(step["cursor"]))
            for piece in printed_pieces(trace, before, count):
                room = MOST_PRINTED - size
                if len(piece.text) > room:
                    rows.append([stop, piece.stream, f"{piece.text[:room]}…\n(the page has no more of it)"])
                    return rows
                rows.append([stop, piece.stream, piece.text])
                size += len(piece.text)
            before = count
        return rows

    # -- the page

    def text(self) -> str:
        """The file."""
        spans, picture = self._picture(self._start)
        boxes = [[stop, *_spaced(box)] for stop, box in self._pieces.extents]
        run = {
            "count": f"{len(self._run.trace):,}",
            "start": self._start,
            "steps": self._steps,
            "extents": boxes,
            "things": self._things,
            "printed": self._printed(),
            "spans": spans,
        }
        script = (FOLDER / "player.js").read_text(encoding="utf-8")
        style = self._style()
        view = next(box for box in reversed(boxes) if box[0] <= self._start)[1:]
        first = self._steps[self._start]
        parts = {
            "theme": "system" if self._theme not in THEMES else "dark" if THEMES[self._theme].dark else "light",
            "script_hash": _hash(script),
            "style_hash": _hash(style),
            "version": clean(about.version()),
            "title": clean(self._run.name),
            "style": style,
            "view": " ".join(map(number, view)),
            "width": number(view[2]),
            "height": number(view[3]),
            "picture": picture,
            "first_title": clean(f"{first['number']} · {first['title']}"),
            "first_sentence": clean(first["sentence"]),
            "code": _code(self._run.source),
            "note": clean(self.left_out),
            "run": json.dumps(run, separators=(",", ":")).replace("<", "\\u003c"),
            "script": script,
        }
        page = (FOLDER / "player.html").read_text(encoding="utf-8")
        return MARKER.sub(lambda found: parts[found[1]], page)

    @property
    def _start(self) -> int:
        """The stop where a reader begins."""
        if self._at_cursor:
            wanted = self._run.cursor
            return max((at for at, step in enumerate(self._steps) if step["cursor"] <= wanted), default=0)
        return next((at for at, step in enumerate(self._steps) if step["phase"] == "backward"), len(self._steps) - 1)

    def _picture(self, start: int) -> tuple[list[list[int]], str]:
        """All pieces, those of one stop visible, with the stops at which each is visible."""
        spans: list[list[int]] = []
        lines = []
        for layer in LAYERS:
            lines.append(f'<g id="{layer}">')
            for piece in self._pieces.layer(layer):
                is_seen = any(begin <= start < end for begin, end in piece.spans)
                lines.append(_element(piece, len(spans), is_seen))
                spans.append([stop for span in piece.spans for stop in span])
            lines.append("</g>")
        return spans, "\n".join(lines)

    def _style(self) -> str:
        sheet = (FOLDER / "player.css").read_text(encoding="utf-8")
        styles = self._pieces.styles
        rules = "\n".join(styles.rules())
        parts = {
            "light": f"{_variables(self._light)};{styles.variables(dark=False)}",
            "dark": f"{_variables(self._dark)};{styles.variables(dark=True)}",
        }
        return f"{MARKER.sub(lambda found: parts[found[1]], sheet)}{rules}\n"


def _sections(found: Inspection) -> list[Any]:
    """The rows of an inspection, without what only a window can do."""
    sections = []
    for section in found.sections:
        rows = [
            [row.label, row.text, row.tone]
            for row in section.rows
            if not any(part.target is not None and part.target.kind == "check" for part in row.parts)
        ]
        if rows:
            sections.append([section.title, rows])
    return sections


def _element(piece: Piece, index: int, is_seen: bool) -> str:
    thing = f' data-thing="{piece.thing}"' if piece.thing else ""
    hidden = "" if is_seen else ' class="off"'
    return f'<g id="p{index}"{hidden}{thing}>{piece.markup}</g>'


def _spaced(box: tuple[float, float, float, float]) -> list[float]:
    left, top, right, bottom = box
    return [
        round(value, 2) for value in (left - SPACE, top - SPACE, right - left + 2 * SPACE, bottom - top + 2 * SPACE)
    ]


def _code(source: str) -> str:
    lines = source.rstrip("\n").split("\n")
    return "".join(f'<li id="L{at}">{clean(line)}\n</li>' for at, line in enumerate(lines, 1))


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _variables(theme: Theme) -> str:
    """The colours of a theme as variables."""
    return ";".join(f"--{name}:{value}" for name, value in vars(theme).items() if str(value).startswith("#"))
