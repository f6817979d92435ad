"""A whole run as one HTML file that steps forward and back in any browser and fetches nothing: the graph as pieces of
SVG, the text of the explanation bar and the inspector, the code and the output. The script for the browser is in
`resources/player`.

Note [Text in a page] Names, code and output come from a stranger. In elements they are escaped, and in the data of the
run no "<" is left; the script only ever sets them as text. A policy in the page allows this one script, by its hash,
and no connections.

The pieces are each edge, gradient and mark once for every look it has, with the stops at which it looks like that; a
card or operation has one for each of its shapes, so that what stays is there once. All are painted by the painter of
the canvas, in both themes at once, so that a page can change its colours."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gradviz import RESOURCES, about
from gradviz.session.inspect.inspection import Inspection, inspect
from gradviz.session.inspect.sources import call_texts
from gradviz.session.moves import inspected
from gradviz.session.output import pieces as printed_pieces
from gradviz.session.state import Selection, State
from gradviz.trace.words.explain import explain_fold, fold_number
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.content import content
from gradviz.ui.canvas.edge_painter import paint_flows, paint_forward, thickness
from gradviz.ui.canvas.group_painter import paint_frames
from gradviz.ui.canvas.pills import paint_pills
from gradviz.ui.canvas.placed import PAGE
from gradviz.ui.canvas.scene import KINDS
from gradviz.ui.sharing.svg import Mark, Sheet, Style, clean, number
from gradviz.ui.theme import DARK, LIGHT, THEMES, Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.diagram import Flags
    from gradviz.ui.canvas.moment import Moment
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.sharing.picture import Shown

LAYERS = ("behind", "frames", "edges", "flows", "items", "pills", "marks", "over")  # from back to front
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
Box = tuple[float, float, float, float]


@dataclass
class Piece:
    """A part of the picture that looks the same at some stops: from the first of each pair to before the second."""

    markup: str
    spans: list[list[int]] = field(default_factory=list)

    def show_at(self, stop: int) -> None:
        """It is visible at a stop; the stops come in order."""
        if self.spans and self.spans[-1][1] == stop:
            self.spans[-1][1] = stop + 1
        else:
            self.spans.append([stop, stop + 1])


@dataclass
class Item:
    """A card or operation: all shapes of all its looks, from back to front, and which of them each look has."""

    shapes: list[Piece] = field(default_factory=list)
    looks: dict[Hashable, list[Piece]] = field(default_factory=dict)

    def add(self, look: Hashable, markups: list[str]) -> int:
        """One more look, of shapes from back to front; returns how many characters are new."""
        at, before = 0, sum(len(shape.markup) for shape in self.shapes)
        mine = self.looks[look] = []
        for markup in markups:
            there = (place for place in range(at, len(self.shapes)) if self.shapes[place].markup == markup)
            if (place := next(there, -1)) < 0:
                place = at
                self.shapes.insert(place, Piece(markup))
            mine.append(self.shapes[place])
            at = place + 1
        return sum(len(shape.markup) for shape in self.shapes) - before

    def pieces(self) -> Iterator[Piece]:
        """The shapes; neighbours that come and go together are one piece."""
        for _, together in groupby(self.shapes, lambda shape: shape.spans):
            several = list(together)
            yield Piece("".join(shape.markup for shape in several), several[0].spans)


class Styles:
    """The classes and colours of a page: each pair of light and dark styles has a class, each pair of colours a
    variable."""

    def __init__(self) -> None:
        self._classes: dict[tuple[Style, Style], str] = {}
        self.colours: dict[tuple[str, str], str] = {}

    def class_of(self, light: Style, dark: Style) -> str:
        """The class of a shape with this look in the light and the dark theme."""
        return self._classes.setdefault((light, dark), f"k{short(len(self._classes))}")

    def _variable(self, light: str, dark: str) -> str:
        if light == dark == "none":
            return "none"
        return f"var(--{self.colours.setdefault((light, dark), f'c{short(len(self.colours))}')})"

    def rules(self) -> list[str]:
        """The rules of the classes."""
        found = []
        for (light, dark), name in self._classes.items():
            pairs = [("fill", self._variable(light.fill, dark.fill))]
            if (light.stroke, dark.stroke) != ("none", "none"):
                pairs.append(("stroke", self._variable(light.stroke, dark.stroke)))
            found.append(f".{name}{{{';'.join(f'{key}:{value}' for key, value in (*pairs, *light.rest))}}}")
        return found

    def variables(self, *, dark: bool) -> str:
        """The colours of one theme."""
        return ";".join(f"--{name}:{pair[dark]}" for pair, name in self.colours.items())


def short(number: int) -> str:
    """A number in a few characters."""
    text = DIGITS[number % 36]
    while number >= 36:
        number //= 36
        text = DIGITS[number % 36] + text
    return text


class Pieces:
    """Collects the pieces of one run; `light` and `dark` are scenes of the same diagram."""

    def __init__(self, light: Scene, dark: Scene) -> None:
        self.styles = Styles()
        self.extents: list[tuple[int, Box]] = []  # what is visible from which stop on
        self.size = 0  # characters of all pieces
        self.seen: dict[str, None] = {}  # the things that have an item at the latest stop
        self._scenes = light, dark
        self._known: dict[str, dict[Hashable, Piece]] = {layer: {} for layer in LAYERS}
        self.items: dict[str, Item] = {}  # by the thing they show, "tensor 3"
        for scene in self._scenes:
            scene.painter.coarse = True  # without the words on edges, which are pieces of their own

    def layer(self, name: str) -> Iterator[Piece]:
        """The pieces of a layer, in order of appearance."""
        return iter(self._known[name].values())

    @property
    def description(self) -> str:
        """The description of the picture for screen readers."""
        return self._scenes[0].description()

    def stop_at(self, stop: int, cursor: int) -> None:
        """Record what is visible at a cursor, the next stop."""
        for scene in self._scenes:
            scene.move_to(cursor)
        moment = self._scenes[0].moment
        self._note_extent(stop)
        self._note_additions(stop)
        self._note_edges(stop, moment)
        self._note_marks(stop, moment)
        self._note_items(stop, moment)

    def _note_extent(self, stop: int) -> None:
        box = self._scenes[0].extent() or (0.0, 0.0, 100.0, 60.0)
        if not self.extents or self.extents[-1][1] != box:
            self.extents.append((stop, box))

    def _note_additions(self, stop: int) -> None:
        """What a drawing has besides its items."""
        if self._scenes[0].addition is None:
            return
        area = self._area

        def behind(scene: Scene, painter: QPainter) -> None:
            if scene.addition is not None:
                scene.addition.paint_behind(painter, scene.moment, PLAIN, area)

        def over(scene: Scene, painter: QPainter) -> None:
            if scene.addition is not None:
                scene.addition.paint_over(painter, scene.moment, PLAIN, area, on_screen=False)

        for layer, paint in (("behind", behind), ("over", over)):
            markup = "".join(self._markups(paint))
            self._note(layer, markup, stop, lambda markup=markup: markup)  # type: ignore[misc]

    def _note_edges(self, stop: int, moment: Moment) -> None:
        diagram = self._scenes[0].placed.diagram
        world = self._world
        for frame in np.flatnonzero(moment.frames).tolist():
            part = replace(moment, frames=_only(len(moment.frames), frame))
            self._paint("frames", frame, stop, lambda scene, painter, part=part: paint_frames(
                painter, scene.painter.ink, scene.placed, part, world, 1.0))  # type: ignore[misc]  # fmt: skip
        count = len(diagram.edges)
        for edge in np.flatnonzero(moment.edges).tolist():
            part = replace(moment, edges=_only(count, edge))
            self._paint("edges", edge, stop, lambda scene, painter, part=part: paint_forward(
                painter, scene.painter.ink, scene.placed, part, world, 1.0, PAGE))  # type: ignore[misc]  # fmt: skip
        wide = thickness(moment.norm)
        for edge in np.flatnonzero(moment.flow).tolist():
            flow = np.where(_only(count, edge), moment.flow, 0).astype(np.uint8)
            part = replace(moment, flow=flow, now=moment.now & (flow > 0))
            key = edge, int(flow[edge]), bool(moment.now[edge]), float(wide[edge])
            self._paint("flows", key, stop, lambda scene, painter, part=part: paint_flows(
                painter, scene.painter.ink, scene.placed, part, world, 1.0, 0.0, PAGE))  # type: ignore[misc]  # fmt: skip

    def _note_marks(self, stop: int, moment: Moment) -> None:
        """Words on edges, and what stands out."""
        for pill in self._scenes[0].painter.pills.at(moment, 1.0, labels=True):
            self._paint("pills", pill, stop, lambda scene, painter, pill=pill: paint_pills(
                painter, scene.painter.ink, (pill,), moment, 1.0))  # type: ignore[misc]  # fmt: skip
        nothing = _without_items(moment)
        for item in moment.current:
            self._rest("marks", item, stop, replace(nothing, current=(item,)))
        for failed in moment.failed:
            self._rest("marks", failed, stop, replace(nothing, failed=(failed,)))

    def _note_items(self, stop: int, moment: Moment) -> None:
        diagram, nothing = self._scenes[0].placed.diagram, _without_items(moment)
        self.seen = {}
        for item in np.flatnonzero(moment.items).tolist():
            look = item, content(diagram, moment.frame, item)  # a tensor may have a card and tags
            thing = f"{KINDS[int(diagram.kind[item])]} {int(diagram.index[item])}"
            self.seen[thing] = None
            known = self.items.setdefault(f"{thing} {item}", Item())
            if look not in known.looks:
                part = replace(nothing, items=_only(len(moment.items), item))
                self.size += known.add(look, self._markups(self._resting(part)))
            for shape in known.looks[look]:
                shape.show_at(stop)

    def _resting(self, part: Moment) -> Callable[[Scene, QPainter], None]:
        area = self._area
        return lambda scene, painter: scene.painter.paint_rest(painter, part, PLAIN, area, 0.0, None)

    def _rest(self, layer: str, key: Hashable, stop: int, part: Moment) -> None:
        self._paint(layer, key, stop, self._resting(part))

    def _paint(self, layer: str, key: Hashable, stop: int, paint: Callable[[Scene, QPainter], None]) -> None:
        self._note(layer, key, stop, lambda: "".join(self._markups(paint)))

    def _note(self, layer: str, key: Hashable, stop: int, make: Callable[[], str]) -> None:
        known = self._known[layer]
        if key not in known:
            known[key] = Piece(make())
            self.size += len(known[key].markup)
        known[key].show_at(stop)

    def _markups(self, paint: Callable[[Scene, QPainter], None]) -> list[str]:
        """What is painted in both themes, from back to front, as elements with classes."""
        light, dark = (_marks(paint, scene) for scene in self._scenes)
        if len(light) != len(dark):  # they differ in more than colours
            return [
                f'<g class="{name}">{"".join(map(self._of_one, marks))}</g>'
                for name, marks in (("light", light), ("dark", dark))
            ]
        return list(map(self._of_both, light, dark))

    def _of_one(self, mark: Mark) -> str:
        return mark.markup(f' class="{self.styles.class_of(mark.style, mark.style)}"')

    def _of_both(self, light: Mark, dark: Mark) -> str:
        name = self.styles.class_of(light.style, dark.style)
        if light.image == dark.image:
            return light.markup(f' class="{name}"')
        return light.markup(f' class="{name} light"') + dark.markup(f' class="{name} dark"')

    @property
    def _world(self) -> Box:
        """More than everything that is painted."""
        left, top, right, bottom = self._scenes[0].extent() or (0.0, 0.0, 100.0, 60.0)
        return left - BEYOND, top - BEYOND, right + BEYOND, bottom + BEYOND

    @property
    def _area(self) -> QRectF:
        left, top, right, bottom = self._world
        return QRectF(left, top, right - left, bottom - top)


BEYOND = 1_000.0
PLAIN = Camera(1.0, 0.0, 0.0)  # its screen pixels are world units


def _only(count: int, index: int) -> Flags:
    flags = np.zeros(count, bool)
    flags[index] = True
    return flags


def _without_items(moment: Moment) -> Moment:
    none = np.zeros(len(moment.flow), np.uint8)
    return replace(
        moment, items=np.zeros(len(moment.items), bool), flow=none, now=none.astype(bool), current=(), failed=()
    )


def _marks(paint: Callable[[Scene, QPainter], None], scene: Scene) -> list[Mark]:
    sheet = Sheet()
    with QPainter(sheet) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(scene, painter)
    return sheet.marks


FOLDER = RESOURCES / "player"
MOST_CHARACTERS = 24_000_000  # of pieces and texts: with more, browsers take seconds
MOST_PRINTED = 200_000
SPACE = 28.0  # around the graph
PATH = re.compile(r'(?<=[^"]>)<path d="[^"]{20,}" class="\w+"/>')  # that is not the first in its element
MARKER = re.compile(r"\{\{(\w+)\}\}")
Told = list[Any]  # [stop, title, [[section, [row, …]], …]], or [stop] for nothing from there on


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
        self._rows: dict[tuple[str, str, str], int] = {}  # of the inspector, each once
        self._told: set[str] = set()  # the things that the latest stop describes
        self._size = 0
        self.left_out = ""  # a sentence if not all steps are in the page

    def work(self) -> Iterator[float]:
        """Paint and describe every stop."""
        self._pieces = Pieces(*(self._run.scene(theme, throughout=True) for theme in (self._light, self._dark)))
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
        found = explain_fold(trace, cursor, every)
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
        told = [found.title, self._sections(found)]
        known = self._things.setdefault(key, [])
        if not known or known[-1][1:] != told:
            known.append([stop, *told])
            self._size += len(str(told))
        return True

    def _sections(self, found: Inspection) -> list[Any]:
        """The rows of an inspection as their numbers, without what only a window can do."""
        sections = []
        for section in found.sections:
            rows = [
                self._rows.setdefault((row.label, row.text, row.tone), len(self._rows))
                for row in section.rows
                if not any(part.target is not None and part.target.kind == "check" for part in row.parts)
            ]
            if rows:
                sections.append([section.title, rows])
        return sections

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
            "rows": list(self._rows),
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
            if layer == "items":
                for name, item in self._pieces.items.items():
                    thing = name.rpartition(" ")[0]
                    lines += [f'<g data-thing="{thing}">', *_elements(item.pieces(), spans, start), "</g>"]
            lines += [*_elements(self._pieces.layer(layer), spans, start), "</g>"]
        return spans, _shared("\n".join(lines))

    def _style(self) -> str:
        sheet = (FOLDER / "player.css").read_text(encoding="utf-8")
        styles = self._pieces.styles
        rules = "\n".join(styles.rules())
        parts = {
            "light": f"{_variables(self._light)};{styles.variables(dark=False)}",
            "dark": f"{_variables(self._dark)};{styles.variables(dark=True)}",
        }
        return f"{MARKER.sub(lambda found: parts[found[1]], sheet)}{rules}\n"


def _shared(picture: str) -> str:
    """The picture with each path that it has several times once, where it is used. The first of a piece stays: it is
    the frame of a card, which has another look where the card is chosen."""
    often = Counter(PATH.findall(picture))
    names = {path: f"s{short(at)}" for at, (path, count) in enumerate(often.items()) if count > 1}
    if not names:
        return picture
    defined = "".join(f'{path[:-2]} id="{name}"/>' for path, name in names.items())
    used = PATH.sub(lambda found: f'<use href="#{names[found[0]]}"/>' if found[0] in names else found[0], picture)
    return f"<defs>{defined}</defs>\n{used}"


def _elements(pieces: Iterable[Piece], spans: list[list[int]], start: int) -> Iterator[str]:
    """Elements of pieces, those of the stop `start` visible; their stops are added to `spans`."""
    for piece in pieces:
        is_seen = any(begin <= start < end for begin, end in piece.spans)
        hidden = "" if is_seen else ' class="off"'
        yield f'<g id="p{len(spans)}"{hidden}>{piece.markup}</g>'
        spans.append([stop for span in piece.spans for stop in span])


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
