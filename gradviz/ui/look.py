"""Fonts, palette and style sheet made from a `Theme`: the only module that translates the theme for ordinary widgets.
Panels that paint themselves read the `Theme` directly. The fonts are bundled, so that every machine (and the offscreen
platform) shows the same text."""

from __future__ import annotations

import re
from functools import cache
from string import Template

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QStyle, QStyleOptionButton

from gradviz import RESOURCES
from gradviz.ui.theme import Theme

FONT_FOLDER = RESOURCES / "fonts"
STYLE_FILE = RESOURCES / "themes" / "window.qss"
SANS = ["Inter", "DejaVu Sans"]
MONO = ["JetBrains Mono", "DejaVu Sans Mono", "DejaVu Sans"]
BODY = 13
SMALL = 11.5
LONGEST_TIP = 1_000  # characters
STAGE = 768  # height in pixels of a screen on which the text of a presentation has the sizes written beside it


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the bundled fonts once; returns their families, or none if they are missing, in which case the system's
    fonts are used. Requires a QGuiApplication."""
    families: list[str] = []
    for path in sorted(FONT_FOLDER.glob("*")):
        if path.suffix in {".ttf", ".otf"}:
            families += QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path)))
    return tuple(dict.fromkeys(families))


def sans(theme: Theme, size: float = BODY, *, bold: bool = False) -> QFont:
    """The text font at a pixel size, scaled."""
    return _font(SANS, theme.px(size), bold=bold)


def mono(theme: Theme, size: float = BODY, *, bold: bool = False) -> QFont:
    """The code and number font at a pixel size, scaled."""
    font = _font(MONO, theme.px(size), bold=bold)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag("calt"), 0)  # no ligatures: == stays two characters
    return font


def _font(families: list[str], pixels: int, *, bold: bool) -> QFont:
    font = QFont()
    font.setFamilies(families)
    font.setPixelSize(pixels)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def palette(theme: Theme) -> QPalette:
    """Qt's palette, for widgets that the style sheet does not mention."""
    result = QPalette()
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.panel,
        role.AlternateBase: theme.header,
        role.Text: theme.text,
        role.Button: theme.button,
        role.ButtonText: theme.text,
        role.BrightText: theme.text,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.text,
        role.ToolTipBase: theme.panel,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.faint,
        role.Link: theme.link,
        role.LinkVisited: theme.link,
        role.Mid: theme.panel_border,
        role.Midlight: theme.header,
        role.Light: theme.panel,
        role.Dark: theme.card_border,
        role.Shadow: theme.card_border,
    }
    for key, colour in colours.items():
        result.setColor(key, QColor(colour))
    for key in (role.Text, role.ButtonText, role.WindowText):
        result.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.faint))
    return result


def style_sheet(theme: Theme) -> str:
    """The application's style sheet. It sets the font, too, because Qt takes the application's font away from styled
    widgets."""
    font = f"font-family: {', '.join(repr(name) for name in SANS)}; font-size: {theme.px(BODY)}px"
    code = f"font-family: {', '.join(repr(name) for name in MONO)}; font-size: {theme.px(12)}px"
    return Template(STYLE_FILE.read_text(encoding="utf-8")).substitute(vars(theme), font=font, code=code)


def apply(app: QApplication, theme: Theme) -> None:
    """Give the whole application this look. Creating widgets is slow once there is a style sheet, so this comes last;
    setting the same one again would polish every widget of every window."""
    load_fonts()
    app.setFont(sans(theme))
    app.setPalette(palette(theme))
    sheet = style_sheet(theme)
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)


def on_stage(theme: Theme, height: int) -> Theme:
    """For a presentation: the larger the screen, the larger its text, whatever the size of other text."""
    return theme.scaled(height / STAGE)


def tip(text: str) -> str:
    """A tooltip with these lines, shown as plain text even if they look like rich text: they contain names from the
    snippet."""
    short = text if len(text) <= LONGEST_TIP else text[: LONGEST_TIP - 1] + "…"
    return f"<p style='white-space:pre'>{escape(short)}</p>" if "<" in short or "&" in short else short


def escape(text: str) -> str:
    """Plain text as rich text, with its line breaks and the spaces that align its columns."""
    import html

    columns = re.sub(r"^ |  +", lambda found: "&nbsp;" * len(found[0]), html.escape(text), flags=re.MULTILINE)
    return columns.replace("\n", "<br>")


def search_field(name: str, hint: str) -> QLineEdit:
    """A line in which the user types what is to be found; `hint` says what, while it is empty."""
    field = QLineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName(name)
    field.setClearButtonEnabled(True)
    return field


class Wrapped(QLabel):
    """Plain text in lines, all of which have room: a layout alone takes it from the widgets around if the window is
    lower than its text needs at this width."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))


class CheckBox(QCheckBox):
    """A box whose tick is seen: the sheet colours it, and a colour is never the only sign."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = QRectF(self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().base().color(), 1.8))
            tick = ((0.25, 0.52), (0.43, 0.7), (0.76, 0.32))
            painter.drawPolyline([QPointF(box.x() + x * box.width(), box.y() + y * box.height()) for x, y in tick])


class DropDown(QComboBox):
    """A choice that is seen to be one: the sheet leaves it no arrow."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setPen(self.palette().placeholderText().color())
            place = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(self.rect().adjusted(0, 0, -8, 0), place, "▾")
