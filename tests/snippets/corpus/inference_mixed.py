import torch

with torch.inference_mode():
    i = torch.ones(3)
    m = torch.ones(3, 3)
    v = i.view(3)
    n = torch.ones(3)
w = torch.ones(3, requires_grad=True)
W = torch.ones(3, 3, requires_grad=True)


def t(name, f):
    try:
        r = f()
        print(
            name,
            r.requires_grad if hasattr(r, "requires_grad") else r,
            r.is_inference() if hasattr(r, "is_inference") else "",
            r.grad_fn.name() if getattr(r, "grad_fn", None) is not None else None,
        )
    except Exception as e:
        print(name, type(e).__name__, str(e)[:150])


t("add", lambda: i + w)
t("mul", lambda: i * w)
t("wmul", lambda: w * i)
t("mm", lambda: m @ W)
t("sub", lambda: w - i)
t("addmm", lambda: torch.addmm(m, W, W))
t("cat", lambda: torch.cat([i, w]))
t("stack", lambda: torch.stack([w, i]))
t("exp", lambda: i.exp())
t("iadd", lambda: i.add_(1))
t("iaddw", lambda: i.add_(w))
t("wadd_", lambda: (w * 1).add_(i))
t("wmul_", lambda: (w * 1).mul_(i))
t("view", lambda: i.view(3))
t("viewadd_", lambda: i.view(3).add_(1))
t("clone", lambda: i.clone())
t("clonemul", lambda: i.clone() * w)
t("rg", lambda: i.requires_grad_())
t("setitem", lambda: i.__setitem__(0, 2.0))
t("setitemw", lambda: (w * 1).__setitem__(0, i[0]))
t("copy_", lambda: (w * 1).copy_(i))
t("icopy_", lambda: i.copy_(w))
t("where", lambda: torch.where(i > 0, w, i))
t("wherec", lambda: torch.where(i.bool(), w, w))
t("detach", lambda: i.detach())
t("data", lambda: i.data)
t("ver", lambda: i._version)
t("back", lambda: i.sum().backward())
t("seed", lambda: w.backward(i))


def g():
    w.grad = i
    return w.grad


t("grad", g)
w.grad = None
t("linear", lambda: torch.nn.functional.linear(m, W))
t("linearx", lambda: torch.nn.functional.linear(m, W, i))
t("mse", lambda: torch.nn.functional.mse_loss(w, i))
t("ce", lambda: torch.nn.functional.cross_entropy(W, torch.zeros(3, dtype=torch.long)))
with torch.inference_mode():
    lab = torch.zeros(3, dtype=torch.long)
    mask = torch.ones(3, dtype=torch.bool)
t("celab", lambda: torch.nn.functional.cross_entropy(W, lab))
t("gather", lambda: W.gather(1, lab[:, None]))
t("index", lambda: W[lab])
t("mask", lambda: w[mask])
t("maskf", lambda: w.masked_fill(mask, 0))
t("emb", lambda: torch.nn.functional.embedding(lab, W))
t("nograd", lambda: (lambda: (torch.set_grad_enabled(False), i * w, torch.set_grad_enabled(True))[1])())
with torch.no_grad():
    t("ng", lambda: i.add_(1))
with torch.inference_mode():
    t("inf w*i", lambda: w * i)
    t("iadd", lambda: i.add_(1))
    t("wadd", lambda: n.add_(w))
    t("rg", lambda: torch.ones(2).requires_grad_())
    t("wv", lambda: w.view(3))
    t("wd", lambda: w.detach())
    q = w.view(3)
    z = w * 1
t("q", lambda: q * 2)
t("qadd", lambda: q.add_(1))
t("z", lambda: z * w)
p = torch.ones(3)
with torch.inference_mode():
    pv = p.view(3)
    t("pvadd", lambda: pv.add_(1))
    t("padd", lambda: p.add_(1))
t("pv", lambda: pv.add_(1))
t("pvmul", lambda: pv * w)
t("pv.ver", lambda: pv._version)
t("pvinf", lambda: pv)


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


t("fn", lambda: F.apply(i))


class F2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, None


t("fn2", lambda: F2.apply(w, i))
t("param", lambda: torch.nn.Parameter(i))
t("paramF", lambda: torch.nn.Parameter(i, False))
lin = torch.nn.Linear(3, 3)
t("linmod", lambda: lin(m))
t("bn", lambda: torch.nn.BatchNorm1d(3)(m))
t("sm", lambda: torch.softmax(i * 1, 0) * w)
t("relu", lambda: torch.relu(w + i))
t("drop", lambda: torch.nn.functional.dropout(m, 0.5))
t("to", lambda: i.to(torch.float64) * w.double())
t("sum", lambda: (w + i).sum())
t("div", lambda: i / w)
t("pow", lambda: i**w)
t("wpow", lambda: w**i)
t("min", lambda: torch.minimum(w, i))
t("dot", lambda: w.dot(i))
t("matvec", lambda: W @ i)
t("addcmul", lambda: torch.addcmul(w, i, i))
t("lerp", lambda: torch.lerp(w, i, 0.5))
t("lerpt", lambda: torch.lerp(w, w, i))
t("scatter", lambda: w.scatter(0, lab, i))
t("out", lambda: torch.add(p, p, out=i))
t("zero", lambda: i.zero_())
t("resize", lambda: i.resize_(2))
