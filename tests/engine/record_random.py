"""Records PyTorch's random numbers into golden/random.json: for each case a seed, a sequence of calls, and the digest
and first values of what each call gave. Run it with a Python that has torch: `python tests/engine/record_random.py`.
`torch_results` also serves the live comparison in test_random.py."""

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden" / "random.json"

Call = list[Any]  # the name of the draw, then its arguments; dtypes by name
FLOATS = ["float32", "float64", "float16", "bfloat16"]
SIZES = [1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 48, 100, 1000, 5003]


def cases() -> list[dict[str, Any]]:
    """Every case as a seed and a list of calls."""
    found: list[dict[str, Any]] = []

    def add(*calls: Call, seed: int = 0) -> None:
        found.append({"seed": seed, "calls": list(calls)})

    for dtype, size in itertools.product(FLOATS, SIZES):
        add(["normal", [size], 0.0, 1.0, dtype], ["uniform", [3], 0.0, 1.0, dtype], seed=size)
    for dtype in FLOATS:
        for low, high in [(0.0, 1.0), (-1.0, 1.0), (2.5, 7.25), (-0.3, 0.1), (1000.0, 1001.0), (0.0, 1e-30)]:
            add(["uniform", [257], low, high, dtype], seed=1)
        for mean, std in [(0.0, 0.02), (1.5, 3.7), (-100.0, 0.1), (5.0, 0.0)]:
            add(["normal", [9], mean, std, dtype], ["normal", [4, 33], mean, std, dtype], seed=2)
        add(["trunc_normal", [40], 0.0, 1.0, -2.0, 2.0, dtype], seed=3)
        add(["trunc_normal", [5], 0.0, 0.02, -0.02, 0.05, dtype], seed=3)
        add(["exponential", [30], 1.0, dtype], ["exponential", [30], 2.5, dtype], seed=4)
        add(["geometric", [30], 0.3, dtype], ["cauchy", [30], 1.0, 2.0, dtype], ["log_normal", [31], 1.0, 0.5, dtype])
        add(["bernoulli", [0.0, 0.1, 0.5, 0.9, 1.0] * 9, dtype], ["bernoulli_scalar", [20], 0.3, dtype], seed=5)
        add(["dropout", [3, 7], 0.5, dtype], ["dropout", [40], 0.1, dtype], ["dropout", [40], 0.73, dtype], seed=6)
        add(["multinomial", [0.1, 0.2, 0.3, 0.4], 2, False, dtype], ["multinomial", [1.0, 5.0], 9, True, dtype], seed=7)
    for dtype in ["complex64", "complex128"]:
        for size in (3, 8, 9, 40):
            add(["normal", [size], 0.0, 1.0, dtype], ["uniform", [size], 0.0, 1.0, dtype], seed=size)
    for dtype in ["int64", "int32", "int16", "int8", "uint8", "bool", *FLOATS]:
        add(["random_full", [50], dtype], seed=8)
    for low, high in [(0, 10), (-5, 5), (0, 1), (0, 2**28 - 1), (0, 2**28), (-(2**40), 2**50), (7, 2**32 + 7)]:
        add(["randint", low, high, [33], "int64"], seed=9)
    add(["randint", 0, 200, [4, 5], "uint8"], ["randint", 0, 9, [6], "float32"], ["randint", 0, 2, [6], "bool"], seed=9)
    for n in (0, 1, 2, 3, 10, 100, 1000, 100000):
        add(["randperm", n], ["uniform", [2], 0.0, 1.0, "float32"], seed=n)
    for seed in (0, 1, 42, 1234, 2**31, 2**32 + 5, 2**63, 2**64 - 1, -1, -(2**63)):
        add(["uniform", [700], 0.0, 1.0, "float32"], ["normal", [20], 0.0, 1.0, "float32"], ["state"], seed=seed)
    add(["normal", [1], 0.0, 1.0, "float32"], ["state"], ["normal", [1], 0.0, 1.0, "float64"], ["state"], seed=11)
    add(
        ["normal", [3], 0.0, 1.0, "float32"],
        ["normal", [16], 0.0, 1.0, "float32"],
        ["normal", [3], 9.0, 2.0, "float32"],
    )
    add(["state"], ["uniform", [624], 0.0, 1.0, "float32"], ["state"], ["uniform", [1], 0.0, 1.0, "float32"], ["state"])
    add(["normal", [200000], 0.0, 1.0, "float32"], seed=12)
    add(["normal", [200000], 0.3, 1.7, "float32"], ["normal", [50000], 0.3, 1.7, "float64"], seed=13)
    add(["uniform", [300000], -0.37, 0.91, "float32"], ["uniform", [100000], -0.37, 0.91, "float64"], seed=14)
    add(["multinomial", [float(i % 17) for i in range(100)], 60, True, "float32"], seed=15)
    add(["multinomial", [float(i % 17) for i in range(100)], 60, False, "float32"], seed=15)
    add(["multinomial", [[0.5, 0.5, 0.0], [0.1, 0.7, 0.2]], 3, True, "float64"], seed=16)
    add(["multinomial", [[0.5, 0.5, 0.1], [0.1, 0.7, 0.2]], 2, False, "float32"], seed=16)
    add(["multinomial", [[0.5, 0.5, 0.1], [0.1, 0.7, 0.2]], 1, True, "float32"], seed=16)
    add(["trunc_normal", [50], 0.0, 1.0, 1.5, 2.0, "float64"], seed=17)
    add(["trunc_normal", [50], 0.0, 1.0, -0.2, 0.2, "float32"], seed=17)
    add(["scattered", [5, 7], "float32"], ["state"], seed=18)
    return found


def torch_call(call: Call) -> Any:
    """One call made with PyTorch."""
    import torch

    name, *args = call
    dtype = getattr(torch, args[-1]) if args and isinstance(args[-1], str) else None
    if name == "state":
        return torch.get_rng_state()
    if name == "randperm":
        return torch.randperm(args[0])
    if name == "randint":
        return torch.randint(args[0], args[1], args[2], dtype=dtype)
    if name == "bernoulli":
        return torch.bernoulli(torch.tensor(args[0], dtype=dtype))
    if name == "dropout":
        return torch.nn.functional.dropout(torch.ones(args[0], dtype=dtype), args[1])
    if name == "multinomial":
        return torch.multinomial(torch.tensor(args[0], dtype=dtype), args[1], replacement=args[2])
    if name == "scattered":
        return torch.empty(args[0][::-1], dtype=dtype).t().normal_()
    empty = torch.empty(args[0], dtype=dtype)
    if name == "trunc_normal":
        return torch.nn.init.trunc_normal_(empty, *args[1:-1])
    if name == "random_full":
        return empty.random_()
    method = {"bernoulli_scalar": "bernoulli_"}.get(name, name + "_")
    return getattr(empty, method)(*args[1:-1])


def summary(raw: bytes, first: list[Any]) -> dict[str, Any]:
    """What is kept of a result."""
    return {"digest": hashlib.sha256(raw).hexdigest()[:24], "first": [str(value) for value in first]}


def torch_results(case: dict[str, Any]) -> list[dict[str, Any]]:
    """PyTorch's results of a case."""
    import torch

    torch.manual_seed(case["seed"])
    results = []
    for call in case["calls"]:
        flat = torch_call(call).contiguous().reshape(-1)
        raw = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
        results.append(summary(raw, flat[:4].tolist()))
    return results


def main() -> None:
    """Write the golden file."""
    lines = [json.dumps(case | {"results": torch_results(case)}) for case in cases()]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
