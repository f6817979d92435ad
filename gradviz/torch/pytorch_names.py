"""PyTorch's names: in which module each thing is, `torch.optim.adam.Adam`, and the sentence for a name that GradViz
does not have, or PyTorch's own words for one that neither has.

Our files are divided differently from PyTorch's: `rehome` gives a class the module name that it prints in PyTorch, and
makes the module importable. PyTorch's names are recorded in `resources/pytorch_names.json`; why one is left out, and
what to use instead, is the table here. `docs/coverage.md` is made from the same two (`coverage.py`)."""

from __future__ import annotations

import functools
import json
import re
import sys
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from inspect import getattr_static
from typing import Any, NoReturn

from gradviz import RESOURCES
from gradviz.engine.kernel.tensor import Tensor


def rehome(parent: str, homes: Mapping[str, Sequence[Any] | Mapping[str, object]], *, keep: bool = False) -> None:
    """Make `parent.<home>` for each home with the classes and functions that PyTorch has there, by their own names or
    by the given ones; with `keep` they go on printing under their present names."""
    package = parent.removeprefix("gradviz.")  # PyTorch's name of it
    for home, things in homes.items():
        name = f"{parent}.{home}"
        module = sys.modules.get(name)
        if module is None:
            module = sys.modules[name] = types.ModuleType(name)
            module.__doc__ = f"Like PyTorch's `{package}.{home}`."
        named = things if isinstance(things, Mapping) else {thing.__name__: thing for thing in things}
        for key, thing in named.items():
            vars(module)[key] = thing
            if not keep:
                thing.__module__ = f"{package}.{home}"
        vars(sys.modules[parent]).setdefault(home, module)


_LIST = RESOURCES / "pytorch_names.json"
_RECORDED = json.loads(_LIST.read_text(encoding="utf-8"))
NAMES: dict[str, frozenset[str]] = {space: frozenset(text.split()) for space, text in _RECORDED["names"].items()}
_PRIVATE: dict[str, frozenset[str]] = {space: frozenset(text.split()) for space, text in _RECORDED["private"].items()}
_DISPATCH_METHODS = ("__torch_dispatch__",)
VERSION: str = _RECORDED["torch"]
MODULES = frozenset(_RECORDED["modules"].split())

# which names (the whole path matches), why they are left out, and what to use instead
REASONS: list[tuple[str, str, str]] = [
    (
        r"torch\.(distributed|futures|multiprocessing|monitor)(\..*)?|.*(Distributed|distributed|is_shared).*"
        r"|torch\.nn\.parallel(\..*)?|.*\.SyncBatchNorm|.*share_memory_|torch\.(fork|wait|Future)",
        "a snippet runs in one process",
        "leave it out and run the training function directly",
    ),
    (
        r"torch\.(jit|fx|export|package|compiler|onnx|_dynamo)(\..*)?|torch\.(Script|Lite|Tracing|Compilation|JIT).*"
        r"|torch\.[A-Z]\w*(Type|Block|Graph|Schema|Value|Spec|State|Logger|Module\w*|Stack|Object\w*|List|Dict)"
        r"|torch\.(Block|Graph|Node|Value|Use|Code|Argument|Gradient|parse_\w+|import_ir_module\w*|unify_type_list"
        r"|merge_type_from_type_comment|FileCheck|cpp|classes|ops|library|AliasDb|DeepCopyMemoTable|Capsule)(\..*)?",
        "programs are not compiled or exported",
        "call the function or module itself",
    ),
    (
        r".*(quantiz|fake_quant|fbgemm|int_repr|dequant|qscheme|q_scale|q_zero_point|q_per_channel|qparams|Quant).*"
        r"|torch\.(ao|qu?int\w+|per_(tensor|channel)_\w+|quantization)(\..*)?|torch\.(QU?Int.*|nn\.(q\w+|intrinsic))"
        r"|torch\.fused_moving.*",
        "quantized numbers are left out",
        "use float32",
    ),
    (
        r".*(sparse|Sparse|coalesce|crow_indices|ccol_indices|col_indices|row_indices|dense_dim).*"
        r"|torch\.(Tensor\.)?(indices|values|indices_copy|values_copy|dsmm|hsmm|hspmm|smm|spmm|saddmm|sspaddmm)",
        "only sparse tensors by coordinates and by rows are built",
        "use a dense tensor and a mask",
    ),
    (
        r".*(nested|jagged|padded_tensor).*|torch\.masked\..*",
        "tensors are rectangular and whole",
        "use torch.nn.utils.rnn.pad_sequence and a mask",
    ),
    (
        r".*(cuda|cudnn|CUDA|miopen|mkldnn|ipu|xla|xpu|mtia|maia|vulkan|hpu|gpu|record_stream|pin_memory|is_pinned).*"
        r"|torch\.mps(\..*)?|torch\.accelerator\..*|torch\.cpu\..*|torch\.(Event|Stream|get_device_module)",
        "everything runs on the CPU",
        "leave it out, or use device='cpu'",
    ),
    (
        r".*[Ss]torage.*|.*(from_file|dlpack|PyTorchFile|data_ptr|set_|map_memory).*|torch\.Tensor\.(is_set_to)",
        "the memory behind a tensor can't be reached",
        "use the tensor itself, or tensor.numpy()",
    ),
    (
        r"torch\.(float8\w+|float4\w+|u?int[1-7]|uint(16|32|64)|bits?\w*|complex32|chalf|Tensor\.chalf)",
        "this element type is left out",
        "use float16, bfloat16, float32, int64 or complex64",
    ),
    (r"torch\.(sym_\w+|Sym[A-Z]\w*|cond|while_loop|map)", "shapes are plain numbers", "use Python's own if and while"),
    (r".*(profiler|Profil|itt|nvtx|Callgrind|benchmark|Benchmark).*", "run times say nothing here", "leave it out"),
    (r"torch\.hub(\..*)?", "a snippet has no network", "build the model in the snippet"),
    (r"torch\.utils\.tensorboard(\..*)?", "a snippet has no files", "print the numbers or plot them with matplotlib"),
    (
        r"torch\.(native|batch_norm)_\w+|torch\.\w+_copy|torch\.(Tensor\.)?(unsafe_\w+|\w+_no_update)"
        r"|torch\.(conv_tbc|convolution|cudnn\w+|affine_grid_generator|grid_sampler\w*|norm_except_dim|slice_inverse"
        r"|embedding_renorm_|nuclear_norm|frobenius_norm|quasirandom|hash_tensor|constant_pad_nd|fill)",
        "it is a step inside of another function",
        "call the documented function of torch or torch.nn.functional",
    ),
    (
        r"torch\.(Tensor\.)?(eig|lstsq|matrix_rank|solve|symeig)",
        "PyTorch itself has removed it",
        "use the function of torch.linalg",
    ),
    (r"torch\..*(vmap|func\w*)\.(debug_unwrap|functionalize|rearrange)", "nothing is traced", "leave it out"),
    (
        r"torch\.overrides.*|torch\..*TorchDispatch\w*|torch\.Dispatch\w*|torch\.Exclude\w*"
        r"|torch\.Tensor\.(_make\w*_subclass|module_load|__torch_dispatch__)|torch\.__future__",
        "operations are not dispatched to other classes",
        "call your own function instead",
    ),
]
IMPORTED_ONLY = {("torch.nn.utils", "prune")}  # (parent, child): what only its own import makes an attribute
_OUTDATED = {  # what torch answers with a warning: what to write, and the answer
    "has_cuda": ("backends.cuda.is_built()", False),
    "has_cudnn": ("backends.cudnn.is_available()", False),
    "has_mps": ("backends.mps.is_built()", False),
    "has_mkldnn": ("backends.mkldnn.is_available()", True),
}
NO_REASON = "lessons do not use it, so it is not built"
IS_PRIVATE = "it is private to PyTorch"


@functools.cache
def reason(path: str) -> tuple[str, str]:
    """Why PyTorch's `path` (such as "torch.sparse_coo_tensor") is not in GradViz, and what to use instead or ""."""
    for pattern, why, way in REASONS:
        if re.fullmatch(pattern, path):
            return why, way
    return (IS_PRIVATE if path.rpartition(".")[2].startswith("_") else NO_REASON), ""


def sentence(path: str) -> str:
    """One sentence about a part of PyTorch that is left out."""
    why, way = reason(path)
    return f"{path} is not in GradViz: {why}" + (f"; {way}" if way else "")


def is_pytorch(module: str, name: str) -> bool:
    """Whether PyTorch has this name."""
    if (module, name) in IMPORTED_ONLY:
        return False
    if module == "torch" and name in _OUTDATED:
        return True
    return name in NAMES.get(module, ()) or f"{module}.{name}" in (*MODULES, "torch.__future__")


def explain(module: str, name: str) -> str:
    """The message for a `name` that `module` does not have here."""
    if is_pytorch(module, name) or name in _PRIVATE.get(module, ()):
        return sentence(f"{module}.{name}")
    return f"module '{module}' has no attribute '{name}'"


def absent_from(module: str) -> Callable[[str], object]:
    """The `__getattr__` of a module: raise with the sentence, unless it is an outdated name."""

    def __getattr__(name: str) -> object:
        if module == "torch" and name in _OUTDATED:
            instead, answer = _OUTDATED[name]
            warnings.warn(f"{name!r} is deprecated, please use 'torch.{instead}'", stacklevel=2)
            return answer
        if name.startswith("__") and name != "__future__":
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        raise AttributeError(explain(module, name), name=name)

    return __getattr__


class _Absent:
    """Stands in for a method that PyTorch's tensors have: a `__getattr__` would make every attribute slow."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: object, kind: type) -> NoReturn:
        if type(tensor) is Tensor or kind is Tensor:
            raise AttributeError(sentence(f"torch.Tensor.{self._name}"), name=self._name)
        what = f"type object '{kind.__name__}'" if tensor is None else f"'{kind.__name__}' object"
        raise AttributeError(f"{what} has no attribute '{self._name}'", name=self._name, obj=tensor)


def _there(tensor: Tensor) -> list[str]:
    """The result of `dir(tensor)`: what the tensor has."""
    names = set(object.__dir__(tensor)) - {"volatile"}
    return [name for name in names if not isinstance(getattr_static(Tensor, name, None), _Absent)]


def install() -> None:
    """Let every module of `gradviz.torch`, and `Tensor`, explain names that they do not have."""
    for name in (*NAMES["torch.Tensor"], *_PRIVATE["torch.Tensor"], *_DISPATCH_METHODS):
        if not hasattr(Tensor, name):
            setattr(Tensor, name, _Absent(name))
    Tensor.__dir__ = _there  # type: ignore[method-assign, assignment]
    for name, module in list(sys.modules.items()):
        if name.startswith("gradviz.torch") and isinstance(module, types.ModuleType):
            vars(module).setdefault("__getattr__", absent_from(name.removeprefix("gradviz.")))
