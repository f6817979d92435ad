import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    print(torch.autograd.gradcheck(lambda t: t**2, (x,)))
except Exception as e:
    print(type(e).__name__, str(e)[:60])
print(torch.autograd.gradcheck(lambda t: t**2, (x.double().detach().requires_grad_(),)))
