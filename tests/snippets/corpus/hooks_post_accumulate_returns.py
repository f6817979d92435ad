import torch

weight = torch.zeros(3, requires_grad=True)
step = weight.register_post_accumulate_grad_hook(lambda p: p.add_(p.grad, alpha=-0.1))
(weight * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(weight, weight.grad)
step.remove()
for returned in (5, "text", torch.ones(1), torch.ones(3, dtype=torch.float64), None):
    again = torch.zeros(3, requires_grad=True)
    again.register_post_accumulate_grad_hook(lambda p: returned)
    try:
        again.sum().backward()
        print(again.grad)
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)
