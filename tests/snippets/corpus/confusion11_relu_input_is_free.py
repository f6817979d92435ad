import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
h = x * 3
y = torch.relu(h)
h += 100
y.sum().backward()
print(x.grad)

h = x * 3
y = torch.relu(h)
y += 100
y.sum().backward()
