"""Everything that a snippet can import in one run: torch, numpy, the plots, and parts of the standard library.

The packages of `gradviz.torch` are represented by stand-ins that can't be changed and lead nowhere else. A module has
the names that PyTorch has there, and no others: what our file imports or keeps internal (the table of functions, the
state of the engine, functions that read and write files) is not handed out. Arrays leave through `numpy()` as
`SafeArray`."""

from __future__ import annotations

import importlib
import linecache
import pkgutil
import sys
import types
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.state import State
from gradviz.torch.pytorch_names import IMPORTED_ONLY, MODULES, NAMES, is_pytorch
from gradviz.worker.language.classes import ClassMaker
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.policy import compile_snippet
from gradviz.worker.language.run_texts import benchmark_module
from gradviz.worker.language.stand_in import StandIn, stand_in
from gradviz.worker.modules.arrays import numpy_modules
from gradviz.worker.modules.einops_modules import einops_modules
from gradviz.worker.modules.game_wrappers import game_modules
from gradviz.worker.modules.learning_modules import learning_modules
from gradviz.worker.modules.own_modules import OwnModules, star
from gradviz.worker.modules.plots import Book, plot_modules
from gradviz.worker.modules.small_modules import (
    helper_modules,
    notebook_modules,
    public_names,
    question_modules,
    torch_places,
)
from gradviz.worker.modules.standard_modules import offered_classes, standard_modules
from gradviz.worker.modules.table_modules import table_modules
from gradviz.worker.modules.text_modules import progress_modules
from gradviz.worker.modules.vision.names import vision_modules
from gradviz.worker.modules.written_text import written_modules
from gradviz.worker.objects.numpy_boundary import to_numpy

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


_PLAIN_IN_TORCH = """atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist
chain_matmul einsum is_storage is_tensor load lu manual_seed meshgrid norm pca_lowrank save seed split stft svd_lowrank
tensordot typename unique unique_consecutive unravel_index vmap""".split()  # functions written in Python there, too
_UFUNCS = {name for name, value in vars(np).items() if isinstance(value, np.ufunc)}


class TorchFacade:
    """The stand-ins of torch's modules, which hold no state and serve every run, and the classes among them."""

    def __init__(self, modules: dict[str, object]) -> None:
        self.modules = modules | torch_places(modules)
        self.classes = offered_classes(modules.values())
        self.final = {_look_up(modules, "torch.dtype"), _look_up(modules, "torch.Generator")}
        found = [_look_up(modules, name) for name in _CHANGEABLE]
        classes = [each if isinstance(each, type) else type(each) for each in found if each is not None]
        self.changeable = tuple(classes)

    def forget(self) -> None:
        """Let go of what is put into the modules for one run."""
        utils: Any = type(self.modules["torch.utils"])
        utils.benchmark = None
        for parent, child in IMPORTED_ONLY:
            if child in vars(holder := type(self.modules[parent])):
                delattr(holder, child)


class World:
    """The guard and the importable modules of one run."""

    def __init__(
        self,
        torch: TorchFacade,
        write: Callable[[str, str], None],
        show: Callable[[dict[str, object], bytes], None] = lambda header, payload: None,
    ) -> None:
        self.guard = Guard(torch.changeable)
        source = np.random.RandomState(0)
        standard = standard_modules(self.guard, write)
        others = einops_modules() | game_modules() | vision_modules(lambda text: write("err", text))
        bases = (torch.classes | offered_classes([*standard.values(), *others.values()])) - torch.final
        self.classes = ClassMaker(self.guard, bases)
        self.plots = Book(lambda text: write("err", text), show)
        self.modules: dict[str, Any] = {
            **standard,
            **numpy_modules(source),
            **learning_modules(source),
            **table_modules(lambda text: write("out", text)),
            **plot_modules(self.plots, to_numpy),
            **progress_modules(write),
            **others,
            **notebook_modules(write),
            **helper_modules(self.guard),
            **written_modules(lambda text: write("err", text)),
            **torch.modules,
        }
        self.classes.never_bind(_built_in(self.modules))
        self.modules |= question_modules(self.guard, self.modules, self.import_module)
        self.modules |= _as_in_matlab(self.modules)
        self.modules["torch.utils.benchmark"] = benchmark_module(self.guard, self.modules["torch"])
        type(self.modules["torch.utils"]).benchmark = self.modules["torch.utils.benchmark"]  # import … as
        self.own = OwnModules(self.guard, {})
        self._imported: dict[str, object] = {}
        type(self.modules["sys"]).modules = property(lambda module: {**self._imported, **self.own.loaded()})
        self.guard.compiler = self._compiled

    def attach(self, files: Mapping[str, bytes], arguments: Sequence[str] = ()) -> None:
        """Give the snippet these files, with the modules among them, and these arguments."""
        self.modules["sys"].argv[1:] = arguments
        self.own = OwnModules(self.guard, files)
        self.guard.globals["<star>"] = lambda name: star(self.guard.globals, self.import_module(name))

    def import_module(self, name: str) -> object:
        """Return what an import statement gives that the policy has accepted: one of the snippet's own modules, or the
        stand-in of one that is offered."""
        own = self.own.find(name)
        if own and (own == name or name not in self.modules):
            return self.own.load(own, self._compiled)
        if name not in self.modules:
            raise ModuleNotFoundError(f"No module named {name!r} in GradViz snippets", name=name)
        parent, _, child = name.rpartition(".")
        if (parent, child) in IMPORTED_ONLY:
            setattr(type(self.modules[parent]), child, self.modules[name])
        self._imported[name] = self.modules[name]
        return self.modules[name]

    def load_child(self, name: str, child: str) -> object:
        """Return a module inside another one, of the snippet's own or imported only so; None if there is none."""
        whole = f"{name}.{child}"
        if (name, child) in IMPORTED_ONLY:
            return self.import_module(whole)
        return self.own.load(whole, self._compiled) if self.own.find(whole) == whole else None

    def _compiled(self, source: str, path: str, package: str) -> types.CodeType:
        if not path.startswith("<"):  # Python shows no lines of an evaluated text
            linecache.cache[path] = (len(source), None, source.splitlines(True), path)
        return compile_snippet(source, path, self.modules, own=self.own, package=package)


def _built_in(modules: Mapping[str, Any]) -> Iterator[object]:
    """The functions that are built in where ours are written in Python: NumPy's of single numbers, most of torch."""
    for name in ("torch", "time", "numpy"):
        for key, value in vars(type(modules[name])).items():
            is_plain = key in _PLAIN_IN_TORCH if name == "torch" else name == "numpy" and key not in _UFUNCS
            if type(value) is staticmethod and not is_plain:
                yield value.__func__


def _as_in_matlab(modules: Mapping[str, Any]) -> dict[str, object]:
    """Return pylab, which has the names of NumPy and pyplot, except those of Python itself."""
    homes = ("numpy", "numpy.fft", "numpy.random", "numpy.linalg", "matplotlib.pyplot")
    names = {name: value for home in homes for name, value in public_names(modules[home]).items()}
    names |= {"np": modules["numpy"], "plt": modules["matplotlib.pyplot"]}
    of_python = ("abs", "bool", "bytes", "max", "min", "pow", "round")
    pylab = stand_in("matplotlib.pylab", {name: value for name, value in names.items() if name not in of_python})
    type(modules["matplotlib"]).pylab = pylab
    return {"matplotlib.pylab": pylab, "pylab": pylab}


def _look_up(modules: dict[str, object], path: str) -> object:
    """Return a name of the torch stand-ins, or None if this torch does not have it."""
    module, _, name = path.rpartition(".")
    return vars(type(modules[module])).get(name) if module in modules else None


# --- torch ---

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
# names of PyTorch that its recorded list does not have
_ALSO: dict[str, tuple[str, ...]] = {
    "torch": ("__version__", "_C", "_assert", "has_lapack", "has_mkl", "has_openmp"),
    "torch.version": ("__version__",),
    "torch._C": (
        "DisableTorchFunction",
        "DisableTorchFunctionSubclass",
        "_disabled_torch_function_impl",
        "_is_torch_function_enabled",
        "has_lapack",
    ),
    "torch.cpu.amp": ("autocast",),
    "torch.utils.tensorboard": ("SummaryWriter",),  # PyTorch has it if tensorboard is installed
    "torch.nn.init": ("_calculate_fan_in_and_fan_out", "_calculate_correct_fan"),  # for reimplementations of Linear
    "torch.nn.modules.batchnorm": ("_BatchNorm",),
    "torch.optim.lr_scheduler": ("_LRScheduler",),
    "torch.optim.optimizer": (
        "register_optimizer_step_post_hook",
        "register_optimizer_step_pre_hook",
        "required",
    ),
    "torch.nn.modules.lazy": ("LazyModuleMixin",),
    "torch.nn.modules.utils": ("_single", "_pair", "_triple"),
    "torch.nn.modules.linear": ("NonDynamicallyQuantizableLinear",),
    "torch.nn.modules.module": (
        "register_module_buffer_registration_hook",
        "register_module_forward_hook",
        "register_module_forward_pre_hook",
        "register_module_full_backward_hook",
        "register_module_full_backward_pre_hook",
        "register_module_module_registration_hook",
        "register_module_parameter_registration_hook",
    ),
}
_TABLES = (dict, list, set)  # containers that a snippet could change


def load_torch() -> dict[str, types.ModuleType]:
    """Import every module of `gradviz.torch`; return those that PyTorch has, by the name that a snippet uses."""
    from gradviz import torch

    for part in pkgutil.walk_packages(torch.__path__, f"{torch.__name__}."):
        importlib.import_module(part.name)
    made = f"{torch.__name__}."  # with or without a file
    found = {name.removeprefix("gradviz."): module for name, module in sys.modules.items() if name.startswith(made)}
    found["torch"] = torch
    return {name: module for name, module in found.items() if name in MODULES | {"torch", "torch._C"}}


def torch_modules(real: dict[str, types.ModuleType], more: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return the stand-ins of all torch modules, by name; `more` are further names of `torch` itself."""
    made: dict[str, object] = {}
    listed = _listed(real)
    for name in sorted(real, key=lambda each: -each.count(".")):  # children first
        module = real[name]
        names = {key: value for key, value in vars(module).items() if _is_pytorchs(name, key, value, listed)}
        for child, held in made.items():
            parent, _, key = child.rpartition(".")
            if parent != name or (parent, key) in IMPORTED_ONLY:
                continue
            if isinstance(getattr(module, key, held), types.ModuleType | StandIn):
                names[key] = held  # a function may share its file's name: torch.autograd.gradcheck
        if name in ("torch", "torch.serialization"):
            names |= more or {}
        made[name] = _torch_stand_in(name, module, names)
        if name == "torch.backends":  # objects with switches, which a script imports as modules
            made |= {value.__name__: value for value in names.values() if isinstance(value, module.Backend)}
    for name in ("torch", "torch.autograd", "torch.nn.functional", "torch.nn.init"):  # these import it themselves
        type(made[name]).torch = made["torch"]  # type: ignore[attr-defined]
    return made


def _listed(real: Mapping[str, types.ModuleType]) -> frozenset[int]:
    """Return the values, by identity, that PyTorch's recorded list names in one of the modules."""
    return frozenset(
        id(vars(module)[key]) for name, module in real.items() for key in NAMES.get(name, ()) if key in vars(module)
    )


def _is_pytorchs(name: str, key: str, value: object, listed: Container[int]) -> bool:
    """Whether PyTorch has this name in this module. A module that is not recorded, such as `torch.nn.modules.linear`,
    has the names that are defined there and that a recorded one has, too."""
    if not _is_offered(value):
        return False
    if name in NAMES or key in _ALSO.get(name, ()):
        return key in NAMES.get(name, ()) or key in _ALSO.get(name, ())
    at_home = getattr(value, "__module__", None) == name
    return not key.startswith("_") and callable(value) and (at_home or id(value) in listed)


def _is_offered(value: object) -> bool:
    if isinstance(value, types.ModuleType | np.ndarray | State) or type(value) in _TABLES:
        return False
    if type(value).__module__ in ("typing", "__future__"):
        return False
    home = getattr(value, "__module__", None)
    return not (isinstance(home, str) and home.split(".")[0] in _FOREIGN)


def _torch_stand_in(name: str, module: types.ModuleType, names: dict[str, object]) -> object:
    held: Any = stand_in(name, names)
    missing: Callable[[str], object] | None = vars(module).get("__getattr__")
    if missing is None:
        return held

    def absent(self: StandIn, key: str) -> Any:
        value = missing(key)
        if not _is_offered(value) or not is_pytorch(name, key):
            raise AttributeError(f"module '{name}' has no attribute '{key}'")
        return value

    type(held).__getattr__ = absent
    return held
