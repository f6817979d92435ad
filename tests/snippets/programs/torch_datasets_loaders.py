import torch
from torch.utils.data import (
    Dataset,
    DataLoader,
    TensorDataset,
    Subset,
    ConcatDataset,
    IterableDataset,
    random_split,
    SubsetRandomSampler,
    WeightedRandomSampler,
    SequentialSampler,
    RandomSampler,
    BatchSampler,
)


class Words(Dataset):
    def __init__(self, words, transform=None):
        self.words, self.transform = words, transform

    def __len__(self):
        return len(self.words)

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        sample = {"word": self.words[idx], "length": len(self.words[idx])}
        return self.transform(sample) if self.transform else sample


def collate(batch):
    lengths = torch.tensor([b["length"] for b in batch])
    ids = [torch.tensor([ord(c) - 97 for c in b["word"]]) for b in batch]
    return torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=-1), lengths


ds = Words(["ab", "c", "def", "gh", "i"])
for ids, lengths in DataLoader(ds, batch_size=2, collate_fn=collate):
    print(ids.tolist(), lengths)
print(next(iter(DataLoader(ds, batch_size=3))))
torch.manual_seed(0)
train, val = random_split(range(10), [7, 3], generator=torch.Generator().manual_seed(42))
print(list(train), list(val), len(train))
a, b = random_split(TensorDataset(torch.arange(4)), [0.5, 0.5])
print(len(a), len(b), len(ConcatDataset([a, b])), list(Subset("abcdef", [0, 2])))
for sampler in (
    SequentialSampler(range(4)),
    RandomSampler(range(4)),
    SubsetRandomSampler([1, 3]),
    WeightedRandomSampler([0.1, 0.9], 4),
):
    print(type(sampler).__name__, list(sampler))
print(list(BatchSampler(SequentialSampler(range(5)), 2, drop_last=False)))


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        yield from (torch.tensor(i) for i in range(self.n))


print([x.tolist() for x in DataLoader(Stream(5), batch_size=2)])
loader = DataLoader(
    TensorDataset(torch.arange(6.0).view(3, 2), torch.arange(3)),
    batch_size=2,
    shuffle=True,
    drop_last=True,
    num_workers=2,
    pin_memory=False,
)
print(len(loader), loader.batch_size, len(loader.dataset), [y.tolist() for x, y in loader])
x, y = next(iter(loader))
print(x.shape, y.dtype)
