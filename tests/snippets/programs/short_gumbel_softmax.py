import torch
import torch.nn.functional as F

torch.manual_seed(0)
logits = torch.tensor([[1.0, 2.0, 0.5]], requires_grad=True)
hard = F.gumbel_softmax(logits, tau=0.5, hard=True)
hard.sum().backward()
print(hard.sum(), hard.argmax(), logits.grad.shape, F.gumbel_softmax(logits, 1.0).sum().item())
