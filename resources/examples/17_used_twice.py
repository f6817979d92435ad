"""Used twice, added up

h goes into h * h and into the addition. Three gradients come back to it, one for each use: h, h and 1. They are added,
and only when the last has arrived does AccumulateGrad run. The result is 2h + 1.

Look at: "1 of 3 arrived", "2 of 3 arrived", and the running sum.
"""
import torch

h = torch.tensor(2., requires_grad=True)
y = h * h + h
y.backward()
print(y, h.grad)
