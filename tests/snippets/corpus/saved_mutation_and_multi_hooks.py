"""Saved tensors that may be written to, hooks on several gradients, and what switches saved hooks off."""

import torch
from torch.autograd import graph


def tell(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("Invoked with")[0])


a = torch.tensor([1.0, 2.0], requires_grad=True)
with graph.allow_mutation_on_saved_tensors() as known:
    b = a.clone()
    part = b[:1]
    squares = (b**2).sum()
    again = (b**2).sum()
    print(len(known.tid_to_weakhandle), len(known.cloned))
    part *= 10
    print(b, len(known.cloned))
    torch.sin(torch.ones(2), out=b.detach())
    print(b, len(known.cloned))
    (first,) = torch.autograd.grad(squares + again, a, create_graph=True)
    print(first, torch.autograd.grad(first.sum(), a)[0])
    tell("nested", lambda: graph.allow_mutation_on_saved_tensors().__enter__())
    late = (b**2).sum()
print(len(known.cloned), type(known).__name__)
tell("outside", lambda: late.backward())
b = a.clone()
c = (b**2).sum()
b.mul_(2)
tell("as ever", lambda: c.backward())

with graph.disable_saved_tensors_hooks("not now"):
    with graph.disable_saved_tensors_hooks("not here"):
        tell("disabled", lambda: graph.saved_tensors_hooks(str, str).__enter__())
    tell("disabled", lambda: graph.saved_tensors_hooks(str, str).__enter__())
with graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    tell("in use", lambda: graph.disable_saved_tensors_hooks("too late").__enter__())
tell("no functions", lambda: graph.saved_tensors_hooks(3, 4).__enter__())

p, q, r = (torch.ones(1, requires_grad=True) for _ in range(3))
s = p * 2
every = graph.register_multi_grad_hook((s, q, r), lambda grads: print("all", grads))
some = graph.register_multi_grad_hook((s, q, r), lambda grad: print("any", grad), mode="any")
out = s * 3 + q * 5
out.backward(retain_graph=True)
out.backward(inputs=[q], retain_graph=True)
(q * r).backward(inputs=[p, q])
torch.autograd.grad(out, s, retain_graph=True)
every.remove()
out.backward(retain_graph=True)
some.remove()
out.backward()
print(p.grad, q.grad, r.grad)
