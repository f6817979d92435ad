"""The timeline draws a hundred thousand steps as fast as ten: the strip once per trace and size, the playhead per
step."""

from __future__ import annotations

import statistics
import time

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase, Run
from gradviz.trace.encoding import Writer
from gradviz.trace.kinds import Kind
from gradviz.trace.trace import Trace
from gradviz.ui.panels.timeline_paint import Geometry, colour_of, paint_all
from gradviz.ui.theme import LIGHT
from tests.driver import Pilot

MANY = 120_000


def long_trace(steps: int) -> Trace:
    """Prints, one accumulation in the middle, an error at the end."""
    out = Writer()
    text = out.text("x\n")
    for step in range(steps):
        kind = Kind.ERROR if step == steps - 1 else Kind.PRINT
        out.add("steps", kind, -1, -1, -1, -1, 0 if kind is Kind.ERROR else step)
        if kind is Kind.PRINT:
            out.add("texts", step, out.text("out"), text)
    out.add("errors", steps - 1, out.text("RuntimeError"), text, 1, text, text)
    trace = Trace()
    trace.extend(out.take())
    return trace


@pytest.fixture(scope="module")
def many() -> Trace:
    return long_trace(MANY)


def picture(trace: Trace, width: int) -> QImage:
    image = QImage(width, 150, QImage.Format.Format_RGB32)
    image.fill(LIGHT.panel)
    painter = QPainter(image)
    paint_all(painter, Geometry(width, 150, LIGHT, len(trace)), trace, len(trace))
    painter.end()
    return image


def test_the_error_at_the_end_is_seen_among_many(qapp: object, many: Trace) -> None:
    image = picture(many, 900)
    row = Geometry(900, 150, LIGHT, MANY).strip
    y = int(row.center().y())
    colours = {image.pixelColor(x, y).name() for x in range(int(row.left()), int(row.right()))}
    assert colour_of(LIGHT, "ERROR") in colours
    assert colour_of(LIGHT, "PRINT") in colours


@pytest.mark.parametrize(("cursor", "steps"), [(0, 10), (1, 10), (5, 10), (10, 10), (77_777, MANY), (MANY, MANY)])
def test_the_playhead_and_the_mouse_agree(cursor: int, steps: int) -> None:
    geometry = Geometry(900, 150, LIGHT, steps)
    x, y = geometry.playhead(cursor, steps), geometry.strip.center().y()
    assert geometry.cursor_at(x if cursor else x - 1, y, 0) == cursor


@pytest.mark.parametrize("cursor", [0, 1, 50_000, MANY - 1, MANY])
def test_the_lens_shows_the_steps_around_the_cursor_and_takes_clicks(cursor: int) -> None:
    geometry = Geometry(900, 150, LIGHT, MANY)
    assert geometry.is_dense and not Geometry(900, 150, LIGHT, 20).is_dense
    first, count = geometry.lens_range(cursor, MANY)
    assert 0 <= first <= max(cursor - 1, 0) < first + count <= MANY
    width, y = geometry.lens.width() / count, geometry.lens.center().y()
    for place in range(count):
        assert geometry.cursor_at(geometry.lens.left() + (place + 0.5) * width, y, cursor) == first + place + 1


def test_a_step_in_a_long_trace_takes_less_than_a_frame(pilot: Pilot, many: Trace) -> None:
    store, timeline = pilot.window.store, pilot.window.layout_.panels["timeline"]
    store.open(Snippet("x"), None)
    timeline.resize(1200, 200)
    store.end_run(Run(Phase.RAISED, store.state.document), many)
    timeline.repaint()
    made = timeline._picture  # type: ignore[attr-defined]
    times = []
    for cursor in np.linspace(0, MANY, 25).astype(int).tolist():
        store.move(cursor)
        begun = time.thread_time()
        timeline.repaint()
        times.append(time.thread_time() - begun)
    assert timeline._picture is made, "stepping draws the strip no second time"  # type: ignore[attr-defined]
    assert statistics.median(times) < 0.016
