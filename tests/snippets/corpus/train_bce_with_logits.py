import torch
import torch.nn as nn

logits = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
target = torch.tensor([1.0, 0.0, 1.0])
loss = nn.BCEWithLogitsLoss()(logits, target)
print(loss)
loss.backward()
print(logits.grad)
by_hand = (torch.sigmoid(logits) - target) / 3
print(by_hand)
