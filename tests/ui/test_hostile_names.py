"""Names are the snippet's: whatever they look like, they are text on the screen, cut where long, never HTML."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextDocumentFragment

from gradviz.document.snippet import Snippet
from gradviz.session.inspect.inspection import inspect
from gradviz.session.state import Phase, Run, Selection, State
from gradviz.trace.table.trace import Trace
from gradviz.ui import look
from gradviz.ui.canvas.hover_words import html, words
from gradviz.ui.panels.inspector import page
from gradviz.ui.panels.timeline import TimelinePanel, tooltip
from gradviz.ui.theme import LIGHT
from tests.driver import Pilot
from tests.trace.running import run
from tests.ui.canvas_fixtures import scene_of

pytestmark = pytest.mark.usefixtures("qapp")
TAG = "<img src=x>"
NAMES = [TAG, "<b>&amp;", "\u202egnirts", "new\nline", "😀" * 50, "n" * 100_000]
SNIPPET = f"""
import torch
from torch import nn
layers = nn.ModuleDict({{name: nn.Linear(1, 1) for name in {NAMES!r}}})
for name in {[TAG, "x" * 100_000]!r}:
    x = torch.ones(1, 1)
    for key in layers:
        x = layers[key](x)
    x.sum().backward()
table = {{{TAG!r}: torch.ones(2, requires_grad=True)}}
y = table[{TAG!r}] * 2
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(SNIPPET)


def test_tooltips_are_text() -> None:
    for text in ("a < b", TAG, f"{TAG}\nline 3", "&lt;b&gt;", "plain", f"<{'n' * 100_000}"):
        tip = look.tip(text)
        assert "<img" not in tip and len(tip) < 3 * look.LONGEST_TIP
        assert text.startswith(QTextDocumentFragment.fromHtml(tip).toPlainText().rstrip("…")) or tip == text


def test_the_trace_cuts_what_is_too_long_and_the_inspector_escapes_the_rest(trace: Trace) -> None:
    assert not len(trace.errors)
    state = State(document=Snippet(SNIPPET), trace=trace, cursor=len(trace))
    for kind, count in (("tensor", len(trace.tensors)), ("node", len(trace.nodes)), ("group", len(trace.regions))):
        for index in range(count):
            found = page(inspect(state, Selection(kind, index)), LIGHT, 32)
            assert "<img" not in found and "<b>&amp;" not in found, (kind, index)
            assert len(found) < 40_000, (kind, index)


def test_cards_beside_an_item_are_text(trace: Trace) -> None:
    scene = scene_of(trace, len(trace))
    diagram = scene.placed.diagram
    for item in range(len(diagram)):
        found = html(words(diagram, scene.moment.frame, item), LIGHT)
        assert "<img" not in found and "<b>&amp;" not in found
        assert len(found) < 40_000


def test_the_window_shows_them_all(pilot: Pilot, trace: Trace) -> None:
    store = pilot.window.store
    store.open(Snippet(SNIPPET), None)
    store.end_run(Run(Phase.OK, store.state.document), trace)
    panel = cast(TimelinePanel, pilot.window.panel_area.panels["timeline"])
    content, geometry = panel.content, panel.geometry_
    assert content is not None and len(content.iterations)
    left, width = geometry.strip.left(), geometry.strip.width()
    for place in range(0, 100, 5):
        for y in (geometry.strip.center().y(), geometry.iterations.center().y()):
            at = QPointF(left + width * place / 100, y).toPoint()
            assert "<img" not in look.tip(tooltip(at, geometry, content, store.state))
    assert not pilot.window.grab().isNull()
