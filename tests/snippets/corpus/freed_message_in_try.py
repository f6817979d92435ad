import torch

x = torch.ones(3, requires_grad=True)
loss = (x * x).mean()
loss.backward()
try:
    loss.backward()
except RuntimeError as err:
    print(type(err).__name__)
    print(str(err)[:60])
print(x.grad)
