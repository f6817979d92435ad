import torch
import torch.autograd.forward_ad as fwAD
from torch import nn
from torch.func import functional_call

model = nn.Linear(2, 2)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    model.bias.zero_()
x = torch.tensor([[1.0, -1.0]])
weight = model.weight
# a parameter that was taken away and put back as a plain attribute is replaced all the same
with fwAD.dual_level():
    del model.weight
    model.weight = fwAD.make_dual(weight.detach(), torch.ones(2, 2))
    print(fwAD.unpack_dual(model(x)).tangent)
    dual = fwAD.make_dual(weight.detach(), torch.tensor([[0.0, 1.0], [2.0, 3.0]]))
    print(fwAD.unpack_dual(functional_call(model, {"weight": dual}, x)).tangent)
    print(fwAD.unpack_dual(model(x)).tangent, [name for name, _ in model.named_parameters()])


class Scaled(nn.Module):
    def forward(self, x):
        return x * self.factor


scaled = Scaled()
print(functional_call(scaled, {"factor": torch.tensor(3.0)}, x), hasattr(scaled, "factor"))
