import torch
import torch.nn as nn

torch.manual_seed(0)
layer = nn.Linear(2, 2)
layer.register_forward_pre_hook(lambda m, args: print("pre", args[0].shape))
handle = layer.register_forward_hook(lambda m, args, out: print("after", out.shape))
out = layer(torch.ones(3, 2))
handle.remove()
layer(torch.ones(1, 2))
print(out)
