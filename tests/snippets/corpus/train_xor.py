import torch
import torch.nn as nn

torch.manual_seed(2)
X = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])


class XOR(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        x = torch.tanh(self.hidden(x))
        return torch.sigmoid(self.out(x))


net = XOR()
opt = torch.optim.SGD(net.parameters(), lr=1.0)
loss_fn = nn.BCELoss()
for epoch in range(500):
    opt.zero_grad()
    loss = loss_fn(net(X), Y)
    loss.backward()
    opt.step()
    if epoch % 100 == 0:
        print(epoch, f"{loss.item():.3f}")
print((net(X) > 0.5).int().flatten().tolist())
