import math
import torch
from torch.optim import Optimizer


class MySGD(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.0):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                d_p = p.grad
                if group["momentum"]:
                    state = self.state[p]
                    if "buffer" not in state:
                        state["buffer"] = torch.clone(d_p).detach()
                    else:
                        state["buffer"].mul_(group["momentum"]).add_(d_p)
                    d_p = state["buffer"]
                p.add_(d_p, alpha=-group["lr"])
        return loss


w = torch.tensor([2.0, -1.0], requires_grad=True)
ref = w.detach().clone().requires_grad_()
mine, theirs = MySGD([w], 0.1, 0.9), torch.optim.SGD([ref], 0.1, 0.9)
for step in range(4):
    for p, o in ((w, mine), (ref, theirs)):
        o.zero_grad()
        (p**2).sum().backward()
        o.step()
print(w, torch.allclose(w, ref), mine)
try:
    MySGD([w], lr=-1)
except ValueError as e:
    print(e)


class Adam:
    def __init__(self, params, lr=0.001, b1=0.9, b2=0.999, eps=1e-8):
        self.params = list(params)
        self.lr, self.b1, self.b2, self.eps, self.t = lr, b1, b2, eps, 0
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    def step(self):
        self.t += 1
        for i, p in enumerate(self.params):
            g = p.grad.data
            self.m[i] = self.b1 * self.m[i] + (1 - self.b1) * g
            self.v[i] = self.b2 * self.v[i] + (1 - self.b2) * g * g
            m_hat = self.m[i] / (1 - self.b1**self.t)
            v_hat = self.v[i] / (1 - self.b2**self.t)
            p.data -= self.lr * m_hat / (v_hat.sqrt() + self.eps)

    def zero_grad(self):
        for p in self.params:
            p.grad = None


p = torch.tensor([1.0], requires_grad=True)
adam = Adam([p], lr=0.1)
for _ in range(3):
    adam.zero_grad()
    (p**2).backward()
    adam.step()
print(p)
