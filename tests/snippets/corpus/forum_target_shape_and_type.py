import torch
import torch.nn as nn

logits = torch.zeros(2, 3, requires_grad=True)
ce = nn.CrossEntropyLoss()
for target in (torch.tensor([[1], [2]]), torch.tensor([1, 2, 0]), torch.tensor([1, 3]), torch.tensor([1.0, 2.0])):
    try:
        print(ce(logits, target))
    except (RuntimeError, ValueError, IndexError) as e:
        print(type(e).__name__, e)
print(ce(logits, torch.tensor([1, 2])), ce(logits, torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])))
