import torch
import torch.nn as nn

torch.manual_seed(0)
a = nn.Linear(2, 2)
b = nn.Linear(2, 2)
print(torch.equal(a.weight, b.weight))
b.load_state_dict(a.state_dict())
print(torch.equal(a.weight, b.weight))
for k, v in b.state_dict().items():
    print(k, v)
try:
    nn.Linear(3, 2).load_state_dict(a.state_dict())
except RuntimeError as e:
    print(str(e).splitlines()[0])
