"""Calls to begin with: every function of `torch`, `torch.nn.functional`, `torch.linalg` and so on and every method of
a tensor, with arguments that it takes. They are written down while the tables of the tests of operations run; what
these do not call is in `lines.py`."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import gradviz.torch as torch
from gradviz.document.catalogue import catalogue
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.tensor import Tensor
from tests.engine import catalogue_calls
from tests.engine.op_cases import cases
from tests.memory.lines import LINES

MOST = 3  # calls of one function, and each that enters a row that no other call has entered
# Nothing that computes: questions about an object, its hooks, its history, its text.
_LEFT = frozenset(
    """register_hook register_post_accumulate_grad_hook retain_grad requires_grad_ _sync_view _remake_view
    _check_writable _is_tracked_here _is_view data_ptr cuda share_memory_ pin_memory backward _share_version
    _count_write""".split()
)
_OPERATORS = ("__getitem__", "__setitem__")


@dataclass(frozen=True)
class Feed:
    """A tensor of a call, or an array of NumPy: its numbers."""

    values: np.ndarray[Any, Any]
    is_array: bool = False
    in_order: bool | None = None  # of a sparse tensor: whether it is coalesced

    def specified(self, tensor: Tensor) -> Tensor:
        """The tensor, sparse if this one was."""
        if self.in_order is None:
            return tensor
        made = tensor.to_sparse()  # type: ignore[attr-defined]
        made._coo = replace(made._coo, coalesced=self.in_order)
        return made  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<{self.values.dtype} {self.values.shape}>"


@dataclass(frozen=True)
class Call:
    """A function with its name, and what to call it with."""

    name: str
    args: tuple[Any, ...]
    keywords: dict[str, Any]
    function: Callable[..., Any]

    @property
    def is_of_numpy(self) -> bool:
        """Whether it takes and gives arrays."""
        return not self.name.startswith(("torch.", "Tensor."))

    def __repr__(self) -> str:
        words = [repr(each) for each in self.args] + [f"{name}={each!r}" for name, each in self.keywords.items()]
        return f"{self.name}({', '.join(words)})"


class _Watch:
    """Writes down the calls that the tables make, not those that the functions make of each other."""

    def __init__(self, rows: set[str]) -> None:
        self.calls: dict[str, list[Call]] = {}
        self._rows = rows  # that were entered so far
        self._depth = 0

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **keywords: Any) -> Any:
            if self._depth:
                return function(*args, **keywords)
            call, before = Call(name, frozen(args), frozen(keywords), function), len(self._rows)
            self._depth = 1
            try:
                return function(*args, **keywords)
            finally:
                self._depth = 0
                known = self.calls.setdefault(name, [])
                if len(known) < MOST or len(self._rows) > before:
                    known.append(call)

        return run


def frozen(value: Any) -> Any:
    """The value with copies of its tensors."""
    if isinstance(value, Tensor):
        return Feed(np.array(value._data), in_order=None if value._coo is None else value._coo.coalesced)
    if isinstance(value, dict):
        return {name: frozen(each) for name, each in value.items()}
    return type(value)(map(frozen, value)) if type(value) in (tuple, list) else value


class _Watched:
    """A module whose functions are watched."""

    def __init__(self, module: Any, path: str, watch: _Watch) -> None:
        self._module, self._path, self._watch = module, path, watch

    def __getattr__(self, name: str) -> Any:
        found, path = getattr(self._module, name), f"{self._path}.{name}"
        if isinstance(found, types.ModuleType):
            return _Watched(found, path, self._watch)
        return self._watch.around(path, found) if isinstance(found, types.FunctionType) else found


def methods() -> dict[str, Callable[..., Any]]:
    """The methods of a tensor that compute."""
    return {
        name: found
        for name, found in vars(Tensor).items()
        if isinstance(found, types.FunctionType) and name not in _LEFT
        if name in _OPERATORS or not name.startswith("__")
    }  # fmt: skip


def corpus() -> list[Call]:
    """All calls."""
    with entered_rows() as rows, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        watch = _Watch(rows)
        former = methods()
        for name, method in former.items():
            setattr(Tensor, name, watch.around(f"Tensor.{name}", method))
        for run in _programs(_Watched(torch, "torch", watch)):
            _tried(run)
        for name, method in former.items():
            setattr(Tensor, name, method)
    return [call for calls in watch.calls.values() for call in calls]


def _tried(run: Callable[[], Any]) -> None:
    """A row may be there to be refused."""
    try:
        run()
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError):
        return


def _programs(watched: Any) -> Iterator[Callable[[], Any]]:
    for case in cases(watched).values():
        yield functools.partial(case.run, *map(torch.tensor, case.values()))
    for entry in catalogue().values():
        text = catalogue_calls.written(entry, catalogue_calls.sample(entry))
        yield functools.partial(catalogue_calls.run, watched, text)
    names = {"torch": watched, "np": np, "x": torch.ones(2, 3), "i": torch.tensor([1, 0]), "F": watched.nn.functional}
    names["THREE"] = [torch.rand(2, 1, 4)] * 3
    for line in LINES.strip().splitlines():
        yield functools.partial(eval, line, names)


@contextmanager
def entered_rows() -> Iterator[set[str]]:
    """The keys of the rows whose forward runs in the meantime."""
    entered: set[str] = set()
    former = {key: row.forward for key, row in ROWS.items()}

    def noting(key: str, forward: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arrays: Any, **params: Any) -> Any:
            entered.add(key)
            return forward(*arrays, **params)

        return noted

    for key, row in ROWS.items():
        row.forward = noting(key, former[key])
    try:
        yield entered
    finally:
        for key, row in ROWS.items():
            row.forward = former[key]
