"""Recorded texts in the words of a newer Python: checked with what each Python prints."""

from __future__ import annotations

from collections import OrderedDict

import pytest

from tests.python_text import in_words_of_3_11, with_dicts


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("OrderedDict()", "OrderedDict()"),
        ("OrderedDict([('a', 1)]) ('b', 2) ['a']", "OrderedDict({'a': 1}) ('b', 2) ['a']"),
        ("x OrderedDict([('a, (b', (1, 2)), (3, [4, 5])]) y", "x OrderedDict({'a, (b': (1, 2), 3: [4, 5]}) y"),
        (
            "OrderedDict([('w', tensor([[1., 1.],\n        [1., 1.]])), ('b', tensor([1.]))])",
            "OrderedDict({'w': tensor([[1., 1.],\n        [1., 1.]]), 'b': tensor([1.])})",
        ),
        (
            "OrderedDict([('a', OrderedDict([('b', 1)])), ('c', 2)])",
            "OrderedDict({'a': OrderedDict({'b': 1}), 'c': 2})",
        ),
        ("OrderedDict([(1, 2)]) OrderedDict([(3, 4)])", "OrderedDict({1: 2}) OrderedDict({3: 4})"),
    ],
)
def test_ordered_dicts(older: str, newer: str) -> None:
    assert with_dicts(older) == newer


def test_this_python_prints_one_of_them() -> None:
    older = "OrderedDict([('a', [1, 'x']), ((2, 3), None)])"
    assert repr(OrderedDict([("a", [1, "x"]), ((2, 3), None)])) in (older, with_dicts(older))


def test_sentences() -> None:
    class Slots:
        __slots__ = ()

    with pytest.raises(AttributeError) as missing:
        Slots().z = 1  # type: ignore[attr-defined]
    assert in_words_of_3_11(str(missing.value)) == "'Slots' object has no attribute 'z'"
    with pytest.raises(ValueError) as empty:
        max([])
    assert in_words_of_3_11(str(empty.value)) == "max() arg is an empty sequence"
