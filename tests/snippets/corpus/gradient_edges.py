import warnings

import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge

x = torch.tensor([0.5, 2.0], requires_grad=True)


def attempt(label, action):
    try:
        print(label, action())
    except Exception as error:
        print(label, type(error).__name__, error)


# an edge stands for a tensor that may be gone, as what is differentiated and as what gradients are wanted for
middle = x.sin().sum()
edge = get_gradient_edge(middle)
print(type(edge).__name__, edge._fields, edge.node.name(), edge.output_nr)
out = middle.exp()
del middle
(upstream,) = torch.autograd.grad(out, edge)
print(upstream, torch.autograd.grad(edge, x, upstream))

y = (x * 1).clone()
before = get_gradient_edge(y)
y *= 3
print(torch.autograd.grad(y.sum(), (before, y)))

vector = get_gradient_edge(x * 2)
attempt("several elements", lambda: torch.autograd.grad(vector, x))
attempt("shape", lambda: torch.autograd.grad(vector, x, torch.ones(3)))
attempt("complex", lambda: torch.autograd.grad(vector, x, torch.ones(2, dtype=torch.complex64)))
attempt("no history", lambda: get_gradient_edge(torch.ones(1)))
torch.autograd.backward(vector, torch.ones(2), inputs=[x])
print(x.grad)

other = GradientEdge(torch.ones(2, requires_grad=True).exp().grad_fn, 0)
attempt("unused", lambda: torch.autograd.grad((x * 2).sum(), other))
print(torch.autograd.grad((x * 2).sum(), (x, other), allow_unused=True))
attempt("zeros", lambda: torch.autograd.grad((x * 2).sum(), other, materialize_grads=True))

# gradients by name
w = torch.tensor(3.0, requires_grad=True)
found = torch.autograd.grad((w * x).sum(), {"w": w, "x": x})
print(found)
attempt("empty", lambda: torch.autograd.grad(w * 2, {}))
from collections import OrderedDict

attempt("other mapping", lambda: torch.autograd.grad(w * 2, OrderedDict(w=w)))
attempt("other mapping", lambda: (w * 2).backward(inputs=OrderedDict(w=w)))
(w * w).backward(inputs={"w": w})
print(w.grad)

# rows of several passes
attempt("batched", lambda: torch.autograd.grad(x * 2, x, torch.ones(2, 3), is_grads_batched=True))
print(torch.autograd.grad((w * x).sum(), {"w": w}, torch.ones(3), is_grads_batched=True))
zeros = torch.autograd.grad(x.sum(), w, create_graph=True, materialize_grads=True)
print(zeros, torch.autograd.grad(zeros[0], w, materialize_grads=True))

# PyTorch's own warnings once per process, or each time
warnings.simplefilter("always")
torch.set_warn_always(True)
for _ in range(2):
    w.grad = None
    (w * w).backward(create_graph=True)
torch.set_warn_always(False)
print(torch.is_warn_always_enabled())
node = (w * x).grad_fn
attempt("too few", lambda: node())
attempt("too many", lambda: node(x, x))
