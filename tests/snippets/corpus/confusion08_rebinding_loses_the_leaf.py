import torch

w = torch.tensor(5.0, requires_grad=True)
lr = 0.1
for step in range(2):
    loss = (w - 1) ** 2
    loss.backward()
    print(step, w.grad)
    w = w - lr * w.grad
    print(w)
