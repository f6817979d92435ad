import math
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(0)
x_train = torch.rand(64, 10)
y_train = torch.randint(0, 3, (64,))
weights = torch.randn(10, 3) / math.sqrt(10)
weights.requires_grad_()
bias = torch.zeros(3, requires_grad=True)


def log_softmax(x):
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def model(xb):
    return log_softmax(xb @ weights + bias)


def nll(input, target):
    return -input[range(target.shape[0]), target].mean()


loss_func = nll


def accuracy(out, yb):
    preds = torch.argmax(out, dim=1)
    return (preds == yb).float().mean()


bs = 16
lr = 0.5
for epoch in range(2):
    for i in range((64 - 1) // bs + 1):
        start_i = i * bs
        end_i = start_i + bs
        xb = x_train[start_i:end_i]
        yb = y_train[start_i:end_i]
        loss = loss_func(model(xb), yb)
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * lr
            bias -= bias.grad * lr
            weights.grad.zero_()
            bias.grad.zero_()
print(f"{loss_func(model(x_train), y_train):.4f}", accuracy(model(x_train), y_train))


class Mnist_Logistic(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(10, 3) / math.sqrt(10))
        self.bias = nn.Parameter(torch.zeros(3))

    def forward(self, xb):
        return xb @ self.weights + self.bias


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


class WrappedDataLoader:
    def __init__(self, dl, func):
        self.dl = dl
        self.func = func

    def __len__(self):
        return len(self.dl)

    def __iter__(self):
        for b in self.dl:
            yield (self.func(*b))


def preprocess(x, y):
    return x.view(-1, 1, 2, 5), y


def loss_batch(model, loss_func, xb, yb, opt=None):
    loss = loss_func(model(xb), yb)
    if opt is not None:
        loss.backward()
        opt.step()
        opt.zero_grad()
    return loss.item(), len(xb)


train_ds = TensorDataset(x_train, y_train)
train_dl = WrappedDataLoader(DataLoader(train_ds, batch_size=bs), preprocess)
net = nn.Sequential(nn.Conv2d(1, 4, 2), nn.ReLU(), Lambda(lambda x: x.view(x.size(0), -1)), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(2):
    losses, nums = zip(*[loss_batch(net, F.cross_entropy, xb, yb, opt) for xb, yb in train_dl])
    print(epoch, round(sum(l * n for l, n in zip(losses, nums)) / sum(nums), 4))
m = Mnist_Logistic()
print(f"{F.cross_entropy(m(x_train), y_train).item():.4f}")
