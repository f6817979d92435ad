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
on_gpu = torch.cuda.FloatTensor
a = torch.ones(2)
print(on_gpu, isinstance(a, on_gpu), isinstance(a, torch.cuda.DoubleTensor), isinstance(a, torch.FloatTensor))
print(on_gpu.__name__, on_gpu.dtype, on_gpu.is_cuda, torch.FloatTensor.is_cuda)
print(a.type(torch.cuda.LongTensor if torch.cuda.is_available() else torch.LongTensor))
for refused in (
    lambda: on_gpu(2),
    lambda: torch.cuda.HalfTensor([1.0]),
    lambda: a.type(on_gpu),
    lambda: a.type("torch.cuda.FloatTensor"),
    lambda: torch.set_default_tensor_type(on_gpu),
    lambda: torch.set_default_tensor_type("torch.cuda.FloatTensor"),
):
    try:
        print(refused())
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
