import torch

w = torch.tensor(1.0, requires_grad=True)
alpha = torch.tensor(0.1, requires_grad=True)
inner = (w * 2 - 3) ** 2
(g,) = torch.autograd.grad(inner, w, create_graph=True)
w2 = w - alpha * g
outer = (w2 * 2 - 3) ** 2
outer.backward()
print(inner, g, w2, outer)
print(w.grad, alpha.grad)
