"""Limits, ticks and pixels of a plot for any numbers at all: they end, are finite, and there are not too many; and a
plot of any size is painted in bounded time, for which rough lines are painted in pieces."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gradviz.trace import figures
from gradviz.trace.figures import Figure
from gradviz.ui.figures import marks
from gradviz.ui.figures.painter import TOO_MUCH, picture, write
from gradviz.ui.figures.scales import LARGEST, MOST_TICKS, SMALLEST, Span, ticks, usable, written
from gradviz.ui.figures.view import FigureView
from gradviz.ui.theme import DARK, LIGHT
from gradviz.worker.modules.plots import Book, plot_modules

pytestmark = pytest.mark.usefixtures("qapp")
finite = st.floats(allow_nan=False, allow_infinity=False)
EDGES = [(0.0, SMALLEST), (-LARGEST, LARGEST), (1e308, -1e308), (0.0, 0.0), (LARGEST, LARGEST), (1e16, 1e16 + 2)]


def examples(test: Any) -> Any:
    for low, high in EDGES:
        for log in (False, True):
            test = example(low, high, log)(test)
    return test


@examples
@settings(max_examples=300)
@given(finite, finite, st.booleans())
def test_limits_and_ticks_for_any_two_numbers(low: float, high: float, log: bool) -> None:
    begin, end = usable(low, high, log=log)
    assert -LARGEST <= begin < end <= LARGEST and (begin > 0 or not log)
    for pixels in ((0.0, 500.0), (500.0, 0.0), (0.0, 6000.0), (0.0, 1e6), (3.0, 3.0)):
        span = Span(begin, end, *pixels, log)
        places = ticks(span, 30)
        assert len(places) <= MOST_TICKS and all(map(math.isfinite, places))
        assert all(a < b for a, b in pairwise(places))
        assert len(written(places, log=log)) == len(places)
        for number in (begin, end, low, high, 0.0, math.inf, -math.inf):
            assert not math.isinf(span.at(number))
        for pixel in (*pixels, -1e6, 1e6):
            assert isinstance(span.back(pixel), float)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("low", "high"), [(1.0, 1000.0), (1e-300, 1e300), (1e307, LARGEST)])
def test_a_span_has_ticks_and_its_ends_are_at_its_ends(low: float, high: float, log: bool) -> None:
    span = Span(low, high, 10.0, 410.0, log)
    assert 2 <= len(ticks(span, 50)) <= 12
    assert (span.at(low), span.at(high)) == (10.0, 410.0)
    assert span.back(span.at(low)) == pytest.approx(low, rel=1e-9)


def test_ticks_that_have_no_logarithm_are_written() -> None:
    assert written([0.0, 1.0, 10.0], log=True) == ["0", "1", "10"]


def drawn(code: str) -> Figure:
    shown: list[Figure] = []

    def show(header: dict[str, Any], payload: bytes) -> None:
        sent = json.dumps({**header, "step": 0, "line": -1})
        shown.append(figures.read(json.loads(sent), payload))

    book = Book(lambda _: None, show)
    exec(code, {"plt": plot_modules(book, lambda value: value)["matplotlib.pyplot"], "np": np})
    book.finish()
    return shown[0]


@pytest.mark.parametrize(
    "code",
    [
        "plt.plot([1, 2]); plt.ylim(0, 5e-324)",
        "plt.plot([1]); plt.xlim(-1e308, 1e308)",
        "plt.imshow([[1e308, -1e308]]); plt.colorbar()",
        "plt.plot([1e308, -1e308])",
        "plt.plot([5e-324, 1e-323]); plt.yscale('log')",
        "plt.plot([1e-320, 1e300]); plt.yscale('log'); plt.xscale('log')",
        "plt.plot([0, 1, 10]); plt.yscale('log'); plt.yticks([0, -1, 10])",
        "plt.imshow([[1, 2]], extent=(0, 1e308, -1e308, 0))",
        "plt.scatter([1e308, -1e308], [0, 5e-324], c=[1e308, -1e308]); plt.colorbar()",
        "plt.bar([1e308, 0], [1e308, -1e308])",
        "plt.plot([]); plt.xlim(1e300, 1.0000000001e300)",
    ],
)
def test_a_plot_of_any_numbers_is_painted(qtbot: QtBot, code: str) -> None:
    figure = drawn(code)
    assert not picture(figure, LIGHT).isNull() and not picture(figure, DARK).isNull()
    view = FigureView(LIGHT, lambda _: None)
    qtbot.addWidget(view)
    view.show_figure(figure, DARK)
    view.resize(400, 300)
    assert view.grab().width() == 400
    for placed in view._placed:
        assert placed.area.isValid() and view.number_at(placed.area.center())[0]


def test_numbers_beyond_each_other_are_at_both_ends_of_the_picture() -> None:
    figure = drawn("plt.plot([1e308, -1e308])")
    image = picture(figure, LIGHT).convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)[:, 200 : image.width() - 40]
    assert (rows[60:120] < 150).any() and (rows[-160:-100] < 150).any()


NOISE = np.random.default_rng(0).standard_normal(3000)


def test_noise_is_painted_in_pieces_and_a_curve_at_once() -> None:
    x = np.linspace(0, 500, 3000)
    assert marks.is_rough(x, 200 + 50 * NOISE)
    assert not marks.is_rough(x, 200 + 150 * np.sin(x / 20))


def test_a_few_lines_up_and_down_a_very_tall_figure_are_a_long_path() -> None:
    x = np.linspace(0, 100, 5)
    assert marks.is_rough(x, np.array([0.0, 5900.0, 0.0, 5900.0, 0.0]))
    assert not marks.is_rough(x, np.array([0.0, 590.0, 0.0, 590.0, 0.0]))


def test_a_translucent_line_is_as_translucent_where_it_meets_itself() -> None:
    lines = "for _ in range({}): plt.plot(np.random.default_rng(0).standard_normal(400), color='k', alpha=.5)"
    image = picture(drawn(f"{lines.format(1)}\nplt.axis('off')"), LIGHT).convertToFormat(
        QImage.Format.Format_Grayscale8
    )
    ink = np.frombuffer(image.constBits(), np.uint8)
    assert 110 < ink.min() < 150


@pytest.mark.parametrize(
    "code",
    [
        "for _ in range(3): plt.plot(np.random.default_rng(0).standard_normal(3000), '--', lw=50)",
        "plt.bar(np.zeros(3000), 1)",
        "plt.fill_between(range(3000), np.random.default_rng(0).standard_normal(3000))",
        "plt.scatter(range(300), range(300), s=1e6)",
        "plt.hlines(range(300), 0, 1, lw=100)",
        "plt.plot(range(300), 'o', ms=900)",
        "a = np.zeros(3000); a[::3] = np.nan; plt.plot(a); plt.plot(a)",
    ],
)
def test_what_takes_too_long_is_drawn_in_part_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    figure, path = drawn(code), tmp_path / "plot.svg"
    write(figure, path)
    assert TOO_MUCH not in path.read_text(encoding="utf-8")
    monkeypatch.setattr(marks, "PLAIN_AFTER", -1.0)
    write(figure, path)
    assert TOO_MUCH not in path.read_text(encoding="utf-8")
    monkeypatch.setattr(marks, "LAST", -1.0)
    write(figure, path)
    assert TOO_MUCH in path.read_text(encoding="utf-8")
