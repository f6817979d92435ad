import torch, torch.nn as nn

torch.manual_seed(0)
for f in (
    lambda w: nn.init.xavier_normal_(w),
    lambda w: nn.init.kaiming_normal_(w, nonlinearity="relu"),
    lambda w: nn.init.orthogonal_(w),
    lambda w: nn.init.trunc_normal_(w, std=0.02),
    lambda w: nn.init.constant_(w, 0.3),
    lambda w: nn.init.eye_(w),
    lambda w: nn.init.sparse_(w, 0.3),
    lambda w: nn.init.kaiming_uniform_(w, a=1),
):
    print(f(torch.empty(3, 3)))
print(nn.init.calculate_gain("relu"), nn.init.calculate_gain("leaky_relu", 0.2))


def init_w(m):
    if isinstance(m, nn.Linear):
        torch.nn.init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0.01)


net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
print(net.apply(init_w))
print(net[0].bias)
torch.nn.init.xavier_uniform(torch.empty(2, 2))
