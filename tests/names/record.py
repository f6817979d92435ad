"""Record which public names PyTorch has: run with the Python that has torch 2.13.0 installed.

    python tests/names/record.py

Writes `resources/pytorch_names.json`: for every namespace that lessons use its public names, and all public modules;
of some also the private names.
What GradViz does with the list: `gradviz/torch/pytorch_names.py` and `gradviz/torch/coverage.py`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import types
import warnings
from pathlib import Path

import torch

EXPECTED = "2.13.0"
TARGET = Path(__file__).parents[2] / "resources" / "pytorch_names.json"
NAMESPACES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrize torch.nn.utils.parametrizations torch.nn.utils.prune torch.nn.utils.stateless
torch.nn.attention torch.nn.modules torch.nn.parallel torch.optim torch.optim.lr_scheduler torch.optim.swa_utils
torch.autograd torch.autograd.function torch.autograd.functional torch.autograd.graph torch.autograd.forward_ad
torch.autograd.gradcheck torch.autograd.profiler torch.func torch.linalg torch.fft torch.special torch.distributions
torch.distributions.constraints torch.distributions.transforms torch.distributions.kl torch.distributions.utils
torch.utils torch.utils.data torch.utils.checkpoint torch.utils.hooks torch.random torch.testing torch.amp torch.cuda
torch.cuda.amp torch.cpu torch.mps torch.accelerator torch.backends torch.backends.cudnn torch.backends.cuda
torch.backends.mps torch.backends.mkl torch.backends.mkldnn torch.backends.openmp torch.profiler torch.overrides
torch.hub torch.version torch.return_types torch.types torch.jit torch.sparse torch.onnx torch.distributed
torch.multiprocessing torch.fx torch.export torch.compiler torch.library torch.serialization torch.storage torch.signal
torch.signal.windows torch.nested torch.masked torch.futures torch.hub torch.quantization torch.utils.benchmark
torch.ao torch.package torch.monitor torch.xpu torch.mtia
""".split()
WITH_PRIVATE = ("torch", "torch.Tensor", "torch._C", "torch.autograd", "torch.jit")
FOREIGN_HELPERS = frozenset(("TYPE_CHECKING", "Tensor", "Module", "Parameter", "torch", "cpp", "m", "F", "inf"))


def is_public(space: str, owner: object, name: str) -> bool:
    """Whether a name belongs to the namespace, and is not something that its file imported for itself."""
    if name.startswith("_"):
        return False
    value = inspect.getattr_static(owner, name)
    if isinstance(owner, type):
        return True
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{space}.{name}"
    listed = getattr(owner, "__all__", None)
    if listed is not None and space != "torch" and name in listed:
        return True
    if name in FOREIGN_HELPERS and space != "torch":
        return space == "torch.nn" and name in ("Module", "Parameter")
    home = getattr(value, "__module__", None)
    if callable(value) and isinstance(home, str):
        return home.split(".")[0] in ("torch", "builtins") and not home.startswith("torch._C._VariableFunctionsClass")
    return not isinstance(home, str) or home.split(".")[0] in ("torch", "builtins")


def names_of(space: str) -> list[str]:
    owner = importlib.import_module(space)
    return sorted(name for name in dir(owner) if is_public(space, owner, name))


def private_of(space: str) -> list[str]:
    """The names of PyTorch's own affairs, which are refused as such."""
    owner = torch.Tensor if space == "torch.Tensor" else importlib.import_module(space)
    parts = {part.name for part in pkgutil.iter_modules(getattr(owner, "__path__", ()))}
    return sorted(name for name in {*dir(owner), *parts} if name.startswith("_") and not name.startswith("__"))


def modules() -> list[str]:
    """Every public module below torch, found without importing it."""
    found, waiting = [], [("torch", list(torch.__path__))]
    while waiting:
        parent, path = waiting.pop()
        for part in pkgutil.iter_modules(path):
            if not part.name.startswith("_") and not part.name[0].isupper():
                name = f"{parent}.{part.name}"
                found.append(name)
                if part.ispkg:
                    waiting.append((name, [f"{folder}/{part.name}" for folder in path]))
    deep = ("torch.nn.modules.", "torch.nn.utils.", "torch.utils.data.")
    kept = [name for name in found if name.count(".") <= 2 or (name.startswith(deep) and name.count(".") == 3)]
    return sorted(name for name in kept if not name.startswith("torch.testing."))


def main() -> None:
    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    spaces: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for space in NAMESPACES:
            spaces[space] = " ".join(names_of(space))
        spaces["torch.Tensor"] = " ".join(sorted(name for name in dir(torch.Tensor) if not name.startswith("_")))
        private = {space: " ".join(private_of(space)) for space in WITH_PRIVATE}
    data = {"torch": EXPECTED, "modules": " ".join(modules()), "names": spaces, "private": private}
    TARGET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
