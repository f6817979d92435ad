import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2


def first(g):
    print("first got", g)
    return g + 1


def second(g):
    print("second got", g)


y.register_hook(first)
y.register_hook(second)
y.backward()
print(x.grad)
