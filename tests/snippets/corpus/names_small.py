import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

q = torch.ones(1, 2, 4)
with sdpa_kernel(SDPBackend.MATH):
    print(nn.functional.scaled_dot_product_attention(q, q, q))
print(SDPBackend.MATH, [SDPBackend.FLASH_ATTENTION])
p = nn.Parameter(torch.ones(3))
p.grad = torch.tensor([3.0, 4.0, 0.0])
clip_grads_with_norm_([p], 1.0, get_total_norm([p.grad]))
print(p.grad)
print(torch.utils.data.get_worker_info(), torch.amp.is_autocast_available("cpu"))


class Double(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
Double.apply(x).sum().backward()
print(x.grad)
from torch.distributions import Gamma, Poisson, Beta, MultivariateNormal, Dirichlet, Independent, Normal

torch.manual_seed(0)
print(Gamma(torch.tensor([0.5, 2.0]), 1.0).sample((2,)), Poisson(torch.tensor([0.5, 20.0])).sample((3,)))
print(Beta(0.5, 0.5).sample(), Dirichlet(torch.ones(3)).sample(), Independent(Normal(torch.zeros(2), 1.0), 1))
mvn = MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
print(mvn, mvn.sample(), mvn.log_prob(torch.ones(2)), mvn.entropy())
print(torch.poisson(torch.tensor([1.0, 2.0])), torch.binomial(torch.tensor([10.0]), torch.tensor([0.5])))
g = torch.Generator().manual_seed(3)
state = g.get_state()
a = torch.rand(2, generator=g)
g.set_state(state)
print(torch.equal(a, torch.rand(2, generator=g)), g.device, state.dtype)
