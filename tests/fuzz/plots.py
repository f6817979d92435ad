"""Plots of anything: snippets of pyplot calls with hostile numbers, limits, sizes and texts, through the worker's book
and the program's reader to both ways of painting, into a picture for a file and in the window's view, light and dark.
What a snippet draws is never refused; painting ends in bounded time without a warning or a word of Qt."""

from __future__ import annotations

import io
import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from PySide6.QtCore import QMessageLogContext, QPointF, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtTest import QTest

from gradviz import torch
from gradviz.trace import figures
from gradviz.ui import look
from gradviz.ui.figures import painter
from gradviz.ui.figures.marks import LAST
from gradviz.ui.figures.view import ZoomView
from gradviz.ui.launch import application
from gradviz.ui.theme import DARK, LIGHT, Theme
from gradviz.worker.modules.arrays import numpy_modules
from gradviz.worker.modules.plots import Book, plot_modules
from gradviz.worker.objects.numpy_boundary import to_numpy
from gradviz.worker.process.protocol import Frame, FrameKind, encode, read_frame
from tests.fuzz.choices import Choices

MESSAGE = 8 * figures.MOST_NUMBERS
LATE = LAST + 3.0  # seconds of processor time for one painting
# as Matplotlib's, or where a keyword is said twice
EXPECTED = (ValueError, TypeError, AttributeError, RuntimeError, IndexError, OverflowError, SyntaxError)
HARMLESS = re.compile("This plugin does not support")

NUMBERS = (
    *("0", "1", "-1", "2.5", "-0.0", "1e3", "10", "0.1", "100", "7", "5e-324", "-5e-324", "1e-300", "1e308", "-1e308"),
    *("1.7976931348623157e308", "-1.7976931348623157e308", "float('nan')", "float('inf')", "-float('inf')", "1e16"),
    *("1e16 + 2", "1e-16", "1 + 1e-12", "2**63", "-2**31", "10**400", "True", "None", "np.float32(1e38)", "1e300"),
    *("torch.tensor(1e30)", "torch.tensor([2.])", "1j", "'a'", "[1]", "6.02e23", "1e-45"),
)
ARRAYS = (
    *("[1, 2, 3]", "[{n}, {n}]", "[{n}, {n}, {n}]", "[{n}] * {k}", "[]", "[{n}]", "range({k})", "{n}", "range(3)"),
    *("np.linspace(0, 1, {k})", "np.arange({k}) * {n}", "np.full({k}, {n})", "RANDOM.standard_normal({k}) * {n}"),
    *("RANDOM.standard_normal({k})", "torch.linspace(0, 1, {k})", "10.0 ** np.arange(-{k}, {k})", "['a', 'b', 'c']"),
    *(
        "[{t}, {t}, {t}]",
        "np.repeat([1.0, np.nan], {k})",
        "np.where(np.arange({k}) % 3, {n}, np.nan)",
        "np.zeros((0, 3))",
    ),
    *("[[1, 2], [3, {n}]]", "np.tile([-1e308, 1e308], {k})", "np.geomspace(1e-300, 1e300, {k})", "{{1: 2}}.values()"),
)
TABLES = (
    *("[[1, 2], [3, 4]]", "[[{n}, {n}], [{n}, {n}]]", "np.full(({s}, {s}), {n})", "RANDOM.random(({s}, {s})) * {n}"),
    *(
        "RANDOM.random(({s}, {s}))",
        "[[{n}]]",
        "np.zeros((0, 3))",
        "RANDOM.random((2, 3, 3))",
        "np.zeros((3, 2, 4)) + {n}",
    ),
    *("np.eye({s})", "np.outer(np.arange({s}), np.arange({s}))", "[[1, 2, 3]]", "{a}", "torch.ones(2, 3)"),
)
SIDES = ("2", "3", "1", "20", "0", "60", "400")
COUNTS = ("2", "3", "1", "5", "20", "0", "50", "2", "3", "7", "100", "1000", "4000")
TEXTS = (
    *(
        "''",
        "'a'",
        "'loss'",
        "'x' * 600",
        "'a\\nb'",
        "'\\n' * 60",
        "'\\0'",
        "'\\ud800'",
        "'🙂' * 300",
        "'$x^2$'",
        "'\\t'",
    ),
    *(
        "'مرحبا'",
        "'\\u202e abc'",
        "'%s {{{{0}}}}'",
        "'_hidden'",
        "7",
        "None",
        "'<b>x</b>'",
        "'&'",
        "'\\x1b[31m'",
        "{n}",
    ),
)
COLOURS = ("'r'", "'C3'", "'none'", "'#12345678'", "'0.5'", "(0, 0, 1, {n})", "None", "{n}", "'tab:blue'", "{t}", "{a}")
LOOKS = (
    *("lw={n}", "alpha={n}", "color={c}", "label={t}", "ls='--'", "ls=':'", "ls='-.'", "marker='o'", "marker='*'"),
    *(
        "ms={n}",
        "edgecolor={c}",
        "marker='x'",
        "ls='none'",
        "lw=100",
        "ms=1000",
        "alpha=0.5",
        "zorder={n}",
        "label='a'",
    ),
    *("color='k'", "marker='$x$'", "marker={n}"),
)
MAPPED = ("cmap='gray'", "vmin={n}", "vmax={n}", "cmap={t}", "alpha={n}", "vmin={n}, vmax={n}", "cmap='tab10_r'")
LIMITS = (
    *("plt.xlim({n}, {n})", "plt.ylim({n}, {n})", "plt.xlim({n})", "plt.ylim(top={n})", "plt.xlim(1, 0)"),
    *("plt.axis([{n}, {n}, {n}, {n}])", "plt.ylim(0, 5e-324)", "plt.xlim(-1e308, 1e308)", "plt.xlim(1, 1)"),
    *("plt.ylim(-1e-310, 1e-310)", "plt.xlim(1e16, 1e16 + 2)", "plt.ylim(plt.ylim())"),
)
AXES = (
    *("plt.xscale('log')", "plt.yscale('log')", "plt.xscale('symlog')", "plt.axis('equal')", "plt.axis('off')"),
    *("plt.xticks({a})", "plt.yticks({a}, {a})", "plt.xticks([{n}, {n}], [{t}, {t}])", "plt.yticks([])", "plt.grid()"),
    *("plt.gca().invert_yaxis()", "plt.gca().set_aspect({n})", "plt.title({t})", "plt.xlabel({t})", "plt.ylabel({t})"),
    *("plt.suptitle({t})", "plt.legend()", "plt.legend(loc={t})", "plt.legend([{t}, {t}])", "plt.legend(loc={n})"),
    *("plt.legend(loc='lower center')", "plt.colorbar()", "plt.colorbar(label={t})", "plt.gca().set_xticklabels({a})"),
    *("plt.gca().set(title={t}, xlim=({n}, {n}))", "plt.twinx()", "plt.gca().twinx().plot({a})", "plt.cla()"),
)
FIGURES = (
    *("plt.figure(figsize=({n}, {n}))", "plt.figure({n})", "plt.subplot(2, 2, {k})", "plt.subplot({k}, 1, 1)"),
    *("plt.subplots(2, 2, sharex=True, sharey='row')", "plt.subplots({k}, 2)", "plt.axes([{n}, {n}, {n}, {n}])"),
    *("plt.subplot_mosaic('AB;CC')", "plt.subplot_mosaic([['a', 'b'], ['a', '.']])", "plt.show()", "plt.clf()"),
    *("plt.gcf().set_size_inches({n}, {n})", "plt.figure(figsize=(0.1, 99))", "plt.rcParams['figure.figsize'] = {a}"),
    *(
        "plt.subplots(1, 2, sharey=True)[1][1].plot({a})",
        "plt.subplots(8, 8, sharex='col')",
        "plt.close()",
        "plt.ion()",
    ),
)
DRAWN = (
    *(
        "plt.plot({a}{l})",
        "plt.plot({a}, {a}{l})",
        "plt.plot({a}, {a}, 'r--o'{l})",
        "plt.plot({m}{l})",
        "plt.plot({a}, '.')",
    ),
    *("plt.scatter({a}, {a}{l})", "plt.scatter({a}, {a}, s={a}, c={a}{v}{l})", "plt.scatter({n}, {n}, c={c}, s={n})"),
    *(
        "plt.bar({a}, {a}{l})",
        "plt.bar({a}, {a}, width={n}, bottom={a}, yerr={a})",
        "plt.barh({a}, {a}, height={n}{l})",
    ),
    *(
        "plt.hist({a}{l})",
        "plt.hist({a}, bins={k}, range=({n}, {n}), density=True)",
        "plt.hist({m}, stacked=True, log=True)",
    ),
    *("plt.hist({a}, bins={a}, cumulative=True, histtype='step')", "plt.hist2d({a}, {a}, bins={k}{v})"),
    *(
        "plt.imshow({m}{v})",
        "plt.imshow({m}, extent=({n}, {n}, {n}, {n}){v})",
        "plt.imshow({m}, aspect='auto', origin='lower')",
    ),
    *(
        "plt.matshow({m})",
        "plt.pcolormesh({m}{v})",
        "plt.pcolormesh({a}, {a}, {m}{v})",
        "plt.pcolormesh({m}, {m}, {m})",
    ),
    *("plt.contour({m}{v})", "plt.contourf({m}{v})", "plt.contourf({a}, {a}, {m})", "plt.contour({m}, {k})"),
    *(
        "plt.contourf({m}, levels={a})",
        "plt.contourf([[1e308, -1e308], [0, 1]])",
        "plt.contour({m}, levels=[{n}, {n}])",
    ),
    *("plt.fill_between({a}, {a}, {a}{l})", "plt.fill_between({a}, {n}, where={a}{l})", "plt.stackplot({a}, {a}, {a})"),
    *(
        "plt.errorbar({a}, {a}, yerr={a}, xerr={n}{l})",
        "plt.step({a}, {a}, where='mid'{l})",
        "plt.stem({a}, {a}, bottom={n})",
    ),
    *(
        "plt.semilogx({a})",
        "plt.semilogy({a}{l})",
        "plt.loglog({a}, {a})",
        "plt.quiver({m}, {m})",
        "plt.quiver({a}, {a}, {a}, {a})",
    ),
    *("plt.axhline({n}{l})", "plt.axvline({n}{l})", "plt.axhspan({n}, {n}{l})", "plt.axvspan({n}, {n}, alpha={n})"),
    *("plt.hlines({a}, {n}, {a}{l})", "plt.vlines({a}, {a}, {n}, colors={c})", "plt.arrow({n}, {n}, {n}, {n})"),
    *("plt.text({n}, {n}, {t}, fontsize={n}, ha={t})", "plt.text({n}, {n}, {t}, transform=plt.gca().transAxes)"),
    *("plt.annotate({t}, ({n}, {n}), ({n}, {n}), arrowprops=dict(color={c}))", "plt.text(.5, .5, {t}, va='center')"),
    *("plt.plot({a})[0].set_data({a}, {a})", "plt.imshow({m}).set_clim({n}, {n})", "plt.plot({a})[0].set_alpha({n})"),
    *(
        "plt.imshow({m}).set_data({m})",
        "plt.plot({a})[0].set({L})",
        "for _ in range({k}): plt.plot({a}{l})",
        "plt.pie({a})",
    ),
    *(
        "for i in range(40): plt.text(i, {n}, {t})",
        "plt.bar({a}, {a}, color={a}, label={a})",
        "plt.gca().plot({n}, {n}, 'x')",
    ),
)
HUGE = (
    "plt.plot(np.arange(10**7) * 1.0)",
    "plt.bar(np.zeros(10**5), 1)",
    "plt.plot(np.where(np.arange(10**6) % 3, RANDOM.standard_normal(10**6), np.nan), 'o--', lw=9)",
    "plt.scatter(*RANDOM.standard_normal((2, 10**6)), s=1e4)",
    "plt.imshow(RANDOM.random((3000, 3000)))",
    "for _ in range(900): plt.plot(RANDOM.standard_normal(400), alpha=0.5, lw=20)",
)
KINDS = {"n": NUMBERS, "a": ARRAYS, "m": TABLES, "k": COUNTS, "s": SIDES, "t": TEXTS, "c": COLOURS, "L": LOOKS}
PLACE = re.compile(r"\{(\w)\}|\{\{|\}\}")
DEEPEST = 4


def one_input(data: bytes) -> None:
    """The calls that these decisions make."""
    dark = bool(data) and data[0] % 2 == 0
    draw(program(Choices(data)), *((DARK, LIGHT) if dark else (LIGHT, DARK)))


def program(choices: Choices) -> list[str]:
    """Calls of pyplot, one a line."""
    lines = [_made(choices.of(FIGURES), choices)] if choices.number(3) == 2 else []
    for _ in range(1 + choices.number(3)):
        lines.append(_made(choices.of(DRAWN), choices))
        lines += [_made(choices.of(LIMITS), choices)] if choices.number(2) else []
        lines += [_made(choices.of(AXES), choices) for _ in range(choices.number(4))]
        lines += [_made(choices.of(FIGURES), choices)] if choices.number(8) == 7 else []
    if choices.number(500) == 499:
        lines.append(choices.of(HUGE))
    return lines


def _made(template: str, choices: Choices, depth: int = 0) -> str:
    def fill(place: re.Match[str]) -> str:
        kind = place[1]
        if kind is None:
            return place[0][0]
        if kind in "lv":
            options, count = (LOOKS if kind == "l" else MAPPED), choices.number(3)
            several = {option.partition("=")[0]: option for option in (choices.of(options) for _ in range(count))}
            return "".join(f", {_made(option, choices, depth + 1)}" for option in several.values())
        options = KINDS[kind]
        return _made(options[0] if depth > DEEPEST else choices.of(options), choices, depth + 1)

    return PLACE.sub(fill, template)


def draw(lines: list[str], of_file: Theme = LIGHT, of_view: Theme = DARK) -> None:
    """Run them, read what they show, and paint it."""
    sent: list[bytes] = []

    def show(header: dict[str, Any], payload: bytes) -> None:
        sent.append(encode(Frame(FrameKind.FIGURE, 1, {**header, "step": 3, "line": -1}, payload)))

    book = Book(lambda _: None, show)
    names = {"plt": plot_modules(book, to_numpy)["matplotlib.pyplot"], "torch": torch}
    names["np"] = numpy_modules()["numpy"]
    names["RANDOM"] = names["np"].random.default_rng(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for line in lines:
            try:
                exec(line, names)
            except EXPECTED:
                continue
        book.finish()
    for message in sent[:3]:
        frame = read_frame(io.BytesIO(message).read, MESSAGE)
        assert frame is not None
        paint(figures.read(frame.header, frame.payload), of_file, of_view)


def paint(figure: figures.Figure, of_file: Theme, of_view: Theme) -> None:
    """Both ways, and look into it as a person with a mouse and a keyboard does."""
    with nothing_said(), warnings.catch_warnings():
        warnings.simplefilter("error")
        with in_time():
            assert not painter.picture(figure, of_file).isNull()
        view = ZoomView(of_view, lambda _: None)
        view.resize(480, 360)
        with in_time():
            view.show_figure(figure, of_view)
            view.grab()
        look_around(view)


def look_around(view: ZoomView) -> None:
    """Ask for numbers, and zoom."""
    for placed in view._placed:
        area = placed.area
        for spot in (area.center(), area.topLeft(), area.bottomRight(), QPointF(area.right(), area.top())):
            text, _ = view.number_at(spot)
            assert len(text) < 2000
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left):
        QTest.keyClick(view, key)
    for steps in (3, -9, 40, -200):
        with in_time():
            for placed in view._placed[:1]:
                view.zoom(steps, placed.area.center())
    for placed in view._placed[:1]:
        view.move_by(QPointF(30, -1000), placed.area.center())
    with in_time():
        view.grab()
    QTest.keyClick(view, Qt.Key.Key_Home)


@contextmanager
def in_time() -> Iterator[None]:
    """What happens inside takes no longer than painting may."""
    begun = time.thread_time()
    yield
    took = time.thread_time() - begun
    assert took < LATE, f"painting took {took:.1f} seconds of processor time"


@contextmanager
def nothing_said() -> Iterator[None]:
    """Neither Qt nor an error that no caller sees says anything inside."""
    application()
    look.load_fonts()
    said: list[str] = []

    def of_qt(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if not HARMLESS.search(text):
            said.append(f"Qt: {text}")

    def of_python(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
        said.append(f"{kind.__name__} {place}: {error}")

    hook, sys.excepthook = sys.excepthook, of_python
    handler = qInstallMessageHandler(of_qt)
    try:
        yield
    finally:
        sys.excepthook = hook
        qInstallMessageHandler(handler)
    assert not said, said


if __name__ == "__main__":  # python -m tests.fuzz.plots FILE: the calls that a finding makes
    for name in sys.argv[1:]:
        print(*program(Choices(Path(name).read_bytes())), sep="\n")  # noqa: T201
