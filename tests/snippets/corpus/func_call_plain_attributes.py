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

# a tangent has the history of the operands that its product rule reads, also where their own tangents are zeros
with fwAD.dual_level():
    moved = fwAD.make_dual(weight, torch.ones(2, 2))
    for out in (moved * 2, x @ moved, nn.functional.linear(x, moved, model.bias), x * model.bias + moved):
        tangent = fwAD.unpack_dual(out).tangent
        print(tangent, tangent.grad_fn and tangent.grad_fn.name())
    print(fwAD.unpack_dual(moved + 1).primal.grad_fn.name())
with torch.inference_mode():
    print(torch.func.grad(lambda w: (w**2).sum())(weight), torch.func.jvp(torch.sin, (weight,), (weight,))[1])
for made in (torch.func.vmap(lambda w: w * 3)(weight), torch.func.grad(lambda w: (w**2).sum())(weight * 1)):
    print(made.grad_fn.name(), [each and each.name() for each, _ in made.grad_fn.next_functions])
