"""Everything that a snippet can import in one run: torch, numpy, the plots, and parts of the standard library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.worker.arrays import numpy_modules
from gradviz.worker.classes import ClassMaker
from gradviz.worker.enumerations import ClassFormOnly
from gradviz.worker.guard import Guard
from gradviz.worker.numpy_boundary import to_numpy
from gradviz.worker.plots import Book, plot_modules
from gradviz.worker.progress import progress_modules
from gradviz.worker.standard_modules import offered_classes, standard_modules

_CHANGEABLE = (
    "torch.Tensor",
    "torch.nn.Module",
    "torch.optim.Optimizer",
    "torch.optim.lr_scheduler.LRScheduler",
    "torch.utils.data.Dataset",
    "torch.utils.data.DataLoader",
    "torch.autograd.function.FunctionCtx",
    "torch.autograd.Function",
    "torch.backends.cudnn",
)


class TorchFacade:
    """The stand-ins of torch's modules, which hold no state and serve every run, and the classes among them."""

    def __init__(self, modules: dict[str, Any]) -> None:
        self.modules = modules
        self.classes = offered_classes(modules.values())
        self.final = {_look_up(modules, "torch.dtype"), _look_up(modules, "torch.Generator")}
        found = [_look_up(modules, name) for name in _CHANGEABLE]
        classes = [each if isinstance(each, type) else type(each) for each in found if each is not None]
        self.changeable = tuple(classes)


class World:
    """The guard and the importable modules of one run."""

    def __init__(
        self,
        torch: TorchFacade,
        write: Callable[[str, str], None],
        show: Callable[[dict[str, Any], bytes], None] = lambda header, payload: None,
    ) -> None:
        self.guard = Guard(torch.changeable)
        standard = standard_modules(self.guard, write)
        bases = (torch.classes | offered_classes(standard.values())) - torch.final
        self.classes = ClassMaker(self.guard, bases, (ClassFormOnly,))
        self.plots = Book(lambda text: write("err", text), show)
        self.modules: dict[str, Any] = {
            **standard,
            **numpy_modules(),
            **plot_modules(self.plots, to_numpy),
            **progress_modules(write),
            **torch.modules,
        }

    def import_module(self, name: str) -> Any:
        """The stand-in for an import statement that the policy has let through."""
        if name not in self.modules:
            raise ModuleNotFoundError(f"No module named {name!r} in GradViz snippets", name=name)
        return self.modules[name]


def _look_up(modules: dict[str, Any], path: str) -> Any:
    """A name of the torch stand-ins, or None where this torch does not have it."""
    module, _, name = path.rpartition(".")
    return vars(type(modules[module])).get(name) if module in modules else None
