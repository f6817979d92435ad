"""Records how PyTorch prints tensors into golden/printing.json. Run it with a Python that has torch:
`python tests/engine/record_printing.py`. `expected` also serves the live comparison in test_printing.py."""

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden" / "printing.json"

FLOATS = {
    "plain": [1.0, 2.0, 3.0],
    "fractions": [0.1, 1.0, 10.0],
    "negative": [-1.5, 2.25, -0.125],
    "negative_zero": [-0.0, 0.0, 1.0],
    "only_negative_zero": [-0.0],
    "small": [1e-5, 1.0, 2.0],
    "limit_low": [1e-4, 0.05, 0.09],
    "large": [1e8, 2e8, 3.5e8],
    "larger": [123456792.0, 1.0],
    "ratio": [0.5, 500.0],
    "ratio_over": [0.5, 500.5],
    "integers_over": [1.0, 1001.0],
    "nan": [float("nan"), 1.0, 2.0],
    "nan_fraction": [float("nan"), 1.5],
    "inf": [float("inf"), -float("inf"), 3.0],
    "only_nan": [float("nan")],
    "only_inf": [float("inf"), float("nan"), -float("inf")],
    "inf_small": [float("inf"), 1e-6],
    "zeros": [0.0, 0.0],
    "zero_nan": [0.0, float("nan")],
    "thirds": [1 / 3, 2 / 3, 100 / 3],
    "round_up": [0.99995, 0.999949, 9.99995],
    "one_negative": [-100.0, 1.0],
    "huge": [1e30, -1e30],
    "tiny": [1e-30, 1e-38],
}
SUFFIXES = ["none", "leaf", "mul", "strided"]
OPTIONS: list[dict[str, Any]] = [
    {"precision": 2},
    {"precision": 0},
    {"precision": 8},
    {"sci_mode": True},
    {"sci_mode": False},
    {"profile": "short"},
    {"profile": "full"},
    {"linewidth": 40},
    {"linewidth": 200},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 0},
    {"edgeitems": 5},
    {"precision": 6, "sci_mode": True, "linewidth": 60},
    {"profile": "nothing"},
]


def pack(tensor: Any) -> str:
    """The bytes of a tensor as text."""
    import torch

    raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    return base64.b64encode(zlib.compress(raw, 9)).decode()


def describe(tensor: Any, suffix: str = "none", options: dict[str, Any] | None = None, default: str = "float32") -> Any:
    """One case without its expected text."""
    return {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "data": pack(tensor),
        "suffix": suffix,
        "options": options or {},
        "default": default,
    }


def unpack(case: Any) -> Any:
    """The tensor of a case."""
    import torch

    raw = bytearray(zlib.decompress(base64.b64decode(case["data"])))
    dtype = getattr(torch, case["dtype"])
    flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
    return flat.reshape(case["shape"]).clone()


def expected(case: Any) -> tuple[str, str | None]:
    """PyTorch's text of a case, and the class name of its grad_fn."""
    import torch

    tensor = unpack(case)
    if case["suffix"] == "parameter":
        tensor = torch.nn.Parameter(tensor)
    elif case["suffix"] != "none":
        tensor.requires_grad_()
    if case["suffix"] == "mul":
        tensor = tensor * 1
    elif case["suffix"] == "strided":
        tensor = torch.as_strided(tensor, tensor.size(), tensor.stride())
    torch.set_default_dtype(getattr(torch, case["default"]))
    try:
        with torch._tensor_str.printoptions(**case["options"]):
            text = repr(tensor)
    finally:
        torch.set_default_dtype(torch.float32)
    return text, None if tensor.grad_fn is None else type(tensor.grad_fn).__name__


def by_value() -> Iterator[Any]:
    """Notation and width for all kinds of numbers and dtypes."""
    import torch

    for values in FLOATS.values():
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            yield describe(torch.tensor(values, dtype=dtype))
        yield describe(torch.tensor(values[0]))
        yield describe(torch.tensor([values, values[::-1]]), "mul")
        yield describe(torch.complex(torch.tensor(values), torch.tensor(values[::-1])))
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool):
        yield describe(torch.tensor([0, 1, 100]).to(dtype))
        yield describe(torch.tensor(7).to(dtype))
        yield describe(torch.tensor([[1, 2], [3, 4]]).to(dtype))
        yield describe(torch.zeros(0, dtype=dtype))
    yield describe(torch.tensor([-5, 12345678901]))
    yield describe(torch.tensor([True, False]))
    yield describe(torch.tensor(1 + 2j))
    yield describe(torch.tensor([1.5 - 2j, -0.0 - 0.0j, complex("nan")], dtype=torch.complex128))
    yield describe(torch.tensor([1j, 2.0], dtype=torch.complex64), "leaf")


def by_shape() -> Iterator[Any]:
    """Wrapping, indentation, summaries and what follows the numbers."""
    import torch

    torch.manual_seed(0)
    shapes: list[tuple[int, ...]] = [(), (1,), (5,), (11,), (12,), (30,), (2, 3), (3, 20), (2, 2, 2), (1, 2, 1, 2)]
    for shape in shapes:
        values = torch.randn(shape)
        for suffix in SUFFIXES:
            yield describe(values, suffix)
        yield describe(values.double(), "mul")
        yield describe(values, default="float64")
        yield describe(values.double(), "leaf", default="float64")
        yield describe(values, "parameter")
        yield describe(torch.complex(values, -values), "mul")
        yield describe((values * 100).long())
    for size in range(1, 14):
        yield describe(torch.full((size,), 0.25), "strided")
        yield describe(torch.arange(size * 10), "none", {"linewidth": 20 + size})
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 4)]:
        for dtype in (torch.float32, torch.float64, torch.int64):
            yield describe(torch.zeros(shape, dtype=dtype))
        yield describe(torch.zeros(shape), "mul")
        yield describe(torch.zeros(shape), "leaf", default="float64")
    for shape in [(1000,), (1001,), (40, 40), (7, 200), (6, 200), (11, 10, 10), (7, 7, 7, 7), (2, 600), (1200, 1)]:
        yield describe(torch.arange(torch.Size(shape).numel()).reshape(shape))
        yield describe(torch.arange(torch.Size(shape).numel()).reshape(shape).float(), "leaf")
        yield describe((torch.arange(torch.Size(shape).numel()) / 7).reshape(shape), "mul")


def by_option() -> Iterator[Any]:
    """Every print option on a few tensors."""
    import torch

    torch.manual_seed(1)
    for options in OPTIONS:
        for values in (torch.randn(3), torch.randn(4, 9), torch.arange(12), torch.arange(12.0).reshape(3, 4)):
            yield describe(values, "leaf" if values.is_floating_point() else "none", options)
        yield describe(torch.complex(torch.randn(8), torch.randn(8)), "none", options)
        yield describe(torch.tensor([0.0, float("nan")]), "none", options)
        yield describe(torch.randn(7, 7, 7), "mul", options)


def main() -> None:
    """Write the golden file."""
    lines = []
    for case in [*by_value(), *by_shape(), *by_option()]:
        case["text"], case["grad_fn"] = expected(case)
        lines.append(json.dumps(case))
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
