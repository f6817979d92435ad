"""The types of handles, and names of modules that forums import."""

import torch
from torch.autograd.variable import Variable
from torch.utils.hooks import RemovableHandle

x = Variable(torch.ones(2), requires_grad=True)
handle: RemovableHandle = x.register_hook(lambda grad: grad * 2)
print(type(handle), isinstance(handle, RemovableHandle), isinstance(x, Variable))
layer = torch.nn.Linear(2, 1)
print(isinstance(layer.register_forward_hook(lambda *args: None), RemovableHandle))
with handle:
    x.sum().backward()
x.sum().backward()
print(x.grad)
torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False)
