"""The panels of the window, one row each. To add one, write its module and add its row. A row loads the module of its
panel when the panel is made: before the first paint the window needs few of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from gradviz.ui.panels.panel import Context, Panel


@dataclass(frozen=True)
class PanelRow:
    """Panels with the same place are tabs of one card, in the order of the rows."""

    id: str
    title: str
    place: str  # "left", "centre", "under", "right", "bottom", "corner"
    make: Callable[[Context], Panel]


def _from(module: str, name: str) -> Callable[[Context], Panel]:
    """Makes the panel of this class of a module beside this one."""

    def make(context: Context) -> Panel:
        panel = getattr(import_module(f"gradviz.ui.panels.{module}"), name)(context)
        assert isinstance(panel, Panel)
        return panel

    return make


PANELS: tuple[PanelRow, ...] = (
    PanelRow("editor", "Snippet", "left", _from("editor", "EditorPanel")),
    PanelRow("palette", "Palette", "left", _from("palette", "PalettePanel")),
    PanelRow("examples", "Examples", "left", _from("gallery", "GalleryPanel")),
    PanelRow("canvas", "Graph", "centre", _from("graph", "GraphPanel")),
    PanelRow("explanation", "Explanation", "under", _from("explanation", "ExplanationPanel")),
    PanelRow("inspector", "Inspector", "right", _from("inspector", "InspectorPanel")),
    PanelRow("plots", "Plots", "right", _from("plots", "PlotsPanel")),
    PanelRow("timeline", "Timeline", "bottom", _from("timeline", "TimelinePanel")),
    PanelRow("events", "Events", "bottom", _from("events", "EventsPanel")),
    PanelRow("memory", "Memory", "bottom", _from("memory", "MemoryPanel")),
    PanelRow("breakpoints", "Breakpoints", "bottom", _from("breakpoints", "BreakpointsPanel")),
    PanelRow("paths", "Paths", "bottom", _from("paths", "PathsPanel")),
    PanelRow("differences", "What-if", "bottom", _from("differences", "DifferencesPanel")),
    PanelRow("output", "Output", "corner", _from("output", "OutputPanel")),
)
