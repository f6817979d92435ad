"""Changed after it was saved

exp() saved its own result, because that is its derivative. Then y += 1 wrote into that very memory. The version of y
is now 1 and the saved buffer belongs to version 0: going back would give wrong numbers, so PyTorch refuses.

Look at: the tab `result` turns red at y += 1, long before the error.
"""
import torch

x = torch.tensor([0., 1.], requires_grad=True)
y = x.exp()
z = y.sum()
y += 1
print(y._version)
z.backward()
