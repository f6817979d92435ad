"""What is typed or pasted as numbers, and what is refused with which sentence."""

from __future__ import annotations

import math

import pytest

from gradviz.document.catalogue import Parameter, catalogue
from gradviz.document.drawing import Leaf
from gradviz.document.entry import read_argument
from gradviz.document.errors import UserError
from gradviz.document.leaf_forms import FORMS, arguments, as_form, fitted, form_of, leaf_dtype, leaf_shape, packed
from gradviz.document.literals import as_floats
from gradviz.document.shaping.values import check_leaf
from gradviz.document.tables import (
    read,
    read_number,
    resized,
    slice_of,
    tabbed,
    transposed,
    with_block,
    with_slice,
    write,
)

MATRIX = ((1.0, 2.0), (3.0, 4.0))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("3", 3), ("-2.5", -2.5), ("1e-3", 0.001), ("inf", math.inf), ("-∞", -math.inf), ("True", True)),
        *(("−4", -4), ("1+2j", 1 + 2j), (" 7. ", 7.0), ("1_000", 1000), (".5", 0.5)),
    ],
)
def test_a_number_is_read(text: str, value: complex) -> None:
    assert read_number(text) == value
    assert type(read_number(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("", "Type a number"), ("2*3", "“2*3” is no number"), ("1,5", "with a point: 1.5")),
        *((str(2**63), "too large"), ("9" * 5000, "is no number"), ("w", "is no number")),
    ],
)
def test_what_is_no_number_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words.replace("*", r"\*").replace(".", r"\.")):
        read_number(text)


@pytest.mark.parametrize(
    "text",
    [
        *("[[1. 2.]\n [3. 4.]]", "array([[1., 2.],\n       [3., 4.]])", "[[1, 2.0], [3, 4]]", "1\t2\n3\t4.0\n"),
        *("1,2\n3,4.0\n", "1;2\n3;4,0", "1 2\n3 4.0", "[1 2; 3 4.0]", "((1, 2), (3, 4.))", "1\t2\r\n3\t4.0\r\n"),
        *("x = torch.tensor([[1., 2.], [3., 4.]])", "np.array([[1., 2.], [3., 4.]], dtype=np.float32)"),
        "tensor([[1., 2.],\n        [3., 4.]], grad_fn=<MulBackward0>)",
    ],
)
def test_a_matrix_is_read_however_it_is_written(text: str) -> None:
    assert read(text).data == MATRIX


def test_arguments_of_a_tensor_are_read() -> None:
    found = read("tensor([1., 2.], dtype=torch.float64, requires_grad=True)")
    assert (found.data, found.dtype, found.requires_grad) == ((1.0, 2.0), "float64", True)
    assert read("tensor(3.)").data == 3.0
    assert read("array([1+2j, (2-1j)])").data == (1 + 2j, 2 - 1j)


def test_parts_of_a_table_know_their_rows() -> None:
    assert read("1\t2\t3").rows == ((1, 2, 3),)
    assert read("1\n2").rows == ((1,), (2,))
    assert read("5").rows == ((5,),)
    assert read("[[[1, 2]]]").rows is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("[[1, 2], [3]]", "same length"), ("[1, 2", "not closed"), ("[1]]", "too many"), ("1,2\n3", "Line 2 has 1")),
        *(
            ("a,b\n1,2", "Line 1, column 1: “a” is no number"),
            ("[1. ... 2.]", "in short"),
            ("1,,2", "no number in column"),
        ),
        *(("[1, x]", "“x” is no number"), ("", "nothing to read"), ("[[1], 2]", "among rows"), ("[1][2]", "one array")),
        ("1,,2", "no number in column"),
        ("[" * 5000 + "1" + "]" * 5000, "more than 16 brackets"),
        ("[null]", "“null” is no number"),
    ],
)
def test_what_is_no_array_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(UserError) as found:
        read(text)
    assert words in str(found.value)


def test_a_large_matrix_goes_through_text_and_back() -> None:
    rows = tuple(tuple(float(row * 200 + column) for column in range(200)) for row in range(200))
    assert read(tabbed(rows)).data == rows
    assert read(write(rows)).data == rows


def test_tables_change_in_blocks_slices_and_shapes() -> None:
    assert with_block(MATRIX, ((7, 8),), (1, 1), 0.0) == ((1.0, 2.0, 0.0), (3.0, 7, 8))
    assert transposed(MATRIX) == ((1.0, 3.0), (2.0, 4.0))
    assert resized(MATRIX, (3, 1), 9.0) == ((1.0,), (3.0,), (9.0,))
    assert resized(MATRIX, (4,), 0.0) == (1.0, 2.0, 3.0, 4.0)
    cube = (MATRIX, MATRIX)
    assert slice_of(cube, (1,)) == MATRIX
    assert with_slice(cube, (1,), ((0, 0), (0, 0))) == (MATRIX, ((0, 0), (0, 0)))
    assert with_slice((1.0, 2.0), (), ((5.0, 6.0),)) == (5.0, 6.0)


@pytest.mark.parametrize("begin", FORMS, ids=lambda form: form.key)
@pytest.mark.parametrize("end", FORMS, ids=lambda form: form.key)
def test_a_leaf_goes_from_every_form_to_every_other(begin: object, end: object) -> None:
    leaf = as_form(Leaf(1, "w", 2.0), begin.key)  # type: ignore[attr-defined]
    changed = check_leaf(as_form(leaf, end.key))  # type: ignore[attr-defined]
    assert form_of(changed) == end
    assert packed(form_of(changed), arguments(changed)) == changed.data or changed.maker == "tensor"
    assert all(size > 0 for size in leaf_shape(changed))


def test_a_matrix_keeps_its_numbers_and_its_shape_on_the_way() -> None:
    leaf = Leaf(1, "A", MATRIX)
    assert as_form(leaf, "randn").data == (2, 2)
    assert as_form(leaf, "array").data == (MATRIX,)
    assert as_form(leaf, "scalar").data == 1.0
    assert as_form(as_form(leaf, "eye"), "matrix").data == ((1.0, 0.0), (0.0, 1.0))


def test_a_whole_number_typed_into_a_leaf_of_floats_is_a_float() -> None:
    assert repr(fitted(Leaf(1, "w", 2.0), 3)) == "3.0"
    assert repr(fitted(Leaf(1, "i", 2), 3)) == "3"
    assert repr(fitted(Leaf(1, "i", 2, dtype="int64"), 3.0)) == "3"
    assert leaf_dtype(Leaf(1, "i", (True, False))) == "bool"
    assert leaf_dtype(Leaf(1, "z", 1j)) == "complex64"


@pytest.mark.parametrize(
    ("leaf", "dtype", "shape"),
    [
        (Leaf(1, "a", (1, 2.5)), "float32", (2,)),
        (Leaf(1, "a", (1, True)), "int64", (2,)),
        (Leaf(1, "a", ()), "float32", (0,)),
        (Leaf(1, "a", (0, 10, (2, 3)), "randint"), "int64", (2, 3)),
        (Leaf(1, "a", (1, 8, 2), "arange"), "int64", (4,)),
        (Leaf(1, "a", (float("inf"),), "arange"), "float32", (0,)),
    ],
)
def test_what_a_leaf_will_be_is_known_before_it_runs(leaf: Leaf, dtype: str, shape: tuple[int, ...]) -> None:
    assert (leaf_dtype(leaf), leaf_shape(leaf)) == (dtype, shape)


def test_whole_numbers_beyond_all_floats_are_infinite() -> None:
    assert as_floats((10**400, -(10**400), 2, 0.5, True)) == (math.inf, -math.inf, 2.0, 0.5, 1.0)
    leaf = Leaf(1, "w", 1.0)
    assert fitted(leaf, 10**400) == math.inf
    assert leaf_shape(Leaf(1, "a", (0, 10**400, 1), maker="arange")) == (0,)


CHOSEN = ("bool", "dtype")  # from a list, not typed
MAY_SAY_NONE = ("text", "index")  # x[None]
PARAMETERS = {each for holder in (*catalogue().values(), *FORMS) for each in holder.params if each.kind not in CHOSEN}
NEEDED = sorted((each for each in PARAMETERS if each.required and not each.optional), key=repr)


@pytest.mark.parametrize("parameter", NEEDED, ids=[f"{each.name}-{each.kind}" for each in NEEDED])
def test_none_is_no_value_of_an_argument_that_is_needed(parameter: Parameter) -> None:
    if parameter.kind in MAY_SAY_NONE:
        assert read_argument(parameter, "None") == "None"
    else:
        with pytest.raises(UserError):
            read_argument(parameter, "None")
