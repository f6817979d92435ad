import torch

x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
hard = x.argmax()
print(hard, hard.requires_grad)
soft = (torch.softmax(x * 10, 0) * torch.arange(3.0)).sum()
soft.backward()
print(soft, x.grad)
