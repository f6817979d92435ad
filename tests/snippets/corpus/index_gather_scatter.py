import torch

logits = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
labels = torch.tensor([2, 0])
picked = logits.gather(1, labels.unsqueeze(1))
print(picked)
picked.sum().backward()
print(logits.grad)
onehot = torch.zeros(2, 3).scatter_(1, labels.view(-1, 1), 1)
print(onehot)
print(torch.nn.functional.one_hot(labels, 3))
print(logits.index_select(0, torch.tensor([1])))
