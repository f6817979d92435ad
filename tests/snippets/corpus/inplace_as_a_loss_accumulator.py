import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = 0
for t in range(3):
    loss += ((w * t) ** 2).sum()
print(loss)
loss.backward()
print(w.grad)
