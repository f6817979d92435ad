"""Keys and mouse gestures on the canvas of a drawing that are not menu commands, for the keyboard page. Their handlers
are in `gradviz.ui.drawing`."""

from __future__ import annotations

DRAWING_KEYS = (
    ("Double-click, or type", "Add a node from what you type: mul, +, 3.0, [1, 2], randn(2, 3), x = 2., w*x + b."),
    ("Drag from a port", "Draw a wire, or detach the one that ends there; drop it on empty canvas to add a node."),
    ("Click a wire, Delete", "Delete the wire."),
    (
        "Ctrl+L, Tab, Enter",
        "Connect or disconnect the selected node by keyboard. Up and Down choose among several outputs; type to add "
        "the node that the wire goes to.",
    ),
    ("Click, Shift+Click", "Select one node, or add to the selection; drag from empty canvas to select a rectangle."),
    ("Arrow keys", "Select the next item in that direction."),
    ("Drag, Ctrl+Arrow", "Move the selection; hold Shift for larger steps. It snaps to lines unless you hold Alt."),
    ("Enter, double-click", "Edit a value, name, comment or title in place."),
    ("Middle button, Space+Drag", "Pan the view (or Shift+arrow keys); scroll to zoom."),
    ("Ctrl+D, Ctrl+G, Delete", "Duplicate, group or delete the selection."),
    ("Slider over a number", "Drag it, or click it and use the arrow or page keys, to change the number."),
    ("Escape", "Cancel the gesture; press again to clear the selection."),
)
