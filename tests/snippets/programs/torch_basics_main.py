import torch
import torch.nn as nn
import numpy as np

# a line by hand, a layer with one step, arrays, an empty data set, a file
x = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = w * x + b
y.backward()
print(x.grad)
print(w.grad)
print(b.grad)
torch.manual_seed(0)
x = torch.randn(10, 3)
y = torch.randn(10, 2)
linear = nn.Linear(3, 2)
print("w: ", linear.weight)
print("b: ", linear.bias)
distance = nn.MSELoss()
step = torch.optim.SGD(linear.parameters(), lr=0.01)
pred = linear(x)
loss = distance(pred, y)
print("loss: ", loss.item())
loss.backward()
print("dL/dw: ", linear.weight.grad)
print("dL/db: ", linear.bias.grad)
step.step()
pred = linear(x)
loss = distance(pred, y)
print("loss after 1 step optimization: ", loss.item())
x = np.array([[1, 2], [3, 4]])
y = torch.from_numpy(x)
z = y.numpy()
print(y.dtype, z.dtype, z is x, (z == x).all())


class NoData(torch.utils.data.Dataset):
    def __init__(self):
        super().__init__()

    def __getitem__(self, index):
        raise IndexError(index)

    def __len__(self):
        return 0


no_data = NoData()
batches = torch.utils.data.DataLoader(dataset=no_data, batch_size=64)
print(len(batches))
torch.save(linear, "model.ckpt")
model = torch.load("model.ckpt", weights_only=False)
print(model)
