import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 1)]
        self.named = nn.ModuleDict({"a": nn.Linear(1, 1)})


net = Net()
print([n for n, _ in net.named_parameters()])
print(net)
