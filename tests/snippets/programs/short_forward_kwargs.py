import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim, *, bias: bool = True, **kwargs):
        super().__init__()
        self.lin = nn.Linear(dim, dim, bias=bias)
        self.options = kwargs

    def forward(self, x, *args, scale=1.0, return_gate=False, **kw):
        g = torch.sigmoid(self.lin(x))
        out = {"out": x * g * scale, **kw}
        return (out, g) if return_gate else out


torch.manual_seed(0)
gate = Gate(2, bias=False, dropout=0.1)
out, g = gate(torch.ones(1, 2), 1, 2, scale=2.0, return_gate=True, tag="t")
print(out["out"].shape, out["tag"], gate.options, g.shape, gate)
