import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
for step in range(3):
    loss.backward(retain_graph=True)
    print(step, w.grad)
with torch.no_grad():
    w -= 0.1 * w.grad
print(w)
loss.backward(retain_graph=True)
