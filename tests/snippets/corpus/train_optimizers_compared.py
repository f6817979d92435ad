import torch

for name, make in {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "decay": lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.1),
    "adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.1),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
}.items():
    w = torch.tensor([5.0, -3.0], requires_grad=True)
    opt = make([w])
    for _ in range(5):
        opt.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        opt.step()
    print(f"{name:9s}", w.data, f"{loss.item():.4f}")
