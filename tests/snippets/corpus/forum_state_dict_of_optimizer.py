import torch

w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
(w * 2).sum().backward()
opt.step()
state = opt.state_dict()
print(state["param_groups"][0]["lr"], state["state"][0]["momentum_buffer"])
opt2 = torch.optim.SGD([w], lr=0.5)
opt2.load_state_dict(state)
print(opt2.param_groups[0]["lr"], opt2.param_groups[0]["momentum"])
