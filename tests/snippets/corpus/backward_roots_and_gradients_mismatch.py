import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([x * 2, x * 3], grad_tensors=[torch.ones(2)])
