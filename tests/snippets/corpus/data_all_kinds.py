import collections

import torch
from torch.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    random_split,
)

torch.manual_seed(0)
data = TensorDataset(torch.arange(10), torch.arange(10) * 2.0)
print(len(data), data[3], data[1:3])
for batch in DataLoader(data, batch_size=4, shuffle=True):
    print(batch)
print([len(b[0]) for b in DataLoader(data, batch_size=4, drop_last=True)])
print(len(DataLoader(data, batch_size=4)), len(DataLoader(data, batch_size=4, drop_last=True)))
g = torch.Generator().manual_seed(1)
print([b[0].tolist() for b in DataLoader(data, 3, shuffle=True, generator=g)])
a, b, c = random_split(data, [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(2))
print(len(a), len(b), len(c), a.indices, [int(x) for x, _ in b])
try:
    random_split(data, [3, 3])
except ValueError as error:
    print(error)
print(
    list(WeightedRandomSampler([0.1, 0.9, 0.4], 6)), list(WeightedRandomSampler([0.1, 0.9, 0.4], 3, replacement=False))
)
print(list(BatchSampler(SequentialSampler(range(7)), 3, False)), list(BatchSampler(RandomSampler(range(7)), 3, True)))
print(list(RandomSampler(range(4), replacement=True, num_samples=6)), list(SubsetRandomSampler([5, 6, 7])))
print(len(ConcatDataset([data, data])), ConcatDataset([data, data])[12], Subset(data, [1, 2])[1])
print(StackDataset(torch.arange(3), torch.ones(3))[1], StackDataset(x=torch.arange(3), y=torch.ones(3))[2])


class Count(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))


print([x.tolist() for x in DataLoader(Count(5), batch_size=2)], list(ChainDataset([Count(2), Count(3)])))
try:
    DataLoader(Count(3), shuffle=True)
except ValueError as error:
    print(error)
Point = collections.namedtuple("Point", "x y")
print(default_collate([Point(1, 2.0), Point(3, 4.0)]))
print(
    default_collate([{"a": 1, "b": "text"}, {"a": 2, "b": "more"}]),
    default_collate([(1, torch.ones(2)), (2, torch.zeros(2))]),
)
print(default_convert({"a": 1.5, "b": [1, 2]}), default_collate([True, False]), default_collate(["a", "b"]))
for wrong in ([torch.ones(2), torch.ones(3)], [[1, 2], [3]], [object()], [None]):
    try:
        default_collate(wrong)
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error).split(";")[0].split(" at 0x")[0])


class Squares(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"i": i, "sq": torch.tensor(i * i)}


for batch in DataLoader(Squares(), batch_size=2, collate_fn=None):
    print(batch)
print(list(DataLoader(Squares(), batch_size=None))[2], len(Squares() + Squares()))
for options in (
    {"batch_size": 0},
    {"shuffle": True, "sampler": SequentialSampler([1])},
    {"num_workers": -1},
    {"timeout": -1},
):
    try:
        DataLoader(Squares(), **options)
    except (ValueError, TypeError) as error:
        print(error)
loader = DataLoader(Squares(), 2, sampler=SubsetRandomSampler([0, 3]), num_workers=0, pin_memory=False)
print(loader.batch_size, loader.drop_last, type(loader.sampler).__name__, next(iter(loader))["sq"])
it = iter(loader)
next(it)
try:
    next(it)
except StopIteration:
    print("over")
print(torch.initial_seed() == 0, torch.rand(1))
