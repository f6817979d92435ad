"""Modules of which scripts use a few names: other places of PyTorch's own functions, `importlib` and `inspect` as far
as they answer questions, and what belongs to a notebook or only concerns the look of plots.

They look nothing up on a disk, import nothing and hand out no frame, no code and no default of a parameter. Next:
`stand_ins`, which offers these.
"""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gradviz.worker.plots.facade import accept
from gradviz.worker.stand_in import StandIn, stand_in

_LOOKS = "set set_theme set_style set_context set_palette reset_orig reset_defaults despine color_palette"
_SHOWN_AS_TEXT = "HTML Markdown Latex"
_ELSEWHERE = {  # where else PyTorch has the names of a module
    "torch.utils.data.dataloader": "torch.utils.data",
    "torch.utils.data.dataset": "torch.utils.data",
    "torch.utils.data.sampler": "torch.utils.data",
    "torch.functional": "torch",
    "functorch": "torch.func",
}


def public_names(module: object) -> dict[str, Any]:
    """The names of a stand-in."""
    return {name: getattr(module, name) for name in vars(type(module)) if not name.startswith("_")}


def torch_places(torch: Mapping[str, Any]) -> dict[str, Any]:
    """PyTorch's functions in other places, by module name."""
    made = {name: stand_in(name, public_names(torch[home])) for name, home in _ELSEWHERE.items() if home in torch}
    made["torch.utils._pytree"] = stand_in("torch.utils._pytree", {"tree_map": _tree_map})
    made["torch.distributed"] = stand_in("torch.distributed", {"is_available": _no, "is_initialized": _no})
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent in torch and not hasattr(torch[parent], child):
            setattr(type(torch[parent]), child, module)
    return made


def _no() -> bool:
    return False


def _tree_map(func: Callable[[Any], Any], tree: Any, *rest: Any) -> Any:
    """The same function of every leaf of lists, tuples and dicts."""
    if type(tree) in (list, tuple):
        return type(tree)([_tree_map(func, *each) for each in zip(tree, *rest, strict=True)])
    if type(tree) is dict:
        return {key: _tree_map(func, value, *(other[key] for other in rest)) for key, value in tree.items()}
    return func(tree, *rest)


def question_modules(offered: Mapping[str, Any], load: Callable[[str], Any]) -> dict[str, Any]:
    """`importlib` and `inspect`: what is here, and what the snippet's own functions look like."""

    def import_module(name: Any, package: object = None) -> Any:
        return load(str.__str__(name))

    def find_spec(name: Any, package: object = None) -> Any:
        plain = str.__str__(name)
        return stand_in("ModuleSpec", {"name": plain}) if plain in offered else None

    def version(distribution_name: Any) -> str:
        plain = str.__str__(distribution_name)
        found = getattr(offered.get(plain), "__version__", None)
        if type(found) is not str:
            raise importlib.metadata.PackageNotFoundError(plain)
        return found

    util = stand_in("importlib.util", {"find_spec": find_spec})
    missing = importlib.metadata.PackageNotFoundError
    metadata = stand_in("importlib.metadata", {"version": version, "PackageNotFoundError": missing})
    root = stand_in("importlib", {"import_module": import_module, "util": util, "metadata": metadata})
    every = {"importlib": root, "importlib.util": util, "importlib.metadata": metadata}
    return every | {"inspect": stand_in("inspect", _inspect_names())}


class Signature:
    """What `inspect.signature` gives: the names of parameters, each for itself."""

    __slots__ = ("parameters",)

    def __init__(self, names: list[str]) -> None:
        self.parameters = {name: name for name in names}

    def __str__(self) -> str:
        return f"({', '.join(self.parameters)})"

    __repr__ = __str__


def _inspect_names() -> dict[str, Any]:
    def signature(obj: Any) -> Signature:
        if not callable(obj):
            raise TypeError(f"{obj!r} is not a callable object")
        return Signature(list(inspect.signature(obj).parameters))

    def isclass(object: Any) -> bool:
        return isinstance(object, type)

    def ismodule(object: Any) -> bool:
        return isinstance(object, StandIn)

    chosen = (signature, isclass, ismodule)
    names: dict[str, Any] = {function.__name__: function for function in chosen}
    names["isfunction"] = inspect.isfunction
    names["ismethod"] = inspect.ismethod
    return names


def notebook_modules(write: Callable[[str, str], None]) -> dict[str, Any]:
    """`IPython.display` prints, and seaborn's looks are accepted."""

    def display(*things: Any, **look: object) -> None:
        for each in things:
            write("out", str.__str__(str(each)) + "\n")

    shown: dict[str, Any] = {"display": display, **dict.fromkeys(_SHOWN_AS_TEXT.split(), _text)}
    shown |= {"clear_output": accept, "set_matplotlib_formats": accept}
    inner = stand_in("IPython.display", shown)
    look = stand_in("seaborn", dict.fromkeys(_LOOKS.split(), accept))
    return {"IPython.display": inner, "IPython": stand_in("IPython", {"display": inner}), "seaborn": look}


def _text(data: Any = "", **look: object) -> str:
    return str.__str__(data)
