"""The pages of common mistakes: current, found by words and by error messages, and opened to be stepped through."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextBrowser
from pytestqt.qtbot import QtBot

from gradviz.document.documents import text_of
from gradviz.session.doctor.mistakes import FILE, Mistake, found, mistakes
from gradviz.session.state import Phase, State
from gradviz.session.what_if import WhatIf
from gradviz.ui.dialogs.help_pages import MistakesDialog, page_html
from gradviz.ui.theme import LIGHT
from tests.doctor.cases import CASES
from tests.doctor.mistakes import written
from tests.driver import Pilot

TWICE = (
    'Traceback (most recent call last):\n  File "a.py", line 5, in <module>\n    y.backward()\nRuntimeError: Trying to '
    "backward through the graph a second time (or directly access saved tensors after they have already been freed)."
)


def ids(query: str) -> list[str]:
    return [each.id for each in found(query)]


def test_the_pages_are_current() -> None:
    assert FILE.read_text(encoding="utf-8") == written(), "make docs"


@pytest.mark.parametrize("each", mistakes(), ids=[each.id for each in mistakes()])
def test_a_page_is_found_by_the_error_that_it_shows_and_by_its_title(each: object) -> None:
    page = next(page for page in mistakes() if page is each)
    assert page.title in [other.title for other in found(page.title)] and ids(page.id) == [page.id]
    assert not page.error or page.id in ids(page.error) or not page.patterns
    assert {sign for sign, _ in page.changed()} & {"-", "+"}


@pytest.mark.parametrize("each", mistakes(), ids=[each.id for each in mistakes()])
def test_a_page_shows_what_differs(each: Mistake) -> None:
    page = page_html(each, LIGHT)
    if each.error or each.prints != each.should_print:
        assert not each.keeps and not each.should_keep and "What is still there" not in page
        return
    assert each.keeps != each.should_keep
    assert f"As it is: {each.keeps}" in page and f"Put right: {each.should_keep}" in page


def test_the_lines_of_a_snippet_have_the_numbers_by_which_the_page_names_them(qtbot: QtBot) -> None:
    browser = QTextBrowser()
    qtbot.addWidget(browser)
    browser.setHtml(page_html(next(each for each in mistakes() if each.id == "not-zeroed"), LIGHT))
    shown = browser.toPlainText()
    assert "1  import torch" in shown and "4      (x * x).sum().backward()" in shown and "on line 4 adds" in shown


def test_what_people_paste_or_type() -> None:
    assert ids(TWICE) == ["backward-twice", "freed-buffer"]
    assert "no-grad-fn" in ids("RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn")
    assert ids("AttributeError: 'float' object has no attribute 'backward'") == ["cut-by-item"]
    assert ids("Softmax TWICE")[0] == "double-softmax"
    assert ids("") == [each.id for each in mistakes()] and ids("xyzzy") == []
    for text in (
        "my loss is nan",
        "loss does not decrease",
        "weights not updating",
        "memory leak",
        "model not learning",
    ):
        assert ids(text), text
    assert ids("loss does not decrease")[0] in ids("model does not learn") and "nan-born" in ids("loss is nan")
    assert ids("RuntimeError: Boolean value of Tensor with more than one value is ambiguous") == [], "another error"
    assert ids("(" * 1000 + "\\") == [each.id for each in mistakes()], "no words"


SAID = {  # by other versions, in warnings, and in errors that come of a mistake elsewhere
    "Trying to backward through the graph second time, but the buffers have already been freed.": "backward-twice",
    "RuntimeError: assigned grad has data of a different size": "gradient-shape",
    "RuntimeError: leaf variable has been moved into the graph interior": "leaf-in-place",
    "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.": "non-leaf-grad",
    "RuntimeError: size mismatch, m1: [3584 x 28], m2: [784 x 128] at THTensorMath.cpp:940": "matmul-shapes",
    "RuntimeError: mat1 dim 1 must match mat2 dim 0": "matmul-shapes",
    "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy()": "cut-by-item",
    "ValueError: optimizer got an empty parameter list": "unregistered-parameter",
    "UserWarning: None of the inputs have requires_grad=True. Gradients will be None": "no-grad-fn",
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB": "graph-kept",
    "UserWarning: Implicit dimension choice for softmax has been deprecated.": "wrong-dim",
    "RuntimeError: expected dtype Float but got dtype Long": "target-type",
    "RuntimeError: Attempting to deserialize object on a CUDA device but": "cuda-absent",
    "AttributeError: 'NoneType' object has no attribute 'zero_'": "non-leaf-grad",
    "TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'": "non-leaf-grad",
    "RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.": "inference-tensor",
    "UserWarning: Using a target size (torch.Size([8, 1])) that is different to the input size (torch.Size([8])). "
    "This will likely lead to incorrect results due to broadcasting.": "broadcast-loss",
}


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("nan gradient torch.where", "nan-where"), ("gradient accumulates", "not-zeroed"),
        ("loss is negative", "nll-without-log"), ("loss stuck at 0.69", "sigmoid-before-bce"),
        ("test accuracy low overfits", "same-batch"), ("learning rate drops too early", "scheduler-first"),
    ],
)  # fmt: skip
def test_what_one_sees_finds_its_page_first(query: str, id: str) -> None:
    assert ids(query)[:1] == [id]


def test_each_page_is_found_by_an_error_or_by_what_one_sees() -> None:
    felt = [each for each in mistakes() if not each.patterns and not each.symptoms]
    assert felt == []


def test_what_other_versions_and_warnings_say_is_found_by_itself_and_in_a_traceback() -> None:
    for text, id in SAID.items():
        assert ids(text)[:1] == ids(f'Traceback (most recent call last):\n  File "a.py", line 5\n{text}')[:1] == [id]


def opened(pilot: Pilot) -> MistakesDialog:
    pilot.press("Ctrl+Alt+M")
    dialog = pilot.window.findChild(MistakesDialog)
    assert dialog is not None
    return dialog


def test_the_page_of_the_error_of_a_run_opens_and_its_snippet_runs(pilot: Pilot) -> None:
    case = next(case for case in CASES if case.id == "backward-twice")
    pilot.run_again(case.text + "# mine\n")
    dialog = opened(pilot)
    assert dialog.list.count() == 2 and dialog.list.currentItem().text() == "Backward twice"
    text = dialog.page.toPlainText()
    assert "- y.backward()" in text and "+ y.backward(retain_graph=True)" in text and "tensor([4., 8.])" in text
    dialog.open_button.click()
    assert not dialog.isVisible()
    *_, other = pilot.window.windows.open_now
    pilot.qtbot.waitUntil(lambda: other.store.state.run.phase is Phase.RAISED, timeout=60_000)
    assert text_of(other.store.state.document) == case.text and other.store.state.note == "Backward twice"
    assert "# mine" in text_of(pilot.state.document), "in a tab of its own"
    assert other.close()


def test_one_searches_and_chooses_by_the_keyboard(pilot: Pilot) -> None:
    dialog = opened(pilot)
    assert dialog.list.count() == len(mistakes())
    pilot.qtbot.waitUntil(lambda: dialog.list.verticalScrollBar().maximum() > 0)
    assert dialog.list.horizontalScrollBar().maximum() == 0, "no title is cut"
    QTest.keyClicks(dialog.query, "softmax")
    titles = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    assert len(titles) > 1 and dialog.list.currentItem().text() == titles[0]
    QTest.keyClick(dialog.query, Qt.Key.Key_Down)
    assert dialog.list.currentItem().text() == titles[1] in dialog.page.toPlainText()
    dialog.query.setText("xyzzy")
    assert dialog.count.text().startswith("No page is about this.") and not dialog.open_button.isEnabled()
    assert dialog.page.toPlainText() == ""


def ended(other: WhatIf | None) -> bool:
    return other is not None and other.run.phase not in (Phase.NEVER, Phase.RUNNING)


@pytest.mark.slow
@pytest.mark.parametrize("page", mistakes()[::6], ids=[each.id for each in mistakes()[::6]])
def test_a_page_is_followed_to_its_end(pilot: Pilot, page: Mistake) -> None:
    """Open the snippet, look at what is found, try the fix beside, apply it, and undo it."""
    dialog = opened(pilot)
    dialog.query.setText(page.id)
    dialog.open_button.click()
    *_, window = pilot.window.windows.open_now
    now: Callable[[], State] = lambda: window.store.state  # noqa: E731
    card = window.panel_area.panel("editor").card
    pilot.qtbot.waitUntil(lambda: bool(now().told) or now().run.phase is Phase.RAISED, timeout=60_000)
    if now().run.phase is not Phase.RAISED:
        assert window.status.badge.text() == "▼ 1 thing to look at"
        window.status.badge.click()
        found = now().looked_at
        assert found is not None and found.id == page.id and now().cursor == found.step
    assert card.is_shown and card.beside.isVisibleTo(card) and card.apply.isVisibleTo(card)
    card.beside.click()
    pilot.qtbot.waitUntil(lambda: ended(now().what_if), timeout=60_000)
    other = now().what_if
    assert other is not None and other.run.phase is Phase.OK
    window.commands.do("run.close_what_if")
    with pilot.qtbot.waitSignal(window.shell.runner.examined, timeout=60_000):
        card.apply.click()
    assert now().run.phase is Phase.OK and not now().told and not card.is_shown
    window.commands.do("edit.undo")
    assert text_of(now().document) == page.broken
    assert window.close()
