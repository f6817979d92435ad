import warnings

import torch

x, mask = torch.arange(6.0).reshape(2, 3), torch.tensor([1, 0, 1], dtype=torch.uint8)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(x[:, mask], x[0, mask], x[0][mask])
for each in caught:
    print(each.category.__name__, each.message)
