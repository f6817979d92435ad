"""The sentence for a name that PyTorch has and GradViz does not, or that neither has."""

from __future__ import annotations

_ELSEWHERE = {
    "jit": "call the function itself: nothing is compiled here",
    "distributed": "run the snippet in one process",
    "multiprocessing": "run the snippet in one process",
    "onnx": "use PyTorch itself to export models",
    "hub": "build the model in the snippet",
    "mps": "tensors live on the CPU",
    "quantization": "use PyTorch itself to quantize",
    "sparse": "use dense tensors",
}


def explain(module: str, name: str) -> str:
    """What is not there, in PyTorch's words for a wrong name, with the way round where GradViz leaves something out."""
    way = _ELSEWHERE.get(name)
    return f"module '{module}' has no attribute '{name}'" + (f" in GradViz: {way}" if way else "")
