"""Record what PyTorch's layers and losses say of inputs of the wrong type, shape or kind, and what they make of the
others: `python tests/engine/record_layers.py`, with torch 2.13.0 installed."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

GOLDEN = Path(__file__).parent / "golden" / "layers.json"
TYPES = ("bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
# A layer, and the shape of an input that it takes.
LAYERS = {
    "Linear(2, 1)": "2", "Bilinear(2, 2, 1)": "", "Conv1d(1, 1, 2)": "1, 1, 4",
    "Conv1d(1, 1, 2, bias=False)": "1, 1, 4", "Conv2d(1, 1, 2)": "1, 1, 4, 4",
    "Conv2d(1, 1, 2, bias=False)": "1, 1, 4, 4", "Conv2d(1, 1, 2).double()": "1, 1, 4, 4",
    "Conv3d(1, 1, 2)": "1, 1, 4, 4, 4", "ConvTranspose2d(1, 1, 2)": "1, 1, 4, 4", "PReLU()": "2",
    "LSTM(2, 1)": "1, 2", "GRU(2, 1)": "1, 2", "LSTMCell(2, 1)": "1, 2", "GRUCell(2, 1)": "1, 2",
    "LayerNorm(2)": "1, 2",
    "BatchNorm1d(2)": "3, 2", "BatchNorm2d(2)": "3, 2, 2, 2", "GroupNorm(1, 2)": "3, 2", "RMSNorm(2)": "3, 2",
    "Embedding(2, 2)": "2", "MaxPool1d(2)": "2, 2, 4", "MaxPool2d(2)": "2, 2, 4, 4", "MaxPool3d(2)": "2, 2, 4, 4, 4",
    "AvgPool1d(2)": "2, 2, 4", "AvgPool2d(2)": "2, 2, 4, 4", "AvgPool3d(2)": "2, 2, 4, 4, 4",
    "AdaptiveAvgPool2d(1)": "2, 2, 4, 4", "AdaptiveMaxPool2d(1)": "2, 2, 4, 4", "Upsample(scale_factor=2)": "2, 2, 4",
    "Upsample(scale_factor=2, mode='bilinear')": "2, 2, 4, 4", "Upsample(scale_factor=2, mode='bicubic')": "2, 2, 4, 4",
    "Upsample(scale_factor=2, mode='nearest')": "2, 2, 4, 4", "Upsample(scale_factor=2, mode='area')": "2, 2, 4, 4",
    "Upsample(scale_factor=2, mode='trilinear')": "2, 2, 4, 4, 4", "Fold((2, 2), 1)": "1, 1, 4",
    "Unfold(1)": "1, 1, 2, 2", "ReLU()": "2", "GELU()": "2", "Softmax(dim=0)": "2", "Tanh()": "2", "Dropout(0.5)": "2",
    "ChannelShuffle(2)": "2, 4, 2", "PixelShuffle(2)": "1, 4, 2, 2", "ConstantPad1d(1, 2.0)": "1, 2, 3",
    "ReflectionPad1d(1)": "1, 2, 3", "MultiheadAttention(2, 1)": "", "Flatten()": "2, 3", "RNN(2, 1)": "1, 2",
    "RNNCell(2, 1)": "1, 2", "InstanceNorm1d(2)": "2, 2, 3", "TransformerEncoderLayer(4, 2, 8)": "2, 3, 4",
}  # fmt: skip
SHAPES = ("2", "4", "2, 4", "2, 5", "2, 2, 5", "2, 3, 4", "1, 2, 3, 4", "1, 3, 4, 4, 4", "0, 2")
PAIRED = "MSELoss L1Loss BCELoss SmoothL1Loss HuberLoss KLDivLoss".split()
CLASSED = "CrossEntropyLoss NLLLoss MultiMarginLoss".split()
STATES = ("torch.ones(2, 5)", "torch.ones(3, 3)", "torch.ones(2, 3)", "torch.ones(3)", "torch.ones(1, 2, 3)")
# Half types: what rounds in between, and what only at the end.
HALVES = """
torch.sigmoid(x)
torch.softmax(x, 0)
torch.softmax(x, 1)
torch.log_softmax(x, 0)
torch.log_softmax(x, 1)
torch.tanh(x)
torch.nn.functional.silu(x)
"""
OTHERS = """
torch.cdist(torch.ones(2, 3), torch.ones(2, 2))
torch.ones(4).unflatten(0, (-1, 3))
torch.set_grad_enabled("a")
torch.ones(2, 3).masked_fill(torch.ones(2, 2) > 0, 1)
nn.functional.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 2, 2))
torch.div(torch.ones(2) + 1j, 2, rounding_mode="floor")
torch.div(torch.ones(2) + 1j, 2, rounding_mode="trunc")
torch.tensor([0j, 1j, 1]).bool().int()
"""
TARGETS = ("torch.tensor(1)", "torch.tensor([1])", "torch.tensor([1, 0])", "torch.tensor([])", "torch.tensor([[1]])")


def lines() -> Iterator[str]:
    for layer, shape in LAYERS.items():
        for kind in TYPES if shape else ():
            yield f"nn.{layer}(torch.ones({shape}).to(torch.{kind}))"
        for wrong in SHAPES if shape else ():
            yield f"nn.{layer}(torch.ones({wrong}))"
        yield f"nn.{layer}()"
        yield f"nn.{layer}(torch.ones(1), no_such_argument=1)"
    for loss in PAIRED:
        for kind in TYPES:
            yield f"nn.{loss}()(torch.ones(2).to(torch.{kind}), torch.ones(2).to(torch.{kind}))"
    for loss in CLASSED:
        for kind in TYPES:
            yield f"nn.{loss}()(torch.ones(1, 2).to(torch.{kind}), torch.tensor([1]))"
            yield f"nn.{loss}()(torch.ones(1, 2), torch.tensor([1]).to(torch.{kind}))"
    for shape in ("3", "1", "2, 4"):
        for target in TARGETS:
            yield f"nn.NLLLoss(reduction='none')(torch.ones({shape}), {target})"
            yield f"nn.CrossEntropyLoss()(torch.ones({shape}), {target})"
    for layer in ("LSTM", "GRU", "RNN"):
        for state in STATES:
            given = f"({state}, {state})" if layer == "LSTM" else state
            yield f"nn.{layer}Cell(4, 3)(torch.ones(2, 4), {given})"
            yield f"nn.{layer}(4, 3)(torch.ones(2, 2, 4), {given})"
        yield f"nn.{layer}(4, 3, batch_first=True)(torch.ones(2, 2, 4))"
    yield from OTHERS.strip().splitlines()
    for kind in ("float16", "bfloat16"):
        for call in HALVES.strip().splitlines():
            values = f"(torch.arange(60.).reshape(6, 10) * 7 % 59 - 29).div(5).to(torch.{kind})"
            yield f"[{call.replace('x)', values + ')').replace('x,', values + ',')}]"


def said(torch: Any, line: str) -> str:
    """Type, shape and node of the result, or the error."""
    try:
        made = eval(line, {"torch": torch, "nn": torch.nn})
    except Exception as error:  # noqa: BLE001 every error is a result here
        return f"{type(error).__name__}: {error}"
    if isinstance(made, list):  # the numbers count
        return str(made[0].double().tolist())
    while isinstance(made, tuple):
        made = made[0]
    return f"{made.dtype} {tuple(made.shape)} {made.stride()} {made.grad_fn and made.grad_fn.name()}"


def results(torch: Any) -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {line: said(torch, line) for line in lines()}


def main() -> None:
    import torch

    rows = [f"{json.dumps(line)}: {json.dumps(text)}" for line, text in results(torch).items()]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
