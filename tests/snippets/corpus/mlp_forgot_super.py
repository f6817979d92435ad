import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(1, 1)


Net()
