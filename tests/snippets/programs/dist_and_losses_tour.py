import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import (
    Normal,
    Categorical,
    Bernoulli,
    Beta,
    Gamma,
    Uniform,
    Exponential,
    MultivariateNormal,
    kl_divergence,
    Independent,
    Dirichlet,
    Poisson,
    Laplace,
    TransformedDistribution,
    AffineTransform,
    Binomial,
    Geometric,
    LogNormal,
    StudentT,
    Multinomial,
    OneHotCategorical,
)

torch.manual_seed(0)
for d in (
    Normal(0.0, 1.0),
    Categorical(torch.tensor([0.2, 0.3, 0.5])),
    Bernoulli(0.3),
    Beta(2.0, 3.0),
    Gamma(2.0, 1.0),
    Uniform(-1.0, 1.0),
    Exponential(2.0),
    Poisson(3.0),
    Laplace(0.0, 1.0),
    Binomial(5, 0.5),
    Geometric(0.4),
    LogNormal(0.0, 0.5),
    StudentT(4.0),
    Dirichlet(torch.ones(3)),
    OneHotCategorical(torch.ones(3)),
    MultivariateNormal(torch.zeros(2), torch.eye(2)),
):
    s = d.sample()
    print(type(d).__name__, d, s, d.log_prob(s), d.mean, d.batch_shape, d.event_shape)
print(
    kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)),
    Normal(torch.zeros(2), torch.ones(2)).entropy(),
    Normal(0.0, 1.0).cdf(torch.tensor(0.5)),
    Independent(Normal(torch.zeros(2), 1), 1).log_prob(torch.ones(2)),
)
mu = torch.tensor(0.5, requires_grad=True)
Normal(mu, 1.0).rsample((3,)).sum().backward()
print(mu.grad)
try:
    Normal(0.0, -1.0)
except ValueError as e:
    print(e)
try:
    Categorical(torch.tensor([0.5, 0.5])).log_prob(torch.tensor(3))
except ValueError as e:
    print(str(e).split("\n")[0])
p, t = torch.randn(4, 3, requires_grad=True), torch.tensor([0, 2, 1, 1])
for loss in (
    nn.CrossEntropyLoss(),
    nn.CrossEntropyLoss(label_smoothing=0.1),
    nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0])),
    nn.CrossEntropyLoss(reduction="none"),
    nn.MultiMarginLoss(),
    nn.CrossEntropyLoss(ignore_index=1),
):
    print(loss, loss(p, t))
y = torch.rand(4, 3)
for loss in (
    nn.MSELoss(),
    nn.L1Loss(reduction="sum"),
    nn.SmoothL1Loss(beta=0.5),
    nn.HuberLoss(),
    nn.BCEWithLogitsLoss(pos_weight=torch.ones(3) * 2),
    nn.SoftMarginLoss(),
    nn.MultiLabelSoftMarginLoss(),
    nn.PoissonNLLLoss(),
):
    print(loss, loss(p, y))
print(
    nn.KLDivLoss(reduction="batchmean")(F.log_softmax(p, 1), F.softmax(y, 1)),
    nn.NLLLoss()(F.log_softmax(p, 1), t),
    nn.GaussianNLLLoss()(p, y, torch.ones(4, 3)),
    nn.CosineEmbeddingLoss()(p, y, torch.ones(4)),
    nn.MarginRankingLoss()(p[:, 0], p[:, 1], torch.ones(4)),
    nn.HingeEmbeddingLoss()(p, torch.sign(y - 0.5)),
    nn.TripletMarginLoss()(p, y, y.flip(0)),
)


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, alpha=None):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, reduction="none", weight=self.alpha)
        return ((1 - torch.exp(-ce)) ** self.gamma * ce).mean()


print(FocalLoss()(p, t))


def dice(p, t, eps=1e-6):
    return 1 - (2 * (p * t).sum() + eps) / (p.sum() + t.sum() + eps)


print(dice(torch.sigmoid(p), (y > 0.5).float()))
print(F.ctc_loss(F.log_softmax(torch.randn(6, 1, 4), 2), torch.tensor([[1, 2]]), torch.tensor([6]), torch.tensor([2])))
print(
    F.one_hot(t, 3),
    F.cosine_similarity(p, y),
    F.pairwise_distance(p, y),
    F.normalize(y, dim=1),
    F.pad(y, (1, 0)),
    F.gumbel_softmax(p, hard=True).sum(),
    F.scaled_dot_product_attention(p[None], p[None], p[None]).shape,
    F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2).shape,
    F.glu(torch.ones(2, 4)),
    F.unfold(torch.ones(1, 1, 3, 3), 2).shape,
)
try:
    torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
except AssertionError as e:
    print(e)
try:
    torch.testing.assert_close(torch.ones(2), torch.ones(3))
except AssertionError as e:
    print(e)
torch.testing.assert_close(torch.tensor(1.0), torch.tensor(1.0 + 1e-9))
print(torch.allclose(torch.ones(2), torch.ones(2) + 1e-9), torch.equal(torch.ones(1), torch.ones(1)))
