import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.from_numpy(x.detach().numpy() * 2)
print(y.requires_grad)
loss = y.sum()
try:
    loss.backward()
except RuntimeError as e:
    print("RuntimeError:", e)
print(x.grad)
