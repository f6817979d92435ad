"""What conjugates say of themselves, the tangents' layout, what nodes keep of arguments as they were given, and writes to
tensors of inference mode."""

import torch
import torch.autograd.forward_ad as fw

z = torch.tensor([[1 + 2j, 3 - 1j]])
c = z.conj()
print(
    c.is_conj(), c[0].is_conj(), c.mT.is_conj(), c.H.is_conj(), z.mH.is_conj(), c.conj().is_conj(), c.clone().is_conj()
)
print((c + 0).is_conj(), c.real.is_neg(), c.imag.is_neg(), c.imag[0].is_neg(), c.resolve_conj().is_conj())
print(c.imag.resolve_neg().is_neg(), c.detach().is_conj(), c.data.is_conj(), c.reshape(-1).is_conj())
print(
    c.conj_physical().is_conj(), torch.ones(2).conj().is_conj(), torch.cat([c, c]).is_conj(), c.contiguous().is_conj()
)
print(c, c.imag, c.tolist())
for refused in (lambda: c.numpy(), lambda: c.imag.numpy(), lambda: torch.view_as_real(c), lambda: c.view(torch.float)):
    try:
        print(refused())
    except RuntimeError as error:
        print(error)
print(c.numpy(force=True), c.resolve_conj().numpy(), torch.view_as_real(c.resolve_conj()), torch.view_as_real(c.conj()))
w = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = (w * 2).conj()
print(y, y.is_conj(), y.resolve_conj())
y.imag.sum().backward()
print(w.grad)

with fw.dual_level():
    part = torch.ones(5)[:4].detach()
    tangent = torch.ones(4)
    dual = fw.make_dual(part, tangent)
    pushed = fw.unpack_dual(dual).tangent
    pushed *= 2
    print(tangent, pushed, fw.unpack_dual(dual * 3).tangent, fw.unpack_dual(dual[1:]).tangent)
    print(fw.unpack_dual(fw.make_dual(z.conj(), z)).tangent is z, fw.unpack_dual(fw.make_dual(z, z)).tangent is z)

rows = torch.arange(6.0).view(2, 3)
print(torch.func.jvp(lambda a, b: (a * b).sin().sum(), (rows[0], torch.ones(5)[1:4]), (torch.ones(3), rows[1])))
print(rows[:, None].squeeze(1, 0).shape, rows[None, :1].squeeze(0, 1).shape)

x = torch.zeros(3, requires_grad=True)
for given in (1 + 0j, torch.tensor(1 + 0j), 1.0, 1, False):
    made = torch.threshold(x, threshold=given, value=given)
    print(made, type(made.grad_fn._saved_threshold).__name__)
m = torch.ones(2, 2, requires_grad=True)
for made in (m.as_strided((3,), (1,), 1), m.as_strided((3,), (1,)), m[1].as_strided((1,), (1,), 3)):
    print(made.grad_fn._saved_storage_offset, made)

with torch.inference_mode():
    leaf = torch.ones(2, requires_grad=True)
    plain = torch.ones(2)
for write in (lambda: leaf.add_(1), lambda: leaf.zero_(), lambda: plain.add_(1)):
    try:
        write()
    except RuntimeError as error:
        print(str(error)[:60], leaf.tolist(), plain.tolist())
