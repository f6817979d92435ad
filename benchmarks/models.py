"""The models whose graphs the layout is measured with, small in their tensors and whole in their structure. Texts
only: they are run and recorded as snippets are."""

from __future__ import annotations

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
"""

MLP = (
    HEAD
    + """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
x, y = torch.randn(16, 4), torch.randn(16, 1)
F.mse_loss(model(x), y).backward()
"""
)

LENET = (
    HEAD
    + """
class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)

loss = F.cross_entropy(LeNet()(torch.randn(2, 1, 28, 28)), torch.tensor([3, 7]))
loss.backward()
"""
)

BASIC_BLOCK = """
class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.downsample = None
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)
"""

BOTTLENECK = """
class Bottleneck(nn.Module):
    def __init__(self, cin, mid, stride=1):
        super().__init__()
        cout = 4 * mid
        self.conv1 = nn.Conv2d(cin, mid, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(mid)
        self.conv2 = nn.Conv2d(mid, mid, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(mid)
        self.conv3 = nn.Conv2d(mid, cout, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)
"""

RESNET = """
class ResNet(nn.Module):
    def __init__(self, layers, width=4, classes=10):
        super().__init__()
        self.cin = width
        self.conv1 = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.layers = nn.Sequential(*[self._make(width * 2 ** i, n, 1 + (i > 0)) for i, n in enumerate(layers)])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(self.cin, classes)

    def _make(self, mid, n, stride):
        blocks = []
        for i in range(n):
            blocks.append(Block(self.cin, mid, stride if i == 0 else 1))
            self.cin = EXPANSION * mid
        return nn.Sequential(*blocks)

    def forward(self, x):
        x = self.layers(self.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))

loss = F.cross_entropy(ResNet(LAYERS)(torch.randn(2, 3, 16, 16)), torch.tensor([1, 3]))
loss.backward()
"""

TRANSFORMER = (
    HEAD
    + """
class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (C // self.heads) ** -0.5
        mask = torch.tril(torch.ones(T, T))
        att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)

class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(d)
        self.attn = Attention(d, heads)
        self.ln2 = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        x = x + self.mlp(self.ln2(x))
        return x

class GPT(nn.Module):
    def __init__(self, vocab=11, d=16, heads=2, layers=LAYERS, T=8):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(T, d)
        self.blocks = nn.ModuleList([Block(d, heads) for _ in range(layers)])
        self.ln = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, idx):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))

model = GPT()
idx = torch.randint(0, 11, (2, 8))
logits = model(idx)
loss = F.cross_entropy(logits.view(-1, 11), torch.randint(0, 11, (16,)))
loss.backward()
"""
)

RNN = (
    HEAD
    + """
cell = nn.RNNCell(4, 8)
out = nn.Linear(8, 1)
x = torch.randn(50, 2, 4)
h = torch.zeros(2, 8)
for t in range(50):
    h = cell(x[t], h)
out(h).pow(2).mean().backward()
"""
)

LSTM = (
    HEAD
    + """
cell = nn.LSTMCell(4, 8)
x = torch.randn(50, 2, 4)
h, c = torch.zeros(2, 8), torch.zeros(2, 8)
for t in range(50):
    h, c = cell(x[t], (h, c))
h.sum().backward()
"""
)


def resnet(block: str, expansion: int, layers: list[int]) -> str:
    """A residual network of these blocks."""
    text = HEAD + block + RESNET
    text = text.replace("EXPANSION", str(expansion)).replace("LAYERS", repr(layers))
    return text.replace("BasicBlock", "Block").replace("Bottleneck", "Block")


def transformer(layers: int) -> str:
    """A small GPT with its attention written by hand."""
    return TRANSFORMER.replace("LAYERS", str(layers))


MODELS = {
    "MLP": MLP,
    "LeNet": LENET,
    "ResNet-18": resnet(BASIC_BLOCK, 1, [2, 2, 2, 2]),
    "ResNet-50": resnet(BOTTLENECK, 4, [3, 4, 6, 3]),
    "transformer ×1": transformer(1),
    "transformer ×12": transformer(12),
    "transformer ×96": transformer(96),
    "RNN 50": RNN,
    "LSTM 50": LSTM,
}
