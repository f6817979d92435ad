import torch, torch.nn as nn

lin = nn.Linear(2, 1)
try:
    lin(torch.ones(1, 2, dtype=torch.double))
except RuntimeError as e:
    print(e)
try:
    nn.CrossEntropyLoss()(torch.ones(2, 3), torch.ones(2, dtype=torch.int))
except RuntimeError as e:
    print(e)
try:
    nn.BCELoss()(torch.sigmoid(torch.ones(2)), torch.ones(2, dtype=torch.long))
except RuntimeError as e:
    print(e)
try:
    nn.MSELoss()(torch.ones(2), torch.ones(2, dtype=torch.long))
    print("ok")
except RuntimeError as e:
    print(e)
try:
    torch.ones(2, dtype=torch.long).requires_grad_()
except RuntimeError as e:
    print(e)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)
try:
    nn.Embedding(2, 2)(torch.ones(1))
except RuntimeError as e:
    print(e)
try:
    torch.ones(2, dtype=torch.int).add_(1.5)
except RuntimeError as e:
    print(e)
try:
    torch.mm(torch.ones(2, 2), torch.ones(2, 2).double())
except RuntimeError as e:
    print(e)
nn.MSELoss()(torch.ones(2, 1), torch.ones(2))
