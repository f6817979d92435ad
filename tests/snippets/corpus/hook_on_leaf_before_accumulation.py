import torch

x = torch.tensor(1.0, requires_grad=True)
x.register_hook(lambda g: print("hook sees", g, "stored", x.grad))
(x * 2).backward()
(x * 3).backward()
print(x.grad)
