import torch

w = torch.tensor(2.0, requires_grad=True)
total = 0
for i in range(3):
    loss = (w * i) ** 2
    total = total + loss
print(total)
total.backward()
print(w.grad)
