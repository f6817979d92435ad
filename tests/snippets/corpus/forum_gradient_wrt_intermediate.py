import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
y = (h**2).sum()
(g,) = torch.autograd.grad(y, h, retain_graph=True)
print(g)
store = {}
h.register_hook(lambda grad: store.update(h=grad))
y.backward()
print(store["h"], x.grad, torch.equal(g, store["h"]))
