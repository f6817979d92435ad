import torch
import torch.nn as nn


def attempt(label, f):
    try:
        f()
    except Exception as e:
        print(f"[{label}] {type(e).__name__}: {e}")
    else:
        print(f"[{label}] no error")


x = torch.tensor([1.0, 2.0], requires_grad=True)

attempt("non-scalar", lambda: (x * 2).backward())
attempt("no grad", lambda: torch.tensor(1.0).backward())


def twice():
    y = (x**2).sum()
    y.backward()
    y.backward()


attempt("twice", twice)


def inplace():
    y = x.sigmoid()
    y.mul_(2)
    y.sum().backward()


attempt("inplace", inplace)
attempt("numpy", lambda: x.numpy())
attempt("item", lambda: x.item())
attempt("bool", lambda: bool(x))
attempt("matmul", lambda: torch.randn(2, 3) @ torch.randn(2, 3))
attempt("mm", lambda: torch.mm(torch.randn(2, 3), torch.randn(3)))
attempt("dtype", lambda: torch.ones(2, 2, dtype=torch.long) @ torch.ones(2, 2))
attempt("broadcast", lambda: torch.ones(3) + torch.ones(4))
attempt("cat", lambda: torch.cat([torch.ones(2, 3), torch.ones(3, 2)]))
attempt("stack", lambda: torch.stack([torch.ones(2), torch.ones(3)]))
attempt("view", lambda: torch.arange(6).view(4, 2))
attempt("view2", lambda: torch.arange(6).view(2, 3).t().view(6))
attempt("reshape", lambda: torch.arange(6).reshape(5, -1))
attempt("index", lambda: torch.arange(3)[5])
attempt("index2", lambda: torch.arange(3)[[5]])
attempt("too many", lambda: torch.arange(3)[0, 0])
attempt("dim", lambda: torch.ones(2).sum(dim=3))
attempt("int grad", lambda: torch.tensor([1, 2], requires_grad=True))
attempt("int grad_", lambda: torch.tensor([1, 2]).requires_grad_())
attempt("nonleaf requires_grad", lambda: setattr(x * 2, "requires_grad", False))
attempt("linear", lambda: nn.Linear(3, 2)(torch.ones(4, 2)))
attempt("embedding", lambda: nn.Embedding(3, 2)(torch.tensor([3])))
attempt("embedding dtype", lambda: nn.Embedding(3, 2)(torch.tensor([1.0])))
attempt("ce", lambda: nn.CrossEntropyLoss()(torch.randn(2, 3), torch.tensor([0, 3])))
attempt("ce shape", lambda: nn.CrossEntropyLoss()(torch.randn(2, 3), torch.tensor([0, 1, 2])))
attempt("bce", lambda: nn.BCELoss()(torch.tensor([1.5]), torch.tensor([1.0])))
attempt("bce shape", lambda: nn.BCELoss()(torch.rand(3), torch.rand(3, 1)))
attempt("conv", lambda: nn.Conv2d(3, 8, 3)(torch.ones(1, 1, 8, 8)))
attempt("conv dim", lambda: nn.Conv2d(1, 1, 3)(torch.ones(2, 2)))
attempt("maxpool", lambda: nn.MaxPool2d(4)(torch.ones(1, 1, 2, 2)))
attempt("grad unused", lambda: torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), x))
attempt("grad not req", lambda: torch.autograd.grad(torch.ones(1).sum(), x))
attempt("len 0-d", lambda: len(torch.tensor(1)))
attempt("iter 0-d", lambda: list(torch.tensor(1)))
attempt("module attr", lambda: nn.Linear(1, 1).foo)
attempt("tensor attr", lambda: torch.ones(1).foo)
attempt("load_state", lambda: nn.Linear(2, 2).load_state_dict({"weight": torch.ones(3, 2)}))
attempt("before init", lambda: type("M", (), {})() if False else Bad())
attempt("forward", lambda: nn.Module()(1))
attempt("float long", lambda: torch.tensor([1.5, 2]).long()[1.0])
attempt("param", lambda: nn.Parameter(torch.tensor([1])))
attempt("dropout", lambda: nn.Dropout(1.5))
attempt("opt empty", lambda: torch.optim.SGD([], lr=0.1))
attempt("opt lr", lambda: torch.optim.SGD([x], lr=-1))
attempt("opt nonleaf", lambda: torch.optim.SGD([x * 2], lr=1))
attempt("opt tensor", lambda: torch.optim.SGD(x, lr=1))
attempt("cuda", lambda: torch.ones(1).cuda() if torch.cuda.is_available() else print("cpu only"))


class Bad(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(1, 1)


attempt("before init", lambda: Bad())
