import torch
import warnings

warnings.simplefilter("ignore")
w = torch.tensor(2.0, requires_grad=True)
(w**2).backward(create_graph=True)
first = w.grad
(w**3).backward(create_graph=True)
print(first)
print(w.grad, w.grad is first)
