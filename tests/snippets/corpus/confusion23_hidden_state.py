import torch

w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)
for step in range(3):
    h = torch.tanh(w * h)
    loss = (h - 1) ** 2
    print("step", step)
    loss.backward()
    print(w.grad)
