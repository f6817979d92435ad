import torch

base = torch.arange(12.0)
cases = {
    "view": base.view(3, 4),
    "reshape": base.reshape(3, 4),
    "slice": base[2:5],
    "t": base.view(3, 4).t(),
    "flatten": base.view(3, 4).flatten(),
    "t.reshape": base.view(3, 4).t().reshape(-1),
    "clone": base.clone(),
    "detach": base.detach(),
    "index": base[[0, 1]],
    "mask": base[base > 3],
    "expand": base.expand(2, 12),
    "repeat": base.repeat(2),
    "unsqueeze": base.unsqueeze(0),
    "contiguous": base.contiguous(),
    "to": base.to(torch.float32),
    "double": base.double(),
    "unfold": base.unfold(0, 3, 2),
    "data": base.data,
    "as_strided": base.as_strided((3, 3), (1, 2)),
    "real": torch.view_as_complex(base.view(6, 2)),
    "numpy": torch.from_numpy(base.numpy()),
    "split": base.split(5)[1],
    "diag": base.view(3, 4).diagonal(),
    "narrow": base.narrow(0, 1, 2),
}
for name, t in cases.items():
    shares = t.data_ptr() == base.data_ptr()
    print(
        f"{name:<12} {str(tuple(t.shape)):<10} {str(t.stride()):<10} off={t.storage_offset()} contiguous={t.is_contiguous()!s:<6} shares={shares} view={t._is_view()}"
    )
x = base.view(3, 4)
x[0].zero_()
x.t()[1, 0] = 99
print(base)
y = x.expand(2, 3, 4)
try:
    y.add_(1)
except RuntimeError as e:
    print(str(e)[:90])
z = x.clone(memory_format=torch.preserve_format)
z += 1
print(base.sum(), z.sum(), torch.equal(x, base.view(3, 4)), x is base, x.data_ptr() == base.data_ptr())
a = [torch.zeros(2)] * 2
a[0] += 1
print(a)


def f(t):
    t = t + 1
    return t


def g(t):
    t += 1
    return t


q = torch.zeros(2)
f(q)
print(q)
g(q)
print(q)
