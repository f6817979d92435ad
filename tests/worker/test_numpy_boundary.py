"""Nothing of NumPy's own reaches a snippet, whichever way it asks, and what it gets behaves as NumPy's does."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from gradviz.worker.modules.arrays import numpy_modules
from gradviz.worker.modules.saved_files import ByteBuffer, torch_names
from gradviz.worker.objects.numpy_boundary import DTYPE_CODES, REAL, to_numpy, to_snippet
from gradviz.worker.objects.numpy_types import DType, Finfo, Flags, Flat, Iinfo, SafeArray
from tests.worker.conftest import Runner

NUMPY = numpy_modules()["numpy"]
# without a class of NumPy's own behind them
OTHERS = (Flat, Flags, Finfo, Iinfo, np.linalg.LinAlgError, np.errstate)
VALUES = [np.array([1, 0, 2]).astype(code) for code in DTYPE_CODES]
OPERANDS: list[Any] = [2, 2.5, "a", None, [1, 2, 3], ..., to_snippet(np.float32(2)), to_snippet(np.array([0, 1, 2]))]
OPERATORS = "add and_ floordiv lshift matmul mod mul or_ pow rshift sub truediv xor eq ge gt le lt ne".split()


def own_of_numpy(value: Any) -> Iterator[Any]:
    """What is NumPy's own of a value and of what it holds."""
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__.split(".")[0] in ("numpy", "ml_dtypes") and kind not in REAL and kind not in OTHERS:
        yield value
    if isinstance(value, tuple | list):
        for each in value:
            yield from own_of_numpy(each)


def tried(call: Any, *args: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"), np.printoptions():
        warnings.simplefilter("ignore")
        try:
            return call(*args)
        except Exception as error:  # noqa: BLE001 a refusal is an answer, too
            return str(error)


def samples() -> list[Any]:
    """An array and a scalar of each kind of dtype, and what surrounds them."""
    arrays = [to_snippet(np.array([1, 0, 2]).astype(code)) for code in "?biQfDSU"]
    return [*arrays, *(array[0] for array in arrays), arrays[4].reshape(3, 1), arrays[0].dtype, NUMPY.float32]


def named(sample: Any) -> str:
    return f"{type(sample).__name__} {'' if isinstance(sample, type) else getattr(sample, 'dtype', '')}"


@pytest.mark.parametrize("sample", samples(), ids=named)
def test_no_attribute_operator_or_method_gives_numpys_own(sample: Any) -> None:
    given: list[Any] = [
        sample,
        tried(divmod, sample, [1]),
        tried(round, sample),
        tried(list, sample),
        tried(abs, sample),
    ]
    methods = []
    for name in dir(sample):
        value = None if name.startswith("_") else tried(getattr, sample, name)
        (methods if callable(value) else given).append(value)
    for other in OPERANDS:
        given += [tried(method, *args) for method in methods for args in ((), (other,))]
        given.append(tried(operator.getitem, sample, other))
        for name in OPERATORS:
            compute = getattr(operator, name)
            given += [tried(compute, sample, other), tried(compute, other, sample)]
    assert not list(own_of_numpy(given))
    assert len(given) > 100


@pytest.mark.parametrize("name", sorted(n for n in vars(type(NUMPY)) if not n.startswith("_") and n != "testing"))
def test_no_function_gives_numpys_own(name: str) -> None:
    thing = getattr(NUMPY, name)
    found: list[Any] = []
    matrix = to_snippet(np.array([[2.0, 1.0], [1.0, 3.0]]))
    if callable(thing):
        for args in ((), (matrix,), (matrix, matrix), (2,), ("float32",), ([1.0, 2.0],), (matrix, 1), ([1, 2], [True])):
            found.append(tried(thing, *args))
    assert not list(own_of_numpy(found))


@pytest.mark.parametrize("name", [name for name in dir(np.ndarray) if not name.startswith("__")])
def test_what_an_array_does_not_offer_its_class_does_not_either(name: str) -> None:
    """`np.ndarray.resize(a, …)` is refused where `a.resize(…)` is."""
    assert is_refused(to_snippet(np.ones((2, 2))), name) == is_refused(SafeArray, name)
    assert is_refused(to_snippet(np.float64(1)), name) == is_refused(NUMPY.float64, name)


def is_refused(thing: Any, name: str) -> bool:
    return "is not available in GradViz snippets" in str(tried(getattr, thing, name))


SHUT = "tofile dump dumps data setflags getfield setfield base to_device".split()


@pytest.mark.parametrize("name", SHUT)
@pytest.mark.parametrize("kind", [SafeArray, NUMPY.float64, NUMPY.bool_, NUMPY.str_], ids=lambda kind: kind.__name__)
def test_the_doors_of_arrays_are_shut(kind: type, name: str) -> None:
    with pytest.raises(AttributeError, match="not available in GradViz snippets"):
        getattr(kind, name)


def test_methods_ask_no_other_object_with_numpys_own_operands() -> None:
    asked: list[Any] = []

    class Asking:
        def __radd__(self, other: Any) -> Any:
            asked.append(other)
            return 0

        __add__ = __radd__

    one = to_snippet(np.float64(1.0))
    assert one + Asking() == 0
    assert [type(each) for each in asked] == [NUMPY.float64]
    for call in (NUMPY.ndarray.__add__, NUMPY.float64.__add__, NUMPY.ndarray.sum):
        with pytest.raises(TypeError, match="requires an array"):
            call(Asking(), one)
    with pytest.raises(TypeError, match="requires an array"):
        type(to_snippet(np.ones(2)).flat)(Asking())


def test_objects_of_the_snippet_do_not_get_into_arrays() -> None:
    class Item:
        __array_interface__ = MappingProxyType({"shape": (1,), "typestr": "|u1", "data": (1, True), "version": 3})

    array = to_snippet(np.ones(2))
    for value in (Item(), [Item()], (1, [Item()])):
        for call in (NUMPY.array, NUMPY.float64, NUMPY.add.__call__, array.__iadd__, array.fill, array.dot):
            with pytest.raises(TypeError):
                call(value, value) if call is NUMPY.add.__call__ else call(value)
    for dtype in ("O", object, "V8", "M8[s]", "i4,i4", [("a", "i4")], np.dtype("O")):
        for call in (array.astype, array.view, NUMPY.dtype, NUMPY.finfo, lambda kind: NUMPY.zeros(2, kind)):
            with pytest.raises((TypeError, ValueError)):
                call(dtype)


def test_an_array_that_was_saved_is_a_stand_in_when_it_is_loaded() -> None:
    files, file = torch_names(), ByteBuffer()
    files["save"]({"a": to_snippet(np.ones(2))}, file)
    file.seek(0)
    assert type(files["load"](file, weights_only=False)["a"]) is SafeArray


def test_what_has_no_stand_in_does_not_leave() -> None:
    for value in (np.random.RandomState(0), np.nditer(np.ones(2)), np.random.default_rng(0), np.add, object(), np):
        with pytest.raises(TypeError, match="is not available in GradViz snippets"):
            to_snippet(value)


def test_no_view_makes_an_array_of_objects() -> None:
    with pytest.raises(TypeError, match="only types of numbers"):
        np.zeros(2, "O").view(SafeArray)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        *[((7,), (8,)), ((2,), (-8,)), ((2, 2), (40, 16)), ((1 << 70,), (0,)), ((-1,), (8,))],
        *[((3,), (8, 8)), ((2,), (1 << 63,)), ((2,), (44,)), ((2, 3), (-8, 8)), ((1 << 32, 1 << 32), (0, 0))],
    ],
)
def test_strides_reach_nothing_but_the_arrays_own_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    whole = to_snippet(np.arange(6.0))
    with pytest.raises((ValueError, OverflowError)):
        NUMPY.lib.stride_tricks.as_strided(whole, shape, strides)
    with pytest.raises(ValueError, match="lies outside"):
        NUMPY.lib.stride_tricks.as_strided(to_snippet(np.zeros((0, 3))), (1,), (8,))


def test_a_view_of_an_array_is_no_scalar() -> None:
    array = NUMPY.zeros(3)
    assert type(array.view(type=NUMPY.ndarray)) is SafeArray
    with pytest.raises(ValueError, match="sub-type of ndarray"):
        array.view(type=NUMPY.bool_)


def test_strides_within_an_array_give_a_view() -> None:
    own = np.arange(6.0)
    found = NUMPY.lib.stride_tricks.as_strided(to_snippet(own), (4, 3), (8, 8))
    assert np.array_equal(to_numpy(found), np.lib.stride_tricks.sliding_window_view(own, 3))
    found[3, 2] = 9.0
    assert own[5] == 9
    own.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        NUMPY.lib.stride_tricks.as_strided(to_snippet(own), (2,), (8,))[0] = 1.0


def test_stand_ins_print_and_compute_as_numpys_own() -> None:
    for value in VALUES:
        array = to_snippet(value)
        assert (repr(array), str(array)) == (repr(value), str(value))
        assert (repr(array[0]), str(array[0]), repr(array.dtype)) == (repr(value[0]), str(value[0]), repr(value.dtype))
        assert repr(type(array[0])) == repr(type(value[0]))
        assert isinstance(array[0], NUMPY.generic)
        assert to_numpy(array[0]) == value[0]
        for operand in (2, 2.5, True):
            for name in ("add", "mul", "truediv", "eq", "lt"):
                mine, numpys = (tried(getattr(operator, name), each, operand) for each in (array[0], value[0]))
                assert repr(mine) == repr(numpys) or isinstance(mine, tuple), (value.dtype, name)


def test_dtypes_are_equal_as_numpys_are() -> None:
    double = DType("float64")
    assert double == NUMPY.float64 == double.type
    assert double == "f8"
    assert double not in ("f4", object())
    assert hash(double) == hash(DType(float))
    assert NUMPY.issubdtype(double, NUMPY.floating)
    assert not issubclass(NUMPY.int64, NUMPY.floating)


ERRORS = {
    "a function": "try:\n    np.ones(2).astype('U3') + 1.5\nexcept TypeError as e:\n    found = e",
    "a cast": "a = np.ones(2, int)\ntry:\n    a += 1.5\nexcept TypeError as e:\n    found = e",
    "memory": "try:\n    np.zeros(10**13)\nexcept Exception as e:\n    found = e",
    "torch's own": "import torch\ntry:\n    torch.zeros(10**13)\nexcept Exception as e:\n    found = e",
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_numpy_hold_text_only(run: Runner, name: str) -> None:
    outcome = run(
        f"import numpy as np\n{ERRORS[name]}\nprint([type(each).__name__ for each in found.args], str(found)[:9])\n"
        "names = 'ufunc dtypes casting from_ to shape dtype'.split()\nprint([n for n in names if hasattr(found, n)])"
    )
    kinds, attributes = outcome.printed().splitlines()
    assert kinds.startswith("['str'] ")
    assert len(kinds) > 12
    assert attributes == "[]"


def test_the_shape_of_a_tensor_is_its_own(run: Runner) -> None:
    source = "import numpy as np, torch\nprint(np.shape(torch.ones(2, 3)), np.shape(np.ones((2, 3))), np.shape([1]))"
    assert run(source).printed() == "torch.Size([2, 3]) (2, 3) (1,)\n"
