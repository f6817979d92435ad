import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
data = TensorDataset(torch.arange(10.0).unsqueeze(1), torch.arange(10))
train, valid = random_split(data, [7, 3])
print(len(train), len(valid))
print([int(y) for _, y in valid])
for x, y in DataLoader(train, batch_size=3):
    print(x.shape, y)
