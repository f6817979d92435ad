from __future__ import annotations
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    Final,
    Generic,
    Iterable,
    Iterator,
    List,
    Literal,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypedDict,
    TypeVar,
    Union,
    cast,
    overload,
    TYPE_CHECKING,
)
import torch
from torch import Tensor

if TYPE_CHECKING:
    from somewhere import Something

T = TypeVar("T", bound=Tensor)
Shape = Tuple[int, ...]
Reduction = Literal["mean", "sum"]
EPS: Final = 1e-8


class SupportsForward(Protocol):
    def forward(self, x: Tensor) -> Tensor: ...


class Batch(TypedDict, total=False):
    x: Tensor
    y: Tensor


class Metrics(NamedTuple):
    loss: float
    accuracy: float = 0.0


class Stack(Generic[T]):
    limit: ClassVar[int] = 4

    def __init__(self) -> None:
        self._items: List[T] = []

    def push(self, item: T) -> "Stack[T]":
        self._items.append(item)
        return self

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)


@overload
def pick(x: int) -> int: ...
@overload
def pick(x: str) -> str: ...
def pick(x):
    return x


class Double:
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


def run(
    model: SupportsForward, batch: Batch, reduce: Reduction = "mean", f: Optional[Callable[[Tensor], Any]] = None
) -> Union[float, Tensor]:
    out: Tensor = model.forward(batch["x"])
    return cast(float, getattr(out, reduce)().item()) if f is None else f(out)


batch = Batch(x=torch.ones(3))
print(run(Double(), batch), run(Double(), batch, "sum"), run(Double(), batch, f=lambda t: t.shape))
print(Metrics(0.5), Metrics(1, 2)._asdict(), batch)
print([t.item() for t in Stack().push(torch.tensor(1)).push(torch.tensor(2))], pick("a"), Stack.limit)
x: torch.Tensor
y: list[int] | None = None
print(y, Stack[Tensor]().push(torch.zeros(1))._items)
