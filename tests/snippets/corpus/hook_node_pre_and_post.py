import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
fn = y.grad_fn
fn.register_prehook(lambda grad_outputs: print("pre", grad_outputs))
fn.register_hook(lambda grad_inputs, grad_outputs: print("post", grad_inputs, grad_outputs))
y.backward()
print(x.grad)
