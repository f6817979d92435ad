import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)


def after(p):
    print("accumulated:", p.grad)
    p.grad = None


x.register_post_accumulate_grad_hook(after)
(x**2).sum().backward()
print(x.grad)
try:
    (x * 2).register_post_accumulate_grad_hook(after)
except RuntimeError as e:
    print(e)
