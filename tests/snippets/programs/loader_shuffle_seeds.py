import torch
from torch.utils.data import (
    DataLoader,
    Dataset,
    TensorDataset,
    random_split,
    Subset,
    ConcatDataset,
    WeightedRandomSampler,
    SubsetRandomSampler,
    BatchSampler,
    SequentialSampler,
    RandomSampler,
    IterableDataset,
    default_collate,
)


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return torch.tensor(i), {"sq": i**2, "name": f"n{i}"}


torch.manual_seed(0)
for xb, d in DataLoader(Squares(7), batch_size=3, shuffle=True):
    print(xb, d)
for xb, d in DataLoader(Squares(7), batch_size=3, drop_last=True):
    print(xb.tolist(), d["sq"], d["name"])
ds = TensorDataset(torch.arange(10.0), torch.arange(10) % 2)
a, b = random_split(ds, [7, 3], generator=torch.Generator().manual_seed(1))
print(a.indices, b.indices, len(a), a[0])
a, b = random_split(ds, [0.8, 0.2])
print(a.indices, b.indices)
print([x for (x,) in DataLoader(TensorDataset(torch.arange(5)), batch_size=2)])
print(list(WeightedRandomSampler([0.1, 0.9, 0.5], 6, replacement=True)))
print(list(SubsetRandomSampler([3, 1, 4])), list(BatchSampler(SequentialSampler(range(5)), 2, False)))
print(list(RandomSampler(range(5), replacement=True, num_samples=4)))
dl = DataLoader(ds, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(3))
print(len(dl), len(dl.dataset), dl.batch_size)
for epoch in range(2):
    print([y.tolist() for _, y in dl])


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(5))


print([b.tolist() for b in DataLoader(Stream(), batch_size=2)])
print(default_collate([(1, 2.0), (3, 4.0)]), default_collate([{"a": torch.ones(2)}, {"a": torch.zeros(2)}]))


def collate(batch):
    xs, ys = zip(*batch)
    return torch.nn.utils.rnn.pad_sequence([torch.ones(int(x) + 1) for x in xs], batch_first=True), list(ys)


for p, y in DataLoader(Subset(ds, [0, 2, 3]), batch_size=3, collate_fn=collate):
    print(p, y)
print(len(ConcatDataset([ds, ds])), next(iter(DataLoader(ds, batch_size=None)))[0])
it = iter(DataLoader(ds, batch_size=5))
print(next(it)[0].shape, next(it)[1])
try:
    next(it)
except StopIteration:
    print("done")
x, y = next(iter(DataLoader(ds, batch_size=3, num_workers=0, pin_memory=False, persistent_workers=False)))
print(x, y)
try:
    DataLoader(ds, batch_size=0)
except ValueError as e:
    print(e)
