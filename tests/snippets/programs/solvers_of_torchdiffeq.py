import torch
import torchdiffeq
from torch import nn
from torchdiffeq import odeint, odeint_adjoint, odeint_event

torch.manual_seed(0)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor([[-0.1, 2.0], [-2.0, -0.1]], dtype=torch.float64))
        self.calls = 0

    def forward(self, t, y):
        self.calls += 1
        return y @ self.a


field = Field()
y0 = torch.tensor([[2.0, 0.0]], dtype=torch.float64, requires_grad=True)
t = torch.linspace(0.0, 1.0, 5, dtype=torch.float64)
for method in ("euler", "midpoint", "rk4", "heun3", "explicit_adams", "implicit_adams", "dopri5", "bosh3", "fehlberg2"):
    field.zero_grad()
    y0.grad, field.calls = None, 0
    y = odeint(field, y0, t, method=method, rtol=1e-4, atol=1e-5)
    y[-1].sum().backward()
    print(method, field.calls, y.grad_fn.name(), y[-1], field.a.grad, y0.grad)
for options in ({"step_size": 0.1}, {"grid_constructor": lambda f, y, t: torch.linspace(0, 1, 4, dtype=t.dtype)}):
    print(odeint(field, y0, t, method="rk4", options=options)[-1])
field.zero_grad()
whole = odeint_adjoint(field, y0, t, method="dopri5", adjoint_options=dict(norm="seminorm"))
print(whole.grad_fn.name(), whole.shape)
whole.sum().backward()
print(field.a.grad)
two = odeint(lambda t, y: (y[1], -y[0]), (torch.zeros(1), torch.ones(1)), torch.tensor([0.0, 1.0]))
print(type(two).__name__, two)
when, state = odeint_event(
    field, y0, torch.tensor(0.0, dtype=torch.float64), event_fn=lambda t, y: y[0, 0] - 1.0, odeint_interface=odeint
)
print(when, state[-1])
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)).double()
learn = torch.optim.Adam(net.parameters(), lr=0.01)
goal = whole.detach()
for _ in range(3):
    learn.zero_grad()
    loss = (odeint(lambda t, y: net(y), y0.detach(), t, method="rk4") - goal).abs().mean()
    loss.backward()
    learn.step()
    print(loss)
for wrong in (
    lambda: odeint(field, y0, t, method="rk5"),
    lambda: odeint(field, y0, torch.tensor([0.0, 0.0])),
    lambda: odeint_adjoint(lambda t, y: y, y0, t),
    lambda: odeint(field, y0.long(), t),
):
    try:
        wrong()
    except (ValueError, AssertionError, TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
print(torchdiffeq.__version__)
