import torch

p = torch.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.0]])
s = p.storage()
print(s)
print(s[0], p.storage()[1], len(s), s.size(), s.tolist(), type(s))
s[0] = 2.0
print(p, p._version)
q = p.t()
print(p.storage().data_ptr() == q.storage().data_ptr(), p[1].storage_offset(), p[1].storage().size())
print(p.data_ptr() == p.storage().data_ptr(), p[1].data_ptr() - p[1].storage().data_ptr())
u = p.untyped_storage()
print(u.nbytes(), u.size(), len(u), u.data_ptr() == p.data_ptr(), type(u), u[3], u.device)
print(torch.tensor([1, 2]).storage())
print(torch.tensor([True, False]).storage(), s.dtype, s.device, s.element_size(), s.nbytes())
for x in s:
    print(x, end=" ")
print(list(s)[:2], s[-1], s.untyped().nbytes())
for wrong in (lambda: s[1:3], lambda: s[10], lambda: s[-7], lambda: s["a"]):
    try:
        wrong()
    except (RuntimeError, IndexError, TypeError) as error:
        print(type(error).__name__, error)
print(torch.ones(2, dtype=torch.bool).untyped_storage())
x = torch.ones(2, requires_grad=True)
y = (x * 2)[1:]
print(y.storage(), y.storage_offset())
y.storage()[1] = 7
print(y)
y.sum().backward()
print(x.grad)
print(torch.arange(4, dtype=torch.uint8).untyped_storage().tolist())
s[1:3] = 0
print(p)
whole = torch.arange(6)
shared = torch.LongTensor(whole[2:].storage())
shared[0] = 6666
print(whole, shared.storage_offset())
print(torch.Tensor(torch.ones(2).storage()), torch.IntTensor(torch.ones(2).untyped_storage()))
try:
    torch.FloatTensor(whole.storage())
except RuntimeError as error:
    print(error)
