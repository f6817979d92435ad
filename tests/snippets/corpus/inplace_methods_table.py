import torch

x = torch.tensor([-1.0, 0.5, 2.0])
print(x.clone().clamp_(0, 1), x.clone().abs_(), x.clone().neg_(), x.clone().exp_())
print(x.clone().sub_(1), x.clone().div_(2), x.clone().pow_(2), x.clone().fill_(7), x.clone().zero_())
y = x.clone()
print(y.add_(1) is y, y._version)
y.resize_(2)
print(y)
print(torch.empty_like(x).shape, x.clip(0, 1), x.contiguous() is x, x.reshape(1, 3).T)
print(torch.unique(torch.tensor([3, 1, 3, 2])), torch.zeros(2).random_(0, 1))
