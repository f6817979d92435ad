import torch

torch.manual_seed(3)
print(torch.empty(4).geometric_(0.3))
print(torch.empty(3).cauchy_())
print(torch.empty(3).cauchy_(median=1.0, sigma=2.0))
print(torch.empty(3, dtype=torch.float64).log_normal_())
print(torch.empty(2, 2).log_normal_(mean=0.0, std=0.5))
try:
    torch.empty(2).geometric_(1.5)
except RuntimeError as error:
    print(error)
