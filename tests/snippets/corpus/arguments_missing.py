# calls without the arguments they need, or with too many
import torch

x = torch.ones(2, 2)
calls = [
    lambda: torch.sqrt(),
    lambda: torch.matmul(x),
    lambda: torch.flip(x),
    lambda: torch.transpose(x),
    lambda: torch.gather(x, 0),
    lambda: torch.renorm(x),
    lambda: torch.atan2(x),
    lambda: torch.clone(),
    lambda: torch.linalg.solve(x),
    lambda: torch.linalg.det(),
    lambda: torch.broadcast_to(x),
    lambda: torch.sqrt(x, 2),
    lambda: torch.sqrt(x, base=2),
]
for call in calls:
    try:
        print(call())
    except TypeError as e:
        print(e)
