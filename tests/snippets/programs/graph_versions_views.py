import torch

t = torch.zeros(3)
print(t._version)
t += 1
t[0] = 5
t.add_(2).mul_(3)
print(t._version, t)
v = t[1:]
print(v._version, v._is_view(), v._base is t)
v.zero_()
print(t._version, t)
d = t.detach()
d[2] = 100
print(t, t._version, d._version)
c = t.clone()
print(c._version)
x = torch.randn(2, 2, requires_grad=True)
print(x.is_leaf, x.grad_fn, x._version)
with torch.no_grad():
    x.fill_(1)
print(x._version)
y = x * 2
print(y.is_leaf, y.requires_grad, y._version)
z = y.view(4)
z[0] = 10
print(y.grad_fn, z.grad_fn)
y.sum().backward()
print(x.grad)
print(x.data_ptr() == x.detach().data_ptr(), x.data_ptr() == x.clone().data_ptr())
print(x.storage_offset(), x[1].storage_offset(), x.stride(), x.t().stride(), x.t().is_contiguous())
try:
    x += 1
except RuntimeError as e:
    print(e)
try:
    x[0, 0] = 3
except RuntimeError as e:
    print(e)
u, w = torch.ones(4, requires_grad=True).clone().chunk(2)
try:
    u.mul_(2)
except RuntimeError as e:
    print(e)
with torch.no_grad():
    vv = x[0]
try:
    vv.mul_(2)
    print("ok", vv)
except RuntimeError as e:
    print(e)
