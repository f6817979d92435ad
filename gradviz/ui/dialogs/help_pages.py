"""The pages in which one looks something up. The operation reference is a searchable list, made from the engine's rows
(`gradviz/engine/reference.py`) and, for functions composed of several of them, from the catalogue. Common mistakes has
a page for each lesson of the doctor, with the broken snippet, what you see, why, and the change that fixes it; pasting
an error message finds its page, and the snippet can be opened in the window and stepped through. The safety page says
what a snippet may do; the policy itself is in `gradviz.worker.language.policy`, and the operating system's locks are in
`gradviz.worker.locks.layers`. The legend explains the timeline in words, with the colours and signs of its painters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.files.examples import Example
from gradviz.session.breakpoints.condition_values import kind_words
from gradviz.session.doctor.mistakes import Mistake, found, mistakes
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
    from gradviz.ui.services.files import WindowFiles


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


# --- Common mistakes ---

NONE = "No page is about this. Paste the last line of an error, or type a word, such as backward, softmax or loss."
LONGEST = 20_000  # characters of a pasted error message that are read
_AT = Qt.ItemDataRole.UserRole


class MistakesDialog(QDialog):
    """A list on the left, and the page of the selected mistake on the right."""

    def __init__(self, parent: QWidget, theme: Theme, query: str, files: WindowFiles) -> None:
        super().__init__(parent)
        self.setWindowTitle("Common Mistakes")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme, self._files = theme, files
        hint = "Paste an error message, or type a word of it, such as backward or softmax"
        self.query = look.search_field("Find a mistake", hint)
        self.query.setMaxLength(LONGEST)
        self.list = QListWidget()
        self.list.setAccessibleName("Mistakes")
        self.page = QTextBrowser()
        self.page.setAccessibleName("The mistake")
        self.page.setFont(look.sans(theme))
        self.count = QLabel()
        self.count.setObjectName("muted")
        sides = QSplitter()
        sides.addWidget(self.list)
        sides.addWidget(self.page)
        column = QVBoxLayout(self)
        for widget in (self.query, self.count, sides, self._buttons()):
            column.addWidget(widget)
        column.setStretchFactor(sides, 1)
        self.resize(theme.px(860), theme.px(640))
        self.list.currentItemChanged.connect(self._show)
        self.query.textChanged.connect(self._filter)
        self.query.installEventFilter(self)
        self.query.setText(query)
        self._filter(query)
        self.list.ensurePolished()
        widest = max(self.list.fontMetrics().horizontalAdvance(each.title) for each in mistakes()) + theme.px(50)
        sides.setSizes([widest, theme.px(860) - widest])

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.open_button = box.addButton("&Open the Snippet", QDialogButtonBox.ButtonRole.ActionRole)
        self.open_button.setToolTip("Open the broken snippet as a new one and run it.")
        self.open_button.clicked.connect(self._open)
        box.rejected.connect(self.reject)
        for button in box.buttons():
            button.setAutoDefault(False)  # type: ignore[attr-defined]
        return box

    def _filter(self, query: str) -> None:
        fits = found(query)
        self.list.clear()
        for each in fits:
            item = QListWidgetItem(each.title)
            item.setData(_AT, each)
            self.list.addItem(item)
        self.count.setText(f"{len(fits)} of {len(mistakes())}" if fits else NONE)
        self.list.setCurrentRow(0)
        self._show()

    def _chosen(self) -> Mistake | None:
        item = self.list.currentItem()
        chosen = item.data(_AT) if item is not None else None
        return chosen if isinstance(chosen, Mistake) else None

    def _show(self) -> None:
        chosen = self._chosen()
        self.page.setHtml(page_html(chosen, self._theme) if chosen is not None else "")
        self.open_button.setEnabled(chosen is not None)

    def _open(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.accept()
            example = Example(Path(), chosen.title, "", "", chosen.broken)
            self._files.apart(lambda files: files.open_lesson(example, "", lambda: None))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up, Down and the page keys move in the list while typing."""
        if watched is self.query and isinstance(event, QKeyEvent) and event.key() in _MOVES:
            QCoreApplication.sendEvent(self.list, event)
            return True
        return super().eventFilter(watched, event)


def page_html(mistake: Mistake, theme: Theme) -> str:
    """The page: the snippet, what you see, why, and the change."""
    head = f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:14px 0 4px 0'>{{}}</p>".format
    said = " ".join(filter(None, (mistake.explanation, mistake.advice)))
    sees = [
        _code(mistake.prints, theme) if mistake.prints else "",
        _code(mistake.error, theme) if mistake.error else "",
    ]
    right = [head("Once put right, it prints"), _code(mistake.should_print, theme)] if mistake.should_print else []
    kept = f"As it is: {mistake.keeps}\nPut right: {mistake.should_keep}"
    right += [head("What is still there at the end"), _code(kept, theme)] if mistake.keeps else []
    return "".join((
        f"<h2>{look.escape(mistake.title)}</h2>",
        head("The snippet"),
        _numbered(mistake.broken, theme),
        head("What you see" if any(sees) else "Nothing is printed, and nothing is raised"),
        *sees,
        head("Why"),
        f"<p>{look.escape(said)}</p>",
        head("The change"),
        _change(mistake, theme),
        *right,
    ))  # fmt: skip


def _code(text: str, theme: Theme) -> str:
    return f"<pre style='{_style(theme)}'>{look.escape(text.rstrip())}</pre>"


def _numbered(text: str, theme: Theme) -> str:
    """A snippet with the numbers of its lines, as the explanation names them."""
    lines = text.rstrip().split("\n")
    numbers = [
        f"<span style='color:{theme.muted}'>{at:>{len(str(len(lines)))}}</span>" for at in range(1, len(lines) + 1)
    ]
    code = "\n".join(f"{number}  {look.escape(line)}" for number, line in zip(numbers, lines, strict=True))
    return f"<pre style='{_style(theme)}'>{code}</pre>"


def _style(theme: Theme) -> str:
    return f"font-family:{look.mono(theme).family()}; font-size:{theme.px(13)}px; white-space:pre-wrap; margin:0"


def _change(mistake: Mistake, theme: Theme) -> str:
    """Both snippets as one, with a sign in front of each line that is removed or added."""
    colours = {"-": theme.error, "+": theme.link, " ": theme.text}
    lines = (
        f"<span style='color:{colours[sign]}'>{look.escape(f'{sign} {line}')}</span>"
        for sign, line in mistake.changed()
    )
    return f"<pre style='{_style(theme)}'>{'<br>'.join(lines)}</pre>"
