import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], requires_grad=True)
s = F.softmax(x, dim=1)
print(s)
print(s.sum(1))
s[0, 2].backward()
print(x.grad)
print(torch.log_softmax(x, dim=1))
print(torch.softmax(x.detach(), 0))
print(torch.tensor(2.0).softmax(0), torch.tensor(2.0).log_softmax(0), F.logsigmoid(torch.tensor(1.0)))
