"""What a snippet draws with matplotlib is recorded as data: the calls of `plot_calls`, when figures are sent, caps."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradviz import torch
from gradviz.trace import figures
from gradviz.trace.figures import COLUMNS, Figure, Layer
from gradviz.worker.modules.plots import Book, plot_modules
from gradviz.worker.objects.numpy_boundary import to_numpy
from gradviz.worker.process import events
from tests.worker.conftest import Outcome, Runner
from tests.worker.plot_calls import CALLS, SAID, WRONG

MatplotRun = Callable[[str], list[Figure]]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def drawn(said: list[str]) -> MatplotRun:
    """drawn(code): the figures that this code shows."""

    def run(code: str) -> list[Figure]:
        shown: list[Figure] = []

        def show(header: dict[str, Any], payload: bytes) -> None:
            sent = json.dumps({**header, "step": 0, "line": -1})
            shown.append(figures.read(json.loads(sent), payload))

        book = Book(said.append, show)
        plain = to_numpy
        exec(code, {"plt": plot_modules(book, plain)["matplotlib.pyplot"], "torch": torch, "np": np})
        book.finish()
        return shown

    return run


def _number(value: float) -> str:
    return f"{value:.6g}"


def described(figure: Figure) -> str:
    axes = figure.axes[0]
    parts = " | ".join(_layer(each) for each in axes.layers)
    down = " down" if axes.y.flipped else ""
    logs = "".join(f" log {name}" for name, scale in (("x", axes.x), ("y", axes.y)) if scale.kind == "log")
    return parts + logs + down


def _layer(layer: Layer) -> str:
    style = layer.style
    words = [layer.kind, style.color, style.dash, style.marker, f"w{style.width:g}" if style.width != 1.5 else ""]
    words.append(f"'{style.label}'" if style.label else "")
    for name in COLUMNS[layer.kind]:
        words.append(f"{name}={','.join(_number(float(each)) for each in layer.columns[name])}")
    if layer.kind == "image":
        words += ["x".join(map(str, layer.shape)), ",".join(map(_number, layer.extent))]
    if layer.colours is not None:
        words.append(f"{layer.colours.name} {_number(layer.colours.low)}..{_number(layer.colours.high)}")
    words.append(f"'{layer.text}'" if layer.text else "")
    return " ".join(word for word in words if word)


@pytest.mark.parametrize("code", CALLS)
def test_a_call_is_recorded(code: str, drawn: MatplotRun, said: list[str]) -> None:
    (figure,) = drawn(code)
    assert described(figure) == CALLS[code]
    assert not said


@pytest.mark.parametrize("code", SAID)
def test_what_is_said_of_axes_and_figures(code: str, drawn: MatplotRun, said: list[str]) -> None:
    (figure,) = drawn(code)
    question, answer = SAID[code]
    assert eval(question, {"figure": figure}) == answer
    assert not said


@pytest.mark.parametrize("code", WRONG)
def test_errors_are_matplotlibs(code: str, drawn: MatplotRun) -> None:
    name, message = WRONG[code]
    with pytest.raises((ValueError, TypeError, RuntimeError, AttributeError), match=re.escape(message)) as caught:
        drawn(code)
    assert caught.type.__name__ == name


def test_show_closes_and_savefig_and_the_end_show_too(drawn: MatplotRun) -> None:
    code = """
plt.plot([1]); plt.title("first"); plt.show()
plt.plot([2]); plt.title("second"); plt.savefig("x.png"); plt.show()
plt.plot([3]); plt.title("closed"); plt.close()
plt.figure(); plt.plot([4]); plt.title("third")
fig, ax = plt.subplots(); ax.set_title("fourth"); fig.savefig("y.png"); ax.plot([5])
"""
    assert [figure.name for figure in drawn(code)] == ["first", "second", "fourth", "third", "fourth"]


def test_a_plot_that_is_drawn_again_and_again_is_shown_once(drawn: MatplotRun) -> None:
    code = "plt.ion()\nfor i in range(9):\n    plt.clf(); plt.plot([i]); plt.draw(); plt.pause(.1); plt.show()"
    assert len(drawn(code.replace("plt.show()", "pass"))) == 1
    assert len(drawn(code)) == 9


def test_what_is_not_drawn_is_said_once(drawn: MatplotRun, said: list[str]) -> None:
    drawn("plt.pie([1, 2]); plt.pie([3]); plt.gca().boxplot([1, 2]); plt.subplot(projection='3d').plot([1])")
    assert said == [f"GradViz: plots are drawn without {what}.\n" for what in ("pie", "boxplot", "3-D axes")]


def test_a_run_has_fifty_plots_at_most(drawn: MatplotRun, said: list[str]) -> None:
    shown = drawn("for i in range(60):\n    plt.plot([i]); plt.show()")
    assert len(shown) == figures.MOST_FIGURES
    assert said == ["GradViz: a run shows 50 plots at most; the others are left out.\n"]


def test_a_plot_of_too_many_numbers_is_thinned(drawn: MatplotRun, said: list[str]) -> None:
    (figure,) = drawn("plt.plot(np.arange(1_500_000.))")
    x = figure.axes[0].layers[0].columns["x"]
    assert len(x) == 500_000
    assert x[1] == 3.0
    assert said == ["GradViz: a plot of 3,000,000 numbers is drawn with one of every 3 of them.\n"]


def test_texts_are_cut(drawn: MatplotRun) -> None:
    (figure,) = drawn("plt.plot([1]); plt.title('x' * 9000)")
    assert len(figure.axes[0].title) == figures.MOST_TEXT


def test_nothing_of_a_plot_can_be_made_changed_or_followed(run: Runner) -> None:
    outcome = run(
        """
import matplotlib.pyplot as plt, numpy as np
line, = plt.plot([1, 2]); fig = plt.gcf(); ax = plt.gca()
for act in (lambda: type(ax)(), lambda: setattr(ax, "plot", 1), lambda: ax._axes, lambda: line._layers,
            lambda: setattr(plt, "show", 1), lambda: getattr(fig, "_book"), lambda: getattr(line, "__class__")):
    try:
        print("got", act())
    except (AttributeError, TypeError, PermissionError):
        print("no")
print(type(line.get_xdata()) is np.ndarray)
"""
    )
    assert outcome.printed() == "no\n" * 7 + "True\n", outcome.done


def shown(outcome: Outcome) -> list[Figure]:
    return [figures.read(each.header, each.payload) for each in outcome.events if isinstance(each, events.Figure)]


TUTORIAL = """
import matplotlib
matplotlib.use("Agg")
from matplotlib import cm, pyplot as plt
import numpy as np
losses = [3, 2, 1]
print("before")
plt.figure(figsize=(4, 3))
plt.plot(losses, "r-", label=f"loss {losses[-1]}")
plt.show()
print("after")
fig, (a, b) = plt.subplots(1, 2, figsize=(3, 3))
fig, axes = plt.subplots(2, 3)
axes[0, 1].imshow(np.zeros((2, 2)), cmap=cm.gray)
for each in axes.flatten():
    each.set_title("x")
with plt.style.context("dark"):
    plt.scatter([1], [1], c="r")
plt.savefig("x.png")
print("done", len(axes.flatten()))
"""


def test_figures_come_in_order_with_the_output(run: Runner) -> None:
    outcome = run(TUTORIAL)
    assert outcome.status == "ok", outcome.done
    told = [each for each in outcome.events[:-1] if not isinstance(each, events.Batch)]
    order = [each.text if isinstance(each, events.Output) else "plot" for each in told]
    assert order == ["before\n", "plot", "after\n", "plot", "done 6\n", "plot"]
    first = shown(outcome)[0]
    assert (first.line, first.step, first.size) == (10, 1, (4.0, 3.0))


def test_an_open_figure_is_shown_also_when_the_snippet_raises(run: Runner) -> None:
    outcome = run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nraise ValueError('no')")
    assert outcome.status == "raised"
    assert len(shown(outcome)) == 1


def test_numbers_that_are_not_finite_are_gaps(drawn: MatplotRun) -> None:
    (figure,) = drawn("plt.plot([float('inf'), float('nan'), 1e308])")
    y = figure.axes[0].layers[0].columns["y"]
    assert math.isinf(y[0])
    assert math.isnan(y[1])


def test_the_ends_of_the_colours_may_be_given_as_a_pair(drawn: MatplotRun) -> None:
    ways = ("imshow([[1, 2]]", "pcolormesh([[1, 2]]", "scatter([1, 2], [3, 4], c=[0.0, 1.0]")
    for way in ways:
        (figure,) = drawn(f"assert plt.{way}, clim=(0.5, 4)).get_clim() == (0.5, 4.0)")
        (layer,) = figure.axes[0].layers
        assert layer.colours is not None
        assert (layer.colours.low, layer.colours.high) == (0.5, 4.0)


def test_pylab_has_the_names_of_numpy_and_pyplot_but_not_pythons(run: Runner) -> None:
    source = (
        "from matplotlib.pylab import *\nplot(linspace(0, 1, 3), sin(zeros(3)))\nprint(max(3, 4), pi, round(2.5))\n"
    )
    outcome = run(source + "from mpl_toolkits.mplot3d import Axes3D\nAxes3D(figure()).scatter([1], [2], [3])\n")
    assert outcome.printed() == "4 3.141592653589793 2\n"
    assert outcome.printed("err") == "GradViz: plots are drawn without 3-D axes.\n"
    assert sum(isinstance(each, events.Figure) for each in outcome.events) == 1


def test_what_plots_return_shows_as_matplotlibs(run: Runner) -> None:
    """A cell of a notebook that ends in a call of matplotlib shows what it returns; addresses are left out."""
    source = (
        "import re, numpy as np, matplotlib.pyplot as plt\nf, ax = plt.subplots(figsize=(5, 4))\n"
        "ax.set_title('t'), ax.set_ylabel('y')\ngrid = np.zeros((3, 4))\n"
        "for each in (f, ax, ax.plot([1, 2]), ax.legend(), ax.scatter([1], [2]), ax.bar([1, 2], [1, 2]), "
        "ax.fill_between([1, 2], [1, 2]), ax.vlines([1], 0, 1), ax.quiver([1], [1], [1], [1], [3.0], cmap='jet'), "
        "ax.contour(grid + np.arange(4)), ax.imshow(grid), ax.pcolormesh(grid), plt.subplots(1, 2)[1], "
        "plt.subplots(2, 2)[1]):\n"
        "    print(re.sub(' 0x[0-9a-f]+', ' 0x', repr(each)))\nprint(f)"
    )
    classes = (
        "collections.PathCollection",
        *("collections.FillBetweenPolyCollection", "collections.LineCollection", "quiver.Quiver"),
        *("contour.QuadContourSet", "image.AxesImage", "collections.QuadMesh"),
    )
    scatter, *others = (f"<matplotlib.{each} object at 0x>" for each in classes)
    expected = [
        "<Figure size 500x400 with 1 Axes>",
        "<Axes: title={'center': 't'}, ylabel='y'>",
        "[<matplotlib.lines.Line2D object at 0x>]",
        "<matplotlib.legend.Legend object at 0x>",
        *(scatter, "<BarContainer object of 2 artists>", *others),
        "array([<Axes: >, <Axes: >], dtype=object)",
        *("array([[<Axes: >, <Axes: >],", "       [<Axes: >, <Axes: >]], dtype=object)"),
        "Figure(500x400)",
    ]
    assert run(source).printed().splitlines() == expected


def test_axes_around_an_image_have_no_margin(run: Runner) -> None:
    source = (
        "import numpy as np, matplotlib.pyplot as plt\nplt.imshow(np.zeros((28, 20)))\nprint(plt.axis('off'))\n"
        "plt.figure()\nprint(plt.xlim(0, 3), plt.ylim())\nplt.figure()\nplt.plot([0.0, 1.0])\nprint(*plt.ylim())"
    )
    limits = "(np.float64(-0.5), np.float64(19.5), np.float64(27.5), np.float64(-0.5))"
    printed = f"{limits}\n(0.0, 3.0) (np.float64(0.0), np.float64(1.0))\n-0.05 1.05\n"
    assert run(source).printed() == printed


def test_a_map_from_white_to_black_has_several_names() -> None:
    assert figures.anchors("gist_yarg") == figures.anchors("gray_r") == figures.anchors("binary")


def test_axes_are_their_own_axes(run: Runner) -> None:
    source = (
        "import matplotlib.pyplot as plt\nf, ax = plt.subplots()\nax.axes.get_xaxis().set_visible(False)\n"
        "ax.axes.yaxis.set_visible(False)\nprint(ax.axes is ax)"
    )
    assert run(source).printed() == "True\n"


def test_points_may_have_outlines_of_their_own(drawn: MatplotRun) -> None:
    (figure,) = drawn("plt.scatter([1, 2, 3], [4, 5, 6], facecolor='white', edgecolor=['k', 'red', 'k'])")
    found = [(layer.style.edge, layer.columns["x"].tolist()) for layer in figure.axes[0].layers]
    assert found == [("text", [1.0, 3.0]), ("#ff0000", [2.0])]
    (figure,) = drawn("plt.scatter([1, 2, 3], [4, 5, 6], c=[0.0, 1.0, 2.0], edgecolor=['k', 'red', 'k'])")
    assert [layer.columns["value"].tolist() for layer in figure.axes[0].layers] == [[0.0, 2.0], [1.0]]


def test_a_title_changes_its_text_and_the_last_of_several_axes_is_the_current(run: Runner) -> None:
    source = (
        "import matplotlib.pyplot as plt\nfig, (a, b) = plt.subplots(1, 2)\nprint(plt.gca() == b, plt.gca() == a)\n"
        "a.title.set_text('first')\nprint(a.get_title(), a.title.get_text())\n"
        "t = plt.title('c')\nt.set_text('d')\nprint(b.get_title(), t.get_text(), t)\n"
        "plt.xlabel('x').set_text('y')\nprint(b.get_xlabel(), fig.suptitle('e').get_text())\n"
        "a.plot([1, 2], label='l')\nprint(len(a.get_lines()), a.get_lines()[0].get_label())\n"
        "for each in [a.title, a.xaxis.label] + a.get_xticklabels() + a.get_yticklabels(): each.set_fontsize(9)\n"
        "for each in a.get_xticklabels() + a.get_yticklabels(): each.set_fontweight('bold')\n"
    )
    outcome = run(source)
    printed = "True False\nfirst first\nd d Text(0.5, 1.0, 'd')\ny e\n1 l\n"
    assert (outcome.printed(), outcome.status) == (printed, "ok"), outcome.sentence
