import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.ones(3)
prediction = (w * x).sum()
for epoch in range(2):
    loss = (prediction - 1) ** 2
    loss.backward()
    print("epoch", epoch, w.grad)
