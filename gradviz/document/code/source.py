"""The code of each drawing that is in use, written once. Places are not in it, and another number in a leaf is another
text in one line: from the drawing before, most code follows without writing all of it anew (`emit` does that), so that
a slider, a drag and typing cost next to nothing."""

from __future__ import annotations

from dataclasses import replace
from weakref import ReferenceType, ref

from gradviz.document.code.emit import WIDTH, Emitted, Span, emit
from gradviz.document.code.pretty import Mark, Printer
from gradviz.document.code.spelling import leaf
from gradviz.document.drawing import Drawing, Leaf, Node, Operation

_known: dict[int, tuple[ReferenceType[Drawing], Emitted]] = {}  # see Note [Equal drawings]
_latest: list[ReferenceType[Drawing]] = []  # the drawing whose code was written last


def code_of(drawing: Drawing) -> Emitted:
    """Its code, and which part of it is which node.

    Note [Equal drawings] Drawings with 1, 1.0 and True are equal, but not written alike, and to hash ten thousand nodes
    takes long: code is kept for this very object, as long as it lives. Its address finds it, and the weak reference
    beside it tells whether the address is still its own."""
    code = _kept(drawing)
    if code is None:
        code = _from_latest(drawing) or emit(drawing)
        share_code(drawing, code)
        _latest[:] = [ref(drawing)]
    return code


def share_code(drawing: Drawing, code: Emitted) -> None:
    """This is the code of the drawing, as whoever made it from another one knows."""
    key = id(drawing)

    def forget(gone: ReferenceType[Drawing]) -> None:
        if key in _known and _known[key][0] is gone:
            del _known[key]

    _known[key] = ref(drawing, forget), code


def _kept(drawing: Drawing) -> Emitted | None:
    owner, code = _known.get(id(drawing), (None, None))
    return code if owner is not None and owner() is drawing else None


def _from_latest(drawing: Drawing) -> Emitted | None:
    """The code by that of the drawing before, None where that can't be known from it."""
    before = _latest[0]() if _latest else None
    known = None if before is None else _kept(before)
    if before is None or known is None or len(before.nodes) != len(drawing.nodes):
        return None
    if not _exactly(before.calls, drawing.calls):
        return None
    changed: list[Leaf] = []
    for old, new in zip(before.nodes, drawing.nodes, strict=True):
        if old is not new and not _says_the_same(old, new):
            if not (isinstance(old, Leaf) and isinstance(new, Leaf) and _is_only_other_data(old, new)):
                return None
            changed.append(new)
    return _patched(known, changed) if changed else known


def _says_the_same(old: Node, new: Node) -> bool:
    """Whether two nodes are written alike, wherever they stand."""
    if isinstance(old, Operation) and isinstance(new, Operation):
        same = (old.id, old.op, old.names) == (new.id, new.op, new.names)
        return same and _exactly(old.inputs, new.inputs) and _exactly(old.params, new.params)
    if isinstance(old, Leaf) and isinstance(new, Leaf):
        return _is_only_other_data(old, new) and _exactly(old.data, new.data)
    return False


def _exactly(one: object, other: object) -> bool:
    """1, 1.0 and True are equal, but not written alike."""
    return one is other or (one == other and repr(one) == repr(other))


def _is_only_other_data(old: Leaf, new: Leaf) -> bool:
    one = (old.id, old.name, old.maker, old.seed, old.dtype, old.requires_grad)
    return one == (new.id, new.name, new.maker, new.seed, new.dtype, new.requires_grad)


def _patched(known: Emitted, changed: list[Leaf]) -> Emitted | None:
    """The lines of these leaves anew; None if one has another number of lines now."""
    names, spans = dict(known.names), list(known.spans)
    place = {span.node: at for at, span in enumerate(spans)}
    lines = known.text.split("\n")
    for node in changed:
        if node.id in place:  # else it is left out, whatever its numbers are
            at = place[node.id]
            old = spans[at]
            text, span = _statement(node, names[node.id][0], old)
            if span.end_line != old.end_line:
                return None
            lines[old.line - 1 : old.end_line] = text.split("\n")[:-1]
            spans[at] = span
    return replace(known, text="\n".join(lines), spans=tuple(spans))


def _statement(node: Leaf, name: str, old: Span) -> tuple[str, Span]:
    printer = Printer(WIDTH)
    printer.write((name, " = ", Mark(node.id, leaf(node).doc)))
    _, line, col, end_line, end_col = printer.stretches[0]
    down = old.line - line
    return printer.text, replace(old, line=old.line, col=col, end_line=end_line + down, end_col=end_col)
