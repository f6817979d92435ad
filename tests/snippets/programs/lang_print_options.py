import torch
import numpy as np

torch.set_printoptions(precision=2, sci_mode=False, linewidth=60)
print(torch.tensor([1.23456, 1000.5, 1e-5]))
torch.set_printoptions(profile="default")
print(torch.tensor([1.23456, 1e-5]))
np.set_printoptions(precision=3, suppress=True)
print(np.array([1.23456, 1e-8]))
print("a", "b", sep="", end="")
print()
print("tab\tnew\\n", 'q"uote', """triple "quoted" text""")
print(torch.tensor(3), torch.tensor([True]), torch.tensor([[1, 2], [3, 4]]), torch.ones(0), torch.tensor(1.5).item())
print(
    [torch.tensor(1.0)],
    {"k": torch.zeros(2)},
    (torch.tensor(2),),
    f"{torch.tensor(3.14159):.2f}",
    "%.1f" % torch.tensor(2.55),
    str(torch.Size([2, 3])),
)
