import torch, torch.nn as nn

print(
    type(nn.Linear(1, 1)),
    type(nn.ReLU()),
    type(nn.Sequential()),
    type(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1)),
    type(torch.optim.Adam([torch.ones(1, requires_grad=True)])),
)
print(
    type(torch.ones(1)),
    type(nn.Parameter(torch.ones(1))),
    type(torch.Size([1])),
    type(torch.float32),
    type(torch.device("cpu")),
    torch.Tensor,
    nn.Module,
    nn.Linear,
)
print(
    type(torch.ones(1).max(0)),
    type(nn.CrossEntropyLoss()),
    type(nn.Conv2d(1, 1, 1)),
    type(nn.LSTM(1, 1)),
    type(nn.ModuleList()),
    type(nn.MSELoss()),
)
print(
    type(torch.utils.data.DataLoader([1])),
    type(torch.utils.data.TensorDataset(torch.ones(1))),
    torch.autograd.Function,
    torch.no_grad,
    type(torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1), 1)),
)
print(
    nn.Linear(2, 3).__class__.__name__,
    torch.relu.__name__,
    type(nn.Linear(1, 1).weight.data),
    type(nn.Embedding(2, 2)),
    type(nn.BatchNorm1d(2)),
    type(nn.Dropout()),
    type(nn.Flatten()),
)
print(torch.autograd.Variable(torch.ones(1)), torch.__version__[:4], type(torch.Generator()))
