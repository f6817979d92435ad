"""The mean of squares

Every element of x takes the same way to the result: add 2, square, times 3, a quarter share of the mean. So every
element of x.grad is 3 * 2 * 3 / 4 = 4.5. y is in between: its gradient passes through and is not stored.

Look at: y gets two contributions, one for each time it stands in y * y, before its own backward step may run.
"""
import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print(z, out)

out.backward()
print(x.grad)
print(y.grad)
