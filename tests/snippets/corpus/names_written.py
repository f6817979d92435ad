import torch

m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for name, args in {
    "addmm_": (m, m),
    "addbmm_": (m[None], m[None]),
    "addr_": (m[0], m[1]),
}.items():
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 1
    out = getattr(y, name)(*args, beta=0.5, alpha=2)
    print(name, y, out is y, y._version)
    y.sum().backward()
    print(x.grad)
x = torch.ones(2, requires_grad=True)
y = x * 1
y.addmv_(m, m[0])
y.sum().backward()
print(y, x.grad)
y = torch.ones(1, 2, 2)
print(y.baddbmm_(m[None], m[None]))
try:
    torch.ones(2, 2).addmm_(m, torch.ones(3, 2))
except RuntimeError as error:
    print(error)
print(torch.ones(2).map_(torch.tensor([2.0, 3.0]), lambda a, b: a + 10 * b))
print(torch.ones(2).resize_as_(m).shape, m.is_cpu, m.is_mps, m.is_pinned(), m.dim_order(), m.t().dim_order())
print(m.clone().swapaxes_(0, 1), m.clone().swapdims_(0, 1), m.clone().cumprod_(0))
print(torch.ones(2, dtype=torch.double).float_power_(2))
print(torch.unravel_index(torch.tensor([3, 5]), (2, 3)), torch.get_device(m))
for name in "zero_ square_ detach_ conj_physical_".split():
    print(name, getattr(torch, name)(m.clone()))
print(
    torch.fill_(m.clone(), 7.0),
    torch.gcd_(torch.tensor([4]), torch.tensor([6])),
    torch.lcm_(torch.tensor([4]), torch.tensor([6])),
)
print(torch.split_with_sizes(torch.arange(5), [2, 3]))
print(torch.kl_div(m.log(), m, reduction=0), torch.binary_cross_entropy_with_logits(m, m / 4))
print(
    torch.hinge_embedding_loss(m, torch.tensor([[1.0, -1.0], [-1.0, 1.0]])),
    torch.poisson_nll_loss(m, m, True, False, 1e-8, 1),
)
for name in "xpu ipu maia mtia vulkan xla sparse sparse_csr nested quantized mkldnn meta cuda".split():
    print(name, getattr(m, f"is_{name}"))
whole = torch.tensor([1, 2, 3])
print(torch.addcmul(whole, whole, whole, value=1.5), torch.vander(whole.to(torch.uint8)), whole.split(split_size=2))
print(torch.addcmul(*[whole.to(torch.uint8)] * 3, value=-1), torch.vander(whole, N=0))
hundredths = torch.full((50,), 0.01).bfloat16()
print(torch.zeros(1).bfloat16().scatter_add(0, torch.zeros(50, dtype=torch.long), hundredths))
print(torch.nn.functional.batch_norm(torch.zeros(0, 2), None, None), torch.topk(torch.zeros(2, 3), 0)[1].stride())
print(torch.nn.functional.upsample_nearest(torch.arange(2.0).view(1, 1, 2), 3))
print(type(torch.eye(2).lu(get_infos=True)), len(torch.lu(torch.eye(2), get_infos=True)))
print(torch.nn.AlphaDropout(0.0, inplace=True)(torch.ones(2, requires_grad=True)))
print(torch.nn.functional.gumbel_softmax(torch.zeros(1), eps=1e-3))
