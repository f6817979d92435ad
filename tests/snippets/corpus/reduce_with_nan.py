import torch

nan = float("nan")
a = torch.tensor([[1.0, nan, 2.0], [3.0, 1.0, 2.0]])
print(a.max(), a.min(), a.sum(), a.mean(1))
print(a.median(), a.median(1))
print(a.quantile(0.5), a.quantile(0.5, dim=1))
print(a.nansum(), torch.nan_to_num(a), a.isnan().any())
print(a.argmax(), a.sort(1).values, a == a)
x = torch.tensor([[3.0, 1.0, 2.0], [5.0, 5.0, 1.0]], requires_grad=True)
x.median(1)[0].sum().backward()
print(x.grad)
