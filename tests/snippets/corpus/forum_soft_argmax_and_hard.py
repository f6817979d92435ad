import torch

x = torch.tensor([1., 3., 2.], requires_grad=True)
hard = x.argmax()
print(hard, hard.requires_grad)
soft = (torch.softmax(x * 10, 0) * torch.arange(3.)).sum()
soft.backward()
print(soft, x.grad)
