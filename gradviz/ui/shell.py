"""What the commands act on: the store, the panels, and the services of a window that are never visible. Each is
imported and created on first use, because none is needed before the first paint. `window` decides when; the interface
is in `gradviz.commands.row`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from gradviz.session.state import STALE, Slice

if TYPE_CHECKING:
    from pathlib import Path

    from gradviz.session.state import State
    from gradviz.session.store import Store
    from gradviz.ui.dialogs.dialogs import WindowDialogs
    from gradviz.ui.dialogs.program_input import InputAsker
    from gradviz.ui.drawing.board import DrawingBoard
    from gradviz.ui.panel_area import PanelArea
    from gradviz.ui.panels.editor import EditorPanel
    from gradviz.ui.panels.graph import GraphPanel
    from gradviz.ui.panels.output import PlotsPanel
    from gradviz.ui.services.attaching import WindowAttachments
    from gradviz.ui.services.files import WindowFiles
    from gradviz.ui.services.lessons import WindowLessons
    from gradviz.ui.services.live_drawing import LiveDrawing, WireTrial
    from gradviz.ui.services.overture import OverturePlayer
    from gradviz.ui.services.playback import BreakpointSearch, PlaybackTimer
    from gradviz.ui.services.recordings import RecordingFiles
    from gradviz.ui.services.recovery import RecoveryKeeper
    from gradviz.ui.services.settings import Settings
    from gradviz.ui.services.side_runs import ChainRunner, CheckRunner, ElementRunner, WhatIfRunner
    from gradviz.ui.services.worker_bridge import WorkerBridge
    from gradviz.ui.sharing.window import Sharing
    from gradviz.ui.tasks import LayoutProgress
    from gradviz.ui.theme import Theme
    from gradviz.ui.windows import FromHere
    from gradviz.worker.process.client import WorkerPool


class WindowShell:
    """Implements the commands' `Shell` for one window."""

    shows = Slice("run", "playing", "view", "breakpoints", "steps", *STALE)

    def __init__(
        self,
        window: QWidget,
        store: Store,
        files: WindowFiles,
        theme: Callable[[], Theme],
        panel_area: Callable[[], PanelArea],
        windows: FromHere,
        choose: Callable[[str, str], None],
        settings: Settings,
    ) -> None:
        self._window = window
        self.store = store
        self.files, self.windows = files, windows
        self._theme = theme
        self._panel_area = panel_area
        self._settings = settings
        self.classroom = settings.classroom
        self._choose = choose  # runs a command with one of its choices

    @property
    def lessons(self) -> Path | None:
        """The lessons folder that all computers of a school share."""
        return self.classroom.lessons

    # -- panels

    @property
    def canvas(self) -> GraphPanel:
        """The graph panel."""
        return cast("GraphPanel", self._panel_area().panel("canvas"))

    @property
    def plots(self) -> PlotsPanel:
        """The panel of plots."""
        return cast("PlotsPanel", self._panel_area().panel("plots"))

    @property
    def source(self) -> EditorPanel:
        """The text of the snippet."""
        return cast("EditorPanel", self._panel_area().panel("editor"))

    def focus(self, panel: str) -> None:
        """Bring a panel to the front and give it the focus."""
        self._panel_area().reveal(panel)

    def fold_away(self) -> None:
        """Fold away the panel that has the focus."""
        self._panel_area().fold_away()

    def copy(self, text: str) -> None:
        """Put text on the clipboard."""
        QApplication.clipboard().setText(text)

    def edit_text(self, action: str) -> None:
        """Cut, copy, paste or selectAll where the focus is: in a drawing, a text field, or else the editor."""
        target = QApplication.focusWidget()
        if target is not None and self.canvas.has_drawing_hand(target):
            getattr(self.board, {"selectAll": "select_all"}.get(action, action))()
            return
        if not hasattr(target, action):
            target = self.source.code
        text = cast(QPlainTextEdit, target)
        if action != "paste" or not getattr(text, "isReadOnly", bool)():  # Qt itself checks this only on a key press
            getattr(text, action)()

    # -- services

    @cached_property
    def dialogs(self) -> WindowDialogs:
        """Dialogs over the window."""
        from gradviz.ui.dialogs.dialogs import WindowDialogs

        return WindowDialogs(self._window, self, self._settings, self._theme, self._choose)

    @cached_property
    def board(self) -> DrawingBoard:
        """Manual editing of a drawing."""
        from gradviz.ui.drawing.board import DrawingBoard

        return DrawingBoard(self.store, lambda: self.canvas.drawn.hands, self.layout_progress)

    @cached_property
    def layout_progress(self) -> LayoutProgress:
        """Reports layouts that take long."""
        from gradviz.ui.tasks import LayoutProgress

        return LayoutProgress(self.store)

    @cached_property
    def runner(self) -> WorkerBridge:
        """The worker. Unsaved work is backed up before each run, and a file that is run becomes the user's own."""
        from gradviz.ui.services.worker_bridge import WorkerBridge
        from gradviz.worker.process.client import WorkerPool
        from gradviz.worker.process.limits import Limits

        runner = WorkerBridge(self.store, lambda: WorkerPool(self.classroom.bounded(Limits())))
        runner.about_to_run.connect(self.recovery.write)
        runner.about_to_run.connect(self.files.run_begins)
        return runner

    @cached_property
    def what_if_runner(self) -> WhatIfRunner:
        """The second run, with a change."""
        from gradviz.ui.services.side_runs import WhatIfRunner

        return WhatIfRunner(self.store, self.runner)

    def _side_pool(self) -> WorkerPool:
        """The workers for questions about the run on screen."""
        return (self.live if self.store.state.drawing else self.runner).pool

    def _answers(self) -> Sequence[str | None]:
        """The answers to its input()."""
        return () if self.store.state.drawing else self.runner.live.answers

    @cached_property
    def chains(self) -> ChainRunner:
        """Finds the paths of a gradient."""
        from gradviz.ui.services.side_runs import ChainRunner

        return ChainRunner(self.store, self._side_pool, self._answers)

    @cached_property
    def checks(self) -> CheckRunner:
        """Compares a gradient with finite differences."""
        from gradviz.ui.services.side_runs import CheckRunner

        return CheckRunner(self.store, self._side_pool, self._answers)

    @cached_property
    def elements(self) -> ElementRunner:
        """Finds where a number comes from."""
        from gradviz.ui.services.side_runs import ElementRunner

        return ElementRunner(self.store, self._side_pool, self._answers)

    @cached_property
    def attachments(self) -> WindowAttachments:
        """Attaches files to the snippet."""
        from gradviz.ui.services.attaching import WindowAttachments

        return WindowAttachments(self.store, self.files)

    @cached_property
    def lesson_sets(self) -> WindowLessons:
        """Opens, makes and changes lesson sets."""
        from gradviz.ui.services.lessons import WindowLessons

        return WindowLessons(self.store, self.files, lambda: self.focus("examples"))

    @cached_property
    def recordings(self) -> RecordingFiles:
        """Opens and saves recordings."""
        from gradviz.ui.services.recordings import RecordingFiles

        return RecordingFiles(self.store, self.layout_progress, self.files)

    @cached_property
    def asker(self) -> InputAsker:
        """Answers input() through a dialog."""
        from gradviz.ui.dialogs.program_input import InputAsker

        lives = lambda: (self.runner.live, self.what_if_runner.live)  # noqa: E731
        return InputAsker(self._window, lives, self._stop_all, self._theme)

    def _stop_all(self) -> None:
        self.runner.stop()
        self.what_if_runner.stop()

    @cached_property
    def sharing(self) -> Sharing:
        """Exports and copies what is on the canvas."""
        from gradviz.ui.sharing.window import Sharing

        return Sharing(self._window, self.store, lambda: self.canvas, self._theme, lambda: self.files.questions)

    @cached_property
    def live(self) -> LiveDrawing:
        """Runs a drawing after every change."""
        from gradviz.ui.services.live_drawing import LiveDrawing

        return LiveDrawing(self.store, self.runner)

    @cached_property
    def wire_trial(self) -> WireTrial:
        """Says whether a wire is possible."""
        from gradviz.ui.services.live_drawing import WireTrial

        return WireTrial(self.store, lambda: self.live.pool)

    @cached_property
    def recovery(self) -> RecoveryKeeper:
        """The copy of unsaved work."""
        from gradviz.ui.services.recovery import RecoveryKeeper

        return RecoveryKeeper(self.store)

    @cached_property
    def overture(self) -> OverturePlayer:
        """Shows a first run to new users."""
        from gradviz.ui.services.overture import OverturePlayer

        return OverturePlayer(self.store, lambda: self.canvas, self._panel_area, self._theme)

    @cached_property
    def playback_timer(self) -> PlaybackTimer:
        """Plays the steps."""
        from gradviz.ui.services.playback import PlaybackTimer

        return PlaybackTimer(self.store)

    @cached_property
    def breakpoint_search(self) -> BreakpointSearch:
        """Finds where breakpoints stop."""
        from gradviz.ui.services.playback import BreakpointSearch

        return BreakpointSearch(self.store)

    def show_state(self, before: State, after: State) -> None:
        """Update the services that exist so far."""
        if after.asks is not None or before.asks is not None:
            self.asker.show_state(before, after)
        if "canvas" in self._panel_area().made:  # nothing has run before that
            self.playback_timer.show_state(after)
            self.breakpoint_search.show_state(before, after)
        if after.view.overture and before.run.is_running and not after.run.is_running:
            self.overture.begin(before, after)

    def close(self) -> None:
        """End everything that is still running."""
        self.recovery.close()
        self.recordings.close()
        for each in (vars(self).get(name) for name in ("overture", "sharing")):  # rarely needed
            if each is not None:
                each.close()
        self.canvas.close_canvas()
        self.what_if_runner.close()
        self.chains.close()
        self.checks.close()
        self.elements.close()
        self.wire_trial.drop()
        self.live.close()
        self.board.tidier.close()
        self.runner.close()
