"""The graph of a whole run as pieces of SVG: each card, edge, gradient and mark once for every look it has, with the
stops at which it looks like that. All are painted by the painter of the canvas, in both themes at once, so that a page
can change its colours. `page` puts them together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.content import content
from gradviz.ui.canvas.edge_painter import paint_flows, paint_forward, paint_pills, thickness
from gradviz.ui.canvas.group_painter import paint_frames
from gradviz.ui.canvas.placed import PAGE
from gradviz.ui.canvas.scene import KINDS
from gradviz.ui.sharing.svg import Mark, Sheet, Style

if TYPE_CHECKING:
    from gradviz.ui.canvas.diagram import Flags
    from gradviz.ui.canvas.moment import Moment
    from gradviz.ui.canvas.scene import Scene

LAYERS = ("behind", "frames", "edges", "flows", "items", "pills", "marks", "over")  # from back to front
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
Box = tuple[float, float, float, float]


@dataclass
class Piece:
    """A part of the picture that looks the same at some stops: from the first of each pair to before the second."""

    markup: str
    thing: str  # "tensor 3" if it is a card of it; otherwise ""
    spans: list[list[int]] = field(default_factory=list)

    def show_at(self, stop: int) -> None:
        """It is visible at a stop; the stops come in order."""
        if self.spans and self.spans[-1][1] == stop:
            self.spans[-1][1] = stop + 1
        else:
            self.spans.append([stop, stop + 1])


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
            markup = self._markup(paint)
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
            key = item, content(diagram, moment.frame, item)
            thing = f"{KINDS[int(diagram.kind[item])]} {int(diagram.index[item])}"
            self.seen[thing] = None
            self._rest("items", key, stop, replace(nothing, items=_only(len(moment.items), item)), thing)

    def _rest(self, layer: str, key: Hashable, stop: int, part: Moment, thing: str = "") -> None:
        area = self._area
        self._paint(layer, key, stop, lambda scene, painter: scene.painter.paint_rest(
            painter, part, PLAIN, area, 0.0, None), thing)  # fmt: skip

    def _paint(
        self, layer: str, key: Hashable, stop: int, paint: Callable[[Scene, QPainter], None], thing: str = ""
    ) -> None:
        self._note(layer, key, stop, lambda: self._markup(paint), thing)

    def _note(self, layer: str, key: Hashable, stop: int, make: Callable[[], str], thing: str = "") -> None:
        known = self._known[layer]
        if key not in known:
            known[key] = Piece(make(), thing)
            self.size += len(known[key].markup)
        known[key].show_at(stop)

    def _markup(self, paint: Callable[[Scene, QPainter], None]) -> str:
        """What is painted in both themes, as elements with classes."""
        light, dark = (_marks(paint, scene) for scene in self._scenes)
        if len(light) != len(dark):  # they differ in more than colours
            return "".join(
                f'<g class="{name}">{"".join(map(self._of_one, marks))}</g>'
                for name, marks in (("light", light), ("dark", dark))
            )
        return "".join(map(self._of_both, light, dark))

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
