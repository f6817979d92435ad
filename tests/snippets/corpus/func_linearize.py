import torch
from torch.func import linearize, jvp

x = torch.tensor([0.5, -1.0, 2.0])
calls = []


def f(x):
    calls.append(x.shape)
    return x.sin() * x.sum(), {"norm": x.norm()}


value, push = linearize(f, x)
print(value)
for tangent in torch.eye(3):
    print(push(tangent))
print(jvp(f, (x,), (torch.ones(3),))[1])
print(push(torch.ones(3)))
for wrong in (torch.ones(2), torch.ones(3, dtype=torch.float64), [torch.ones(3)]):
    try:
        push(wrong)
    except RuntimeError as error:
        print(error)
value, push = linearize(lambda a, b: a @ b, torch.eye(2), torch.arange(4.0).view(2, 2))
print(value, push(torch.ones(2, 2), torch.zeros(2, 2)))
