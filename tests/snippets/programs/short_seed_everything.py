import random
import numpy as np
import torch


def seed_everything(seed: int = 42) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True


seed_everything()
first = (random.random(), np.random.rand(), torch.rand(1).item())
seed_everything()
print(first == (random.random(), np.random.rand(), torch.rand(1).item()), [round(v, 4) for v in first])
g = torch.Generator()
g.manual_seed(7)
state = torch.get_rng_state()
a = torch.rand(2)
torch.set_rng_state(state)
print(torch.equal(a, torch.rand(2)), torch.initial_seed(), torch.rand(1, generator=g))
with torch.random.fork_rng():
    torch.rand(5)
