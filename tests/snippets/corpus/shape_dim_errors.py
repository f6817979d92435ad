import torch

x = torch.ones(2, 3)
for f in (
    lambda: x.sum(2),
    lambda: x.squeeze(5),
    lambda: x.unsqueeze(4),
    lambda: x.transpose(0, 2),
    lambda: x.size(3),
    lambda: x.softmax(3),
):
    try:
        f()
    except IndexError as e:
        print(e)
try:
    x.permute(0, 1, 2)
except RuntimeError as e:
    print(e)
x.t().unsqueeze(0).t()
