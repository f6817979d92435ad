import torch
from torch import nn

torch.manual_seed(0)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(6, 4)
        self.out = nn.Linear(4, 6, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, i):
        return self.out(self.emb(i))


m = Tied()
m(torch.tensor([1])).sum().backward()
print(len(list(m.parameters())), m.out.weight is m.emb.weight, m.emb.weight.grad.shape, list(m.state_dict()))
