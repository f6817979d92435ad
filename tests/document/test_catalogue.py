"""The catalogue without the engine: names, how many outputs a node has, and what a search finds first."""

from __future__ import annotations

import pytest

from gradviz.document.catalogue import Literal, catalogue, find, named, outputs
from gradviz.document.drawing import Operation, Ref


@pytest.mark.parametrize(
    "query, first",
    [
        ("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div"), ("@", "matmul"), ("**", "pow"), (">", "gt"),
        ("==", "eq"), ("lin", "nn.functional.linear"), ("linear", "nn.functional.linear"), ("x^2", "pow"),
        ("square", "square"), ("sum", "sum"), ("relu", "nn.functional.relu"), ("RELU", "nn.functional.relu"),
        ("F.relu", "nn.functional.relu"), ("torch.exp", "exp"), ("exp(", "exp"), ("sig", "sigmoid"), ("σ", "sigmoid"),
        ("cross", "nn.functional.cross_entropy"), ("ce", "nn.functional.cross_entropy"), ("multiply", "mul"),
        ("mse", "nn.functional.mse_loss"), ("soft", "nn.functional.softmax"), ("conv", "nn.functional.conv2d"),
        ("log", "log"), ("max", "max"), ("mean", "mean"), ("average", "mean"), ("[]", "Tensor.__getitem__"),
        ("if", "where"), ("concat", "cat"), ("nn.Linear", "nn.functional.linear"), ("fully connected",
        "nn.functional.linear"), ("tan", "tan"), ("layer norm", "nn.functional.layer_norm"), ("bce",
        "nn.functional.binary_cross_entropy"), ("linalg.inv", "linalg.inv"), ("inverse", "linalg.inv"),
        ("mutl", "mul"), ("sigmiod", "sigmoid"), ("cnov2d", "nn.functional.conv2d"), ("matmull", "matmul"),
        ("softmx", "nn.functional.softmax"), ("transpoze", "transpose"),
    ],
)  # fmt: skip
def test_what_is_meant_is_found_first(query: str, first: str) -> None:
    assert find(query)[0].key == first


def test_nothing_typed_gives_what_people_use_most() -> None:
    keys = [entry.key for entry in find("", 12)]
    assert keys[0] == "mul" and {"add", "matmul", "pow", "sum", "nn.functional.linear"} <= set(keys)
    assert len(find("", 5)) == 5


@pytest.mark.parametrize("query", ["qqq", "!!", "w*x + b", "3.0", "ü" * 200])
def test_what_is_no_operation_finds_nothing(query: str) -> None:
    assert find(query) == ()


def test_names_in_code_lead_to_one_entry() -> None:
    for name in ("relu", "Tensor.relu", "nn.functional.relu"):
        entry = named(name)
        assert entry is not None and entry.key == "nn.functional.relu"
    assert named("Tensor.clip") is catalogue()["clamp"]
    assert named("nothing") is None


@pytest.mark.parametrize(
    "key, params, expected",
    [
        ("mul", (), 1), ("max", (), 1), ("max", (("dim", 0),), 2), ("max", (("keepdim", False),), 1),
        ("topk", (("k", 2),), 2), ("unique", (("return_counts", True),), 2), ("linalg.svd", (), 3),
        ("unique", (("return_inverse", True), ("return_counts", True)), 3),
        ("nn.functional.max_pool2d", (("kernel_size", 2), ("return_indices", True)), 2),
        ("chunk", (("chunks", 4),), 4), ("split", (("split_size_or_sections", (1, 2)),), 2),
        ("split", (("split_size_or_sections", 2),), 1), ("tensor_split", (("indices_or_sections", (1, 2)),), 3),
        ("tensor_split", (("indices_or_sections", 3),), 3), ("unbind", (), 1), ("chunk", (("chunks", 10**9),), 100),
    ],
)  # fmt: skip
def test_how_many_outputs(key: str, params: tuple[tuple[str, Literal], ...], expected: int) -> None:
    assert len(outputs(catalogue()[key], Operation(1, key, (Ref(2),), params))) == expected


def test_what_only_a_run_can_tell_has_as_many_outputs_as_names() -> None:
    assert outputs(catalogue()["unbind"], Operation(1, "unbind", (Ref(2),), names=("a", "b"))) == (
        "output 0",
        "output 1",
    )
    assert len(outputs(catalogue()["broadcast_tensors"], Operation(1, "broadcast_tensors", (Ref(2), Ref(3))))) == 2


def test_the_indices_have_their_name() -> None:
    entry = catalogue()["max"]
    assert outputs(entry, Operation(1, "max", (Ref(2),), (("dim", 1),))) == ("values", "indices")
