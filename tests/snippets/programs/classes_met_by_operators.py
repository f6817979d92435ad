import operator
import torch


class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("asked:", func.__name__, [each.__name__ for each in types])
        return super().__torch_function__(func, types, args, kwargs or {})

    def reshape(self, *shape):
        print("reshape")
        return super().reshape(*shape)

    def unsqueeze(self, dim):
        print("unsqueeze")
        return super().unsqueeze(dim)


class Silent(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl

    def reshape(self, *shape):
        print("reshape")
        return super().reshape(*shape)

    def expand(self, *shape):
        print("expand")
        return super().expand(*shape)

    def unsqueeze(self, dim):
        print("unsqueeze")
        return super().unsqueeze(dim)


weight = torch.nn.Parameter(torch.arange(9.0).view(3, 3))
for kind in Told, Silent:
    vector = torch.tensor([1.0, 2.0, 3.0]).as_subclass(kind)
    batch = torch.ones(2, 3, 3).as_subclass(kind)
    places = torch.tensor([0, 2]).as_subclass(kind)
    for name in "add sub mul truediv floordiv mod pow matmul lt le ne gt ge iadd imul".split():
        left = weight.detach().clone() if name[0] == "i" else weight
        for one, other in (left, vector), (vector if name[0] != "i" else left, weight):
            found = getattr(operator, name)(one, other)
            print(kind.__name__, name, type(found).__name__, found.sum().item() if kind is Silent else "")
    for one, other in (weight, batch), (batch, weight), (vector, vector):
        print(kind.__name__, type(one @ other).__name__)
    print(type(weight[places]).__name__, type(weight[0, places]).__name__, type(weight[1:, None]).__name__)
    print(type(vector[places]).__name__, type(batch[None]).__name__)
    plain = torch.zeros(3)
    plain[places] = torch.ones(2)
    plain[0] = vector[0]
    print(type(plain).__name__, plain[0].item(), plain.tolist())
    print(type(torch.Tensor.__add__(vector, 1)).__name__, type(torch.Tensor.add(weight, vector)).__name__)
    print(type(weight + vector.tolist()[0]).__name__, 1.0 in plain)
    vector += 1
    print(type(vector).__name__, type(-vector).__name__, type(abs(vector)).__name__, bool((vector > 0).all()))
    print(type(weight.__radd__(vector)).__name__, type(weight.__rsub__(vector)).__name__)
    print((vector.sum() < weight[0, 0]).tolist(), (weight[0, 0] > vector.sum()).tolist())
