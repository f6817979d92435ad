"""Which of several equal elements topk, kthvalue, median, mode, sort and max name."""

import torch

few = torch.tensor([1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 2.0, 1.0])
for k in range(1, 9):
    print(k, torch.topk(few, k).indices, torch.topk(few, k, largest=False).indices, torch.kthvalue(few, k))
print(torch.topk(torch.zeros(10), 3), torch.topk(torch.zeros(10), 4, sorted=False))
print(few.sort(descending=True).indices, few.argsort(), few.median(0), few.mode(), few.max(0), few.min(0))

many = (torch.arange(100) * 37 % 11).float()
for k in (1, 2, 5, 20, 50, 99, 100):
    print(k, many.topk(k).indices.tolist(), many.topk(k, largest=False).indices.tolist(), many.kthvalue(k).indices)
print(many.mode(), many[:40].mode(), many.median(0), many[:60].topk(1), many[:60].topk(3, sorted=False).indices)

rows = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [3, 1, 2, 4]])
print(rows.topk(2), rows.topk(2, dim=0), rows.kthvalue(2), rows.kthvalue(2, 0), rows.mode(1))
print(torch.relu(torch.tensor([-1.0, -2.0, 0.5, -0.1, 0.0, -3.0])).topk(3))

x = torch.tensor([0.0, 2.0, 2.0, 2.0, 1.0], requires_grad=True)
x.topk(2).values.sum().backward()
print(x.grad)
x.grad = None
x.kthvalue(4).values.backward()
print(x.grad)
print(torch.tensor([1.0, float("nan"), 1.0, float("nan")]).topk(3))
