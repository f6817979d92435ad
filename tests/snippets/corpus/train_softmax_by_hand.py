import torch

torch.manual_seed(0)
X = torch.randn(6, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2])
W = torch.zeros(4, 3, requires_grad=True)


def softmax(o):
    e = torch.exp(o - o.max(dim=1, keepdim=True)[0])
    return e / e.sum(dim=1, keepdim=True)


def cross_entropy(p, y):
    return -torch.log(p[range(len(p)), y]).mean()


for epoch in range(3):
    loss = cross_entropy(softmax(X @ W), y)
    loss.backward()
    with torch.no_grad():
        W -= 0.5 * W.grad
        W.grad.zero_()
    print(epoch, f"{loss:.4f}")
print(W)
