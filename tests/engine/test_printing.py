"""Printing against PyTorch's own text: recorded, and live where torch is installed."""

import base64
import importlib.util
import json
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from gradviz.engine.kernel import printing

HERE = Path(__file__).parent
GOLDEN: list[dict[str, Any]] = json.loads((HERE / "golden" / "printing.json").read_text(encoding="utf-8"))
HAS_TORCH = importlib.util.find_spec("torch") is not None


def array_of(case: dict[str, Any]) -> np.ndarray:
    dtype = ml_dtypes.bfloat16 if case["dtype"] == "bfloat16" else np.dtype(case["dtype"])
    return np.frombuffer(zlib.decompress(base64.b64decode(case["data"])), dtype=dtype).reshape(case["shape"])


def text_of(case: dict[str, Any]) -> str:
    default = np.dtype(case["default"])
    with printing.printoptions(**case["options"]):
        if case["suffix"] == "parameter":
            return printing.parameter_repr(array_of(case), default_dtype=default.type)
        return printing.tensor_repr(
            array_of(case),
            grad_fn=case["grad_fn"],
            requires_grad=case["suffix"] != "none",
            default_dtype=default,
        )


@pytest.mark.parametrize("case", GOLDEN, ids=range(len(GOLDEN)))
def test_text_is_pytorchs(case: dict[str, Any]) -> None:
    assert text_of(case) == case["text"]
    if HAS_TORCH:
        from tests.engine.record_printing import expected

        assert expected(case) == (case["text"], case["grad_fn"])


def test_enough_cases() -> None:
    assert len(GOLDEN) >= 300
    assert {case["dtype"] for case in GOLDEN} >= {"float16", "bfloat16", "complex64", "bool", "uint8", "int64"}


def test_options_are_remembered_and_restored() -> None:
    before = printing.get_printoptions()
    assert before == {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    with printing.printoptions(precision=2):
        assert printing.get_printoptions()["precision"] == 2
        assert printing.tensor_repr(np.float32([1.12345])) == "tensor([1.12])"
    assert printing.get_printoptions() == before


def test_profile_then_single_option() -> None:
    with printing.printoptions():
        printing.set_printoptions(profile="short", precision=3, sci_mode=True)
        assert printing.get_printoptions() == {
            "precision": 3, "threshold": 1000, "edgeitems": 2, "linewidth": 80, "sci_mode": True,
        }  # fmt: skip
        printing.set_printoptions()
        assert printing.get_printoptions()["sci_mode"] is None


def test_sizes_and_scalars() -> None:
    assert printing.size_text((2, 3)) == "torch.Size([2, 3])"
    assert printing.size_text(()) == "torch.Size([])"
    assert printing.format_scalar(np.array(3.14159, np.float32), ".2f") == "3.14"
    assert printing.format_scalar(np.array(7), "04d") == "0007"
    with pytest.raises(TypeError, match="unsupported format string passed to Tensor"):
        printing.format_scalar(np.ones(2), ".2f")


def test_subclass_prefix_and_numbers_alone() -> None:
    assert printing.tensor_repr(np.float32([1, 2]), prefix="Mine(") == "Mine([1., 2.])"
    assert printing.numbers_text(np.float32([[1, 2], [3, 4]])) == "[[1., 2.],\n [3., 4.]]"


@pytest.mark.parametrize("shape", [(2**40,), (2**20, 2**20), (2**14, 2**14, 2**14)])
def test_only_what_is_shown_of_an_expanded_array_is_looked_at(shape: tuple[int, ...]) -> None:
    far, near = (np.broadcast_to(np.float32(0.5), sizes) for sizes in (shape, (11,) * len(shape)))
    with printing.printoptions(threshold=10):
        assert printing.tensor_repr(far) == printing.tensor_repr(near)
