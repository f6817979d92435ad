# matrices that stay orthogonal, and recurrent cells as functions
import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import orthogonal


def tell(what, fn):
    try:
        print(what, fn())
    except Exception as e:
        print(what, f"{type(e).__name__}: {e}")


torch.manual_seed(0)
layer = orthogonal(nn.Linear(3, 3))
print(layer, layer.weight)
print(layer.parametrizations.weight.original, list(layer.state_dict()))
print(torch.dist(layer.weight @ layer.weight.T, torch.eye(3)) < 1e-6)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = (layer(torch.eye(3)) - 1).pow(2).sum()
    loss.backward()
    opt.step()
    print(round(loss.item(), 4))
print(torch.dist(layer.weight @ layer.weight.T, torch.eye(3)) < 1e-5)
for options in ({"orthogonal_map": "cayley"}, {"orthogonal_map": "householder"}, {"use_trivialization": False}):
    for sizes in ((3, 3), (4, 2), (2, 4)):
        torch.manual_seed(1)
        layer = orthogonal(nn.Linear(*sizes), **options)
        print(options, layer.weight.shape, layer.weight.grad_fn.name())
        print(layer.weight)
        start = nn.init.orthogonal_(torch.empty(sizes[1], sizes[0]))

        def assign():
            layer.weight = start
            return torch.allclose(layer.weight, start, atol=1e-5)

        tell("assigned", assign)
tell("no such map", lambda: orthogonal(nn.Linear(2, 2), orthogonal_map="spiral"))
tell("no such parameter", lambda: orthogonal(nn.Linear(2, 2), "gain"))
tell("a vector", lambda: orthogonal(nn.Linear(2, 2), "bias"))

torch.manual_seed(0)
x, h, c = torch.randn(2, 3), torch.randn(2, 4), torch.randn(2, 4)
for gates, cell in ((4, torch.lstm_cell), (3, torch.gru_cell), (1, torch.rnn_tanh_cell), (1, torch.rnn_relu_cell)):
    w = torch.randn(gates * 4, 3, requires_grad=True)
    u, b = torch.randn(gates * 4, 4), torch.randn(gates * 4)
    state = (h, c) if gates == 4 else h
    print(cell(x, state, w, u), cell(x, state, w, u, b, b), cell.__name__)
