import torch
import torch.nn.functional as F

torch.manual_seed(0)
a, b = F.normalize(torch.randn(4, 3, requires_grad=True), dim=1), F.normalize(torch.randn(4, 3), dim=1)
logits = a @ b.T / 0.07
loss = (F.cross_entropy(logits, torch.arange(4)) + F.cross_entropy(logits.T, torch.arange(4))) / 2
loss.backward()
print(
    f"{loss.item():.4f}",
    F.pairwise_distance(a, b).shape,
    F.triplet_margin_loss(a, b, b.flip(0)).item() >= 0,
    F.cosine_similarity(a, b).max() <= 1,
)
