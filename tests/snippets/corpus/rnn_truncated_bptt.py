import torch

w = torch.tensor(0.9, requires_grad=True)
h = torch.tensor(1.0)
for chunk in range(2):
    h = h.detach()
    loss = 0
    for t in range(3):
        h = torch.tanh(w * h)
        loss = loss + h**2
    loss.backward()
    print(chunk, loss.item(), w.grad.item())
