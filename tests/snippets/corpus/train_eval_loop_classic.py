import torch
from torch import nn, optim

print(torch.__version__.split("+")[0])
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.LogSoftmax(dim=1))
criterion = nn.NLLLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
for epoch in range(3):
    model.train()
    running_loss = 0
    for i in range(0, 12, 4):
        optimizer.zero_grad()
        output = model(x[i : i + 4])
        loss = criterion(output, y[i : i + 4])
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    else:
        print(f"Training loss: {running_loss / 3:.4f}")
model.eval()
with torch.no_grad():
    ps = torch.exp(model(x[:1]))
    top_p, top_class = ps.topk(1, dim=1)
print(ps.shape, f"{top_p.item():.4f}", top_class)
