import torch


def compute_gae(rewards, values, masks, gamma=0.99, tau=0.95):
    values = values + [0.0]
    gae, returns = 0, []
    for step in reversed(range(len(rewards))):
        delta = rewards[step] + gamma * values[step + 1] * masks[step] - values[step]
        gae = delta + gamma * tau * masks[step] * gae
        returns.insert(0, gae + values[step])
    return returns


out = compute_gae([1.0, 0.0, 1.0], [0.5, 0.4, 0.3], [1, 1, 0])
print([round(r, 4) for r in out], torch.tensor(out).mean())
ratio = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)
adv = torch.tensor([1.0, -1.0, 1.0])
loss = -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()
loss.backward()
print(loss, ratio.grad)
