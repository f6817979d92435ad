import torch
import torch.nn as nn

torch.manual_seed(2)
X = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float32)
y = torch.tensor([[0], [1], [1], [0]], dtype=torch.float32)
model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())
opt = torch.optim.Adam(model.parameters(), lr=0.1)
loss_fn = nn.BCELoss()
for epoch in range(60):
    opt.zero_grad()
    loss = loss_fn(model(X), y)
    loss.backward()
    opt.step()
    if not epoch % 20:
        print("epoch", epoch, "loss", round(loss.item(), 3))
print([int(p > 0.5) for p in model(X).squeeze().tolist()])
