from collections import deque

import numpy as np
import torch

print(torch.LongTensor(range(4)), torch.FloatTensor(range(1, 3)), torch.Tensor(deque([1, 2])))
print(torch.Tensor([range(2), range(2, 4)]), torch.IntTensor((3, 4)))
print(torch.Tensor(2, 0), torch.LongTensor(np.arange(3)), torch.Tensor([]), torch.Tensor(torch.tensor([1, 2])))
for wrong in (b"ab", {1, 2}, {3: 4}.values(), map(int, "12"), np.float32(3), True, 2.5, None):
    try:
        torch.Tensor(wrong)
    except TypeError as error:
        print(error)
for several in (([1, 2], [3]), (1.5, 2), ("a", 1), ((1, 2), (3,)), (torch.ones(2), torch.ones(2))):
    try:
        torch.FloatTensor(*several)
    except TypeError as error:
        print(error)
try:
    torch.Tensor([1.0, 2.0], dtype="float32")
except TypeError as error:
    print(error)
x = torch.ones(2)
print(x.new(np.eye(2)), x.new([1, 2]), x.new(np.array([3])), x.new((3, 1)))
