"""`DataLoader`: batches of a dataset, in this process; and how examples are combined into a batch."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.state import DATA_LOADER, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.distributions import Generator
from gradviz.engine.run.api import FUNCTIONS
from gradviz.torch.utils.data.dataset import IterableDataset
from gradviz.torch.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler, draw_seed

# --- combining examples into a batch ---


def default_convert(data: object) -> Any:
    """Convert arrays to tensors, through containers."""
    if isinstance(data, np.ndarray) and data.dtype.kind in "biufc":
        return FUNCTIONS["as_tensor"](data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple | list):
        return [default_convert(each) for each in data]  # a tuple, too
    return data


def default_collate(batch: Any) -> Any:
    """One batch from a list of items."""
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](list(batch), 0)
    if isinstance(first, np.ndarray):
        return FUNCTIONS["stack"]([FUNCTIONS["as_tensor"](each) for each in batch], 0)
    if isinstance(first, np.generic):
        return FUNCTIONS["as_tensor"](np.array(batch))
    if isinstance(first, float):
        return FUNCTIONS["tensor"](list(batch), dtype=dtypes.float64)
    if isinstance(first, int):
        return FUNCTIONS["tensor"](list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(column) for column in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(column) for column in zip(*batch, strict=True)]
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


Ends = Callable[[int], bool]  # called before each batch: whether a pass ends after so many items


@contextmanager
def to_the_end(dataset: object, batch: int) -> Iterator[Ends | None]:
    """Inside, there is a pass over this data in batches of this size; it never ends early, as in PyTorch."""
    yield None


PASSES: dict[str, Callable[[object, int], AbstractContextManager[Ends | None]]] = {"open": to_the_end}


class _SingleProcessDataLoaderIter:
    """One pass through a loader."""

    def __init__(self, loader: DataLoader, batches: Iterator[object]) -> None:
        self._loader, self._batches = loader, batches

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    def __next__(self) -> object:
        """The next batch; for an observer, all that is done for it is one region."""
        observer = state.observer
        if observer is None:
            return next(self._batches)
        observer.enter(DATA_LOADER)
        try:
            return next(self._batches)
        finally:
            observer.exit()

    def __len__(self) -> int:
        return len(self._loader)


_FIXED = frozenset("batch_size batch_sampler sampler drop_last dataset persistent_workers".split())


class DataLoader:
    """Iterates over batches; `num_workers` is accepted, but everything is loaded in this process."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: object = None,
        batch_sampler: object = None,
        num_workers: int = 0,
        collate_fn: Callable[[object], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: object = None,
        multiprocessing_context: object = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        self._check(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.drop_last = drop_last
        self.generator = generator
        self.pin_memory = pin_memory
        self.iterable = isinstance(dataset, IterableDataset)
        self._choose(batch_size, bool(shuffle), sampler, batch_sampler)
        batched = self.batch_sampler is not None or (self.iterable and self.batch_size is not None)
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._initialized = True

    def __setattr__(self, name: str, value: object) -> None:
        if name in _FIXED and "_initialized" in vars(self):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def _choose(self, batch_size: int | None, shuffle: bool, sampler: Any, batch_sampler: Any) -> None:
        """Make the samplers that were not given; refuse contradictory arguments."""
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or self.drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and self.drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if self.iterable and shuffle:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
            )
        for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if self.iterable and given is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
                )
        if sampler is None and not self.iterable:
            ordered = SequentialSampler(self.dataset)
            sampler = RandomSampler(self.dataset, generator=self.generator) if shuffle else ordered
        if batch_size is not None and batch_sampler is None and not self.iterable:
            batch_sampler = BatchSampler(sampler, batch_size, self.drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.batch_sampler = batch_sampler

    @staticmethod
    def _check(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing."
                "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, "
                "then device pinned memory won't be used.",
                stacklevel=2,
            )
        draw_seed(self.generator)  # PyTorch draws a seed for its workers even if it has none
        return _SingleProcessDataLoaderIter(self, self._batches())

    def _batches(self) -> Iterator[object]:
        if self.iterable:
            yield from self._chunks()
        elif self.batch_sampler is not None:
            yield from self._chosen(self.batch_sampler)
        else:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])

    def _chosen(self, batches: Iterable[Any]) -> Iterator[object]:
        with PASSES["open"](self.dataset, self.batch_size or 1) as ends:
            taken = 0
            for indices in batches:
                if ends is not None:
                    if ends(taken):
                        return
                    taken += len(indices)
                yield self.collate_fn(self._fetch(indices))

    def _fetch(self, indices: list[int]) -> Any:
        together = getattr(self.dataset, "__getitems__", None)
        return together(indices) if callable(together) else [self.dataset[index] for index in indices]

    def _chunks(self) -> Iterator[object]:
        items = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, items)
            return
        while chunk := list(itertools.islice(items, self.batch_size)):
            if self.drop_last and len(chunk) < self.batch_size:
                return
            yield self.collate_fn(chunk)

    def __len__(self) -> int:
        if self.iterable:
            count = len(self.dataset)
            if self.batch_size is None:
                return count
            return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
        return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)
