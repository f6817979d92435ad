import copy
import torch
from torch import nn

torch.manual_seed(0)
X = torch.linspace(0, 1, 20).unsqueeze(1)
y = 2 * X + 0.5
split = int(0.8 * len(X))
parts = {"train": (X[:split], y[:split]), "val": (X[split:], y[split:])}
model = nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
best_loss, best_wts = float("inf"), None
for epoch in range(6):
    for phase in ["train", "val"]:
        model.train() if phase == "train" else model.eval()
        with torch.set_grad_enabled(phase == "train"):
            loss = nn.functional.mse_loss(model(parts[phase][0]), parts[phase][1])
            if phase == "train":
                opt.zero_grad()
                loss.backward()
                opt.step()
        print(f"{phase} {loss:.4f}", end="\n" if phase == "val" else "  ")
        if phase == "val" and loss < best_loss:
            best_loss, best_wts = loss.item(), copy.deepcopy(model.state_dict())
model.load_state_dict(best_wts)
print(f"best {best_loss:.4f}", list(best_wts))
