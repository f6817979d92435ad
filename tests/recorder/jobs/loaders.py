"""Dataset with workers, collate, sampler, pin off, two epochs, early break."""

import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Squares(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        x = torch.full((2,), float(i)) / 24
        return {"x": x, "y": x.pow(2).sum(), "id": i}


def collate(rows):
    return torch.stack([r["x"] for r in rows]), torch.stack([r["y"] for r in rows]), [r["id"] for r in rows]


if __name__ == "__main__":
    torch.manual_seed(3)
    sampler = WeightedRandomSampler(torch.ones(24), 16)
    loader = DataLoader(
        Squares(), batch_size=4, sampler=sampler, num_workers=2, collate_fn=collate, persistent_workers=True
    )
    model = torch.nn.Linear(2, 1)
    opt = torch.optim.Adam(model.parameters(), 0.05)
    for epoch in range(2):
        for n, (x, y, ids) in enumerate(loader):
            loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            print(epoch, n, ids, loss.item())
            if epoch and n == 2:
                break
