import torch

torch.manual_seed(0)
W = torch.randn(4, 4) * 2
W.requires_grad_()
h = torch.ones(4)
for _ in range(6):
    h = W @ h
loss = h.pow(2).sum()
loss.backward()
print(f"{W.grad.norm():.3e}")
total = torch.nn.utils.clip_grad_norm_([W], 1.0)
print(f"{total:.3e} {W.grad.norm():.4f}")
