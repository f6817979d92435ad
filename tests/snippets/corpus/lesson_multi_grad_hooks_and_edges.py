import torch

x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(2.0, requires_grad=True)
z = x * y
acc = z.grad_fn.next_functions[0][0]
calls = []
h1 = acc.register_prehook(lambda g: calls.append(("pre", g[0].item())))
h2 = x.register_hook(lambda g: calls.append(("tensor", g.item())))
h3 = x.register_post_accumulate_grad_hook(lambda p: calls.append(("post", p.grad.item())))
z.backward()
print(calls)
h1.remove(), h2.remove(), h3.remove()
(x * y).backward()
print(calls, x.grad)
