"""`torch.utils.data`: datasets, samplers and a loader that works in this process."""

from gradviz.torch.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from gradviz.torch.utils.data.loader import DataLoader, default_collate, default_convert
from gradviz.torch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def get_worker_info() -> None:
    """Return None: data is loaded in a single process."""


__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

for _name in __all__:  # shown when a snippet prints a type
    if isinstance(_found := globals()[_name], type):
        _found.__module__ = _found.__module__.removeprefix("gradviz.").replace(".loader", ".dataloader")
