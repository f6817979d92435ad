import torch
import torch.nn.functional as F

x = torch.tensor([-2.0, -0.5, 0.0, 0.5, 2.0], requires_grad=True)
for f in (
    torch.relu,
    torch.sigmoid,
    torch.tanh,
    F.leaky_relu,
    F.elu,
    F.gelu,
    F.silu,
    F.softplus,
    F.logsigmoid,
    F.hardtanh,
):
    x.grad = None
    y = f(x)
    y.sum().backward()
    print(y)
    print(x.grad)
