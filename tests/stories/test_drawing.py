"""Stories of someone who draws and writes no Python, through the real window and a real worker."""

from __future__ import annotations

from tests.driver import Pilot


def test_the_first_gradient_from_nothing_by_mouse(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.place("leaf:parameter", 120, 100)
    pilot.place("leaf:scalar", 120, 260)
    pilot.place("mul", 320, 180)
    pilot.set_value("w", "3")
    pilot.set_value("x", "7")
    pilot.wire("w", "mul", 0)
    pilot.wire("x", "mul", 1)
    pilot.backward_from("mul")
    pilot.settle()
    pilot.expect_grad("w", 7.0)
    assert "y.backward()" in pilot.drawing.text


def test_the_first_gradient_from_nothing_by_keyboard(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.type_on_canvas("w = 3.0")
    pilot.press("Ctrl+Shift+R")
    pilot.type_on_canvas("x = 2.0")
    pilot.press("Escape")
    pilot.type_on_canvas("w*x + 1")
    pilot.press("Ctrl+B")
    pilot.settle()
    pilot.expect_grad("w", 2.0)


def test_a_wrong_wire_is_refused_with_the_reason(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.place("leaf:parameter", 120, 100)
    pilot.place("leaf:scalar", 120, 260)
    pilot.place("mul", 320, 180)
    pilot.wire("w", "mul", 0)
    pilot.wire("x", "mul", 0)
    pilot.expect_refusal("input of y has a wire already; take it off first.")


def test_a_wire_whose_shapes_do_not_fit_is_refused_before_it_is_made(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.type_on_canvas("A = randn(2, 3)")
    pilot.press("Escape")
    pilot.type_on_canvas("B = randn(4, 5)")
    pilot.press("Escape")
    pilot.type_on_canvas("matmul")
    pilot.press("Ctrl+9")
    pilot.wire("A", "matmul", 0)
    pilot.wire("B", "matmul", 1)
    pilot.expect_refusal("2×3 with 4×5: the inner sizes 3 and 4 differ")
    assert "# not yet: matmul needs other" in pilot.drawing.text
    assert pilot.state.undo_label == "Connect"


def test_a_network_of_two_inputs_two_hidden_and_one_output(pilot: Pilot) -> None:
    pilot.new_drawing()
    for text in ("x = [1.0, 2.0]", "W1 = [[0.5, -1.0], [1.0, 0.25]]", "W2 = [[1.0, -2.0]]"):
        pilot.type_on_canvas(text)
        if text.startswith("W"):
            pilot.press("Ctrl+Shift+R")
        pilot.press("Escape")
    pilot.type_on_canvas("h = tanh(W1 @ x)")
    pilot.press("Escape")
    pilot.type_on_canvas("loss = ((W2 @ h - 1.0)**2).sum()")
    pilot.pick("loss")
    pilot.press("Ctrl+B")
    pilot.settle()
    assert pilot.grad("W2") == "[[6.7261, -6.7261]]"  # 2 (W2 h - 1) h, with h = tanh(-1.5), tanh(1.5)


def test_a_hundred_edits_are_undone_and_done_again(pilot: Pilot) -> None:
    pilot.new_drawing()
    pilot.type_on_canvas("w = 3.0")
    documents = [pilot.state.document]
    pilot.hands.ground.view.setFocus()
    for at in range(99):
        pilot.press("Ctrl+Shift+R" if at % 3 == 0 else "Ctrl+Right" if at % 3 == 1 else "Ctrl+J")
        documents.append(pilot.state.document)
    assert len(set(documents)) == 100
    for document in documents[-2::-1]:
        pilot.press("Ctrl+Z")
        assert pilot.state.document == document
    pilot.press("Ctrl+Z")
    assert pilot.drawing.is_blank
    for document in documents:
        pilot.press("Ctrl+Shift+Z")
        assert pilot.state.document == document
