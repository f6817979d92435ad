import torch
from torch import nn, optim

torch.manual_seed(0)
net, opt = nn.Linear(2, 1), None
opt = optim.Adam(net.parameters(), lr=0.01)
net(torch.ones(1, 2)).sum().backward()
opt.step()
PATH = "checkpoint.tar"
torch.save(
    {"epoch": 5, "model_state_dict": net.state_dict(), "optimizer_state_dict": opt.state_dict(), "loss": 0.4}, PATH
)
model = nn.Linear(2, 1)
optimizer = optim.Adam(model.parameters(), lr=0.5)
checkpoint = torch.load(PATH, weights_only=True)
model.load_state_dict(checkpoint["model_state_dict"])
optimizer.load_state_dict(checkpoint["optimizer_state_dict"])
epoch, loss = checkpoint["epoch"], checkpoint["loss"]
model.eval()
print(epoch, loss, optimizer.param_groups[0]["lr"], torch.equal(model.weight, net.weight))
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name)
try:
    torch.load("missing.pt")
except FileNotFoundError as e:
    print(type(e).__name__)


class EarlyStopping:
    def __init__(self, patience=2, delta=0.0, path="best.pt"):
        self.patience, self.delta, self.path = patience, delta, path
        self.best, self.counter, self.stop = None, 0, False

    def __call__(self, loss, model):
        if self.best is None or loss < self.best - self.delta:
            self.best, self.counter = loss, 0
            torch.save(model.state_dict(), self.path)
        else:
            self.counter += 1
            self.stop = self.counter >= self.patience


stopper = EarlyStopping()
for epoch, loss in enumerate([1.0, 0.8, 0.9, 0.85, 0.7]):
    stopper(loss, model)
    print(epoch, loss, stopper.counter)
    if stopper.stop:
        print("Early stopping")
        break
print(list(torch.load("best.pt")))
y = torch.ones(2, requires_grad=True) * 2
torch.save({"y": y, "several": [y.sum()]}, "history.pt")
back = torch.load("history.pt")
print(back, back["y"].is_leaf)
