import torch

torch.manual_seed(0)
Wxh = torch.randn(2, 3, requires_grad=True)
Whh = torch.randn(3, 3, requires_grad=True)
bh = torch.zeros(3, requires_grad=True)
xs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
h = torch.zeros(3)
for x in xs:
    h = torch.tanh(x @ Wxh + h @ Whh + bh)
    print(h)
loss = h.sum()
loss.backward()
print(bh.grad)
print(Whh.grad)
