import torch, sys
import torch.autograd.forward_ad as fwAD


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, k):
        print("fwd", x.requires_grad, fwAD.unpack_dual(x))
        ctx.save_for_forward(x)
        ctx.k = k
        ctx.save_for_backward(x, y)
        return x * y * k

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y * ctx.k, g * x * ctx.k, None

    @staticmethod
    def jvp(ctx, tx, ty, k):
        print("jvp", tx, ty, k, ctx.saved_tensors)
        return tx * 3


class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


class H(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, i, o):
        ctx.save_for_forward(i[0])
        ctx.save_for_backward(i[0])

    @staticmethod
    def backward(ctx, g):
        return g * 2

    @staticmethod
    def jvp(ctx, t):
        print(ctx.saved_tensors, ctx.needs_input_grad)
        return t * 2


class V(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def jvp(ctx, t):
        return t


class TwoRet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1, x * 2

    @staticmethod
    def jvp(ctx, t):
        return t


class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def jvp(ctx, t):
        return torch.ones(7)


class Bad2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def jvp(ctx, t):
        return 3.0


class NoMat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x * 1

    @staticmethod
    def jvp(ctx, t, s):
        print(t, s)
        return t


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


with fwAD.dual_level():
    x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    tr(lambda: F.apply(x, y, 2))
    tr(lambda: G.apply(x))
    tr(lambda: H.apply(x))
    tr(lambda: V.apply(x))
    tr(lambda: TwoRet.apply(x))
    tr(lambda: Bad.apply(x))
    tr(lambda: Bad2.apply(x))
    tr(lambda: NoMat.apply(x, y))
    p = fwAD.unpack_dual(fwAD.make_dual(y, torch.ones(2)))
    print(p, p.primal._is_view())
    b = torch.zeros(3)
    v = b[:2]
    v.add_(x)
    print(b, v)
    b = torch.zeros(3)
    v = b[:2]
    b[0] = x[0]
    print(b, v)
    b = torch.ones(2)
    b.mul_(x)
    print(b)
    b.zero_()
    print(b)
    b.copy_(x)
    print(b)
    b[0] = 5.0
    print(b)
    b = x.clone()
    b.add_(1)
    print(b)
    b.fill_(3.0)
    print(b)
    print(x.floor(), x > 0, x.argmax(), x.long(), x.round())
    print(x.max(0), x.sort())
    print(x * x, torch.cat([x, y]), torch.stack([y, x]))
    z = x * y
    (g,) = torch.autograd.grad(z.sum(), y)
    print(z.detach(), g)
    with torch.no_grad():
        print(x * y)
    with torch.inference_mode():
        print(x * 2)
    m = torch.nn.Linear(2, 2)
    torch.nn.init.ones_(m.weight)
    torch.nn.init.zeros_(m.bias)
    print(m(x))
    d = x.detach()
    print(d)
    print(x.requires_grad, x.is_leaf, x._is_view())
    print(torch.nn.functional.softmax(x, 0), x.norm(), x.std(), (x @ x))
    x.requires_grad_()
    print(x)
    q = torch.nn.Parameter(torch.ones(2))
    print(fwAD.make_dual(q, torch.ones(2)), type(fwAD.make_dual(q, torch.ones(2))))
    tr(lambda: x.backward())
    tr(lambda: (x * y).sum().backward())
    print(y.grad)
    print(
        x.new_zeros(2),
        torch.zeros_like(x),
        x.unbind(),
        x.split(1),
        x.view(2, 1).expand(2, 2),
        x.t(),
        x.to(torch.float64),
    )
print(x, fwAD.unpack_dual(x))
tr(lambda: fwAD.make_dual(torch.ones(1), torch.ones(1)))


@fwAD.dual_level()
def h(a):
    return fwAD.unpack_dual(fwAD.make_dual(a, torch.ones(2)) * 3)


print(h(torch.ones(2)))
