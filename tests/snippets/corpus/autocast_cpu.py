import torch
import torch.nn as nn, torch.nn.functional as F

x = torch.arange(6.0).reshape(2, 3) / 7
w = (torch.arange(6.0).reshape(3, 2) / 5).requires_grad_()
with torch.amp.autocast("cpu"):
    y = x @ w
    print(y, y.dtype, y.grad_fn.next_functions[1][0].name())
    y2 = x @ w
    print(y2.grad_fn.next_functions[1][0] is y.grad_fn.next_functions[1][0])
    with torch.autocast("cpu", enabled=False):
        print((x @ w).dtype, torch.is_autocast_enabled("cpu"))
        with torch.autocast("cpu", dtype=torch.float16):
            print((x @ w.detach()).dtype, torch.get_autocast_dtype("cpu"))
    print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
    loss = F.mse_loss(y, torch.ones(2, 2))
    print(loss)
loss.backward()
print(w.grad)
with torch.autocast("cpu", cache_enabled=False):
    a = x @ w
    b = x @ w
    print(a.grad_fn.next_functions[1][0] is b.grad_fn.next_functions[1][0], torch.is_autocast_cache_enabled())
with torch.autocast("cpu", dtype=torch.float32):
    print((x @ w).dtype)
with torch.autocast("cpu", dtype=torch.float64):
    print((x @ w).dtype)
with torch.autocast("cuda"):
    print((x @ w).dtype, torch.is_autocast_enabled(), torch.is_autocast_enabled("cuda"))
with torch.autocast("cuda", dtype=torch.bfloat16, enabled=False):
    print(torch.get_autocast_dtype("cuda"))
with torch.cpu.amp.autocast():
    print((x @ w).dtype)
with torch.cuda.amp.autocast():
    print((x @ w).dtype)


@torch.autocast("cpu", dtype=torch.bfloat16)
def f(a):
    return a @ a.t()


print(f(x).dtype, f.__name__)
try:
    torch.autocast("foo")
except Exception as e:
    print(type(e), e)
try:
    torch.autocast(3)
except Exception as e:
    print(type(e), e)
try:
    torch.autocast()
except Exception as e:
    print(type(e), e)
try:
    torch.autocast("cpu")(3)
except Exception as e:
    print(type(e), e)
with torch.autocast(device_type="cpu", dtype=torch.bfloat16) as c:
    print(type(c), c.fast_dtype, c.device)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
torch.manual_seed(0)
for p in model.parameters():
    nn.init.uniform_(p)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = F.cross_entropy(out, torch.tensor([0, 1]))
    loss.backward()
    opt.step()
    print(out.dtype, loss.item())
print([p.grad.dtype for p in model.parameters()])
from torch.amp import custom_fwd, custom_bwd


class M(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        print(a.dtype, torch.is_autocast_enabled("cpu"))
        return a @ b

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print(g.dtype, torch.is_autocast_enabled("cpu"))
        return g @ b.t(), a.t() @ g


with torch.autocast("cpu"):
    o = M.apply((x @ w).detach().requires_grad_(), torch.ones(2, 2, dtype=torch.bfloat16))
    print(o.dtype)
o.sum().backward()
with torch.autocast("cpu"):
    torch.addmm(torch.ones(2), x, w, alpha=2).sum().backward()
    print(w.grad.dtype)
    with torch.no_grad():
        z = x @ w
    q = x @ w
    print(q.requires_grad, q.grad_fn.name())
print(torch.is_autocast_cpu_enabled())
with torch.autocast("cpu"):
    print(torch.get_autocast_cpu_dtype())
    print(torch.mm(x, w.detach(), out=torch.empty(2, 2)).dtype)
