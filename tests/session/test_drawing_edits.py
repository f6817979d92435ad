"""The store with a drawing: undo and redo agree with a plain list of documents."""

from __future__ import annotations

import random

from gradviz.document import shaping
from gradviz.document.code.parse import parse
from gradviz.document.documents import Document, code_of, text_of
from gradviz.document.drawing import Drawing
from gradviz.session.state import State
from gradviz.session.store import Store
from tests.document.drawings import Walk, check

STEPS = 2_000


class Listed:
    """The same as the store, as a list of documents and a place in it."""

    def __init__(self, first: Document) -> None:
        self.documents = [first]
        self.labels: list[str] = []
        self.at = 0

    def edit(self, label: str, document: Document) -> None:
        if document != self.documents[self.at]:
            self.documents[self.at + 1 :] = [document]
            self.labels[self.at :] = [label]
            self.at += 1

    def walk(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.documents) - 1)

    def agrees_with(self, state: State) -> bool:
        undo = self.labels[self.at - 1] if self.at else ""
        redo = self.labels[self.at] if self.at < len(self.labels) else ""
        return (state.document, state.undo_label, state.redo_label) == (self.documents[self.at], undo, redo)


def test_two_thousand_edits_undos_and_redos_agree_with_a_list_of_documents() -> None:
    store, listed = Store(State(document=Drawing())), Listed(Drawing())
    walk, dice = Walk(5), random.Random(5)
    refused = 0
    for step in range(STEPS):
        choice = dice.random()
        if choice < 0.15:
            store.undo()
            listed.walk(-1)
        elif choice < 0.25:
            store.redo()
            listed.walk(1)
        else:
            drawing = store.state.drawing
            assert drawing is not None
            label, changed = walk.step(drawing)
            refused += changed == drawing
            store.edit(label, changed)
            listed.edit(label, changed)
        assert listed.agrees_with(store.state), step
        if step % 100 == 0:
            document = listed.documents[listed.at]
            assert isinstance(document, Drawing)
            check(document)
    assert listed.at > 100
    assert refused < STEPS / 2


def _runnable(drawing: Drawing) -> Drawing:
    """What can run of it."""
    while left_out := {node for node, _ in code_of(drawing).left_out}:
        drawing = shaping.delete(drawing, left_out)
    return drawing


def test_what_random_edits_have_made_is_the_same_drawing_when_it_is_read_from_its_code() -> None:
    compared = 0
    for seed in range(20):
        walk, drawing = Walk(seed), Drawing()
        for step in range(200):
            _, drawing = walk.step(drawing)
            if step % 40 == 39:
                whole = _runnable(drawing)
                assert parse(text_of(whole), like=whole) == whole, (seed, step)
                compared += len(whole.nodes) > 4
    assert compared > 30


def test_a_hundred_edits_are_undone_and_done_again() -> None:
    store, walk = Store(State(document=Drawing())), Walk(1)
    texts: list[Document] = [store.state.document]
    while len(texts) <= 100:
        drawing = store.state.drawing
        assert drawing is not None
        label, changed = walk.step(drawing)
        if changed != drawing:
            store.edit(label, changed)
            texts.append(changed)
    for document in reversed(texts[:-1]):
        store.undo()
        assert store.state.document == document
    assert store.state.undo_label == ""
    for document in texts[1:]:
        store.redo()
        assert store.state.document == document
    assert store.state.redo_label == ""
