"""Gradients that are made in inference mode, and what is written to its tensors outside of it."""

import torch
import torch.nn as nn


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:90])


x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    i = torch.ones(2)
    with torch.enable_grad():
        y = x * 2
        print(y.requires_grad, y.is_inference(), y.grad_fn, y.is_leaf)
        z = y * 3
        print(z.requires_grad, z.is_inference(), z.grad_fn is None)
        t("zi", lambda: (x * i).requires_grad)
        t("ix", lambda: (x + i).grad_fn is None)
        v = x.view(2)
        print(v.requires_grad, v.is_inference(), v.grad_fn is None)
        t("bw", lambda: (x * 2).sum().backward())
        print(x.grad)
        w = torch.ones(1, requires_grad=True)
        print(w.requires_grad, w.is_inference())
        u = w * 2
        print(u.requires_grad, u.grad_fn is None)
        t("exp", lambda: x.exp().grad_fn is None)
        t("mm", lambda: torch.dot(x, x).grad_fn is None)
        t("lin", lambda: nn.Linear(2, 1)(x).grad_fn is None)
        t("in", lambda: x.clone().add_(1).grad_fn is None)
t("data", lambda: i.data.add_(1))
t("data2", lambda: i.data.is_inference())
t("det", lambda: i.detach().add_(1))
t("zero", lambda: i.zero_())
t("copy", lambda: i.copy_(x))
t("copy_", lambda: i.copy_(torch.ones(2)))
t("k", lambda: v.add_(1))
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    with torch.inference_mode(False):
        s = (x * x).sum()
    s.backward()
    print(x.grad, x.grad.is_inference())
    t("grad acc", lambda: x.grad.add_(0))
t("g", lambda: x.grad.add_(1))
t("g2", lambda: (x * 2).sum().backward())
print(x.grad, x.grad.is_inference())
t("zero", lambda: x.grad.zero_())
t("sgd", lambda: torch.optim.SGD([x], 0.1).step())
print(x)
t("clip", lambda: nn.utils.clip_grad_norm_([x], 0.1))
o = torch.optim.SGD([x], 0.1)
t("zg", lambda: o.zero_grad(set_to_none=False))
t("zn", lambda: o.zero_grad())
print(x.grad)
s = (x * x).sum()
with torch.inference_mode():
    (g,) = torch.autograd.grad(s, x)
    print(g, g.is_inference())
t("gi", lambda: g.mul_(2))
t("gx", lambda: (x * g).grad_fn is None)
s = (x * x).sum()
s.backward()
g0 = x.grad
s = (x * x).sum()
with torch.inference_mode():
    s.backward()
print(x.grad is g0, x.grad.is_inference(), x.grad)
with torch.inference_mode():
    t("sum", lambda: torch.autograd.grad((x * 2).sum(), x))
s = (x + 1).sum()
x.grad = None
with torch.inference_mode():
    s.backward()
    print(x.grad.is_inference())
s = (x + 1).sum()
x.grad = None
with torch.inference_mode():
    s.backward(torch.tensor(2.0))
    print(x.grad.is_inference())
s = x + 1
x.grad = None
seed = torch.ones(2)
with torch.inference_mode():
    s.backward(seed)
    print(x.grad.is_inference(), x.grad is seed)
s = (x * 2).exp()
x.grad = None
log = []
x.register_hook(lambda g: log.append((g.is_inference(), torch.is_inference_mode_enabled(), torch.is_grad_enabled())))
with torch.inference_mode():
    s.sum().backward() if False else None
with torch.inference_mode():
    t("exp", lambda: s.backward(torch.ones(2)))
    print(log, x.grad)
p = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    t("leaf", lambda: p.add_(1))
    q = p[:1]
    t("q", lambda: q.add_(1))
    t("zero", lambda: p.zero_())
    t("detach", lambda: p.detach().add_(1))
    d = p.detach()
    print(d.is_inference(), d.requires_grad, q.requires_grad, q.is_inference())
t("q", lambda: q.add_(1))
t("q2", lambda: q.mul(2).requires_grad)
t("d", lambda: d.add_(1))
t("ng", lambda: setattr(p, "grad", i))
t("b", lambda: (p * 1).sum().backward())
print(p.grad, p.grad.is_inference())
x = torch.ones(2, requires_grad=True)
for src in (x, x.detach()):
    with torch.inference_mode():
        i = torch.ones(2).requires_grad_()
    t("copy", lambda: i.copy_(src))
    t("zero", lambda: i.zero_())
    t("fill", lambda: i.fill_(src[0]))
    t("fill0", lambda: i.fill_(1))
    t("add", lambda: i.add_(src))
    t("set", lambda: i.__setitem__(0, src[0]))
    t("set1", lambda: i.__setitem__(0, 1.0))
    t("mul", lambda: i.mul_(src))
    t("sqrt", lambda: i.sqrt_())
    t("masked", lambda: i.masked_fill_(i > 0, src[0]))
    t("m0", lambda: i.masked_fill_(i > 0, 1.0))
    t("index", lambda: i.index_copy_(0, torch.tensor([0]), src[:1]))
    t("view", lambda: i[:1].add_(src[:1]))
    t("viewc", lambda: i[:1].copy_(src[:1]))
    t("addz", lambda: i.zero_().add_(1))
    with torch.no_grad():
        t("copy", lambda: i.copy_(src))
        t("zero", lambda: i.zero_())
with torch.inference_mode():
    i = torch.ones(2).requires_grad_()
    j = torch.ones(2)
t("s", lambda: i.add_(1))
t("s", lambda: i.mul_(2.0))
t("s", lambda: i.pow_(2))
t("s", lambda: i.clamp_(0, 1))
t("s", lambda: i.add_(j))
t("s", lambda: i.copy_(j))
t("s", lambda: i.div_(2))
t("s", lambda: i.sub_(1))
t("s", lambda: i.lerp_(j, 0.5))
t("s", lambda: i.addcmul_(j, j))
t("s", lambda: i.tril_() if i.dim() > 1 else i.floor_())
t("s", lambda: i.index_fill_(0, torch.tensor([0]), 1))
t("s", lambda: i.masked_fill_(j > 0, 1))
t("s", lambda: i.relu_())
t("s", lambda: torch.nn.functional.relu(i, inplace=True))
t("s", lambda: i.__iadd__(1))
t("s", lambda: i.requires_grad_(False).add_(1))
