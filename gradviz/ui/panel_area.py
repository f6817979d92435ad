"""The layout of the window: cards in splitters, made from the panel rows. The cards exist from the start, with their
titles; a panel is created on first use.

Note [Room]: the canvas gets half of the window. Cards without content are hidden; the others share what the canvas
leaves, see `allotted`. What the user asks for is always shown, and what was folded away stays so. Sizes that the user
drags are remembered separately for each set of visible cards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module

from PySide6.QtCore import QByteArray, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from gradviz.commands.panels import PANELS, ROW, PanelRow
from gradviz.document.snippet import Snippet
from gradviz.session.output import count
from gradviz.session.presenting import Stage
from gradviz.session.state import Phase, State
from gradviz.session.store import Store
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme


class Card(QFrame):
    """A single page has a plain title, several have tabs. Until a page is put in, its place is empty."""

    turned = Signal(int)  # another page has come to the front

    def __init__(self, titles: tuple[str, ...]) -> None:
        super().__init__()
        self.setObjectName("card")
        self._stack = QStackedWidget()
        self.header = QWidget()
        self.header.setObjectName("cardHeader")
        self.header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self.header)
        row.setContentsMargins(8, 2, 10, 0)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabs.setAccessibleName(", ".join(titles))
        self.title = QLabel(titles[0])
        self.title.setObjectName("cardTitle")
        self.title.setContentsMargins(7, 6, 0, 6)
        for title in titles:
            self.tabs.addTab(title)
            self._stack.addWidget(QWidget())
        row.addWidget(self.tabs)
        row.addWidget(self.title)
        row.addStretch(1)
        self.tabs.setVisible(len(titles) > 1)
        self.title.setVisible(len(titles) == 1)
        self.tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self._stack.currentChanged.connect(self.turned)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._stack, 1)

    def put(self, place: int, page: QWidget) -> None:
        """Put a page in its place, which was empty."""
        front = self._stack.currentIndex()
        empty = self._stack.widget(place)
        with QSignalBlocker(self._stack):  # the user did not turn to it
            self._stack.insertWidget(place, page)
            if empty is not None:
                self._stack.removeWidget(empty)
                empty.deleteLater()
            self._stack.setCurrentIndex(front)

    def show_tab(self, place: int, shown: bool) -> None:
        """Show the tab of a page, or hide it."""
        if self.tabs.isTabVisible(place) is not shown:
            self.tabs.setTabVisible(place, shown)
            self.tabs.updateGeometry()  # else the bar keeps its width, and scrolls

    @property
    def front(self) -> int:
        """The place of the page in front."""
        return self._stack.currentIndex()

    def has_in_front(self, page: QWidget) -> bool:
        """Whether this page is in front."""
        return self._stack.currentWidget() is page

    def reveal(self, page: QWidget) -> None:
        """Bring this page to the front."""
        self.tabs.setCurrentIndex(self._stack.indexOf(page))
        self._stack.setCurrentWidget(page)


LEFT = (0.27, 220, 560)  # share of the window's width; minimum; maximum
RIGHT = (0.205, 190, 400)
CORNER = (0.25, 200, 520)
BOTTOM = (0.24, 150, 240)  # of its height, for pages that need room
TALL = (0.4, 230, 460)  # the same, for pages that need more
TABS, STRIP = 36, 64  # pixels of the tabs at least, and of the timeline below them, at text scale 1
LINES = 262  # pixels in which most lines of a snippet can be read, at text scale 1
COMFORTABLE = 330  # pixels of the snippet that a page at the bottom must not take beyond its needs
MARGINS = (8, 8, 8, 2)
GAP = 7
SNIPPET, LEAST_SNIPPET = 0.6, 0.35  # share of a side that it has in common with the inspector
LINE_OF_CODE, AROUND_CODE = 18, 92  # pixels, of it and of what is around the code, at text scale 1
SPARE = 16  # pixels that a splitter may take from the canvas
NARROWEST, LOWEST = 120, 40  # minimum size of a card in pixels: a window must not grow with its contents
PAUSE, MOST_MISSED = 100, 24  # milliseconds, and states that a waiting panel leaves out
HALF = 0.5  # share of the window for the canvas, unless the user asks for more panels


@dataclass(frozen=True)
class Room:
    """Pixels for the cards around the graph, 0 for one that is folded away. `stacked`: the inspector is below the
    snippet, because beside the graph it would leave it too little room."""

    left: int = 0
    right: int = 0
    low: int = 0
    stacked: bool = False

    def canvas(self, width: float, height: float) -> float:
        """What is left of an area for the canvas."""
        beside = [side for side in (self.left, 0 if self.stacked else self.right) if side]
        below = self.low + GAP if self.low else 0
        return max(width - sum(beside) - GAP * len(beside), 0.0) * max(height - below, 0.0)


def allotted(width: float, height: float, least: float, low: int, scale: float, *, asked: bool = False) -> Room:
    """The room for each card of an area such that the canvas has at least this many pixels: cards beside the graph;
    otherwise the inspector below the snippet; then without the strip at the bottom, also if the lines of the snippet
    would be cut off early beside it; then the graph alone. If the user has `asked` for the card at the bottom, it gets
    at most what leaves the canvas its part, rather beside a narrow snippet than without it."""
    left, right = (_share(round(width), *one) for one in (LEFT, RIGHT))

    def stacked(low: int) -> Room:
        """Beside the graph, with as much as it leaves."""
        spare = width - GAP - SPARE - least / max(height - (low + GAP if low else 0), 1.0)
        side = max(min(left, int(spare)), round(LEFT[1] * scale))
        return Room(side, side, low, stacked=True)

    both = stacked(low)
    ways = [Room(left, right, low), both, stacked(0), Room(0, 0, low)]
    if asked:
        narrow = round(LEFT[1] * scale)
        fits = [int(height - GAP - SPARE - least / max(width - taken, 1.0)) for taken in (narrow + GAP + SPARE, 0)]
        beside = [stacked(min(low, fits[0]))] if fits[0] >= min(low, BOTTOM[1]) else []
        ways = [ways[0], both, *beside, Room(0, 0, max(min(low, fits[1]), round(STRIP * scale)))]
        return next((room for room in ways if room.canvas(width, height) >= least), ways[-1])
    if both.left < min(left, LINES * scale):
        del ways[1]
    return next((room for room in ways if room.canvas(width, height) >= least), Room())


def roomier(room: Room, larger: Room, needed: float) -> Room:
    """The one with more room for the page at the bottom, if the others lose nothing of the width that they need."""
    keeps = larger.stacked == room.stacked and larger.left >= min(room.left, needed)
    return larger if larger.low and keeps else room


def _share(whole: int, part: float, least: int, most: int) -> int:
    return min(max(round(whole * part), least), most)


def _made(row: PanelRow, context: Context) -> Panel:
    """Create a panel. Its module is imported only now: few of them are needed before the first paint."""
    module, _, name = row.made_by.partition(".")
    panel = getattr(import_module(f"gradviz.ui.panels.{module}"), name)(context)
    assert isinstance(panel, Panel)
    return panel


def _tab(row: PanelRow) -> int:
    """The position of a panel among the tabs of its card."""
    return [other for other in PANELS if other.place == row.place].index(row)


def in_front(cards: Mapping[str, Card]) -> tuple[str, ...]:
    """The panels in front, in the order of their rows."""
    return tuple(row.id for row in PANELS if cards[row.place].front == _tab(row))


def _filled(state: State) -> dict[str, bool]:
    """By card, whether it has content."""
    has_run = state.steps > 0 or state.drawing is not None
    prints = bool(state.live) or count(state, whole=True) > 0
    return {"left": True, "right": has_run, "bottom": state.steps > 0, "corner": prints}


class _Root(QWidget):
    """Emits when its size changes, and which cards have no room; each is identified by the row of its first panel."""

    without_room = Signal(tuple)

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__()
        self._resized = resized

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized()


def _splitters(cards: Mapping[str, Card], centre: QWidget) -> dict[str, QSplitter]:
    """The splitters around the cards; "whole" contains them all."""
    side = QSplitter(Qt.Orientation.Vertical)
    side.addWidget(cards["left"])
    middle = QSplitter(Qt.Orientation.Horizontal)
    middle.addWidget(side)
    middle.addWidget(centre)
    middle.addWidget(cards["right"])
    bottom = QSplitter(Qt.Orientation.Horizontal)
    bottom.addWidget(cards["bottom"])
    bottom.addWidget(cards["corner"])
    whole = QSplitter(Qt.Orientation.Vertical)
    whole.addWidget(middle)
    whole.addWidget(bottom)
    splitters = {"side": side, "middle": middle, "bottom": bottom, "whole": whole}
    for splitter, stretch in ((side, 0), (middle, 1), (bottom, 0), (whole, 0)):
        splitter.setStretchFactor(stretch, 1)
        splitter.setHandleWidth(GAP)
        splitter.setChildrenCollapsible(False)
    return splitters


class Missed:
    """The state that each hidden or waiting panel showed last. Those that wait while a slider moves catch up at a
    pause, or after some states."""

    def __init__(self, parent: QWidget, catch_up: Callable[[], None]) -> None:
        self.since: dict[str, State] = {}
        self._states = 0
        self._pause = QTimer(parent, singleShot=True)
        self._pause.timeout.connect(self._end)
        self._catch_up = catch_up

    def wait(self) -> None:
        """There is one more state that waiting panels have not shown."""
        self._states += 1
        self._pause.start(0 if self._states >= MOST_MISSED else PAUSE)

    def _end(self) -> None:
        self._states = 0
        self._catch_up()


def is_moving(store: Store, before: State, after: State) -> bool:
    """Whether this change is one of many, because a slider of a drawing moves."""
    changed = before.document is not after.document or before.run is not after.run
    return changed and after.drawing is not None and store.is_merging


class Later:
    """Shows states at once, or a few times a second the latest of many."""

    def __init__(self, parent: QObject, show: Callable[[State, State], None]) -> None:
        self._show = show
        self._waiting: tuple[State, State] | None = None  # what is shown now, and what is to be shown
        self._pause = QTimer(parent, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self._end)

    def show(self, before: State, after: State, *, later: bool) -> None:
        """Show a state, at once or `later`; what can be undone is known at once."""
        later = later and (before.undo_label, before.redo_label) == (after.undo_label, after.redo_label)
        self._waiting = (before if self._waiting is None else self._waiting[0]), after
        if not later:
            self._end()
        elif not self._pause.isActive():
            self._pause.start()

    def _end(self) -> None:
        self._pause.stop()
        if self._waiting is not None:
            (before, after), self._waiting = self._waiting, None
            self._show(before, after)


Arrangement = tuple[set[str], Room, bool, int, int, float]  # the visible cards and what their sizes depend on


def _code_height(state: State, scale: float, area: PanelArea) -> float:
    """The height that the code of the snippet that ran needs: what is left of its side goes to the inspector. An error
    or a finding, the examples, or the palette, take all there is. It stays as it is during a run."""
    if "editor" not in area.made or not area.cards["left"].has_in_front(area.made["editor"]):
        return math.inf
    if state.run.phase is Phase.RUNNING and area._arrangement is not None:
        return area._arrangement[-1]
    if not isinstance(state.traced, Snippet) or state.run.phase is not Phase.OK or state.looked_at is not None:
        return math.inf
    return scale * ((state.traced.text.count("\n") + 1) * LINE_OF_CODE + AROUND_CODE)


class PanelArea:
    """The panels by id, the cards by place, and the widget that contains them all."""

    def __init__(self, context: Context, remembered: Callable[[str], QByteArray]) -> None:
        self._context = context
        self._remembered = remembered  # the sizes of a splitter, by its name and the visible cards
        self.dragged: dict[str, QByteArray] = {}  # those changed by the user
        self._plots = 0
        self._asked: dict[str, bool] = {}  # places that the user wants to be visible, or hidden
        self._arrangement: Arrangement | None = None
        self._folded: tuple[PanelRow, ...] = ()
        self.made: dict[str, Panel] = {}  # those that have been visible
        self.cards = {place: self._card(place) for place in dict.fromkeys(row.place for row in PANELS)}
        self.splitters = _splitters(self.cards, self._centre())
        for name, splitter in self.splitters.items():
            splitter.splitterMoved.connect(partial(self._remember, name))
        self.root = _Root(self.arrange)
        self._missed = Missed(self.root, self._catch_up)
        self._column = QVBoxLayout(self.root)
        self._column.setContentsMargins(*MARGINS)
        self._column.addWidget(self.splitters["whole"])

    @property
    def panels(self) -> Mapping[str, Panel]:
        """All panels by their id."""
        return {row.id: self.panel(row.id) for row in PANELS}

    def panel(self, name: str) -> Panel:
        """A panel, created if necessary, showing the present state."""
        state = self._context.shell.store.state
        if name not in self.made:
            panel = self.made[name] = _made(ROW[name], self._context)
            panel.show_state(state, state)
            self.cards[ROW[name].place].put(_tab(ROW[name]), panel)
        elif name in self._missed.since:
            self.made[name].show_state(self._missed.since.pop(name), state)
        return self.made[name]

    def show_state(self, before: State, after: State) -> None:
        """Let the panels show the state that read something that has changed; one that fails does not affect the
        others. A hidden panel waits until it comes to the front; while a slider of a drawing moves, those around the
        canvas show every few states, so that the canvas keeps up."""
        failed: list[Exception] = []
        moving = is_moving(self._context.shell.store, before, after)
        for name, panel in tuple(self.made.items()):
            if not panel.shows.differs(before, after):
                continue
            place = ROW[name].place
            if (moving and place != "centre") or not self.cards[place].has_in_front(panel):
                self._missed.since.setdefault(name, before)
                continue
            try:
                panel.show_state(self._missed.since.pop(name, before), after)
            except Exception as error:  # noqa: BLE001 it is raised below
                failed.append(error)
        if moving:
            self._missed.wait()
        if failed:
            raise failed[0]

    def _catch_up(self) -> None:
        """Let the panels in front show what they have missed."""
        for name in tuple(self._missed.since):
            if self.cards[ROW[name].place].has_in_front(self.made[name]):
                self.panel(name)

    def _come_to_front(self, place: str, tab: int) -> None:
        """A panel becomes visible: create it, or show it what it has missed."""
        name = next(row.id for row in PANELS if row.place == place and _tab(row) == tab)
        if name in self._missed.since or name not in self.made:
            self.panel(name)
        if place in ("bottom", "left"):
            self._asked |= {place: True} if place == "bottom" and self.cards[place].isVisible() else {}
            self.arrange()

    def end(self) -> None:
        """The window closes."""
        for panel in self.made.values():
            panel.end()

    def set_theme(self, theme: Theme) -> None:
        """Give the panels this look, including those created later."""
        self._context = replace(self._context, theme=theme)
        for panel in self.made.values():
            panel.set_theme(theme)

    def _card(self, place: str) -> Card:
        card = Card(tuple(row.title for row in PANELS if row.place == place))
        card.header.setVisible(place not in ("centre", "under"))
        if place not in ("centre", "under"):
            card.setMinimumSize(NARROWEST, LOWEST)
        card.turned.connect(partial(self._come_to_front, place))
        return card

    def _centre(self) -> QWidget:
        """The graph with the explanation below."""
        box = QWidget()
        self._centre_column = QVBoxLayout(box)
        self._centre_column.setContentsMargins(0, 0, 0, 0)
        self._centre_column.setSpacing(GAP)
        self._centre_column.addWidget(self.cards["centre"], 1)
        self._centre_column.addWidget(self.cards["under"])
        return box

    # -- which cards are visible, and their sizes

    def arrange(self) -> None:
        """Give each card its room, depending on the size of the window, on what there is to show and on what the user
        asked for; the canvas comes first. Sizes that the user dragged stay until any of that changes."""
        state, scale = self._context.shell.store.state, self._context.theme.scale
        for row in (row for row in PANELS if row.of_job):
            self.cards[row.place].show_tab(_tab(row), state.job is not None)
        self._column.setContentsMargins(*((0, 0, 0, 0) if state.stage.on else MARGINS))
        self._centre_column.setSpacing(0 if state.stage.on else GAP)
        room = self._room(scale)
        shown = {ROW[name].place for name in state.stage.panels} if state.stage.on else self._shown(state, room)
        heights = self._low(scale), self.root.height(), _code_height(state, scale, self)
        if (arrangement := (shown, room, state.stage.on, *heights)) == self._arrangement:
            self._tell_folded(state, shown)
            return
        self._arrangement = arrangement
        self._stack("right" in shown and room.stacked and not state.stage.on)
        for place in ("left", "right", "bottom", "corner"):
            self.cards[place].setVisible(place in shown)
        self.splitters["side"].setVisible(bool(shown & ({"left", "right"} if room.stacked else {"left"})))
        self.splitters["bottom"].setVisible(bool(shown & {"bottom", "corner"}))
        self._spread(room, scale, has_low="bottom" in shown or "corner" in shown)
        for name, splitter in self.splitters.items():
            key = self._key(name)
            splitter.restoreState(self.dragged.get(key) or self._remembered(key))
        self._tell_folded(state, shown)  # last: it may lay the window out again

    def _key(self, splitter: str) -> str:
        shown, room, presenting, *_ = self._arrangement or (set(), Room(), False, 0, 0, 0.0)
        ways = (*sorted(shown), *(("stacked",) if room.stacked else ()), *(("presenting",) if presenting else ()))
        return "-".join((splitter, *ways, *(("tall",) if self._bottom.tall else ())))

    def _remember(self, name: str, *_: int) -> None:
        self.dragged[self._key(name)] = self.splitters[name].saveState()

    def show_stage(self, stage: Stage) -> None:
        """Bring the panels that are asked for during a presentation to the front, or end it."""
        for name in stage.panels:
            self.cards[ROW[name].place].reveal(self.panel(name))
        self.arrange()

    def _room(self, scale: float) -> Room:
        width = self.root.width() - MARGINS[0] - MARGINS[2]
        under = self.cards["under"]
        taken = under.sizeHint().height() + GAP if under.isVisibleTo(self.root) else 0
        height = self.root.height() - MARGINS[1] - MARGINS[3] - taken
        least, low = HALF * self._page.width() * self._page.height(), self._low(scale)
        asked = self._asked.get("bottom", False)
        ways = low - self._more[1], low - self._more[1] + self._more[0], low
        room, some, larger = (allotted(width, height, least, each, scale, asked=asked) for each in ways)
        return roomier(roomier(room, some, LINES * scale), larger, COMFORTABLE * scale)

    @property
    def _page(self) -> QWidget:
        """The whole document: the window without its row of tabs."""
        return self.root.parentWidget() or self.root

    def _low(self, scale: float) -> int:
        """The height of the card at the bottom, by the page in front."""
        row = self._bottom
        if row.id == "timeline":
            return round(TABS * max(scale, 1.0) + STRIP * scale) + self._more[1]
        return _share(self._page.height(), *(TALL if row.tall else BOTTOM))

    @property
    def _more(self) -> tuple[int, int]:
        """The pixels that the page in front at the bottom can use beyond what it needs: the most useful, and all."""
        return self.made[name].more if (name := self._bottom.id) in self.made else (0, 0)

    @property
    def _bottom(self) -> PanelRow:
        """The page in front at the bottom."""
        return next(row for row in PANELS if row.place == "bottom" and _tab(row) == self.cards["bottom"].front)

    def _shown(self, state: State, room: Room) -> set[str]:
        """The visible cards: those with content, if there is room, and those that the user asked for, without those
        that were folded away."""
        has_room = {"left": room.left > 0, "right": room.right > 0, "bottom": room.low > 0, "corner": room.low > 0}
        wanted = {place: is_filled and has_room[place] for place, is_filled in _filled(state).items()}
        return {place for place, want in (wanted | self._asked).items() if want}

    def _tell_folded(self, state: State, shown: set[str]) -> None:
        """Emit which cards have content but are hidden; each is identified by its first panel."""
        folded = [place for place, is_filled in _filled(state).items() if is_filled and place not in shown]
        rows = tuple(next(row for row in PANELS if row.place == place) for place in folded)
        if rows != self._folded:
            self._folded = rows
            self.root.without_room.emit(rows)

    def _stack(self, stacked: bool) -> None:
        """Put the right card below the left one, or back."""
        side, middle, card = self.splitters["side"], self.splitters["middle"], self.cards["right"]
        if stacked and side.indexOf(card) < 0:
            side.addWidget(card)
        elif not stacked and middle.indexOf(card) < 0:
            middle.addWidget(card)

    def _spread(self, room: Room, scale: float, *, has_low: bool) -> None:
        width, height = self.root.width(), self.root.height()
        left = room.left or _share(width, *LEFT)
        right = 0 if room.stacked else room.right or _share(width, *RIGHT)
        corner, low = _share(width, *CORNER), room.low or self._low(scale)
        beside = height - (low if has_low else 0)
        code = self._arrangement[-1] if self._arrangement is not None else math.inf
        snippet = min(SNIPPET * beside, max(LEAST_SNIPPET * beside, code))
        self.splitters["side"].setSizes([round(snippet), round(beside - snippet)])
        self.splitters["middle"].setSizes([left, max(1, width - left - right), right])
        self.splitters["bottom"].setSizes([max(1, width - corner), corner])
        self.splitters["whole"].setSizes([max(1, height - low), low])

    def ask_for(self, place: str, shown: bool) -> None:
        """The user wants to see a card, or to fold it away."""
        if place not in ("centre", "under"):
            self._asked[place] = shown
            self.arrange()

    def fold_away(self) -> None:
        """Fold away the card that has the focus, which goes to the graph."""
        focus = QApplication.focusWidget()
        for place, card in self.cards.items():
            if place not in ("centre", "under") and focus is not None and card.isAncestorOf(focus):
                self.panel("canvas").focus_target.setFocus(Qt.FocusReason.ShortcutFocusReason)
                self.ask_for(place, shown=False)

    def bring(self, name: str) -> None:
        """Bring a panel to the front of its card, and unfold the card."""
        self.cards[ROW[name].place].reveal(self.panel(name))
        if not self._context.shell.store.state.stage.on and not self.cards[ROW[name].place].isVisibleTo(self.root):
            self.ask_for(ROW[name].place, shown=True)

    def show_plots(self, state: State) -> None:
        """Show the number of plots on the tab; the first ones that a snippet makes come to the front by themselves."""
        number = len(state.run.figures)
        if number == self._plots:
            return
        row = ROW["plots"]
        self.cards[row.place].tabs.setTabText(_tab(row), f"{row.title} ({number})" if number else row.title)
        if not self._plots:
            self.bring("plots")
        self._plots = number

    def reveal(self, name: str) -> None:
        """Bring a panel to the front and give it the focus."""
        self.bring(name)
        self.panel(name).focus_target.setFocus(Qt.FocusReason.ShortcutFocusReason)
