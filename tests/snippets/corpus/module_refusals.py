import torch, torch.nn as nn

m = nn.Linear(2, 2)
try:
    m.foo
except AttributeError as e:
    print(e)
try:
    m.weight = torch.ones(2, 2)
except TypeError as e:
    print(e)
try:
    m.load_state_dict({"weight": torch.ones(2, 2)})
except RuntimeError as e:
    print(e)
try:
    m.load_state_dict({"weight": torch.ones(3, 2), "bias": torch.ones(2), "x": torch.ones(1)})
except RuntimeError as e:
    print(e)
print(m.load_state_dict({"weight": torch.ones(2, 2)}, strict=False))
print(m.state_dict())
try:
    m()
except TypeError as e:
    print(e)


class N(nn.Module):
    pass


N()(torch.ones(1))
