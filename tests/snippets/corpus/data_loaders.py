import torch
from torch.utils.data import Dataset, DataLoader, random_split, Subset, ConcatDataset, WeightedRandomSampler

torch.manual_seed(0)


class DS(Dataset):
    def __init__(self, n):
        self.x = torch.arange(n).float()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], {"label": i, "name": "n%d" % i}


dl = DataLoader(DS(7), batch_size=3, shuffle=True, drop_last=False, num_workers=0, pin_memory=False)
for x, d in dl:
    print(x, d)
print(len(dl), len(dl.dataset), next(iter(dl))[0])
a, b = random_split(DS(10), [7, 3])
print(a.indices, len(b))
a, b = random_split(DS(10), [0.8, 0.2], generator=torch.Generator().manual_seed(42))
print(list(a.indices))
print(len(ConcatDataset([DS(2), DS(3)])), Subset(DS(5), [1, 2])[0])
for x in DataLoader(range(5), batch_size=2, collate_fn=lambda b: torch.tensor(b)):
    print(x)
print(list(DataLoader(DS(4), sampler=WeightedRandomSampler([0.1, 0.2, 0.3, 0.4], 4)))[0])
for e, (x, d) in enumerate(DataLoader(DS(2))):
    print(e, x)
