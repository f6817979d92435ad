import torch

x = torch.tensor([1000.0, 1001.0], requires_grad=True)
naive = torch.exp(x) / torch.exp(x).sum()
print(naive)
stable = torch.softmax(x, 0)
print(stable)
stable[0].backward()
print(x.grad)
print(torch.log(torch.sigmoid(torch.tensor(-200.0))), torch.nn.functional.logsigmoid(torch.tensor(-200.0)))
