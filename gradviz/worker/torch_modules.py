"""`import torch` for a snippet: the packages of `gradviz.torch` as stand-ins that can't be changed and lead nowhere
else.

A module's own imports (numpy, typing, other parts of the program) are not handed out. Arrays leave through `numpy()`
as `SafeArray`.
"""

from __future__ import annotations

import importlib
import pkgutil
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradviz.worker.stand_in import StandIn, stand_in

_FOREIGN = (
    "typing",
    "collections",
    "functools",
    "numpy",
    "contextlib",
    "dataclasses",
    "types",
    "warnings",
    "abc",
    "math",
)
_READ_BY_TUTORIALS = ("_calculate_fan_in_and_fan_out", "_calculate_correct_fan")  # whoever writes a Linear anew


def load_torch() -> dict[str, types.ModuleType]:
    """Import every module of `gradviz.torch`; returns those that PyTorch has, by the name that a snippet uses."""
    from gradviz import torch
    from gradviz.torch.missing import MODULES

    found: dict[str, types.ModuleType] = {"torch": torch}
    for part in pkgutil.walk_packages(torch.__path__, f"{torch.__name__}."):
        found[part.name.removeprefix("gradviz.")] = importlib.import_module(part.name)
    _add_attributes(found)
    return {name: module for name, module in found.items() if name in MODULES | {"torch", "torch._C"}}


def _add_attributes(found: dict[str, types.ModuleType]) -> None:
    """Modules without a file of their own, like `torch.distributions.normal`; what a file imported is not its own."""
    waiting = list(found.items())
    while waiting:
        name, module = waiting.pop()
        for key, value in vars(module).items():
            inner = f"{name}.{key}"
            if isinstance(value, types.ModuleType) and value.__name__ == f"gradviz.{inner}" and inner not in found:
                found[inner] = value
                waiting.append((inner, value))


def torch_modules(real: dict[str, types.ModuleType], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The stand-ins of all torch modules, by name; `more` are further names of `torch` itself."""
    made: dict[str, Any] = {}
    for name in sorted(real, key=lambda each: -each.count(".")):  # children first
        module = real[name]
        names = {key: value for key in _public_names(module) if _is_offered(value := getattr(module, key))}
        for child, held in made.items():
            parent, _, key = child.rpartition(".")
            if parent == name and isinstance(getattr(module, key, held), types.ModuleType | StandIn):
                names[key] = held  # a function may have the name of its file: torch.autograd.gradcheck
        if name == "torch":
            names |= more or {}
        made[name] = _torch_stand_in(name, module, names)
        if name == "torch.backends":  # objects with switches, which a script imports as modules
            made |= {value.__name__: value for value in names.values() if isinstance(value, module.Backend)}
    return made


def _public_names(module: types.ModuleType) -> list[str]:
    names = [name for name in vars(module) if not name.startswith("_") or name in _READ_BY_TUTORIALS]
    return [*names, *(["__version__"] if hasattr(module, "__version__") else [])]


def _is_offered(value: Any) -> bool:
    if isinstance(value, types.ModuleType | np.ndarray) or type(value).__module__ in ("typing", "__future__"):
        return False
    home = getattr(value, "__module__", None)
    return not (isinstance(home, str) and home.split(".")[0] in _FOREIGN)


def _torch_stand_in(name: str, module: types.ModuleType, names: dict[str, Any]) -> Any:
    held = stand_in(name, names)
    missing: Callable[[str], Any] | None = vars(module).get("__getattr__")
    if missing is None:
        return held

    def absent(self: StandIn, key: str) -> Any:
        value = missing(key)
        if not _is_offered(value):
            raise AttributeError(f"module '{name}' has no attribute '{key}'")
        return value

    type(held).__getattr__ = absent
    return held
