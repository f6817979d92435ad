"""Which groups are open when a graph is shown for the first time: as many as leave it readable when all of it is in
view. `folds` says how many boxes are not too many; here what these take up on a page is tried out, and groups are
closed from the inside outwards until it fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradviz.ui.canvas.diagram import Diagram, diagram_of
from gradviz.ui.canvas.diagram_layout import drawings
from gradviz.ui.canvas.folds import readable
from gradviz.ui.canvas.groups import Flags, Groups

if TYPE_CHECKING:
    from gradviz.layout.ladder import Layouter
    from gradviz.session.folding import Presentation
    from gradviz.ui.canvas.diagram import Floats
    from gradviz.ui.canvas.sizes import Measure
    from gradviz.ui.canvas.structure import Structure

PAGE = (900.0, 540.0)  # pixels of a canvas of middle size
FITS = 0.45  # the zoom at which all of a graph should be on a page, so that most names are not cut
BETTER = 1.1  # times the zoom: less is not worth closing anything
QUICK = 300  # items whose drawing takes no time; of more, a draft is tried
TOO_MANY = 1500  # items that need not be tried


def initially_open(structure: Structure, ruler: Measure, layouter: Layouter, drawing: Presentation) -> Flags:
    """By group: whether it is open where the user has not said anything. Each graph for itself."""
    groups = structure.groups
    plain = replace(drawing, folding=drawing.folding.at_level(None))
    best = readable(structure)
    if not best.any():
        return best

    def zooms(opened: Flags) -> Floats:
        return _zooms(diagram_of(structure, ruler, plain, opened), ruler, layouter)

    trial = best.copy()
    zoom = zooms(best)
    for level in range(len(groups.levels) - 1, -1, -1):
        closing = trial & _seen(groups, trial) & (groups.depth == level) & (zoom < FITS)[groups.graph]
        if not closing.any():
            continue
        trial &= ~closing
        found = zooms(trial)
        better = found > BETTER * zoom
        best = np.where(better[groups.graph], trial, best)
        zoom = np.where(better, found, zoom)
    return best


def _seen(groups: Groups, opened: Flags) -> Flags:
    """Groups that are in no closed one."""
    found = np.ones(len(groups) + 1, bool)
    for level in groups.levels[1:]:
        around = groups.parent[level]
        found[level] = found[around] & opened[around]
    return found[:-1]


def _zooms(diagram: Diagram, ruler: Measure, layouter: Layouter) -> Floats:
    """By graph: the zoom at which all of it is on a page."""
    if len(diagram) > TOO_MANY:
        return np.zeros(len(diagram.first))
    tried = drawings(diagram, ruler, layouter, draft=len(diagram) > QUICK)
    across, down = np.array([drawing.size for drawing in tried]).T
    zoom: Floats = np.minimum(PAGE[0] / np.maximum(across, 1.0), PAGE[1] / np.maximum(down, 1.0))
    return zoom
