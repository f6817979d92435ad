"""The pages of the Help menu. The operation reference is a searchable list, made from the engine's rows
(`gradviz/engine/reference.py`) and, for functions composed of several of them, from the catalogue. The safety page says
what a snippet may do; the policy itself is in `gradviz.worker.language.policy`, and the operating system's locks are in
`gradviz.worker.locks.layers`. The legend explains the timeline in words, with the colours and signs of its painters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from gradviz.session.breakpoints.condition_values import kind_words
from gradviz.session.timeline.marks import TITLES, Mark
from gradviz.ui import look
from gradviz.ui.dialogs.command_palette import matches
from gradviz.ui.panels.inspector import FormulaBrowser, Typeset, in_plain
from gradviz.ui.panels.timeline_paint import SHAPES, SIGNS, colour_of, mark_colour
from gradviz.ui.theme import Theme
from gradviz.worker.locks.layers import UNKNOWN, caution, open_doors, rows
from gradviz.worker.process.limits import Limits

if TYPE_CHECKING:
    from gradviz.engine.reference import Entry


class SearchDialog(QDialog):
    """A text, and a search field above it that leaves only what matches."""

    def __init__(self, parent: QWidget, theme: Theme, title: str, hint: str, query: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self.query = look.search_field(f"Find in {title}", hint)
        self.count = QLabel()
        self.text = FormulaBrowser()
        self.text.setAccessibleName(title)
        self.text.setOpenExternalLinks(True)
        self.text.setFont(look.sans(theme))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Enter must not close the dialog
        column = QVBoxLayout(self)
        for widget in (self.query, self.count, self.text, buttons):
            column.addWidget(widget)
        self.resize(theme.px(820), theme.px(640))
        self.query.textChanged.connect(self._filter)
        self.query.installEventFilter(self)
        self.query.setText(query)
        self._filter(query)

    def found(self, query: str) -> tuple[str, str]:
        """How much matches, and its rich text, which is empty if nothing does."""
        raise NotImplementedError

    def _filter(self, query: str) -> None:
        count, html = self.found(query)
        self.count.setText(count)
        nothing = f"<p style='color:{self._theme.muted}'>Nothing matches all of these words.</p>"
        self.text.show_html(html or nothing)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up, Down and the page keys scroll the text while typing."""
        if watched is self.query and isinstance(event, QKeyEvent) and event.key() in _MOVES:
            QCoreApplication.sendEvent(self.text, event)
            return True
        return super().eventFilter(watched, event)


_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ReferenceDialog(SearchDialog):
    """Type part of a name, a node or a word of the description."""

    def __init__(self, parent: QWidget, theme: Theme, query: str = "") -> None:
        self._entries = _listed()
        super().__init__(
            parent, theme, "Operation Reference", "Type part of a name, such as softmax or MulBackward0", query
        )

    def found(self, query: str) -> tuple[str, str]:
        """The operations that match."""
        found = [each for each in self._entries if matches(query, each.text())]
        theme = self._theme
        typeset = self.text.begin(theme.px(14), theme.px(700), theme.text)
        return f"{len(found)} of {len(self._entries)} operations", reference_html(found, theme, typeset)


def _listed() -> list[Entry]:
    """The rows of the engine, and the functions of the catalogue whose name no row has, by category."""
    from gradviz.document.catalogue import catalogue
    from gradviz.engine.reference import Entry, entries  # the engine is loaded on first use

    found = entries()
    known = {call for each in found for call in each.calls}
    for entry in catalogue().values():
        calls = tuple(name if name.startswith("Tensor.") else f"torch.{name}" for name in (entry.key, *entry.aliases))
        if known.isdisjoint(calls[:1]):
            shown = (entry.name, entry.category, entry.symbol, entry.brief, entry.formula)
            found.append(Entry(*shown, calls=calls, node="", gradients=entry.gradients, saved=(), link=entry.link))
    return sorted(found, key=lambda each: each.category)


def reference_html(found: list[Entry], theme: Theme, typeset: Typeset = in_plain) -> str:
    """The operations below the names of their categories; formulas are `typeset`."""
    parts, category = [], ""
    for each in found:
        if each.category != category:
            category = each.category
            style = f"font-size:{theme.px(15)}px; font-weight:600; margin:16px 0 2px 0"
            parts.append(f"<p style='{style}'>{look.escape(category.capitalize())}</p>")
        parts.append(_entry_html(each, theme, typeset))
    return "".join(parts)


def _entry_html(each: Entry, theme: Theme, typeset: Typeset) -> str:
    names = look.escape(", ".join(each.calls) or each.name)
    title = f"<a href='{each.link}' style='color:{theme.link}'>{names}</a>" if each.link else names
    lines = [f"<b>{title}</b>"]
    if each.formula:
        lines.append(typeset(each.written, each.formula))
    if each.brief:
        lines.append(look.escape(each.brief))
    for name, how in each.gradients:
        lines.append(f"gradient of <i>{look.escape(name)}</i>: {typeset(each.rules.get(name), how)}")
    if each.node:
        kept = ", ".join(each.saved) if each.saved else "nothing"
        lines.append(f"<span style='color:{theme.muted}'>{each.node} saves {look.escape(kept)}</span>")
    return f"<p style='margin:8px 0 0 0'>{'<br>'.join(lines)}</p>"


# -- what a snippet may do

MODULES = """torch numpy math random itertools functools collections typing dataclasses time copy""".split()
ALLOWED = (
    "compute with tensors, define modules and functions, print, and ask for input in a dialog",
    "import {modules} and a few more of Python's that compute only; matplotlib's plots are drawn in this window",
)
REFUSED = (
    "read or write files: it has none, and nothing of a run is kept unless you save it",
    "use the network, start processes or threads, see the environment, your name or your settings",
    "reach the inside of Python or of GradViz, or leave anything behind for the next run",
)
OWN_PYTHON = (
    "This can't be switched off: no setting, option or file changes it. To run code without it, use a Python of your "
    "own, and only code that you trust: <code>import gradviz.torch as torch</code> is this engine without the policy; "
    "with PyTorch installed, <code>python FILE.py</code> in a terminal is the real one."
)
OPENING = (
    "Opening a file never runs it, unless it is one of the examples or you have saved or run exactly this content on "
    "this computer before. What comes from elsewhere waits for Run. Editing it does not change that."
)


def safety_html(layers: Mapping[str, str], limits: Limits, theme: Theme) -> str:
    """The page; `layers` are those of the latest worker, empty if there was none yet."""
    head = f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:14px 0 4px 0'>{{}}</p>".format
    modules = ", ".join(f"<code>{name}</code>" for name in MODULES)
    return "".join((
        head("Opening is not running"),
        f"<p>{OPENING}</p>",
        head("A snippet or drawing that runs may"),
        _list(text.format(modules=modules) for text in ALLOWED),
        head("It can't"),
        _list(REFUSED),
        head("It is stopped"),
        _list(_bounds(limits)),
        head("What holds it on this computer"),
        _layers(layers),
        head("If you want open Python"),
        f"<p>{OWN_PYTHON}</p>",
    ))  # fmt: skip


def _bounds(limits: Limits) -> tuple[str, ...]:
    return (
        f"after {limits.cpu_seconds:g} seconds of computing, or {limits.wall_seconds:g} seconds on the clock",
        f"with more than {limits.memory_mb:,} MB of memory",
        f"with more than {limits.steps:,} steps or {limits.output_chars:,} printed characters",
    )


def _layers(layers: Mapping[str, str]) -> str:
    lines = []
    for row in rows(layers):
        detail = f" ({look.escape(row.detail)})" if row.detail else ""
        title = f"<span style='font-weight:600'>{'' if row.holds else 'missing: '}{row.title}</span>{detail}"
        lines.append(f"{title}: {row.stops}")
    if not lines:
        return f"<p>{UNKNOWN}</p>"
    said = " ".join(filter(None, (open_doors(layers), caution())))
    return f"{_list(lines)}<p>{look.escape(said)}</p>"


def _list(lines: Iterable[str]) -> str:
    return f"<ul style='margin:0'>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


# -- what the timeline shows

STEPS = {  # what happens in a step of each kind; its word is what filters and breakpoints take
    "leaf": "a tensor is created that no operation computes",
    "forward": "an operation runs",
    "inplace": "a tensor is overwritten",
    "backward call": "backward() or autograd.grad() begins",
    "backward": "a grad_fn runs",
    "contribution": "one of several gradients arrives at an input buffer",
    "accumulate": "AccumulateGrad writes a .grad",
    "free": "a grad_fn lets go of what it saved",
    "hook": "a hook is called",
    "clear grad": "a .grad is set to None, to zeros or to something else",
    "optimizer": "an optimizer updates its parameters, or gradients are clipped",
    "print": "the snippet prints",
    "warning": "a warning is shown",
    "error": "the snippet raises an error",
    "caught": "PyTorch raises an error that the snippet catches",
    "collective": "the processes of a job exchange something",
    "gap": "iterations that were not recorded",
}
MOUSE = (
    ("Click or drag on the steps", "go there"),
    ("Wheel", "a step forward or back"),
    ("Ctrl and wheel, or two fingers", "zoom at the pointer; a double click shows all steps again"),
    ("Shift and wheel, or drag the bar at the top", "move along"),
    ("Click a title, such as t = 3 or backward 2", "play only these steps, in a loop; drag A and B to change that"),
    ("Click a mark", "go to its step"),
)
KEYS = (
    ("← →, Page Up, Page Down, Home, End", "go to other steps"),
    ("Ctrl ← →", "the mark before, the next mark"),
    ("+ − 0", "closer, further away, all steps"),
    ("Shift ← →", "move along"),
    ("[ ] Backspace", "loop from here, loop up to here, no loop"),
    ("Space", "play or pause"),
)
CURVES = (
    ("saved buffers held", "bytes that wait for the backward pass; the dot is the peak"),
    ("loss, gradient norm", "of each backward call in a training loop: the loss as a line, the gradient dashed"),
)


def legend_html(theme: Theme) -> str:
    """The whole legend as rich text."""
    steps = [
        (_sign(SIGNS[name] or "▭", colour_of(theme, name)), f"{word}: {STEPS[word]}")
        for word, name in ((word, word.upper().replace(" ", "_")) for word in kind_words())
    ]
    marks = [(_sign(SHAPES[mark], mark_colour(theme, mark)), TITLES[mark][0]) for mark in sorted(Mark, reverse=True)]
    parts = (("Steps", steps), ("Marks", marks), ("Curves", CURVES), ("Mouse", MOUSE), ("Keys, when it has them", KEYS))
    return "".join(_table(theme, title, rows) for title, rows in parts)


def _sign(sign: str, colour: str) -> str:
    return f"<span style='color:{colour}; font-weight:600'>{sign}</span>"


def _table(theme: Theme, title: str, rows: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> str:
    cell = "style='padding:2px 14px 2px 0"
    lines = "".join(
        f"<tr><td {cell}; color:{theme.text}'>{left}</td><td {cell}; color:{theme.muted}'>{right}</td></tr>"
        for left, right in rows
    )
    return (
        f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:12px 0 4px 0'>{title}</p><table>{lines}</table>"
    )
