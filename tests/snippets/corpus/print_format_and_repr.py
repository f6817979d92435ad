import torch

x = torch.tensor(3.14159265)
print(f"{x:.2f}")
print(f"{x}")
print("%.3f" % x.item())
print(str(x), repr(x))
v = torch.tensor([1.5, 2.5])
print(f"{v}", "{}".format(v))
print(x.item(), v.tolist())
try:
    print(f"{v:.2f}")
except TypeError as e:
    print(e)
