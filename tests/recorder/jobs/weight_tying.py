"""A tied language model with positional buffer, causal mask, label smoothing."""

import math, torch
from torch import nn

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(self, v=11, d=8):
        super().__init__()
        self.emb = nn.Embedding(v, d, padding_idx=0)
        self.register_buffer("pos", torch.randn(16, d) * 0.1)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, v, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, t):
        x = self.emb(t) + self.pos[: t.shape[1]]
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        mask = torch.triu(torch.ones(t.shape[1], t.shape[1], dtype=torch.bool), 1)
        s = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(mask, float("-inf"))
        x = x + self.out(s.softmax(-1) @ v)
        return self.head(x)


model = LM()
opt = torch.optim.AdamW(
    [
        {"params": [p for n, p in model.named_parameters() if p.ndim > 1], "weight_decay": 0.1},
        {"params": [p for n, p in model.named_parameters() if p.ndim <= 1], "weight_decay": 0.0},
    ],
    lr=3e-3,
)
for step in range(3):
    t = torch.randint(1, 11, (2, 7))
    logits = model(t[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 11), t[:, 1:].reshape(-1), label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item(), model.emb.weight.grad.norm().item(), model.emb.weight is model.head.weight)
model.eval()
with torch.no_grad():
    t = torch.tensor([[1]])
    for _ in range(4):
        t = torch.cat([t, model(t)[:, -1:].argmax(-1)], 1)
print(t.tolist())
