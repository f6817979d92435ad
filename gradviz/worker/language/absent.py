"""Modules and names that a snippet imports but GradViz does not have.

Such an import is no reason to refuse a file, because many files never use what they import. `policy` puts an `Absent`
in its place, which may be named, stored and passed on; whoever uses it gets an error at the line of that use. It holds
only a text and gives access to nothing. Next: `policy`, which decides what is absent, and `stand_in` for missing names
of modules that exist."""

from __future__ import annotations

import sys
import types
from typing import NoReturn

from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.policy_names import HERE, MODULE_HINTS

_ANOTHER_FILE = "a snippet is one file: put the code into the snippet itself"
_NOTHING_ELSE = "write what you need of it into the snippet, or leave it out"

_YOURS = "if it is a file of yours, or a package of Python code only, attach {}.py or its folder"

_IN_PART = frozenset(
    """torchvision torchtext PIL seaborn IPython gym gymnasium wandb tyro sklearn pandas requests six
    graphviz torchsummary mpl_toolkits multiprocessing platform codecs unittest""".split()
)  # not installed or not loaded, and contain much more

_OF_PYPLOT = frozenset(  # functions of matplotlib.pyplot that are not here; another name is an error of Python's own
    """acorr angle_spectrum autumn axline bar_label barbs cohere connect copper csd delaxes disconnect ecdf figimage
    fill_betweenx findobj flag gci get get_current_fig_manager get_figlabels get_plot_commands ginput grouped_bar hsv
    imread imsave magnitude_spectrum minorticks_off new_figure_manager nipy_spectral phase_spectrum pie_label pink prism
    quiverkey spring stairs subplot2grid subplot_tool summer tricontour tricontourf tripcolor triplot twiny winter
    xcorr""".split()
)


TRAINED = "trained weights can't be downloaded in GradViz snippets; weights=None makes the same model with random ones"
ASKS_TRAINED = ("weights", "pretrained", "weights_backbone")  # the arguments of a model that ask for trained ones


def way_round(module: str) -> str:
    """What to do instead of importing a module that does not exist here."""
    root = module.partition(".")[0]
    if not root:  # from .model import Net
        return f"{_ANOTHER_FILE}, or attach {module.lstrip('.').partition('.')[0]}.py"
    if root == "torch":
        from gradviz.torch.pytorch_names import reason

        return reason(module)[1] or "leave it out"
    ends = [at for at, sign in enumerate(module) if sign == "."]
    hint = next((MODULE_HINTS[name] for at in (None, *reversed(ends)) if (name := module[:at]) in MODULE_HINTS), "")
    is_known = root in sys.stdlib_module_names or root in _IN_PART or root == "numpy"
    return hint or (_NOTHING_ELSE if is_known else f"{_NOTHING_ELSE}; {_YOURS.format(root)}")


def sentence_of(path: str) -> str:
    """Return the error message for using `path`, such as "pandas.read_csv"."""
    if path.startswith("torch."):
        from gradviz.torch.pytorch_names import sentence

        return sentence(path)
    return f"{path} is not {HERE}; {way_round(path)}"


def is_known(module: str, name: str) -> bool:
    """Whether the real module has this public name."""
    if module.partition(".")[0] == "torch":
        from gradviz.torch.pytorch_names import is_pytorch

        return is_pytorch(module, name)
    if module == "matplotlib.pyplot":
        return name in _OF_PYPLOT
    real, root = sys.modules.get(module), module.partition(".")[0]
    if real is None or name.startswith("_"):
        return root in _IN_PART and not name.startswith("_")
    value = vars(real).get(name)
    return value is not None and not isinstance(value, types.ModuleType)


def removed(module: str, name: str) -> str:
    """What NumPy says of a name that it had once, "" for every other."""
    real = vars(sys.modules[module]) if module == "numpy" else {}
    if instead := real.get("__expired_attributes__", {}).get(name):
        return f"`np.{name}` was removed in the NumPy 2.0 release. {instead}"
    return str(real.get("__former_attrs__", {}).get(name, ""))


class Absent:
    """Stands for a module or a name that does not exist here."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("_"):
            if name == "__version__":
                raise error_of(self)
            raise AttributeError(f"{self._path} has no attribute '{name}' here")
        return Absent(f"{self._path}.{name}")

    def __repr__(self) -> str:
        return f"<{self._path}, which is not {HERE}>"

    def __copy__(self) -> Absent:
        return self

    def __deepcopy__(self, memo: object) -> Absent:
        return self

    def __instancecheck__(self, value: object) -> bool:
        return False  # nothing can be an instance of it

    def __subclasscheck__(self, kind: object) -> bool:
        return False

    def __or__(self, other: object) -> Absent:
        return self if other is None or isinstance(other, type) else _refuse(self)  # in a type hint

    def __ror__(self, other: object) -> Absent:
        return self.__or__(other)


def error_of(thing: Absent) -> ImportError:
    """Return the error for whoever uses it."""
    return ImportError(sentence_of(thing._path))


def _refuse(self: Absent, *given: object, **named: object) -> NoReturn:
    raise error_of(self)


_USES = """call getitem setitem delitem iter next len contains bool enter exit int float index add radd sub rsub mul
rmul truediv rtruediv matmul rmatmul pow rpow neg lt le gt ge reversed""".split()
for _use in _USES:
    setattr(Absent, f"__{_use}__", _refuse)
keep_methods(Absent)
