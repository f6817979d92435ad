"""What the hover card says of a node of a drawing that the ordinary canvas does not know: why it has not run, or that
it gave on what it was given. What has run has the card of the canvas, see `gradviz.ui.canvas.hover_words`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.document.documents import code_of
from gradviz.document.drawing import Operation, Ref
from gradviz.ui.canvas.hover_words import Row, Words
from gradviz.ui.drawing.shapes import entry_of, name_of

if TYPE_CHECKING:
    from gradviz.ui.drawing.scene import DrawnScene

PASSED = "It returns its input unchanged; there was nothing to compute."
LATER = "It runs at a later step."
ENDED = "The run ended with an error before this."
NOT_YET = "It has not run yet."


def waiting_words(scene: DrawnScene, number: int) -> Words | None:
    """What there is to say of a node at the cursor of a scene; None of one that the canvas shows."""
    drawing, sketch = scene.sketch.geometry.drawing, scene.sketch
    node = drawing.by_id.get(number)
    if node is None or sketch.geometry.closed_group(number) is not None:
        return None
    item = sketch.operations.get(number, sketch.cards.get(Ref(number), -1))
    seen = item >= 0 and bool(scene.moment.items[item])
    if seen and number not in sketch.drawn.passed:
        return None
    own = entry_of(node).name if isinstance(node, Operation) else "leaf"
    kind = "has run" if seen else "has not run"
    return Words(name_of(node) or own, f"{own} · {kind}", (Row("", _why(scene, number, seen=seen)),))


def _why(scene: DrawnScene, number: int, *, seen: bool) -> str:
    drawn, errors = scene.sketch.drawn, scene.sketch.diagram.trace.errors
    left_out = dict(code_of(scene.sketch.geometry.drawing).left_out)
    if seen:
        return PASSED
    if number in left_out:
        return f"{left_out[number]}."
    if number in drawn.rows or Ref(number) in drawn.tensors:
        return LATER
    if number == drawn.failed:
        return scene.painting.error
    return ENDED if len(errors) else NOT_YET
