"""`DataLoader`: batches of a dataset, in this process."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.engine.random import Generator
from gradviz.torch.utils.data.collate import default_collate, default_convert
from gradviz.torch.utils.data.dataset import IterableDataset
from gradviz.torch.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler, draw_seed


class DataLoader:
    """Iterates over batches; `num_workers` is accepted and everything is loaded here."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
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

    def _choose(self, batch_size: int | None, shuffle: bool, sampler: Any, batch_sampler: Any) -> None:
        """Make the samplers that were not given; refuse what excludes each other."""
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

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, "
                "then device pinned memory won't be used.",
                stacklevel=2,
            )
        draw_seed(self.generator)  # PyTorch draws a seed for its workers, whether it has any or not
        return self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.iterable:
            yield from self._chunks()
        elif self.batch_sampler is not None:
            for indices in self.batch_sampler:
                yield self.collate_fn(self._fetch(indices))
        else:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])

    def _fetch(self, indices: list[int]) -> Any:
        together = getattr(self.dataset, "__getitems__", None)
        return together(indices) if callable(together) else [self.dataset[index] for index in indices]

    def _chunks(self) -> Iterator[Any]:
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
