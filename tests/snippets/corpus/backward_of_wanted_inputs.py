import torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
a = x * 2
b = w * 5
a.register_hook(lambda g: print("hook a", g))
b.register_hook(lambda g: print("hook b", g))
x.register_hook(lambda g: print("hook x", g))
w.register_hook(lambda g: print("hook w", g))
a.grad_fn.register_hook(lambda gi, go: print("node a", gi))
b.grad_fn.register_hook(lambda gi, go: print("node b", gi))
y = a * b
y.grad_fn.register_hook(lambda gi, go: print("node y", gi))
y.backward(inputs=[x], retain_graph=True)
print(x.grad, w.grad)
print(torch.autograd.grad(y, [x], retain_graph=True))
try:
    y.backward()
    print(x.grad, w.grad)
except RuntimeError as e:
    print(e)
# freed?
z = (x * w).exp()
torch.autograd.grad(z, [x])
try:
    torch.autograd.grad(z, [w])
except RuntimeError as e:
    print("second", str(e)[:50])
u = x * w
v = u * u.sin()
torch.autograd.grad(v, [u])
try:
    torch.autograd.grad(u, [x])
    print("u graph kept")
except RuntimeError as e:
    print("third", str(e)[:50])


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, p, q):
        ctx.save_for_backward(p, q)
        return p * q

    @staticmethod
    def backward(ctx, g):
        print("needs", ctx.needs_input_grad)
        p, q = ctx.saved_tensors
        return g * q, g * p


p = torch.tensor(2.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
m = Both.apply(p, q)
m.grad_fn.register_hook(lambda gi, go: print("custom", gi))
print(torch.autograd.grad(m, p, retain_graph=True))

linear = torch.nn.Linear(2, 2)
torch.nn.init.ones_(linear.weight)
data = torch.ones(1, 2, requires_grad=True)
out = linear(data).sum()
out.grad_fn.next_functions[0][0].register_hook(
    lambda gi, go: print("addmm", [None if g is None else tuple(g.shape) for g in gi])
)
print(torch.autograd.grad(out, data, retain_graph=True))
print(torch.autograd.grad(out, [linear.weight, data], retain_graph=True)[0])

parts = [torch.tensor([float(i)], requires_grad=True) for i in range(3)]
whole = torch.cat(parts)
whole.grad_fn.register_hook(lambda gi, go: print("cat", gi))
whole.sum().backward(inputs=[parts[1]])
print([each.grad for each in parts])

first = torch.tensor(2.0, requires_grad=True)
second = torch.tensor(5.0, requires_grad=True)
d = first**second
d.grad_fn.register_hook(lambda gi, go: print("pow", gi))
(g,) = torch.autograd.grad(d, first, create_graph=True)
print(g, g.grad_fn)
print(torch.autograd.grad(g, [first, second]))

norm = torch.nn.LayerNorm(3)
inner = torch.tensor([[1.0, 2.0, 4.0]], requires_grad=True)
normed = norm(inner)
normed.grad_fn.register_hook(lambda gi, go: print("norm", [None if g is None else tuple(g.shape) for g in gi]))
torch.autograd.grad(normed.sum(), [norm.bias])
