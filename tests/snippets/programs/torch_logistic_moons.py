import math
import torch
from torch import nn


def make_moons(n=40, noise=0.05):
    t = torch.linspace(0, math.pi, n // 2)
    outer = torch.stack([t.cos(), t.sin()], dim=1)
    inner = torch.stack([1 - t.cos(), 0.5 - t.sin()], dim=1)
    X = torch.cat([outer, inner]) + noise * torch.randn(n, 2)
    y = torch.cat([torch.zeros(n // 2), torch.ones(n // 2)])
    return X, y


torch.manual_seed(3)
X, y = make_moons()


class MoonModel(nn.Module):
    def __init__(self, hidden_units=8):
        super().__init__()
        self.stack = nn.Sequential(
            nn.Linear(2, hidden_units),
            nn.ReLU(),
            nn.Linear(hidden_units, hidden_units),
            nn.ReLU(),
            nn.Linear(hidden_units, 1),
        )

    def forward(self, x):
        return self.stack(x)


def accuracy_fn(y_true, y_pred):
    correct = torch.eq(y_true, y_pred).sum().item()
    return (correct / len(y_pred)) * 100


model = MoonModel()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(params=model.parameters(), lr=0.3)
for epoch in range(40):
    model.train()
    y_logits = model(X).squeeze()
    y_preds = torch.round(torch.sigmoid(y_logits))
    loss = loss_fn(y_logits, y)
    acc = accuracy_fn(y, y_preds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.inference_mode():
        test_loss = loss_fn(model(X).squeeze(), y)
    if epoch % 10 == 0:
        print(f"Epoch: {epoch} | Loss: {loss:.4f}, Accuracy: {acc:.2f}% | Test loss: {test_loss:.4f}")
