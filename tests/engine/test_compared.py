"""The list of operations that are compared with PyTorch is what the cases say."""

from __future__ import annotations

from tests.engine.compared import FILE, text


def test_the_list_of_compared_operations_is_current() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run `make docs`"
