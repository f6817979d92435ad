import numpy as np
import torch

a = np.array([1.0, 2.0, 3.0])
t = torch.from_numpy(a)
print(t)
t[0] = 50
print(a)
print(torch.tensor(a), torch.as_tensor(a).dtype)
print(torch.ones(2).numpy(), torch.ones(2).numpy().dtype)
print(torch.from_numpy(np.arange(3)))
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(np.sum(x.detach().numpy()))
