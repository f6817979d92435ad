"""The methods that a condition may call on a value: of all its elements, or, where a value was too large to be recorded
whole, of what is known of it. Pure; `conditions` has the language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradviz.session.condition_errors import AbsentError, ConditionError

if TYPE_CHECKING:
    from gradviz.trace.table.values import Value

NO_ANSWER = "This is not true or false; compare it with something."
ONE_EACH = "This gives one result per element; end it with .any() or .all()."


@dataclass(frozen=True)
class Known:
    """A value of which only the summary is known. What that does not tell is absent."""

    low: float
    high: float
    mean: float
    length: float
    nans: int
    shape: tuple[int, ...]
    numel: int

    def call(self, method: str) -> Any:
        """What a method gives."""
        if method == "abs":
            low = 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
            return Known(low, max(abs(self.low), abs(self.high)), float("nan"), self.length, self.nans, *self._size)
        found: dict[str, Any] = {
            "max": float("nan") if self.nans else self.high,
            "min": float("nan") if self.nans else self.low,
            "mean": self.mean,
            "sum": self.mean * self.numel,
            "norm": self.length,
            "isnan": Which(self.nans > 0, self.nans == self.numel),
            "isinf": Which(float("inf") in (self.high, -self.low), self.low == self.high == float("inf")),
        }
        if method not in found or (method in ("mean", "sum") and self.mean != self.mean and not self.nans):
            raise AbsentError
        return found[method]

    @property
    def _size(self) -> tuple[tuple[int, ...], int]:
        return self.shape, self.numel


@dataclass(frozen=True)
class Which:
    """Of which elements something is true, as far as that is known."""

    any: bool
    all: bool

    def call(self, method: str) -> bool:
        """Only .any() and .all() can be told."""
        if method not in ("any", "all"):
            raise AbsentError
        return self.any if method == "any" else self.all


def elements_of(value: Value) -> Any:
    """What a condition sees of a value."""
    if value.array is None:
        about = value.summary
        return Known(about.low, about.high, about.mean, about.norm, about.nans, value.shape, value.numel)
    array = value.array
    return array.astype("float64") if value.dtype in ("float16", "bfloat16", "float32") else array


def call(thing: Any, method: str) -> Any:
    """The answer of a method. Raises AbsentError where there is none."""
    import numpy as np

    if thing is None:
        raise AbsentError
    if isinstance(thing, str | tuple):
        raise ConditionError(f"Only value and grad have .{method}().")
    if isinstance(thing, Known | Which):
        return thing.call(method)
    array = np.asarray(thing)
    if method in ("max", "min", "mean", "item") and (not array.size or (method == "item" and array.size != 1)):
        raise AbsentError
    return _METHODS[method](array)


def truth(thing: Any) -> bool:
    """Yes or no. Raises ConditionError where an answer is neither."""
    if isinstance(thing, str | tuple | Which):
        raise ConditionError(NO_ANSWER)
    if getattr(thing, "size", 1) != 1:
        raise ConditionError(ONE_EACH)
    return bool(thing)


def _norm(array: Any) -> Any:
    import numpy as np

    return np.sqrt(np.square(abs(array)).sum())


def _isnan(array: Any) -> Any:
    import numpy as np

    return np.isnan(array)


def _isinf(array: Any) -> Any:
    import numpy as np

    return np.isinf(array)


_METHODS: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "max": lambda array: array.max(),
    "min": lambda array: array.min(),
    "sum": lambda array: array.sum(),
    "mean": lambda array: array.mean(),
    "norm": _norm,
    "isnan": _isnan,
    "isinf": _isinf,
    "any": lambda array: array.any(),
    "all": lambda array: array.all(),
    "item": lambda array: array.reshape(())[()],
}
METHODS = tuple(_METHODS)
