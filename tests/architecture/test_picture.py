"""The picture of the architecture is current, and would not be with another contract."""

from __future__ import annotations

import pytest

from tests.architecture import picture


def test_the_picture_of_the_architecture_is_current() -> None:
    assert picture.PAGE.read_text(encoding="utf-8") == picture.page(), "make docs"


def test_another_order_of_packages_is_another_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    before, told = picture.page(), picture.layers
    monkeypatch.setattr(picture, "layers", lambda contract: told(contract)[::-1])
    assert picture.page() != before


def test_every_package_opens_with_a_paragraph() -> None:
    assert all(picture.opening(f"gradviz.{name}") for layer in picture.layers("layers")[3:-1] for name in layer)
