import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.linspace(-1, 1, 8).unsqueeze(1)
Y = 2 * X
for zero in (True, False):
    torch.manual_seed(0)
    model = nn.Linear(1, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.3)
    for i in range(8):
        if zero:
            opt.zero_grad()
        loss = (model(X) - Y).pow(2).mean()
        loss.backward()
        opt.step()
    print(zero, f"{loss.item():.4f}")
