"""What works for the window without being seen, each made and loaded when it is first asked for: before the first paint
nobody asks. `window` says when they are made."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradviz.session.store import Store
    from gradviz.ui.asking import Asker
    from gradviz.ui.backward_bar import BackwardBar
    from gradviz.ui.chain_runner import ChainRunner
    from gradviz.ui.drawing.board import DrawingBoard
    from gradviz.ui.files import WindowFiles
    from gradviz.ui.frame import Layout
    from gradviz.ui.live_drawing import LiveDrawing
    from gradviz.ui.panels.graph import GraphPanel
    from gradviz.ui.panels.plots import PlotsPanel
    from gradviz.ui.player import Player
    from gradviz.ui.recovery import RecoveryKeeper
    from gradviz.ui.slow import Slow
    from gradviz.ui.stop_finder import StopFinder
    from gradviz.ui.theme import Theme
    from gradviz.ui.toolbar import Tools
    from gradviz.ui.trial import Trial
    from gradviz.ui.what_if_runner import WhatIfRunner
    from gradviz.ui.worker_bridge import WorkerBridge


class Helpers:
    """A part of the window: those that it has in addition to its widgets."""

    store: Store
    files: WindowFiles
    tools: Tools
    theme: Theme
    layout_: Layout

    @property
    def canvas(self) -> GraphPanel:
        """The graph panel."""
        raise NotImplementedError

    @property
    def plots(self) -> PlotsPanel:
        """The panel of plots."""
        return cast("PlotsPanel", self.layout_.panel("plots"))

    @cached_property
    def board(self) -> DrawingBoard:
        """What is done by hand on a drawing."""
        from gradviz.ui.drawing.board import DrawingBoard

        return DrawingBoard(self.store, lambda: self.canvas.drawn.hands, self.slow)

    @cached_property
    def slow(self) -> Slow:
        """Tells of layouts that take long."""
        from gradviz.ui.slow import Slow

        return Slow(self.store)

    @cached_property
    def runner(self) -> WorkerBridge:
        """The worker; what is typed is kept safe before each run, and a file that is run is the user's own."""
        from gradviz.ui.worker_bridge import WorkerBridge

        runner = WorkerBridge(self.store)
        runner.about_to_run.connect(self.recovery.write)
        runner.about_to_run.connect(self.files.run_begins)
        return runner

    @cached_property
    def beside(self) -> WhatIfRunner:
        """The second run, with a change."""
        from gradviz.ui.what_if_runner import WhatIfRunner

        return WhatIfRunner(self.store, self.runner)

    @cached_property
    def chains(self) -> ChainRunner:
        """Finds the paths of a gradient."""
        from gradviz.ui.chain_runner import ChainRunner

        return ChainRunner(
            self.store,
            lambda: (self.live if self.store.state.drawing else self.runner).pool,
            lambda: () if self.store.state.drawing else self.runner.live.answers,
        )

    @cached_property
    def asker(self) -> Asker:
        """Asks what input() wants to know."""
        from gradviz.ui.asking import Asker

        lives = lambda: (self.runner.live, self.beside.live)  # noqa: E731
        return Asker(cast("QWidget", self), lives, self._stop_all, lambda: self.theme)

    def _stop_all(self) -> None:
        self.runner.stop()
        self.beside.stop()

    @cached_property
    def live(self) -> LiveDrawing:
        """Runs a drawing after every change."""
        from gradviz.ui.live_drawing import LiveDrawing

        return LiveDrawing(self.store, self.runner)

    @cached_property
    def backward(self) -> BackwardBar:
        """The backward call in the toolbar."""
        from gradviz.ui.backward_bar import BackwardBar

        bar = BackwardBar(self.store, self.theme)
        self.tools.put(bar)
        return bar

    @cached_property
    def trial(self) -> Trial:
        """Says whether a wire is possible."""
        from gradviz.ui.trial import Trial

        return Trial(self.store, lambda: self.live.pool)

    @cached_property
    def recovery(self) -> RecoveryKeeper:
        """The copy of what is typed."""
        from gradviz.ui.recovery import RecoveryKeeper

        return RecoveryKeeper(self.store)

    @cached_property
    def player(self) -> Player:
        """Plays the steps."""
        from gradviz.ui.player import Player

        return Player(self.store)

    @cached_property
    def stop_finder(self) -> StopFinder:
        """Seeks where breakpoints hold."""
        from gradviz.ui.stop_finder import StopFinder

        return StopFinder(self.store)
