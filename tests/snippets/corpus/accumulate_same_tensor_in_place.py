import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
(w * 3).sum().backward()
first = w.grad
ptr = first.data_ptr()
(w * 4).sum().backward()
print(first)
print(w.grad is first, w.grad.data_ptr() == ptr)
print(w.grad._version)
