import torch

ran = []
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
p = a * 2
q = b * 3
r = p + q
for name, t in (("p", p), ("q", q), ("r", r)):
    t.grad_fn.register_prehook(lambda g, name=name: ran.append(name))
r.backward(inputs=[b])
print(ran)
print(a.grad, b.grad)
