import torch.nn as nn

mods = [
    nn.Linear(2, 3, bias=False),
    nn.Conv1d(1, 2, 3, padding=1),
    nn.Conv2d(3, 6, (3, 5), stride=2, dilation=2, groups=3, bias=False, padding_mode="reflect"),
    nn.ConvTranspose2d(2, 1, 4, 2, 1),
    nn.MaxPool2d(2, 2),
    nn.AvgPool2d(3),
    nn.AdaptiveAvgPool2d((1, 1)),
    nn.AdaptiveMaxPool2d(7),
    nn.BatchNorm1d(4),
    nn.BatchNorm2d(4, affine=False),
    nn.LayerNorm([3, 4]),
    nn.GroupNorm(2, 4),
    nn.InstanceNorm2d(3),
    nn.RMSNorm(5),
    nn.Dropout(),
    nn.Dropout2d(0.1, inplace=True),
    nn.ReLU(),
    nn.ReLU(inplace=True),
    nn.LeakyReLU(0.2),
    nn.PReLU(),
    nn.ELU(),
    nn.GELU(),
    nn.GELU("tanh"),
    nn.SiLU(),
    nn.Mish(),
    nn.Softmax(dim=1),
    nn.LogSoftmax(dim=-1),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.Softplus(),
    nn.Hardtanh(),
    nn.Threshold(0.1, 20),
    nn.Embedding(10, 3),
    nn.Embedding(10, 3, padding_idx=0),
    nn.EmbeddingBag(10, 3, mode="sum"),
    nn.RNN(2, 3),
    nn.LSTM(2, 3, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1),
    nn.GRU(2, 3),
    nn.LSTMCell(2, 3),
    nn.GRUCell(1, 2),
    nn.MultiheadAttention(4, 2),
    nn.TransformerEncoderLayer(4, 2, 8),
    nn.TransformerDecoderLayer(4, 2, 8, batch_first=True),
    nn.Flatten(),
    nn.Unflatten(1, (2, 3)),
    nn.Identity(),
    nn.Upsample(scale_factor=2, mode="bilinear"),
    nn.PixelShuffle(2),
    nn.ZeroPad2d(1),
    nn.ReflectionPad2d(2),
    nn.Bilinear(1, 2, 3),
    nn.CosineSimilarity(),
    nn.MSELoss(),
    nn.CrossEntropyLoss(ignore_index=-1),
    nn.BCEWithLogitsLoss(reduction="sum"),
    nn.NLLLoss(),
    nn.SmoothL1Loss(),
    nn.HuberLoss(),
    nn.KLDivLoss(),
    nn.TripletMarginLoss(),
    nn.Unfold(2),
    nn.Fold((2, 2), 1),
    nn.LocalResponseNorm(2),
    nn.LazyLinear(3),
]
for m in mods:
    print(m)
print(nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.ReLU(), nn.Dropout(0.3))))
print(nn.ModuleList([nn.Linear(1, 1) for _ in range(3)]), nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(1, 2)}))
from collections import OrderedDict

print(nn.Sequential(OrderedDict([("conv", nn.Conv2d(1, 2, 3)), ("act", nn.ReLU())])))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 1)])
        self.extra = nn.Identity()

    def extra_repr(self):
        return "kind=demo, n=3"


print(Net())
print(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2))
print(nn.Transformer(4, 2, 1, 1, 8))
