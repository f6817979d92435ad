import torch
from torch.distributions import Categorical

torch.manual_seed(0)
logits = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([logits], lr=0.5)
for _ in range(5):
    dist = Categorical(logits=logits)
    action = dist.sample()
    reward = 1.0 if action.item() == 2 else 0.0
    loss = -dist.log_prob(action) * reward
    opt.zero_grad()
    loss.backward()
    opt.step()
print(logits.softmax(0))
