import torch
import torch.nn as nn

x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = nn.MSELoss(size_average=False)(x, torch.zeros(2))
print(loss)
loss.backward()
print(x.grad)
