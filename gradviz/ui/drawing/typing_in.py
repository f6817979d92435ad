"""Typing on the canvas: opens the box at a place, tells what fits, and makes what was typed. `document.making` knows
what a text means, `type_box` is the box."""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF

from gradviz.document.catalogue import Entry, find
from gradviz.document.drawing import Drawing, Node, Ref
from gradviz.document.errors import UserError
from gradviz.document.making import Around, Made, make, operation
from gradviz.ui.drawing.gesture import Ground
from gradviz.ui.drawing.type_box import TypeBox
from gradviz.ui.drawing.wiring import Loose

WORD = re.compile(r"(torch\.|F\.)?[A-Za-z_][\w.]*|[-+*/@%^&|<>=!~]{1,2}")
SUGGESTED = 12
OPERATION_SIZE = QPointF(300, 110)
PITCH = 150.0  # world units from what is picked to what is made of it


class Typing:
    """The box, once it was needed, and what it is about."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._box: TypeBox | None = None
        self._around = Around(0.0, 0.0)
        self._waits = ""  # what was typed and is being tried out

    @property
    def box(self) -> TypeBox:
        """The box; made when first needed."""
        if self._box is None:
            self._box = TypeBox(self._ground.view, self._ground.layer.theme)
            self._box.edited.connect(self._edited)
            self._box.taken.connect(self._taken)
            self._box.forgotten.connect(self.close)
        return self._box

    @property
    def is_open(self) -> bool:
        """Whether one is typing."""
        return self._box is not None and self._box.isVisible()

    def open(self, at: QPointF, text: str = "", feeds: tuple[Ref, ...] = ()) -> None:
        """Begin at a pixel; what is made will be wired to `feeds`."""
        self._open(at, text, feeds)

    def open_beside(self, text: str = "") -> None:
        """Begin beside what is picked, to be wired to it; without such at the pointer, or in the middle."""
        ground, view = self._ground, self._ground.view
        nodes = self._picked_nodes()
        if nodes:
            self._open(ground.pixel(self._beside(nodes)), text, tuple(Ref(node.id) for node in nodes), about=True)
            return
        at = QPointF(view.mapFromGlobal(view.cursor().pos()))
        inside = view.rect().adjusted(20, 20, -20, -20).contains(at.toPoint()) and view.underMouse()
        self._open(at if inside else QPointF(view.rect().center()), text, ())
        if not inside:
            self.box.center()

    def place_beside(self, key: str) -> None:
        """Make an operation at once, beside what is picked and wired to it."""
        ground = self._ground
        nodes = self._picked_nodes()
        if nodes:
            at = self._beside(nodes)
            self._around = Around(at.x(), at.y(), tuple(Ref(node.id) for node in nodes), about=True)
        else:
            at = ground.free_place(OPERATION_SIZE) - QPointF(100, 0)  # its result stands at the right of it
            self._around = Around(at.x(), at.y())
        try:
            made = make(ground.drawing, key, self._around)
        except UserError as error:
            ground.refuse(str(error), ground.pixel(at))
            return
        base = ground.drawing

        def told(reason: str) -> None:
            if reason:
                ground.refuse(reason, ground.pixel(at))
            elif ground.drawing is base:
                self._keep(made)

        if self._around.feeds:
            ground.checks.ask(made.drawing, told, keep=True)
        else:
            told("")

    def _picked_nodes(self) -> list[Node]:
        """From top to bottom: in this order they go to the ports."""
        ground = self._ground
        nodes = [node for node in ground.drawing.nodes if node.id in ground.picked]
        return sorted(nodes, key=lambda node: (node.y, node.x))

    def _beside(self, nodes: list[Node]) -> QPointF:
        right = max(self._ground.geometry.box(node.id).right() for node in nodes)
        return QPointF(right + PITCH / 2, sum(node.y for node in nodes) / len(nodes))

    def open_for_wire(self, loose: Loose, at: QPointF) -> None:
        """A wire was let go where nothing is: what is typed will be its other end."""
        feeds = (loose.source,) if loose.source is not None else ()
        self._open(at, "", feeds, loose.target)

    def _open(
        self,
        at: QPointF,
        text: str,
        feeds: tuple[Ref, ...],
        into: tuple[int, int] | None = None,
        *,
        about: bool = False,
    ) -> None:
        place = self._ground.rest(at)
        self._around = Around(place.x(), place.y(), feeds, into, about)
        self._ground.layer.drop_bubble()
        self.box.set_theme(self._ground.layer.theme)
        self.box.open_at(at, text)
        self._invite(False)

    def close(self) -> None:
        """Forget what was typed."""
        self._waits = ""
        if self._box is not None and self._box.isVisible():
            had = self._box.isAncestorOf(self._box.window().focusWidget() or self._box.window())
            self._box.hide()
            self._invite(True)
            if had:
                self._ground.view.setFocus()

    def _invite(self, invited: bool) -> None:
        """A blank canvas says what to type, until one types."""
        self._ground.view.invites = invited
        self._ground.view.update()

    # -- what the box says

    def _edited(self, text: str) -> None:
        word = text.strip()
        asks = not word or WORD.fullmatch(word) is not None
        self.box.suggest(find(word, SUGGESTED) if asks else ())
        if not asks:
            added = "the nodes of this expression" if re.search(r"[A-Za-z]", word) else "a leaf"
            self.box.say(f"Press Enter to add {added}.")
        elif self._around.feeds:
            names = self._ground.geometry
            fed = " and ".join(names.name(ref) or "the result" for ref in self._around.feeds[:2])
            self.box.say(f"It will be wired to {fed}.")
        else:
            self.box.say("")

    def _taken(self, text: str, entry: Entry | None) -> None:
        base = self._ground.drawing
        if self._waits:
            return
        try:
            made = self._make(text, entry)
        except UserError as error:
            self._refuse(str(error))
            return
        if self._around.feeds or self._around.into is not None:
            self._waits = text
            self._ground.checks.ask(made.drawing, lambda reason: self._told(base, made, reason), keep=True)
        else:
            self._told(base, made, "")

    def _make(self, text: str, entry: Entry | None) -> Made:
        drawing = self._ground.drawing
        if entry is None and not text.strip():
            raise UserError("Type an operation such as mul, a number such as 3.0, or an expression such as w*x + b.")
        if entry is None and operation(text) is None and text.strip() and WORD.fullmatch(text.strip()):
            marked = self.box.entry
            if marked is not None and text.strip() in marked.name:  # a part of a word: the best one that fits
                entry = marked
        return make(drawing, entry.key if entry is not None else text, self._around)

    def _told(self, base: Drawing, made: Made, reason: str) -> None:
        """The answer; a quick hand may have gone on typing meanwhile, which begins the next."""
        text, self._waits = self._waits, ""
        if reason:
            self._refuse(reason)
            return
        if not self.is_open or self._ground.drawing is not base:
            return  # forgotten while the answer was on its way, or the drawing is another one
        rest = self.box.line.text().removeprefix(text) if text else ""
        self.close()
        self._keep(made)
        if rest:
            self.open_beside(rest)

    def _keep(self, made: Made) -> None:
        self._ground.edit(made.label, made.drawing, frozenset({made.result.node}))
        self._ground.reveal(made.nodes)

    def _refuse(self, sentence: str) -> None:
        if self.is_open:
            self.box.say(sentence, wrong=True)
            self._ground.announce(sentence)
