import torch

torch.manual_seed(0)
w = torch.tensor([1.0, -2.0, 3.0])
x = torch.zeros(3, requires_grad=True)
for i in range(3):
    score = torch.tanh(w @ x) - 0.1 * (x**2).sum()
    score.backward()
    with torch.no_grad():
        x += 0.5 * x.grad
    x.grad = None
    print(i, x.detach())
