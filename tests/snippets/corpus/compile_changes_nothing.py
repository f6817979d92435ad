import torch


@torch.compile
def square(x):
    return x * x


double = torch.compile(lambda x: x * 2, mode="reduce-overhead", fullgraph=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)
double(square(x)).sum().backward()
print(x.grad)
print(torch.compile(square)(torch.tensor(3.0)))
