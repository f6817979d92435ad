"""The panels of the window, one row each. To add one, write its module and add its row.

The rows are here because commands lead to panels; the class of a panel is a name that only the window resolves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PanelRow:
    """Panels with the same place are tabs of one card, in the order of the rows."""

    id: str
    title: str
    place: str  # "left", "centre", "under", "right", "bottom", "corner"
    made_by: str  # module and class in `gradviz.ui.panels`
    digit: int = 0  # Ctrl with this digit moves the focus here
    tall: bool = False  # it needs more room than its neighbours
    of_job: bool = False  # its tab is only there for a job with several ranks


PANELS = (
    PanelRow("editor", "Snippet", "left", "editor.EditorPanel", digit=1),
    PanelRow("palette", "Palette", "left", "palette.PalettePanel", digit=6),
    PanelRow("examples", "Examples", "left", "gallery.GalleryPanel"),
    PanelRow("canvas", "Graph", "centre", "graph.GraphPanel", digit=2),
    PanelRow("explanation", "Explanation", "under", "explanation.ExplanationPanel"),
    PanelRow("inspector", "Inspector", "right", "inspector.InspectorPanel", digit=3),
    PanelRow("plots", "Plots", "right", "output.PlotsPanel", digit=7),
    PanelRow("timeline", "Timeline", "bottom", "timeline.TimelinePanel", digit=4),
    PanelRow("events", "Events", "bottom", "events.EventsPanel"),
    PanelRow("training", "Training", "bottom", "training.TrainingPanel", tall=True),
    PanelRow("memory", "Memory", "bottom", "memory.MemoryPanel"),
    PanelRow("breakpoints", "Breakpoints", "bottom", "breakpoints.BreakpointsPanel"),
    PanelRow("paths", "Paths", "bottom", "paths.PathsPanel"),
    PanelRow("elements", "Element", "bottom", "elements.ElementsPanel"),
    PanelRow("image", "Image", "bottom", "image.ImagePanel", tall=True),
    PanelRow("differences", "What-if", "bottom", "differences.DifferencesPanel"),
    PanelRow("ranks", "Ranks", "bottom", "ranks.RanksPanel", of_job=True),
    PanelRow("output", "Output", "corner", "output.OutputPanel", digit=5),
)
ROW = {row.id: row for row in PANELS}
