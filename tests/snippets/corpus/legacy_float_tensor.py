import torch

a = torch.FloatTensor([1, 2, 3])
b = torch.LongTensor([4, 5])
c = torch.Tensor(2, 2).fill_(1)
d = torch.Tensor([1, 2])
e = torch.DoubleTensor([1.5])
print(a, b, c, d, e)
print(torch.IntTensor([3]), torch.ByteTensor([1, 0]), torch.BoolTensor([True]))
print(a.type(), b.dtype, isinstance(a, torch.FloatTensor), isinstance(b, torch.FloatTensor))
print(a.type(torch.DoubleTensor), a.type(torch.LongTensor))
