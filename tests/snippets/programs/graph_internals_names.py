import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2 + 3 * x
z = y.sum().exp().log()
print(z.grad_fn)
print(z.grad_fn.name())
print(z.grad_fn.next_functions)
node = z.grad_fn
depth = 0
while node is not None:
    print("  " * depth + type(node).__name__, len(node.next_functions))
    node = node.next_functions[0][0] if node.next_functions else None
    depth += 1
acc = y.grad_fn.next_functions[0][0].next_functions[0][0]
print(acc.name(), acc.variable is x)
print(y.grad_fn.next_functions[0][0]._saved_self)
print(y.grad_fn.next_functions[0][0]._saved_exponent)
print(y.grad_fn._saved_alpha)
m = torch.nn.Linear(3, 2)
out = m(torch.randn(4, 3))
print(out.grad_fn.name(), [f[0].name() if f[0] else None for f in out.grad_fn.next_functions])
a = torch.rand(2, 3, requires_grad=True)
b = torch.rand(3, 2, requires_grad=True)
c = a @ b
print(c.grad_fn._saved_self.shape, c.grad_fn._saved_mat2.shape)
s = torch.softmax(c, dim=1)
print(s.grad_fn._saved_dim, torch.equal(s.grad_fn._saved_result, s))
r = torch.relu(c)
print(r.grad_fn.name(), r.grad_fn._saved_result.shape)
print(c.T.grad_fn, c.view(-1).grad_fn, c[0].grad_fn, c[:, 1].grad_fn)
print(c.sum(0).grad_fn, c.mean().grad_fn, c.max().grad_fn, c.max(1)[0].grad_fn, c.std().grad_fn)
print(torch.cat([a, b.T]).grad_fn, torch.stack([a, a]).grad_fn)
print(c.unsqueeze(0).grad_fn, c.unsqueeze(0).squeeze().grad_fn, c.expand(2, 2, 2).grad_fn)
print(c.clone().grad_fn, c.contiguous().grad_fn is c.grad_fn, c.to(torch.float64).grad_fn)
print((c / 2).grad_fn, (2 / c).grad_fn, (-c).grad_fn, (c - 1).grad_fn, (1 - c).grad_fn, c.abs().grad_fn)
