import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.NAdam([w], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()
print(w)
print(optimizer.state_dict()["state"])
