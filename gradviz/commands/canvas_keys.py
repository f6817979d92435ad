"""What keys and mouse do on the canvas of a drawing, where they are no commands of a menu: for the page with all keys.
What they do is in `gradviz.ui.drawing`."""

from __future__ import annotations

DRAWING_KEYS = (
    ("Double-click, or type", "Make what you type: mul, +, 3.0, [1, 2], randn(2, 3), x = 2., w*x + b."),
    ("Drag from a port", "Draw a wire; from an input that has one, take it off. On empty canvas: type what is next."),
    ("Click a wire, Delete", "Take the wire off."),
    (
        "Ctrl+L, Tab, Enter",
        "Draw a wire from the selected node by keyboard, or take it off. Up and Down choose one of several outputs; "
        "typing makes what the wire goes to.",
    ),
    ("Click, Shift+Click", "Select one, or one more or less; drag from an empty place to select all in a box."),
    ("Arrow keys", "Select the next thing in that direction."),
    (
        "Drag, Ctrl+Arrow",
        "Move what is selected; with Shift further. It snaps to lines; Alt switches that off.",
    ),
    ("Enter, double-click", "Edit a value, a name, a comment or a title in its place."),
    ("Middle button, Space+Drag", "Look elsewhere; Shift+Arrow does so by keys, the wheel zooms."),
    ("Ctrl+D, Ctrl+G, Delete", "Duplicate what is selected, group it, or take it away."),
    ("Slider over a number", "Drag it, or click it: the arrows and the page keys change the number."),
    ("Escape", "End what goes on, without a trace; then select nothing."),
)
