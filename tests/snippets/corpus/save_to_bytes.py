import io

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
opt = torch.optim.Adam(net.parameters(), lr=0.1)
net(torch.randn(4, 2)).pow(2).sum().backward()
opt.step()

buffer = io.BytesIO()
torch.save(net.state_dict(), buffer)
buffer.seek(0)
state = torch.load(buffer, weights_only=True, map_location="cpu")
print(type(state), state.keys())
print(net.load_state_dict(state))
print(torch.equal(state["0.weight"], net[0].weight), state["1.num_batches_tracked"])

checkpoint = {"epoch": 3, "model": net.state_dict(), "optim": opt.state_dict(), "loss": torch.tensor(0.5), "best": 0.1}
buffer = io.BytesIO()
torch.save(checkpoint, buffer)
buffer.seek(0)
loaded = torch.load(buffer)
print(list(loaded), loaded["epoch"], loaded["loss"], loaded["best"])
print(loaded["optim"]["state"][0]["step"], loaded["optim"]["param_groups"][0]["lr"])
opt.load_state_dict(loaded["optim"])

buffer = io.BytesIO()
torch.save([torch.ones(2, dtype=torch.bfloat16), (1, 2.5, None, "text"), torch.arange(3), torch.Size([2])], buffer)
buffer.seek(0)
print(torch.load(buffer))
x = torch.ones(2, requires_grad=True)
buffer = io.BytesIO()
torch.save({"x": x, "p": nn.Parameter(torch.zeros(1))}, buffer)
buffer.seek(0)
print(torch.load(buffer))
