"""Calls of Matplotlib, one a row, and what is recorded of each: the layers with their numbers, as `described` writes
them. The numbers follow Matplotlib's documentation of each function."""

from __future__ import annotations

CALLS = {
    "plt.plot([3, 2, 1])": "line C0 x=0,1,2 y=3,2,1",
    "plt.plot([1, 2], [3, 4])": "line C0 x=1,2 y=3,4",
    "plt.plot([1, 2], [3, 4], 'r--o')": "line #ff0000 -- o x=1,2 y=3,4",
    "plt.plot([1, 2], 'g^')": "line #008000 none ^ x=0,1 y=1,2",
    "plt.plot([1, 2], 'k')": "line text x=0,1 y=1,2",
    "plt.plot([1], [2], [3], [4])": "line C0 x=1 y=2 | line C1 x=3 y=4",
    "plt.plot([1], [2], 'b:', [3], [4], '.')": "line #0000ff : x=1 y=2 | line C0 none . x=3 y=4",
    "plt.plot([[1, 2], [3, 4]])": "line C0 x=0,1 y=1,3 | line C1 x=0,1 y=2,4",
    "plt.plot(range(2), color='tab:green', ls=':', lw=3, label='a')": "line C2 : w3 'a' x=0,1 y=0,1",
    "plt.plot([1, 2], c='0.5', marker='s', ms=4)": "line #808080 s x=0,1 y=1,2",
    "plt.plot([1, None, 2])": "line C0 x=0,1,2 y=1,nan,2",
    "plt.plot(torch.tensor([1., 2.]))": "line C0 x=0,1 y=1,2",
    "plt.plot([torch.tensor(1.), torch.tensor(2.)])": "line C0 x=0,1 y=1,2",
    "plt.plot(np.linspace(0, 1, 3), np.arange(3))": "line C0 x=0,0.5,1 y=0,1,2",
    "plt.plot({'a': 1, 'b': 2}.values())": "line C0 x=0,1 y=1,2",
    "plt.plot(['a', 'b', 'a'], [1, 2, 3])": "line C0 x=0,1,0 y=1,2,3",
    "plt.plot(5, 6, 'o')": "line C0 none o x=5 y=6",
    "plt.semilogy([1, 10])": "line C0 x=0,1 y=1,10 log y",
    "plt.semilogx([1, 10], [1, 2])": "line C0 x=1,10 y=1,2 log x",
    "plt.loglog([1, 10], [1, 2])": "line C0 x=1,10 y=1,2 log x log y",
    "plt.scatter([1, 2], [3, 4])": "points C0 none o x=1,2 y=3,4 size=6 value=",
    "plt.scatter([1, 2], [3, 4], s=[4, 9], c=[0, 5])": "points C0 none o x=1,2 y=3,4 size=2,3 value=0,5 viridis 0..5",
    "plt.scatter([1, 2], [3, 4], c=['r', 'k'])": (
        "points #ff0000 none o x=1 y=3 size=6 value= | points text none o x=2 y=4 size=6 value="
    ),
    "plt.scatter([1], [2], c='red', marker='x', alpha=0.5)": "points #ff0000 none x x=1 y=2 size=6 value=",
    "plt.bar(['a', 'b'], [3, 4])": "bars C0 left=-0.4,0.6 bottom=0,0 right=0.4,1.4 top=3,4",
    "plt.bar([0, 1], [3, 4], width=1, bottom=1)": "bars C0 left=-0.5,0.5 bottom=1,1 right=0.5,1.5 top=4,5",
    "plt.barh([0, 1], [3, 4], height=1)": "bars C0 left=0,0 bottom=-0.5,0.5 right=3,4 top=0.5,1.5",
    "plt.hist([1, 1, 2], bins=2)": "bars C0 left=1,1.5 bottom=0,0 right=1.5,2 top=2,1",
    "plt.hist([1, 1, 2], bins=[0, 1.5, 3], density=True)": (
        "bars C0 left=0,1.5 bottom=0,0 right=1.5,3 top=0.444444,0.222222"
    ),
    "plt.step([0, 1], [5, 6])": "line C0 x=0,0,1 y=5,6,6",
    "plt.step([0, 1], [5, 6], where='post')": "line C0 x=0,1,1 y=5,5,6",
    "plt.stem([1, 2])": (
        "line C0 none o x=0,1 y=1,2 | segments C0 x0=0,1 y0=0,0 x1=0,1 y1=1,2 | line C3 - x=0,1 y=0,0"
    ),
    "plt.fill_between([0, 1], [1, 2], [3, 4], alpha=.3)": "area C0 x=0,1 low=1,2 high=3,4",
    "plt.stackplot([0, 1], [1, 2], [3, 4])": "area C0 x=0,1 low=0,0 high=1,2 | area C1 x=0,1 low=1,2 high=4,6",
    "plt.errorbar([0, 1], [5, 6], yerr=1)": "line C0 x=0,1 y=5,6 | segments C0 | x0=0,1 y0=4,5 x1=0,1 y1=6,7",
    "plt.axhline(2, color='r')": "rule #ff0000 - x=nan y=2",
    "plt.axvline(x=2, ls='--')": "rule C0 -- x=2 y=nan",
    "plt.axvspan(1, 2)": "bars C0 left=1 bottom=-inf right=2 top=inf",
    "plt.hlines([1, 2], 0, 5)": "segments C0 - x0=0,0 y0=1,2 x1=5,5 y1=1,2",
    "plt.vlines(3, [0], [1], colors='k')": "segments text - x0=3 y0=0 x1=3 y1=1",
    "plt.imshow([[1, 2], [3, 4]], cmap='gray')": "image C0 value=1,2,3,4 2x2x1 -0.5,1.5,1.5,-0.5 gray 1..4 down",
    "plt.imshow([[1, 2], [3, 4]], origin='lower')": "image C0 value=3,4,1,2 2x2x1 -0.5,1.5,-0.5,1.5 viridis 1..4",
    "plt.imshow([[[255, 0, 0]]])": "image C0 value=1,0,0 1x1x3 -0.5,0.5,0.5,-0.5 down",
    "plt.matshow([[1, 2]])": "image C0 value=1,2 1x2x1 -0.5,1.5,0.5,-0.5 viridis 1..2 down",
    "plt.pcolormesh([[1, 2], [3, 4]])": "image C0 value=3,4,1,2 2x2x1 0,2,0,2 viridis 1..4",
    "plt.contour([[0, 2], [0, 2]], levels=[1])": "segments #440154 x0=0.5 y0=0 x1=0.5 y1=1 viridis 1..1",
    "plt.text(1, 2, 'hi', color='r')": "words #ff0000 x=1 y=2 'hi'",
    "plt.annotate('hi', (1, 2), xytext=(3, 4), arrowprops={'arrowstyle': '->'})": (
        "segments text > x0=3 y0=4 x1=1 y1=2 | words text x=3 y=4 'hi'"
    ),
    "plt.quiver([0, 1], [0, 0], [1, 2], [0, 0], angles='xy', scale=1)": ("segments text > x0=0,1 y0=0,0 x1=1,3 y1=0,0"),
    "plt.arrow(0, 0, 1, 2)": "segments C0 > x0=0 y0=0 x1=1 y1=2",
    "plt.hist2d([0, 1], [0, 1], bins=2)": "image C0 value=0,1,1,0 2x2x1 0,1,0,1 viridis 0..1",
}

# what a call says of the axes or the figure, by the expression that reads it
SAID = {
    "plt.title('t'); plt.plot([1])": ("figure.axes[0].title", "t"),
    "plt.suptitle('t'); plt.plot([1])": ("figure.title", "t"),
    "plt.xlabel('t'); plt.plot([1])": ("figure.axes[0].x.label", "t"),
    "plt.gca().set_ylabel('t')": ("figure.axes[0].y.label", "t"),
    "plt.plot([1], label='a'); plt.legend(loc='upper left')": ("figure.axes[0].legend", "upper left"),
    "plt.plot([1]); plt.plot([2]); plt.legend(['a', 'b'])": (
        "[each.style.label for each in figure.axes[0].layers]",
        ["a", "b"],
    ),
    "plt.plot([1]); plt.grid(True)": ("figure.axes[0].grid", True),
    "plt.plot([1]); plt.axis('off')": ("figure.axes[0].frame", False),
    "plt.plot([1]); plt.axis('equal')": ("figure.axes[0].equal", True),
    "plt.xlim(1, 5)": ("figure.axes[0].x.limits", (1.0, 5.0)),
    "plt.gca().set(ylim=(0, 2), title='t')": ("figure.axes[0].y.limits", (0.0, 2.0)),
    "plt.gca().set_xlim(5, 1)": ("figure.axes[0].x.flipped", True),
    "plt.gca().invert_yaxis()": ("figure.axes[0].y.flipped", True),
    "plt.yscale('log')": ("figure.axes[0].y.kind", "log"),
    "plt.xticks([0, 1], ['no', 'yes'], rotation=45)": ("figure.axes[0].x.names", ("no", "yes")),
    "plt.gca().set_yticks([])": ("figure.axes[0].y.ticks", ()),
    "plt.bar(['a', 'b'], [1, 2])": ("figure.axes[0].x.names", ("a", "b")),
    "plt.figure(figsize=(8, 3)); plt.plot([1])": ("figure.size", (8.0, 3.0)),
    "plt.rcParams['figure.figsize'] = (3, 3); plt.plot([1])": ("figure.size", (3.0, 3.0)),
    "plt.subplots(2, 3)": ("[each.place[:2] for each in figure.axes][4]", (1 / 3, 0.5)),
    "plt.subplot(2, 1, 2)": ("figure.axes[0].place", (0.0, 0.5, 1.0, 0.5)),
    "plt.subplot(221); plt.subplot(224); plt.subplot(221)": ("len(figure.axes)", 2),
    "plt.subplots(2, 1, sharex=True)": ("figure.axes[1].x.shared", 0),
    "plt.plot([1]); plt.gca().twinx().plot([2])": ("figure.axes[1].twin", 0),
    "im = plt.imshow([[1]]); plt.colorbar(im, label='t')": ("figure.axes[0].layers[0].colours.bar", True),
    "a, = plt.plot([1]); a.set_data([5], [6]); a.set_label('b')": ("figure.axes[0].layers[0].columns['x'][0]", 5.0),
    "b = plt.bar([0], [3]); plt.title(b[0].get_height())": ("figure.axes[0].title", "3.0"),
    "n, e, p = plt.hist([1, 2, 3], bins=3); plt.title(f'{n.sum():.0f} {len(e)}')": ("figure.axes[0].title", "3 4"),
    "plt.plot([1], color=plt.cm.viridis(0.0))": ("figure.axes[0].layers[0].style.color", "#440154"),
    "plt.plot([1], color=plt.get_cmap('tab10')(1))": ("figure.axes[0].layers[0].style.color", "#ff7f0e"),
    "plt.text(.5, .5, 'a', transform=plt.gca().transAxes, ha='center')": ("figure.axes[0].layers[0].inside", True),
    "plt.style.use('ggplot'); plt.tight_layout(); plt.plot([1])": ("len(figure.axes)", 1),
    "plt.gca().spines['top'].set_visible(False); plt.plot([1])": ("len(figure.axes[0].layers)", 1),
}

WRONG = {
    "plt.plot([1, 2, 3], [1, 2, 3, 4])": (
        "ValueError",
        "x and y must have same first dimension, but have shapes (3,) and (4,)",
    ),
    "plt.scatter([1, 2], [1])": ("ValueError", "x and y must be the same size"),
    "plt.plot(torch.ones(2, requires_grad=True))": (
        "RuntimeError",
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    "plt.plot([1], 'q')": ("ValueError", "'q' is not a valid format string (unrecognized character 'q')"),
    "plt.plot([1], lable='a')": ("AttributeError", "Line2D.set() got an unexpected keyword argument 'lable'"),
    "plt.plott([1])": ("AttributeError", "module 'matplotlib.pyplot' has no attribute 'plott'"),
    "plt.gca().plott([1])": ("AttributeError", "'Axes' object has no attribute 'plott'"),
    "plt.scatter([1, 2], [1, 2], c=[1, 2, 3])": (
        "ValueError",
        "'c' argument has 3 elements, which is inconsistent with 'x' and 'y' with size 2.",
    ),
    "plt.imshow([1, 2])": ("TypeError", "Invalid shape (2,) for image data"),
    "plt.xlim(float('nan'), 1)": ("ValueError", "Axis limits cannot be NaN or Inf"),
    "plt.subplot(2, 2, 5)": ("ValueError", "num must be an integer with 1 <= num <= 4, not 5"),
    "plt.gca().set_xticks([1, 2], ['a'])": ("ValueError", "The number of FixedLocator locations (2), usually"),
}
