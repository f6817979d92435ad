import numpy as np, torch

n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(t)
