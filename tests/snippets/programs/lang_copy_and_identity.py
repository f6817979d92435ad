import copy
import torch

a = [1, [2, 3]]
b, c, d = a, copy.copy(a), copy.deepcopy(a)
a[1].append(4)
print(b is a, c, d, a == c, a == d, id(a) == id(b))
net = torch.nn.Linear(2, 2)
twin = copy.deepcopy(net)
with torch.no_grad():
    net.weight.zero_()
print(torch.equal(net.weight, twin.weight), twin.weight.requires_grad, twin.weight.is_leaf)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = copy.deepcopy(x)
print(y, y is x, copy.copy([x])[0] is x)
best = copy.deepcopy(net.state_dict())
net.load_state_dict(best)


class Thing:
    def __init__(self):
        self.items = []


t = Thing()
u = copy.copy(t)
u.items.append(1)
v = copy.deepcopy(t)
v.items.append(2)
print(t.items, u.items, v.items, id(t) != id(u), hash("a") == hash("a"), None is None)
try:
    copy.deepcopy(x * 2)
except RuntimeError as e:
    print(str(e)[:60])
