import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
logits, labels = torch.randn(3, 4), torch.tensor([0, 3, 1])
p, t = torch.rand(3), torch.tensor([0.0, 1.0, 1.0])
a, b = torch.randn(3, 4), torch.randn(3, 4)
print(
    nn.CrossEntropyLoss()(logits, labels),
    nn.CrossEntropyLoss(label_smoothing=0.1, weight=torch.tensor([1.0, 2.0, 1.0, 1.0]))(logits, labels),
    nn.CrossEntropyLoss(ignore_index=3, reduction="sum")(logits, labels),
)
print(
    F.nll_loss(F.log_softmax(logits, 1), labels),
    nn.BCELoss()(p, t),
    nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))(p, t),
    F.mse_loss(a, b),
    nn.L1Loss()(a, b),
)
print(
    nn.SmoothL1Loss()(a, b),
    nn.HuberLoss(delta=0.5)(a, b),
    nn.KLDivLoss(reduction="batchmean")(F.log_softmax(a, 1), F.softmax(b, 1)),
    nn.CosineEmbeddingLoss()(a, b, torch.tensor([1, -1, 1])),
)
print(
    nn.TripletMarginLoss()(a, b, a + 1),
    nn.MarginRankingLoss()(p, t, torch.ones(3)),
    F.cosine_similarity(a, b),
    nn.HingeEmbeddingLoss()(p, torch.tensor([1, -1, 1])),
    nn.MSELoss(reduction="none")(p, t),
)


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, reduction="mean"):
        super().__init__()
        self.gamma, self.reduction = gamma, reduction

    def forward(self, inputs, targets):
        ce = F.cross_entropy(inputs, targets, reduction="none")
        loss = (1 - torch.exp(-ce)) ** self.gamma * ce
        return getattr(loss, self.reduction)() if self.reduction != "none" else loss


print(FocalLoss()(logits, labels), FocalLoss(reduction="sum")(logits, labels), F.one_hot(labels, 4).float().mean())
