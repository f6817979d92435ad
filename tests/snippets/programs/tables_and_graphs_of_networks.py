import re

import torch
from torch import nn
from torchinfo import summary
from torchviz import make_dot
import torchsummary

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.drop = nn.Dropout2d()
        self.norm = nn.BatchNorm1d(50)
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)
        self.fc2.weight.requires_grad_(False)

    def forward(self, x):
        x = torch.relu(torch.max_pool2d(self.conv1(x), 2))
        x = torch.relu(torch.max_pool2d(self.drop(self.conv2(x)), 2))
        x = torch.relu(self.norm(self.fc1(x.view(-1, 320))))
        return torch.log_softmax(self.fc2(x), 1)


net = Net()
summary(net, input_size=(16, 1, 28, 28))
columns = ["input_size", "output_size", "num_params", "kernel_size", "mult_adds", "trainable"]
print(summary(net, (16, 1, 28, 28), verbose=0, col_names=columns, col_width=16, row_settings=["var_names", "depth"]))
told = summary(nn.LSTM(10, 20, 2), input_data=torch.ones(5, 3, 10), verbose=0)
print(told, told.total_params, told.trainable_params, told.total_mult_adds)
summary(nn.TransformerEncoderLayer(8, 2, 16), input_size=(3, 2, 8), depth=2)
print(len(str(summary(net, verbose=0)).splitlines()), net.training)
torchsummary.summary(net, (1, 28, 28), device="cpu")
torchsummary.summary(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), (4,), batch_size=8)
try:
    summary(net, input_size=(1, 3, 28, 28), verbose=0)
except RuntimeError as error:
    print(str(error).split(".")[0])


def numbered(text):
    seen = {}
    return re.sub(r"\d{6,}", lambda found: "n%d" % seen.setdefault(found[0], len(seen)), text)


small = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
y = small(torch.randn(1, 8)).mean()
print(numbered(make_dot(y, params=dict(small.named_parameters())).source))
dot = make_dot(y, params=dict(small.named_parameters()), show_attrs=True, show_saved=True)
print(numbered(dot.source), dot.graph_attr, dot.node_attr["shape"], len(dot.body))
w = torch.ones(2, requires_grad=True)
print(numbered(str(make_dot((w * 2, (w * 3)[0])))))
