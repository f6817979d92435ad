"""A tensor as an image: which of its numbers are where, its gradient, what the mouse and the keys do, and what is said
where there is no image."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from gradviz.session.state import Selection
from gradviz.ui.images import TensorImage
from gradviz.ui.panels.image import NO_GRADIENT, NOTHING, UNKEPT, ImagePanel, pages
from tests.driver import Pilot

SNIPPET = """\
import torch
x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
y = x * x
z = y.sum()
z.backward()
large = torch.ones(600, 600)
"""


@pytest.fixture
def panel(pilot: Pilot) -> ImagePanel:
    pilot.run_again(SNIPPET)
    pilot.window.shell.focus("image")
    found = pilot.window.panel_area.panel("image")
    assert isinstance(found, ImagePanel)
    return found


def choose(pilot: Pilot, name: str) -> None:
    trace = pilot.state.trace
    assert trace is not None
    names = [trace.naming.name(tensor, pilot.state.steps) for tensor in range(len(trace.tensors))]
    pilot.window.store.move(pilot.state.steps)
    pilot.window.store.select(Selection("tensor", names.index(name)))


def shown(panel: ImagePanel) -> TensorImage:
    assert panel.image is not None and panel.image.isVisible()
    return panel.image


def test_each_image_of_a_tensor_can_be_chosen(pilot: Pilot, panel: ImagePanel) -> None:
    choose(pilot, "y")
    image = shown(panel)
    squares = np.arange(24.0).reshape(2, 3, 4) ** 2
    np.testing.assert_array_equal(image.cells, squares[0])
    assert panel.title.text() == "y[0, :, :] of [2, 3, 4]" and panel.said.text() == "0 to 529"
    panel.number.setValue(1)
    np.testing.assert_array_equal(image.cells, squares[1])
    assert panel.title.text() == "y[1, :, :] of [2, 3, 4]" and panel.number.maximum() == 1
    assert image.bar.levels() == (-529, 529)  # of all its images, so that colours mean the same


def test_nothing_of_it_is_shown_but_the_image_and_what_is_under_it(pilot: Pilot, panel: ImagePanel) -> None:
    choose(pilot, "y")
    image = shown(panel)
    children = [child for child in image.findChildren(QWidget) if child.parent() is image and child.isVisible()]
    assert set(children) == {image.view, image.under}


def test_keys_and_mouse_go_to_a_number_and_ask_where_it_comes_from(pilot: Pilot, panel: ImagePanel) -> None:
    choose(pilot, "y")
    image = shown(panel)
    panel.number.setValue(1)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(image, key)
    assert image.marked == (1, 1) and image.under.text() == "row 1, column 1: 289"
    assert image.accessibleDescription() == image.under.text()
    for key in [Qt.Key.Key_Down] * 9:
        QTest.keyClick(image, key)
    assert image.marked == (2, 1)
    image._point(image.plot.vb.mapViewToScene(image.plot.vb.viewRect().center()))
    assert image.marked == (1, 2)
    image._click(image.plot.vb.mapViewToScene(image.plot.vb.viewRect().bottomRight()))  # beside it
    QTest.keyClick(image, Qt.Key.Key_Return)
    origin = pilot.state.origin
    assert origin is not None and (origin.element.part, origin.element.index) == ("value", 12 + 4 + 2)


def test_the_gradient_is_shown_once_it_has_arrived(pilot: Pilot, panel: ImagePanel) -> None:
    choose(pilot, "x")
    panel.part.setCurrentIndex(1)
    np.testing.assert_array_equal(shown(panel).cells, 2 * np.arange(12.0).reshape(3, 4))
    assert panel.title.text() == "∇x[0, :, :] of [2, 3, 4]"
    pilot.window.store.move(2)
    assert not panel.image.isVisible() and panel.said.text() == NO_GRADIENT


def test_where_there_is_no_image_the_page_says_why(pilot: Pilot, panel: ImagePanel) -> None:
    choose(pilot, "z")
    assert panel.image is None and panel.said.text() == NOTHING
    choose(pilot, "large")
    assert panel.image is None and panel.said.text() == UNKEPT and panel.number.isHidden()
    pilot.window.store.move(0)
    pilot.window.store.select(None)
    assert panel.said.text() == NOTHING


@pytest.mark.parametrize(
    ("array", "shape"),
    [(np.ones(5), (1, 1, 5)), (np.ones((2, 5), bool), (1, 2, 5)), (np.full((2, 3, 4, 5), 3 - 4j), (6, 4, 5))],
)
def test_the_images_of_a_tensor(array: np.ndarray, shape: tuple[int, ...]) -> None:
    found = pages(array)
    assert found.shape == shape and found.dtype == np.float64 and found.max() == np.abs(array).max()
