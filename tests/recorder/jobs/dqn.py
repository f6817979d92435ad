"""Replay buffer, target network, gather, Huber, soft updates, epsilon."""

import collections, random, torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
Step = collections.namedtuple("Step", "s a r n")
online, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(online.state_dict())
opt = torch.optim.AdamW(online.parameters(), 1e-2, amsgrad=True)
memory, s = collections.deque(maxlen=50), torch.randn(4)
for t in range(12):
    with torch.no_grad():
        a = int(online(s).argmax()) if random.random() > 0.3 else random.randrange(2)
    n = torch.randn(4)
    memory.append(Step(s, a, float(n.sum()), n))
    s = n
    if len(memory) < 6:
        continue
    batch = Step(*zip(*random.sample(list(memory), 4)))
    S, A, R, N = torch.stack(batch.s), torch.tensor(batch.a)[:, None], torch.tensor(batch.r), torch.stack(batch.n)
    q = online(S).gather(1, A).squeeze(1)
    with torch.no_grad():
        goal = R + 0.9 * target(N).max(1).values
    loss = nn.functional.smooth_l1_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(online.parameters(), 1.0)
    opt.step()
    with torch.no_grad():
        for p, o in zip(target.parameters(), online.parameters()):
            p.lerp_(o, 0.1)
    print(t, loss.item())
