"""NaN from the branch that was not taken

where() picks zero at x = 0, and the value is fine. But backward goes through both branches: the one not taken gets a
gradient of 0, the slope of sqrt at 0 is infinite, and 0 times infinity is not a number. Make the input safe first.

Look at: the gradient into SqrtBackward0 is 0, and what comes out of it is nan.
"""
import torch

x = torch.tensor([0., 4.], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
print(y)
y.sum().backward()
print(x.grad)

x.grad = None
safe = torch.where(x > 0, x, torch.ones_like(x))
y = torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x))
y.sum().backward()
print(x.grad)
