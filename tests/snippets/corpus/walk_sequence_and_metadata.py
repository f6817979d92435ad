import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * x
z = y + 1
print(z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr())
y.grad_fn.metadata["note"] = "square"
print(z.grad_fn.next_functions[0][0].metadata)
print(hasattr(y.grad_fn, "_saved_self"), hasattr(z.grad_fn, "_saved_self"))
