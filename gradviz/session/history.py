"""The undo list: immutable documents, each with the name of the edit that came next. It knows no state and notifies
nobody; `store` uses it.

Note [What an old drawing costs]: versions of a drawing share all nodes except those that an edit changed. Derived data
of an old version (its code, its tables) is dropped, so that it costs only a list of its nodes and the few that it alone
has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gradviz.document.documents import Document
from gradviz.document.drawing import Drawing, Leaf, Literal, Node

TYPING = "Typing"
MERGE_SECONDS = 1.0  # typing without a longer pause is one undo step
UNDO_BYTES = 50_000_000  # the undo list drops its oldest documents beyond this
NODE, PLACE, VALUE = 700, 8, 40  # approximate bytes of a node, of its place in the list, and of one number of its data


@dataclass(frozen=True)
class Edit:
    """A step that can be undone or redone: its name, and the document to go to."""

    label: str
    before: Document
    weight: int = 0


class History:
    """What can be undone and redone. `merge` is a key: consecutive edits with the same key are one step."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._undo: list[Edit] = []
        self._redo: list[Edit] = []
        self._weight = 0
        self._clock = clock
        self._last_typed = float("-inf")
        self._open = ""  # the key of the step that further edits may join

    @property
    def undo_label(self) -> str:
        """The name of what would be undone, "" for nothing."""
        return self._undo[-1].label if self._undo else ""

    @property
    def redo_label(self) -> str:
        """The name of what would be redone, "" for nothing."""
        return self._redo[-1].label if self._redo else ""

    @property
    def is_merging(self) -> bool:
        """Whether a series of edits that form one step, such as dragging a slider, is in progress."""
        return bool(self._open)

    def clear(self) -> None:
        """Forget all of it."""
        self._undo.clear()
        self._redo.clear()
        self._weight = 0
        self.seal()

    def seal(self) -> None:
        """The next edit starts a new step."""
        self._open = ""
        self._last_typed = float("-inf")

    def add(self, label: str, before: Document, after: Document, merge: str) -> None:
        """Record an edit."""
        now = self._clock()
        self._redo.clear()
        if self._joins(label, merge, now):
            first = self._undo[-1].before
            if merge and first == after:  # dragged back to where it was: nothing to undo
                self._pop()
                merge = ""
        else:
            self._push(Edit(label, _bare(before), _weight(before, after)))
        self._open = merge
        self._last_typed = now if label == TYPING else float("-inf")

    def undo(self, now: Document) -> Document | None:
        """The document before the latest edit, None if there was none."""
        if not self._undo:
            return None
        edit = self._pop()
        self._redo.append(Edit(edit.label, _bare(now)))
        self.seal()
        return edit.before

    def redo(self, now: Document) -> Document | None:
        """The document after the edit that was undone last, None if there is none."""
        if not self._redo:
            return None
        edit = self._redo.pop()
        self._push(Edit(edit.label, _bare(now), _weight(now, edit.before)))
        self.seal()
        return edit.before

    def _joins(self, label: str, merge: str, now: float) -> bool:
        if not self._undo or self._undo[-1].label != label:
            return False
        if merge or self._open:
            return merge == self._open
        return label == TYPING and now - self._last_typed < MERGE_SECONDS

    def _push(self, edit: Edit) -> None:
        self._undo.append(edit)
        self._weight += edit.weight
        while len(self._undo) > 1 and self._weight > UNDO_BYTES:
            self._weight -= self._undo.pop(0).weight

    def _pop(self) -> Edit:
        edit = self._undo.pop()
        self._weight -= edit.weight
        return edit


def _bare(document: Document) -> Document:
    """The same document without derived data."""
    return replace(document) if isinstance(document, Drawing) else document


def _weight(document: Document, other: Document) -> int:
    """Approximate bytes that a document takes in the list beside its neighbour."""
    if not isinstance(document, Drawing):
        return len(document.text)
    shared = other.by_id if isinstance(other, Drawing) else {}
    own = sum(_size(node) for node in document.nodes if shared.get(node.id) is not node)
    return own + PLACE * len(document.nodes) + NODE


def _size(node: Node) -> int:
    return NODE + (VALUE * _count(node.data) if isinstance(node, Leaf) else 0)


def _count(data: Literal) -> int:
    """How many values are written out."""
    left, found = [data], 0
    while left:
        one = left.pop()
        if isinstance(one, tuple):
            left.extend(one)
        else:
            found += 1
    return found
