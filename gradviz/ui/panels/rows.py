"""The panels of the window, one row each. To add one, write its module and add its row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gradviz.ui.panels.breakpoints import BreakpointsPanel
from gradviz.ui.panels.differences import DifferencesPanel
from gradviz.ui.panels.editor import EditorPanel
from gradviz.ui.panels.events import EventsPanel
from gradviz.ui.panels.explanation import ExplanationPanel
from gradviz.ui.panels.gallery import GalleryPanel
from gradviz.ui.panels.graph import GraphPanel
from gradviz.ui.panels.inspector import InspectorPanel
from gradviz.ui.panels.memory import MemoryPanel
from gradviz.ui.panels.output import OutputPanel
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.panels.timeline import TimelinePanel


@dataclass(frozen=True)
class PanelRow:
    """Panels with the same place are tabs of one card, in the order of the rows."""

    id: str
    title: str
    place: str  # "left", "centre", "under", "right", "bottom", "corner"
    make: Callable[[Context], Panel]


PANELS: tuple[PanelRow, ...] = (
    PanelRow("editor", "Snippet", "left", EditorPanel),
    PanelRow("examples", "Examples", "left", GalleryPanel),
    PanelRow("canvas", "Graph", "centre", GraphPanel),
    PanelRow("explanation", "Explanation", "under", ExplanationPanel),
    PanelRow("inspector", "Inspector", "right", InspectorPanel),
    PanelRow("timeline", "Timeline", "bottom", TimelinePanel),
    PanelRow("events", "Events", "bottom", EventsPanel),
    PanelRow("memory", "Memory", "bottom", MemoryPanel),
    PanelRow("breakpoints", "Breakpoints", "bottom", BreakpointsPanel),
    PanelRow("differences", "What-if", "bottom", DifferencesPanel),
    PanelRow("output", "Output", "corner", OutputPanel),
)
