"""`torch.save` and `torch.load` in a format that holds numbers, texts, tensors and containers, and no code: a JSON line
of the structure, then the tensors' bytes. Anything else is refused by name. In a snippet the file is kept by the worker
(`gradviz/worker/modules/saved_files.py`), which has no disk; here it is a real one, or a buffer of bytes."""

from __future__ import annotations

import json
import os
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import device
from gradviz.engine.kernel.tensor import Size, Tensor, wrap
from gradviz.torch.nn.parameter import Parameter

__all__ = ["load", "save"]

MAGIC = b"GRADVIZ-TENSORS-1\n"
NOT_OURS = "torch.load in GradViz reads only what torch.save in GradViz wrote; save the numbers as text instead"
_PLAIN = (bool, int, float, str, type(None))
_HELD = (list, tuple, set, dict, OrderedDict, Counter, Size)  # containers that may hold weights
_WEIGHTS = (*_PLAIN, complex, bytes, bytearray, dtypes.dtype)


class _Writer:
    """Writes the structure as lists that JSON can hold; tensors that share memory stay shared."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []

    def described(self, value: Any) -> Any:
        """[kind, …] for any value that can be saved."""
        if type(value) in _PLAIN:
            return ["float", repr(value)] if isinstance(value, float) else ["plain", value]
        if isinstance(value, Tensor):
            return self._tensor(value)
        if type(value) in (list, tuple, set, frozenset, Size):
            return [type(value).__name__, [self.described(each) for each in value]]
        if isinstance(value, dict):
            kind = "OrderedDict" if isinstance(value, OrderedDict) else "dict"
            pairs = [[self.described(key), self.described(each)] for key, each in value.items()]
            meta = getattr(value, "_metadata", None)
            return [kind, pairs, None if meta is None else self.described(meta)]
        if isinstance(value, np.generic | np.ndarray):
            return ["numpy", self._array(np.asarray(value)), isinstance(value, np.generic)]
        if isinstance(value, complex):  # what a class of its own answers may be anything
            return ["complex", complex.__repr__(value)]
        if isinstance(value, bytes):
            return ["bytes", bytes.hex(value)]
        if isinstance(value, dtypes.dtype):
            return ["dtype", str(value).removeprefix("torch.")]
        if isinstance(value, device):
            return ["device", str(value)]
        raise TypeError(
            f"torch.save in GradViz writes tensors, numbers, texts and containers of them, not "
            f"'{type(value).__name__}'; save its state_dict() instead"
        )

    def _tensor(self, value: Tensor) -> list[object]:
        kind = "parameter" if isinstance(value, Parameter) else "tensor"
        return [kind, self._array(value._data), bool(value.requires_grad)]

    def _array(self, data: Any) -> int:
        key = id(data)
        if key not in self._seen:
            self._seen[key] = len(self.arrays)
            self._kept.append(data)
            self.arrays.append(np.ascontiguousarray(data).reshape(data.shape))
        return self._seen[key]


def dumped(obj: object) -> bytes:
    """An object as the bytes of a file."""
    writer = _Writer()
    tree = writer.described(obj)
    heads = [[str(dtypes.OF_NUMPY[a.dtype]) if a.dtype in dtypes.OF_NUMPY else a.dtype.str, list(a.shape), a.nbytes]
             for a in writer.arrays]  # fmt: skip
    head = json.dumps({"tree": tree, "arrays": heads}).encode()
    return b"".join([MAGIC, len(head).to_bytes(8, "little"), head, *(a.tobytes() for a in writer.arrays)])


def loaded(data: bytes, numpy_value: Callable[[object], object] = lambda value: value) -> Any:
    """The object that `dumped` wrote; `numpy_value` converts its NumPy arrays and scalars for the caller."""
    if not data:
        raise EOFError("Ran out of input")
    if not data.startswith(MAGIC):
        raise RuntimeError(NOT_OURS)
    at = len(MAGIC) + 8
    size = int.from_bytes(data[len(MAGIC) : at], "little")
    head = json.loads(data[at : at + size])
    at += size
    arrays = []
    for name, shape, count in head["arrays"]:
        kind = _dtype(name[6:]).np if name[:6] == "torch." else np.dtype(str(name))
        if kind.hasobject:
            raise RuntimeError(NOT_OURS)
        arrays.append(np.frombuffer(data[at : at + count], kind).reshape(shape).copy())
        at += count
    return _read(head["tree"], arrays, numpy_value)


def _read(tree: Any, arrays: list[Any], numpy_value: Callable[[object], object]) -> Any:
    kind, value = tree[0], tree[1]
    if kind in ("list", "tuple", "set", "frozenset", "Size"):
        make: Any = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "Size": Size}[kind]
        return make([_read(each, arrays, numpy_value) for each in value])
    if kind in ("dict", "OrderedDict"):
        found: Any = OrderedDict() if kind == "OrderedDict" else {}
        found.update((_read(key, arrays, numpy_value), _read(each, arrays, numpy_value)) for key, each in value)
        if tree[2] is not None and kind == "OrderedDict":
            found._metadata = _read(tree[2], arrays, numpy_value)
        return found
    if kind in ("tensor", "parameter"):
        return _tensor(kind, arrays[value], tree[2])
    simple: dict[str, Callable[[Any], Any]] = {
        "plain": lambda x: x,
        "float": float,
        "complex": complex,
        "bytes": bytes.fromhex,
        "dtype": _dtype,
        "numpy": lambda x: numpy_value(arrays[x][()] if tree[2] else arrays[x]),
        "device": _device,
    }
    return simple[kind](value)


def _dtype(name: str) -> dtypes.dtype:
    """A dtype by its name, and nothing else from the module."""
    found = getattr(dtypes, "bool_" if name == "bool" else name, None)
    if not isinstance(found, dtypes.dtype):
        raise RuntimeError(NOT_OURS)
    return found


def _device(name: str) -> device:
    return device(name)


def _tensor(kind: str, data: Any, requires_grad: bool) -> Tensor:
    if data.dtype not in dtypes.OF_NUMPY:
        raise RuntimeError(NOT_OURS)
    if kind == "parameter":
        return Parameter(wrap(data), requires_grad)
    found = wrap(data)
    return found.requires_grad_() if requires_grad else found


def check_weights_only(obj: Any) -> None:
    """Refuse, as PyTorch does unless `weights_only=False` is given, anything but numbers in containers."""
    waiting = [obj]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in _HELD or (isinstance(value, OrderedDict) and kind.__name__ == "OrderedDict"):  # a state_dict's own
            pairs = isinstance(value, dict)
            waiting += [each for pair in value.items() for each in pair][::-1] if pairs else list(value)[::-1]
        elif kind not in _WEIGHTS and not isinstance(value, Tensor) and _home(kind) != "torch.device":
            named = _home(value if isinstance(value, type) else kind)
            raise pickle.UnpicklingError(_NOT_WEIGHTS.replace("CLASS", named))


def _home(kind: type) -> str:
    """The name of a class in a file."""
    if issubclass(kind, np.ndarray | np.generic):
        return f"numpy._core.multiarray.{'scalar' if issubclass(kind, np.generic) else '_reconstruct'}"
    module = kind.__module__.removeprefix("gradviz.")
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


_NOT_WEIGHTS = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo those "
    "steps only if you trust the source of the checkpoint\033[0m. \n\t(1) In PyTorch 2.6, we changed the "
    "default value of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running "
    "`torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code "
    "execution. Do it only if you got the file from a trusted source.\n\t(2) Alternatively, to load with "
    "`weights_only=True` please check the recommended steps in the following error "
    "message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL CLASS was not an allowed global by "
    "default. Please use `torch.serialization.add_safe_globals([CLASS])` or the "
    "`torch.serialization.safe_globals([CLASS])` context manager to allowlist this global if you trust this "
    "class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by default "
    "with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


def save(obj: object, f: object, pickle_module: object = None, pickle_protocol: int = 2, **options: object) -> None:
    """Write an object to a file, by name or open for writing."""
    data = dumped(obj)
    if hasattr(f, "write"):
        f.write(data)
        return
    if not isinstance(f, (str, os.PathLike)):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    with open(os.fspath(f), "wb") as file:
        file.write(data)


def load(
    f: Any, map_location: object = None, pickle_module: object = None, weights_only: object = None, **options: object
) -> Any:
    """Read what `save` wrote; `map_location` has no effect here."""
    if hasattr(f, "read"):
        found = loaded(f.read())
    elif not isinstance(f, str | bytes | os.PathLike):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is "
            "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    else:
        with open(os.fspath(f), "rb") as file:
            found = loaded(file.read())
    if weights_only is None or weights_only:
        check_weights_only(found)
    return found
