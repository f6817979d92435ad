import torch

torch.manual_seed(0)
logits = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([logits], lr=0.5)
rewards = torch.tensor([0.1, 0.9, 0.3])
baseline = 0.0
for t in range(30):
    dist = torch.distributions.Categorical(logits=logits)
    a = dist.sample()
    r = rewards[a].item()
    loss = -dist.log_prob(a) * (r - baseline)
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline += 0.1 * (r - baseline)
print(torch.softmax(logits, 0).argmax().item(), f"{baseline:.2f}", logits.grad.shape)
