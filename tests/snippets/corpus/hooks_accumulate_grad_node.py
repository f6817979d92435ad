import torch

x = torch.zeros(2, requires_grad=True)
gx = torch.ones(2)
x.sum().backward()
g1 = x.grad
x.sum().backward()
print(x.grad is g1, g1)
x.grad = None
x.sum().backward(create_graph=True)
g2 = x.grad
x.sum().backward(create_graph=True)
print(x.grad is g2, g2, x.grad)
node = x.view_as(x).grad_fn.next_functions[0][0]
print(node, node.name(), node.variable is x)
node.register_hook(lambda gi, go: print("acc", gi, go))
node.register_prehook(lambda go: print("pre", go))
x.grad = None
(x * 3).sum().backward()
print(x.grad)
x.register_post_accumulate_grad_hook(lambda p: print("post", p.grad))
(x * 3).sum().backward()
