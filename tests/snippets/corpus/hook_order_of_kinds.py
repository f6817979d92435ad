import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * 3
y.register_hook(lambda g: print("tensor hook on y"))
y.grad_fn.register_prehook(lambda g: print("prehook of y.grad_fn"))
y.grad_fn.register_hook(lambda gi, go: print("hook of y.grad_fn"))
x.register_hook(lambda g: print("tensor hook on x"))
x.register_post_accumulate_grad_hook(lambda p: print("post accumulate x"))
z.backward()
print(x.grad)
