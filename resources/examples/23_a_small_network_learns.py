"""A small network learns XOR

Two layers, a few steps of Adam. Every iteration builds a new graph, walks back through it and throws it away; only the
parameters stay. This is the loop of every training script.

Look at: one iteration at a time. The weights of both layers are leaves, and the loss falls.
"""
import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
Y = torch.tensor([[0.], [1.], [1.], [0.]])


class XOR(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


net = XOR()
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)

for epoch in range(5):
    optimizer.zero_grad()
    loss = loss_fn(net(X), Y)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
