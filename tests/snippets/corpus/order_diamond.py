import torch

order = []
v = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
a = v * 2
c = w * 3
d = a + c
e = d * v
r = e + w
for n, t in dict(a=a, c=c, d=d, e=e, r=r).items():
    t.grad_fn.register_prehook(lambda g, n=n: order.append(n))
v.register_hook(lambda g: order.append("v"))
w.register_hook(lambda g: order.append("w"))
r.backward()
print(" -> ".join(order))
print(v.grad, w.grad)
