"""Buffers that went through hooks keep their history; what the hooks and the raw buffers refuse."""

import torch
from torch.autograd.graph import saved_tensors_hooks


def tell(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("Invoked with")[0])


a = torch.tensor([1.0, 2.0], requires_grad=True)


def pack(x):
    print("pack", x)
    return x * 2


with saved_tensors_hooks(pack, lambda x: x / 2):
    b = a.exp()
    c = b * a
print(b.grad_fn._saved_result)
print(c.grad_fn._saved_self.grad_fn is b.grad_fn, c.grad_fn._saved_other.requires_grad)
(first,) = torch.autograd.grad(c.sum(), a, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), a)
print(first, second)

d = a.sin()
raw = d.grad_fn._raw_saved_self
print(raw.data is a, raw.unpack_hook, raw.unpack() is a)
tell("one hook", lambda: raw.register_hooks(lambda x: x))
tell("no functions", lambda: raw.register_hooks(1, 2))
raw.register_hooks(lambda x: (x.requires_grad, x), lambda pair: pair[1])
print(raw.data, d.grad_fn._saved_self)
tell("twice", lambda: raw.register_hooks(lambda x: x, lambda x: x))
d.sum().backward()
tell("freed", lambda: raw.register_hooks(lambda x: x, lambda x: x))
tell("freed data", lambda: raw.data)
tell("freed unpack", lambda: raw.unpack())
tell("made by hand", lambda: type(raw)())


def count_up(x):
    x += 1
    return x


e = a.exp()
tell("writes", lambda: e.grad_fn._raw_saved_result.register_hooks(count_up, lambda x: x))
with saved_tensors_hooks(count_up, lambda x: x):
    tell("writes by default", lambda: a.exp())
with saved_tensors_hooks(lambda x: x, lambda x: 5):
    e = a.cos()
tell("no tensor", lambda: e.grad_fn._saved_self)

f = a.clone()
g = f.sin()
f.detach_()
tell("detached", lambda: g.sum().backward())
h = a.clone().exp_()
h.detach_()
print(h.requires_grad)
