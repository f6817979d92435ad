import torch


class SelfDeletingTempFile:
    pass


x = torch.randn(5, requires_grad=True)
y = x.pow(2)
print(x.equal(y.grad_fn._saved_self))
print(x is y.grad_fn._saved_self)
y = x.exp()
print(y.equal(y.grad_fn._saved_result))
print(y is y.grad_fn._saved_result)


def pack_hook(x):
    print("Packing", x.shape)
    return x


def unpack_hook(x):
    print("Unpacking", x.shape)
    return x


a = torch.ones(5, requires_grad=True)
b = torch.ones(5, requires_grad=True) * 2
with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
    y = a * b
y.sum().backward()
x = torch.ones(5, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda x: x.numpy(), lambda x: torch.from_numpy(x)):
    pass
storage = []


def pack(x):
    storage.append(x)
    return len(storage) - 1


def unpack(x):
    return storage[x]


x = torch.randn(5, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x**2
    z = (y * 3).exp()
print(len(storage))
z.sum().backward()
y = x * x


def f(x):
    return x * 2


y.grad_fn._raw_saved_self.register_hooks(lambda x: x * 4, lambda x: x / 4)
y.sum().backward()
print(torch.allclose(x.grad * 0, torch.zeros(5)))
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.save_on_cpu(pin_memory=False):
    y = x.sigmoid() * x
y.sum().backward()
print(x.grad)
